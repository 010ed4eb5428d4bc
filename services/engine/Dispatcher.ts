import type { Duration } from "effect"
import { Cache, Context, Effect, Exit, Layer, Option, Scope, Semaphore } from "effect"
import type { CredentialKind } from "../domain/Credential.ts"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import type { Registry, Sample } from "../domain/Metrics.ts"
import type { Message } from "../domain/Notification.ts"
import { AudienceStore } from "../ports/AudienceStore.ts"
import type { ClaimedBatch, LaneKey, ResultChunk } from "../ports/BatchStore.ts"
import { BatchStore } from "../ports/BatchStore.ts"
import { CredentialStore } from "../ports/CredentialStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { Metrics } from "../ports/Metrics.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { Provider } from "../ports/Provider.ts"
import { ApnsProvider, FcmProvider, SmtpProvider, WebPushProvider } from "../ports/Provider.ts"
import type { Trace } from "../ports/Tracing.ts"
import { Tracing } from "../ports/Tracing.ts"
import { makeHints } from "./Hints.ts"
import type { Lane, LaneWork } from "./Lane.ts"
import { makeLane } from "./Lane.ts"
import type { Rendering } from "./Rendering.ts"
import { filling, makeRendering } from "./Rendering.ts"
import { writeResults } from "./Saving.ts"
import { failBatch, inboxBatch, sendBatch } from "./Sending.ts"
import { make as makeSignal } from "./Signal.ts"
import { Templates } from "./Templates.ts"

/** How long a refused credential is left alone before one message tries it again. */
const HOLD_MS = 30_000
/** How often a slow or held lane looks whether its credential was replaced. */
const REPAIR_MS = 2_000
/** A lane without work for so long ends; the next job starts it anew. */
const IDLE_MS = 30_000

/**
 * Recipients that a provider is given at once. A batch of pushes is through within about a second, mail may take minutes:
 * it goes in pieces, so that a pause or cancel finds something left to stop.
 */
const SLICE: Readonly<Record<CredentialKind, number>> = { apns: Infinity, fcm: Infinity, webpush: Infinity, smtp: 50 }

const NOBODY: ReadonlySet<string> = new Set()
/** What is remembered of a notification; `rendering` is undefined without a template, null where it cannot be read. */
interface Prepared {
  readonly message: Message
  readonly rendering: Rendering | null | undefined
}

/** A database that was away for a moment is asked again at once. */
const unlessFailed =
  (timeToLive: "10 minutes" | "1 hour") =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Input =>
    Exit.isSuccess(exit) ? timeToLive : 0

/** The results of a chunk that was written. */
const count = (metrics: Registry, { final, provider, retries }: ResultChunk): void => {
  const outcomes: Record<string, number> = { retry: 0 }
  for (const status of final.statuses) outcomes[status] = (outcomes[status] ?? 0) + 1
  for (const { recipients } of retries) outcomes["retry"]! += recipients.length
  for (const [outcome, by] of Object.entries(outcomes)) {
    metrics.add("heliograph_recipients_total", { provider, outcome }, by)
  }
}

/** What spans tell of a batch, and of results. */
const aboutOf = (batch: ClaimedBatch) => ({
  app_id: batch.appId,
  notification_id: batch.notificationId,
  batch_id: batch.id,
  provider: batch.provider,
  recipients: batch.recipients.length,
  attempt: batch.attempts + 1,
  fence: batch.fence
})

const numbersOf = ({ batchId, final, notificationId, remaining, retries }: ResultChunk) => {
  const numbers = { sent: 0, failed: 0, skipped: 0, cancelled: 0, retried: 0, remaining: remaining.length }
  for (const status of final.statuses) numbers[status]++
  for (const { recipients } of retries) numbers.retried += recipients.length
  return { notification_id: notificationId, batch_id: batchId, ...numbers }
}

