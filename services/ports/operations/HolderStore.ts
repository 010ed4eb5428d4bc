import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The number of a process among those that hold leases. */
export const HolderId = Schema.Int.pipe(Schema.brand("HolderId"))
export type HolderId = typeof HolderId.Type

/** `crashed`: by what it did itself, out of memory for example. `killed`: by somebody, or nobody knows. */
export type Ending = "killed" | "crashed"

/** The processes that hold leases, seen by others. */
export class HolderStore extends Context.Service<
  HolderStore,
  {
    /**
     * Frees what is held by processes whose sessions have ended: at once where somebody saw the process end, and else
     * when the session has been missed for as long as a process that lives takes to open another. Answers how much
     * that was: plans, batches, webhook work, replays, redeliveries and mails of the service; a process that stopped in
     * order held none. Any
     * number of nodes may do this at once; to be called every second.
     */
    readonly release: Effect.Effect<number, StoreError>
    /** Somebody saw this process end. */
    readonly ended: (id: HolderId, how: Ending) => Effect.Effect<void, StoreError>
  }
>()("heliograph/ports/HolderStore") {}
