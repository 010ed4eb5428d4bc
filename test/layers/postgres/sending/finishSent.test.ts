import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { TestDatabase } from "../../../Database.ts"
import { accountOf, chunkOf, eventsOf, hotStores, ids, newApp, newWebhook, onOwnNode, planned } from "../Stores.ts"

const LEASE = 60_000

const claimed = Effect.fnUntraced(function* (app: AppId, count: number) {
  const store = yield* BatchStore
  return yield* store.claim({ appId: app, provider: "fcm", priority: "bulk" }, count, LEASE)
})

/** Single messages of an application, claimed together. */
const singles = Effect.fnUntraced(function* (app: AppId, count: number) {
  for (const recipient of ids(count)) yield* planned(app, [[recipient]])
  return yield* claimed(app, count)
})

const statusOf = Effect.fnUntraced(function* (app: AppId, id: NotificationId) {
  return Option.getOrThrow(yield* (yield* NotificationStore).find(app, id)).status
})

/** Does something to a notification in a transaction that lasts until `commit`, beside what is asked of the store. */
const holding = Effect.fnUntraced(function* (
  id: NotificationId,
  change: (sql: PgClient.PgClient) => Effect.Effect<unknown, unknown>
) {
  const { url } = yield* TestDatabase
  const [held, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* Effect.forkScoped(
    Effect.flatMap(PgClient.PgClient, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT 1 FROM notifications WHERE id = ${id} FOR UPDATE`
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(commit)
          yield* change(sql)
        })
      )
    ).pipe(Effect.provide(PgClient.layerFrom(pool(url, 1))), Effect.orDie)
  )
  yield* Deferred.await(held)
  return Effect.andThen(Deferred.succeed(commit, undefined), Fiber.join(fiber))
})

/** Waits until so many statements of this database wait for somebody's lock. */
const untilBlocked = (count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  ).pipe(
    Effect.flatMap((rows) => (rows.length >= count ? Effect.void : Effect.fail("too few wait"))),
    Effect.retry({ times: 100_000 })
  )

layer(hotStores)("finishing messages that were sent, each to a device", (it) => {
  it.effect("writes results, counts and statistics, and completes each notification, in one transaction", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const batches = yield* singles(app, 3)
      const chunks = batches.map((batch) => chunkOf(batch, batch.recipients))
      const [{ xid }] = (yield* sql<{ readonly xid: string }>`SELECT pg_current_xact_id()::text AS xid`) as [
        { readonly xid: string }
      ]
      expect(yield* store.finishSent(chunks)).toEqual(batches.map(() => ({ webhooks: [], isCompleted: true })))
      for (const { notificationId, recipients } of batches) {
        expect(yield* accountOf(app, notificationId)).toMatchObject({ accepted: 1, sent: 1, pending: 0 })
        const { items } = yield* notifications.deliveries(app, notificationId, null, 10)
        expect(items).toMatchObject([
          {
            recipientId: recipients[0],
            provider: "fcm",
            status: "sent",
            attempts: 1,
            messageId: `message-${recipients[0]}`,
            error: null
          }
        ])
        const found = Option.getOrThrow(yield* notifications.find(app, notificationId))
        expect(found.status).toBe("completed")
        expect(found.completedAt).not.toBe(null)
      }
      expect(
        yield* sql`SELECT provider, sum(sent)::integer AS sent FROM daily_stats WHERE app_id = ${app}
        GROUP BY provider`
      ).toEqual([{ provider: "f", sent: 3 }])
      const writers = yield* sql<{ readonly writer: string }>`
        SELECT xmin::text AS writer FROM notifications WHERE app_id = ${app}
        UNION SELECT xmin::text FROM batches WHERE app_id = ${app}
        UNION SELECT d.xmin::text FROM deliveries d JOIN notifications n ON n.id = d.notification_id WHERE n.app_id = ${app}
        UNION SELECT xmin::text FROM daily_stats WHERE app_id = ${app}`
      expect(writers).toHaveLength(1)
      expect(Number(writers[0]!.writer)).toBeGreaterThan(Number(xid))
      // The lease is given up with it, and nothing is left to claim.
      expect(yield* claimed(app, 10)).toEqual([])
    })
  )

  it.effect("leaves a notification open of which another batch is open, or which was cancelled or reopened", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [a, b] = ids(2)
      const two = yield* planned(app, [[a!], [b!]])
      const cancelled = yield* planned(app, [ids(1)])
      const reopened = yield* planned(app, [ids(1)])
      const paused = yield* planned(app, [ids(1)])
      const batches = yield* claimed(app, 5)
      expect(batches).toHaveLength(5)
      yield* notifications.control(app, cancelled, "cancel")
      yield* notifications.control(app, paused, "pause")
      yield* sql`UPDATE notifications SET reopened = 1 WHERE id = ${reopened}`
      const [first, second] = batches.filter(({ notificationId }) => notificationId === two)
      const others = batches.filter((batch) => batch !== second && batch !== first)
      const answers = yield* store.finishSent([first!, ...others].map((batch) => chunkOf(batch, batch.recipients)))
      expect(answers.map((answer) => answer?.isCompleted)).toEqual(
        [two, ...others.map(({ notificationId }) => notificationId)].map((id) => id === paused)
      )
      expect(yield* accountOf(app, two)).toMatchObject({ accepted: 2, sent: 1, pending: 1 })
      for (const [id, status] of [
        [two, "sending"],
        [cancelled, "cancelled"],
        [paused, "completed"]
      ] as const) {
        expect(yield* statusOf(app, id)).toBe(status)
      }
      expect(yield* accountOf(app, cancelled)).toMatchObject({ sent: 1, pending: 0, cancelled: 0 })
      // Whoever is told so asks whether it is done.
      expect(yield* notifications.completeIfDone(two)).toBe(false)
      expect(yield* notifications.completeIfDone(reopened)).toBe(true)
      expect((yield* store.finishSent([chunkOf(second!, second!.recipients)]))[0]!.isCompleted).toBe(true)
      expect(yield* notifications.completeIfDone(two)).toBe(false)
    })
  )

  it.effect("completes a notification with the last of its batches, in whichever statement that is, and once", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [a, b, c, d, e, f] = ids(6)
      const together = yield* planned(app, [[a!], [b!], [c!]])
      const apart = yield* planned(app, [[d!], [e!], [f!]])
      const batches = yield* claimed(app, 6)
      const of = (recipient: string) => {
        const batch = batches.find(({ recipients }) => recipients[0] === recipient)!
        return chunkOf(batch, batch.recipients)
      }
      const completed = (recipients: ReadonlyArray<string>) =>
        Effect.map(store.finishSent(recipients.map(of)), (answers) => answers.map((answer) => answer?.isCompleted))
      expect(yield* completed([d!, a!, b!, c!])).toEqual([false, true, true, true])
      expect([yield* statusOf(app, together), yield* statusOf(app, apart)]).toEqual(["completed", "sending"])
      // One that goes again is a batch that is open.
      const again = { id: uuidv7() as BatchId, delayMs: 0, attempts: 1, suspended: false, slowed: false }
      yield* store.finish({
        ...of(e!),
        final: { recipients: [], statuses: [], messageIds: [], errors: [] },
        retries: [{ ...again, recipients: [e!] }]
      })
      expect(yield* completed([f!])).toEqual([false])
      const [last] = yield* claimed(app, 6)
      expect(last).toMatchObject({ id: again.id, recipients: [e] })
      const answers = yield* store.finishSent([chunkOf(last!, last!.recipients)])
      expect(answers).toMatchObject([{ isCompleted: true }])
      for (const id of [together, apart]) {
        expect(yield* accountOf(app, id)).toMatchObject({ accepted: 3, sent: 3, pending: 0 })
      }
      expect(yield* sql`SELECT sum(sent)::integer AS sent FROM daily_stats WHERE app_id = ${app}`).toEqual([
        { sent: 6 }
      ])
    })
  )

  it.effect("leaves it to whoever asks when two statements at a time end the last of its batches", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [a, b] = ids(2)
      const id = yield* planned(app, [[a!], [b!]])
      const [first, second] = yield* claimed(app, 2)
      const store = yield* BatchStore
      // The first is written, and not committed yet, when the second begins.
      const commit = yield* holding(id, (sql) => sql`SELECT 1`)
      const finishing = yield* Effect.forEach([first!, second!], (batch) =>
        Effect.forkChild(
          onOwnNode(Effect.flatMap(BatchStore, ({ finishSent }) => finishSent([chunkOf(batch, batch.recipients)])))
        )
      )
      yield* untilBlocked(2)
      yield* commit
      const answers = yield* Effect.forEach(finishing, (fiber) => Fiber.join(fiber))
      expect(answers.flat().map((answer) => answer?.isCompleted)).toEqual([false, false])
      expect(yield* (yield* NotificationStore).completeIfDone(id)).toBe(true)
      expect(yield* store.finishSent([chunkOf(second!, second!.recipients)])).toEqual([null])
    }).pipe(Effect.scoped)
  )

  it.effect("sees what somebody did to a notification in whose transaction it was held", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const [cancelled, replayed] = yield* singles(app, 2)
      const changes = [
        yield* holding(
          cancelled!.notificationId,
          (sql) => sql`UPDATE notifications SET status = 'cancelled' WHERE id = ${cancelled!.notificationId}`
        ),
        yield* holding(replayed!.notificationId, (sql) =>
          Effect.andThen(
            sql`UPDATE notifications SET reopened = reopened + 1, planned = planned + 1
              WHERE id = ${replayed!.notificationId}`,
            sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
              VALUES (${uuidv7()}, ${replayed!.notificationId}, ${app}, 'fcm', 'bulk', ARRAY[${uuidv7()}::uuid])`
          )
        )
      ]
      const finishing = yield* Effect.forkChild(
        onOwnNode(
          Effect.flatMap(BatchStore, ({ finishSent }) =>
            finishSent([cancelled!, replayed!].map((batch) => chunkOf(batch, batch.recipients)))
          )
        )
      )
      yield* untilBlocked(1)
      yield* Effect.all(changes, { concurrency: "unbounded" })
      expect((yield* Fiber.join(finishing)).map((answer) => answer?.isCompleted)).toEqual([false, false])
      expect(yield* statusOf(app, cancelled!.notificationId)).toBe("cancelled")
      expect(yield* statusOf(app, replayed!.notificationId)).toBe("sending")
      expect(yield* accountOf(app, replayed!.notificationId)).toMatchObject({ accepted: 2, sent: 1, pending: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("writes nothing of a batch whose lease was lost, and all of the others", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const batches = yield* singles(app, 3)
      const chunks = batches.map((batch) => chunkOf(batch, batch.recipients))
      const stale = { ...chunks[1]!, fence: 0 }
      const answers = yield* store.finishSent([chunks[0]!, stale, chunks[2]!])
      expect(answers.map((answer) => answer !== null)).toEqual([true, false, true])
      const { notificationId } = batches[1]!
      expect(yield* accountOf(app, notificationId)).toMatchObject({ accepted: 1, pending: 1, sent: 0 })
      expect((yield* notifications.deliveries(app, notificationId, null, 10)).items).toEqual([])
      expect(yield* statusOf(app, notificationId)).toBe("sending")
      // Of two of its workers the later one counts, whichever stands first.
      const both = yield* store.finishSent([chunks[1]!, stale])
      expect(both.map((answer) => answer !== null)).toEqual([true, false])
      expect(yield* accountOf(app, notificationId)).toMatchObject({ sent: 1, pending: 0 })
    })
  )

  it.effect("counts the same chunk once, given twice at once or again when its answer was lost", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [batch] = yield* singles(app, 1)
      const webhook = yield* newWebhook(app)
      const chunk = chunkOf(batch!, batch!.recipients, {
        events: [eventsOf(app, "NOTIFICATION_SENT", batch!.recipients)]
      })
      const twice = yield* store.finishSent([chunk, chunk])
      expect(twice).toEqual([twice[0], twice[0]])
      expect(twice[0]).toEqual({ webhooks: [webhook], isCompleted: true })
      // Not its worker's any more: what is written for each batch by itself finds it written.
      expect(yield* store.finishSent([chunk])).toEqual([null])
      expect(Option.isSome(yield* store.finish(chunk))).toBe(true)
      expect(yield* accountOf(app, batch!.notificationId)).toMatchObject({ accepted: 1, sent: 1 })
      expect(yield* sql`SELECT sum(sent)::integer AS sent FROM daily_stats WHERE app_id = ${app}`).toEqual([
        { sent: 1 }
      ])
      expect(yield* sql`SELECT chunk_id FROM webhook_work_items WHERE webhook_id = ${webhook}`).toEqual([
        { chunk_id: chunk.events[0]!.id }
      ])
    })
  )

  it.effect("gives work to the webhooks that subscribe, from the first message on, and completes all the same", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const [heard, deaf] = [yield* newApp, yield* newApp]
      const webhook = yield* newWebhook(heard, { events: ["NOTIFICATION_SENT"] })
      yield* newWebhook(heard, { events: ["NOTIFICATION_OPENED"] })
      // The first time nobody knows who listens; the second time it is known; then nobody does any more.
      for (const round of [1, 2, 3]) {
        if (round === 3) yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${webhook}`
        const batches = [...(yield* singles(heard, 2)), ...(yield* singles(deaf, 1))]
        const chunks = batches.map((batch) =>
          chunkOf(batch, batch.recipients, { events: [eventsOf(batch.appId, "NOTIFICATION_SENT", batch.recipients)] })
        )
        expect(yield* store.finishSent(chunks)).toEqual(
          batches.map(({ appId }) => ({
            webhooks: appId === heard && round < 3 ? [webhook] : [],
            isCompleted: true
          }))
        )
        for (const { appId, events } of chunks) {
          const work = yield* sql`SELECT webhook_id FROM webhook_work_items WHERE chunk_id = ${events[0]!.id}`
          expect(work).toEqual(appId === heard && round < 3 ? [{ webhook_id: webhook }] : [])
        }
        for (const { appId, notificationId } of batches) {
          expect(yield* statusOf(appId, notificationId)).toBe("completed")
        }
      }
    })
  )

  it.effect("writes nothing of any when the database refuses one, so that they may be tried one by one", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const batches = yield* singles(app, 3)
      const chunks = batches.map((batch) => chunkOf(batch, batch.recipients))
      const literal = sql.literal(`'message-${batches[1]!.recipients[0]}'`)
      yield* sql`ALTER TABLE deliveries ADD CONSTRAINT forbidden CHECK (message_id <> ${literal})`
      const error = yield* Effect.flip(store.finishSent(chunks))
      expect(error).toMatchObject({ _tag: "StoreError", refused: true })
      for (const { notificationId } of batches) {
        expect(yield* accountOf(app, notificationId)).toMatchObject({ sent: 0, pending: 1 })
      }
      expect((yield* store.finishSent([chunks[0]!, chunks[2]!])).every((answer) => answer?.isCompleted)).toBe(true)
      yield* sql`ALTER TABLE deliveries DROP CONSTRAINT forbidden`
    })
  )
})
