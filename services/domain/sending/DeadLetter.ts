import { Schema } from "effect"
import { ProviderKind } from "./Credential.ts"
import { WebhookId, NotificationId } from "../Ids.ts"
import type { AppId, DeadLetterId, ReplayId } from "../Ids.ts"
import { inOrder, Moment } from "../Time.ts"
import { maxLength } from "../Text.ts"

export const DeadLetterKind = Schema.Literals(["notification", "webhook"])
export type DeadLetterKind = typeof DeadLetterKind.Type

/**
 * Why sending again cannot end otherwise: the recipient has been deleted, or the provider has said that its address is
 * dead, or the content is one that no attempt can get through.
 */
export const ReplayRefusal = Schema.Literals(["recipient_gone", "content_refused"])
export type ReplayRefusal = typeof ReplayRefusal.Type

/** Something that finally failed. What it is of, it names by ids: these may be gone since. */
export interface DeadLetter {
  readonly id: DeadLetterId
  readonly appId: AppId
  readonly kind: DeadLetterKind
  /** Epoch milliseconds at which it was given up. */
  readonly at: number
  /** Why the last attempt failed. */
  readonly error: string
  readonly attempts: number
  /** Of a notification: it, its recipient, and the way to the recipient. */
  readonly notificationId: NotificationId | null
  readonly recipientId: string | null
  readonly provider: ProviderKind | null
  /** Of a notification: null when another attempt may get through. */
  readonly refusal: ReplayRefusal | null
  /** Epoch milliseconds at which it went again. It does so once: what fails again is a letter of its own. */
  readonly replayedAt: number | null
  /** Of a webhook: the webhook and the event. */
  readonly webhookId: WebhookId | null
  readonly eventId: string | null
}

/** What stands against a replay; null when nothing does. A webhook's receiver has had its six attempts (spec 3.2). */
export const replayObstacle = (
  letter: Pick<DeadLetter, "kind" | "refusal" | "replayedAt">
): "webhook" | "replayed" | ReplayRefusal | null =>
  letter.kind === "webhook" ? "webhook" : letter.replayedAt !== null ? "replayed" : letter.refusal

/** Errors that the same content meets at every attempt. */
const CONTENT_ERRORS: ReadonlySet<string> = new Set(["payload_too_large", "empty_content"])

/** `isDead`: the provider has said that the address is. */
export const refusalOf = (error: string | null, isDead: boolean): ReplayRefusal | null =>
  isDead ? "recipient_gone" : error !== null && CONTENT_ERRORS.has(error) ? "content_refused" : null

/** Which letters are meant. All that is given must hold. */
export const DeadLetterFilter = Schema.Struct({
  kind: Schema.optionalKey(DeadLetterKind),
  webhook_id: Schema.optionalKey(WebhookId),
  notification_id: Schema.optionalKey(NotificationId),
  provider: Schema.optionalKey(ProviderKind),
  error: Schema.optionalKey(Schema.String.check(maxLength(1000))).annotate({
    description: "The whole text of `error`."
  }),
  from: Schema.optionalKey(Moment).annotate({ description: "Given up at this time or later (ISO 8601)." }),
  to: Schema.optionalKey(Moment).annotate({ description: "Given up before this time (ISO 8601)." })
}).check(inOrder("from", "to"))
export type DeadLetterFilter = typeof DeadLetterFilter.Type

export const ReplayStatus = Schema.Literals(["running", "completed"])
export type ReplayStatus = typeof ReplayStatus.Type

/** The replay of all letters that a filter describes. */
export interface Replay {
  readonly id: ReplayId
  readonly appId: AppId
  readonly filter: DeadLetterFilter
  readonly status: ReplayStatus
  /** Letters whose recipients are pending again, and letters that could not go again. */
  readonly replayed: number
  readonly skipped: number
  readonly createdAt: number
  readonly completedAt: number | null
}
