import type { Duration } from "effect"
import { Cache, Context, Effect, Exit, FiberSet, Layer, Option, Semaphore } from "effect"
import type { CredentialKind } from "../../domain/sending/Credential.ts"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { Sample } from "../../domain/operations/Metrics.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import { ASIDE, WORKER_ENDED } from "../../domain/sending/Suspicion.ts"
import { AudienceStore } from "../../ports/audience/AudienceStore.ts"
import type { ClaimedBatch, LaneKey, ResultChunk } from "../../ports/sending/BatchStore.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { Provider } from "../../ports/sending/Provider.ts"
import { ApnsProvider, FcmProvider, SmtpProvider, WebPushProvider } from "../../ports/sending/Provider.ts"
import type { Trace } from "../../ports/operations/Tracing.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import type { Lane, LaneWork } from "./Lane.ts"
import { makeLane } from "./Lane.ts"
import type { Rendering } from "./Rendering.ts"
import { filling, makeRendering } from "./Rendering.ts"
import type { LaneReport, ResultRules } from "./Results.ts"
import { draining } from "../operations/Draining.ts"
import { tellOfSends } from "../operations/OutcomeLog.ts"
import { writeResults } from "./Saving.ts"
import type { BatchReport } from "./Sending.ts"
import { failBatch, inboxBatch, sendBatch } from "./Sending.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { LOOK_MS, makeSuspects } from "./Suspects.ts"
import { Templates } from "../messages/Templates.ts"
import { makeTrials } from "./Trials.ts"
import { WriteGate } from "../operations/WriteGate.ts"

/** How long a refused credential is left alone before one message tries it again. */
const PAUSE_MS = 30_000
/** How often a slowed or paused lane looks whether its credential was replaced. */
const REPAIR_MS = 2_000
/** A lane without work for so long ends; the next job starts it anew. */
const IDLE_MS = 30_000

/**
 * Recipients that a provider is given at once. A batch of pushes is through within about a second, mail may take
 * minutes: it goes in parts, so that a pause or cancel finds something left to stop.
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
  metrics.add("heliograph_dead_letters_total", { kind: "notification" }, outcomes["failed"] ?? 0)
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

/** A batch of which a lane learns nothing. */
const NOTHING: LaneReport = { slow: null, suspend: null }

