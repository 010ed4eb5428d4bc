import type { Scope } from "effect"
import { Clock, Context, Effect, Exit, Fiber, Layer } from "effect"
import type { Bucket, Budget, RateClass } from "../../domain/access/RateLimit.ts"
import { RATE_CLASSES } from "../../domain/access/RateLimit.ts"
import type { Sample } from "../../domain/operations/Metrics.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import type { PermitClaim, PermitGrant } from "../../ports/access/RateLimitStore.ts"
import { RateLimitStore } from "../../ports/access/RateLimitStore.ts"
import { elapsedBy } from "../operations/Elapsed.ts"
import type { Verdict, Waiter } from "./KeyPermits.ts"
import { KeyPermits, RateLimiterUnavailable } from "./KeyPermits.ts"

/*
 * Counts requests against budgets that all nodes share, without a query for each of them. A node takes permits from the
 * store: as many as are waiting for it, and for a busy key those of the next tenth of a second too, which it then hands
 * out by itself; of the next second, where its requests make statements of their own that say that the store is there.
 * Before they are over, the busy key asks for the next ones, so that nobody has to wait for them. All keys that ask for
 * permits travel in one statement, one statement at a time.
 *
 * Three rules make it strict (docs/decisions/0026-rate-limits.md):
 * - A permit is counted in the store before a request gets it, so that the nodes together never exceed a budget.
 * - Permits that were taken ahead are good for ALLOWANCE_MS from the last sign of the store, and void as soon as it fails
 *   once: no request is let through on the word of a store that cannot be reached.
 * - What is taken ahead is at most a SHARE of the budget: so much may stay unused on each node when its traffic ends.
 */

/** Keys in one statement, at most. */
const KEYS_AT_ONCE = 1_000
/** Keys that a node remembers. The ones longest unasked are forgotten first, which costs a query when they come again. */
export const KEYS_REMEMBERED = 20_000
/** A store that takes longer is as good as unreachable. */
const TIMEOUT = "2 seconds"
/** Seconds after which a refused client may hope for the store. */
const RETRY_AFTER = 2

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
    /** Notes a request that is refused because nobody could tell whose it is, and so count it; `budget`: where it belongs. */
    readonly uncountable: (budget: Budget) => Verdict
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
  const metrics = yield* Metrics
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const limiter = new SharedLimiter(
    yield* Clock.Clock,
    (claims) => fork(Effect.timeout(store.take(claims), TIMEOUT)),
    store.silentForMs
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => metrics.watch(() => limiter.samples())),
    (stop) => Effect.sync(stop)
  )
  yield* Effect.addFinalizer(() => limiter.stop)
  return RateLimiter.of(limiter)
})

type Ask = (claims: ReadonlyArray<PermitClaim>) => Fiber.Fiber<ReadonlyArray<PermitGrant>, unknown>

/** The keys of a node. Everything but the statement is synchronous: where permits are at hand, a request costs no effect. */
class SharedLimiter {
  readonly #clock: Clock.Clock
  readonly #ask: Ask
  readonly #silentForMs: () => number
  /** The one that was asked for last stands last. */
  readonly #known = new Map<string, KeyPermits>()
  /** Those that the next statement asks for. */
  #wanted = new Set<KeyPermits>()
  #statement: ReturnType<Ask> | null = null
  /** Of the store. */
  #failures = 0
  readonly #refused = Object.fromEntries(RATE_CLASSES.map((name) => [name, 0])) as Record<RateClass, number>
  readonly #counts = { statements: 0, claims: 0, unavailable: 0 }

  constructor(clock: Clock.Clock, ask: Ask, silentForMs: () => number) {
    this.#clock = clock
    this.#ask = ask
    this.#silentForMs = silentForMs
  }

