import { Cache, Effect, identity, Option } from "effect"
import type { CredentialKind } from "../../domain/sending/Credential.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import { ASIDE, WORKER_ENDED } from "../../domain/sending/Suspicion.ts"
import type { Trace } from "../../ports/operations/Tracing.ts"
import type { ClaimedBatch, LaneKey, ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { DirectBatch } from "../../ports/sending/DirectSends.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import type { Outcome, Provider } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { inRoom } from "../../ports/operations/InRoom.ts"
import { withoutAddresses } from "../operations/OutcomeLog.ts"
import { writeChunk } from "./ChunkWriter.ts"
import type { DirectEnds, DirectGroup } from "./DirectSending.ts"
import { sendTogether } from "./DirectSending.ts"
import { inboxBatch } from "./InboxBatch.ts"
import type { OutcomeWriter } from "./OutcomeWriter.ts"
import { makeOutcomeWriter } from "./OutcomeWriter.ts"
import { LITTLE, withContents } from "./MessageRooms.ts"
import type { Prepared } from "./PreparedMessages.ts"
import { wholeMessage } from "./PreparedMessages.ts"
import type { Rendering } from "./Rendering.ts"
import { filling, withhold } from "./Rendering.ts"
import type { LaneReport, Progress, ResultRules } from "./Results.ts"
import { failBatch } from "./Results.ts"
import type { BatchReport } from "./Sending.ts"
import { sendBatch } from "./Sending.ts"
import type { Means } from "./SendingMeans.ts"
import { makeMeans, noteAcceptance } from "./SendingMeans.ts"

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
  /** Its message and recipient, where it was claimed as it was accepted. */
  readonly direct: Direct | null
  readonly progress: Progress
}

/** What came with a batch that was claimed as it was accepted, and what its provider has said of it already. */
export interface Direct extends Pick<DirectBatch, "message" | "target"> {
  readonly outcome: Outcome | null
}

export interface BatchSender {
  /** Sends a batch to its end. */
  readonly send: (claimed: LaneBatch) => Effect.Effect<LaneReport, StoreError>
  /** Sends messages to a device each together, which have their credential in common. */
  readonly sendTogether: <A extends DirectBatch>(group: DirectGroup<A>, ends: DirectEnds<A>) => Effect.Effect<void>
  /** Writes results of direct sends. */
  readonly writer: OutcomeWriter
  /** How many calls of providers are under way. */
  readonly calls: () => number
}

export const makeBatchSender = Effect.gen(function* () {
  const means = yield* makeMeans
  const writer = yield* makeOutcomeWriter(means)
  const sender: BatchSender = {
    send: (claimed) => send(means, claimed),
    sendTogether: (group, ends) => sendTogether(means, group, ends),
    writer,
    calls: () => means.calls
  }
  return sender
})

const send = Effect.fnUntraced(function* (means: Means, claimed: LaneBatch) {
  const { batch, direct } = claimed
  if (direct !== null && direct.message.trace === undefined) {
    return yield* sendMessage(means, claimed, direct.message, DIRECT, null)
  }
  const found = yield* Cache.get(means.messages, batch.notificationId)
  // Deleted with its batches: there is nothing to account for any more.
  if (Option.isNone(found)) return NOTHING
  const prepared = found.value
  const message = batch.expiresAt === null ? prepared.message : { ...prepared.message, expiresAt: batch.expiresAt }
  const { trace } = message
  if (trace === undefined) return yield* sendMessage(means, claimed, message, prepared, null)
  return yield* means.tracing.span(trace, "batch.claimed", "consumer", aboutOf(batch), (span) =>
    sendMessage(means, claimed, message, prepared, span?.trace ?? null)
  )
})

type Audience = Pick<Prepared, "isNamed" | "rendering" | "unread">

/** Its only recipient was read as it was accepted. */
const DIRECT: Audience = { isNamed: null, rendering: undefined, unread: 0 }

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
  { isNamed, rendering, unread }: Audience,
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
    const who = yield* whoOf(means, batch, null, rendering !== undefined)
    const room = inboxRoomOf(means, batch, rendering, unread)
    yield* room(
      Effect.flatMap(unread === 0 ? Effect.succeed(message) : wholeOf(means, message), (message) =>
        Effect.flatMap(inboxBatch({ batch, message, rules, rendering, ...who }), save)
      )
    )
    return NOTHING
  }
  const credential = batch.credential
    ? yield* Cache.get(means.versions, `${key.appId}:${key.provider}:${batch.credential.version}`)
    : Option.none()
  if (Option.isSome(credential)) {
    return yield* sendPush(means, claimed, message, { isNamed, rendering, unread }, trace, credential.value)
  }
  yield* save(failBatch(batch, rules, "credential_missing"))
  return NOTHING
})

