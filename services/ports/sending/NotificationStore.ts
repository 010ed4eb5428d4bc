import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { Counts, DeliveryStatus, FollowedDelivery, Outcome, Retry } from "../../domain/sending/Delivery.ts"
import type { AppId, BatchId, NotificationId } from "../../domain/Ids.ts"
import type {
  KeptRequest,
  Message,
  Notification,
  NotificationStatus,
  Priority
} from "../../domain/sending/Notification.ts"
import type { Target } from "../audience/AudienceStore.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { HolderId } from "../operations/HolderStore.ts"
import type { ClaimedBatch } from "./BatchStore.ts"
import type { Settlement } from "../access/IdempotencyStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { Trace } from "../operations/Tracing.ts"

export interface NewBatch {
  readonly id: BatchId
  readonly provider: ProviderKind
  readonly recipients: ReadonlyArray<string>
  /** Epoch milliseconds from which on it may be sent, and until when; absent: at once, and as the notification says. */
  readonly dueAt?: number
  readonly expiresAt?: number
}

export interface NewNotification {
  readonly id: NotificationId
  readonly appId: AppId
  readonly request: KeptRequest
  /** Counted from `sendAt`, or from now. */
  readonly ttlMs: number
  /** Epoch milliseconds: it is `scheduled` until then, and `batches` is null. */
  readonly sendAt?: number | null
  /** The whole plan, where the audience is known already; null leaves it to a planner. */
  readonly batches: ReadonlyArray<NewBatch> | null
  /** The span that it came in with, for those after it. */
  readonly trace?: Trace
  /** The answer to be kept under the client's idempotency key, in the same transaction. */
  readonly settlement?: Settlement | null
}

/** Who takes batches at once, if nothing speaks against it, and for how long; null leaves them to the lanes. */
export type LeaseAtOnce = { readonly holder: HolderId; readonly ms: number } | null

/** The only recipient of a notification. */
export interface OnlyDevice {
  readonly id: string
  /** The id that its batch is to have. */
  readonly batch: BatchId
  readonly lease: LeaseAtOnce
}

/** Devices of a notification's users, at most, that are planned with its acceptance, each as a batch of its own. */
export const FEW_DEVICES = 32

/** The only recipients of a notification: the devices of these users. */
export interface FewUsers {
  /** A few, each once. */
  readonly ids: ReadonlyArray<string>
  readonly lease: LeaseAtOnce
}

/** A batch as it was leased to the holder that was named, and its only recipient. `expiresAt` is epoch milliseconds. */
export interface ClaimedMessage {
  readonly batch: ClaimedBatch
  readonly target: Target
  readonly expiresAt: number
}

export interface AcceptedForDevice {
  readonly notification: Notification
  /** Of the batch. */
  readonly provider: ProviderKind | null
  /**
   * The batch as it was leased to the holder that was named, and its recipient; null: it is left to the lanes. It is
   * not leased where the credential is missing or suspended, and where the device's person takes no push.
   */
  readonly claimed: ClaimedMessage | null
}

export interface AcceptedForUsers {
  readonly notification: Notification
  /**
   * Batches that were leased to the holder that was named: of devices whose credential is known and not suspended, and
   * whose person takes push.
   */
  readonly claimed: ReadonlyArray<ClaimedMessage>
  /**
   * The ways of all other batches, each once: they are left to the lanes. Without any batches, all is left to a planner.
   */
  readonly left: ReadonlyArray<ProviderKind>
}

/** Which notifications a list is to have: those that meet every condition. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus
  readonly error?: string
  /** Recipients of one person: their devices and channels. */
  readonly userId?: string
  /** One recipient: a device or a channel. */
  readonly recipientId?: string
}

export interface NotificationFilter {
  readonly status?: NotificationStatus | undefined
  /** Epoch milliseconds, compared with the time in the id: from this moment on, and up to this one, both included. */
  readonly createdFrom?: number | undefined
  readonly createdTo?: number | undefined
}

