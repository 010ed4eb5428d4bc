import { Cache, Effect, Option } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { CredentialKind } from "../../domain/sending/Credential.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import { ASIDE, WORKER_ENDED } from "../../domain/sending/Suspicion.ts"
import { AudienceStore } from "../../ports/audience/AudienceStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import type { Trace } from "../../ports/operations/Tracing.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import type { ClaimedBatch, LaneKey, ResultChunk } from "../../ports/sending/BatchStore.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { Provider } from "../../ports/sending/Provider.ts"
import { ApnsProvider, FcmProvider, SmtpProvider, WebPushProvider } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { WriteGate } from "../operations/WriteGate.ts"
import type { ChunkWriting } from "./ChunkWriter.ts"
import { writeChunk } from "./ChunkWriter.ts"
import { inboxBatch } from "./InboxBatch.ts"
import type { Prepared, PreparedMessages } from "./PreparedMessages.ts"
import { makePreparedMessages, unlessFailed } from "./PreparedMessages.ts"
import type { Rendering } from "./Rendering.ts"
import { filling } from "./Rendering.ts"
import type { LaneReport, ResultRules } from "./Results.ts"
import { failBatch } from "./Results.ts"
import type { BatchReport } from "./Sending.ts"
import { sendBatch } from "./Sending.ts"
import type { CredentialProbes } from "./CredentialProbes.ts"
import { makeCredentialProbes } from "./CredentialProbes.ts"

/*
 * What becomes of a claimed batch: its message and template are found, its credential, its recipients' addresses; all
 * goes to a provider, and what came of it tells what the credential is worth. Each step may end it before.
 */

/** How long a refused credential is left alone before one message tries it again. */
export const PAUSE_MS = 30_000

/**
 * Recipients that a provider is given at once. A batch of pushes is through within about a second, mail may take
 * minutes: it goes in parts, so that a pause or cancel finds something left to stop.
 */
const SLICE: Readonly<Record<CredentialKind, number>> = { apns: Infinity, fcm: Infinity, webpush: Infinity, smtp: 50 }

const NOBODY: ReadonlySet<string> = new Set()

/** A batch of which a lane learns nothing. */
const NOTHING: LaneReport = { slow: null, suspend: null }

/** A batch that a lane has claimed. */
export interface LaneBatch {
  readonly key: LaneKey
  readonly batch: ClaimedBatch
  /** The credential is in doubt. */
  readonly isProbe: boolean
  /** When it was asked for (`performance.now()`): from then on it is surely ours for a lease. */
  readonly askedAt: number
}

export interface BatchSender {
  /** Sends a batch to its end. */
  readonly send: (claimed: LaneBatch) => Effect.Effect<LaneReport, StoreError>
  /** How many calls of providers are under way. */
  readonly calls: () => number
}

interface Means extends ChunkWriting {
  readonly audiences: AudienceStore["Service"]
  readonly credentials: CredentialStore["Service"]
  readonly settings: EngineSettings["Service"]
  readonly providers: Readonly<Record<CredentialKind, Provider>>
  readonly probes: CredentialProbes
  readonly messages: PreparedMessages
  /** By application, kind and version. */
  readonly versions: Cache.Cache<string, Option.Option<Credential>, StoreError>
  calls: number
}

export const makeBatchSender = Effect.gen(function* () {
  const credentials = yield* CredentialStore
  // Made before the finalizers of those who send, so that it closes after them: what the last batches have to tell is
  // told.
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const means: Means = {
    store: yield* BatchStore,
    audiences: yield* AudienceStore,
    notifications: yield* NotificationStore,
    credentials,
    settings: yield* EngineSettings,
    gate: yield* WriteGate,
    metrics: yield* Metrics,
    tracing: yield* Tracing,
    wakeWebhook: (id) => wakeUp({ type: "WebhookV1", id, priority: "bulk" }),
    providers: {
      apns: yield* ApnsProvider,
      fcm: yield* FcmProvider,
      webpush: yield* WebPushProvider,
      smtp: yield* SmtpProvider
    },
    probes: makeCredentialProbes(),
    messages: yield* makePreparedMessages,
    // By version, which a claimed batch brings along: what is remembered is never out of date.
    versions: yield* Cache.makeWith(
      (key: string) => {
        const [appId, kind] = key.split(":")
        return credentials.find(appId as AppId, kind as CredentialKind)
      },
      { capacity: 4096, timeToLive: unlessFailed("1 hour") }
    ),
    calls: 0
  }
  const sender: BatchSender = { send: (claimed) => send(means, claimed), calls: () => means.calls }
  return sender
})

const send = Effect.fnUntraced(function* (means: Means, claimed: LaneBatch) {
  const { batch } = claimed
  const found = yield* Cache.get(means.messages, batch.notificationId)
  // Deleted with its batches: there is nothing to account for any more.
  if (Option.isNone(found)) return NOTHING
  const { rendering } = found.value
  const message =
    batch.expiresAt === null ? found.value.message : { ...found.value.message, expiresAt: batch.expiresAt }
  const { trace } = message
  if (trace === undefined) return yield* sendMessage(means, claimed, message, rendering, null)
  return yield* means.tracing.span(trace, "batch.claimed", "consumer", aboutOf(batch), (span) =>
    sendMessage(means, claimed, message, rendering, span?.trace ?? null)
  )
})

/** What spans tell of a batch. */
const aboutOf = (batch: ClaimedBatch) => ({
  app_id: batch.appId,
  notification_id: batch.notificationId,
  batch_id: batch.id,
  provider: batch.provider,
  recipients: batch.recipients.length,
  attempt: batch.attempts + 1,
  fence: batch.fence
})

