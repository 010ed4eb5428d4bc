import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout } from "node:timers/promises"
import { layer as settingsLayer } from "../../../../layers/config/Settings.ts"
import { layer as keysLayer } from "../../../../layers/crypto/Keys.ts"
import type { AppId, WebhookId } from "../../../../services/domain/Ids.ts"
import { WebhookActors } from "../../../../services/engine/webhooks/WebhookActors.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import type { WebhookAnswer, WebhookSender } from "../../../../services/ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../../../services/ports/webhooks/WebhookClient.ts"
import { postAllBy } from "../../../doubles/webhooks/postAll.ts"
import { addWork, webhookStores, newApp, newWebhook } from "../../../layers/postgres/webhooks/WebhookWork.ts"
import { openGate } from "../operations/OpenGate.ts"

/*
 * A receiver that is dead, over the real store: who keeps the schedule, who waits, and what ends it. The schedule of
 * 0, 30, 90, 210, 450 and 930 s is told here in hundredths of it.
 */

const DELAYS = "300ms,600ms,1200ms,2400ms,4800ms"
const REFUSED: WebhookAnswer = { _tag: "NoAnswer", reason: "connection refused" }
const OK: WebhookAnswer = { _tag: "Status", status: 204 }
const pause = Effect.promise(() => setTimeout(50))

const start = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
  let answer: WebhookAnswer = REFUSED
  const posts = new Map<string, number>()
  const post: WebhookSender["post"] = (_url, _headers, body) =>
    Effect.sync(() => {
      const { id } = JSON.parse(body) as { readonly id: string }
      posts.set(id, (posts.get(id) ?? 0) + 1)
      return answer
    })
  const client = Layer.succeed(WebhookClient, {
    open: () => Effect.succeed({ post, postAll: postAllBy(post) })
  })
  const store = yield* WebhookStore
  const node = Effect.map(
    Layer.build(
      Layer.fresh(WebhookActors.layer(1_000)).pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(WebhookStore, store),
            client,
            keysLayer,
            openGate,
            settingsLayer({ WEBHOOK_RETRY_DELAYS: DELAYS })
          )
        )
      )
    ),
    (context) => Effect.provide(WebhookActors, context)
  )
  const app = yield* newApp
  const { id } = yield* newWebhook(app)
  for (const size of sizes) yield* addWork(app, id, size)
  return { app, id, posts, node: Effect.flatten(node), answers: (it: WebhookAnswer) => (answer = it) }
})

const deadLettersOf = Effect.fnUntraced(function* (id: WebhookId) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT 1 AS one FROM dead_letters WHERE webhook_id = ${id} AND attempts = 6`).length
})

/** Deliveries of the log by how many attempts they had, oldest first. */
const attemptsOf = Effect.fnUntraced(function* (app: AppId, id: WebhookId) {
  const store = yield* WebhookStore
  const { items } = yield* store.deliveries(app, id, null, 2_000)
  return items.map(({ attempts }) => attempts.length).toReversed()
})

const find = Effect.fnUntraced(function* (app: AppId, id: WebhookId) {
  return Option.getOrThrow(yield* (yield* WebhookStore).find(app, id))
})

const until = <E, R>(look: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.andThen(pause, look), { until: (isSo) => isSo })

it.live(
  "disables a webhook whose receiver is dead when the 50 oldest of a thousand have used up their attempts, and they alone",
  () =>
    Effect.gen(function* () {
      // Single events, and one large work item.
      const { app, id, node, posts } = yield* start([...Array.from({ length: 30 }, () => 1), 970])
      const actors = yield* node
      const begun = Date.now()
      yield* actors.wake(id)
      yield* until(Effect.map(find(app, id), ({ isActive }) => !isActive))
      // The schedule and no more: not one probe after the other.
      expect(Date.now() - begun).toBeGreaterThanOrEqual(9_300)
      expect((yield* find(app, id)).disabledReason).toMatch(/^50 deliveries in a row failed/)
      expect(yield* deadLettersOf(id)).toBe(50)
      const attempts = yield* attemptsOf(app, id)
      expect(attempts.filter((count) => count === 6)).toHaveLength(50)
      expect(attempts.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 6))
      // What was under way when the receiver was found dead has one.
      expect(attempts.filter((count) => count === 0).length).toBeGreaterThanOrEqual(1_000 - 50 - 32)
      expect(attempts.filter((count) => count > 1 && count < 6)).toEqual([])
      expect(posts.size).toBeLessThanOrEqual(50 + 32 + 1)
    }).pipe(Effect.scoped, Effect.provide(webhookStores)),
  { concurrent: true }
)

it.live(
  "makes dead letters of 49 deliveries on their own schedule, leaves the webhook on, and disables it with the next",
  () =>
    Effect.gen(function* () {
      const { app, id, node } = yield* start(Array.from({ length: 49 }, () => 1))
      const actors = yield* node
      yield* actors.wake(id)
      yield* until(Effect.map(deadLettersOf(id), (letters) => letters === 49))
      expect(yield* find(app, id)).toMatchObject({ isActive: true })
      expect(yield* attemptsOf(app, id)).toEqual(Array.from({ length: 49 }, () => 6))
      for (let i = 0; i < 5; i++) yield* addWork(app, id, 1)
      yield* actors.wake(id)
      yield* until(Effect.map(find(app, id), ({ isActive }) => !isActive))
      expect((yield* attemptsOf(app, id)).slice(49).toSorted()).toEqual([0, 0, 0, 0, 6])
    }).pipe(Effect.scoped, Effect.provide(webhookStores)),
  { concurrent: true }
)

it.live(
  "sends everything that waited when the receiver is back, and counts anew, also on a node that has only just begun",
  () =>
    Effect.gen(function* () {
      const { answers, app, id, node, posts } = yield* start([200, 200])
      yield* (yield* node).wake(id)
      yield* until(Effect.map(attemptsOf(app, id), (attempts) => attempts.includes(3)))
      const before = posts.size
      // Another node knows nothing yet: it does not try the others one after the other.
      const other = yield* node
      yield* other.wake(id)
      yield* until(Effect.map(attemptsOf(app, id), (attempts) => attempts.includes(4)))
      expect(posts.size).toBeLessThanOrEqual(before + 2)
      answers(OK)
      const sql = yield* SqlClient.SqlClient
      yield* until(
        Effect.map(
          sql`SELECT 1 FROM webhook_work_items WHERE webhook_id = ${id} AND NOT done`,
          (rows) => rows.length === 0
        )
      )
      expect(posts.size).toBe(400)
      expect(yield* find(app, id)).toMatchObject({ isActive: true, disabledReason: null })
      expect(yield* deadLettersOf(id)).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(webhookStores)),
  { concurrent: true }
)
