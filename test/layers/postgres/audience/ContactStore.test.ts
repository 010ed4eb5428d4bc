import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import type { Contact, UpsertContact } from "../../../../services/domain/audience/Contact.ts"
import type { AppId, ContactId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Audience } from "../../../../services/domain/sending/Notification.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import type { Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { android, hold, hotStores, newApp } from "../Stores.ts"

const stores = ContactStores.layer.pipe(Layer.provideMerge(hotStores))

const put = Effect.fnUntraced(function* (app: AppId, external_id: string, fields: Omit<UpsertContact, "external_id">) {
  const contacts = yield* ContactStore
  const [contact] = yield* contacts.upsert(app, [{ external_id, ...fields }])
  return contact!.id
})

const get = Effect.fnUntraced(function* (app: AppId, id: ContactId) {
  const contacts = yield* ContactStore
  return Option.getOrThrow(yield* contacts.find(app, id))
})

/** The application's e-mail channels: address, whether a contact has it, status. */
const channelsOf = Effect.fnUntraced(function* (app: AppId) {
  const channels = yield* ChannelStore
  const { items } = yield* channels.list(app, {}, null, 100)
  return items.map(({ address, contactId, status }) => [address, contactId, status]).sort()
})

/** The addresses that an audience's e-mail goes to. */
const mailTo = Effect.fnUntraced(function* (app: AppId, to: Audience, limit = 2) {
  const audiences = yield* AudienceStore
  const found: Array<string> = []
  let cursor: string | null = null
  do {
    const page: { recipients: { smtp: ReadonlyArray<string> }; next: string | null } = yield* audiences.page(
      app,
      to,
      ["push", "email"],
      cursor,
      limit
    )
    found.push(...page.recipients.smtp)
    cursor = page.next
  } while (cursor !== null)
  expect(new Set(found).size).toBe(found.length)
  return (yield* audiences.targets(app, "smtp", found)).map(({ address }) => address).sort()
})

