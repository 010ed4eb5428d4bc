import { Context, Effect, FiberSet, Layer } from "effect"
import type { WebhookId } from "../../domain/Ids.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { WebhookAttempt, WebhookWork } from "../../ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import { Keys } from "../../ports/access/Keys.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import type { WebhookSender } from "../../ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../ports/webhooks/WebhookClient.ts"
import type { WebhookActor, WebhookActorWork } from "./WebhookActor.ts"
import { draining } from "../operations/Draining.ts"
import { makeWebhookActor } from "./WebhookActor.ts"
import { writeAllWebhookResults } from "./WebhookSaving.ts"
import { webhookLeaseMs } from "../sending/Leases.ts"
import type { Signal } from "../operations/Signal.ts"
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
      Effect.suspend(() => make(drainMs))
    )
}

/** The webhook actors of a node, and what they share. */
interface Supervision {
  readonly store: WebhookStore["Service"]
  readonly client: WebhookClient["Service"]
  readonly keys: Keys["Service"]
  readonly settings: EngineSettings["Service"]
  readonly metrics: Registry
  readonly tracing: Tracing
  readonly gate: WriteGate["Service"]
  readonly leaseMs: number
  readonly fibers: FiberSet.FiberSet
  readonly actors: Map<WebhookId, WebhookActor>
  readonly starting: Set<WebhookId>
  /** An actor ended. */
  readonly ended: Signal
  /** When each work item was asked for, of `performance.now()`. */
  readonly askedAt: WeakMap<WebhookWork, number>
  isStopping: boolean
}

const make = Effect.fnUntraced(function* (drainMs: number) {
  const settings = yield* EngineSettings
  const metrics = yield* Metrics
  const node: Supervision = {
    store: yield* WebhookStore,
    client: yield* WebhookClient,
    keys: yield* Keys,
    settings,
    metrics,
    tracing: yield* Tracing,
    gate: yield* WriteGate,
    leaseMs: webhookLeaseMs(settings),
    // Closes after the finalizer below: every actor, however late it started, is drained before it is interrupted.
    fibers: yield* FiberSet.make(),
    actors: new Map(),
    starting: new Set(),
    ended: makeSignal(),
    askedAt: new WeakMap(),
    isStopping: false
  }
  const underWay = () => [...node.actors.values()].filter((actor) => actor.isBusy()).length
  yield* Effect.addFinalizer(() => draining("webhooks", underWay, drain(node), drainMs))
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      metrics.watch(() => [{ name: "heliograph_webhook_actors", labels: {}, value: node.actors.size }])
    ),
    (stop) => Effect.sync(stop)
  )
  return WebhookActors.of({ wake: (id) => wake(node, id), count: () => node.actors.size })
})

const wake = Effect.fnUntraced(function* (node: Supervision, id: WebhookId) {
  const running = node.actors.get(id)
  if (running) return running.wake()
  if (node.isStopping || node.starting.has(id)) return
  node.starting.add(id)
  yield* FiberSet.run(
    node.fibers,
    Effect.ensuring(
      start(node, id),
      Effect.sync(() => node.starting.delete(id))
    )
  )
})

/** Runs an actor to its end, with connections of its own. */
const start = (node: Supervision, id: WebhookId) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { actors, client, ended, settings, starting } = node
      const actor = makeWebhookActor(id, workOf(node, id, yield* client.open(settings.webhookConcurrency)))
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

const workOf = (node: Supervision, id: WebhookId, sender: WebhookSender): WebhookActorWork => {
  const { askedAt, gate, keys, leaseMs, metrics, settings, store, tracing } = node
  const { webhookDisableAfter } = settings
  return {
    endpoint: store.endpoint(id),
    claim: (limit, events) => noting(askedAt, store.claim(id, limit, leaseMs, events), (item) => item),
    claimSmall: (limit, size) => noting(askedAt, store.claimSmall(id, limit, leaseMs, size), (item) => item),
    hasRetries: store.hasRetries(id),
    claimOldest: noting(askedAt, store.claimOldest(id, webhookDisableAfter, leaseMs), ({ work }) => work),
    claimWaiting: noting(askedAt, store.claimWaiting(id, webhookDisableAfter, leaseMs), ({ work }) => work),
    untilOpen: gate.open(),
    mayBegin: (item) => gate.mayBegin(item.id, askedAt.get(item)!),
    finish: (all) =>
      Effect.suspend(() => {
        for (const { exhausted, tried } of all) {
          count(metrics, tried)
          metrics.add("heliograph_dead_letters_total", { kind: "webhook" }, exhausted.length)
        }
        return writeAllWebhookResults(store, gate, all)
      }),
    nextDue: store.nextDue(id, leaseMs),
    nextDueOldest: store.nextDueOldest(id, webhookDisableAfter, leaseMs),
    sender,
    hmac: keys.hmac,
    tracing,
    onIdle: () => node.actors.delete(id),
    isStopping: () => node.isStopping,
    retryDelaysMs: settings.webhookRetryDelaysMs,
    timeoutMs: settings.webhookTimeoutMs,
    leaseMs,
    concurrency: settings.webhookConcurrency,
    disableAfter: webhookDisableAfter,
    idleMs: IDLE_MS
  }
}

/** A claim that notes when it was asked for. */
const noting = <A, E>(
  askedAt: WeakMap<WebhookWork, number>,
  claim: Effect.Effect<ReadonlyArray<A>, E>,
  itemOf: (claimed: A) => WebhookWork
) =>
  Effect.suspend(() => {
    const at = performance.now()
    return Effect.tap(claim, (all) =>
      Effect.sync(() => {
        for (const claimed of all) askedAt.set(itemOf(claimed), at)
      })
    )
  })

const drain = Effect.fnUntraced(function* (node: Supervision) {
  node.isStopping = true
  for (const actor of node.actors.values()) actor.wake()
  while ([...node.actors.values()].some((actor) => actor.isBusy())) yield* node.ended.wait
})
