import { Effect, Schedule } from "effect"
import type { StoreError } from "../../ports/StoreError.ts"

/** A database that does not say whose a batch is, is asked again. */
export const UNTIL_ANSWERED = Schedule.spaced("500 millis")

export interface LeaseTerms {
  /** Of `performance.now()`: when the batch was asked for, and until when nobody else can have it. */
  readonly heldSince: number
  readonly heldUntil: number
  /**
   * Whether requests may begin of a batch that has been this process's since then: what is sent can be written, and
   * nobody takes the process for dead.
   */
  readonly mayBegin: (heldSince: number) => boolean
  /** Whether nobody has taken the process for dead since then. */
  readonly isUnbroken: (heldSince: number) => boolean
  /** Prolongs the lease. False when the lease of the batch was lost. */
  readonly extend: Effect.Effect<boolean, StoreError>
}

/** The lease of a batch under way: until when nobody else can have it, as far as this process knows. */
export class BatchLease {
  readonly #terms: LeaseTerms
  readonly #leaseMs: number
  #heldSince: number
  #heldUntil: number

  constructor(terms: LeaseTerms, leaseMs: number) {
    this.#terms = terms
    this.#leaseMs = leaseMs
    this.#heldSince = terms.heldSince
    this.#heldUntil = terms.heldUntil
  }

  /** Whether a request may begin now. */
  mayBegin(): boolean {
    return performance.now() < this.#heldUntil && this.#terms.mayBegin(this.#heldSince)
  }

  /** A write that prolongs the lease if the batch is still ours. It lasts from no earlier than the question. */
  prolongedBy<E>(write: Effect.Effect<boolean, E>): Effect.Effect<boolean, E> {
    return Effect.suspend(() => {
      const askedAt = performance.now()
      return Effect.tap(write, (isOurs) =>
        Effect.sync(() => {
          if (!isOurs) return
          this.#heldSince = askedAt
          this.#heldUntil = askedAt + this.#leaseMs
        })
      )
    })
  }

  readonly extend = Effect.suspend(() => this.prolongedBy(this.#terms.extend))

  /**
   * Whether requests may begin: what slept past its lease, with the machine or because the database did not answer,
   * asks first, for somebody else may have sent them.
   */
  readonly isHeld = Effect.suspend(() =>
    performance.now() < this.#heldUntil && this.#terms.isUnbroken(this.#heldSince)
      ? Effect.succeed(true)
      : Effect.retry(this.extend, UNTIL_ANSWERED)
  )
}
