import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import type { AppId, ChannelId, DeviceId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Audience, Way } from "../../../../services/domain/sending/Notification.ts"
import type { AudiencePage } from "../../../../services/ports/audience/AudienceStore.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { android, atOnce, hotStores, newApp, tokens } from "../Stores.ts"

const ios = (token: string, fields: Partial<RegisterDevice> = {}): RegisterDevice => ({
  token,
  platform: "ios",
  ...fields
})
const web = (token: string, fields: Partial<RegisterDevice> = {}): RegisterDevice => ({
  token: `https://push.example.com/${token}`,
  platform: "web",
  web_push_p256dh: `key-${token}`,
  web_push_auth: `auth-${token}`,
  ...fields
})

/** Reads an audience to its end; `between` happens after each page. */
const readAll = Effect.fnUntraced(function* <R = never>(
  app: AppId,
  audience: Audience,
  options: {
    readonly email?: boolean
    readonly ways?: ReadonlyArray<Way>
    readonly limit?: number
    readonly between?: Effect.Effect<unknown, unknown, R>
  } = {}
) {
  const audiences = yield* AudienceStore
  const read = {
    apns: [] as Array<string>,
    fcm: [] as Array<string>,
    webpush: [] as Array<string>,
    smtp: [] as Array<string>,
    inbox: [] as Array<ChannelId>
  }
  let cursor: string | null = null
  let pages = 0
  do {
    const page: AudiencePage = yield* audiences.page(
      app,
      audience,
      options.ways ?? (options.email ? ["push", "email"] : ["push"]),
      cursor,
      options.limit ?? 3
    )
    for (const provider of ["apns", "fcm", "webpush", "smtp", "inbox"] as const)
      read[provider].push(...(page.recipients[provider] as ReadonlyArray<never>))
    cursor = page.next
    pages++
    if (options.between !== undefined) yield* options.between
  } while (cursor !== null)
  const everyone = Object.values(read).flat()
  expect(new Set(everyone).size).toBe(everyone.length)
  return { ...read, everyone: everyone.toSorted(), pages }
})

const register = Effect.fnUntraced(function* (app: AppId, lines: ReadonlyArray<RegisterDevice>) {
  const devices = yield* DeviceStore
  return (yield* devices.register(app, lines)).map(({ id }) => id)
})

const subscribe = Effect.fnUntraced(function* (app: AppId, address: string, user_id: string | null = null) {
  const channels = yield* ChannelStore
  return (yield* channels.upsert(app, [{ kind: "email", address, user_id }]))[0]!.id
})

