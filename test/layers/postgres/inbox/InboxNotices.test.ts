import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as Notices from "../../../../layers/postgres/inbox/InboxNotices.ts"
import * as InboxStores from "../../../../layers/postgres/inbox/InboxStore.ts"
import type { InboxMessageId } from "../../../../services/domain/Ids.ts"
import type { InboxNotice } from "../../../../services/ports/inbox/InboxNotices.ts"
import { InboxNotices } from "../../../../services/ports/inbox/InboxNotices.ts"
import { InboxStore } from "../../../../services/ports/inbox/InboxStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"
import { newApp, tokens } from "../Stores.ts"

const both = Layer.mergeAll(InboxStores.layer, Notices.layer)
const stores = both.pipe(Layer.provideMerge(testDatabase()))

/** Another process, with connections of its own. */
const onAnotherNode = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  return yield* Layer.build(
    Layer.fresh(both.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 3)).pipe(Layer.orDie))))
  )
})

layer(stores, { excludeTestServices: true })("news of inboxes", (it) => {
  it.effect("tell everything that was committed since, and nothing twice, whoever commits first", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const inbox = yield* InboxStore
      const node = yield* onAnotherNode
      yield* inbox.post(app, { user_ids: ["u"], title: "before" })
      const start = yield* inbox.since({ appId: app, userId: "u", after: null })
      expect(start).toMatchObject({ unread: 1, messages: [], isCut: false })

      const isWritten = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      // The slow one writes first, so that its message has the lower id, and commits last.
      const write = (id: string, title: string) =>
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO inbox_messages (id, app_id, contact_id, title)
            SELECT ${id}::uuid, app_id, id, ${title} FROM contacts WHERE app_id = ${app}`
        )
      const [lower, higher] = [uuidv7(), uuidv7(Date.now() + 1000)]
      const slow = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* write(lower, "slow")
            yield* Deferred.succeed(isWritten, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      }).pipe(Effect.provide(node), Effect.forkChild)
      yield* Deferred.await(isWritten)
      yield* write(higher, "quick")
      const first = yield* inbox.since({ appId: app, userId: "u", after: start.position })
      expect(first.messages.map(({ title }) => title)).toEqual(["quick"])
      expect(first.unread).toBe(2)
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(slow)
      const second = yield* inbox.since({ appId: app, userId: "u", after: first.position })
      expect(second.messages.map(({ title }) => title)).toEqual(["slow"])
      expect(yield* inbox.since({ appId: app, userId: "u", after: second.position })).toMatchObject({
        unread: 3,
        messages: [],
        isCut: false
      })
    })
  )

  it.effect("say so when it cannot be told what came, or there is more than is told", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const inbox = yield* InboxStore
      const { position } = yield* inbox.since({ appId: app, userId: "u", after: null })
      for (const after of ["", "x", "1:0:", "5:9:9", "5:9:7,6", "9".repeat(30), "999999999999:999999999999:", "0:1:"]) {
        expect(yield* inbox.since({ appId: app, userId: "u", after })).toMatchObject({ isCut: true, unread: 0 })
      }
      for (let i = 0; i < 120; i++) yield* inbox.post(app, { user_ids: ["u"], title: `m${i}` })
      const news = yield* inbox.since({ appId: app, userId: "u", after: position })
      expect(news).toMatchObject({ isCut: true, unread: 120 })
      expect(news.messages).toHaveLength(100)
    })
  )

  it.effect("reach other processes, once for each statement however many inboxes it writes to", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const inbox = yield* InboxStore
      const node = yield* onAnotherNode
      const heard = yield* Queue.unbounded<InboxNotice | null>()
      const notices = yield* InboxNotices.pipe(Effect.provide(node))
      yield* notices.listen((notice) => Queue.offerUnsafe(heard, notice))
      expect(yield* Queue.take(heard)).toBeNull()
      const keys = (users: ReadonlyArray<string>) => users.map(notices.keyOf).toSorted()
      const next = Effect.map(Queue.take(heard), (notice) => ({ ...notice!, keys: notice!.keys.toSorted() }))

      const users = tokens("Grüße", 700)
      yield* inbox.post(app, { user_ids: users, title: "all" })
      expect(yield* next).toEqual({ appId: app, keys: keys(users) })
      yield* inbox.post(other, { user_ids: ["a", "b"], title: "others" })
      expect(yield* next).toEqual({ appId: other, keys: keys(["a", "b"]) })
      const { items } = yield* inbox.list(app, users[0]!, null, 1)
      yield* inbox.read(app, users[0]!, items[0]!.id as InboxMessageId)
      expect(yield* next).toEqual({ appId: app, keys: keys([users[0]!]) })
      yield* inbox.readAll(app, users[1]!)
      expect(yield* next).toEqual({ appId: app, keys: keys([users[1]!]) })
      const many = tokens("many", 1000)
      yield* inbox.post(app, { user_ids: many, title: "more than a notice holds" })
      const parts = [yield* next, yield* next]
      expect(parts.flatMap((part) => part.keys).toSorted()).toEqual(keys(many))
    })
  )

  it.effect(
    "are listened for again after the connection was lost, and whoever hears is told that some may be missing",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        const inbox = yield* InboxStore
        const sql = yield* SqlClient.SqlClient
        const node = yield* onAnotherNode
        const heard = yield* Queue.unbounded<InboxNotice | null>()
        const notices = yield* InboxNotices.pipe(Effect.provide(node))
        yield* notices.listen((notice) => Queue.offerUnsafe(heard, notice))
        expect(yield* Queue.take(heard)).toBeNull()
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()`
        expect(yield* Queue.take(heard)).toBeNull()
        yield* inbox.post(app, { user_ids: ["u"], title: "m" })
        expect(yield* Queue.take(heard)).toEqual({ appId: app, keys: [notices.keyOf("u")] })
      })
  )
})
