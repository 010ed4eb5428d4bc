import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import type { ContactFilter } from "../../../../services/ports/audience/ContactStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import type { DeviceFilter, Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { android, hotStores, newApp } from "../Stores.ts"

/** All pages, with what each has. */
const walk = Effect.fnUntraced(function* <A, E>(
  read: (after: string | null) => Effect.Effect<Page<A>, E>,
  nameOf: (item: A) => string
) {
  const pages: Array<ReadonlyArray<string>> = []
  let after: string | null = null
  do {
    const page: Page<A> = yield* read(after)
    pages.push(page.items.map(nameOf))
    after = page.next
  } while (after !== null)
  return pages
})

const peoplePages = Effect.fnUntraced(function* (app: AppId, filter: ContactFilter, limit = 2) {
  const store = yield* ContactStore
  return yield* walk(
    (after) => store.list(app, filter, after, limit),
    ({ externalId }) => externalId
  )
})

const devicePages = Effect.fnUntraced(function* (app: AppId, filter: DeviceFilter, limit = 2) {
  const store = yield* DeviceStore
  return yield* walk(
    (after) => store.list(app, filter, after, limit),
    ({ token }) => token
  )
})

const people = (app: AppId, segment: SegmentFilter, more: Omit<ContactFilter, "segment"> = {}) =>
  Effect.map(peoplePages(app, { ...more, segment }), (pages) => pages.flat().toSorted())

const devices = (app: AppId, segment: SegmentFilter, more: Omit<DeviceFilter, "segment"> = {}) =>
  Effect.map(devicePages(app, { ...more, segment }), (pages) => pages.flat().toSorted())

const PRO: SegmentFilter = { attributes: [{ name: "plan", op: "equals", value: "pro" }] }

/** Ann and Bob with a device each that works, and Ann with one that does not. */
const household = Effect.gen(function* () {
  const [contacts, store, sql] = [yield* ContactStore, yield* DeviceStore, yield* SqlClient.SqlClient]
  const app = yield* newApp
  yield* contacts.upsert(app, [
    { external_id: "ann", attributes: { plan: "pro" }, tags: ["news"], locale: "de-AT", email: "ann@example.com" },
    { external_id: "bob", attributes: { plan: "free" }, tags: ["news", "vip"], timezone: "Europe/Paris" }
  ])
  const registered = yield* store.register(app, [
    android("of ann", { user_id: "ann", tags: ["beta"] }),
    android("of bob", { user_id: "bob", tags: ["beta", "old"], timezone: "Europe/Paris" }),
    android("dead", { user_id: "ann", tags: ["beta"] }),
    { ...android("of nobody"), platform: "ios" as const }
  ])
  yield* sql`UPDATE devices SET active = false WHERE app_id = ${app} AND id = ${registered[2]!.id}`
  return { app, deviceOf: { ann: registered[0]!.id, bob: registered[1]!.id } }
})

