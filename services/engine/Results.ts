import type { ProviderKind } from "../domain/Credential.ts"
import type { DeliveryStatus } from "../domain/Delivery.ts"
import type { Environment } from "../domain/Device.ts"
import type { EventChunk, EventName } from "../domain/Event.ts"
import type { BatchId, EventChunkId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { ClaimedBatch, ResultChunk } from "../ports/BatchStore.ts"
import type { Outcome } from "../ports/Provider.ts"
import { retryDelay } from "./RetryPolicy.ts"

/** The longest that a provider may make its messages wait: what asks for more has made a mistake, or is somebody else's. */
const MOST_WAIT_MS = 3_600_000

export interface ResultRules {
  readonly retryBaseMs: number
  readonly retryMaxMs: number
  readonly leaseMs: number
  /** How long messages wait that only a repaired credential can send. */
  readonly holdMs: number
  /** Epoch milliseconds after which the notification is worthless. */
  readonly expiresAt: number
}

/** What a lane is told by outcomes that concern more than one recipient. */
export interface LaneNews {
  readonly slow: { readonly reason: string; readonly ms: number } | null
  readonly hold: string | null
}

/**
 * Gathers the outcomes of a claimed batch and cuts them into chunks for the store: final states in columns, retries in
 * groups by due time, events. Which outcome means what is decided here and nowhere else.
 */
export class Results {
  readonly #batch: ClaimedBatch
  readonly #rules: ResultRules
  readonly #random: () => number
  readonly #open: Set<string>
  #recipients: Array<string> = []
  #statuses: Array<DeliveryStatus> = []
  #messageIds: Array<string | null> = []
  #errors: Array<string | null> = []
  #dead: Array<{ id: string; reason: string; seenBefore: number | null }> = []
  #environments: Array<{ id: string; environment: Environment }> = []
  #retries = new Map<string, { recipients: Array<string>; delayMs: number; attempts: number; held: boolean }>()
  #retryMs: number | null = null
  #slow: { reason: string; ms: number } | null = null
  #hold: string | null = null

  constructor(batch: ClaimedBatch, rules: ResultRules, random: () => number) {
    this.#batch = batch
    this.#rules = rules
    this.#random = random
    this.#open = new Set(batch.recipients)
  }

  /** Recipients that have an outcome which no chunk has taken yet. */
  get unsaved(): number {
    let retried = 0
    for (const group of this.#retries.values()) retried += group.recipients.length
    return this.#recipients.length + retried
  }

  get news(): LaneNews {
    return { slow: this.#slow, hold: this.#hold }
  }

  /** Ends everybody who has no outcome yet. */
  failRest(reason: string): void {
    for (const recipient of this.#open) this.fail(recipient, reason)
  }

  skip(recipient: string, reason: string): void {
    this.#end(recipient, "skipped", null, reason)
  }

  fail(recipient: string, reason: string): void {
    this.#end(recipient, "failed", null, reason)
  }

  /** Notes the outcome of one recipient. `now` is epoch milliseconds. */
  add(recipient: string, outcome: Outcome, now: number): void {
    const attempts = this.#batch.attempts
    switch (outcome._tag) {
      case "Ok":
        this.#end(recipient, "sent", outcome.messageId, null)
        if (outcome.environment) this.#environments.push({ id: recipient, environment: outcome.environment })
        return
      case "Drop":
        this.#end(recipient, "failed", null, outcome.reason)
        this.#dead.push({ id: recipient, reason: outcome.reason, seenBefore: outcome.seenBefore })
        return
      case "Fail":
        this.fail(recipient, outcome.reason)
        return
      case "Retry": {
        // One delay for all that fail alike in this batch: they become one batch, not one each.
        this.#retryMs ??= retryDelay(attempts + 1, this.#rules, this.#random())
        const delayMs = Math.max(this.#retryMs, waitOf(outcome.afterMs ?? 0))
        this.#retry(recipient, outcome.reason, delayMs, attempts + 1, false, now)
        return
      }
      case "Slow":
        if (outcome.scope !== "recipient" && (this.#slow === null || outcome.afterMs > this.#slow.ms)) {
          this.#slow = { reason: outcome.reason, ms: Math.min(MOST_WAIT_MS, outcome.afterMs) }
        }
        // Being over a limit says nothing about this message: the attempt does not count.
        this.#retry(recipient, outcome.reason, waitOf(outcome.afterMs), attempts, false, now)
        return
      case "Hold":
        this.#hold ??= outcome.reason
        this.#retry(recipient, outcome.reason, this.#rules.holdMs, attempts, true, now)
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
      remaining: [...this.#open],
      leaseMs: this.#rules.leaseMs,
      dead: this.#dead,
      environments: this.#environments,
      events: [
        eventsOf(this.#batch, final, "sent", "NOTIFICATION_SENT", "messageId", final.messageIds, at),
        eventsOf(this.#batch, final, "failed", "NOTIFICATION_FAILED", "error", final.errors, at)
      ].filter((events) => events !== null)
    }
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

  #end(recipient: string, status: DeliveryStatus, messageId: string | null, error: string | null): void {
    this.#open.delete(recipient)
    this.#recipients.push(recipient)
    this.#statuses.push(status)
    this.#messageIds.push(messageId)
    this.#errors.push(error)
  }

  #retry(recipient: string, reason: string, delayMs: number, attempts: number, held: boolean, now: number): void {
    if (now + delayMs >= this.#rules.expiresAt) {
      this.fail(recipient, `expired: ${reason}`)
      return
    }
    this.#open.delete(recipient)
    const key = `${delayMs}:${attempts}:${held}`
    const group = this.#retries.get(key)
    if (group) group.recipients.push(recipient)
    else this.#retries.set(key, { recipients: [recipient], delayMs, attempts, held })
  }
}

/** Whole seconds, so that many `Retry-After` values make few groups. */
const waitOf = (ms: number): number => Math.min(MOST_WAIT_MS, Math.ceil(ms / 1000) * 1000)

const eventsOf = (
  batch: ClaimedBatch,
  final: ResultChunk["final"],
  status: DeliveryStatus,
  event: EventName,
  column: "messageId" | "error",
  values: ReadonlyArray<string | null>,
  at: number
): EventChunk | null => {
  const recipients: Array<string> = []
  const chosen: Array<string | null> = []
  for (let i = 0; i < final.recipients.length; i++) {
    if (final.statuses[i] !== status) continue
    recipients.push(final.recipients[i]!)
    chosen.push(values[i] ?? null)
  }
  if (recipients.length === 0) return null
  return {
    id: uuidv7() as EventChunkId,
    appId: batch.appId,
    event,
    at,
    size: recipients.length,
    common: { notificationId: batch.notificationId },
    columns: { [recipientField(batch.provider)]: recipients, [column]: chosen }
  }
}

const recipientField = (provider: ProviderKind): string => (provider === "smtp" ? "channelId" : "deviceId")
