import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { EventChunk, EventName } from "../../domain/webhooks/Event.ts"
import type { CreateWebhook, Webhook, UpdateWebhook } from "../../domain/webhooks/Webhook.ts"
import type { AppId, NotificationId, WebhookId, WebhookWorkId } from "../../domain/Ids.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** The application has as many webhooks as it may (spec 2.2). */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Number
}) {}

/**
 * Where and how to deliver: read together with the work, so that a change of the webhook counts from the next attempt.
 */
export interface WebhookEndpoint {
  readonly id: WebhookId
  readonly appId: AppId
  readonly url: string
  /** Each of them signs; the current one comes first. None: deliveries are not signed. */
  readonly secrets: ReadonlyArray<string>
  /** Grows when the webhook is enabled anew: results of an earlier epoch neither disable it nor reset its count. */
  readonly epoch: number
}

/** Events of one chunk that one webhook is to get, held by this worker until its lease ends. */
export interface WebhookWork {
  readonly id: WebhookWorkId
  readonly fence: number
  readonly chunk: EventChunk
  /** Positions in the chunk. */
  readonly positions: ReadonlyArray<number>
  /** Attempts that these deliveries have behind them. */
  readonly attempts: number
}

/** Work of which some deliveries have their turn while the receiver fails. */
export interface WebhookTurn {
  readonly work: WebhookWork
  /** Some of the work's. */
  readonly positions: ReadonlyArray<number>
}

/** How exhausted deliveries and successes of one write followed each other. A success ends a run of failures. */
export interface Streak {
  /** Exhausted deliveries before the first success: they lengthen the run that was there. */
  readonly leading: number
  /** Whether there was a success. */
  readonly reset: boolean
  /** The longest run after a success, and the one at the end; 0 without a success. */
  readonly longest: number
  readonly trailing: number
  /** Why the last of them failed. */
  readonly reason: string | null
}

/** One attempt of one delivery. */
export interface WebhookAttempt {
  readonly position: number
  /** Epoch milliseconds at which it began, and how long it took. */
  readonly at: number
  readonly latencyMs: number
  /** The status of the answer, or why there was none. */
  readonly outcome: number | string
}

/** What is known of an event's way to a webhook. */
export interface WebhookDelivery {
  /** The event's. */
  readonly id: string
  readonly event: EventName
  /** Epoch milliseconds: the moment of the event. */
  readonly eventAt: number
  /** `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: no attempt is left. */
  readonly status: "delivered" | "pending" | "retrying" | "exhausted"
  /** Its attempts, oldest first. */
  readonly attempts: ReadonlyArray<WebhookAttempt>
  /** Epoch milliseconds; null when there is no further attempt, or not before the webhook is enabled. */
  readonly nextAttemptAt: number | null
  /** It waits until the webhook, which is disabled, is enabled. */
  readonly isPaused: boolean
}

/** Which of a webhook's deliveries are wanted: those that meet every condition. */
export interface WebhookDeliveryFilter {
  readonly event?: EventName
  readonly status?: WebhookDelivery["status"]
}

/** An event about a recipient of a notification: which, and when, in epoch milliseconds. */
export interface RecipientEvent {
  readonly event: EventName
  readonly at: number
}

/** Results of one work item, in the order in which they came. */
export interface WebhookResults {
  readonly workId: WebhookWorkId
  readonly fence: number
  readonly webhookId: WebhookId
  readonly epoch: number
  readonly delivered: ReadonlyArray<number>
  /** Everything that was tried since the last results, for the log. */
  readonly tried: ReadonlyArray<WebhookAttempt>
  /** Deliveries that go again after `delayMs`. */
  readonly retry: { readonly positions: ReadonlyArray<number>; readonly delayMs: number } | null
  /** Deliveries that used up their attempts: recorded as dead letters. */
  readonly exhausted: ReadonlyArray<{ readonly position: number; readonly error: string }>
  /** Positions not tried yet; the work is done when there are none. */
  readonly remaining: ReadonlyArray<number>
  /**
   * Null: what remains stays with this worker for another `leaseMs`. Else it is given back, due after so long; 0: as it
   * was.
   */
  readonly releaseAfterMs: number | null
  readonly leaseMs: number
  readonly streak: Streak
  /** Failed deliveries in a row that disable the webhook. */
  readonly disableAfter: number
}