/** A plan under way: whoever holds the highest fence may write it. */
export interface ClaimedPlan {
  readonly notification: Notification
  /** Epoch milliseconds: when it was due, or went on after a pause that outlasted that; null: at once. */
  readonly sendAt: number | null
  readonly trace: Trace
  /** Where the audience is to be read on; null at its start. */
  readonly cursor: string | null
  readonly fence: number
}

export type ControlCommand = "cancel" | "pause" | "resume"

/** What became of a command. */
export interface Controlled {
  /** As it is now. */
  readonly notification: Notification
  /** False: the notification is at an end that the command does not fit. Repeating one that was carried out is true. */
  readonly isDone: boolean
  /** Whether there is more to plan, and the providers that have batches: for those who are to be woken. */
  readonly plan: boolean
  readonly lanes: ReadonlyArray<ProviderKind>
}

/** A notification that is to say something else. */
export interface Revision {
  readonly id: NotificationId
  readonly appId: AppId
  /** As it was when the change was thought out. */
  readonly revision: number
  /** The parts of the request that change: for the audit log. */
  readonly fields: ReadonlyArray<string>
  readonly request: KeptRequest
  readonly ttlMs: number
  /** As of a new one. */
  readonly sendAt: number | null
}

/**
 * Gets what was accepted, in the place of a caller who has left meanwhile: what was committed is to be sent all the same,
 * and at once.
 */
type Unheard<A> = (accepted: A) => void

/** `isNamed`: whether a person is among those whom it was sent to, where they were named. */
export type FoundMessage = Message & { readonly isNamed?: (userId: string) => boolean }

/** Bytes of a request that may be read together with hundreds of others, and be remembered, whatever it says. */
export const SHORT = 8192
/** The same of one that has nothing to fill a template with: texts take no more memory when they are read. */
export const SHORT_TEXT = 65_536

/** What there is to know of a notification before it is read. `bytes`: of its request, as JSON. */
export interface LongMessage {
  readonly appId: AppId
  readonly bytes: number
}

/**
 * Notifications and their plans. A row that waits for work is its own outbox entry: it is written together with the
 * work, and the sweeper publishes whatever has waited too long.
 */