  readonly take = (bucket: Bucket): Effect.Effect<Verdict, RateLimiterUnavailable> => {
    const one = this.#known.get(bucket.key)
    if (one === undefined) return this.#wait(bucket)
    const now = elapsedBy(this.#clock)
    const heardAt = this.#heardAt(now)
    if (one.isAtHand(this.#failures, now, heardAt)) return Effect.succeed(this.#spend(one, now, heardAt))
    return one.isUsedUp(this.#failures, now) ? Effect.succeed(this.#refuse(one, now)) : this.#wait(bucket)
  }

  readonly takeNow = (first: Bucket, second: Bucket | null): Verdict | null => {
    const now = elapsedBy(this.#clock)
    const heardAt = this.#heardAt(now)
    const one = this.#known.get(first.key)
    if (one === undefined || !one.isAtHand(this.#failures, now, heardAt)) return null
    if (second !== null) {
      const other = this.#known.get(second.key)
      if (other === undefined || !other.isAtHand(this.#failures, now, heardAt)) return null
      this.#spend(other, now, heardAt)
    }
    return this.#spend(one, now, heardAt)
  }

  readonly uncountable = ({ requests }: Budget): Verdict => {
    this.#counts.unavailable++
    return this.#silence(requests)
  }

  readonly size = (): number => this.#known.size

  /** When the store was there, by the last of its other statements. */
  #heardAt(now: number): number {
    return now - this.#silentForMs()
  }

  /** Hands out what was taken ahead, and asks for the next ones in time. */
  #spend(one: KeyPermits, now: number, heardAt: number): Verdict {
    const verdict = one.spend(now)
    if (one.isBusy(now, heardAt) && !one.isAsked && !this.#wanted.has(one) && one.wanted(now, heardAt) > 0) {
      this.#wanted.add(one)
      this.#askNext()
    }
    return verdict
  }

  #refuse(one: KeyPermits, now: number): Verdict {
    this.#refused[one.bucket.class]++
    return one.verdict(false, now)
  }

  #wait(bucket: Bucket): Effect.Effect<Verdict, RateLimiterUnavailable> {
    return Effect.callback((resume) => {
      const one = this.#permitsOf(bucket)
      const waiter: Waiter = (answer) => resume(answer)
      one.waiting.push(waiter)
      this.#wanted.add(one)
      this.#askNext()
      // A client that hangs up in the meantime leaves its permit to the next one.
      return Effect.sync(() => {
        one.waiting = one.waiting.filter((other) => other !== waiter)
      })
    })
  }

  #permitsOf(bucket: Bucket): KeyPermits {
    const known = this.#known.get(bucket.key)
    if (known !== undefined) this.#known.delete(bucket.key)
    const one = known ?? new KeyPermits(bucket)
    this.#known.set(bucket.key, one)
    if (this.#known.size > KEYS_REMEMBERED) this.#forgetOldest()
    return one
  }

  /** A key that is asked for, or about to be, must not be asked for twice in one statement: it is not forgotten. */
  #forgetOldest(): void {
    for (const [key, one] of this.#known) {
      if (one.isAsked || this.#wanted.has(one)) continue
      this.#known.delete(key)
      return
    }
  }

  /** One statement at a time, for all keys that want permits by then. */
  #askNext(): void {
    if (this.#statement !== null || this.#wanted.size === 0) return
    const asked = [...this.#wanted].slice(0, KEYS_AT_ONCE)
    for (const one of asked) {
      this.#wanted.delete(one)
      one.isAsked = true
    }
    const askedAt = elapsedBy(this.#clock)
    const heardAt = this.#heardAt(askedAt)
    const claims = asked.map((one) => ({
      key: one.bucket.key,
      budget: one.bucket.budget,
      want: one.wanted(askedAt, heardAt)
    }))
    this.#counts.statements++
    this.#counts.claims += claims.length
    this.#statement = this.#ask(claims)
    this.#statement.addObserver((exit) => {
      this.#statement = null
      for (const one of asked) one.isAsked = false
      if (Exit.isSuccess(exit)) {
        const now = elapsedBy(this.#clock)
        asked.forEach((one, i) => this.#settle(one, claims[i]!, exit.value[i]!, askedAt, now))
      } else this.#fail(asked, exit.cause)
      this.#askNext()
    })
  }

  /** Answers those who waited for a key. */
  #settle(one: KeyPermits, claim: PermitClaim, grant: PermitGrant, askedAt: number, now: number): void {
    const { refused, served } = one.granted(claim, grant, askedAt, now, this.#failures)
    if (one.waiting.length > 0) this.#wanted.add(one)
    else this.#wanted.delete(one)
    for (const resume of served) resume(Exit.succeed(one.spend(now)))
    for (const resume of refused) resume(Exit.succeed(this.#refuse(one, now)))
  }

  /** Refuses those who waited for what the store did not answer. Whatever was taken ahead is void from now on. */
  #fail(asked: ReadonlyArray<KeyPermits>, cause: unknown): void {
    this.#failures++
    for (const one of asked) {
      const verdict = this.#silence(one.bucket.budget.requests)
      const left = one.waiting
      one.waiting = []
      this.#wanted.delete(one)
      this.#counts.unavailable += left.length
      for (const resume of left) resume(Exit.fail(new RateLimiterUnavailable(verdict, cause)))
    }
  }

  /** What a request is told while the store is silent. */
  #silence(limit: number): Verdict {
    const resetAt = Math.ceil(this.#clock.currentTimeMillisUnsafe() / 1000) + RETRY_AFTER
    return { isAllowed: false, limit, remaining: 0, resetAt, retryAfter: RETRY_AFTER }
  }

  samples(): ReadonlyArray<Sample> {
    const { claims, statements, unavailable } = this.#counts
    return [
      ...RATE_CLASSES.map((name) => ({
        name: "heliograph_rate_limited_total" as const,
        labels: { class: name },
        value: this.#refused[name]
      })),
      { name: "heliograph_rate_limiter_unavailable_total", labels: {}, value: unavailable },
      { name: "heliograph_rate_limiter_statements_total", labels: {}, value: statements },
      { name: "heliograph_rate_limiter_claims_total", labels: {}, value: claims }
    ]
  }

  /** Interrupts those who wait, and the statement under way. */
  readonly stop: Effect.Effect<void> = Effect.suspend(() => {
    const left = [...this.#wanted]
    this.#wanted = new Set()
    for (const one of left) for (const resume of one.waiting.splice(0)) resume(Exit.interrupt())
    return this.#statement === null ? Effect.void : Effect.asVoid(Fiber.interrupt(this.#statement))
  })
}
