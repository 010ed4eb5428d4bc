import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { EventChunk, EventName } from "../domain/Event.ts"
import type { CreateHook, Hook, UpdateHook } from "../domain/Hook.ts"
import type { AppId, HookId, HookWorkId } from "../domain/Ids.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "./StoreError.ts"

/** The application has as many hooks as it may (spec 2.2). */
export class TooManyHooks extends Schema.TaggedError<TooManyHooks>()("TooManyHooks", {
  limit: Schema.Number
}) {}

/** Where and how to deliver: read together with the work, so that a change of the hook counts from the next attempt. */
export interface HookEndpoint {
  readonly id: HookId
  readonly appId: AppId
  readonly url: string
  /** Each of them signs; the current one comes first. None: deliveries are not signed. */
  readonly secrets: ReadonlyArray<string>
  /** Grows when the hook is enabled anew: results of an earlier epoch neither disable it nor reset its count. */
  readonly epoch: number
}

/** Events of one chunk that one hook is to get, held by this worker until its lease ends. */
export interface HookWork {
  readonly id: HookWorkId
  readonly fence: number
  readonly chunk: EventChunk
  /** Positions in the chunk. */
  readonly positions: ReadonlyArray<number>
  /** Attempts that these deliveries have behind them. */
  readonly attempts: number
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
export interface HookAttempt {
  readonly position: number
  /** Epoch milliseconds at which it began, and how long it took. */
  readonly at: number
  readonly latencyMs: number
  /** The status of the answer, or why there was none. */
  readonly outcome: number | string
}

/** What is known of an event's way to a hook. */
export interface HookDelivery {
  /** The event's. */
  readonly id: string
  readonly event: EventName
  /** Epoch milliseconds: the moment of the event. */
  readonly eventAt: number
  /** `pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: no attempt is left. */
  readonly status: "delivered" | "pending" | "retrying" | "exhausted"
  /** Its attempts, oldest first. */
  readonly attempts: ReadonlyArray<HookAttempt>
  /** Epoch milliseconds; null when there is no further attempt, or not before the hook is enabled. */
  readonly nextAttemptAt: number | null
  /** It waits until the hook, which is disabled, is enabled. */
  readonly isHeld: boolean
}

/** Results of one piece of work, in the order in which they came. */
export interface HookResults {
  readonly workId: HookWorkId
  readonly fence: number
  readonly hookId: HookId
  readonly epoch: number
  readonly delivered: ReadonlyArray<number>
  /** Everything that was tried since the last results, for the log. */
  readonly tried: ReadonlyArray<HookAttempt>
  /** Deliveries that go again after `delayMs`. */
  readonly retry: { readonly positions: ReadonlyArray<number>; readonly delayMs: number } | null
  /** Deliveries that used up their attempts: recorded as dead letters. */
  readonly exhausted: ReadonlyArray<{ readonly position: number; readonly error: string }>
  /** Positions not tried yet; the work is done when there are none. */
  readonly remaining: ReadonlyArray<number>
  /** Null: what remains stays with this worker for another `leaseMs`. Else it is given back, due after so long. */
  readonly releaseAfterMs: number | null
  readonly leaseMs: number
  readonly streak: Streak
  /** Failed deliveries in a row that disable the hook. */
  readonly disableAfter: number
}

/** Webhooks and their pending deliveries. */
export class HookStore extends Context.Service<
  HookStore,
  {
    readonly create: (appId: AppId, id: HookId, hook: CreateHook) => Effect.Effect<Hook, TooManyHooks | StoreError>
    readonly find: (appId: AppId, id: HookId) => Effect.Effect<Option.Option<Hook>, StoreError>
    readonly list: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<Hook>, StoreError>
    /**
     * Enabling clears disabledReason and begins a new epoch. `overlapMs`: how long a replaced secret goes on signing,
     * unless the change says so itself.
     */
    readonly update: (
      appId: AppId,
      id: HookId,
      change: UpdateHook,
      overlapMs: number
    ) => Effect.Effect<Option.Option<Hook>, StoreError>
    readonly remove: (appId: AppId, id: HookId) => Effect.Effect<boolean, StoreError>
    /** None when the hook is gone or not active. */
    readonly endpoint: (id: HookId) => Effect.Effect<Option.Option<HookEndpoint>, StoreError>
    /** The same for a hook of the application that may be inactive: for test deliveries. */
    readonly target: (appId: AppId, id: HookId) => Effect.Effect<Option.Option<HookEndpoint>, StoreError>
    /** The hook's events, newest first, from behind the event `after`; what is known of them in one moment. */
    readonly deliveries: (
      appId: AppId,
      id: HookId,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<HookDelivery>, StoreError>
    /**
     * Takes up to `limit` pieces of due work of an active hook, oldest first. A lease from before the store last began to
     * take writes is left to its holder for as long as a lease lasts: docs/decisions/0036.
     */
    readonly claim: (id: HookId, limit: number, leaseMs: number) => Effect.Effect<ReadonlyArray<HookWork>, StoreError>
    /**
     * The same for a probe: one piece, of those with the most attempts. A dead hook is probed rarely; probing the same
     * deliveries again is what uses up their attempts, and in the end disables the hook.
     */
    readonly claimMostTried: (id: HookId, leaseMs: number) => Effect.Effect<ReadonlyArray<HookWork>, StoreError>
    /**
     * One transaction. False, and nothing written, when the work is another's by now. Safe to repeat when an answer was
     * lost: `delivered`, `retry`, `exhausted` and `remaining` together are the open positions, so a repeat is recognised.
     */
    readonly finish: (results: HookResults) => Effect.Effect<boolean, StoreError>
    /** Active hooks with work that can be claimed with the same `leaseMs`: it is due, and nobody holds it. */
    readonly due: (limit: number, leaseMs: number) => Effect.Effect<ReadonlyArray<HookId>, StoreError>
    /**
     * Milliseconds until the next piece of the hook's work can be claimed, as far as is known now; none when there is
     * none.
     */
    readonly nextDue: (id: HookId, leaseMs: number) => Effect.Effect<Option.Option<number>, StoreError>
  }
>()("heliograph/ports/HookStore") {}
