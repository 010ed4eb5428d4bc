import { PgClient } from "@effect/sql-pg"
import { describe, expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AudienceStores from "../../../../layers/postgres/audience/AudienceStore.ts"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import type { UpsertContact } from "../../../../services/domain/audience/Contact.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import type { KeptAudience, Way } from "../../../../services/domain/sending/Notification.ts"
import type { SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { TestDatabase } from "../../../Database.ts"
import { android, hotStores, newApp } from "../Stores.ts"

const ALL_WAYS: ReadonlyArray<Way> = ["push", "email", "inbox"]

/** Everybody of an audience, page by page. */
const read = Effect.fnUntraced(function* (app: AppId, audience: KeptAudience, limit: number) {
  const audiences = yield* AudienceStore
  const found: Array<string> = []
  let cursor: string | null = null
  let pages = 0
  do {
    const page: Effect.Success<ReturnType<AudienceStore["Service"]["page"]>> = yield* audiences.page(
      app,
      audience,
      ALL_WAYS,
      cursor,
      limit
    )
    found.push(...Object.values(page.recipients).flat())
    cursor = page.next
    pages++
  } while (cursor !== null)
  expect(new Set(found).size).toBe(found.length)
  return { found, pages }
})

/** Contacts with a device and an e-mail channel each, by their external ids. */
const people = Effect.fnUntraced(function* (app: AppId, contacts: ReadonlyArray<UpsertContact>) {
  const store = yield* ContactStore
  const devices = yield* DeviceStore
  yield* store.upsert(
    app,
    contacts.map((contact) => ({ email: `${contact.external_id}@example.com`, ...contact }))
  )
  const registered = yield* devices.register(
    app,
    contacts.map(({ external_id }) =>
      android(`token-${app}-${external_id}`, { user_id: external_id, tags: [external_id] })
    )
  )
  return new Map(contacts.map(({ external_id }, i) => [external_id, registered[i]!.id]))
})

/** Whom a filter finds: devices as `d:<user>`, addresses as `e:<user>`, inboxes as `i:<user>`. */
const names = Effect.fnUntraced(function* (app: AppId, filter: SegmentFilter, limit = 2) {
  const sql = yield* SqlClient.SqlClient
  const audiences = yield* AudienceStore
  const audience: KeptAudience = { filter }
  const { found } = yield* read(app, audience, limit)
  const { isExact, recipients } = yield* audiences.count(app, audience, ALL_WAYS, 10_000)
  expect({ isExact, sum: Object.values(recipients).reduce((a, b) => a + b) }).toEqual({
    isExact: true,
    sum: found.length
  })
  const rows = yield* sql<{ readonly name: string }>`
    SELECT 'd:' || user_id AS name FROM devices WHERE app_id = ${app} AND id = ANY(${found}::uuid[])
    UNION ALL SELECT left(c.kind, 1) || ':' || p.external_id FROM channels c JOIN contacts p ON p.id = c.contact_id
    WHERE c.app_id = ${app} AND c.id = ANY(${found}::uuid[])`
  return rows.map(({ name }) => name).toSorted()
})

const stores = ContactStores.layer.pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000 })("segments", (it) => {
  describe("by what contacts are", () => {
    const CASES: ReadonlyArray<readonly [string, SegmentFilter["attributes"], ReadonlyArray<string>]> = [
      ["equals a text", [{ name: "plan", op: "equals", value: "pro" }], ["ann"]],
      ["equals a number", [{ name: "seats", op: "equals", value: 10 }], ["bob"]],
      ["equals null", [{ name: "gone", op: "equals", value: null }], ["ann"]],
      ["equals a boolean", [{ name: "vip", op: "equals", value: true }], ["bob"]],
      ["does not equal", [{ name: "plan", op: "not_equals", value: "pro" }], ["bob", "cat"]],
      ["is one of", [{ name: "plan", op: "in", value: ["pro", "free"] }], ["ann", "bob"]],
      ["has in its list", [{ name: "langs", op: "contains", value: "de" }], ["ann"]],
      ["exists", [{ name: "gone", op: "exists" }], ["ann"]],
      ["does not exist", [{ name: "plan", op: "not_exists" }], ["cat"]],
      ["is greater, and no text", [{ name: "seats", op: "greater", value: 9 }], ["bob"]],
      ["is at most", [{ name: "seats", op: "less_or_equal", value: 9 }], ["ann"]],
      ["is a later date", [{ name: "since", op: "greater_or_equal", value: "2026-01-01" }], ["bob"]],
      [
        "fits all rules",
        [
          { name: "plan", op: "exists" },
          { name: "seats", op: "less", value: 10 }
        ],
        ["ann"]
      ]
    ]
    it.effect("finds their devices, addresses and inboxes by every rule about attributes", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        yield* people(app, [
          {
            external_id: "ann",
            attributes: { plan: "pro", seats: 9, gone: null, langs: ["de", "en"], since: "2025-12-31", vip: "true" }
          },
          { external_id: "bob", attributes: { plan: "free", seats: 10, since: "2026-01-01", vip: true, langs: "de" } },
          { external_id: "cat", attributes: { seats: "10" } }
        ])
        for (const [what, attributes, expected] of CASES) {
          const all = ["d", "e", "i"].flatMap((kind) => expected.map((name) => `${kind}:${name}`)).toSorted()
          expect(yield* names(app, { attributes: attributes! }), what).toEqual(all)
        }
      })
    )

    it.effect("takes what is asked for as a value, never as SQL or a pattern", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const odd = `'; DROP TABLE contacts; -- "%_\\`
        yield* people(app, [{ external_id: "ann", attributes: { [odd]: odd } }, { external_id: "bob" }])
        for (const rule of [
          { name: odd, op: "equals", value: odd },
          { name: odd, op: "exists" },
          { name: odd, op: "greater", value: "" }
        ] as const) {
          expect(yield* names(app, { attributes: [rule] })).toEqual(["d:ann", "e:ann", "i:ann"])
        }
      })
    )

    it.effect("finds a language with its regions, and tags of devices apart from those of contacts", () =>
      Effect.gen(function* () {
        const app = yield* newApp
        yield* people(app, [
          { external_id: "ann", locale: "de-AT", tags: ["x"] },
          { external_id: "bob", locale: "de", tags: ["y"] },
          { external_id: "den", locale: "den" },
          { external_id: "eve" }
        ])
        expect(yield* names(app, { locales: ["de"], platforms: ["android"] })).toEqual(["d:ann", "d:bob"])
        expect(yield* names(app, { locales: ["DE-at"], platforms: ["android"] })).toEqual(["d:ann"])
        expect(yield* names(app, { tags_any: ["x", "ann"] })).toEqual(["d:ann", "e:ann", "i:ann"])
        expect(yield* names(app, { tags_none: ["ann", "x", "y"] })).toEqual(
          ["d:bob", "d:den", "d:eve", "e:den", "e:eve", "i:den", "i:eve"].toSorted()
        )
      })
    )
  })

  it.effect("finds whom was seen, or not, for some days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const devices = yield* people(app, [{ external_id: "new" }, { external_id: "old" }])
      yield* sql`UPDATE devices SET last_seen_at = now() - interval '10 days' WHERE id = ${devices.get("old")!}`
      expect(yield* names(app, { last_seen: { within_days: 9 } })).toEqual(["d:new", "e:new", "i:new"])
      expect(yield* names(app, { last_seen: { not_within_days: 9 } })).toEqual(["d:old", "e:old", "i:old"])
      expect(yield* names(app, { last_seen: { within_days: 11, not_within_days: 9 } })).toEqual([
        "d:old",
        "e:old",
        "i:old"
      ])
    })
  )

  it.effect("finds whoever opened, and whoever did not, for some days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const devices = yield* people(app, [{ external_id: "keen" }, { external_id: "lazy" }])
      yield* sql`INSERT INTO last_engaged (app_id, recipient_id, opened_at)
        VALUES (${app}, ${devices.get("keen")!}, now() - interval '5 days')`
      const opened = (within_days: number, not: boolean) =>
        names(app, { platforms: ["android"], engagement: [{ type: "opened", within_days, not }] })
      expect(yield* opened(6, false)).toEqual(["d:keen"])
      expect(yield* opened(6, true)).toEqual(["d:lazy"])
      expect(yield* opened(4, false)).toEqual([])
      expect(yield* opened(4, true)).toEqual(["d:keen", "d:lazy"])
      expect(yield* names(app, { platforms: ["android"], engagement: [{ type: "clicked", within_days: 6 }] })).toEqual(
        []
      )
    })
  )

  it.effect("never holds another application's people", () =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* newApp, yield* newApp]
      yield* people(theirs, [{ external_id: "ann", attributes: { plan: "pro" } }])
      expect(yield* names(ours, { attributes: [{ name: "plan", op: "exists" }] })).toEqual([])
    })
  )

  it.effect("is read in windows, so that nobody is missed or named twice where few of many fit", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const contacts = Array.from({ length: 130 }, (_, i) => ({
        external_id: `p${i}`,
        attributes: { rare: i % 43 === 0 }
      }))
      yield* people(app, contacts)
      const filter: SegmentFilter = { attributes: [{ name: "rare", op: "equals", value: true }] }
      // A window has 20 rows here: most hold nobody.
      const { found, pages } = yield* read(app, { filter }, 1)
      expect(found).toHaveLength(4 * 3)
      expect(pages).toBeGreaterThan(3 * 6)
    })
  )

  it.effect("is counted as an estimate when the time is over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const audiences = yield* AudienceStore
      const app = yield* newApp
      yield* sql`INSERT INTO contacts (id, app_id, external_id, attributes)
        SELECT gen_random_uuid(), ${app}, 'p' || n, json_build_object('n', n) FROM generate_series(1, 60000) AS n`
      const filter: SegmentFilter = { attributes: [{ name: "n", op: "greater", value: 7 }] }
      const quick = yield* audiences.count(app, { filter }, ALL_WAYS, 1)
      expect(quick.isExact).toBe(false)
      const exact = yield* audiences.count(app, { filter }, ALL_WAYS, 60_000)
      expect(exact).toMatchObject({ isExact: true, recipients: { inbox: 59_993 } })
    })
  )

  it.effect("leaves connections to everything else, however many are counted at once", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const apps = [yield* newApp, yield* newApp, yield* newApp, yield* newApp]
      const sql = yield* SqlClient.SqlClient
      for (const app of apps) {
        yield* sql`INSERT INTO contacts (id, app_id, external_id, attributes)
          SELECT gen_random_uuid(), ${app}, 'p' || n, json_build_object('n', n) FROM generate_series(1, 2000) AS n`
      }
      const filter: SegmentFilter = { attributes: [{ name: "n", op: "greater", value: 7 }] }
      const own = AudienceStores.layer.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 3)).pipe(Layer.orDie)))
      yield* Effect.gen(function* () {
        const audiences = yield* AudienceStore
        const few = yield* SqlClient.SqlClient
        let counted = 0
        const first = yield* Deferred.make<void>()
        const noted = Effect.suspend(() => {
          counted++
          return Deferred.succeed(first, undefined)
        })
        const counts = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, i) => apps[i % 4]!),
          (app) => Effect.forkChild(Effect.tap(audiences.count(app, { filter }, ALL_WAYS, 60_000), noted))
        )
        yield* Deferred.await(first)
        yield* few.withTransaction(few`SELECT 1`)
        expect(counted, "counts that were done first").toBeLessThan(20)
        const all = yield* Effect.forEach(counts, Fiber.join)
        expect(all.every(({ isExact, recipients }) => isExact && recipients.inbox === 1993)).toBe(true)
      }).pipe(Effect.provide(Layer.fresh(own)))
    })
  )
})

