import type { ProviderKind } from "../../domain/sending/Credential.ts"
import { isChannel } from "../../domain/sending/Delivery.ts"
import type { DeliveryStatus } from "../../domain/sending/Delivery.ts"
import type { EventChunk, EventName } from "../../domain/webhooks/Event.ts"
import type { AppId, BatchId, EventChunkId, NotificationId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import type { ClaimedBatch, ResultChunk, Tried } from "../../ports/sending/BatchStore.ts"
import type { Settled } from "../../ports/sending/Provider.ts"
import { retryDelay } from "./RetryPolicy.ts"

/**
 * The longest that a provider may make its messages wait: what asks for more has made a mistake, or is somebody else's.
 */
const MOST_WAIT_MS = 3_600_000

/** The shortest that a limit lasts, of whatever provider: an attempt that met one does not count, and is repeated for ever. */
const LEAST_SLOW_MS = 1000

const EXPIRED = "expired"

/** Characters that are kept of a provider's message id or reason. */
const MOST_TEXT = 1024

export interface ResultRules {
  readonly retryBaseMs: number
  readonly retryMaxMs: number
  readonly leaseMs: number
  /** How long messages wait that only a repaired credential can send. */
  readonly pauseMs: number
  /** Epoch milliseconds after which the notification is worthless. */
  readonly expiresAt: number
  /** Now or never: an attempt that failed is the last one. */
  readonly isOnce: boolean
}

interface Group {
  readonly recipients: Array<string>
  readonly delayMs: number
  readonly attempts: number
  readonly suspended: boolean
  readonly slowed: boolean
  readonly doubtful: boolean
  /** Of the first of them. */
  readonly reason: string
}

/** What a lane is told by outcomes that concern more than one recipient. */
export interface LaneReport {
  readonly slow: { readonly reason: string; readonly ms: number } | null
  readonly suspend: string | null
  /** The provider accepted a message, or said that a token is dead. */
  readonly isProved?: boolean
}

/** How far a batch is. */
export interface Progress {
  /** Recipients without an outcome. */
  left: number
  /** The provider took one of them. */
  isTaken: boolean
}

/**
 * Gathers the outcomes of a claimed batch and cuts them into chunks for the store: final states in columns, retries in
 * groups by due time, events. Which outcome means what is decided here and nowhere else.
 */
export class Results {
  readonly #batch: ClaimedBatch
  readonly #rules: ResultRules
  readonly #random: () => number
  /** How many have an outcome, and who: noted in order, and looked up only for the chunks of a part of the batch. */
  #ended = 0
  #before: Array<ReadonlyArray<string>> = []
  #recipients: Array<string> = []
  #statuses: Array<DeliveryStatus> = []
  #messageIds: Array<string | null> = []
  #errors: Array<string | null> = []
  #dead: Array<ResultChunk["dead"][number]> = []
  #environments: Array<ResultChunk["environments"][number]> = []
  #retries = new Map<string, Group>()
  #retryMs: number | null = null
  #slow: { reason: string; ms: number } | null = null
  #suspend: string | null = null

  constructor(batch: ClaimedBatch, rules: ResultRules, random: () => number) {
    this.#batch = batch
    this.#rules = rules
    this.#random = random
  }

  /** Recipients that have an outcome which no chunk has taken yet. */
  get unsaved(): number {
    let retried = 0
    for (const group of this.#retries.values()) retried += group.recipients.length
    return this.#recipients.length + retried
  }

  /** Recipients that have an outcome. */
  get ended(): number {
    return this.#ended
  }

  get report(): LaneReport {
    return { slow: this.#slow, suspend: this.#suspend }
  }

  /** Ends everybody who has no outcome yet. */
  failRest(reason: string): void {
    for (const recipient of this.#open()) this.fail(recipient, reason)
  }

  skip(recipient: string, reason: string): void {
    this.#end(recipient, "skipped", null, reason)
  }

  /**
   * Whose time is over is said to have failed for what kept it from going out: what an attempt met, or a credential that the
   * provider refuses, for which it was not even tried.
   */
  fail(recipient: string, reason: string): void {
    const met = this.#batch.reason ?? this.#batch.credential?.suspendedReason ?? null
    const error = reason === EXPIRED && met !== null ? `${EXPIRED}: ${met}` : reason
    this.#end(recipient, "failed", null, this.#mayHaveCome ? doubted(error) : error)
  }

  /** Whether a server may have taken the mails of the batch before, and never said so. Push services are asked within their time to live. */
  get #mayHaveCome(): boolean {
    return this.#batch.provider === "smtp" && this.#batch.isDoubtful
  }

  /**
   * Notes the outcome of one recipient. `now` is epoch milliseconds. `isRepairable`: another credential might be taken,
   * so that one that waits need not wait for it.
   */
  add({ id: recipient, address }: Tried, outcome: Settled, now: number, isRepairable = false): void {
    const attempts = this.#batch.attempts
    switch (outcome._tag) {
      case "Ok":
        this.#end(recipient, "sent", outcome.messageId, null)
        if (outcome.environment) this.#environments.push({ id: recipient, address, environment: outcome.environment })
        return
      case "Drop":
        this.#end(recipient, "failed", null, outcome.reason)
        this.#dead.push({ id: recipient, address, reason: storable(outcome.reason), seenBefore: outcome.seenBefore })
        return
      case "Fail":
        this.fail(recipient, outcome.reason)
        return
      case "Retry": {
        if (this.#rules.isOnce) return this.fail(recipient, `${EXPIRED}: ${outcome.reason}`)
        // One delay for all that fail alike in this batch: they become one batch, not one each.
        this.#retryMs ??= retryDelay(attempts + 1, this.#rules, this.#random())
        const delayMs = Math.max(this.#retryMs, waitOf(outcome.afterMs ?? 0))
        this.#retry(
          recipient,
          outcome.reason,
          { delayMs, attempts: attempts + 1, suspended: false, slowed: false, doubtful: outcome.isUnknown === true },
          now
        )
        return
      }
      case "Slow": {
        const slowMs = Math.max(LEAST_SLOW_MS, outcome.afterMs)
        if (outcome.scope !== "recipient" && (this.#slow === null || slowMs > this.#slow.ms)) {
          this.#slow = { reason: outcome.reason, ms: Math.min(MOST_WAIT_MS, slowMs) }
        }
        // Being over a limit says nothing about this message: the attempt does not count.
        this.#retry(
          recipient,
          outcome.reason,
          {
            delayMs: waitOf(slowMs),
            attempts,
            suspended: false,
            slowed: isRepairable || outcome.scope !== "recipient",
            doubtful: false
          },
          now
        )
        return
      }
      case "Suspend":
        this.#suspend ??= storable(outcome.reason)
        this.#retry(
          recipient,
          outcome.reason,
          { delayMs: this.#rules.pauseMs, attempts, suspended: true, slowed: false, doubtful: false },
          now
        )
    }
  }

  /** Everything since the last chunk. `at` (epoch ms) becomes the moment of its events. */
  take(at: number): ResultChunk {
    const { id, fence, appId, notificationId, provider, attempts } = this.#batch
    const final = {
      recipients: this.#recipients,
      statuses: this.#statuses,
      messageIds: this.#messageIds,
      errors: this.#errors
    }
    const chunk: ResultChunk = {
      batchId: id,
      fence,
      appId,
      notificationId,
      provider,
      attempts: attempts + 1,
      final,
      retries: [...this.#retries.values()].map((group) => ({ id: uuidv7() as BatchId, ...group })),
      remaining: this.#open(),
      leaseMs: this.#rules.leaseMs,
      dead: this.#dead,
      environments: this.#environments,
      inbox: null,
      events: eventsOf(this.#batch, final, at)
    }
    this.#before.push(final.recipients, ...chunk.retries.map(({ recipients }) => recipients))
    this.#recipients = []
    this.#statuses = []
    this.#messageIds = []
    this.#errors = []
    this.#dead = []
    this.#environments = []
    this.#retries = new Map()
    this.#retryMs = null
    return chunk
  }

  /** Those without an outcome, in the order of the batch. Most batches are asked when there are none left. */
  #open(): ReadonlyArray<string> {
    const { recipients } = this.#batch
    if (this.#ended === recipients.length) return []
    if (this.#ended === 0) return recipients
    const ended = new Set(this.#recipients)
    for (const { recipients } of this.#retries.values()) for (const recipient of recipients) ended.add(recipient)
    for (const recipients of this.#before) for (const recipient of recipients) ended.add(recipient)
    return recipients.filter((recipient) => !ended.has(recipient))
  }

  #end(recipient: string, status: DeliveryStatus, messageId: string | null, error: string | null): void {
    this.#ended++
    this.#recipients.push(recipient)
    this.#statuses.push(status)
    this.#messageIds.push(messageId === null ? null : storable(messageId))
    this.#errors.push(error === null ? null : storable(error))
  }

  #retry(recipient: string, reason: string, wait: Omit<Group, "recipients" | "reason">, now: number): void {
    if (now + wait.delayMs >= this.#rules.expiresAt) {
      this.fail(recipient, `${EXPIRED}: ${reason}`)
      return
    }
    this.#ended++
    const key = `${wait.delayMs}:${wait.attempts}:${wait.suspended}:${wait.slowed}:${wait.doubtful}`
    const group = this.#retries.get(key)
    if (group) group.recipients.push(recipient)
    else this.#retries.set(key, { recipients: [recipient], reason: storable(reason), ...wait })
  }
}

/**
 * What a provider said, as the store can keep it. A result that the database refuses for its text would be written
 * again and again, and its batch would never end.
 */
const storable = (text: string): string =>
  text.length > MOST_TEXT || text.includes("\u0000") ? text.slice(0, MOST_TEXT).replaceAll("\u0000", "\ufffd") : text

const DOUBT = "possibly_delivered"
/** Why those failed whose time was over while their provider had them, and said nothing. */
export const EXPIRED_UNDER_WAY = `${EXPIRED}: ${DOUBT}`
/** A failure of who may have got the message by an attempt before. */
const doubted = (error: string): string =>
  error.startsWith(EXPIRED) ? EXPIRED_UNDER_WAY : error.startsWith(DOUBT) ? error : `${DOUBT}: ${error}`

/** Whole seconds, so that many `Retry-After` values make few groups. */
const waitOf = (ms: number): number => Math.min(MOST_WAIT_MS, Math.ceil(ms / 1000) * 1000)

type Whose = Pick<ClaimedBatch, "appId" | "notificationId" | "provider">

/** The events of final states at a moment (epoch ms), a chunk for each kind that there is. */
export const eventsOf = (whose: Whose, final: ResultChunk["final"], at: number): ReadonlyArray<EventChunk> =>
  [
    chunkOf(whose, final, "sent", "NOTIFICATION_SENT", "messageId", final.messageIds, at),
    chunkOf(whose, final, "failed", "NOTIFICATION_FAILED", "error", final.errors, at)
  ].filter((events) => events !== null)

/** A chunk of them; null where there are none. */
const chunkOf = (
  batch: Whose,
  final: ResultChunk["final"],
  status: DeliveryStatus,
  event: EventName,
  column: "messageId" | "error",
  values: ReadonlyArray<string | null>,
  at: number
): EventChunk | null => {
  let size = 0
  for (const each of final.statuses) if (each === status) size++
  return size === 0 ? null : new OutcomeEvents(batch, final, status, event, column, values, at, size)
}

/**
 * Its columns are made when somebody reads them: most applications have no webhook that does. A class, as V8 makes an
 * accessor of an object literal anew with each object, in its old generation: what the accessor sees, which is all of a
 * message, then stays until a full collection.
 */
class OutcomeEvents implements EventChunk {
  readonly id = uuidv7() as EventChunkId
  readonly appId: AppId
  readonly event: EventName
  readonly at: number
  readonly size: number
  readonly common: { readonly notificationId: NotificationId }
  readonly #provider: ProviderKind
  readonly #final: ResultChunk["final"]
  readonly #status: DeliveryStatus
  readonly #column: "messageId" | "error"
  readonly #values: ReadonlyArray<string | null>
  #columns: EventChunk["columns"] | undefined

  constructor(
    { appId, notificationId, provider }: Whose,
    final: ResultChunk["final"],
    status: DeliveryStatus,
    event: EventName,
    column: "messageId" | "error",
    values: ReadonlyArray<string | null>,
    at: number,
    size: number
  ) {
    this.appId = appId
    this.event = event
    this.at = at
    this.size = size
    this.common = { notificationId }
    this.#provider = provider
    this.#final = final
    this.#status = status
    this.#column = column
    this.#values = values
  }

  get columns(): EventChunk["columns"] {
    const { recipients, statuses } = this.#final
    const isIt = (_: unknown, i: number) => statuses[i] === this.#status
    this.#columns ??= {
      [recipientField(this.#provider)]: recipients.filter(isIt),
      [this.#column]: this.#values.filter(isIt)
    }
    return this.#columns
  }
}

const recipientField = (provider: ProviderKind): string => (isChannel(provider) ? "channelId" : "deviceId")

/** Why a recipient is no target. */
export const unreached = (recipient: string, unsubscribed: ReadonlySet<string>): string =>
  unsubscribed.has(recipient) ? "unsubscribed" : "recipient_gone"

/** A batch of one recipient, who was sent to, as `Results` would have it. `at` (epoch ms) becomes the moment of its event. */
export const sentChunk = (batch: ClaimedBatch, messageId: string | null, leaseMs: number, at: number): ResultChunk => {
  const { id, fence, appId, notificationId, provider, attempts, recipients } = batch
  const final: ResultChunk["final"] = {
    recipients,
    statuses: SENT,
    messageIds: [messageId === null ? null : storable(messageId)],
    errors: NO_ERROR
  }
  return {
    batchId: id,
    fence,
    appId,
    notificationId,
    provider,
    attempts: attempts + 1,
    final,
    retries: [],
    remaining: [],
    leaseMs,
    dead: [],
    environments: [],
    inbox: null,
    events: eventsOf(batch, final, at)
  }
}
const SENT: ReadonlyArray<DeliveryStatus> = ["sent"]
const NO_ERROR: ReadonlyArray<string | null> = [null]

/** A batch that no provider can take: every recipient fails for the same reason. */
export const failBatch = (batch: ClaimedBatch, rules: ResultRules, reason: string): ResultChunk => {
  const results = new Results(batch, rules, Math.random)
  for (const recipient of batch.recipients) results.fail(recipient, reason)
  return results.take(now())
}
