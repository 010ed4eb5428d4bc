import type { Effect } from "effect"
import { Context } from "effect"
import type { Budget } from "../../domain/access/RateLimit.ts"
import type { StoreError } from "../StoreError.ts"

export interface PermitClaim {
  readonly key: string
  readonly budget: Budget
  /** Requests to be let through; may be 0, to learn what is left. */
  readonly want: number
}

export interface PermitGrant {
  /** From 0 to what was wanted: counted already, whether they are used or not. */
  readonly granted: number
  /** What all nodes have taken in this window, these included. */
  readonly used: number
  /** When the window ends, epoch seconds of the database's clock. */
  readonly endsAt: number
  /** How long that is from the database's now, in milliseconds. */
  readonly endsInMs: number
}

/** The counts that all nodes share. */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    /** Takes permits for many keys, each named once, in one statement. Answers in the order of the claims. */
    readonly take: (claims: ReadonlyArray<PermitClaim>) => Effect.Effect<ReadonlyArray<PermitGrant>, StoreError>
    /**
     * How long ago the last of those other statements was sent that the same database has carried out since, in
     * milliseconds: it was there then. Infinity before the first.
     */
    readonly silentForMs: () => number
  }
>()("heliograph/ports/RateLimitStore") {}
