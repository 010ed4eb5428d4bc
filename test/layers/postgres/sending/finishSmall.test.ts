import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../../services/domain/Ids.ts"
import type { ResultChunk } from "../../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { accountOf, chunkOf, endLeases, eventsOf, hotStores, ids, newApp, newWebhook, planned } from "../Stores.ts"

const LEASE = 60_000

/** Single messages of an application, claimed together. */
const singles = Effect.fnUntraced(function* (app: AppId, count: number) {
  const store = yield* BatchStore
  for (const recipient of ids(count)) yield* planned(app, [[recipient]])
  return yield* store.claim({ appId: app, provider: "fcm", priority: "bulk" }, count, LEASE)
})

const finishAll = Effect.fnUntraced(function* (chunks: ReadonlyArray<ResultChunk>) {
  const store = yield* BatchStore
  return yield* Effect.all(chunks.map(store.finish), { concurrency: "unbounded" })
})

layer(hotStores)("finishing many small batches at once", (it) => {
  it.effect("writes each one's results, and those of no batch whose lease was lost", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const claimed = yield* singles(app, 6)
      expect(claimed).toHaveLength(6)
      yield* endLeases
      // One of them goes to another worker, whose result is the only one that counts.
      const [again] = yield* store.claim({ appId: app, provider: "fcm", priority: "bulk" }, 1, LEASE)
      const lost = claimed.findIndex(({ id }) => id === again!.id)
      const statuses = ["sent", "failed", "skipped"] as const
      const chunks = claimed.map((batch, i) =>
        chunkOf(batch, batch.recipients, {
          final: {
            recipients: batch.recipients,
            statuses: [statuses[i % 3]!],
            messageIds: [i % 3 === 0 ? `m-${i}` : null],
            errors: [i % 3 === 0 ? null : `e-${i}`]
          }
        })
      )
      const answers = yield* finishAll([chunks[0]!, { ...chunks[0]!, fence: 0 }, ...chunks.slice(1)])
      expect(answers.map(Option.isSome).toSpliced(1, 1)).toEqual(claimed.map((_, i) => i !== lost))
      expect(Option.isNone(answers[1]!)).toBe(true)
      for (const [i, batch] of claimed.entries()) {
        const account = yield* accountOf(app, batch.notificationId)
        const { items } = yield* notifications.deliveries(app, batch.notificationId, null, 10)
        if (i === lost) {
          expect(account).toMatchObject({ accepted: 1, pending: 1 })
          expect(items).toEqual([])
          continue
        }
        expect(account).toMatchObject({ accepted: 1, pending: 0, [statuses[i % 3]!]: 1 })
        expect(items).toMatchObject([
          {
            recipientId: batch.recipients[0],
            provider: "fcm",
            status: statuses[i % 3],
            attempts: 1,
            messageId: i % 3 === 0 ? `m-${i}` : null,
            error: i % 3 === 0 ? null : `e-${i}`
          }
        ])
      }
      const completed = yield* Effect.all(
        claimed.map(({ notificationId }) => notifications.completeIfDone(notificationId)),
        { concurrency: "unbounded" }
      )
      expect(completed).toEqual(claimed.map((_, i) => i !== lost))
    })
  )

  it.effect("counts a repeated result once, and completes a notification once however many ask", () =>
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const app = yield* newApp
      const claimed = yield* singles(app, 3)
      const chunks = claimed.map((batch) => chunkOf(batch, batch.recipients))
      yield* finishAll(chunks)
      const repeated = yield* finishAll([...chunks, ...chunks])
      expect(repeated.every(Option.isSome)).toBe(true)
      for (const { notificationId } of claimed) {
        expect(yield* accountOf(app, notificationId)).toMatchObject({ accepted: 1, sent: 1, pending: 0 })
      }
      const asked = yield* Effect.all(
        Array.from({ length: 5 }, () => notifications.completeIfDone(claimed[0]!.notificationId)),
        { concurrency: "unbounded" }
      )
      expect(asked.filter(Boolean)).toHaveLength(1)
    })
  )

  it.effect("gives work to the webhooks of each application that subscribe, once, and to nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [heard, deaf, other] = [yield* newApp, yield* newApp, yield* newApp]
      const all = yield* newWebhook(heard)
      const opened = yield* newWebhook(heard, { events: ["NOTIFICATION_OPENED"] })
      const sent = yield* newWebhook(other, { events: ["NOTIFICATION_SENT"] })
      yield* newWebhook(deaf, { isActive: false })
      const chunksOf = Effect.fnUntraced(function* (count: number) {
        const made: Array<ResultChunk> = []
        for (const app of [heard, deaf, other]) {
          for (const batch of yield* singles(app, count)) {
            const events = [eventsOf(app, "NOTIFICATION_SENT", batch.recipients)]
            made.push(chunkOf(batch, batch.recipients, { events }))
          }
        }
        return made
      })
      const webhooksOf = (app: AppId) => (app === heard ? [all] : app === other ? [sent] : [])
      // The first time nobody knows who listens; the second time it is known; then one of them stops listening.
      for (const round of [1, 2, 3]) {
        if (round === 3) yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${sent}`
        const chunks = yield* chunksOf(2)
        const answers = yield* finishAll([...chunks, chunks[0]!])
        const told = chunks.map((_, i) => Option.getOrThrow(answers[i]!))
        const expected = chunks.map(({ appId }) => (round === 3 && appId === other ? [] : webhooksOf(appId)))
        expect(told).toEqual(expected)
        // A repetition beside the first changes nothing.
        expect(Option.isSome(answers.at(-1)!)).toBe(true)
        expect(yield* accountOf(heard, chunks[0]!.notificationId)).toMatchObject({ accepted: 1, sent: 1 })
        for (const [i, { events }] of chunks.entries()) {
          const work = yield* sql<{ readonly webhook_id: string }>`
            SELECT webhook_id FROM webhook_work_items WHERE chunk_id = ${events[0]!.id}`
          expect(work.map(({ webhook_id }) => webhook_id)).toEqual(expected[i])
        }
      }
      expect(yield* sql`SELECT 1 FROM webhook_work_items WHERE webhook_id = ${opened}`).toEqual([])
    })
  )

  it.effect("leaves large batches to claims of their own, however many are asked for", () =>
    Effect.gen(function* () {
      const store = yield* BatchStore
      const app = yield* newApp
      for (const count of [1, 2, 5, 6, 1, 300, 1]) yield* planned(app, [ids(count)])
      const claim = Effect.map(store.claim({ appId: app, provider: "fcm", priority: "bulk" }, 100, LEASE), (claimed) =>
        claimed.map(({ recipients }) => recipients.length)
      )
      expect(yield* claim).toEqual([1, 2, 5])
      expect(yield* claim).toEqual([6])
      expect(yield* claim).toEqual([1])
      expect(yield* claim).toEqual([300])
      expect(yield* claim).toEqual([1])
      expect(yield* claim).toEqual([])
    })
  )
})