/** Webhooks and their pending deliveries. */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    readonly create: (
      appId: AppId,
      id: WebhookId,
      webhook: CreateWebhook
    ) => Effect.Effect<Webhook, TooManyWebhooks | StoreError>
    readonly find: (appId: AppId, id: WebhookId) => Effect.Effect<Option.Option<Webhook>, StoreError>
    readonly list: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<Webhook>, StoreError>
    /**
     * Enabling clears disabledReason and begins a new epoch. A replaced secret, and all before it, sign no more; with
     * `secret_overlap_seconds` they go on signing, this one for so long and those for as long as was said of them.
     */
    readonly update: (
      appId: AppId,
      id: WebhookId,
      change: UpdateWebhook
    ) => Effect.Effect<Option.Option<Webhook>, StoreError>
    readonly remove: (appId: AppId, id: WebhookId) => Effect.Effect<boolean, StoreError>
    /** None when the webhook is gone or not active. */
    readonly endpoint: (id: WebhookId) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
    /** The same for a webhook of the application that may be inactive: for test deliveries. */
    readonly target: (appId: AppId, id: WebhookId) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
    /**
     * The webhook's events, newest first, from behind the event `after`; what is known of them in one moment. With a
     * filter a page ends after some thousand events that were looked at: it may have fewer than `limit`, and a next one.
     */
    readonly deliveries: (
      appId: AppId,
      id: WebhookId,
      after: string | null,
      limit: number,
      filter?: WebhookDeliveryFilter
    ) => Effect.Effect<Page<WebhookDelivery>, StoreError>
    /** One of them, with the body that is posted. None when the webhook never had the event, or it is not kept any more. */
    readonly delivery: (
      appId: AppId,
      id: WebhookId,
      eventId: string
    ) => Effect.Effect<Option.Option<{ readonly delivery: WebhookDelivery; readonly body: string }>, StoreError>
    /**
     * What webhooks were told of one recipient of a notification, oldest event first. Events are looked for around their
     * moments: those that an outage kept from being written for longer than some seconds are not found.
     */
    readonly ofRecipient: (
      appId: AppId,
      notificationId: NotificationId,
      recipientId: string,
      events: ReadonlyArray<RecipientEvent>
    ) => Effect.Effect<ReadonlyArray<{ readonly webhookId: WebhookId; readonly delivery: WebhookDelivery }>, StoreError>
    /**
     * Takes up to `limit` due work items of an active webhook, oldest first, and no more than it takes to have
     * `events` events. A lease from before the store last began to
     * take writes is left to its holder for as long as a lease lasts: docs/decisions/0036.
     */
    readonly claim: (
      id: WebhookId,
      limit: number,
      leaseMs: number,
      events?: number
    ) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
    /**
     * Takes up to `limit` work items of at most `size` events from among the last few hundred that became due: what
     * would wait behind large ones.
     */
    readonly claimSmall: (
      id: WebhookId,
      limit: number,
      leaseMs: number,
      size: number
    ) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
    /** Whether deliveries that failed wait for their next attempt. */
    readonly hasRetries: (id: WebhookId) => Effect.Effect<boolean, StoreError>
    /**
     * The same of the webhook's oldest deliveries alone: those with the most attempts first, then the oldest, and as
     * many as have yet to use up their attempts until the webhook is disabled: `disableAfter` without those that have
     * lately.
     */
    readonly claimOldest: (
      id: WebhookId,
      disableAfter: number,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<WebhookTurn>, StoreError>
    /** The first delivery behind those that is due, if there is one. */
    readonly claimWaiting: (
      id: WebhookId,
      disableAfter: number,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<WebhookTurn>, StoreError>
    /**
     * One transaction. False, and nothing written, when the lease of the work was lost. Safe to repeat when an answer
     * was lost: `delivered`, `retry`, `exhausted` and `remaining` together are the open positions, so a repeat is
     * recognised.
     */
    readonly finish: (results: WebhookResults) => Effect.Effect<boolean, StoreError>
    /**
     * The same in one statement for work items of one webhook that were delivered as a whole, or are given back
     * untouched. Answers with those that are written; each of the others needs a `finish`.
     */
    readonly finishPlain: (
      all: ReadonlyArray<WebhookResults>
    ) => Effect.Effect<ReadonlyArray<WebhookWorkId>, StoreError>
    /** Active webhooks with work that can be claimed with the same `leaseMs`: it is due, and nobody holds it. */
    readonly due: (limit: number, leaseMs: number) => Effect.Effect<ReadonlyArray<WebhookId>, StoreError>
    /**
     * Milliseconds until the next work item of the webhook can be claimed, as far as is known now; none when
     * there is none.
     */
    readonly nextDue: (id: WebhookId, leaseMs: number) => Effect.Effect<Option.Option<number>, StoreError>
    /** The same of the oldest deliveries alone. */
    readonly nextDueOldest: (
      id: WebhookId,
      disableAfter: number,
      leaseMs: number
    ) => Effect.Effect<Option.Option<number>, StoreError>
  }
>()("heliograph/ports/WebhookStore") {}
