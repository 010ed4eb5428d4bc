import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Option, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { writeAllWebhookResults, writeWebhookResults } from "../../../../services/engine/webhooks/WebhookSaving.ts"
import { UNWRITABLE } from "../../../../services/engine/sending/Saving.ts"
import type { WebhookAttempt, WebhookResults } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import {
  addWork,
  claimedWork,
  exhaust,
  webhookStores,
  LEASE,
  newApp,
  newWebhook,
  results
} from "../../../layers/postgres/webhooks/WebhookWork.ts"

/** PostgreSQL has no place for such a character. */
const BAD = "not\u0000storable"

const attempt = (position: number, outcome: number | string): WebhookAttempt => ({
  position,
  at: 0,
  latencyMs: 1,
  outcome
})

/** Runs an effect, and answers what it logged as errors, with their annotations. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const errors: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ fiber, logLevel }) => {
    if (logLevel === "Error") errors.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, errors }))
}

layer(webhookStores)("writeWebhookResults", (it) => {
  it.effect("writes what became of each delivery when the log cannot be written, and says so", () =>
    Effect.gen(function* () {
      const { webhook, store, work } = yield* claimedWork(3)
      const sql = yield* SqlClient.SqlClient
      const refused = results(webhook.id, work, {
        delivered: [0],
        retry: { positions: [1], delayMs: 0 },
        remaining: [2],
        tried: [attempt(0, 204), attempt(1, BAD)]
      })
      expect(yield* Effect.flip(store.finish(refused))).toMatchObject({ refused: true })
      const { errors, value } = yield* logged(writeWebhookResults(store.finish, refused))
      expect(value).toBe(true)
      expect(errors).toEqual([{ webhook_id: webhook.id, work_item_id: work.id }])
      const rows = yield* sql`
        SELECT positions, delivered, done FROM webhook_work_items WHERE webhook_id = ${webhook.id} ORDER BY attempts`
      expect(rows).toEqual([
        { positions: [2], delivered: 1, done: false },
        { positions: [1], delivered: 0, done: false }
      ])
      expect(yield* sql`SELECT 1 FROM webhook_attempts WHERE work_item_id = ${work.id}`).toEqual([])
    })
  )

  it.effect("writes nothing of a log that does not fit into its form, and all else", () =>
    Effect.gen(function* () {
      const { webhook, store, work } = yield* claimedWork(2)
      const unfit = results(webhook.id, work, { delivered: [0, 1], tried: [attempt(0, 100_000), attempt(1, 204)] })
      expect(yield* Effect.flip(store.finish(unfit))).toMatchObject({ refused: true })
      expect((yield* logged(writeWebhookResults(store.finish, unfit))).value).toBe(true)
      expect(yield* store.nextDue(webhook.id, LEASE)).toEqual(Option.none())
    })
  )

  it.effect("buries exhausted deliveries, and disables their webhook, with a reason that can be written", () =>
    Effect.gen(function* () {
      const { appId, webhook, store, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      const refused = results(webhook.id, work, { ...exhaust([0, 1], BAD), disableAfter: 2 })
      expect((yield* logged(writeWebhookResults(store.finish, refused))).value).toBe(true)
      expect(yield* sql`SELECT error FROM dead_letters WHERE webhook_id = ${webhook.id}`).toEqual([
        { error: UNWRITABLE },
        { error: UNWRITABLE }
      ])
      const { disabledReason, isActive } = Option.getOrThrow(yield* store.find(appId, webhook.id))
      expect(isActive).toBe(false)
      expect(disabledReason).toContain(UNWRITABLE)
    })
  )

  it.effect("writes nothing when the lease of the work was lost", () =>
    Effect.gen(function* () {
      const { webhook, store, work } = yield* claimedWork(1)
      const sql = yield* SqlClient.SqlClient
      const first = results(
        webhook.id,
        { ...work, fence: work.fence - 1 },
        { delivered: [0], tried: [attempt(0, BAD)] }
      )
      // The statement is refused before it is known whose the work is; what can be written finds it gone.
      expect(yield* Effect.flip(store.finish(first))).toMatchObject({ refused: true })
      const { errors, value } = yield* logged(writeWebhookResults(store.finish, first))
      expect([value, errors]).toEqual([false, []])
      expect(yield* sql`SELECT delivered FROM webhook_work_items WHERE id = ${work.id}`).toEqual([{ delivered: 0 }])
    })
  )

  it.effect("leaves work of whose results nothing can be written to its lease", () =>
    Effect.gen(function* () {
      const { webhook, store, work } = yield* claimedWork(2)
      // No interval is as long as that.
      const retry = results(webhook.id, work, { delivered: [0], retry: { positions: [1], delayMs: 1e300 } })
      const { errors, value } = yield* logged(writeWebhookResults(store.finish, retry))
      expect([value, errors]).toEqual([false, [{ webhook_id: webhook.id, work_item_id: work.id }]])
      const wait = Option.getOrThrow(yield* store.nextDue(webhook.id, LEASE))
      expect(wait).toBeGreaterThan(0)
    })
  )

  it.effect("asks a database that was away again, with all of the results", () =>
    Effect.gen(function* () {
      const { webhook, work } = yield* claimedWork(1)
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      let tries = 0
      const isAway = yield* Deferred.make<void>()
      const finish = (given: WebhookResults) =>
        Effect.suspend(() =>
          ++tries === 1
            ? Effect.andThen(
                Deferred.succeed(isAway, undefined),
                Effect.fail(new StoreError({ operation: "WebhookStore.finish", cause: "away" }))
              )
            : store.finish(given)
        )
      const all = results(webhook.id, work, { delivered: [0], tried: [attempt(0, 204)] })
      const writing = yield* Effect.forkChild(writeWebhookResults(finish, all))
      yield* Deferred.await(isAway)
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(writing)).toBe(true)
      expect(yield* sql`SELECT 1 AS row FROM webhook_attempts WHERE work_item_id = ${work.id}`).toEqual([{ row: 1 }])
    })
  )

  it.effect("writes the plain ones of many work items together, and each of the others as it must be", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* newWebhook(yield* newApp)
      for (let size = 1; size <= 6; size++) yield* addWork(webhook.appId, webhook.id, size)
      const works = yield* store.claim(webhook.id, 6, LEASE)
      const of = (size: number) => works.find(({ positions }) => positions.length === size)!
      const whole = (size: number, outcome: number | string = 204) =>
        results(webhook.id, of(size), { delivered: of(size).positions, tried: [attempt(0, outcome)] })
      const gone = { ...whole(4), fence: of(4).fence + 1 }
      const partly = results(webhook.id, of(5), {
        delivered: [0],
        retry: { positions: [1], delayMs: 0 },
        remaining: [2, 3, 4]
      })
      const untouched = results(webhook.id, of(6), { remaining: of(6).positions, releaseAfterMs: 0 })
      const all = [whole(1), partly, whole(2), gone, untouched, whole(3)]
      let together = 0
      const noted: Array<number> = []
      const written = yield* writeAllWebhookResults(
        {
          finish: store.finish,
          finishPlain: (some) => {
            together += some.length
            return store.finishPlain(some)
          }
        },
        {
          writing: (_, items, write) => {
            noted.push(items.length)
            return write((one) => one)
          }
        },
        all
      )
      expect(written).toEqual([true, true, true, false, true, true])
      expect([together, noted]).toEqual([5, [5, 1, 1]])
      expect(
        yield* sql`
          SELECT c.size, w.delivered, w.done, w.lease_until IS NULL AS free FROM webhook_work_items w
          JOIN event_chunks c ON c.id = w.chunk_id WHERE w.webhook_id = ${webhook.id} AND w.attempts = 0 ORDER BY c.size`
      ).toEqual([
        { size: 1, delivered: 1, done: true, free: true },
        { size: 2, delivered: 2, done: true, free: true },
        { size: 3, delivered: 3, done: true, free: true },
        { size: 4, delivered: 0, done: false, free: false },
        { size: 5, delivered: 1, done: false, free: false },
        { size: 6, delivered: 0, done: false, free: true }
      ])
    })
  )

  it.effect("writes each of many work items by itself when the database refuses them together", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sql = yield* SqlClient.SqlClient
      const webhook = yield* newWebhook(yield* newApp)
      for (let i = 0; i < 2; i++) yield* addWork(webhook.appId, webhook.id, 1)
      const [good, unfit] = yield* store.claim(webhook.id, 2, LEASE)
      const delivered = (work: typeof good, outcome: number) =>
        results(webhook.id, work!, { delivered: [0], tried: [attempt(0, outcome)] })
      const { value } = yield* logged(
        writeAllWebhookResults(store, { writing: (_, __, write) => write((one) => one) }, [
          delivered(good, 204),
          // No status is as large as that.
          delivered(unfit, 100_000)
        ])
      )
      expect(value).toEqual([true, true])
      expect(yield* sql`SELECT done FROM webhook_work_items WHERE webhook_id = ${webhook.id}`).toEqual([
        { done: true },
        { done: true }
      ])
      expect(yield* sql`SELECT 1 FROM webhook_attempts WHERE work_item_id = ${good!.id}`).toHaveLength(1)
    })
  )
})
