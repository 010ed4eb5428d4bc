import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { EmailChannel } from "../../../../services/domain/audience/Channel.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ChannelId } from "../../../../services/domain/Ids.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { atOnce, hotStores, newApp } from "../Stores.ts"

const email = (address: string, user_id?: string | null): EmailChannel => ({
  kind: "email",
  address,
  ...(user_id === undefined ? {} : { user_id })
})

layer(hotStores)("ChannelStore", (it) => {
  it.effect("makes one channel of an address, however its letters are written", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const app = yield* newApp
      const [first] = yield* channels.upsert(app, [email("Ann@Example.com")])
      const [again] = yield* channels.upsert(app, [email("ann@example.COM")])
      expect(first?.created).toBe(true)
      expect(again).toEqual({ id: first?.id, created: false })
      expect(Option.getOrThrow(yield* channels.find(app, first!.id))).toMatchObject({
        kind: "email",
        address: "Ann@Example.com",
        contactId: null,
        status: "active"
      })
    })
  )

  it.effect(
    "makes one channel of an address, however its domain is written, and unsubscribes all of its spellings",
    () =>
      Effect.gen(function* () {
        const channels = yield* ChannelStore
        const contacts = yield* ContactStore
        const app = yield* newApp
        const groups = [
          ["ada@exämple.com", "ada@xn--exmple-cua.com", "Ada@EXÄMPLE.com", "ada@ｅxämple。com"],
          ["user@example.com", "user@ｅxample.com", "user@example。com"]
        ]
        for (const spellings of groups) {
          const together = yield* channels.upsert(
            app,
            spellings.map((address) => email(address))
          )
          const id = together[0]!.id
          for (const address of spellings) {
            expect(yield* channels.upsert(app, [email(address)])).toEqual([{ id, created: false }])
            const listed = yield* channels.list(app, { address }, null, 10)
            expect(listed.items.map((one) => one.id)).toEqual([id])
          }
          yield* channels.subscribe(app, id, false)
          // A contact that is given another spelling finds the channel as it is.
          yield* contacts.upsert(app, [{ external_id: spellings[0]!, email: spellings[1]! }])
          const { items } = yield* channels.list(app, { address: spellings[0]! }, null, 10)
          expect(items).toMatchObject([{ id, address: spellings[1], status: "unsubscribed" }])
        }
        expect((yield* channels.list(app, {}, null, 10)).items).toHaveLength(2)
      })
  )

  it.effect("answers in the order of the lines when addresses repeat", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const app = yield* newApp
      const answers = yield* channels.upsert(app, [email("z@x.org"), email("a@x.org"), email("Z@x.org")])
      expect(answers.map(({ created }) => created)).toEqual([true, true, false])
      expect(answers[2]?.id).toBe(answers[0]?.id)
      expect(answers[1]?.id).not.toBe(answers[0]?.id)
    })
  )

  it.effect("gives the channels of one user one contact, and takes it away only when told to", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const app = yield* newApp
      const contactOf = Effect.fnUntraced(function* (line: EmailChannel) {
        const [answer] = yield* channels.upsert(app, [line])
        return Option.getOrThrow(yield* channels.find(app, answer!.id)).contactId
      })
      const ann = yield* contactOf(email("ann@x.org", "ann"))
      expect(ann).not.toBeNull()
      expect(yield* contactOf(email("ann@work.org", "ann"))).toBe(ann)
      expect(yield* contactOf(email("ann@x.org"))).toBe(ann)
      const bob = yield* contactOf(email("ann@x.org", "bob"))
      expect(bob).not.toBe(ann)
      expect(yield* contactOf(email("ann@x.org", null))).toBeNull()
    })
  )

  it.effect("leaves the address of someone who unsubscribed alone", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [first] = yield* channels.upsert(app, [email("ann@x.org")])
      yield* sql`UPDATE channels SET status = 'unsubscribed' WHERE app_id = ${app}`
      yield* channels.upsert(app, [email("ann@x.org", "ann")])
      expect(Option.getOrThrow(yield* channels.find(app, first!.id)).status).toBe("unsubscribed")
    })
  )

  it.effect("makes each channel and contact once when calls cross", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const lines = Array.from({ length: 100 }, (_, i) => email(`user${i}@x.org`, `user${i % 10}`))
      const rounds = yield* atOnce(
        [lines, lines.toReversed(), lines, lines.toReversed()].map((order) =>
          Effect.flatMap(ChannelStore, (channels) => channels.upsert(app, order))
        )
      )
      expect(rounds.flat().filter(({ created }) => created)).toHaveLength(100)
      const [contacts] = yield* sql`SELECT count(*)::integer AS count FROM contacts WHERE app_id = ${app}`
      expect(contacts).toEqual({ count: 10 })
    })
  )

  it.effect("lists in pages, removes, and tells its channels among ids, for its own application only", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const [app, other] = [yield* newApp, yield* newApp]
      const made = yield* channels.upsert(
        app,
        Array.from({ length: 5 }, (_, i) => email(`user${i}@x.org`))
      )
      const first = yield* channels.list(app, {}, null, 3)
      expect(first.items).toHaveLength(3)
      const second = yield* channels.list(app, {}, first.next, 3)
      expect(second.next).toBeNull()
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted())

      const { id } = made[0]!
      expect((yield* channels.list(other, {}, null, 3)).items).toEqual([])
      expect(yield* channels.find(other, id)).toEqual(Option.none())
      expect(yield* channels.remove(other, id)).toBe(false)
      const stranger = uuidv7()
      expect(yield* channels.among(app, [id, stranger, "x", id])).toEqual([{ id, kind: "email", active: true }])
      expect(yield* channels.among(other, [id])).toEqual([])
      expect(yield* channels.remove(app, id)).toBe(true)
      expect(yield* channels.remove(app, id)).toBe(false)
    })
  )

  it.effect("unsubscribes and subscribes again, and the contact's preference follows its last address", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const contacts = yield* ContactStore
      const [app, other] = [yield* newApp, yield* newApp]
      const [one, two, alone] = yield* channels.upsert(app, [
        { kind: "email", address: "one@x.org", user_id: "u" },
        { kind: "email", address: "two@x.org", user_id: "u" },
        { kind: "email", address: "alone@x.org" }
      ])
      const wantsEmail = Effect.map(
        contacts.list(app, { externalId: "u" }, null, 1),
        ({ items }) => items[0]!.preferences.email
      )
      const statusOf = (id: ChannelId, isWanted: boolean, of = app) =>
        Effect.map(channels.subscribe(of, id, isWanted), (channel) => Option.getOrUndefined(channel)?.status)
      expect(yield* statusOf(one!.id, false, other)).toBeUndefined()
      expect(yield* statusOf(one!.id, false)).toBe("unsubscribed")
      expect(yield* wantsEmail).toBe(true)
      expect(yield* Effect.all([statusOf(two!.id, false), statusOf(two!.id, false)], { concurrency: 2 })).toEqual([
        "unsubscribed",
        "unsubscribed"
      ])
      expect(yield* wantsEmail).toBe(false)
      expect(yield* statusOf(one!.id, true)).toBe("active")
      expect(yield* wantsEmail).toBe(true)
      expect(yield* statusOf(alone!.id, false)).toBe("unsubscribed")
      const { id: inbox } = yield* channels.ensureInbox(app, "u")
      expect(yield* statusOf(inbox, false)).toBeUndefined()
    })
  )

  it.effect("finds the first channels of many contacts at once, each of its own application", () =>
    Effect.gen(function* () {
      const channels = yield* ChannelStore
      const [app, other] = [yield* newApp, yield* newApp]
      const of = (user_id: string, count: number) =>
        Array.from({ length: count }, (_, i) => ({
          kind: "email" as const,
          address: `${user_id}-${i}@example.com`,
          user_id
        }))
      const made = yield* channels.upsert(app, [...of("ann", 3), ...of("bob", 1)])
      const contactOf = (id: (typeof made)[number]["id"]) =>
        Effect.map(channels.find(app, id), (channel) => Option.getOrThrow(channel).contactId!)
      const [ann, bob] = [yield* contactOf(made[0]!.id), yield* contactOf(made[3]!.id)]
      // Ids of one millisecond are in an order of their own.
      const firstTwo = made
        .slice(0, 3)
        .map(({ id }) => id)
        .sort()
        .slice(0, 2)
      const found = yield* channels.ofContacts(app, [ann, bob, ann], 2)
      expect(found.get(ann)!.map(({ id }) => id)).toEqual(firstTwo)
      expect(found.get(bob)!.map(({ address }) => address)).toEqual(["bob-0@example.com"])
      expect((yield* channels.ofContacts(other, [ann, bob], 2)).size).toBe(0)
    })
  )
})
