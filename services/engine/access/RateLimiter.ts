import type { Scope } from "effect"
import { Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import type { Bucket, RateClass } from "../../domain/access/RateLimit.ts"
import { RATE_CLASSES } from "../../domain/access/RateLimit.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import type { PermitClaim, PermitGrant } from "../../ports/access/RateLimitStore.ts"
import { RateLimitStore } from "../../ports/access/RateLimitStore.ts"
import { elapsedBy } from "../operations/Elapsed.ts"

/*
 * Counts requests against budgets that all nodes share, without a query for each of them. A node takes permits from the
 * store: as many as are waiting for it, and for a busy key those of the next tenth of a second too, which it then hands
 * out by itself. Before they are over, the busy key asks for the next ones, so that nobody has to wait for them. All keys
 * that ask for permits travel in one statement, one statement at a time.
 *
 * Three rules make it strict (docs/decisions/0026-rate-limits.md):
 * - A permit is counted in the store before a request gets it, so that the nodes together never exceed a budget.
 * - Permits that were taken ahead are good for ALLOWANCE_MS, and void as soon as the store fails once: no request is let
 *   through on the word of a store that cannot be reached.
 * - What is taken ahead is at most a SHARE of the budget: so much may stay unused on each node when its traffic ends.
 */

/** How long permits taken ahead may be handed out, in milliseconds. */
export const ALLOWANCE_MS = 100
/** When the next ones are asked for, while these are still good. */
const RENEW_MS = 50
/** How many were handed out by then: for fewer, a statement more is not worth while. */
const BUSY = 20
/** The part of a budget that may be taken ahead. A budget of less than 20 is taken one by one. */
const SHARE = 1 / 20
/** Keys in one statement, at most. */
const KEYS_AT_ONCE = 1_000
/** Keys that a node remembers. The ones longest unasked are forgotten first, which costs a query when they come again. */
export const KEYS_REMEMBERED = 20_000
/** A store that takes longer is as good as unreachable. */
const TIMEOUT = "2 seconds"
/** Seconds after which a refused client may hope for the store. */
const RETRY_AFTER = 2

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

type Waiter = (answer: Exit.Exit<Verdict, RateLimiterUnavailable>) => void

/** What a node knows of a key. Times are milliseconds of its own clock, which nobody sets. */
interface Local {
  readonly bucket: Bucket
  /** Permits at hand. */
  held: number
  heldUntil: number
  grantedAt: number
  /** Handed out since then: the measure of what to take ahead. */
  spent: number
  isExhausted: boolean
  /** What the store said last. */
  used: number
  resetAt: number
  endsAt: number
  /** Of the store's failures when it was said. */
  failures: number
  waiting: Array<Waiter>
  /** Whether the statement under way asks for it. */
  isAsked: boolean
}

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /** Counts one request. Answers at once where permits are at hand; else after the next statement. */
    readonly take: (bucket: Bucket) => Effect.Effect<Verdict, RateLimiterUnavailable>
    /**
     * Counts one request against both where permits of both are at hand, and answers the first one's verdict. Else null:
     * nothing was counted, and `take` tells.
     */
    readonly takeNow: (first: Bucket, second: Bucket | null) => Verdict | null
    /** Keys that are remembered now. */
    readonly size: () => number
  }
>()("heliograph/engine/RateLimiter") {
  static readonly layer: Layer.Layer<RateLimiter, never, RateLimitStore> = Layer.effect(
    RateLimiter,
    Effect.suspend(() => make)
  )
}

