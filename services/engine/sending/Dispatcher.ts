import { Context, Effect, Fiber, FiberSet, Layer, Option, Semaphore } from "effect"
import type { Sample } from "../../domain/operations/Metrics.ts"
import type { Priority } from "../../domain/sending/Notification.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import type { ClaimedBatch, LaneKey } from "../../ports/sending/BatchStore.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { DirectSends } from "../../ports/sending/DirectSends.ts"
import { draining } from "../operations/Draining.ts"
import type { Signal } from "../operations/Signal.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { WriteGate } from "../operations/WriteGate.ts"
import type { BatchSender, Direct } from "./BatchSender.ts"
import { makeBatchSender, PAUSE_MS } from "./BatchSender.ts"
import { makeDirectDispatch } from "./DirectDispatch.ts"
import type { Lane, LaneState, LaneWork } from "./Lane.ts"
import { laneId, makeLane } from "./Lane.ts"
import { LOOK_MS, makeSuspects } from "./Suspects.ts"

/** Each keeps the addresses of a batch, some 65 KB for 500, for as long as its provider keeps silent on one of them. */
const MOST_STRAYS = 512
/** How often a slowed or paused lane looks whether its credential was replaced. */
const REPAIR_MS = 2_000
/** A lane without work for so long ends; the next job starts it anew. */
const IDLE_MS = 30_000
/**
 * For the answers to what is under way when the node stops; a quarter of the time where that is less. What is cut while a
 * provider has it goes again, so that nothing begins whose answer would come too late.
 */
const LAST_MS = 5_000

/**
 * Supervises the lanes of this node: starts one when there is work for it, lets it end when idle, waits for the batches
 * under way when the node stops.
 */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** There may be batches for this lane. Returns at once. */
    readonly wake: (key: LaneKey) => Effect.Effect<void>
    /** The lanes at work now, for metrics. */
    readonly lanes: () => ReadonlyArray<Lane>
  }
>()("heliograph/engine/Dispatcher") {
  /** `drainMs`: how long batches under way are waited for when the scope closes. */
  static readonly layer = (drainMs: number) =>
    Layer.effect(
      Dispatcher,
      Effect.suspend(() => make(drainMs, null))
    )

  /** Sends what this process has accepted itself. It claims nothing: batches that may wait it has others told of. */
  static readonly layerOfOwn = (drainMs: number) =>
    Layer.effect(
      Dispatcher,
      Effect.flatMap(JobQueue, (queue) =>
        Effect.flatMap(makeWakeUps(queue), (wakeUp) =>
          make(drainMs, (key) => wakeUp({ type: "SendV1", id: laneId(key), priority: key.priority }))
        )
      )
    )
}

/** The lanes of a node, and what they share. */
interface Supervision {
  readonly store: BatchStore["Service"]
  readonly credentials: CredentialStore["Service"]
  readonly settings: EngineSettings["Service"]
  readonly gate: WriteGate["Service"]
  readonly sender: BatchSender
  readonly suspects: ReturnType<typeof makeSuspects>
  readonly permits: Readonly<Record<Priority, Semaphore.Semaphore>>
  readonly strays: { left: number }
  readonly lanes: Map<string, Lane>
  /** When each lane last looked for suspected batches. */
  readonly lookedAt: Map<string, number>
  /** When a claimed batch was asked for (`performance.now()`). */
  readonly askedAt: WeakMap<ClaimedBatch, number>
  /** What came with batches that were claimed as they were accepted. */
  readonly direct: WeakMap<ClaimedBatch, Direct>
  /** A batch ended. */
  readonly ended: Signal
  /** Tells others that there may be batches for a lane, where claims are theirs. */
  readonly tellOthers: ((key: LaneKey) => void) | null
  isStopping: boolean
}

