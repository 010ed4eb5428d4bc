import type { Effect } from "effect"
import { Context } from "effect"
import type { HolderId } from "./HolderStore.ts"
import type { StoreError } from "../StoreError.ts"

/** A row that this process has claimed, with the fence of its claim. */
export interface Claimed {
  readonly id: string
  readonly fence: number
}

/** What this process has in hand and cannot write at the moment: its leases go on all the same, where they can. */
export interface InHand {
  readonly batches: ReadonlyArray<Claimed>
  readonly webhookWork: ReadonlyArray<Claimed>
  readonly leaseMs: number
  readonly webhookLeaseMs: number
}

/**
 * What one process does for all: freeing what the dead held, telling of work that nobody was told of (nodes with other
 * roles tell of other work), carrying out replays and redeliveries.
 */
export type Chore = "release" | "sweep" | "sweep_dispatch" | "sweep_webhooks" | "replays" | "redeliveries"

/**
 * This process among those that hold leases. It has a session of its own at the database: while the session lasts nobody
 * takes it for dead, and when it ends others take over its work at once.
 */
export class LeaseHolder extends Context.Service<
  LeaseHolder,
  {
    /**
     * Shows that this process lives and prolongs the leases of what it has in hand, by its own session, which waits for
     * nothing else that the process asks of the database. Opens the session where there is none. Fails when the database
     * takes no writes, or does not answer. To be called twice a second.
     */
    readonly beat: (inHand: InHand) => Effect.Effect<void, StoreError>
    /** Notes the one batch that is to blame should this process end now; null when it may be any of those in hand. */
    readonly blame: (batchId: string | null) => Effect.Effect<void, StoreError>
    /** Its number, once it has one. */
    readonly id: () => HolderId | null
    /**
     * Since when the session has lasted (of `performance.now()`): what was claimed or prolonged later is nobody else's
     * before the end of its lease. Null while it is not known to last.
     */
    readonly presentSince: () => number | null
    /**
     * Waits for this process's turn at a chore. Of the processes that wait for it, one has a turn in each span of so many
     * milliseconds; which one is found out by beats. All have their turns while nobody can find out. One waiter for each
     * chore.
     */
    readonly turn: (chore: Chore, spanMs: number) => Effect.Effect<void>
  }
>()("heliograph/ports/LeaseHolder") {}