const laneSamples = ({ key: { provider }, running, state }: Lane): ReadonlyArray<Sample> => [
  { name: "heliograph_lanes", labels: { provider, state: state()._tag }, value: 1 },
  { name: "heliograph_lane_batches", labels: { provider }, value: running() }
]

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
      Effect.gen(function* () {
        const store = yield* BatchStore
        const audiences = yield* AudienceStore
        const notifications = yield* NotificationStore
        const credentials = yield* CredentialStore
        // Made before the finalizer below, so that it closes after it: what the last batches have to tell is told.
        const hint = yield* makeHints(yield* JobQueue)
        const settings = yield* EngineSettings
        const metrics = yield* Metrics
        const templates = yield* Templates
        const tracing = yield* Tracing
        const providers: Readonly<Record<CredentialKind, Provider>> = {
          apns: yield* ApnsProvider,
          fcm: yield* FcmProvider,
          webpush: yield* WebPushProvider,
          smtp: yield* SmtpProvider
        }

        /** A message with its template, if it has one: null is one that nobody can read any more. */
        const prepared = Effect.fnUntraced(function* (id: NotificationId) {
          const message = yield* notifications.message(id)
          if (Option.isNone(message)) return Option.none<Prepared>()
          const { template } = message.value
          if (template === undefined) return Option.some<Prepared>({ message: message.value, rendering: undefined })
          const compiled = yield* templates.version(template.version)
          const rendering = Option.match(compiled, {
            onNone: () => null,
            onSome: (one) => makeRendering(one, template.variables)
          })
          return Option.some<Prepared>({ message: message.value, rendering })
        })
        const messages = yield* Cache.makeWith(prepared, { capacity: 256, timeToLive: unlessFailed("10 minutes") })
        // By version, which a claimed batch brings along: what is remembered is never out of date.
        const configs = yield* Cache.makeWith(
          (key: string) => {
            const [appId, kind] = key.split(":")
            return credentials.find(appId as AppId, kind as CredentialKind)
          },
          { capacity: 4096, timeToLive: unlessFailed("1 hour") }
        )

        const saveTo = (trace: Trace) => (chunk: ResultChunk) =>
          trace === null
            ? save(chunk)
            : tracing.span(trace, "batch.results", "internal", numbersOf(chunk), () => save({ ...chunk, trace }))

        const save = Effect.fnUntraced(function* (chunk: ResultChunk) {
          const written = yield* writeResults(store.finish, chunk)
          if (Option.isNone(written)) return false
          const { chunks, hooks } = written.value
          for (const each of chunks) count(metrics, each)
          for (const id of hooks) hint({ type: "HookV1", id, priority: "bulk" })
          if (chunk.remaining.length === 0) yield* notifications.completeIfDone(chunk.notificationId)
          return true
        })

        /** Whom a batch still reaches, and who of the others wants no such messages: asked for only when there are any. */
        const whoOf = Effect.fnUntraced(function* ({ appId, provider, recipients }: ClaimedBatch, withPerson: boolean) {
          const targets = yield* audiences.targets(appId, provider, recipients, withPerson)
          if (targets.length === recipients.length) return { targets, unsubscribed: NOBODY }
          const known = new Set(targets.map(({ id }) => id))
          const others = recipients.filter((id) => !known.has(id))
          return { targets, unsubscribed: new Set(yield* audiences.unsubscribed(appId, provider, others)) }
        })

        const send = Effect.fnUntraced(function* (key: LaneKey, batch: ClaimedBatch, probe: boolean) {
          const found = yield* Cache.get(messages, batch.notificationId)
          // Deleted with its batches: there is nothing to account for any more.
          if (Option.isNone(found)) return { slow: null, hold: null }
          const { rendering } = found.value
          const message =
            batch.expiresAt === null ? found.value.message : { ...found.value.message, expiresAt: batch.expiresAt }
          const { trace } = message
          if (trace === undefined) return yield* sendMessage(key, batch, probe, message, rendering, null)
          return yield* tracing.span(trace, "batch.claimed", "consumer", aboutOf(batch), (span) =>
            sendMessage(key, batch, probe, message, rendering, span?.trace ?? null)
          )
        })

        const sendMessage = Effect.fnUntraced(function* (
          key: LaneKey,
          batch: ClaimedBatch,
          probe: boolean,
          message: Message,
          rendering: Prepared["rendering"],
          trace: Trace
        ) {
          const save = saveTo(trace)
          const rules = {
            retryBaseMs: settings.retryBaseMs,
            retryMaxMs: settings.retryMaxMs,
            leaseMs: settings.leaseMs,
            holdMs: HOLD_MS,
            expiresAt: message.expiresAt
          }
          const { provider } = key
          if (rendering === null) {
            yield* save(failBatch(batch, rules, "template_unreadable"))
            return { slow: null, hold: null }
          }
          if (provider === "inbox") {
            const who = yield* whoOf(batch, rendering !== undefined)
            yield* save(yield* inboxBatch({ batch, message, rules, rendering, ...who }))
            return { slow: null, hold: null }
          }
          const credential = batch.credential
            ? yield* Cache.get(configs, `${key.appId}:${key.provider}:${batch.credential.version}`)
            : Option.none()
          if (Option.isNone(credential)) {
            yield* save(failBatch(batch, rules, "credential_missing"))
            return { slow: null, hold: null }
          }
          const { version } = credential.value
          const held = batch.credential?.held ?? null
          const { targets, unsubscribed } = yield* whoOf(batch, rendering !== undefined)
          const startedAt = performance.now()
          const sending = sendBatch({
            batch,
            heldUntil: heldUntil.get(batch)!,
            message,
            credential: credential.value,
            provider: rendering === undefined ? providers[provider] : filling(providers[provider], rendering),
            targets,
            unsubscribed,
            rules,
            probe: probe || held !== null,
            save,
            slice: SLICE[provider],
            // A database that does not answer is no reason to stop.
            isHalted: notifications.isHalted(batch.notificationId).pipe(Effect.catch(() => Effect.succeed(false))),
            giveBack: store.release(batch.id, batch.fence, 0, false),
            extend: store.extend(batch.id, batch.fence, settings.leaseMs)
          })
          const news = yield* tracing.span(trace, "provider.send", "client", aboutOf(batch), (span) =>
            Effect.tap(sending, ({ hold, slow }) =>
              Effect.sync(() => span?.note({ outcome: hold !== null ? "held" : slow !== null ? "slow" : "ok" }))
            )
          )
          const outcome = news.hold !== null ? "held" : news.slow !== null ? "slow" : "ok"
          const seconds = (performance.now() - startedAt) / 1000
          metrics.observe("heliograph_batch_seconds", { provider: key.provider, outcome }, seconds)
          if (news.hold !== null) {
            yield* credentials.hold(key.appId, provider, version, news.hold)
            yield* Effect.logError(`The ${key.provider} credential is refused: ${news.hold}. Its messages wait.`).pipe(
              Effect.annotateLogs({ app_id: key.appId, notification_id: batch.notificationId, batch_id: batch.id })
            )
          } else if (held !== null && targets.length > 0 && news.slow === null) {
            yield* credentials.release(key.appId, provider, version)
          }
          return news
        })

        /** Until when a claimed batch is surely ours (`performance.now()`): no earlier than the claim was asked for. */
        const heldUntil = new WeakMap<ClaimedBatch, number>()
        const lanes = new Map<string, Lane>()
        const ended = makeSignal()
        let isStopping = false
        const permits = {
          high: yield* Semaphore.make(settings.dispatchConcurrency),
          bulk: yield* Semaphore.make(settings.dispatchConcurrency)
        }

        const workOf = (key: LaneKey, name: string): LaneWork => ({
          claim: (limit) =>
            Effect.suspend(() => {
              const askedAt = performance.now()
              return Effect.tap(store.claim(key, limit, settings.leaseMs), (claimed) =>
                Effect.sync(() => {
                  for (const batch of claimed) heldUntil.set(batch, askedAt + settings.leaseMs)
                })
              )
            }),
          send: (batch, probe) => send(key, batch, probe),
          onEnd: ended.signal,
          onIdle: () => lanes.delete(name),
          permits: permits[key.priority],
          isRepaired: Effect.fnUntraced(function* ({ _tag, version }) {
            if (key.provider === "inbox") return true
            const found = yield* credentials.find(key.appId, key.provider)
            if (Option.isNone(found)) return false
            if (_tag === "held") return found.value.held === null
            if (found.value.version === version) return false
            yield* credentials.hasten(key.appId, key.provider)
            return true
          }),
          isStopping: () => isStopping,
          maxWindow: Math.max(1, Math.ceil(settings.dispatchConcurrency / 2)),
          holdMs: HOLD_MS,
          repairMs: REPAIR_MS,
          idleMs: IDLE_MS
        })

        // Made before the finalizer below, so that it closes after it: every lane, however late it started, is drained
        // before it is interrupted.
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
        const wake = Effect.fnUntraced(function* (key: LaneKey) {
          const name = `${key.appId}:${key.provider}:${key.priority}`
          const running = lanes.get(name)
          if (running) return running.wake()
          if (isStopping) return
          const lane = makeLane(key, workOf(key, name))
          lanes.set(name, lane)
          yield* Effect.forkIn(lane.run, scope)
        })

        const drain = Effect.gen(function* () {
          isStopping = true
          const isBusy = () => [...lanes.values()].some((lane) => lane.running() > 0)
          while (isBusy()) yield* ended.wait
        })
        yield* Effect.addFinalizer(() => Effect.asVoid(Effect.timeoutOption(drain, drainMs)))

        yield* Effect.acquireRelease(
          Effect.sync(() => metrics.watch(() => [...lanes.values()].flatMap(laneSamples))),
          (stop) => Effect.sync(stop)
        )

        return Dispatcher.of({ wake, lanes: () => [...lanes.values()] })
      })
    )
}
