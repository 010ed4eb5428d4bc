import type { Effect, Option } from "effect"
import type { Tracing } from "../../ports/operations/Tracing.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { WebhookSender } from "../../ports/webhooks/WebhookClient.ts"
import type { WebhookEndpoint, WebhookResults, WebhookWork } from "../../ports/webhooks/WebhookStore.ts"
import type { Signal } from "../operations/Signal.ts"

/** What a round needs of its webhook. */
export interface RoundWork {
  readonly endpoint: Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
  /** Up to `limit` work items, and no more than it takes to have so many events. */
  readonly claim: (limit: number, events: number) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
  /** Up to `limit` work items of at most `size` events each, of those that became due last. */
  readonly claimSmall: (limit: number, size: number) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
  /** Waits until what is posted can be written. */
  readonly untilOpen: Effect.Effect<void>
  /** Whether posts of a claimed work item may begin: nobody else can have it, and what was posted can be written. */
  readonly mayBegin: (item: WebhookWork) => boolean
  /** For each work item: false when its lease was lost. */
  readonly finish: (results: ReadonlyArray<WebhookResults>) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
  readonly nextDue: Effect.Effect<Option.Option<number>, StoreError>
  readonly sender: WebhookSender
  /** Hex HMAC-SHA256 of a text. */
  readonly hmac: (secret: string, text: string) => string
  readonly tracing: Tracing
  readonly isStopping: () => boolean
  readonly retryDelaysMs: ReadonlyArray<number>
  readonly timeoutMs: number
  readonly leaseMs: number
  readonly concurrency: number
  readonly disableAfter: number
}

/** What the actor knows of the receiver. */
export interface Receiver {
  readonly isActive: () => boolean
  /** A post's failure, or null, at a moment of `elapsedBy`. */
  readonly note: (failure: string | null, now: number) => void
}

/** A work item, and which of its positions are posted; null: all, as long as the receiver takes them. */
export interface Given {
  readonly item: WebhookWork
  readonly turn: ReadonlyArray<number> | null
  readonly isProbe: boolean
}

/**
 * Where a round gets its work from: work items that were claimed for it, or whatever is due while the receiver is
 * active.
 */
export type Source =
  | { readonly _tag: "given"; readonly items: ReadonlyArray<Given>; readonly heldUntil: number }
  | {
      readonly _tag: "claims"
      readonly mailbox: Signal
      /** How often the mailbox was told. */
      readonly wakes: () => number
      readonly averages: ClaimAverages
    }

/** What is remembered of claims from round to round: how many events a work item had. */
export interface ClaimAverages {
  itemSize: number
}
