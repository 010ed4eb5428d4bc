import { Schema } from "effect"
import type { DeliveryId, NotificationId } from "../Ids.ts"
import type { ProviderKind } from "./Credential.ts"
import type { Happenings } from "../operations/Stats.ts"

/** A recipient's final state. `pending` has no row: it is what a notification's batches still hold. */
export const DeliveryStatus = Schema.Literals(["sent", "failed", "skipped", "cancelled"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/**
 * The error of somebody who was `cancelled` while a node that had died or was frozen had them in hand: they may have got
 * the message. If that node lives, what it knows replaces this.
 */
export const OUTCOME_UNKNOWN = "outcome_unknown"

/** One recipient of one notification, at its end. */
export interface Delivery {
  readonly id: DeliveryId
  readonly notificationId: NotificationId
  readonly recipientId: string
  readonly provider: ProviderKind
  readonly status: DeliveryStatus
  /** The provider's own id of the message, when it was sent. */
  readonly messageId: string | null
  /** A short code such as `unregistered` or `expired`, when it was not. */
  readonly error: string | null
  /** How often it was tried, the last time included; of times that a limit or the credential ended, only that one. */
  readonly attempts: number
  readonly at: number
}

/** A delivery with what its recipient's side reported of it since, by moments; null: nothing. */
export interface FollowedDelivery extends Delivery {
  readonly deliveredAt: number | null
  readonly openedAt: number | null
  readonly clickedAt: number | null
}

/** How many recipients ended alike. */
export interface Outcome {
  readonly provider: ProviderKind
  readonly status: DeliveryStatus
  readonly error: string | null
  readonly count: number
}

/** Recipients of a provider who wait for another attempt, after the same error. */
export interface Retry {
  readonly provider: ProviderKind
  /** What the provider said of the first of them; of a suspended credential, why it is. */
  readonly error: string | null
  /** How often they were tried, the most of any of them. Times that a limit or the credential ended do not count. */
  readonly attempts: number
  readonly recipients: number
  /** Epoch milliseconds: when the next of them is tried. Null: once the credential is accepted again, or replaced. */
  readonly nextAt: number | null
}

/** Whether the recipients of a way are channels; else they are devices. */
export const isChannel = (provider: ProviderKind): boolean => provider === "smtp" || provider === "inbox"

/** How a notification's recipients are divided: `accepted = sent + failed + skipped + cancelled + pending`, always. */
export interface Counts extends Happenings {
  readonly accepted: number
  readonly pending: number
}