layer(stores)("ContactStore", (it) => {
  it.effect("answers an application's upserts while another's, which came with them, wait for a lock", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const sql = yield* SqlClient.SqlClient
      const [app, other, third] = [yield* newApp, yield* newApp, yield* newApp]
      yield* contacts.upsert(app, [{ external_id: "held" }])
      const letGo = yield* hold(sql`SELECT FROM contacts WHERE app_id = ${app} FOR UPDATE`)
      // The first goes at once; the others share the next transaction.
      const [first, held, theirs] = yield* Effect.forEach(
        [
          [third, "anna"],
          [app, "held"],
          [other, "anna"]
        ] as const,
        ([appId, external_id]) => Effect.forkChild(contacts.upsert(appId, [{ external_id }]))
      )
      yield* Fiber.join(first!)
      expect((yield* Fiber.join(theirs!))[0]!.created).toBe(true)
      const behind = yield* Effect.forkChild(contacts.upsert(app, [{ external_id: "another" }]))
      for (const external_id of ["bert", "clara"]) yield* contacts.upsert(other, [{ external_id }])
      expect(held!.pollUnsafe()).toBeUndefined()
      yield* letGo
      expect((yield* Fiber.join(held!))[0]!.created).toBe(false)
      expect((yield* Fiber.join(behind))[0]!.created).toBe(true)
    })
  )

  it.effect("finds people by how their id, address or name begins, whatever the case, each once, page by page", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      yield* put(app, "Ada-2", { email: "ada@example.com", attributes: { name: "Ada Lovelace" } })
      yield* put(app, "ada-1", {})
      yield* put(app, "u-1", { email: "Adam@Example.com" })
      yield* put(app, "u-2", { attributes: { name: "ADAline" } })
      yield* put(app, "u-3", { email: "bob@example.com", attributes: { name: "Bob Ada", plan: "pro" } })
      yield* put(app, "100%_sure", { attributes: { name: 7 } })
      yield* put(app, "long", { attributes: { name: "n".repeat(3_900) } })
      yield* put(app, "u-4", { email: "eva@exämple.com" })
      yield* put(app, "u-5", { email: "eva@example.com" })
      yield* put(other, "ada-3", {})
      const all = Effect.fnUntraced(function* (prefix: string, limit: number) {
        const found: Array<string> = []
        let after: string | null = null
        do {
          const page: Page<Contact> = yield* contacts.search(app, prefix, after, limit)
          found.push(...page.items.map(({ externalId }) => externalId))
          after = page.next
        } while (after !== null)
        return found
      })
      for (const limit of [1, 2, 3, 100]) {
        expect(yield* all("aDa", limit)).toEqual(["ada-1", "Ada-2", "u-1", "u-2"])
      }
      expect(yield* all("ada@", 10)).toEqual(["Ada-2"])
      for (const limit of [1, 10]) {
        expect([yield* all("eva@", limit), yield* all("eva@ex", limit)]).toEqual([
          ["u-5", "u-4"],
          ["u-5", "u-4"]
        ])
        for (const prefix of ["eva@exä", "EVA@EXÄMPLE.c", "eva@xn--exm"])
          expect(yield* all(prefix, limit)).toEqual(["u-4"])
      }
      expect(yield* all("ada l", 10)).toEqual(["Ada-2"])
      expect(yield* all("lovelace", 10)).toEqual([])
      // What a pattern would take for anything is itself.
      expect(yield* all("100%", 10)).toEqual(["100%_sure"])
      expect([yield* all("%", 10), yield* all("_", 10), yield* all("10__", 10)]).toEqual([[], [], []])
      expect(yield* all("7", 10)).toEqual(["100%_sure"])
      expect(yield* all("nnn", 10)).toEqual(["long"])
      expect(yield* contacts.search(app, "ada", uuidv7(), 10)).toEqual({ items: [], next: null })
    })
  )

  it.effect("finds people by how long names begin, past what the index has of a name", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      // As many characters, and twice as many UTF-16 units.
      for (const [start, letter] of [
        ["a", "N"],
        ["b", "\u{1d4d0}"]
      ] as const) {
        const hundred = start + letter.repeat(99)
        for (const end of ["-one", "-two", "-twofold", "-Two"]) {
          yield* put(app, `${start}-${end}`, { attributes: { name: hundred + end } })
        }
        yield* put(app, `${start}-short`, { attributes: { name: hundred } })
        const all = Effect.fnUntraced(function* (prefix: string) {
          const found: Array<string> = []
          let after: string | null = null
          do {
            const page: Page<Contact> = yield* contacts.search(app, prefix, after, 1)
            found.push(...page.items.map(({ externalId }) => externalId.slice(2)))
            after = page.next
          } while (after !== null)
          return found
        })
        expect(yield* all(hundred)).toEqual(["-one", "-two", "-twofold", "-Two", "short"])
        expect(yield* all(`${hundred}-t`)).toEqual(["-two", "-twofold", "-Two"])
        expect(yield* all(`${hundred.toUpperCase()}-TWO`)).toEqual(["-two", "-twofold", "-Two"])
        expect(yield* all(`${hundred}-twofold`)).toEqual(["-twofold"])
        expect(yield* all(`${hundred}-three`)).toEqual([])
      }
    })
  )

  it.effect("keeps one contact for each external id of an application, through concurrent writes", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const names = Array.from({ length: 20 }, (_, i) => `u${i}`)
      const lines = names.map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
      const answers = yield* Effect.all(
        [lines, lines.toReversed(), lines].map((own) => contacts.upsert(app, own)),
        { concurrency: "unbounded" }
      )
      expect(answers.flat().filter(({ created }) => created)).toHaveLength(20)
      expect(new Set(answers.flat().map(({ id }) => id)).size).toBe(20)
      expect((yield* contacts.list(app, {}, null, 100)).items.map(({ externalId }) => externalId).sort()).toEqual(
        names.sort()
      )
      expect((yield* contacts.list(other, {}, null, 100)).items).toEqual([])
      expect(yield* contacts.find(other, answers[0]![0]!.id)).toEqual(Option.none())
    })
  )

  it.effect("lays lines of one id over each other, in their order", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      const answers = yield* contacts.upsert(app, [
        { external_id: "a", tags: ["x", "x", 'q"\\'], locale: "de" },
        { external_id: "b" },
        { external_id: "a", attributes: { n: [1, null] }, locale: null, timezone: "Asia/Tokyo" }
      ])
      expect(answers.map(({ created }) => created)).toEqual([true, true, false])
      expect(answers[2]!.id).toBe(answers[0]!.id)
      expect(yield* get(app, answers[0]!.id)).toMatchObject({
        externalId: "a",
        tags: ["x", 'q"\\'],
        attributes: { n: [1, null] },
        locale: null,
        timezone: "Asia/Tokyo",
        email: null,
        preferences: { push: true, email: true, inbox: true }
      })
      expect(yield* contacts.update(app, uuidv7() as ContactId, { tags: [] })).toEqual(Option.none())
    })
  )

  it.effect("finds, changes and removes by the external id what the id does, in its own application only", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const key = { externalId: "team/42 😀" }
      const made = yield* contacts.upsert(app, [{ external_id: key.externalId, tags: ["x"] }])
      const { id } = made[0]!
      const untouched = yield* contacts.upsert(other, [{ external_id: key.externalId }])
      expect(yield* contacts.find(app, key)).toEqual(yield* contacts.find(app, id))
      const changed = Option.getOrThrow(yield* contacts.update(app, key, { locale: "de" }))
      expect(changed).toMatchObject({ id, locale: "de", tags: ["x"] })
      const preferring = Option.getOrThrow(yield* contacts.prefer(app, key, { email: false }))
      expect(preferring).toMatchObject({ id, preferences: { email: false, push: true } })
      expect(yield* contacts.update(app, { externalId: "team/43" }, { tags: [] })).toEqual(Option.none())
      expect(yield* contacts.prefer(app, { externalId: "team/43" }, { push: false })).toEqual(Option.none())
      expect(yield* contacts.remove(app, key)).toBe(true)
      expect(yield* contacts.remove(app, key)).toBe(false)
      expect(yield* contacts.find(app, key)).toEqual(Option.none())
      expect(yield* get(other, untouched[0]!.id)).toMatchObject({ locale: null, preferences: { email: true } })
    })
  )

  it.effect("keeps the e-mail channel in step with the address", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      const id = yield* put(app, "u", { email: "First@example.com" })
      expect(yield* channelsOf(app)).toEqual([["First@example.com", id, "active"]])
      yield* put(app, "u", { tags: ["later"] })
      expect((yield* get(app, id)).email).toBe("First@example.com")
      yield* put(app, "u", { email: "first@EXAMPLE.com" })
      expect(yield* channelsOf(app)).toEqual([["first@EXAMPLE.com", id, "active"]])
      const changed = yield* contacts.update(app, id, { email: "second@example.com" })
      expect(Option.getOrThrow(changed).email).toBe("second@example.com")
      expect(yield* channelsOf(app)).toEqual([["second@example.com", id, "active"]])
      yield* contacts.update(app, id, { email: null })
      expect((yield* get(app, id)).email).toBeNull()
      expect(yield* channelsOf(app)).toEqual([])
    })
  )

  it.effect("moves an address to the contact that claims it last, also when two swap theirs", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      const a = yield* put(app, "a", { email: "a@example.com" })
      const b = yield* put(app, "b", { email: "b@example.com" })
      yield* contacts.upsert(app, [
        { external_id: "a", email: "b@example.com" },
        { external_id: "b", email: "a@example.com" }
      ])
      expect([(yield* get(app, a)).email, (yield* get(app, b)).email]).toEqual(["b@example.com", "a@example.com"])
      yield* put(app, "a", { email: "a@example.com" })
      expect([(yield* get(app, a)).email, (yield* get(app, b)).email]).toEqual(["a@example.com", null])
      expect(yield* channelsOf(app)).toEqual([["a@example.com", a, "active"]])
    })
  )

  it.effect("shows the address of a channel that was made for the contact", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const channels = yield* ChannelStore
      const app = yield* newApp
      const [channel] = yield* channels.upsert(app, [{ kind: "email", address: "u@example.com", user_id: "u" }])
      const [contact] = (yield* contacts.list(app, { externalId: "u" }, null, 10)).items
      expect(contact!.email).toBe("u@example.com")
      yield* channels.remove(app, channel!.id)
      expect((yield* get(app, contact!.id)).email).toBeNull()
    })
  )

  it.effect("remembers that an address refuses mail when its contact gets another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const id = yield* put(app, "u", { email: "bad@example.com" })
      yield* sql`UPDATE channels SET status = 'suppressed' WHERE app_id = ${app}`
      yield* put(app, "u", { email: "good@example.com" })
      expect(yield* channelsOf(app)).toEqual([
        ["bad@example.com", null, "suppressed"],
        ["good@example.com", id, "active"]
      ])
      yield* put(app, "u", { email: "bad@example.com" })
      expect(yield* channelsOf(app)).toEqual([["bad@example.com", id, "suppressed"]])
    })
  )

  it.effect("sends no e-mail to who unsubscribed, at a later address either, until they subscribe again", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      const id = yield* put(app, "u", { email: "one@example.com" })
      const { preferences } = Option.getOrThrow(yield* contacts.prefer(app, id, { email: false }))
      expect(preferences).toEqual({ push: true, email: false, inbox: true })
      expect(yield* mailTo(app, { all: true })).toEqual([])
      yield* put(app, "u", { email: "two@example.com" })
      expect(yield* mailTo(app, { user_ids: ["u"] })).toEqual([])
      yield* contacts.prefer(app, id, { email: true })
      expect(yield* mailTo(app, { all: true })).toEqual(["two@example.com"])
      expect(yield* contacts.prefer(yield* newApp, id, { email: false })).toEqual(Option.none())
    })
  )

  it.effect("sends no e-mail to an address that a channel adds to who unsubscribed, a new one or another's", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const channels = yield* ChannelStore
      const app = yield* newApp
      const ada = yield* put(app, "ada", {})
      yield* contacts.prefer(app, ada, { email: false })
      yield* put(app, "bob", { email: "bob@x.org" })
      yield* channels.upsert(app, [{ kind: "email", address: "free@x.org" }])
      for (const address of ["new@x.org", "bob@x.org", "free@x.org"]) {
        yield* channels.upsert(app, [{ kind: "email", address, user_id: "ada" }])
        // Said again without a person, and for another, it stays so.
        yield* channels.upsert(app, [{ kind: "email", address }])
      }
      expect(yield* channelsOf(app)).toEqual(
        ["bob@x.org", "free@x.org", "new@x.org"].map((address) => [address, ada, "unsubscribed"])
      )
      expect(yield* mailTo(app, { user_ids: ["ada"] })).toEqual([])
    })
  )

  it.effect("gives addresses to contacts that one call names several times as if each came by itself", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const sequences = [
        ["2:m", "1:m", "1"],
        ["1", "2:m", "1:m"],
        ["2:m", "1", "1:m"],
        ["2", "2:m", "1:m"],
        ["1:n", "2:m", "1:m"],
        ["1:m", "2:m", "1:m"],
        ["1:m", "2:m", "2:-"],
        ["1:m", "1:n", "2:m"],
        ["1:-", "1:m", "2:n", "2:m"],
        ["3:m", "1:m", "1:-", "2:n", "1:n"],
        ["2:m", "2:-"],
        ["1:m", "2:m", "1:n", "2:n", "1:m"]
      ]
      const lineOf = (text: string): UpsertContact => {
        const [external_id, key] = text.split(":")
        if (key === undefined) return { external_id: external_id! }
        return { external_id: external_id!, email: key === "-" ? null : `${key}@x.org` }
      }
      const shown = Effect.fnUntraced(function* (app: AppId) {
        const { items } = yield* contacts.list(app, {}, null, 100)
        const names = new Map<string | null, string>(items.map(({ externalId, id }) => [id, externalId]))
        return {
          people: items.map(({ email, externalId }) => [externalId, email]).sort(),
          channels: (yield* channelsOf(app)).map(([address, id, status]) => [address, names.get(id!) ?? null, status])
        }
      })
      for (const sequence of sequences) {
        const lines = sequence.map(lineOf)
        const [apart, together] = [yield* newApp, yield* newApp]
        for (const app of [apart, together]) yield* contacts.upsert(app, [{ external_id: "3", email: "m@x.org" }])
        for (const line of lines) yield* contacts.upsert(apart, [line])
        yield* contacts.upsert(together, lines)
        expect([sequence, yield* shown(together)]).toEqual([sequence, yield* shown(apart)])
      }
    })
  )

  it.effect("pushes nothing to devices of who unsubscribed from push", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const devices = yield* DeviceStore
      const audiences = yield* AudienceStore
      const [app, other] = [yield* newApp, yield* newApp]
      const lines = [android("t1", { user_id: "u" }), android("t2", { user_id: "v" }), android("t3")]
      const own = (yield* devices.register(app, lines)).map(({ id }) => id)
      const foreign = (yield* devices.register(other, lines)).map(({ id }) => id)
      const id = yield* put(app, "u", {})
      yield* contacts.prefer(app, id, { push: false })
      const reached = Effect.fnUntraced(function* (appId: AppId, ids: ReadonlyArray<string>) {
        return (yield* audiences.targets(appId, "fcm", ids)).map(({ address }) => address).sort()
      })
      expect(yield* reached(app, own)).toEqual(["t2", "t3"])
      expect(yield* reached(other, foreign)).toEqual(["t1", "t2", "t3"])
      yield* contacts.prefer(app, id, { push: true })
      expect(yield* reached(app, own)).toEqual(["t1", "t2", "t3"])
    })
  )

  it.effect("adds and removes tags at once, keeps their order, and leaves full ones alone", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const id = yield* put(app, "u", { tags: ["a", "b"] })
      yield* put(other, "u", { tags: ["a"] })
      const full = Array.from({ length: 100 }, (_, i) => `n${i}`)
      yield* put(app, "full", { tags: full })
      const answers = yield* contacts.tag(app, ["full", "u", "nobody"], { add: ["c", "a"], remove: ["b"] })
      expect(new Map(answers.map(({ externalId, fits }) => [externalId, fits]))).toEqual(
        new Map([
          ["u", true],
          ["full", false]
        ])
      )
      expect(Option.getOrThrow(yield* contacts.find(app, id)).tags).toEqual(["a", "c"])
      // Many at once, and none of them lost.
      yield* Effect.all(
        full.slice(0, 40).map((tag) => contacts.tag(app, ["u"], { add: [tag] })),
        { concurrency: "unbounded" }
      )
      expect(Option.getOrThrow(yield* contacts.find(app, id)).tags).toHaveLength(42)
      expect((yield* contacts.list(other, { externalId: "u" }, null, 1)).items[0]!.tags).toEqual(["a"])
    })
  )

  it.effect("writes many calls at once as if one after another, of several applications", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const apps = [yield* newApp, yield* newApp]
      const made = yield* Effect.all(
        Array.from({ length: 120 }, (_, i) =>
          contacts.upsert(apps[i % 2]!, [{ external_id: `u${i % 20}`, email: `u${i % 20}@example.com` }])
        ),
        { concurrency: "unbounded" }
      )
      const created = made.flat().filter((answer) => answer.created)
      expect(created).toHaveLength(20)
      for (const [i, app] of apps.entries()) {
        const { items } = yield* contacts.list(app, {}, null, 50)
        expect(items.map(({ externalId }) => externalId).toSorted()).toEqual(
          Array.from({ length: 10 }, (_, n) => `u${n * 2 + i}`).toSorted()
        )
        const ids = new Map(items.map(({ externalId, id }) => [externalId, id]))
        made.forEach(([answer], n) => {
          if (n % 2 === i) expect(answer!.id).toBe(ids.get(`u${n % 20}`))
        })
      }
    })
  )

  it.effect("makes tags and time zones of contacts an audience for e-mail", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      yield* contacts.upsert(
        app,
        ["a", "b", "c", "d", "e"].map((name, i) => ({
          external_id: name,
          email: `${name}@example.com`,
          tags: i < 3 ? ["news", `n${i}`] : ["other"],
          timezone: i % 2 === 0 ? "Europe/Berlin" : "Asia/Tokyo"
        }))
      )
      yield* put(yield* newApp, "x", { email: "x@example.com", tags: ["news"], timezone: "Europe/Berlin" })
      const mail = (...names: ReadonlyArray<string>) => names.map((name) => `${name}@example.com`)
      expect(yield* mailTo(app, { tags_any: ["news"] })).toEqual(mail("a", "b", "c"))
      expect(yield* mailTo(app, { tags_all: ["news", "n1"] })).toEqual(mail("b"))
      expect(yield* mailTo(app, { timezone: "Europe/Berlin" })).toEqual(mail("a", "c", "e"))
      expect(yield* mailTo(app, { tags_any: ["news"], timezone: "Asia/Tokyo" })).toEqual(mail("b"))
      expect(yield* mailTo(app, { tags_any: ["news"], platforms: ["ios"] })).toEqual([])
      expect(yield* mailTo(app, { tags_any: ["nobody"] })).toEqual([])
    })
  )

  it.effect("removes a person with their devices and channels, and nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const contacts = yield* ContactStore
      const devices = yield* DeviceStore
      const [app, other] = [yield* newApp, yield* newApp]
      const id = yield* put(app, "u", { email: "u@example.com" })
      yield* put(app, "v", { email: "v@example.com" })
      yield* put(other, "u", { email: "u@example.com" })
      const lines = [android("t1", { user_id: "u" }), android("t2", { user_id: "u" }), android("t3", { user_id: "v" })]
      yield* devices.register(app, lines)
      yield* devices.register(other, lines)
      expect(yield* contacts.remove(other, id)).toBe(false)
      expect(yield* contacts.remove(app, id)).toBe(true)
      expect(yield* contacts.remove(app, id)).toBe(false)
      const left = yield* sql<{ token: string }>`SELECT token FROM devices WHERE app_id = ${app}`
      expect(left.map(({ token }) => token)).toEqual(["t3"])
      expect((yield* channelsOf(app)).map(([address]) => address)).toEqual(["v@example.com"])
      expect((yield* channelsOf(other)).length).toBe(1)
      expect((yield* devices.list(other, {}, null, 10)).items).toHaveLength(3)
    })
  )

  it.effect("finds many at once, by either of their ids, of their own application", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [ann, bob] = [yield* put(app, "ann", { email: "ann@example.com" }), yield* put(app, "bob", {})]
      const foreign = yield* put(other, "ann", {})
      const found = yield* contacts.findMany(app, [ann, foreign, { externalId: "bob" }, { externalId: "ann" }, bob])
      expect(found.map(({ email, id }) => [id, email]).sort()).toEqual(
        [
          [ann, "ann@example.com"],
          [bob, null]
        ].sort()
      )
      expect(yield* contacts.findMany(app, [])).toEqual([])
      expect(yield* contacts.findMany(app, [{ externalId: "nobody" }])).toEqual([])
    })
  )
})
