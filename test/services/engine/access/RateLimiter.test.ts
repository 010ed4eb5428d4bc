import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Bucket } from "../../../../services/domain/access/RateLimit.ts"
import { makeRegistry } from "../../../../layers/telemetry/Metrics.ts"
import { ALLOWANCE_MS } from "../../../../services/engine/access/KeyPermits.ts"
import { KEYS_REMEMBERED, RateLimiter } from "../../../../services/engine/access/RateLimiter.ts"
import { Metrics } from "../../../../services/ports/operations/Metrics.ts"
import { RateTable } from "../../../doubles/access/RateLimitStore.ts"

/** The beginning of a window of 60 s, epoch milliseconds. */
const START = 1_800_000_000_000

const bucket = (requests: number, key = "a"): Bucket => ({
  key,
  class: "secret",
  budget: { requests, windowMs: 60_000 }
})

const node = (table: RateTable) =>
  Effect.gen(function* () {
    const metrics = makeRegistry()
    const context = yield* Layer.build(
      Layer.fresh(RateLimiter.layer).pipe(Layer.provide(table.layer), Layer.provide(Layer.succeed(Metrics, metrics)))
    )
    const limiter = yield* Effect.provideContext(RateLimiter, context)
    return { limiter, metrics }
  })

const setUp = Effect.gen(function* () {
  const table = new RateTable()
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  // The database's clock goes as the node's does.
  table.now = () => START + clock.currentTimeMillisUnsafe()
  return { table, ...(yield* node(table)) }
})

/** One request after the other. Answers which of them were let through. */
const takeAll = (limiter: RateLimiter["Service"], from: Bucket, count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => limiter.take(from)),
    (verdicts) => verdicts.map(({ isAllowed }) => isAllowed)
  )

const allowedOf = (verdicts: ReadonlyArray<boolean>) => verdicts.filter((isAllowed) => isAllowed).length

