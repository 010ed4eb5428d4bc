import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { UNWRITABLE, writeResults } from "../../../../services/engine/sending/Saving.ts"
import type { ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import {
  accountOf,
  chunkOf,
  endLeases,
  hotStores,
  ids,
  newApp,
  newWebhook,
  planned
} from "../../../layers/postgres/Stores.ts"

const claimed = Effect.fnUntraced(function* (app: AppId, recipients: ReadonlyArray<string>) {
  const batches = yield* BatchStore
  const notification = yield* planned(app, [recipients])
  const [batch] = yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
  return { batch: batch!, notification }
})

const stateOf = Effect.fnUntraced(function* (notification: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string; readonly status: string; readonly error: string | null }>`
    SELECT recipient_id AS id, status, error FROM deliveries WHERE notification_id = ${notification}`
  const open = yield* sql<{ readonly recipients: ReadonlyArray<string> }>`
    SELECT recipients FROM batches WHERE notification_id = ${notification} AND NOT done`
  return { rows: new Map(rows.map((row) => [row.id, row])), open: open.flatMap(({ recipients }) => recipients) }
})

/** All were sent, but the message id of one cannot be stored. */
const withBadId = (chunk: ResultChunk, bad: string): ResultChunk => ({
  ...chunk,
  final: {
    ...chunk.final,
    messageIds: chunk.final.recipients.map((id) => (id === bad ? "not\u0000storable" : `message-${id}`))
  }
})

const quietly = Effect.provide(Logger.layer([]))

layer(hotStores)("writeResults", (it) => {
  it.effect("says of a refusal that it is one, and that nothing was written", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const all = ids(12)
      const { batch, notification } = yield* claimed(app, all)
      const error = yield* Effect.flip(batches.finish(withBadId(chunkOf(batch, all), all[3]!)))
      expect(error).toMatchObject({ _tag: "StoreError", refused: true })
      expect((yield* stateOf(notification)).open).toEqual(all)
    })
  )

  it.effect("says the same of what cannot even be put into a statement", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const all = ids(2)
      const { batch } = yield* claimed(app, all)
      const dead = [{ id: all[0]!, address: "gone", reason: "gone", seenBefore: Number.NaN }]
      for (const chunk of [chunkOf({ ...batch, attempts: Number.NaN }, all), chunkOf(batch, all, { dead })]) {
        expect(yield* Effect.flip(batches.finish(chunk))).toMatchObject({ refused: true })
      }
    })
  )

  for (const count of [3, 12]) {
    it.effect(`ends a batch of ${count} in which one result is refused: it stays sent, without its id`, () =>
      Effect.gen(function* () {
        const batches = yield* BatchStore
        const app = yield* newApp
        const webhook = yield* newWebhook(app, { events: ["NOTIFICATION_SENT"] })
        const all = ids(count)
        const { batch, notification } = yield* claimed(app, all)
        const written = Option.getOrThrow(yield* writeResults(batches.finish, withBadId(chunkOf(batch, all), all[1]!)))
        expect(written.webhooks).toEqual([webhook])
        expect(written.chunks.flatMap(({ final }) => final.recipients).toSorted()).toEqual([...all].toSorted())
        expect(yield* accountOf(app, notification)).toMatchObject({ sent: count, failed: 0, pending: 0 })
        expect((yield* stateOf(notification)).open).toEqual([])
        const sql = yield* SqlClient.SqlClient
        const [told] = yield* sql<{ readonly size: number }>`
          SELECT sum(size)::integer AS size FROM event_chunks WHERE app_id = ${app}`
        expect(told!.size).toBe(count)
      }).pipe(quietly)
    )
  }

  it.effect("fails a recipient whose result cannot be written in any form, and nobody else", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const all = ids(30)
      const { batch, notification } = yield* claimed(app, all)
      const [bad, ...good] = all
      // No interval is as long as that.
      const retries = [
        { id: uuidv7() as BatchId, recipients: [bad!], delayMs: 1e300, attempts: 1, suspended: false, slowed: false },
        {
          id: uuidv7() as BatchId,
          recipients: good.slice(0, 9),
          delayMs: 5,
          attempts: 1,
          suspended: false,
          slowed: false
        }
      ]
      const chunk = chunkOf(batch, good.slice(9, 25), { retries, remaining: good.slice(25) })
      const written = yield* writeResults(batches.finish, chunk)
      expect(Option.isSome(written)).toBe(true)
      expect(yield* accountOf(app, notification)).toMatchObject({ sent: 16, failed: 1, pending: 13 })
      const { open, rows } = yield* stateOf(notification)
      expect(rows.get(bad!)).toMatchObject({ status: "f", error: UNWRITABLE })
      expect(open.toSorted()).toEqual([...good.slice(0, 9), ...good.slice(25)].toSorted())
    }).pipe(quietly)
  )

  it.effect("writes nothing when the lease of the batch was lost", () =>
    Effect.gen(function* () {
      const batches = yield* BatchStore
      const app = yield* newApp
      const all = ids(12)
      const { batch, notification } = yield* claimed(app, all)
      yield* endLeases
      yield* batches.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, 60_000)
      const written = yield* writeResults(batches.finish, withBadId(chunkOf(batch, all), all[0]!)).pipe(Effect.result)
      // The statement is refused before it is known whose the batch is; what can be written finds it gone.
      expect(written).toMatchObject({ _tag: "Success", success: Option.none() })
      expect((yield* stateOf(notification)).open).toEqual(all)
    }).pipe(quietly)
  )

  it.effect("asks a database that was away again, with all of the chunk", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const all = ids(12)
      const batches = yield* BatchStore
      const { batch, notification } = yield* claimed(app, all)
      let tries = 0
      const isAway = yield* Deferred.make<void>()
      const finish = (chunk: ResultChunk) =>
        Effect.suspend(() =>
          ++tries === 1
            ? Effect.andThen(
                Deferred.succeed(isAway, undefined),
                Effect.fail(new StoreError({ operation: "BatchStore.finish", cause: "away" }))
              )
            : batches.finish(chunk)
        )
      const writing = yield* Effect.forkChild(writeResults(finish, chunkOf(batch, all)))
      yield* Deferred.await(isAway)
      yield* TestClock.adjust("1 second")
      const written = Option.getOrThrow(yield* Fiber.join(writing))
      expect(written.chunks).toHaveLength(1)
      expect(tries).toBe(2)
      expect(yield* accountOf(app, notification)).toMatchObject({ sent: 12, pending: 0 })
    })
  )
})