const sendMessage = Effect.fnUntraced(function* (
  means: Means,
  claimed: LaneBatch,
  message: Message,
  rendering: Prepared["rendering"],
  trace: Trace
) {
  const { batch, key } = claimed
  const save = (chunk: ResultChunk) => writeChunk(means, trace, chunk)
  const rules = rulesOf(means, message)
  if (batch.suspicion >= ASIDE) {
    yield* save(failBatch(batch, rules, WORKER_ENDED))
    yield* tellSetAside(means, batch)
    return NOTHING
  }
  if (rendering === null) {
    yield* save(failBatch(batch, rules, "template_unreadable"))
    return NOTHING
  }
  if (key.provider === "inbox") {
    const who = yield* whoOf(means, batch, rendering !== undefined)
    yield* save(yield* inboxBatch({ batch, message, rules, rendering, ...who }))
    return NOTHING
  }
  const credential = batch.credential
    ? yield* Cache.get(means.versions, `${key.appId}:${key.provider}:${batch.credential.version}`)
    : Option.none()
  if (Option.isSome(credential)) {
    return yield* sendPush(means, claimed, message, rendering, trace, credential.value)
  }
  yield* save(failBatch(batch, rules, "credential_missing"))
  return NOTHING
})

const rulesOf = ({ settings }: Means, message: Message): ResultRules => ({
  retryBaseMs: settings.retryBaseMs,
  retryMaxMs: settings.retryMaxMs,
  leaseMs: settings.leaseMs,
  pauseMs: PAUSE_MS,
  expiresAt: message.expiresAt
})

/** Counts and logs a batch that has ended process after process. */
const tellSetAside = ({ metrics }: Means, { appId, id, notificationId, provider, recipients }: ClaimedBatch) => {
  metrics.add("heliograph_batches_set_aside_total", { provider }, 1)
  return Effect.logError(
    `A batch is set aside: the processes that sent it have ended, again and again. Its ${recipients.length} recipients have failed as ${WORKER_ENDED}, and can be replayed.`
  ).pipe(Effect.annotateLogs({ app_id: appId, notification_id: notificationId, batch_id: id, provider }))
}

/**
 * Whom a batch still reaches, and who of the others wants no such messages: asked for only when there are any.
 */
const whoOf = Effect.fnUntraced(function* (
  { audiences }: Means,
  { appId, provider, recipients }: ClaimedBatch,
  withPerson: boolean
) {
  const targets = yield* audiences.targets(appId, provider, recipients, withPerson)
  if (targets.length === recipients.length) return { targets, unsubscribed: NOBODY }
  const known = new Set(targets.map(({ id }) => id))
  const others = recipients.filter((id) => !known.has(id))
  return { targets, unsubscribed: new Set(yield* audiences.unsubscribed(appId, provider, others)) }
})

/** Sends over the provider, with the credential in the version that the claim brought along. */
const sendPush = Effect.fnUntraced(function* (
  means: Means,
  { askedAt, batch, isProbe }: LaneBatch,
  message: Message,
  rendering: Rendering | undefined,
  trace: Trace,
  credential: Credential
) {
  const { credentials, gate, metrics, notifications, providers, settings, store, tracing, probes } = means
  const { appId, config, version } = credential
  const { kind } = config
  const { acceptedAt, suspendedReason } = batch.credential!
  const { targets, unsubscribed } = yield* whoOf(means, batch, rendering !== undefined)
  const startedAt = performance.now()
  const sending = sendBatch({
    batch,
    heldSince: askedAt,
    heldUntil: askedAt + settings.leaseMs,
    mayBegin: (heldSince) => gate.mayBegin(batch.id, heldSince),
    isUnbroken: gate.isUnbroken,
    untilOpen: gate.open(batch.id),
    message,
    credential,
    provider: counted(means, rendering === undefined ? providers[kind] : filling(providers[kind], rendering)),
    targets,
    unsubscribed,
    rules: rulesOf(means, message),
    standing: probes.of(version, isProbe || suspendedReason !== null, acceptedAt),
    suspend: (reason) => credentials.suspendUnlessAccepted(appId, kind, version, reason),
    noteAcceptance: noteAcceptance(means, credential, acceptedAt),
    save: (chunk) => writeChunk(means, trace, chunk),
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
  yield* judge(means, batch, credential, report)
  return report
})

/** A provider whose calls are known while they last. */
const counted = (means: Means, provider: Provider): Provider => ({
  ...provider,
  send: (batch, onOutcome) =>
    Effect.suspend(() => {
      means.calls++
      return Effect.ensuring(
        provider.send(batch, onOutcome),
        Effect.sync(() => means.calls--)
      )
    })
})

/** Tells other processes that a credential version works. One that could not is told with the next batch. */
const noteAcceptance = (
  { credentials, probes }: Means,
  { appId, config, version }: Credential,
  acceptedAt: number | null
) =>
  Effect.suspend(() =>
    probes.notes(version, acceptedAt) ? credentials.accepted(appId, config.kind, version) : Effect.void
  ).pipe(Effect.catch(() => Effect.sync(() => probes.unnoted(version))))

const outcomeOf = ({ slow, suspend }: LaneReport) => (suspend !== null ? "suspended" : slow !== null ? "slowed" : "ok")

/** What the outcomes of a batch mean for its credential. */
const judge = Effect.fnUntraced(function* (
  { credentials, probes }: Means,
  batch: ClaimedBatch,
  { appId, config: { kind }, version }: Credential,
  report: BatchReport
) {
  if (report.suspend !== null) {
    yield* credentials.suspend(appId, kind, version, report.suspend)
    // Of batches that were under way together, one says so.
    if (probes.tells(version)) {
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
