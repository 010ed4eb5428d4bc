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

/** What waits in the database, for metrics. It counts rows: ask every few seconds, not more often. */
export class BacklogStore extends Context.Service<
  BacklogStore,
  { readonly read: Effect.Effect<Backlog, StoreError> }
>()("heliograph/ports/BacklogStore") {}