describe("RateLimiter", () => {
  it.effect("lets exactly the budget through, and says what is left and until when", () =>
    Effect.gen(function* () {
      const { limiter } = yield* setUp
      const verdicts = yield* Effect.forEach([1, 2, 3, 4, 5], () => limiter.take(bucket(3)))
      assert.deepStrictEqual(
        verdicts.map(({ isAllowed, limit, remaining, resetAt }) => [isAllowed, limit, remaining, resetAt]),
        [
          [true, 3, 2, START / 1000 + 60],
          [true, 3, 1, START / 1000 + 60],
          [true, 3, 0, START / 1000 + 60],
          [false, 3, 0, START / 1000 + 60],
          [false, 3, 0, START / 1000 + 60]
        ]
      )
      assert.strictEqual(verdicts[4]!.retryAfter, 60)
    })
  )

  it.effect("begins anew with the next window, to the millisecond", () =>
    Effect.gen(function* () {
      const { limiter } = yield* setUp
      assert.strictEqual(allowedOf(yield* takeAll(limiter, bucket(3), 5)), 3)
      yield* TestClock.adjust("59999 millis")
      const last = yield* limiter.take(bucket(3))
      assert.deepStrictEqual([last.isAllowed, last.retryAfter], [false, 1])
      yield* TestClock.adjust("1 millis")
      const first = yield* limiter.take(bucket(3))
      assert.deepStrictEqual([first.isAllowed, first.remaining, first.resetAt], [true, 2, START / 1000 + 120])
    })
  )

  it.effect("does not carry permits that were taken ahead into the next window", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      yield* takeAll(limiter, bucket(1000), 600)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(allowedOf(yield* takeAll(limiter, bucket(1000), 1500)), 1000)
      assert.strictEqual(table.rows.get("a")!.used, 1000)
    })
  )

  it.effect("never exceeds a budget that several nodes share, and leaves little of it unused", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const nodes = [limiter, ...(yield* Effect.forEach([1, 2, 3], () => node(table))).map(({ limiter }) => limiter)]
      const taken = yield* Effect.forEach(nodes, (one) => takeAll(one, bucket(1000), 600), { concurrency: "unbounded" })
      const all = allowedOf(taken.flat())
      assert.isAtMost(all, 1000)
      // At most a twentieth on each node but the one that takes the last.
      assert.isAtLeast(all, 1000 - 3 * 50)
    })
  )

  it.effect("counts small budgets one by one, on any number of nodes", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const other = yield* node(table)
      const taken = yield* Effect.forEach([limiter, other.limiter], (one) => takeAll(one, bucket(19), 15))
      assert.deepStrictEqual(taken.map(allowedOf), [15, 4])
    })
  )

  it.effect("asks for all keys that wait in one statement, and for a busy key a few times a second", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const answer = yield* Latch.make(false)
      table.outage.before = () => answer.await
      const fiber = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 500 }, (_, i) => i),
          (i) => limiter.take(bucket(1_000_000, `key ${i}`)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* answer.open
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        table.statements.map((claims) => claims.length),
        [1, 499]
      )
      table.outage.calls.length = 0
      for (let tenth = 0; tenth < 10; tenth++) {
        yield* takeAll(limiter, bucket(1_000_000), 1000)
        yield* TestClock.adjust(ALLOWANCE_MS)
      }
      // 10,000 requests in a second. The first tenth of it has to find out how busy the key is.
      assert.isAtMost(table.statements.length, 30)
    })
  )

  it.effect("gives those who wait together no more than there is", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const answer = yield* Latch.make(false)
      table.outage.before = () => answer.await
      yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, answer.open))
      const verdicts = yield* Effect.forEach(Array.from({ length: 200 }), () => limiter.take(bucket(70)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(allowedOf(verdicts.map(({ isAllowed }) => isAllowed)), 70)
      assert.strictEqual(table.statements.length, 2, "the first one's, and all the others'")
    })
  )

  it.effect("asks nobody while it knows that a budget is used up", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      yield* takeAll(limiter, bucket(3), 4)
      const { length } = table.statements
      yield* takeAll(limiter, bucket(3), 1000)
      assert.strictEqual(table.statements.length, length)
    })
  )

  it.effect("refuses everybody while the store is away, also those for whom permits are at hand", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      yield* takeAll(limiter, bucket(100_000), 200)
      const { length } = table.statements
      assert.isTrue((yield* limiter.take(bucket(100_000))).isAllowed)
      assert.strictEqual(table.statements.length, length, "permits are at hand")
      table.outage.isDown = true
      const unavailable = yield* Effect.flip(limiter.take(bucket(5, "b")))
      assert.strictEqual(unavailable._tag, "RateLimiterUnavailable")
      assert.deepStrictEqual([unavailable.verdict.remaining, unavailable.verdict.retryAfter], [0, 2])
      assert.strictEqual((yield* Effect.flip(limiter.take(bucket(100_000))))._tag, "RateLimiterUnavailable")
      table.outage.isDown = false
      assert.isTrue((yield* limiter.take(bucket(100_000))).isAllowed)
    })
  )

  it.effect("trusts permits at hand for a tenth of a second only", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      yield* takeAll(limiter, bucket(100_000), 200)
      table.outage.isDown = true
      assert.isTrue((yield* limiter.take(bucket(100_000))).isAllowed)
      yield* TestClock.adjust(ALLOWANCE_MS)
      assert.strictEqual((yield* Effect.flip(limiter.take(bucket(100_000))))._tag, "RateLimiterUnavailable")
    })
  )

  it.effect("asks for a busy key's next permits while it has some, so that nobody waits for them", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const busy = bucket(1_000_000)
      yield* takeAll(limiter, busy, 40)
      assert.strictEqual(table.statements.length, 2)
      yield* TestClock.adjust(`${ALLOWANCE_MS / 2} millis`)
      // The store answers later: meanwhile, what is at hand goes on.
      const latch = yield* Latch.make()
      table.outage.before = () => latch.await
      assert.isNotNull(limiter.takeNow(busy, null))
      assert.strictEqual(table.statements.length, 3)
      assert.isNotNull(limiter.takeNow(busy, null))
      assert.strictEqual(table.statements.length, 3)
      yield* latch.open
      yield* TestClock.adjust(`${ALLOWANCE_MS / 2} millis`)
      const verdict = limiter.takeNow(busy, null)
      assert.isTrue(verdict?.isAllowed)
      assert.isAtLeast(table.rows.get("a")!.used, 43)
    })
  )

  /** Requests one after the other, `everyMs` apart, each of which has the store carry out a statement. */
  const takeSteadily = (limiter: RateLimiter["Service"], from: Bucket, count: number, everyMs: number) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Effect.andThen(TestClock.adjust(`${everyMs} millis`), limiter.take(from))
    )

  it.effect("asks for permits twice a second, while other statements say all the time that the store is there", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const busy = bucket(1_000_000)
      yield* takeSteadily(limiter, busy, 400, 5)
      const silent = table.statements.length
      assert.isAtLeast(silent, 20)
      table.silentForMs = () => 5
      yield* takeSteadily(limiter, busy, 200, 5)
      const before = table.statements.length
      yield* takeSteadily(limiter, busy, 1000, 5)
      assert.isAtMost(table.statements.length - before, 12, "statements in five seconds")
      const taken = table.rows.get("a")!.used
      assert.isAtMost(taken, 1600 + 400, "no more than twice what half a second hands out is taken ahead")
    })
  )

  it.effect("keeps permits at hand as long as the store is heard of, and for a tenth of a second after that", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      table.silentForMs = () => 0
      yield* takeAll(limiter, bucket(100_000), 200)
      const { length } = table.statements
      yield* TestClock.adjust("10 seconds")
      assert.isTrue((yield* limiter.take(bucket(100_000))).isAllowed)
      assert.strictEqual(table.statements.length, length, "permits are at hand")
      table.outage.isDown = true
      table.silentForMs = () => ALLOWANCE_MS - 1
      assert.isTrue((yield* limiter.take(bucket(100_000))).isAllowed)
      table.silentForMs = () => ALLOWANCE_MS
      assert.strictEqual((yield* Effect.flip(limiter.take(bucket(100_000))))._tag, "RateLimiterUnavailable")
      // Once it has failed, no other statement makes up for it.
      table.silentForMs = () => 0
      assert.strictEqual((yield* Effect.flip(limiter.take(bucket(100_000))))._tag, "RateLimiterUnavailable")
    })
  )

  it.effect("does not carry permits into the next window because the store is heard of", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      table.silentForMs = () => 0
      yield* takeAll(limiter, bucket(1000), 600)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(allowedOf(yield* takeAll(limiter, bucket(1000), 1500)), 1000)
    })
  )

  it.effect("never exceeds a budget that nodes share which all hear of the store, nor takes much of it ahead", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      table.silentForMs = () => 0
      const nodes = [limiter, ...(yield* Effect.forEach([1, 2, 3], () => node(table))).map(({ limiter }) => limiter)]
      const taken = yield* Effect.forEach(nodes, (one) => takeAll(one, bucket(1000), 600), { concurrency: "unbounded" })
      const all = allowedOf(taken.flat())
      assert.isAtMost(all, 1000)
      assert.isAtLeast(all, 1000 - 3 * 50)
    })
  )

  it.effect("counts against two budgets at once where both have permits at hand, and else against none", () =>
    Effect.gen(function* () {
      const { limiter } = yield* setUp
      const [narrow, wide] = [bucket(1_000_000, "narrow"), bucket(1_000_000, "wide")]
      assert.isNull(limiter.takeNow(narrow, wide))
      yield* takeAll(limiter, narrow, 3)
      const before = limiter.takeNow(narrow, null)!.remaining
      assert.isNull(limiter.takeNow(narrow, wide))
      assert.strictEqual(limiter.takeNow(narrow, null)!.remaining, before - 1)
      yield* takeAll(limiter, wide, 3)
      const wideBefore = limiter.takeNow(wide, null)!.remaining
      assert.strictEqual(limiter.takeNow(narrow, wide)!.remaining, before - 2)
      assert.strictEqual(limiter.takeNow(wide, null)!.remaining, wideBefore - 2)
    })
  )

  it.effect("counts a store that hangs as one that is away", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      table.outage.before = () => Effect.never
      const fiber = yield* Effect.forkChild(Effect.flip(limiter.take(bucket(5))))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "RateLimiterUnavailable")
      table.outage.before = () => Effect.void
      assert.isTrue((yield* limiter.take(bucket(5))).isAllowed)
    })
  )

  it.effect("loses no permit to clients that hang up while they wait", () =>
    Effect.gen(function* () {
      const { limiter, table } = yield* setUp
      const answer = yield* Latch.make(false)
      table.outage.before = () => answer.await
      const fiber = yield* Effect.forkChild(limiter.take(bucket(2)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      yield* answer.open
      assert.strictEqual(allowedOf(yield* takeAll(limiter, bucket(2), 3)), 2)
    })
  )

  it.effect("remembers so many keys and no more, however many addresses there are", () =>
    Effect.gen(function* () {
      const { limiter } = yield* setUp
      for (let round = 0; round < 5; round++) {
        yield* Effect.forEach(
          Array.from({ length: KEYS_REMEMBERED / 2 }, (_, i) => i),
          (i) => limiter.take(bucket(10, `${round} ${i}`)),
          { concurrency: "unbounded" }
        )
      }
      assert.strictEqual(limiter.size(), KEYS_REMEMBERED)
      // One that was forgotten is counted on all the same.
      const again = yield* limiter.take(bucket(10, "0 0"))
      assert.strictEqual(again.remaining, 8)
    })
  )

  it.effect(
    "does not forget a key whose next permits are about to be asked for, which would ask for it twice at once",
    () =>
      Effect.gen(function* () {
        const { limiter, table } = yield* setUp
        const busy = bucket(1_000_000)
        yield* takeAll(limiter, busy, 40)
        yield* Effect.forEach(
          Array.from({ length: KEYS_REMEMBERED - 1 }, (_, i) => i),
          (i) => limiter.take(bucket(10, `other ${i}`)),
          { concurrency: "unbounded" }
        )
        yield* TestClock.adjust(`${ALLOWANCE_MS / 2} millis`)
        // A statement is under way, so that the busy key has to wait for the next one, and new keys come.
        const latch = yield* Latch.make()
        table.outage.before = () => latch.await
        const first = yield* Effect.forkChild(limiter.take(bucket(10, "other 0")), { startImmediately: true })
        assert.isNotNull(limiter.takeNow(busy, null))
        const others = yield* Effect.forEach(["new", "newer"], (key) =>
          Effect.forkChild(limiter.take(bucket(10, key)), { startImmediately: true })
        )
        yield* TestClock.adjust(`${ALLOWANCE_MS} millis`)
        const again = yield* Effect.forkChild(limiter.take(busy), { startImmediately: true })
        yield* latch.open
        yield* Effect.forEach([first, ...others, again], (fiber) => Fiber.join(fiber))
        for (const claims of table.statements) {
          assert.strictEqual(new Set(claims.map(({ key }) => key)).size, claims.length)
        }
      })
  )

  it.effect("counts what it refused", () =>
    Effect.gen(function* () {
      const { limiter, metrics, table } = yield* setUp
      yield* takeAll(limiter, bucket(3), 5)
      table.outage.isDown = true
      yield* Effect.flip(limiter.take(bucket(3, "b")))
      const value = (name: string, labels: object) =>
        metrics
          .read()
          .find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value
      assert.strictEqual(value("heliograph_rate_limited_total", { class: "secret" }), 2)
      assert.strictEqual(value("heliograph_rate_limited_total", { class: "public" }), 0)
      assert.strictEqual(value("heliograph_rate_limiter_unavailable_total", {}), 1)
      // One whose key nobody could look up.
      const { isAllowed, limit, remaining, retryAfter } = limiter.uncountable(bucket(3).budget)
      assert.deepStrictEqual([isAllowed, limit, remaining, retryAfter], [false, 3, 0, 2])
      assert.strictEqual(value("heliograph_rate_limiter_unavailable_total", {}), 2)
    })
  )
})