layer(hotStores, { timeout: 240_000 })("lists by a segment", (it) => {
  it.effect("have the people whom its conditions fit, beside other filters too, and no others", () =>
    Effect.gen(function* () {
      const { app } = yield* household
      expect(yield* people(app, PRO)).toEqual(["ann"])
      expect(yield* people(app, { attributes: [{ name: "plan", op: "exists" }] })).toEqual(["ann", "bob"])
      expect(yield* people(app, { tags_any: ["news"] })).toEqual(["ann", "bob"])
      expect(yield* people(app, { tags_all: ["news", "vip"] })).toEqual(["bob"])
      expect(yield* people(app, { tags_any: ["news"], tags_none: ["vip"] })).toEqual(["ann"])
      expect(yield* people(app, { locales: ["de"] })).toEqual(["ann"])
      expect(yield* people(app, { timezones: ["Europe/Paris"] })).toEqual(["bob"])
      expect(yield* people(app, { last_seen: { within_days: 1 } })).toEqual(["ann", "bob"])
      expect(yield* people(app, { tags_any: ["beta"] })).toEqual([])
      expect(yield* people(app, { tags_any: ["news"] }, { tag: "vip" })).toEqual(["bob"])
      expect(yield* people(app, PRO, { tag: "news" })).toEqual(["ann"])
      expect(yield* people(app, PRO, { externalId: "ann" })).toEqual(["ann"])
      expect(yield* people(app, PRO, { externalId: "bob" })).toEqual([])
    })
  )

  it.effect("know what people did on any device or channel of theirs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { app, deviceOf } = yield* household
      const opened = (not: boolean): SegmentFilter => ({ engagement: [{ type: "opened", within_days: 7, not }] })
      expect(yield* people(app, opened(false))).toEqual([])
      yield* sql`INSERT INTO last_engaged (app_id, recipient_id, opened_at) VALUES (${app}, ${deviceOf.bob}, now())`
      expect(yield* people(app, opened(false))).toEqual(["bob"])
      expect(yield* people(app, opened(true))).toEqual(["ann"])
      yield* sql`INSERT INTO last_engaged (app_id, recipient_id, opened_at)
        SELECT app_id, id, now() FROM channels WHERE app_id = ${app} AND address = 'ann@example.com'`
      expect(yield* people(app, opened(false))).toEqual(["ann", "bob"])
      expect(yield* devices(app, opened(false))).toEqual(["of bob"])
    })
  )

  it.effect("have the devices that it holds, none of which is inactive", () =>
    Effect.gen(function* () {
      const { app } = yield* household
      expect(yield* devices(app, PRO)).toEqual(["of ann"])
      expect(yield* devices(app, { tags_any: ["beta"] })).toEqual(["of ann", "of bob"])
      expect(yield* devices(app, { tags_any: ["beta"], tags_none: ["old"] })).toEqual(["of ann"])
      expect(yield* devices(app, { timezones: ["Europe/Paris"] })).toEqual(["of bob"])
      expect(yield* devices(app, { last_seen: { within_days: 1 } })).toEqual(["of ann", "of bob", "of nobody"])
      expect(yield* devices(app, { last_seen: { not_within_days: 1 } })).toEqual([])
      expect(yield* devices(app, { tags_any: ["beta"] }, { status: "invalid" })).toEqual([])
      expect(yield* devices(app, { tags_any: ["beta"] }, { userId: "ann" })).toEqual(["of ann"])
      expect(yield* devices(app, { tags_any: ["beta"] }, { tagsAll: ["old"] })).toEqual(["of bob"])
      const now = Date.now()
      expect(yield* devices(app, PRO, { createdFrom: now - 3_600_000 })).toEqual(["of ann"])
      expect(yield* devices(app, PRO, { createdBefore: now - 3_600_000 })).toEqual([])
    })
  )

  it.effect("have devices alone where it asks for a platform", () =>
    Effect.gen(function* () {
      const { app } = yield* household
      expect(yield* devices(app, { platforms: ["ios"] })).toEqual(["of nobody"])
      expect(yield* devices(app, { ...PRO, platforms: ["ios"] })).toEqual([])
      expect(yield* devices(app, { ...PRO, platforms: ["android"] })).toEqual(["of ann"])
      expect(yield* people(app, { ...PRO, platforms: ["android"] })).toEqual([])
      expect(yield* people(app, { tags_any: ["news"], platforms: ["android"] })).toEqual([])
    })
  )

  it.effect("never have anything of another application", () =>
    Effect.gen(function* () {
      yield* household
      const app = yield* newApp
      for (const segment of [PRO, { tags_any: ["news", "beta"] }, { timezones: ["Europe/Paris"] }]) {
        expect([yield* people(app, segment), yield* devices(app, segment)]).toEqual([[], []])
      }
    })
  )

  it.effect("find few among many through windows, each once and in order, on pages that are full", () =>
    Effect.gen(function* () {
      const [contacts, store] = [yield* ContactStore, yield* DeviceStore]
      const app = yield* newApp
      const all = Array.from({ length: 130 }, (_, i) => ({
        external_id: `p${String(i).padStart(3, "0")}`,
        attributes: { plan: i % 43 === 0 ? "pro" : "free" }
      }))
      yield* contacts.upsert(app, all)
      yield* store.register(
        app,
        all.map(({ external_id }) => android(external_id, { user_id: external_id }))
      )
      // Windows begin with 20 rows for each row of a page.
      const few = ["p000", "p043", "p086", "p129"]
      const pages = yield* peoplePages(app, { segment: PRO }, 1)
      expect(pages.flat().toSorted()).toEqual(few)
      expect(pages.map((page) => page.length)).toEqual([1, 1, 1, 1])
      const ofDevices = yield* devicePages(app, { segment: PRO }, 3)
      expect(ofDevices.flat().toSorted()).toEqual(few)
      expect(ofDevices.map((page) => page.length)).toEqual([3, 1])
    })
  )

  it.effect("end a page that has looked through its share, with a next one, and go straight to whom tags lead", () =>
    Effect.gen(function* () {
      const [contacts, sql] = [yield* ContactStore, yield* SqlClient.SqlClient]
      const app = yield* newApp
      // More than a page looks through; the only one that fits is the last of all.
      yield* sql`INSERT INTO contacts (id, app_id, external_id)
        SELECT lpad(to_hex(n), 32, '0')::uuid, ${app}, 'p' || n FROM generate_series(1, 106000) AS n`
      yield* sql`INSERT INTO contacts (id, app_id, external_id, attributes, tags)
        VALUES ('ffffffff-ffff-4fff-bfff-ffffffffffff', ${app}, 'last', '{"plan":"pro"}', '{rare}')`
      const first = yield* contacts.list(app, { segment: PRO }, null, 50)
      expect(first.items).toEqual([])
      expect(first.next).not.toBeNull()
      const second = yield* contacts.list(app, { segment: PRO }, first.next, 50)
      expect([second.items.map(({ externalId }) => externalId), second.next]).toEqual([["last"], null])
      expect(yield* peoplePages(app, { segment: { ...PRO, tags_any: ["rare"] } }, 50)).toEqual([["last"]])
      expect(yield* peoplePages(app, { segment: PRO, tag: "rare" }, 50)).toEqual([["last"]])
    })
  )
})