export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /**
     * Commits the notification, with its batches when it is planned already, or does nothing. The answer shows it as it
     * came in: `queued`, or `scheduled`. With a settlement whose key another request has taken, nothing is accepted and
     * the error says so: whoever has the key does the work.
     */
    readonly accept: (
      notification: NewNotification,
      unheard?: Unheard<Notification>
    ) => Effect.Effect<Notification, StoreError>
    /**
     * The same for a message to one device, which is looked up by the way: it is planned as `batch`, unless the device
     * is inactive, and then left to a planner. Null, and nothing done, when the application has no such device.
     */
    readonly acceptForDevice: (
      notification: NewNotification,
      device: OnlyDevice,
      unheard?: Unheard<AcceptedForDevice | null>
    ) => Effect.Effect<AcceptedForDevice | null, StoreError>
    /**
     * The same for a message to the devices of a few users, which are looked up by the way: it is planned, a batch for
     * each device, unless they have none that is active, or more than `FEW_DEVICES`, and then left to a planner.
     */
    readonly acceptForUsers: (
      notification: NewNotification,
      users: FewUsers,
      unheard?: Unheard<AcceptedForUsers>
    ) => Effect.Effect<AcceptedForUsers, StoreError>
    readonly find: (appId: AppId, id: NotificationId) => Effect.Effect<Option.Option<Notification>, StoreError>
    /**
     * Those of `ids` that are notifications of the application, each once, in no order: one statement. Of a long request,
     * here and in lists, there is what a summary shows.
     */
    readonly findMany: (
      appId: AppId,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyArray<Notification>, StoreError>
    /** Newest first. */
    readonly list: (
      appId: AppId,
      filter: NotificationFilter,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<Notification>, StoreError>
    /** The counts of each notification, from its batches: exact at every moment. */
    readonly counts: (
      appId: AppId,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyMap<NotificationId, Counts>, StoreError>
    /** What a notification's messages are made from, however much that is. None when it is gone. */
    readonly message: (id: NotificationId) => Effect.Effect<Option.Option<FoundMessage>, StoreError>
    /** The same for whoever knows nothing of it: how long it is, where it is not short. */
    readonly messageIfShort: (
      id: NotificationId
    ) => Effect.Effect<Option.Option<FoundMessage | LongMessage>, StoreError>
    /** In the order of recipients; those that fit all of the filter. */
    readonly deliveries: (
      appId: AppId,
      id: NotificationId,
      after: string | null,
      limit: number,
      filter?: DeliveryFilter
    ) => Effect.Effect<Page<FollowedDelivery>, StoreError>
    /** How many recipients ended alike, most first: reads all results of the notification. */
    readonly outcomes: (appId: AppId, id: NotificationId) => Effect.Effect<ReadonlyArray<Outcome>, StoreError>
    /** What waits for another attempt, or for its credential, most recipients first; what is under way as well. */
    readonly retries: (appId: AppId, id: NotificationId) => Effect.Effect<ReadonlyArray<Retry>, StoreError>
    /** Takes the plan of a queued or sending notification whose plan is neither done nor leased to another. */
    readonly claimPlan: (id: NotificationId, leaseMs: number) => Effect.Effect<Option.Option<ClaimedPlan>, StoreError>
    /**
     * Takes a plan that could be claimed, of the application that comes next in turn after `served` (null: of any), and
     * of that application's the oldest. `served` itself comes last. None when no plan of the priority waits.
     */
    readonly claimNextPlan: (
      priority: Priority,
      served: AppId | null,
      leaseMs: number
    ) => Effect.Effect<Option.Option<ClaimedPlan>, StoreError>
    /**
     * One transaction: the batches, the cursor after them, and the lease once more; with `leaseMs` null the plan is
     * given back, to be claimed by anybody. False, and nothing written, when another node has taken the plan. May be repeated, with the same batches, when its answer was lost. A plan that
     * ends before the first of its batches is due leaves the notification `scheduled` until then.
     */
    readonly savePlan: (step: {
      readonly id: NotificationId
      readonly fence: number
      readonly batches: ReadonlyArray<NewBatch>
      readonly cursor: string | null
      readonly done: boolean
      readonly leaseMs: number | null
    }) => Effect.Effect<boolean, StoreError>
    /**
     * Cancels, pauses or resumes. Once a cancel or pause is answered, no batch and no plan of the notification can be
     * claimed; those in a worker's hands end as they are. One that was paused before its time is `scheduled` again
     * after a resume; if the time went by meanwhile, it begins then, and its time to live with it. A cancel gives
     * recipients that nobody has in hand their final state, the most of them at once and the rest of a large audience
     * in the sweeps that follow. What it changes is in the audit log. None when the application has no such
     * notification.
     */
    readonly control: (
      appId: AppId,
      id: NotificationId,
      command: ControlCommand
    ) => Effect.Effect<Option.Option<Controlled>, StoreError>
    /**
     * Takes the place of what a notification says that is scheduled, or paused before it began, and writes it down in
     * the audit log. It is then `scheduled`, or `queued`; a paused one stays paused. None, and nothing done, when it
     * has begun, or has another revision by now.
     */
    readonly revise: (revision: Revision) => Effect.Effect<Option.Option<Notification>, StoreError>
    /** Whether the notification is paused or cancelled. */
    readonly isHalted: (id: NotificationId) => Effect.Effect<boolean, StoreError>
    /**
     * Marks the notification as completed when it is planned and no batch is left. True when this call did it. To be
     * called after each `finish` that ends a batch and after the `savePlan` that ends the plan: the last of them sees
     * all.
     */
    readonly completeIfDone: (id: NotificationId) => Effect.Effect<boolean, StoreError>
  }
>()("heliograph/ports/NotificationStore") {}
