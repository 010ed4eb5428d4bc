import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as BatchStores from "../../../../layers/postgres/sending/BatchStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import type { ClaimedBatch, ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { StoreError } from "../../../../services/ports/StoreError.ts"
import { TestDatabase } from "../../../Database.ts"
import { accountOf, atOnce, chunkOf } from "../Stores.ts"
import { accept, android, devicesOf, LEASE, newSender, stores } from "./Leased.ts"

const OPEN = { accepted: 1, pending: 1, sent: 0, failed: 0, skipped: 0, cancelled: 0 }
const SENT = { ...OPEN, pending: 0, sent: 1 }

/** A message to a device, leased as it was accepted. */
const direct = Effect.gen(function* () {
  const app = yield* newSender
  const [device] = yield* devicesOf(app, [android()])
  const { accepted, batch, id } = yield* accept(app, device!)
  const claimed = accepted!.claimed!.batch
  return { app, batch, claimed, device: device!, id, lane: { appId: app, provider: "fcm", priority: "bulk" } as const }
})

const rowsOf = (app: AppId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly id: string; readonly fence: number; readonly done: boolean }>`
      SELECT id, fence, done FROM batches WHERE app_id = ${app} ORDER BY done DESC`
  )

const sentOf = (claimed: ClaimedBatch): ResultChunk => chunkOf(claimed, claimed.recipients)

const endedOf = (claimed: ClaimedBatch, status: "failed" | "skipped"): ResultChunk => ({
  ...sentOf(claimed),
  final: { recipients: claimed.recipients, statuses: [status], messageIds: [null], errors: ["refused"] }
})

const retryOf = (claimed: ClaimedBatch): ResultChunk => ({
  ...sentOf(claimed),
  final: { recipients: [], statuses: [], messageIds: [], errors: [] },
  retries: [
    { id: uuidv7() as never, recipients: claimed.recipients, delayMs: 0, attempts: 1, suspended: false, slowed: false }
  ]
})

/** Entries of the index of direct batches that this connection, and others that told of it, have read so far. */
const entriesRead = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`SELECT pg_stat_force_next_flush()`,
    Effect.map(
      sql<{ readonly read: number }>`
        SELECT idx_tup_read::float8 AS read FROM pg_stat_user_indexes WHERE indexrelname = 'notifications_direct'`,
      ([row]) => row!.read
    )
  )
)

