import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { DeadLetterFilter, Replay } from "../../domain/sending/DeadLetter.ts"
import type { AppId, DeadLetterId, ReplayId } from "../../domain/Ids.ts"
import type { LaneKey } from "./BatchStore.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { TooManyRunning } from "../operations/TooManyRunning.ts"

/** A replay under way: whoever holds the highest fence may go on with it. */
export interface ClaimedReplay {
  readonly replay: Replay
  readonly fence: number
}

/**
 * Puts recipients that finally failed back into their notifications: from `failed` to `pending`, in a batch of their
 * own with a new time to live and all attempts before it. Each dead letter moves once, whoever asks, and however many
 * at once.
 */
export class ReplayStore extends Context.Service<
  ReplayStore,
  {
    /**
     * Replays one dead letter. The lane that has work by it; none when it did not move: it was replayed, its
     * notification is cancelled or gone, or the batch in which it failed has not ended yet.
     */
    readonly one: (appId: AppId, id: DeadLetterId) => Effect.Effect<Option.Option<LaneKey>, StoreError>
    /**
     * Commits the wish to replay all replayable dead letters of notifications that are there now and that the filter
     * describes; unless `RUNNING` replays of the application are running.
     */
    readonly start: (
      appId: AppId,
      id: ReplayId,
      filter: DeadLetterFilter
    ) => Effect.Effect<Replay, TooManyRunning | StoreError>
    readonly find: (appId: AppId, id: ReplayId) => Effect.Effect<Option.Option<Replay>, StoreError>
    /** Newest first. */
    readonly list: (appId: AppId, before: string | null, limit: number) => Effect.Effect<Page<Replay>, StoreError>
    /**
     * Takes a running replay that nobody has, of the application that comes next in turn after `served` (null: of any),
     * and of that application's the oldest. `served` itself comes last.
     */
    readonly claim: (served: AppId | null, leaseMs: number) => Effect.Effect<Option.Option<ClaimedReplay>, StoreError>
    /**
     * One transaction: up to `limit` dead letters, the cursor behind them, the counts, and the lease once more; with
     * `leaseMs` null it is given back. None, and nothing written, when the lease of the replay was lost.
     */
    readonly step: (
      claimed: ClaimedReplay,
      limit: number,
      leaseMs: number | null
    ) => Effect.Effect<Option.Option<{ readonly isDone: boolean; readonly lanes: ReadonlyArray<LaneKey> }>, StoreError>
  }
>()("heliograph/ports/ReplayStore") {}
