import type { Exit } from "effect"
import type { Bucket } from "../../domain/access/RateLimit.ts"
import type { PermitClaim, PermitGrant } from "../../ports/access/RateLimitStore.ts"

/** How long after the last sign of the store permits taken ahead may be handed out, in milliseconds. */
export const ALLOWANCE_MS = 100
/** For how long a key's permits are taken ahead where other statements say all the time that the store is there. */
export const AHEAD_MS = 1_000
/** When the next ones are asked for, while these are still good: so long before they end, or are used up. */
const RENEW_MS = 50
/** How many were handed out by then: for fewer, a statement more is not worth while. */
const BUSY = 20
/** The part of a budget that may be taken ahead. A budget of less than 20 is taken one by one. */
const SHARE = 1 / 20

/** What the caller is told of its budget, in X-RateLimit-Limit, -Remaining and -Reset. */
export interface Verdict {
  readonly isAllowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Epoch seconds. */
  readonly resetAt: number
  /** Seconds until then, at least 1. */
  readonly retryAfter: number
}

/** The store was unreachable: nobody knows what is left, so the request must not be let through. */
export class RateLimiterUnavailable {
  readonly _tag = "RateLimiterUnavailable"
  readonly verdict: Verdict
  readonly cause: unknown

  /** A value and no Error: an outage fails thousands of requests, and a stack trace for each helps nobody. */
  constructor(verdict: Verdict, cause: unknown) {
    this.verdict = verdict
    this.cause = cause
  }
}

/** Whether other statements say that the store is there. */
const isHeard = (now: number, heardAt: number): boolean => now - heardAt < ALLOWANCE_MS

/** A request that waits for its permit. */
export type Waiter = (answer: Exit.Exit<Verdict, RateLimiterUnavailable>) => void

/**
 * What a node knows of a key: the permits at hand, and who waits for one. Moments are milliseconds of its own clock,
 * which nobody sets.
 */
export class KeyPermits {
  readonly bucket: Bucket
  waiting: Array<Waiter> = []
  /** Whether the statement under way asks for it. */
  isAsked = false

  /** Permits at hand. */
  #held = 0
  /** When they were asked for. */
  #askedAt = 0
  #grantedAt = 0
  /** Handed out since then: the measure of what to take ahead. */
  #spent = 0
  #isExhausted = false
  /** What the store said last. */
  #used = 0
  #resetAt = 0
  #endsAt = 0
  /** Of the store's failures when it was said. */
  #failures = -1

  constructor(bucket: Bucket) {
    this.bucket = bucket
  }

  /**
   * Whether a request can have a permit now. `failures`: of the store, until now; any voids what was taken ahead.
   * `heardAt`: when the store was there, by the last of its other statements.
   */
  isAtHand(failures: number, now: number, heardAt: number): boolean {
    return (
      this.#failures === failures &&
      this.#held > 0 &&
      now - Math.max(this.#askedAt, heardAt) < ALLOWANCE_MS &&
      now < this.#endsAt &&
      this.waiting.length === 0
    )
  }

  /** Whether the store has said, and not failed since, that nothing is left in this window. */
  isUsedUp(failures: number, now: number): boolean {
    return this.#failures === failures && this.#isExhausted && now < this.#endsAt
  }

  /** Hands out a permit. */
  spend(now: number): Verdict {
    this.#held--
    this.#spent++
    return this.verdict(true, now)
  }

  verdict(isAllowed: boolean, now: number): Verdict {
    const { requests } = this.bucket.budget
    return {
      isAllowed,
      limit: requests,
      remaining: isAllowed ? Math.max(0, requests - this.#used + this.#held) : 0,
      resetAt: this.#resetAt,
      retryAfter: Math.max(1, Math.ceil((this.#endsAt - now) / 1000))
    }
  }

  /** Whether it hands out so many that the next ones are to be asked for before they are needed. */
  isBusy(now: number, heardAt: number): boolean {
    if (this.#spent < BUSY || this.#isExhausted) return false
    const since = now - this.#grantedAt
    if (!isHeard(now, heardAt)) return since >= RENEW_MS
    return since >= AHEAD_MS / 2 || this.#held <= (this.#spent / Math.max(1, since)) * RENEW_MS
  }

  /** How many permits to ask for: for those who wait, and for as many again as a busy key hands out until the next time. */
  wanted(now: number, heardAt: number): number {
    const isSameWindow = now < this.#endsAt
    const pace = isSameWindow ? this.#spent / Math.max(1, now - this.#grantedAt) : 0
    const soon = Math.ceil(pace * ALLOWANCE_MS)
    // Two in a row are no pace to go by for a second: no more than twice what was handed out is taken for it.
    const later = isHeard(now, heardAt) ? Math.min(Math.ceil(pace * AHEAD_MS), 2 * this.#spent) : 0
    const ahead = Math.min(Math.floor(this.bucket.budget.requests * SHARE), Math.max(soon, later))
    return Math.max(0, this.waiting.length + ahead - (isSameWindow ? this.#held : 0))
  }

  /**
   * Takes what the store granted. Answers those who waited: each of `served` is to get a permit now, and each of `refused`
   * none in this window.
   */
  granted(claim: PermitClaim, grant: PermitGrant, askedAt: number, now: number, failures: number) {
    // Permits of a window that is over are not good for the next one.
    this.#held = (this.#resetAt === grant.endsAt ? this.#held : 0) + grant.granted
    this.#resetAt = grant.endsAt
    // Counted from the question: the answer was on its way for a part of it.
    this.#endsAt = askedAt + grant.endsInMs
    this.#askedAt = askedAt
    this.#grantedAt = now
    this.#spent = 0
    this.#used = grant.used
    this.#isExhausted = grant.granted < claim.want
    this.#failures = failures
    const served = this.waiting.slice(0, this.#held)
    const left = this.waiting.slice(served.length)
    // Without exhaustion, those who are left over came in the meantime, or at the change of the window: they ask again.
    this.waiting = this.#isExhausted ? [] : left
    return { served, refused: this.#isExhausted ? left : [] }
  }
}
