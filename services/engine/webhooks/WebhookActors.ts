import { Context, Effect, FiberSet, Layer } from "effect"
import type { WebhookId } from "../../domain/Ids.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { WebhookAttempt, WebhookWork } from "../../ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import { WebhookClient } from "../../ports/webhooks/WebhookClient.ts"
import type { WebhookActor } from "./WebhookActor.ts"
import { draining } from "../operations/Draining.ts"
import { makeWebhookActor } from "./WebhookActor.ts"
import { writeAllWebhookResults } from "./WebhookSaving.ts"
import { webhookLeaseMs } from "../sending/Leases.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { WriteGate } from "../operations/WriteGate.ts"

/** An actor without work for so long ends; the next event starts it anew. */
const IDLE_MS = 30_000

/** Attempts whose results are about to be written. */
const count = (metrics: Registry, tried: ReadonlyArray<WebhookAttempt>): void => {
  const outcomes = new Map<string, Array<number>>()
  for (const { latencyMs, outcome } of tried) {
    // Reasons are many, and receivers choose their statuses: classes keep the series few.
    const kind =
      typeof outcome === "number" ? `${Math.floor(outcome / 100)}xx` : outcome === "timeout" ? outcome : "no_answer"
    const known = outcomes.get(kind)
    if (known === undefined) outcomes.set(kind, [latencyMs / 1000])
    else known.push(latencyMs / 1000)
  }
  for (const [outcome, seconds] of outcomes) {
    metrics.observeAll("heliograph_webhook_post_seconds", { outcome }, seconds)
    metrics.add("heliograph_webhook_posts_total", { outcome }, seconds.length)
  }
}

/**
 * Supervises the webhook actors of this node: one for each webhook with work, started on demand, ended when idle. An
 * actor that breaks is started again by the next job or sweep.
 */
export class WebhookActors extends Context.Service<
  WebhookActors,
  {
    /** There may be deliveries for this webhook. Returns at once. */
    readonly wake: (id: WebhookId) => Effect.Effect<void>
    /** The number of actors at work now, for metrics. */
    readonly count: () => number
  }
>()("heliograph/engine/WebhookActors") {
  /** `drainMs`: how long posts under way are waited for when the scope closes. */
  static readonly layer = (drainMs: number) =>
    Layer.effect(
      WebhookActors,
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const client = yield* WebhookClient
        const keys = yield* Keys
        const settings = yield* EngineSettings
        const metrics = yield* Metrics
        const tracing = yield* Tracing
        const gate = yield* WriteGate
        // Closes after the finalizer below: every actor, however late it started, is drained before it is interrupted.
        const fibers = yield* FiberSet.make()

        const leaseMs = webhookLeaseMs(settings)
        const actors = new Map<WebhookId, WebhookActor>()
        const starting = new Set<WebhookId>()
        const ended = makeSignal()
        let isStopping = false

        /** When each work item was asked for, of `performance.now()`. */
        const claimedAt = new WeakMap<WebhookWork, number>()
        const claiming = <A, E>(claim: Effect.Effect<ReadonlyArray<A>, E>, pieceOf: (claimed: A) => WebhookWork) =>
          Effect.suspend(() => {
            const askedAt = performance.now()
            return Effect.tap(claim, (all) =>
              Effect.sync(() => {
                for (const claimed of all) claimedAt.set(pieceOf(claimed), askedAt)
              })
            )
          })

        const start = (id: WebhookId) =>
          Effect.scoped(
            Effect.gen(function* () {
              const sender = yield* client.open(settings.webhookConcurrency)
              const actor = makeWebhookActor(id, {
                endpoint: store.endpoint(id),
                claim: (limit, events) => claiming(store.claim(id, limit, leaseMs, events), (item) => item),
                claimSmall: (limit, size) => claiming(store.claimSmall(id, limit, leaseMs, size), (item) => item),
                hasRetries: store.hasRetries(id),
                claimOldest: claiming(store.claimOldest(id, settings.webhookDisableAfter, leaseMs), ({ work }) => work),
                claimWaiting: claiming(
                  store.claimWaiting(id, settings.webhookDisableAfter, leaseMs),
                  ({ work }) => work
                ),
                untilOpen: gate.open(),
                mayBegin: (item) => gate.mayBegin(item.id, claimedAt.get(item)!),
                finish: (all) =>
                  Effect.suspend(() => {
                    for (const { exhausted, tried } of all) {
                      count(metrics, tried)
                      metrics.add("heliograph_dead_letters_total", { kind: "webhook" }, exhausted.length)
                    }
                    return writeAllWebhookResults(store, gate, all)
                  }),
                nextDue: store.nextDue(id, leaseMs),
                nextDueOldest: store.nextDueOldest(id, settings.webhookDisableAfter, leaseMs),
                sender,
                hmac: keys.hmac,
                tracing,
                onIdle: () => actors.delete(id),
                isStopping: () => isStopping,
                retryDelaysMs: settings.webhookRetryDelaysMs,
                timeoutMs: settings.webhookTimeoutMs,
                leaseMs,
                concurrency: settings.webhookConcurrency,
                disableAfter: settings.webhookDisableAfter,
                idleMs: IDLE_MS
              })
              actors.set(id, actor)
              starting.delete(id)
              yield* actor.run.pipe(
                Effect.catchCause((cause) =>
                  Effect.logError("A webhook actor broke; its work waits for the next look", cause).pipe(
                    Effect.annotateLogs({ webhook_id: id })
                  )
                ),
                Effect.ensuring(
                  Effect.sync(() => {
                    if (actors.get(id) === actor) actors.delete(id)
                    ended.signal()
                  })
                )
              )
            })
          )

        const wake = Effect.fnUntraced(function* (id: WebhookId) {
          const running = actors.get(id)
          if (running) return running.wake()
          if (isStopping || starting.has(id)) return
          starting.add(id)
          yield* FiberSet.run(
            fibers,
            Effect.ensuring(
              start(id),
              Effect.sync(() => starting.delete(id))
            )
          )
        })

        const drain = Effect.gen(function* () {
          isStopping = true
          for (const actor of actors.values()) actor.wake()
          while ([...actors.values()].some((actor) => actor.isBusy())) yield* ended.wait
        })
        const underWay = () => [...actors.values()].filter((actor) => actor.isBusy()).length
        yield* Effect.addFinalizer(() => draining("webhooks", underWay, drain, drainMs))

        yield* Effect.acquireRelease(
          Effect.sync(() =>
            metrics.watch(() => [{ name: "heliograph_webhook_actors", labels: {}, value: actors.size }])
          ),
          (stop) => Effect.sync(stop)
        )

        return WebhookActors.of({ wake, count: () => actors.size })
      })
    )
}
