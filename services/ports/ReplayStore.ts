import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { LetterFilter, Replay } from "../domain/DeadLetter.ts"
import type { AppId, DeadLetterId, ReplayId } from "../domain/Ids.ts"
import type { LaneKey } from "./BatchStore.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "./StoreError.ts"

/** A replay under way: whoever holds the highest fence may go on with it. */
export interface ClaimedReplay {
  readonly replay: Replay
  readonly fence: number
}

/**
 * Puts recipients that finally failed back into their notifications: from `failed` to `pending`, in a batch of their own
 * with a new time to live and all attempts before it. Each letter moves once, whoever asks, and however many at once.
 */
export class ReplayStore extends Context.Service<
  ReplayStore,
  {
    /**
     * Replays one letter. The lane that has work by it; none when it did not move: it was replayed, its notification is
     * cancelled or gone, or the batch in which it failed has not ended yet.
     */
    readonly one: (appId: AppId, id: DeadLetterId) => Effect.Effect<Option.Option<LaneKey>, StoreError>
    /** Commits the wish to replay all replayable letters of notifications that are there now and that the filter describes. */
    readonly start: (appId: AppId, id: ReplayId, filter: LetterFilter) => Effect.Effect<Replay, StoreError>
    readonly find: (appId: AppId, id: ReplayId) => Effect.Effect<Option.Option<Replay>, StoreError>
    /** Newest first. */
    readonly list: (appId: AppId, before: string | null, limit: number) => Effect.Effect<Page<Replay>, StoreError>
    /** Takes a running replay that nobody has, the oldest first. */
    readonly claim: (leaseMs: number) => Effect.Effect<Option.Option<ClaimedReplay>, StoreError>
    /**
     * One transaction: up to `limit` letters, the cursor behind them, the counts, and the lease once more. None, and
     * nothing written, when the replay is another's by now.
     */
    readonly step: (
      claimed: ClaimedReplay,
      limit: number,
      leaseMs: number
    ) => Effect.Effect<Option.Option<{ readonly isDone: boolean; readonly lanes: ReadonlyArray<LaneKey> }>, StoreError>
  }
>()("heliograph/ports/ReplayStore") {}