layer(hotStores)("AudienceStore", (it) => {
  it.effect(
    "reads everybody in pages: devices by their provider, then e-mail channels if the message has a part for them",
    () =>
      Effect.gen(function* () {
        const [app, other] = [yield* newApp, yield* newApp]
        const a = yield* register(app, [ios("a1"), ios("a2"), ios("a3")])
        const f = yield* register(
          app,
          tokens("f", 4).map((token) => android(token))
        )
        const w = yield* register(app, [web("w")])
        const mail = [
          yield* subscribe(app, "1@x.org"),
          yield* subscribe(app, "2@x.org"),
          yield* subscribe(app, "3@x.org")
        ]
        yield* register(other, [ios("a1"), android("f-0")])
        yield* subscribe(other, "1@x.org")

        const devices = yield* readAll(app, { all: true })
        expect(devices.apns).toEqual(a.toSorted())
        expect(devices.fcm).toEqual(f.toSorted())
        expect(devices.webpush).toEqual(w)
        expect(devices.smtp).toEqual([])
        const everybody = yield* readAll(app, { all: true }, { email: true })
        expect(everybody.everyone).toEqual([...a, ...f, ...w, ...mail].toSorted())
        expect(everybody.smtp).toEqual(mail.toSorted())
        expect(everybody.pages).toBeGreaterThan(3)
      })
  )

  it.effect("leaves out dead tokens and dead addresses, and who unsubscribed unless they are named themselves", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [alive, dead] = yield* register(app, [android("alive"), android("dead")])
      const good = yield* subscribe(app, "good@x.org")
      const bad = yield* subscribe(app, "bad@x.org")
      const gone = yield* subscribe(app, "gone@x.org")
      yield* sql`UPDATE devices SET active = false WHERE id = ${dead}`
      yield* sql`UPDATE channels SET status = 'suppressed' WHERE id = ${bad}`
      yield* sql`UPDATE channels SET status = 'unsubscribed' WHERE id = ${gone}`
      const expected = [alive, good].toSorted()
      expect((yield* readAll(app, { all: true }, { email: true })).everyone).toEqual(expected)
      expect((yield* readAll(app, { device_ids: [alive!, dead!] })).everyone).toEqual([alive])
      const named = [good, gone].toSorted()
      expect((yield* readAll(app, { channel_ids: [good, bad, gone] }, { email: true })).everyone).toEqual(named)
      const emails = ["good@x.org", "BAD@x.org", "gone@x.org"]
      expect((yield* readAll(app, { emails }, { email: true })).everyone).toEqual(named)
      const audiences = yield* AudienceStore
      expect(yield* audiences.unsubscribed(app, "smtp", [good, bad, gone])).toEqual([gone])
      expect((yield* audiences.targets(app, "smtp", named)).map(({ id }) => id)).toEqual([good])
    })
  )

  it.effect("names nobody twice, and all that were there, while devices come and go", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const app = yield* newApp
      const before = yield* register(
        app,
        tokens("before", 40).map((token) => android(token))
      )
      let round = 0
      const between = Effect.suspend(() => {
        round++
        return Effect.all([
          // A refresh, a new device, and one that leaves after it was read.
          register(app, [android(`before-${round}`), android(`new-${round}`)]),
          round === 2 ? devices.remove(app, before.toSorted()[0]!) : Effect.void
        ])
      })
      const read = yield* readAll(app, { all: true }, { limit: 7, between })
      for (const id of before) expect(read.fcm).toContain(id)
    })
  )

  it.effect("reads nobody twice, however new the application is to the statistics", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      const app = yield* newApp
      yield* devices.register(
        app,
        tokens("new", 1200).map((token) => android(token))
      )
      const read = yield* sql.withTransaction(
        Effect.gen(function* () {
          const rowsRead = Effect.map(
            sql<{ rows: number }>`
              SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows
              FROM pg_stat_xact_user_tables WHERE relname = 'devices'`,
            ([row]) => row!.rows
          )
          const before = yield* rowsRead
          const { fcm, pages } = yield* readAll(app, { all: true }, { limit: 100 })
          return { fcm, pages, rows: (yield* rowsRead) - before }
        })
      )
      expect(read.fcm).toHaveLength(1200)
      expect(read.rows).toBeLessThanOrEqual(1200 + read.pages)
    })
  )

  it.effect("takes listed devices once each, and only the application's own", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const mine = yield* register(
        app,
        tokens("mine", 8).map((token) => android(token))
      )
      const [theirs] = yield* register(other, [android("theirs")])
      const listed = [...mine, ...mine.slice(0, 3), theirs!, uuidv7() as DeviceId, mine[0]!.toUpperCase() as DeviceId]
      const read = yield* readAll(app, { device_ids: listed })
      expect(read.everyone).toEqual(mine.toSorted())
      expect(read.pages).toBe(4)
    })
  )

  it.effect("finds the devices of users, and their channels through their contacts", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const anns = yield* register(app, [android("1", { user_id: "ann" }), ios("2", { user_id: "ann" })])
      const bobs = yield* register(app, [android("3", { user_id: "bob" })])
      yield* register(app, [android("4", { user_id: "carol" }), android("5")])
      yield* register(other, [android("6", { user_id: "ann" })])
      const mail = yield* subscribe(app, "ann@x.org", "ann")
      yield* subscribe(app, "nobody@x.org")
      yield* subscribe(app, "carol@x.org", "carol")
      yield* subscribe(other, "ann@x.org", "ann")
      const audience = { user_ids: ["ann", "bob", "ann", "nobody"] }
      expect((yield* readAll(app, audience, { limit: 2 })).everyone).toEqual([...anns, ...bobs].toSorted())
      const all = yield* readAll(app, audience, { limit: 2, email: true })
      expect(all.everyone).toEqual([...anns, ...bobs, mail].toSorted())
      expect(all.smtp).toEqual([mail])
    })
  )

  it.effect("names a device once that changes from one addressed user to another meanwhile", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const users = Array.from({ length: 30 }, (_, i) => `user-${String(i).padStart(2, "0")}`)
      const all = yield* register(
        app,
        users.map((user_id) => android(`of-${user_id}`, { user_id }))
      )
      const between = Effect.suspend(() =>
        register(
          app,
          users.map((user_id, i) => android(`of-${user_id}`, { user_id: users[users.length - 1 - i]! }))
        )
      )
      const read = yield* readAll(app, { user_ids: users }, { limit: 4, between })
      expect(read.everyone).toEqual(all.toSorted())
    })
  )

  it.effect("selects by any tag, by all tags, by platform and by time zone, and by all of them together", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [a, b, c] = yield* register(app, [
        android("a", { tags: ["red", "big"], timezone: "Europe/Berlin" }),
        ios("b", { tags: ["red"], timezone: "Europe/Berlin" }),
        web("c", { tags: ["blue", "big"], timezone: "Asia/Tokyo" }),
        android("d", { tags: ["BIG"] }),
        android("e")
      ])
      yield* subscribe(app, "someone@x.org")
      const selected = Effect.fnUntraced(function* (audience: Audience) {
        return (yield* readAll(app, audience, { limit: 1, email: true })).everyone
      })
      expect(yield* selected({ tags_any: ["red", "blue"] })).toEqual([a, b, c].toSorted())
      expect(yield* selected({ tags_all: ["red", "big"] })).toEqual([a])
      expect(yield* selected({ tags_any: ["big"], tags_all: ["blue"] })).toEqual([c])
      expect(yield* selected({ tags_any: ["red"], platforms: ["ios", "web"] })).toEqual([b])
      expect(yield* selected({ platforms: ["web"] })).toEqual([c])
      expect(yield* selected({ timezone: "Europe/Berlin" })).toEqual([a, b].toSorted())
      expect(yield* selected({ timezone: "Europe/Berlin", platforms: ["android"] })).toEqual([a])
      expect(yield* selected({ tags_any: ["green"] })).toEqual([])
    })
  )

  it.effect("selects people of a time zone whatever they and the sender call it", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [a, b, c] = yield* register(app, [
        android("a", { timezone: "Asia/Kolkata" }),
        web("b", { timezone: "Asia/Calcutta" }),
        ios("c", { timezone: "asia/kolkata" }),
        android("d", { timezone: "Asia/Colombo" })
      ])
      const contacts = yield* ContactStore
      const mail = {
        "e@example.com": "Asia/Calcutta",
        "f@example.com": "ASIA/KOLKATA",
        "g@example.com": "Asia/Colombo"
      }
      yield* contacts.upsert(
        app,
        Object.entries(mail).map(([email, timezone]) => ({ external_id: email, email, timezone }))
      )
      for (const timezone of ["Asia/Kolkata", "Asia/Calcutta", "asia/CALCUTTA"]) {
        const { everyone } = yield* readAll(app, { timezone }, { email: true })
        expect(everyone).toHaveLength(5)
        expect(everyone).toEqual(expect.arrayContaining([a, b, c]))
      }
      expect((yield* readAll(app, { timezone: "Asia/Colombo" }, { email: true })).everyone).toHaveLength(2)
    })
  )

  it.effect("makes the channels of unknown addresses, once each", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const app = yield* newApp
      const known = yield* subscribe(app, "known@x.org")
      const emails = ["known@x.org", "New1@x.org", "new1@X.org", "new2@x.org", "new3@x.org", "KNOWN@x.org"]
      const read = yield* readAll(app, { emails }, { email: true, limit: 2 })
      expect(read.everyone).toHaveLength(4)
      expect(read.everyone).toContain(known)
      expect((yield* readAll(app, { emails }, { email: true })).everyone).toEqual(read.everyone)
      expect((yield* channels.list(app, {}, null, 10)).items.map(({ id }) => id)).toEqual(read.everyone)
      expect((yield* readAll(app, { emails })).everyone).toEqual([])
    })
  )

  it.effect(
    "names a mailbox once, however its domain is written, on whichever page, and not if it has unsubscribed",
    () =>
      Effect.gen(function* () {
        const audiences = yield* AudienceStore
        const channels = yield* ChannelStore
        const app = yield* newApp
        const emails = [
          "ada@exämple.com",
          "bob@x.org",
          "ada@xn--exmple-cua.com",
          "Ada@ｅxämple.com",
          "ada@ex.org",
          "bob@ｘ.org"
        ]
        for (const limit of [1, 2, 100]) {
          const { everyone } = yield* readAll(app, { emails }, { email: true, limit })
          expect(everyone).toHaveLength(3)
          expect((yield* audiences.targets(app, "smtp", everyone)).length).toBe(3)
        }
        expect((yield* audiences.count(app, { emails }, ["email"], 1000)).recipients.smtp).toBe(3)
        const { items } = yield* channels.list(app, { address: emails[2]! }, null, 10)
        yield* channels.subscribe(app, items[0]!.id, false)
        for (const address of [emails[0]!, emails[2]!, emails[3]!]) {
          const { everyone } = yield* readAll(app, { emails: [address] }, { email: true })
          expect(yield* audiences.targets(app, "smtp", everyone)).toEqual([])
        }
      })
  )

  it.effect("finds the same channels from several plans that make them at once", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const emails = Array.from({ length: 60 }, (_, i) => `u${i}@x.org`)
      const plans = yield* atOnce(
        [emails, emails.toReversed(), emails].map((list) => readAll(app, { emails: list }, { email: true, limit: 25 }))
      )
      for (const plan of plans) {
        expect(plan.everyone).toHaveLength(60)
        expect(plan.everyone).toEqual(plans[0]?.everyone)
      }
    })
  )

  it.effect("takes listed channels once each, and only the application's own", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const mine = [
        yield* subscribe(app, "1@x.org"),
        yield* subscribe(app, "2@x.org"),
        yield* subscribe(app, "3@x.org")
      ]
      const theirs = yield* subscribe(other, "1@x.org")
      const channel_ids = [...mine, mine[0]!, theirs, uuidv7() as ChannelId]
      expect((yield* readAll(app, { channel_ids }, { email: true, limit: 2 })).everyone).toEqual(mine.toSorted())
      expect((yield* readAll(app, { channel_ids })).everyone).toEqual([])
    })
  )

  it.effect("gives a provider what it needs of the recipients that are still there", () =>
    Effect.gen(function* () {
      const audiences = yield* AudienceStore
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const before = Date.now()
      const all = yield* register(app, [
        ios("a", { environment: "sandbox" }),
        web("w"),
        android("f"),
        ios("gone"),
        ios("dead")
      ])
      const [a, w, f, gone, dead] = all
      yield* devices.remove(app, gone!)
      yield* sql`UPDATE devices SET active = false WHERE id = ${dead!}`
      const [target, ...others] = yield* audiences.targets(app, "apns", all)
      expect(others).toEqual([])
      expect(target).toEqual({
        id: a,
        address: "a",
        environment: "sandbox",
        p256dh: null,
        auth: null,
        seenAt: target?.seenAt
      })
      expect(Math.abs(target!.seenAt - before)).toBeLessThan(60_000)
      expect(yield* audiences.targets(app, "webpush", all)).toMatchObject([
        { id: w, address: "https://push.example.com/w", p256dh: "key-w", auth: "auth-w", environment: "production" }
      ])
      expect(yield* audiences.targets(app, "fcm", all)).toMatchObject([{ id: f, address: "f" }])
      expect(yield* audiences.targets(other, "fcm", all)).toEqual([])
      expect(yield* audiences.targets(app, "fcm", [])).toEqual([])
      const [ann] = yield* register(app, [android("ann", { user_id: "ann" })])
      expect(yield* audiences.targets(app, "fcm", [f!, ann!], false, true)).toMatchObject([
        { id: f, p256dh: null, auth: null, userId: null },
        { id: ann, p256dh: null, auth: null, userId: "ann" }
      ])
      expect(yield* audiences.targets(app, "webpush", all, false, true)).toMatchObject([
        { id: w, p256dh: "key-w", auth: "auth-w", userId: null }
      ])
      const many = [ann!, ...Array.from({ length: 20 }, () => uuidv7())]
      expect(yield* audiences.targets(app, "fcm", many, false, true)).toMatchObject([{ id: ann, userId: "ann" }])
      expect(yield* audiences.targets(app, "fcm", [ann!], true, true)).toMatchObject([{ id: ann, userId: "ann" }])
    })
  )

  it.effect("gives the mail provider the addresses of active channels", () =>
    Effect.gen(function* () {
      const audiences = yield* AudienceStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const good = yield* subscribe(app, "Good@x.org")
      const bad = yield* subscribe(app, "bad@x.org")
      yield* sql`UPDATE channels SET status = 'suppressed' WHERE id = ${bad}`
      expect(yield* audiences.targets(app, "smtp", [good, bad])).toMatchObject([
        { id: good, address: "Good@x.org", environment: "production", p256dh: null, auth: null }
      ])
    })
  )

  it.effect("pages through the inboxes of contacts, one for each, made on the way", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const lines = tokens("user", 7).map((external_id, i) => ({ external_id, tags: i < 3 ? ["vip"] : [] }))
      yield* contacts.upsert(app, lines)
      yield* contacts.upsert(other, lines)
      const silent = (yield* contacts.list(app, { externalId: "user-6" }, null, 1)).items[0]!.id
      yield* contacts.prefer(app, silent, { inbox: false })
      const all = yield* readAll(app, { all: true }, { ways: ["inbox"] })
      expect(all.inbox).toHaveLength(6)
      expect(all.pages).toBe(3)
      // Made in the order of contacts, then read in the order of their own ids.
      expect((yield* readAll(app, { all: true }, { ways: ["inbox"] })).inbox.toSorted()).toEqual(all.inbox.toSorted())
      expect((yield* readAll(app, { tags_any: ["vip"] }, { ways: ["inbox"] })).inbox).toHaveLength(3)
      expect((yield* readAll(app, { platforms: ["ios"] }, { ways: ["inbox"] })).everyone).toEqual([])
      expect((yield* readAll(app, { channel_ids: all.inbox }, { ways: ["email", "inbox"] })).inbox).toEqual(
        all.inbox.toSorted()
      )
      expect((yield* readAll(other, { channel_ids: all.inbox }, { ways: ["inbox"] })).everyone).toEqual([])
    })
  )

  it.effect("makes contacts of users who are written to, and leaves out those who want no inbox", () =>
    Effect.gen(function* () {
      const audiences = yield* AudienceStore
      const contacts = yield* ContactStore
      const app = yield* newApp
      const device = (yield* register(app, [android("t", { user_id: "b" })]))[0]!
      const first = yield* readAll(app, { user_ids: ["c", "a", "b", "a"] }, { ways: ["push", "inbox"], limit: 2 })
      expect(first.fcm).toEqual([device])
      expect(first.inbox).toHaveLength(3)
      const people = (yield* contacts.list(app, {}, null, 10)).items
      expect(people.map(({ externalId }) => externalId).toSorted()).toEqual(["a", "b", "c"])
      yield* contacts.prefer(app, people.find(({ externalId }) => externalId === "a")!.id, { inbox: false })
      const targets = yield* audiences.targets(app, "inbox", first.inbox)
      expect(targets.map(({ address }) => address).toSorted()).toEqual(["b", "c"])
      const reached = new Set(targets.map(({ id }) => id))
      expect(yield* audiences.unsubscribed(app, "inbox", first.inbox)).toEqual(
        first.inbox.filter((id) => !reached.has(id as never))
      )
      const again = yield* readAll(app, { user_ids: ["c", "a", "b"] }, { ways: ["inbox"] })
      expect(again.inbox.toSorted()).toEqual([...reached].toSorted())
    })
  )

  it.effect("knows time zones of devices, of their contacts, and of contacts' channels, of this application only", () =>
    Effect.gen(function* () {
      const audiences = yield* AudienceStore
      const contacts = yield* ContactStore
      const app = yield* newApp
      yield* contacts.upsert(app, [
        { external_id: "ann", email: "ann@example.com", timezone: "Asia/Tokyo" },
        { external_id: "bob", email: "bob@example.com" }
      ])
      const [own, theirs, none] = yield* register(app, [
        android("own", { user_id: "ann", timezone: "Europe/Berlin" }),
        ios("theirs", { user_id: "ann" }),
        web("none", { user_id: "bob" })
      ])
      const { recipients } = yield* audiences.page(app, { all: true }, ["push", "email"], "c:0:", 100)
      const { inbox } = yield* readAll(app, { user_ids: ["ann", "bob"] }, { ways: ["inbox"] })
      expect(recipients.smtp).toHaveLength(2)
      const page = { apns: [theirs!], fcm: [own!], webpush: [none!], smtp: recipients.smtp, inbox }
      const zones = yield* audiences.zones(app, page)
      expect([zones.get(own!), zones.get(theirs!), zones.has(none!)]).toEqual(["Europe/Berlin", "Asia/Tokyo", false])
      for (const channels of [recipients.smtp, inbox]) {
        expect(channels.map((id) => zones.get(id)).filter((zone) => zone !== undefined)).toEqual(["Asia/Tokyo"])
      }
      expect((yield* audiences.zones(yield* newApp, page)).size).toBe(0)
    })
  )
})