const rulesOf = ({ settings }: Means, message: Message): ResultRules => ({
  retryBaseMs: settings.retryBaseMs,
  retryMaxMs: settings.retryMaxMs,
  leaseMs: settings.leaseMs,
  pauseMs: PAUSE_MS,
  expiresAt: message.expiresAt,
  isOnce: message.nowOrNever
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
  isNamed: Prepared["isNamed"],
  withPerson: boolean
) {
  // Addresses and inboxes belong to a person as long as they are there.
  const isTheirs = provider === "inbox" || provider === "smtp" ? null : isNamed
  const found = yield* audiences.targets(appId, provider, recipients, withPerson, isTheirs !== null)
  // Planned at once, a message may wait for its time or another try, and an app has signed somebody else in meanwhile.
  const targets = isTheirs === null ? found : found.filter(({ userId }) => userId != null && isTheirs(userId))
  if (targets.length === recipients.length) return { targets, unsubscribed: NOBODY }
  const known = new Set(found.map(({ id }) => id))
  const others = recipients.filter((id) => !known.has(id))
  return { targets, unsubscribed: new Set(yield* audiences.unsubscribed(appId, provider, others)) }
})

/** Sends over the provider, with the credential in the version that the claim brought along. */
const sendPush = Effect.fnUntraced(function* (
  means: Means,
  { askedAt, batch, direct, isProbe, progress }: LaneBatch,
  message: Message,
  { isNamed, rendering, unread }: Audience & { readonly rendering: Rendering<StoreError> | undefined },
  trace: Trace,
  credential: Credential
) {
  const { credentials, gate, metrics, notifications, providers, settings, store, tracing, probes } = means
  const { appId, config, version } = credential
  const { kind } = config
  const { acceptedAt, suspendedReason } = batch.credential!
  const { targets, unsubscribed } =
    direct === null
      ? yield* whoOf(means, batch, isNamed, rendering !== undefined)
      : { targets: [direct.target], unsubscribed: NOBODY }
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
    provider: counted(means, given(means, providers[kind], { rendering, unread })),
    targets,
    said: direct?.outcome ?? null,
    unsubscribed,
    rules: rulesOf(means, message),
    progress,
    standing: probes.of(version, isProbe || suspendedReason !== null, acceptedAt),
    suspend: (reason) => credentials.suspendUnlessAccepted(appId, kind, version, reason),
    noteAcceptance: noteAcceptance(means, credential, acceptedAt),
    save: (chunk) => writeChunk(means, trace, chunk),
    slice: SLICE[kind],
    // A database that does not answer is no reason to stop.
    isHalted: notifications.isHalted(batch.notificationId).pipe(Effect.catch(() => Effect.succeed(false))),
    isReplaced: Effect.catch(
      Effect.map(credentials.find(appId, kind), (now) => Option.isNone(now) || now.value.version !== version),
      () => Effect.succeed(false)
    ),
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

/** A provider that is given contents. */
const given = (
  means: Means,
  provider: Provider,
  { rendering, unread }: { readonly rendering: Rendering<StoreError> | undefined; readonly unread: number }
): Provider => {
  if (rendering !== undefined) return filling(provider, rendering, means.rooms.contents)
  if (unread === 0) return provider
  const send: Provider["send"] = (batch, onOutcome) =>
    withContents(
      means.rooms.contents,
      batch.message.appId,
      unread,
      1
    )(Effect.flatMap(wholeOf(means, batch.message), (message) => provider.send({ ...batch, message }, onOutcome))).pipe(
      Effect.catch(() => withhold([...batch.targets.keys()], onOutcome))
    )
  return { ...provider, send }
}

/** A message with its content. */
const wholeOf = (means: Means, message: Message) =>
  Effect.map(wholeMessage(means.notifications, message.notificationId), ({ content }) => ({ ...message, content }))

/** Room for the contents of an inbox' batch, which are written all at once. */
const inboxRoomOf = (
  { rooms }: Means,
  { appId, recipients }: ClaimedBatch,
  rendering: Rendering<StoreError> | undefined,
  unread: number
) => {
  const size = unread + recipients.length * (rendering?.characters ?? 0)
  return size <= LITTLE ? identity : inRoom(rooms.contents, appId, size)
}

/** A provider whose calls are known while they last. */
export const counted = (means: Means, provider: Provider): Provider => ({
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
      yield* Effect.logError(
        `The ${kind} credential is refused, and its messages wait: ${withoutAddresses(report.suspend)}`
      ).pipe(Effect.annotateLogs({ app_id: appId, notification_id: batch.notificationId, batch_id: batch.id }))
    }
  } else if (batch.credential!.suspendedReason !== null && report.isProved) {
    yield* credentials.release(appId, kind, version)
  }
  // Replaced meanwhile, it made due what was written before.
  if (report.suspend !== null || report.awaitsRepair) yield* credentials.hasten(appId, kind, version)
})
