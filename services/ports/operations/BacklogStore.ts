import type { Effect } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { AppId, NotificationId, WebhookId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

export interface Waiting {
  readonly kind: "plan" | "webhook" | "workflow" | ProviderKind
  /** Work items that are due and that nobody has; of workflows, runs, of which some are being moved. */
  readonly count: number
  /** How long the oldest of them has been due, by the database's clock; 0 when there is none. */
  readonly oldestMs: number
}

export interface Backlog {
  readonly waiting: ReadonlyArray<Waiting>
  /** Batches that wait for a renewed credential. */
  readonly suspendedBatches: ReadonlyArray<{ readonly provider: ProviderKind; readonly count: number }>
  /** Credentials that their provider refuses. */
  readonly suspended: ReadonlyArray<{ readonly provider: ProviderKind; readonly count: number }>
  /** Webhooks that the service disabled because their deliveries failed. */
  readonly disabledWebhooks: number
  /** Of the database, on its disk. */
  readonly bytes: number
  readonly connections: ReadonlyArray<{ readonly state: string; readonly count: number }>
}

/** A webhook whose receiver does not take what it is sent. */
export interface FailingWebhook {
  readonly id: WebhookId
  readonly appId: AppId
  /** Failed deliveries in a row, after all their attempts. */
  readonly failures: number
  /** The most attempts of one of its deliveries that waits for its next; 0 when none does. */
  readonly attempts: number
  /** Why the service disabled it; null while it is active. */
  readonly disabledReason: string | null
}

/** What waits in the database, and who is there to do it. */
export class BacklogStore extends Context.Service<
  BacklogStore,
  {
    /** For metrics. It counts rows: ask every few seconds, not more often. */
    readonly read: Effect.Effect<Backlog, StoreError>
    /**
     * Of the newest notifications that are completed, those whose totals do not reconcile: what was counted when they
     * were planned is not the sum of their states, or what their batches count as sent and failed is not what there are
     * results of. Always none, unless rows were lost or changed by somebody else.
     * It reads results: ask every minute, not more often.
     */
    readonly unreconciled: Effect.Effect<ReadonlyArray<NotificationId>, StoreError>
    /** Recipients of batches that were set aside, and have not been replayed since. */
    readonly setAside: Effect.Effect<number, StoreError>
    /** Webhooks that were disabled because their deliveries failed, or whose latest ones did; the newest first, at most twenty. */
    readonly failingWebhooks: Effect.Effect<ReadonlyArray<FailingWebhook>, StoreError>
    /** How many nodes are connected at the moment, whatever their roles. */
    readonly nodes: Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/BacklogStore") {}
