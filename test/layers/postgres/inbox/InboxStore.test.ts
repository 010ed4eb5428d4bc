import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import * as InboxStores from "../../../../layers/postgres/inbox/InboxStore.ts"
import type { AppId, InboxMessageId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { InboxStore } from "../../../../services/ports/inbox/InboxStore.ts"
import { testDatabase } from "../../../Database.ts"
import { newApp } from "../Stores.ts"

const stores = Layer.mergeAll(ContactStores.layer, InboxStores.layer).pipe(Layer.provideMerge(testDatabase()))

const titles = Effect.fnUntraced(function* (app: AppId, user: string) {
  const inbox = yield* InboxStore
  return (yield* inbox.list(app, user, null, 100)).items.map(({ title }) => title)
})

layer(stores)("InboxStore", (it) => {
  it.effect("ends a page of long messages after two megabytes, and goes on with the next", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      for (let i = 0; i < 25; i++) yield* inbox.post(app, { user_ids: ["a"], body: "ä".repeat(50_000) })
      const first = yield* inbox.list(app, "a", null, 100)
      const rest = yield* inbox.list(app, "a", first.next, 100)
      expect([first.items.length, rest.items.length, rest.next]).toEqual([21, 4, null])
    })
  )

  it.effect("keeps a message for each person, once, as it was written", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      const message = { title: "Grüße 😀", body: "…", url: "https://example.com/", data: { n: [1, null, "\u0001"] } }
      expect(yield* inbox.post(app, { user_ids: ["b", "a", "b"], ...message })).toBe(2)
      const { items, next } = yield* inbox.list(app, "a", null, 10)
      expect(items).toMatchObject([{ ...message, readAt: null }])
      expect(next).toBeNull()
      expect(yield* inbox.post(app, { user_ids: ["a"], body: "only" })).toBe(1)
      expect(new Set(yield* titles(app, "a"))).toEqual(new Set([null, "Grüße 😀"]))
      expect(yield* titles(app, "b")).toEqual(["Grüße 😀"])
    })
  )

  it.effect("pages from the newest to the oldest, while new ones come", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      for (let i = 0; i < 7; i++) yield* inbox.post(app, { user_ids: ["u"], title: `m${i}` })
      const all = (yield* inbox.list(app, "u", null, 100)).items.map(({ id }) => id)
      // Within a millisecond the order is any, and stays.
      expect(all).toEqual(all.toSorted().toReversed())
      const seen: Array<string> = []
      let before: string | null = null
      do {
        const page: { items: ReadonlyArray<{ id: string }>; next: string | null } = yield* inbox.list(
          app,
          "u",
          before,
          3
        )
        seen.push(...page.items.map(({ id }) => id))
        before = page.next
        yield* inbox.post(app, { user_ids: ["u"], title: "new" })
      } while (before !== null)
      expect(seen).toEqual(all)
    })
  )

  it.effect("never lets the unread count drift from the messages, whatever happens at once", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      for (let i = 0; i < 20; i++) yield* inbox.post(app, { user_ids: ["u"], title: `m${i}` })
      const { items } = yield* inbox.list(app, "u", null, 100)
      const all = yield* Effect.all(
        [
          inbox.readAll(app, "u"),
          ...items.flatMap(({ id }) => [inbox.read(app, "u", id), inbox.read(app, "u", id)]),
          ...items.map(() => inbox.post(app, { user_ids: ["u"], title: "later" })),
          inbox.readAll(app, "u")
        ],
        { concurrency: "unbounded" }
      )
      expect(all).toHaveLength(62)
      const unread = (yield* inbox.list(app, "u", null, 100)).items.filter(({ readAt }) => readAt === null)
      expect(yield* inbox.unread(app, "u")).toBe(unread.length)
      expect(yield* inbox.readAll(app, "u")).toBe(unread.length)
      expect(yield* inbox.unread(app, "u")).toBe(0)
      expect(yield* titles(app, "u")).toHaveLength(40)
    })
  )

  it.effect("keeps the moment of the first reading", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      yield* inbox.post(app, { user_ids: ["u"], title: "m" })
      const { id } = (yield* inbox.list(app, "u", null, 1)).items[0]!
      const first = yield* inbox.read(app, "u", id)
      expect(Option.getOrThrow(first).readAt).not.toBeNull()
      expect(yield* inbox.read(app, "u", id)).toEqual(first)
      expect(yield* inbox.readAll(app, "u")).toBe(0)
    })
  )

  it.effect("tells a reader of as much as one answer may hold, and that there is more", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const app = yield* newApp
      yield* inbox.post(app, { user_ids: ["u"], title: "first" })
      const { position } = yield* inbox.since({ appId: app, userId: "u", after: null })
      // Six bytes each in JSON: as one value of an answer they would end the connection for all who use it.
      const body = "\u0001".repeat(60_000)
      yield* Effect.forEach(Array.from({ length: 60 }), () => inbox.post(app, { user_ids: ["u"], body }))
      yield* inbox.post(app, { user_ids: ["u"], title: "last" })
      const news = yield* inbox.since({ appId: app, userId: "u", after: position })
      expect(news).toMatchObject({ unread: 62, isCut: true })
      expect(news.messages.at(-1)!.title).toBe("last")
      expect(news.messages.length).toBeGreaterThan(10)
      expect(news.messages.length).toBeLessThan(20)
      const few = yield* inbox.since({ appId: app, userId: "u", after: news.position })
      expect(few).toMatchObject({ messages: [], isCut: false })
    })
  )

  it.effect("reads a few megabytes at once, however many ask, and tells each of them all", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const [app, other] = [yield* newApp, yield* newApp]
      const { position } = yield* inbox.since({ appId: app, userId: "nobody", after: null })
      const users = Array.from({ length: 40 }, (_, i) => `u${i}`)
      const body = "x".repeat(60_000)
      const asked = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
      for (const title of asked) yield* inbox.post(app, { user_ids: users, title, body })
      yield* inbox.post(other, { user_ids: ["ann"], title: "short" })
      const done: Array<string> = []
      // What is answered in one turn stood in memory together.
      let [together, most] = [0, 0]
      const ask = (appId: AppId, userId: string) =>
        Effect.map(inbox.since({ appId, userId, after: position }), (news) => {
          done.push(userId)
          if (together === 0) setImmediate(() => (together = 0))
          together += news.messages.length * body.length
          most = Math.max(most, together)
          return news
        })
      const theirs = yield* Effect.forkChild(
        Effect.all(
          users.map((user) => ask(app, user)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      const anns = yield* ask(other, "ann")
      for (const { isCut, messages, unread } of yield* Fiber.join(theirs)) {
        expect([isCut, unread, messages.map(({ title }) => title)]).toEqual([false, 10, asked])
      }
      expect(anns.messages.map(({ title }) => title)).toEqual(["short"])
      expect(most).toBeLessThan(5 << 20)
      // Who has little waits for none of them.
      expect(done.indexOf("ann")).toBeLessThan(10)
    })
  )

  it.effect("keeps users and applications apart", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const [app, other] = [yield* newApp, yield* newApp]
      yield* inbox.post(app, { user_ids: ["u"], title: "mine" })
      yield* inbox.post(other, { user_ids: ["u"], title: "theirs" })
      const { id } = (yield* inbox.list(app, "u", null, 1)).items[0]!
      expect(yield* titles(app, "u")).toEqual(["mine"])
      expect(yield* inbox.read(other, "u", id)).toEqual(Option.none())
      expect(yield* inbox.read(app, "v", id)).toEqual(Option.none())
      expect(yield* inbox.read(app, "u", uuidv7() as InboxMessageId)).toEqual(Option.none())
      expect(yield* inbox.readAll(other, "u")).toBe(1)
      expect(yield* inbox.unread(app, "u")).toBe(1)
      expect(yield* inbox.unread(app, "nobody")).toBe(0)
    })
  )

  it.effect("writes nothing to who wants no inbox, and goes with its person", () =>
    Effect.gen(function* () {
      const inbox = yield* InboxStore
      const contacts = yield* ContactStore
      const app = yield* newApp
      yield* inbox.post(app, { user_ids: ["u"], title: "before" })
      const { id } = (yield* contacts.list(app, { externalId: "u" }, null, 1)).items[0]!
      yield* contacts.prefer(app, id, { inbox: false })
      expect(yield* inbox.post(app, { user_ids: ["u", "v"], title: "after" })).toBe(1)
      expect(yield* titles(app, "u")).toEqual(["before"])
      yield* contacts.remove(app, id)
      expect(yield* titles(app, "u")).toEqual([])
    })
  )
})
