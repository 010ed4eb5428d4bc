import type { Effect } from "effect"
import { Context } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

/** How long an answer is kept for repetitions. */
export const KEPT_MS = 86_400_000

/** A key as one request holds it. */
export interface KeyClaim {
  /** Of a person who is signed in: the id of the account. */
  readonly appId: AppId
  /** Method and path of the route, as `POST /api/v1/notifications`. */
  readonly route: string
  readonly key: string
  /** The id of the request: what another one does with the key in the meantime is told apart by it. */
  readonly holder: string
}

/** An answer as it is repeated. */
export interface KeptAnswer {
  readonly status: number
  readonly body: string
  readonly location: string | null
}

/** The answer that a request leaves under its key. */
export interface Settlement {
  readonly claim: KeyClaim
  readonly answer: KeptAnswer
}

export type Begun =
  /** The work is this request's to do. */
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Answered"; readonly holder: string; readonly answer: KeptAnswer }
  | { readonly _tag: "InFlight"; readonly forMs: number }
  /** The key belongs to a request that said something else. */
  | { readonly _tag: "Mismatch" }

/** Keys by which clients repeat requests safely, for `KEPT_MS` after the first of them. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /**
     * Takes a key that is new, too old, or was left without an answer by a holder whose lease is over; else says what
     * is there. `fingerprint`: a hash of all that the request says.
     */
    readonly begin: (claim: KeyClaim, fingerprint: Uint8Array, leaseMs: number) => Effect.Effect<Begun, StoreError>
    /**
     * Keeps the answer, unless another request has taken the key. `NotificationStore.accept` does this by itself, in
     * the transaction that accepts.
     */
    readonly settle: (settlement: Settlement) => Effect.Effect<void, StoreError>
    /** Gives the key back, unless it has an answer: the work was not done, and may be tried again at once. */
    readonly abandon: (claim: KeyClaim) => Effect.Effect<void, StoreError>
    /**
     * Does the one (with an answer) or the other (with null) in the background, as soon as the database lets it: for who
     * could not, or who does not know whether a key was taken. After a minute it is left to the lease.
     */
    readonly later: (claim: KeyClaim, answer: KeptAnswer | null) => void
  }
>()("heliograph/ports/IdempotencyStore") {}
