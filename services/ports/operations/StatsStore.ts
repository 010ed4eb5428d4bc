import type { Effect } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { DayStats } from "../../domain/operations/Stats.ts"
import type { StoreError } from "../StoreError.ts"

/** One provider's part in a notification. */
export interface ProviderAccount {
  readonly provider: ProviderKind
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
}

/** Sums that are kept while things happen: reading them costs the same after a million messages as after one. */
export class StatsStore extends Context.Service<
  StatsStore,
  {
    /** The days from `from` to `to`, both included, as `2026-11-21`; those on which nothing happened are left out. */
    readonly days: (appId: AppId, from: string, to: string) => Effect.Effect<ReadonlyArray<DayStats>, StoreError>
    /** The counts of a notification by provider: exact at every moment. Empty for another application's. */
    readonly notification: (
      appId: AppId,
      id: NotificationId
    ) => Effect.Effect<ReadonlyArray<ProviderAccount>, StoreError>
  }
>()("heliograph/ports/StatsStore") {}