layer(stores, { excludeTestServices: true })("a direct batch", (it) => {
  it.effect("stands in its notification's row until it is sent, and in its totals all the same", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, claimed, id } = yield* direct
      expect(yield* rowsOf(app)).toEqual([])
      expect(yield* accountOf(app, id)).toEqual(OPEN)
      expect(yield* store.finishSent([sentOf(claimed)])).toEqual([{ webhooks: [], isCompleted: true }])
      expect(yield* rowsOf(app)).toEqual([])
      expect(yield* accountOf(app, id)).toEqual(SENT)
      expect(Option.getOrThrow(yield* notifications.find(app, id)).status).toBe("completed")
      // Its answer was lost, and it is written once more, whichever way.
      expect(yield* store.finishSent([sentOf(claimed)])).toEqual([null])
      expect(yield* store.finish(sentOf(claimed))).toEqual(Option.some([]))
      expect(yield* store.extend(claimed.id, 1, LEASE)).toBe(false)
      expect(yield* accountOf(app, id)).toEqual(SENT)
    })
  )

  it.effect("gets a row of its own when it fails, is skipped, or goes again", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      for (const [chunk, expected] of [
        [endedOf, { ...OPEN, pending: 0, failed: 1 }],
        [(one: ClaimedBatch) => endedOf(one, "skipped"), { ...OPEN, pending: 0, skipped: 1 }],
        [retryOf, OPEN],
        [sentOf, SENT]
      ] as const) {
        const { app, batch, claimed, id } = yield* direct
        expect(Option.isSome(yield* store.finish(chunk(claimed, "failed")))).toBe(true)
        expect(yield* accountOf(app, id)).toEqual(expected)
        expect((yield* rowsOf(app))[0]).toEqual({ id: batch, fence: 1, done: true })
      }
    })
  )

  it.effect("is prolonged where it stands, for its holder alone", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const { app, claimed, id } = yield* direct
      expect(yield* store.extend(claimed.id, 2, LEASE)).toBe(false)
      expect(yield* store.extend(claimed.id, 1, 10 * LEASE)).toBe(true)
      const [row] = yield* sql`SELECT direct_until > now() + ${LEASE} * interval '2 ms' AS lasts FROM notifications
        WHERE id = ${id}`
      expect(row).toEqual({ lasts: true })
      expect(yield* rowsOf(app)).toEqual([])
    })
  )

  it.effect("is prolonged with many others in one statement, which waits for nobody who writes one of them", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const sql = yield* SqlClient.SqlClient
      const held = yield* Effect.all(Array.from({ length: 5 }, () => direct))
      const lost = { ...(yield* direct).claimed, fence: 2 }
      const ended = (yield* direct).claimed
      yield* store.finishSent([sentOf(ended)])
      // In a row of its own since it was given back.
      const { claimed: returned, lane } = yield* direct
      yield* store.release(returned.id, 1, 0, false)
      const [again] = yield* store.claim(lane, 1, LEASE)
      const [first, ...others] = held.map(({ claimed }) => claimed)
      const asked = [first!, lost, ended, ...others, again!]
      const kept = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT FROM notifications WHERE id = ${held[0]!.id} FOR UPDATE`
          // By another connection than the one that holds the lock.
          return yield* Effect.promise(() => Effect.runPromise(store.extendAll(asked, 10 * LEASE)))
        })
      )
      expect(kept).toEqual(new Set([...others, again!].map(({ id }) => id)))
      const ids = held.slice(1).map(({ id }) => id)
      const rows = yield* sql`SELECT direct_until > now() + ${LEASE} * interval '2 ms' AS lasts FROM notifications
        WHERE id IN ${sql.in(ids)}`
      expect(rows).toEqual(ids.map(() => ({ lasts: true })))
      expect(yield* store.extendAll(asked, LEASE)).toEqual(new Set([first!, ...others, again!].map(({ id }) => id)))
    })
  )

  it.effect(
    "comes due to others when its lease ends, and what its holder knew no longer counts once they have it",
    () =>
      Effect.gen(function* () {
        const store = yield* BatchStore
        const sql = yield* SqlClient.SqlClient
        const { app, batch, claimed, id, lane } = yield* direct
        expect((yield* store.forgotten(0)).lanes).not.toContainEqual(lane)
        yield* sql`UPDATE notifications SET direct_until = now() - interval '1 ms' WHERE id = ${id}`
        yield* store.forgotten(0)
        expect(yield* rowsOf(app)).toEqual([{ id: batch, fence: 1, done: false }])
        // Still its holder's, until somebody takes it.
        expect(yield* store.extend(claimed.id, 1, LEASE)).toBe(true)
        yield* store.release(claimed.id, 1, 0, false)
        const [again] = yield* store.claim(lane, 1, LEASE)
        expect(again).toMatchObject({ id: batch, fence: 2 })
        expect(yield* store.finishSent([sentOf(claimed)])).toEqual([null])
        expect(yield* store.finish(sentOf(claimed))).toEqual(Option.none())
        expect(yield* accountOf(app, id)).toEqual(OPEN)
        yield* store.finish(sentOf(again!))
        expect(yield* accountOf(app, id)).toEqual(SENT)
      })
  )

  it.effect("that has ended is passed by once by those who look for leases that are over, and not each time", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      const { url } = yield* TestDatabase
      // One connection, so that what it has read can be asked for.
      const own = BatchStores.layer.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
      yield* Effect.gen(function* () {
        const store = yield* BatchStore
        const sql = yield* SqlClient.SqlClient
        // As long as nobody vacuums the table.
        yield* sql`ALTER TABLE notifications SET (autovacuum_enabled = false)`
        yield* sql`INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, planned,
            direct_batch, direct_provider, direct_recipient, direct_holder, direct_until)
          SELECT gen_random_uuid(), ${app}, 'sending', 'bulk', '{}', now(), true, 1, gen_random_uuid(), 'fcm',
            gen_random_uuid(), 1, now() + interval '1 hour' FROM generate_series(1, 3000)`
        const [ended] = yield* sql<{ readonly by: string }>`WITH ended AS (
            UPDATE notifications SET status = 'completed', completed_at = now(), direct_recipient = NULL,
              direct_holder = NULL, direct_until = NULL WHERE app_id = ${app})
          SELECT pg_current_xact_id()::text AS by`
        const looked = Effect.gen(function* () {
          const before = yield* entriesRead
          yield* store.forgotten(0)
          return (yield* entriesRead) - before
        })
        expect(yield* looked).toBeGreaterThan(2000)
        // Nobody marks them as dead for as long as somebody may still see them, also a transaction of another database.
        yield* sql<{ readonly seen: boolean }>`
          SELECT least(pg_snapshot_xmin(pg_current_snapshot()), (SELECT min(backend_xmin::text::xid8) FROM pg_stat_activity
            WHERE datname = current_database())) <= ${ended!.by}::xid8 AS seen`.pipe(
          Effect.repeat({ while: ([row]) => row!.seen, schedule: Schedule.spaced("20 millis") })
        )
        yield* looked
        expect(yield* looked).toBeLessThan(100)
      }).pipe(Effect.provide(Layer.fresh(own)))
    })
  )

  it.effect("keeps its notification open, whoever asks whether it is done", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, id } = yield* direct
      yield* store.completeForgotten
      expect(yield* notifications.completeIfDone(id)).toBe(false)
      expect(Option.getOrThrow(yield* notifications.find(app, id)).status).toBe("sending")
    })
  )

  it.effect("is held by a pause until it is resumed, and what was sent meanwhile counts", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, batch, claimed, id, lane } = yield* direct
      const paused = Option.getOrThrow(yield* notifications.control(app, id, "pause"))
      expect([paused.isDone, paused.lanes]).toEqual([true, ["fcm"]])
      yield* store.release(claimed.id, 1, 0, false)
      expect(yield* store.claim(lane, 1, LEASE)).toEqual([])
      yield* notifications.control(app, id, "resume")
      expect(yield* store.claim(lane, 1, LEASE)).toMatchObject([{ id: batch, fence: 2 }])

      const other = yield* direct
      yield* notifications.control(other.app, other.id, "pause")
      expect(yield* store.finishSent([sentOf(other.claimed)])).toEqual([{ webhooks: [], isCompleted: true }])
      expect(yield* accountOf(other.app, other.id)).toEqual(SENT)
    })
  )

  it.effect("that was cancelled ends with what its provider says", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const { app, claimed, id } = yield* direct
      yield* notifications.control(app, id, "cancel")
      expect(yield* accountOf(app, id)).toEqual(OPEN)
      expect(Option.isSome(yield* store.finish(sentOf(claimed)))).toBe(true)
      expect(yield* accountOf(app, id)).toEqual(SENT)
    })
  )

  it.effect(
    "counts once, and has one delivery, when it is sent, ended, paused, cancelled and lost at the same time",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* Effect.forEach(Array.from({ length: 12 }), () => direct)
        const store = BatchStore
        const notifications = NotificationStore
        for (const { app, claimed, id } of all) {
          yield* atOnce<unknown, StoreError, BatchStore | NotificationStore>([
            Effect.flatMap(store, (one) => one.finishSent([sentOf(claimed)])),
            Effect.flatMap(store, (one) => one.finish(endedOf(claimed, "failed"))),
            Effect.flatMap(notifications, (one) => one.control(app, id, "pause")),
            Effect.flatMap(notifications, (one) => one.control(app, id, "cancel")),
            Effect.flatMap(store, (one) => one.release(claimed.id, 1, 0, false))
          ])
          const account = yield* accountOf(app, id)
          expect(account.accepted).toBe(1)
          const rows = yield* sql<{
            readonly status: string
          }>`SELECT status FROM deliveries WHERE notification_id = ${id}`
          expect(rows.length).toBe(account.sent + account.failed)
          const [stats] =
            yield* sql`SELECT coalesce(sum(sent), 0)::integer AS sent, coalesce(sum(failed), 0)::integer AS failed
          FROM daily_stats WHERE app_id = ${app}`
          expect(stats).toEqual({ sent: account.sent, failed: account.failed })
        }
      })
  )
})
