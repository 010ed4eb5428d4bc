import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, WebhookId, RedeliveryId } from "../../domain/Ids.ts"
import type { RedeliveredStatus, Redelivery } from "../../domain/webhooks/Redelivery.ts"
import type { StoreError } from "../StoreError.ts"
import type { TooManyRunning } from "../operations/TooManyRunning.ts"

/** A redelivery under way: whoever holds the highest fence may go on with it. */
export interface ClaimedRedelivery {
  readonly redelivery: Redelivery
  readonly fence: number
}

/**
 * Deliveries that a webhook gets once more, of events that it had before: with the same event ids, and all attempts
 * before them. Only what has come to an end goes again, so nothing is under way twice, whoever asks and however often.
 */
export class RedeliveryStore extends Context.Service<
  RedeliveryStore,
  {
    /**
     * Commits the wish for all deliveries of the webhook that have ended so, of events in the time (epoch milliseconds;
     * the end is now unless it is earlier); unless `RUNNING` redeliveries of the application are running. It is the
     * caller's for `leaseMs`.
     */
    readonly start: (
      appId: AppId,
      webhookId: WebhookId,
      id: RedeliveryId,
      wanted: { readonly status: RedeliveredStatus; readonly from: number | null; readonly to: number | null },
      leaseMs: number
    ) => Effect.Effect<ClaimedRedelivery, TooManyRunning | StoreError>
    /** Redelivers one event. `open`: it is still to be delivered. `unknown`: the webhook never had it. */
    readonly one: (
      appId: AppId,
      webhookId: WebhookId,
      id: RedeliveryId,
      eventId: string
    ) => Effect.Effect<Redelivery | "open" | "unknown", StoreError>
    readonly find: (appId: AppId, id: RedeliveryId) => Effect.Effect<Option.Option<Redelivery>, StoreError>
    /**
     * Takes a running redelivery that nobody has, of the application that comes next in turn after `served` (null: of
     * any), and of that application's the oldest. `served` itself comes last.
     */
    readonly claim: (
      served: AppId | null,
      leaseMs: number
    ) => Effect.Effect<Option.Option<ClaimedRedelivery>, StoreError>
    /**
     * One transaction: up to `limit` events are looked at, those that are wanted become work, the cursor goes behind
     * them, and the lease is prolonged; with `leaseMs` null it is given back. None, and nothing written, when its lease
     * was lost.
     */
    readonly step: (
      claimed: ClaimedRedelivery,
      limit: number,
      leaseMs: number | null
    ) => Effect.Effect<Option.Option<Redelivery>, StoreError>
  }
>()("heliograph/ports/RedeliveryStore") {}