const outcomeOf = ({ slow, suspend }: LaneReport) => (suspend !== null ? "suspended" : slow !== null ? "slowed" : "ok")

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
        const wakeUp = yield* makeWakeUps(yield* JobQueue)
        const settings = yield* EngineSettings
        const metrics = yield* Metrics
        const templates = yield* Templates
        const tracing = yield* Tracing
        const gate = yield* WriteGate
        /** Calls of providers. */
        let sendings = 0
        const suspects = makeSuspects(gate, () => sendings)
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
          const compiled = yield* templates.version(message.value.appId, template.version)
          const rendering = Option.match(compiled, {
            onNone: () => null,
            onSome: (one) => makeRendering(one, template.variables)
          })
          return Option.some<Prepared>({ message: message.value, rendering })
        })
        const trials = makeTrials()
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
          const written = yield* gate.writing("batches", [{ id: chunk.batchId, fence: chunk.fence }], (attempt) =>
            writeResults((part) => attempt(store.finish(part)), chunk)
          )
          if (Option.isNone(written)) return false
          const { chunks, webhooks } = written.value
          for (const each of chunks) {
            count(metrics, each)
            yield* tellOfSends(each)
          }
          for (const id of webhooks) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
          if (chunk.remaining.length === 0) yield* notifications.completeIfDone(chunk.notificationId)
          return true
        })

        /** Tells other processes that a credential version works. One that could not is told with the next batch. */
        const noteAcceptance = (appId: AppId, kind: CredentialKind, version: number, acceptedAt: number | null) =>
          Effect.suspend(() =>
            trials.notes(version, acceptedAt) ? credentials.accepted(appId, kind, version) : Effect.void
          ).pipe(Effect.catch(() => Effect.sync(() => trials.unnoted(version))))

        /**
         * Whom a batch still reaches, and who of the others wants no such messages: asked for only when there are any.
         */
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
          if (Option.isNone(found)) return NOTHING
          const { rendering } = found.value
          const message =
            batch.expiresAt === null ? found.value.message : { ...found.value.message, expiresAt: batch.expiresAt }
          const { trace } = message
          if (trace === undefined) return yield* sendMessage(key, batch, probe, message, rendering, null)
          return yield* tracing.span(trace, "batch.claimed", "consumer", aboutOf(batch), (span) =>
            sendMessage(key, batch, probe, message, rendering, span?.trace ?? null)
          )
        })

        /** A provider whose calls are known while they last. */
        const counted = (provider: Provider): Provider => ({
          ...provider,
          send: (batch, onOutcome) =>
            Effect.suspend(() => {
              sendings++
              return Effect.ensuring(
                provider.send(batch, onOutcome),
                Effect.sync(() => sendings--)
              )
            })
        })

        const rulesOf = (message: Message): ResultRules => ({
          retryBaseMs: settings.retryBaseMs,
          retryMaxMs: settings.retryMaxMs,
          leaseMs: settings.leaseMs,
          pauseMs: PAUSE_MS,
          expiresAt: message.expiresAt
        })

        /** Counts and logs a batch that has ended process after process. */
        const tellSetAside = ({ appId, id, notificationId, provider, recipients }: ClaimedBatch) => {
          metrics.add("heliograph_batches_set_aside_total", { provider }, 1)
          return Effect.logError(
            `A batch is set aside: the processes that sent it have ended, again and again. Its ${recipients.length} recipients have failed as ${WORKER_ENDED}, and can be replayed.`
          ).pipe(Effect.annotateLogs({ app_id: appId, notification_id: notificationId, batch_id: id, provider }))
        }

        /** Sends over the provider, with the credential in the version that the claim brought along. */
        const sendPush = Effect.fnUntraced(function* (
          batch: ClaimedBatch,
          probe: boolean,
          message: Message,
          rendering: Rendering | undefined,
          trace: Trace,
          credential: Credential
        ) {
          const { appId, config, version } = credential
          const { kind } = config
          const { acceptedAt, suspendedReason } = batch.credential!
          const { targets, unsubscribed } = yield* whoOf(batch, rendering !== undefined)
          const startedAt = performance.now()
          const sending = sendBatch({
            batch,
            heldSince: claimedAt.get(batch)!,
            heldUntil: claimedAt.get(batch)! + settings.leaseMs,
            mayBegin: (heldSince) => gate.mayBegin(batch.id, heldSince),
            isUnbroken: gate.isUnbroken,
            untilOpen: gate.open(batch.id),
            message,
            credential,
            provider: counted(rendering === undefined ? providers[kind] : filling(providers[kind], rendering)),
            targets,
            unsubscribed,
            rules: rulesOf(message),
            standing: trials.of(version, probe || suspendedReason !== null, acceptedAt),
            suspend: (reason) => credentials.suspendUnlessAccepted(appId, kind, version, reason),
            noteAcceptance: noteAcceptance(appId, kind, version, acceptedAt),
            save: saveTo(trace),
            slice: SLICE[kind],
            // A database that does not answer is no reason to stop.
            isHalted: notifications.isHalted(batch.notificationId).pipe(Effect.catch(() => Effect.succeed(false))),
            giveBack: store.release(batch.id, batch.fence, 0, false),
            extend: gate.writing("batches", [batch], (attempt) =>
              attempt(store.extend(batch.id, batch.fence, settings.leaseMs))
            )
          })
          const report = yield* tracing.span(trace, "provider.send", "client", aboutOf(batch), (span) =>
            Effect.tap(sending, (report) => Effect.sync(() => span?.note({ outcome: outcomeOf(report) })))
          )
          const seconds = (performance.now() - startedAt) / 1000
          metrics.observe("heliograph_batch_seconds", { provider: kind, outcome: outcomeOf(report) }, seconds)
          yield* judge(batch, credential, report)
          return report
        })

        /** What the outcomes of a batch mean for its credential. */
        const judge = Effect.fnUntraced(function* (batch: ClaimedBatch, credential: Credential, report: BatchReport) {
          const { appId, config, version } = credential
          const { kind } = config
          if (report.suspend !== null) {
            yield* credentials.suspend(appId, kind, version, report.suspend)
            // Of batches that were under way together, one says so.
            if (trials.tells(version)) {
              yield* Effect.logError(`The ${kind} credential is refused: ${report.suspend}. Its messages wait.`).pipe(
                Effect.annotateLogs({ app_id: appId, notification_id: batch.notificationId, batch_id: batch.id })
              )
            }
          } else if (batch.credential!.suspendedReason !== null && report.isProved) {
            yield* credentials.release(appId, kind, version)
          }
          // Replaced meanwhile, it made due what was written before.
          if (report.suspend !== null || report.awaitsRepair) yield* credentials.hasten(appId, kind, version)
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
          const rules = rulesOf(message)
          if (batch.suspicion >= ASIDE) {
            yield* save(failBatch(batch, rules, WORKER_ENDED))
            yield* tellSetAside(batch)
            return NOTHING
          }
          if (rendering === null) {
            yield* save(failBatch(batch, rules, "template_unreadable"))
            return NOTHING
          }
          if (key.provider === "inbox") {
            const who = yield* whoOf(batch, rendering !== undefined)
            yield* save(yield* inboxBatch({ batch, message, rules, rendering, ...who }))
            return NOTHING
          }
          const credential = batch.credential
            ? yield* Cache.get(configs, `${key.appId}:${key.provider}:${batch.credential.version}`)
            : Option.none()
          if (Option.isSome(credential)) {
            return yield* sendPush(batch, probe, message, rendering, trace, credential.value)
          }
          yield* save(failBatch(batch, rules, "credential_missing"))
          return NOTHING
        })

        /** When a claimed batch was asked for (`performance.now()`): from then on it is surely ours for a lease. */
        const claimedAt = new WeakMap<ClaimedBatch, number>()
        const lanes = new Map<string, Lane>()
        /** When each lane last looked for suspected batches. */
        const lookedAt = new Map<string, number>()
        const ended = makeSignal()
        let isStopping = false
        const permits = {
          high: yield* Semaphore.make(settings.dispatchConcurrency),
          bulk: yield* Semaphore.make(settings.dispatchConcurrency)
        }

        const workOf = (key: LaneKey, name: string): LaneWork => ({
          claim: Effect.fnUntraced(function* (limit) {
            yield* gate.open()
            const askedAt = performance.now()
            const isLook = askedAt - (lookedAt.get(name) ?? -Infinity) > LOOK_MS
            if (isLook) lookedAt.set(name, askedAt)
            const suspect = isLook ? yield* store.claimSuspect(key, settings.leaseMs) : Option.none<ClaimedBatch>()
            const claimed = Option.isSome(suspect) ? [suspect.value] : yield* store.claim(key, limit, settings.leaseMs)
            for (const batch of claimed) claimedAt.set(batch, askedAt)
            return claimed
          }),
          send: (batch, probe) => suspects.send(batch, send(key, batch, probe)),
          onEnd: ended.signal,
          onIdle: () => {
            lanes.delete(name)
            lookedAt.delete(name)
          },
          permits: permits[key.priority],
          isRepaired: Effect.fnUntraced(function* ({ _tag, version }) {
            if (key.provider === "inbox") return true
            const found = yield* credentials.find(key.appId, key.provider)
            if (Option.isNone(found)) return false
            if (_tag === "paused") return found.value.suspendedReason === null
            if (found.value.version === version) return false
            yield* credentials.hasten(key.appId, key.provider, version ?? 0)
            return true
          }),
          isStopping: () => isStopping,
          maxWindow: Math.max(1, Math.ceil(settings.dispatchConcurrency / 2)),
          pauseMs: PAUSE_MS,
          repairMs: REPAIR_MS,
          idleMs: IDLE_MS
        })

        // Made before the finalizer below, so that it closes after it: every lane, however late it started, is drained
        // before it is interrupted.
        const fibers = yield* FiberSet.make()
        const wake = Effect.fnUntraced(function* (key: LaneKey) {
          const name = `${key.appId}:${key.provider}:${key.priority}`
          const running = lanes.get(name)
          if (running) return running.wake()
          if (isStopping) return
          const lane = makeLane(key, workOf(key, name))
          lanes.set(name, lane)
          yield* FiberSet.run(fibers, lane.run)
        })

        const drain = Effect.gen(function* () {
          isStopping = true
          const isBusy = () => [...lanes.values()].some((lane) => lane.running() > 0)
          while (isBusy()) yield* ended.wait
        })
        const underWay = () => [...lanes.values()].reduce((sum, lane) => sum + lane.running(), 0)
        yield* Effect.addFinalizer(() => draining("batches", underWay, drain, drainMs))

        yield* Effect.acquireRelease(
          Effect.sync(() => metrics.watch(() => [...lanes.values()].flatMap(laneSamples))),
          (stop) => Effect.sync(stop)
        )

        return Dispatcher.of({ wake, lanes: () => [...lanes.values()] })
      })
    )
}
