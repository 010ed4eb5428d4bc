import type { Effect } from "effect"
import { Context } from "effect"
import type { ProviderKind } from "../domain/Credential.ts"
import type { StoreError } from "./StoreError.ts"

export interface Waiting {
  readonly kind: "plan" | "webhook" | ProviderKind
  /** Pieces of work that are due and that nobody has. */
  readonly count: number
  /** How long the oldest of them has been due, by the database's clock; 0 when there is none. */
  readonly oldestMs: number
}

export interface Backlog {
  readonly waiting: ReadonlyArray<Waiting>
  /** Batches that wait for a renewed credential. */
  readonly held: ReadonlyArray<{ readonly provider: ProviderKind; readonly count: number }>
  readonly connections: ReadonlyArray<{ readonly state: string; readonly count: number }>
}

/** What waits in the database, and who is there to do it. */
export class BacklogStore extends Context.Service<
  BacklogStore,
  {
    /** For metrics. It counts rows: ask every few seconds, not more often. */
    readonly read: Effect.Effect<Backlog, StoreError>
    /** How many nodes are connected at the moment, whatever their roles. */
    readonly nodes: Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/BacklogStore") {}