layer(stores, { timeout: 240_000 })("what templates may say of recipients", (it) => {
  it.effect("comes with their addresses, without what is not known", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const audiences = yield* AudienceStore
      const devices = yield* DeviceStore
      const known = yield* people(app, [
        { external_id: "ann", locale: "de-AT", attributes: { name: "Ann", gone: null }, tags: ["t"] }
      ])
      const [bare] = yield* devices.register(app, [
        android("bare", { metadata: { version: 3 }, timezone: "Europe/Paris" })
      ])
      const ids = [known.get("ann")!, bare!.id]
      const targets = yield* audiences.targets(app, "fcm", ids, true)
      const plain = yield* audiences.targets(app, "fcm", ids)
      const byId = new Map(targets.map((target) => [target.id, target]))
      expect(byId.get(known.get("ann")!)!.person).toEqual({
        locale: "de-AT",
        device: { id: known.get("ann")!, platform: "android", user_id: "ann", tags: ["ann"], metadata: {} },
        contact: {
          external_id: "ann",
          locale: "de-AT",
          email: "ann@example.com",
          tags: ["t"],
          attributes: { name: "Ann" }
        }
      })
      expect(byId.get(bare!.id)!.person).toEqual({
        locale: null,
        device: { id: bare!.id, platform: "android", timezone: "Europe/Paris", tags: [], metadata: { version: 3 } },
        contact: { attributes: {} }
      })
      for (const target of plain) expect(byId.get(target.id)).toMatchObject(target)
      for (const way of ["smtp", "inbox"] as const) {
        const page = yield* audiences.page(app, { user_ids: ["ann"] }, [way === "smtp" ? "email" : "inbox"], null, 10)
        const [target] = yield* audiences.targets(app, way, page.recipients[way], true)
        expect(target!.person).toMatchObject({ locale: "de-AT", device: {}, contact: { attributes: { name: "Ann" } } })
      }
    })
  )

  it.effect("is told of nobody who wants no push", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const audiences = yield* AudienceStore
      const contacts = yield* ContactStore
      const known = yield* people(app, [{ external_id: "ann" }])
      const [ann] = (yield* contacts.list(app, {}, null, 1)).items
      yield* contacts.prefer(app, ann!.id, { push: false })
      expect(yield* audiences.targets(app, "fcm", [known.get("ann")!], true)).toEqual([])
    })
  )
})
