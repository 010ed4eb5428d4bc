import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { DeliveryStatus } from "../../domain/sending/Delivery.ts"
import type { EventChunk } from "../../domain/webhooks/Event.ts"
import type { Environment } from "../../domain/audience/Device.ts"
import type { AppId, BatchId, WebhookId, NotificationId } from "../../domain/Ids.ts"
import type { InboxContent } from "../../domain/inbox/Inbox.ts"
import type { Priority } from "../../domain/sending/Notification.ts"
import type { Target } from "../audience/AudienceStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { Trace } from "../operations/Tracing.ts"

/** Recipients of a small batch, at most: those of a single message to one person. */
export const SMALL_BATCH = 5

/** A batch that this worker holds until its lease ends. */
export interface ClaimedBatch {
  readonly id: BatchId
  readonly appId: AppId
  readonly notificationId: NotificationId
  readonly provider: ProviderKind
  readonly priority: Priority
  /** Attempts that its recipients have behind them. */
  readonly attempts: number
  /** What the last of these attempts met, of the first recipient; none before the second attempt. */
  readonly reason: string | null
  readonly fence: number
  /** Of ending the processes that send it: services/domain/sending/Suspicion.ts. */
  readonly suspicion: number
  /** Some may have got it: by a holder that did not write what came of it, or by an attempt that nobody answered. */
  readonly isDoubtful: boolean
  /** The credential of this way as it is now; null when there is none. */
  readonly credential: {
    readonly version: number
    readonly suspendedReason: string | null
    /** Epoch milliseconds at which somebody noted that this version was accepted; null: nobody has. */
    readonly acceptedAt: number | null
  } | null
  /** Epoch milliseconds after which these messages must not be sent; null: when the notification says. */
  readonly expiresAt: number | null
  /** Those without a final state. */
  readonly recipients: ReadonlyArray<string>
}

/** A recipient, and the address at which it was tried: it may have another one by now, of which nothing was said. */
export type Tried = Pick<Target, "id" | "address">

/** Results of a part of a batch, in columns: what is known of the recipient at `i` stands at `i` of each. */
export interface ResultChunk {
  readonly batchId: BatchId
  readonly fence: number
  readonly appId: AppId
  readonly notificationId: NotificationId
  readonly provider: ProviderKind
  /** Attempts of these recipients, this one included. */
  readonly attempts: number
  readonly final: {
    readonly recipients: ReadonlyArray<string>
    readonly statuses: ReadonlyArray<DeliveryStatus>
    readonly messageIds: ReadonlyArray<string | null>
    readonly errors: ReadonlyArray<string | null>
  }
  /**
   * Recipients that go again: each group becomes a batch of its own, due after `delayMs`, with `attempts` behind it.
   */
  readonly retries: ReadonlyArray<{
    readonly id: BatchId
    readonly recipients: ReadonlyArray<string>
    readonly delayMs: number
    readonly attempts: number
    /** Set when only a renewed credential can help. */
    readonly suspended: boolean
    /** Set when they wait because the credential is over a limit, or refused for them: another one need not wait. */
    readonly slowed: boolean
    /** Set when the provider never answered, and may have taken them. */
    readonly doubtful?: boolean
    /** What the provider said of the first of them: for the log, and for who asks what they wait for. */
    readonly reason?: string
  }>
  /** Recipients that this worker still has in hand, for another `leaseMs`. The batch is done when there are none. */
  readonly remaining: ReadonlyArray<string>
  readonly leaseMs: number
  /**
   * Tokens and addresses that their provider calls dead, where the recipient still has them; with `seenBefore`, only if not
   * registered again since (epoch ms).
   */
  readonly dead: ReadonlyArray<Tried & { readonly reason: string; readonly seenBefore: number | null }>
  /** Tokens that turned out to belong to the other environment, where the device still has them. */
  readonly environments: ReadonlyArray<Tried & { readonly environment: Environment }>
  /**
   * What those who were sent to find in their inbox: a message under the message id of each, the same for all or, in
   * the order of `final`, one for each. Null for other ways.
   */
  readonly inbox: InboxContent | ReadonlyArray<InboxContent> | null
  /** The span that wrote these results, for the deliveries of their events. */
  readonly trace?: Trace
  /** Events of these results: written for the webhooks that subscribe to them, and only if there are any. */
  readonly events: ReadonlyArray<EventChunk>
}

