import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as settingsLayer } from "../../../../layers/config/Settings.ts"
import { layer as keysLayer } from "../../../../layers/crypto/Keys.ts"
import type { AppId, EventChunkId, WebhookId, WebhookWorkId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { WebhookActors } from "../../../../services/engine/webhooks/WebhookActors.ts"
import type { WebhookResults, WebhookWork } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import type { WebhookAnswer, WebhookSender } from "../../../../services/ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../../../services/ports/webhooks/WebhookClient.ts"
import { postAllBy } from "../../../doubles/webhooks/postAll.ts"
import { openGate } from "../operations/OpenGate.ts"

const appId = uuidv7() as AppId
const OK: WebhookAnswer = { _tag: "Status", status: 204 }
const REFUSED: WebhookAnswer = { _tag: "NoAnswer", reason: "connection refused" }

const item = (size: number): WebhookWork => ({
  id: uuidv7() as WebhookWorkId,
  fence: 1,
  attempts: 0,
  positions: Array.from({ length: size }, (_, i) => i),
  chunk: { id: uuidv7() as EventChunkId, appId, event: "NOTIFICATION_SENT", at: 0, size, common: {}, columns: {} }
})

/** Webhooks whose work items are made when they are claimed, and receivers that answer by their webhook. */
const setup = Effect.fnUntraced(function* (
  answer: (webhook: WebhookId) => Effect.Effect<WebhookAnswer>,
  refuses: (results: WebhookResults) => boolean = () => false
) {
  const pending = new Map<WebhookId, number>()
  const held = new Map<WebhookId, number>()
  const delivered = new Map<WebhookId, number>()
  const posts = new Map<WebhookId, number>()
  let mostHeld = 0
  let opened = 0
  let broken: WebhookId | null = null
  const add = <A>(map: Map<A, number>, key: A, by: number): number => {
    const now = (map.get(key) ?? 0) + by
    map.set(key, now)
    return now
  }
  const claim = (id: WebhookId, limit: number, _leaseMs: number, events = Infinity) =>
    Effect.sync(() => {
      const count = Math.min(limit, Math.ceil(events / 500), pending.get(id) ?? 0)
      add(pending, id, -count)
      mostHeld = Math.max(mostHeld, add(held, id, count))
      return Array.from({ length: count }, () => item(500))
    })
  const finish: WebhookStore["Service"]["finish"] = (results) =>
    Effect.gen(function* () {
      if (refuses(results)) return yield* new StoreError({ operation: "finish", cause: "no such text", refused: true })
      const { webhookId, delivered: done, releaseAfterMs, remaining } = results
      add(delivered, webhookId, done.length)
      if (remaining.length === 0 || releaseAfterMs !== null) add(held, webhookId, -1)
      return true
    })
  const store = Layer.mock(WebhookStore, {
    endpoint: (id) =>
      id === broken
        ? Effect.die(new Error("a defect"))
        : Effect.succeed(Option.some({ id, appId, url: `https://webhook.example/${id}`, secrets: [], epoch: 1 })),
    claim,
    claimSmall: () => Effect.succeed([]),
    hasRetries: () => Effect.succeed(false),
    claimOldest: () => Effect.succeed([]),
    claimWaiting: () => Effect.succeed([]),
    nextDueOldest: () => Effect.succeed(Option.none()),
    finish,
    finishPlain: (all) =>
      Effect.as(
        Effect.forEach(all, finish),
        all.map(({ workId }) => workId)
      ),
    nextDue: () => Effect.succeed(Option.none())
  })
  const client = Layer.succeed(WebhookClient, {
    open: () =>
      Effect.sync(() => {
        opened++
        const post: WebhookSender["post"] = (url) => {
          const id = url.slice(-36) as WebhookId
          add(posts, id, 1)
          return answer(id)
        }
        return { post, postAll: postAllBy(post) }
      })
  })
  const scope = yield* Scope.make()
  const context = yield* WebhookActors.layer(60_000).pipe(
    Layer.provide(Layer.mergeAll(store, client, keysLayer, openGate, settingsLayer({}))),
    Layer.buildWithScope(scope)
  )
  const actors = yield* Effect.provide(WebhookActors, context)
  const webhook = (items: number): WebhookId => {
    const id = uuidv7() as WebhookId
    pending.set(id, items)
    return id
  }
  return {
    actors,
    webhook,
    delivered,
    posts,
    pending,
    scope,
    mostHeld: () => mostHeld,
    opened: () => opened,
    breaks: (id: WebhookId | null) => (broken = id)
  }
})

it.effect("delivers to a hundred healthy webhooks before a slow one has answered once, and beside a dead one", () =>
  Effect.gen(function* () {
    const kinds = new Map<WebhookId, "dead" | "slow">()
    const { actors, delivered, webhook, posts } = yield* setup((id) => {
      const kind = kinds.get(id)
      if (kind === "dead") return Effect.succeed(REFUSED)
      return kind === "slow" ? Effect.delay(Effect.succeed(OK), 9_000) : Effect.succeed(OK)
    })
    const [dead, slow] = [webhook(50), webhook(50)]
    kinds.set(dead, "dead").set(slow, "slow")
    const healthy = Array.from({ length: 100 }, () => webhook(2))
    // The bad ones first: they have everything under way that they may have.
    for (const id of [dead, slow, ...healthy]) yield* actors.wake(id)
    // The clock stands: whoever waits for anything has not gone on.
    while (healthy.some((id) => delivered.get(id) !== 1_000)) yield* Effect.yieldNow
    expect(delivered.get(slow) ?? 0).toBe(0)
    expect(posts.get(slow)).toBe(32)
    expect(posts.get(dead)).toBeLessThan(5 + 32)
    yield* TestClock.adjust(9_000)
    expect(posts.get(slow)).toBe(64)
  })
)

it.effect("holds a work item of a webhook and the next one, however many events are pending", () =>
  Effect.gen(function* () {
    const { actors, delivered, webhook, mostHeld, pending } = yield* setup(() => Effect.delay(Effect.succeed(OK), 10))
    const id = webhook(2_000) // A million events.
    yield* actors.wake(id)
    for (let i = 0; i < 40; i++) yield* TestClock.adjust(10)
    expect(delivered.get(id)).toBeGreaterThan(500)
    expect(pending.get(id)).toBeGreaterThan(1_990)
    expect(mostHeld()).toBe(2)
  })
)

it.effect("starts one actor when a webhook has work, ends it when it is idle, and starts it anew", () =>
  Effect.gen(function* () {
    const { actors, delivered, webhook, opened, pending } = yield* setup(() => Effect.succeed(OK))
    const id = webhook(1)
    expect(actors.count()).toBe(0)
    yield* Effect.all([actors.wake(id), actors.wake(id), actors.wake(id)], { concurrency: "unbounded" })
    yield* TestClock.adjust(1)
    expect([actors.count(), opened(), delivered.get(id)]).toEqual([1, 1, 500])
    yield* TestClock.adjust("31 seconds")
    expect(actors.count()).toBe(0)
    pending.set(id, 1)
    yield* actors.wake(id)
    yield* TestClock.adjust(1)
    expect([actors.count(), opened(), delivered.get(id)]).toEqual([1, 2, 1_000])
  })
)

it.effect("goes on with the others when an actor breaks, and starts the broken one again when it is woken", () =>
  Effect.gen(function* () {
    const { actors, breaks, delivered, webhook } = yield* setup(() => Effect.succeed(OK))
    const [one, other] = [webhook(1), webhook(1)]
    breaks(one)
    yield* actors.wake(one)
    yield* actors.wake(other)
    yield* TestClock.adjust(1)
    expect([delivered.get(one), delivered.get(other), actors.count()]).toEqual([undefined, 500, 1])
    breaks(null)
    yield* actors.wake(one)
    yield* TestClock.adjust(1)
    expect([delivered.get(one), actors.count()]).toEqual([500, 2])
  })
)

it.effect("waits for the posts under way when it stops, writes what came of them, and takes no more", () =>
  Effect.gen(function* () {
    const { actors, delivered, webhook, posts, scope } = yield* setup(() => Effect.delay(Effect.succeed(OK), 9_000))
    const id = webhook(3)
    yield* actors.wake(id)
    yield* TestClock.adjust(1)
    expect(posts.get(id)).toBe(32)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust(9_000)
    yield* Fiber.join(closing)
    expect([posts.get(id), delivered.get(id)]).toEqual([32, 32])
    yield* actors.wake(id)
    yield* TestClock.adjust(9_000)
    expect(posts.get(id)).toBe(32)
  })
)

it.effect("goes on after results that the database refuses, without posting any of them again", () =>
  Effect.gen(function* () {
    const { actors, delivered, webhook, posts } = yield* setup(
      () => Effect.succeed(OK),
      ({ tried }) => tried.length > 0
    )
    const id = webhook(2)
    yield* actors.wake(id)
    // The clock stands: nobody is waiting to write them once more.
    while (delivered.get(id) !== 1_000) yield* Effect.yieldNow
    expect(posts.get(id)).toBe(1_000)
  }).pipe(Effect.provide(Logger.layer([])))
)