const make: Effect.Effect<RateLimiter["Service"], never, RateLimitStore | Scope.Scope> = Effect.gen(function* () {
  const store = yield* RateLimitStore
  const clock = yield* Clock.Clock
  const nowMs = () => elapsedBy(clock)
  const metrics = yield* Metrics
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const known = new Map<string, Local>()
  let waiting = new Set<Local>()
  let statement: Fiber.Fiber<ReadonlyArray<PermitGrant>, unknown> | null = null
  let failures = 0
  const refused = Object.fromEntries(RATE_CLASSES.map((name) => [name, 0])) as Record<RateClass, number>
  const counts = { statements: 0, claims: 0, unavailable: 0 }

  const verdictOf = (local: Local, isAllowed: boolean, now: number): Verdict => ({
    isAllowed,
    limit: local.bucket.budget.requests,
    remaining: isAllowed ? Math.max(0, local.bucket.budget.requests - local.used + local.held) : 0,
    resetAt: local.resetAt,
    retryAfter: Math.max(1, Math.ceil((local.endsAt - now) / 1000))
  })

  const spend = (local: Local, now: number): Verdict => {
    local.held--
    local.spent++
    return verdictOf(local, true, now)
  }

  /** Hands out what was taken ahead, and asks for the next ones in time. */
  const spendHeld = (local: Local, now: number): Verdict => {
    const verdict = spend(local, now)
    const isBusy = local.spent >= BUSY && now - local.grantedAt >= RENEW_MS
    if (isBusy && !local.isAsked && !local.isExhausted && !waiting.has(local) && wantOf(local, now) > 0) {
      waiting.add(local)
      pump()
    }
    return verdict
  }

  const refuse = (local: Local, now: number): Verdict => {
    refused[local.bucket.class]++
    return verdictOf(local, false, now)
  }

  /** A key that is asked for, or about to be, must not be asked for twice in one statement: it is not forgotten. */
  const forgetOldest = (): void => {
    for (const [key, local] of known) {
      if (local.isAsked || waiting.has(local)) continue
      known.delete(key)
      return
    }
  }

  const localOf = (bucket: Bucket): Local => {
    let local = known.get(bucket.key)
    if (local === undefined) {
      local = {
        bucket,
        held: 0,
        heldUntil: 0,
        grantedAt: 0,
        spent: 0,
        isExhausted: false,
        used: 0,
        resetAt: 0,
        endsAt: 0,
        failures: -1,
        waiting: [],
        isAsked: false
      }
    } else known.delete(bucket.key)
    // Whoever was asked last stands last.
    known.set(bucket.key, local)
    if (known.size > KEYS_REMEMBERED) forgetOldest()
    return local
  }

  /** How many permits to ask for: for those who wait, and for as many again as a busy key hands out in ALLOWANCE_MS. */
  const wantOf = (local: Local, now: number): number => {
    const { requests } = local.bucket.budget
    const isSameWindow = now < local.endsAt
    const pace = isSameWindow ? local.spent / Math.max(1, now - local.grantedAt) : 0
    const ahead = Math.min(Math.floor(requests * SHARE), Math.ceil(pace * ALLOWANCE_MS))
    return Math.max(0, local.waiting.length + ahead - (isSameWindow ? local.held : 0))
  }

  const settle = (local: Local, claim: PermitClaim, grant: PermitGrant, askedAt: number, now: number): void => {
    // Permits of a window that is over are not good for the next one.
    local.held = (local.resetAt === grant.endsAt ? local.held : 0) + grant.granted
    local.resetAt = grant.endsAt
    // Counted from the question: the answer was on its way for a part of it.
    local.endsAt = askedAt + grant.endsInMs
    local.heldUntil = Math.min(askedAt + ALLOWANCE_MS, local.endsAt)
    local.grantedAt = now
    local.spent = 0
    local.used = grant.used
    local.isExhausted = grant.granted < claim.want
    local.failures = failures
    const served = local.waiting.slice(0, local.held)
    // Without exhaustion, those who are left over came in the meantime, or at the change of the window: they ask again.
    const left = local.waiting.slice(served.length)
    local.waiting = local.isExhausted ? [] : left
    if (local.waiting.length > 0) waiting.add(local)
    else waiting.delete(local)
    for (const resume of served) resume(Exit.succeed(spend(local, now)))
    if (local.isExhausted) for (const resume of left) resume(Exit.succeed(refuse(local, now)))
  }

  const fail = (locals: ReadonlyArray<Local>, cause: unknown): void => {
    // Whatever was taken ahead is void from now on.
    failures++
    const resetAt = Math.ceil(clock.currentTimeMillisUnsafe() / 1000) + RETRY_AFTER
    for (const local of locals) {
      const verdict = {
        isAllowed: false,
        limit: local.bucket.budget.requests,
        remaining: 0,
        resetAt,
        retryAfter: RETRY_AFTER
      }
      const left = local.waiting
      local.waiting = []
      waiting.delete(local)
      counts.unavailable += left.length
      for (const resume of left) resume(Exit.fail(new RateLimiterUnavailable(verdict, cause)))
    }
  }

  const pump = (): void => {
    if (statement !== null || waiting.size === 0) return
    const locals = [...waiting].slice(0, KEYS_AT_ONCE)
    for (const local of locals) {
      waiting.delete(local)
      local.isAsked = true
    }
    const askedAt = nowMs()
    const claims = locals.map((local) => ({
      key: local.bucket.key,
      budget: local.bucket.budget,
      want: wantOf(local, askedAt)
    }))
    counts.statements++
    counts.claims += claims.length
    statement = fork(Effect.timeout(store.take(claims), TIMEOUT))
    statement.addObserver((exit) => {
      statement = null
      for (const local of locals) local.isAsked = false
      if (Exit.isSuccess(exit)) {
        const now = nowMs()
        locals.forEach((local, i) => settle(local, claims[i]!, exit.value[i]!, askedAt, now))
      } else fail(locals, exit.cause)
      pump()
    })
  }

  const wait = (bucket: Bucket): Effect.Effect<Verdict, RateLimiterUnavailable> =>
    Effect.callback((resume) => {
      const local = localOf(bucket)
      const waiter: Waiter = (answer) => resume(answer)
      local.waiting.push(waiter)
      waiting.add(local)
      pump()
      // A client that hangs up in the meantime leaves its permit to the next one.
      return Effect.sync(() => {
        local.waiting = local.waiting.filter((other) => other !== waiter)
      })
    })

  const isAtHand = (local: Local, now: number): boolean =>
    local.failures === failures && local.held > 0 && now < local.heldUntil && local.waiting.length === 0

  const takeNow: RateLimiter["Service"]["takeNow"] = (first, second) => {
    const now = nowMs()
    const one = known.get(first.key)
    if (one === undefined || !isAtHand(one, now)) return null
    if (second !== null) {
      const other = known.get(second.key)
      if (other === undefined || !isAtHand(other, now)) return null
      spendHeld(other, now)
    }
    return spendHeld(one, now)
  }

  const take: RateLimiter["Service"]["take"] = (bucket) => {
    const local = known.get(bucket.key)
    if (local !== undefined && local.failures === failures) {
      const now = nowMs()
      if (isAtHand(local, now)) return Effect.succeed(spendHeld(local, now))
      if (local.isExhausted && now < local.endsAt) return Effect.succeed(refuse(local, now))
    }
    return wait(bucket)
  }

  yield* Effect.acquireRelease(
    Effect.sync(() =>
      metrics.watch(() => [
        ...RATE_CLASSES.map((name) => ({
          name: "heliograph_rate_limited_total" as const,
          labels: { class: name },
          value: refused[name]
        })),
        { name: "heliograph_rate_limiter_unavailable_total", labels: {}, value: counts.unavailable },
        { name: "heliograph_rate_limiter_statements_total", labels: {}, value: counts.statements },
        { name: "heliograph_rate_limiter_claims_total", labels: {}, value: counts.claims }
      ])
    ),
    (stop) => Effect.sync(stop)
  )
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      const left = [...waiting]
      waiting = new Set()
      for (const local of left) for (const resume of local.waiting.splice(0)) resume(Exit.interrupt())
      return statement === null ? Effect.void : Effect.asVoid(Fiber.interrupt(statement))
    })
  )
  return RateLimiter.of({ take, takeNow, size: () => known.size })
})