/** What became of a small chunk. */
export interface FinishedSmall {
  /** Those that got work. */
  readonly webhooks: ReadonlyArray<WebhookId>
  /** The notification was completed with it; if not, somebody has to ask whether it is done. */
  readonly isCompleted: boolean
}

/** The way of an application's messages to one provider. High priority has lanes of its own. */
export interface LaneKey {
  readonly appId: AppId
  readonly provider: ProviderKind
  readonly priority: Priority
}

/** The work of sending. Leases and due times are measured by the database's clock. */
export class BatchStore extends Context.Service<
  BatchStore,
  {
    /**
     * Takes up to `limit` batches of a lane that are due and not leased, the longest due first, in one statement; never
     * one that another has taken. Several at once only while they are small. Batches of paused or cancelled
     * notifications are left alone.
     */
    readonly claim: (
      lane: LaneKey,
      limit: number,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<ClaimedBatch>, StoreError>
    /** The same for a single batch that is suspected, and has to be sent alone: `claim` leaves those where they are. */
    readonly claimSuspect: (lane: LaneKey, leaseMs: number) => Effect.Effect<Option.Option<ClaimedBatch>, StoreError>
    /** Prolongs the lease. False when the lease of the batch was lost. */
    readonly extend: (id: BatchId, fence: number, leaseMs: number) => Effect.Effect<boolean, StoreError>
    /**
     * The same for many, in one statement: answers those whose leases were prolonged. One that somebody writes at the
     * moment is passed over, and is not among them.
     */
    readonly extendAll: (
      batches: ReadonlyArray<Pick<ClaimedBatch, "id" | "fence">>,
      leaseMs: number
    ) => Effect.Effect<ReadonlySet<BatchId>, StoreError>
    /**
     * One transaction: delivery rows, retries, dead tokens, events with the work of each subscribed webhook, and what
     * remains of the batch. None, and nothing written, when the lease of the batch was lost; else the webhooks that got
     * work. May be repeated when its answer was lost: what is written stays as it is, and counts once. The webhooks
     * that the first one gave work to are not named again; `WebhookStore.due` finds them.
     */
    readonly finish: (chunk: ResultChunk) => Effect.Effect<Option.Option<ReadonlyArray<WebhookId>>, StoreError>
    /** Gives a batch back untouched, to be due after `delayMs`. */
    readonly release: (
      id: BatchId,
      fence: number,
      delayMs: number,
      suspended: boolean
    ) => Effect.Effect<void, StoreError>
    /**
     * Plans of scheduled notifications that have become due, and plans that nobody holds and whose job was published
     * longer than `forgottenMs` ago (marked as published now; up to a thousand), and the lanes that have due batches
     * without a lease, each once. Paused and cancelled ones are left out.
     */
    readonly forgotten: (forgottenMs: number) => Effect.Effect<
      {
        readonly plans: ReadonlyArray<{ readonly id: NotificationId; readonly priority: Priority }>
        readonly lanes: ReadonlyArray<LaneKey>
      },
      StoreError
    >
    /**
     * The same for many chunks in one statement, each of which ends a batch of one recipient, who was sent to.
     * Notifications that were waiting for nothing else are completed as well. Null for a batch whose lease was lost. One
     * chunk that the database refuses fails all: try them one by one.
     */
    readonly finishSent: (
      chunks: ReadonlyArray<ResultChunk>
    ) => Effect.Effect<ReadonlyArray<FinishedSmall | null>, StoreError>
    /**
     * Completes notifications whose last batch ended without anybody noticing, and ends what is left of cancelled ones.
     */
    readonly completeForgotten: Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/BatchStore") {}
