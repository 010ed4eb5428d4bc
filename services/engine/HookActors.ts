import { Context, Effect, Exit, Layer, Scope } from "effect"
import type { HookId } from "../domain/Ids.ts"
import type { Registry } from "../domain/Metrics.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import type { HookAttempt } from "../ports/HookStore.ts"
import { HookStore } from "../ports/HookStore.ts"
import { Keys } from "../ports/Keys.ts"
import { Metrics } from "../ports/Metrics.ts"
import { Tracing } from "../ports/Tracing.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import type { HookActor } from "./HookActor.ts"
import { makeHookActor } from "./HookActor.ts"
import { writeHookResults } from "./HookSaving.ts"
import { make as makeSignal } from "./Signal.ts"

/** An actor without work for so long ends; the next event starts it anew. */
const IDLE_MS = 30_000

/** What a lease lasts beyond the longest attempt: the time to write its result. */
const LEASE_MARGIN_MS = 2_000

/** An attempt that is under way must not be taken over by another node. */
export const hookLeaseMs = ({ leaseMs, webhookTimeoutMs }: EngineSettings["Service"]): number =>
  Math.max(leaseMs, webhookTimeoutMs + LEASE_MARGIN_MS)

/** Attempts whose results are about to be written. */
const count = (metrics: Registry, tried: ReadonlyArray<HookAttempt>): void => {
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
 * Supervises the hook actors of this node: one for each hook with work, started on demand, ended when idle. An actor
 * that breaks is started again by the next job or sweep.
 */
export class HookActors extends Context.Service<
  HookActors,
  {
    /** There may be deliveries for this hook. Returns at once. */
    readonly wake: (id: HookId) => Effect.Effect<void>
    /** The number of actors at work now, for metrics. */
    readonly count: () => number
  }
>()("heliograph/engine/HookActors") {
  /** `drainMs`: how long posts under way are waited for when the scope closes. */
  static readonly layer = (drainMs: number) =>
    Layer.effect(
      HookActors,
      Effect.gen(function* () {
        const store = yield* HookStore
        const client = yield* WebhookClient
        const keys = yield* Keys
        const settings = yield* EngineSettings
        const metrics = yield* Metrics
        const tracing = yield* Tracing
        // Closes after the finalizer below: every actor, however late it started, is drained before it is interrupted.
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))

        const leaseMs = hookLeaseMs(settings)
        const actors = new Map<HookId, HookActor>()
        const starting = new Set<HookId>()
        const ended = makeSignal()
        let isStopping = false

        const start = (id: HookId) =>
          Effect.scoped(
            Effect.gen(function* () {
              const sender = yield* client.open(settings.webhookConcurrency)
              const actor = makeHookActor(id, {
                endpoint: store.endpoint(id),
                claim: store.claim(id, 1, leaseMs),
                claimMostTried: store.claimMostTried(id, leaseMs),
                finish: (results) =>
                  Effect.suspend(() => {
                    count(metrics, results.tried)
                    return writeHookResults(store.finish, results)
                  }),
                nextDue: store.nextDue(id, leaseMs),
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
                  Effect.logError("A hook actor broke; its work waits for the next look", cause).pipe(
                    Effect.annotateLogs({ hook_id: id })
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

        const wake = Effect.fnUntraced(function* (id: HookId) {
          const running = actors.get(id)
          if (running) return running.wake()
          if (isStopping || starting.has(id)) return
          starting.add(id)
          yield* Effect.forkIn(
            Effect.ensuring(
              start(id),
              Effect.sync(() => starting.delete(id))
            ),
            scope
          )
        })

        const drain = Effect.gen(function* () {
          isStopping = true
          for (const actor of actors.values()) actor.wake()
          while ([...actors.values()].some((actor) => actor.isBusy())) yield* ended.wait
        })
        yield* Effect.addFinalizer(() => Effect.asVoid(Effect.timeoutOption(drain, drainMs)))

        yield* Effect.acquireRelease(
          Effect.sync(() => metrics.watch(() => [{ name: "heliograph_hook_actors", labels: {}, value: actors.size }])),
          (stop) => Effect.sync(stop)
        )

        return HookActors.of({ wake, count: () => actors.size })
      })
    )
}