const make = Effect.fnUntraced(function* (drainMs: number, tellOthers: Supervision["tellOthers"]) {
  // All that sends is made before the finalizer below, so that it closes after it: every lane, however late it started,
  // and every message that came on its own, is waited for before it is interrupted.
  const sender = yield* makeBatchSender
  const settings = yield* EngineSettings
  const gate = yield* WriteGate
  const metrics = yield* Metrics
  const node: Supervision = {
    store: yield* BatchStore,
    credentials: yield* CredentialStore,
    settings,
    gate,
    sender,
    suspects: makeSuspects(gate, sender.calls),
    permits: {
      high: yield* Semaphore.make(settings.dispatchConcurrency),
      bulk: yield* Semaphore.make(settings.dispatchConcurrency)
    },
    strays: { left: MOST_STRAYS },
    lanes: new Map(),
    lookedAt: new Map(),
    askedAt: new WeakMap(),
    direct: new WeakMap(),
    ended: makeSignal(),
    tellOthers,
    isStopping: false
  }
  const fibers = yield* FiberSet.make()
  const runFork = yield* FiberSet.runtime(fibers)<never>()
  const lanes = () => [...node.lanes.values()]
  const start = (key: LaneKey): Lane => {
    const name = nameOf(key)
    const lane = makeLane(key, workOf(node, key, name))
    node.lanes.set(name, lane)
    runFork(lane.run)
    return lane
  }
  const wake = (key: LaneKey) =>
    Effect.sync(() => {
      const running = node.lanes.get(nameOf(key))
      if (running) return running.wake()
      if (!node.isStopping) start(key)
    })
  const direct = yield* makeDirectDispatch({
    laneOf: (batch) => (node.isStopping ? null : (node.lanes.get(nameOf(batch)) ?? start(batch))),
    running: (appId, provider, priority) => node.lanes.get(nameOf({ appId, provider, priority })),
    leave: (direct, outcome) => {
      node.askedAt.set(direct.batch, direct.askedAt)
      node.direct.set(direct.batch, { ...direct, outcome })
    },
    onReturned: node.ended.signal,
    sender,
    store: node.store,
    leaseMs: settings.leaseMs
  })
  const underWay = () => lanes().reduce((sum, lane) => sum + lane.running(), direct.waiting())
  yield* Effect.addFinalizer(() => draining("batches", underWay, drain(node, underWay, drainMs), drainMs))
  yield* Effect.acquireRelease(
    Effect.sync(() => metrics.watch(() => lanes().flatMap(laneSamples))),
    (stop) => Effect.sync(stop)
  )
  const { take } = yield* DirectSends
  yield* take(direct.receive, (appId, priority) => !node.isStopping && direct.isFree(appId, priority))
  return Dispatcher.of({ wake, lanes })
})

const nameOf = ({ appId, priority, provider }: LaneKey): string => `${appId}:${provider}:${priority}`

const drain = Effect.fnUntraced(function* (node: Supervision, underWay: () => number, drainMs: number) {
  node.isStopping = true
  const shut = Effect.andThen(Effect.sleep(drainMs - Math.min(LAST_MS, drainMs / 4)), Effect.sync(node.gate.shut))
  const fiber = yield* Effect.forkChild(shut)
  while (underWay() > 0) yield* node.ended.wait
  yield* Fiber.interrupt(fiber)
})

const laneSamples = ({ key: { provider }, running, state }: Lane): ReadonlyArray<Sample> => [
  { name: "heliograph_lanes", labels: { provider, state: state()._tag }, value: 1 },
  { name: "heliograph_lane_batches", labels: { provider }, value: running() }
]

const workOf = (node: Supervision, key: LaneKey, name: string): LaneWork => ({
  claim: (limit) => (node.tellOthers === null ? claim(node, key, name, limit) : left(node.tellOthers, key)),
  send: (batch, isProbe, progress) => {
    const askedAt = node.askedAt.get(batch)!
    const direct = node.direct.get(batch) ?? null
    return node.suspects.send(batch, node.sender.send({ key, batch, isProbe, askedAt, direct, progress }))
  },
  onEnd: node.ended.signal,
  onIdle: () => {
    node.lanes.delete(name)
    node.lookedAt.delete(name)
  },
  permits: node.permits[key.priority],
  strays: node.strays,
  isRepaired: (state) => isRepaired(node, key, state),
  isStopping: () => node.isStopping,
  maxWindow: Math.max(1, Math.ceil(node.settings.dispatchConcurrency / 2)),
  pauseMs: PAUSE_MS,
  repairMs: REPAIR_MS,
  idleMs: IDLE_MS
})

/** In place of a claim: others are told, and nothing is this process's. */
const left = (tellOthers: (key: LaneKey) => void, key: LaneKey): Effect.Effect<ReadonlyArray<ClaimedBatch>> =>
  Effect.sync(() => {
    tellOthers(key)
    return []
  })

/** Up to `limit` batches; now and then a suspected one instead, which goes alone. */
const claim = Effect.fnUntraced(function* (
  { askedAt, gate, lookedAt, settings, store }: Supervision,
  key: LaneKey,
  name: string,
  limit: number
) {
  yield* gate.open()
  const now = performance.now()
  const isLook = now - (lookedAt.get(name) ?? -Infinity) > LOOK_MS
  if (isLook) lookedAt.set(name, now)
  const suspect = isLook ? yield* store.claimSuspect(key, settings.leaseMs) : Option.none<ClaimedBatch>()
  const claimed = Option.isSome(suspect) ? [suspect.value] : yield* store.claim(key, limit, settings.leaseMs)
  for (const batch of claimed) askedAt.set(batch, now)
  return claimed
})

/** A lane that is slowed goes on with another credential, one that is paused with one that is good again. */
const isRepaired = Effect.fnUntraced(function* (
  { credentials }: Supervision,
  { appId, provider }: LaneKey,
  { _tag, version }: Exclude<LaneState, { readonly _tag: "open" }>
) {
  if (provider === "inbox") return true
  const found = yield* credentials.find(appId, provider)
  if (Option.isNone(found)) return false
  if (_tag === "paused") return found.value.suspendedReason === null
  if (found.value.version === version) return false
  yield* credentials.hasten(appId, provider, version ?? 0)
  return true
})
