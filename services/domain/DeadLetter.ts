import { Schema } from "effect"
import type { AppId, DeadLetterId, HookId, NotificationId } from "./Ids.ts"

export const DeadLetterKind = Schema.Literals(["notification", "webhook"])
export type DeadLetterKind = typeof DeadLetterKind.Type

/** Something that used up its attempts. What it is of, it names by ids: these may be gone since. */
export interface DeadLetter {
  readonly id: DeadLetterId
  readonly appId: AppId
  readonly kind: DeadLetterKind
  /** Epoch milliseconds at which it was given up. */
  readonly at: number
  /** Why the last attempt failed. */
  readonly error: string
  readonly attempts: number
  /** Of a notification: it and its recipient. */
  readonly notificationId: NotificationId | null
  readonly recipientId: string | null
  /** Of a webhook: the hook and the event. */
  readonly hookId: HookId | null
  readonly eventId: string | null
}

/** Only notification sends can be replayed (spec 3.2): a webhook's receiver has had its six attempts. */
export const isReplayable = (kind: DeadLetterKind): boolean => kind === "notification"
