import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as LiveRateLimitStore from "../../../../layers/postgres/access/RateLimitStore.ts"
import { RateLimiter } from "../../../../services/engine/access/RateLimiter.ts"
import { RateLimitStore } from "../../../../services/ports/access/RateLimitStore.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"

/** The database's clock, as the table `test_clock` says: a window ends when a test says so. */
const controlled = LiveRateLimitStore.layerOf((sql) => sql`(SELECT moment FROM test_clock)`)
const live = controlled.pipe(Layer.provideMerge(testDatabase()))

/** The beginning of a window of 60 s, epoch seconds. */
const START = 1_800_000_000

const setClock = Effect.fnUntraced(function* (seconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS test_clock (one boolean PRIMARY KEY DEFAULT true, moment timestamptz NOT NULL)`
  yield* sql`INSERT INTO test_clock (moment) VALUES (to_timestamp(${seconds}::float8))
    ON CONFLICT (one) DO UPDATE SET moment = excluded.moment`
})

const claim = (key: string, want: number, requests = 10, windowMs = 60_000) => ({
  key,
  want,
  budget: { requests, windowMs }
})

/** A node's store, or all of its limiter, over connections of its own. */
const storeOfNode = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const context = yield* Layer.build(
    Layer.fresh(controlled.pipe(Layer.provide(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie))))
  )
  return yield* Effect.provideContext(RateLimitStore, context)
})
const limiterOfNode = Effect.gen(function* () {
  const store = yield* storeOfNode
  const context = yield* Layer.build(
    Layer.fresh(RateLimiter.layer).pipe(Layer.provide(Layer.succeed(RateLimitStore, store)))
  )
  return yield* Effect.provideContext(RateLimiter, context)
})

layer(live, { excludeTestServices: true })("RateLimitStore", (it) => {
  it.effect("grants what is left of each budget, in the order of the claims", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitStore
      yield* setClock(START + 12.5)
      expect(yield* store.take([claim("b", 4), claim("a", 12), claim("c", 0)])).toEqual([
        { granted: 4, used: 4, endsAt: START + 60, endsInMs: 47_500 },
        { granted: 10, used: 10, endsAt: START + 60, endsInMs: 47_500 },
        { granted: 0, used: 0, endsAt: START + 60, endsInMs: 47_500 }
      ])
      const again = yield* store.take([claim("a", 1), claim("b", 9)])
      expect(again.map(({ granted, used }) => [granted, used])).toEqual([
        [0, 10],
        [6, 10]
      ])
    })
  )

  it.effect("begins anew at the end of a window, by the database's clock", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitStore
      const take = Effect.map(store.take([claim("rolls", 7)]), ([grant]) => [grant!.granted, grant!.endsAt])
      yield* setClock(START + 59.999)
      expect(yield* take).toEqual([7, START + 60])
      expect(yield* take).toEqual([3, START + 60])
      yield* setClock(START + 60)
      expect(yield* take).toEqual([7, START + 120])
      // A statement that is late counts in the window that has begun, and takes nothing of the one that is over.
      yield* setClock(START + 59.999)
      expect(yield* take).toEqual([3, START + 120])
      yield* setClock(START + 600)
      expect(yield* take).toEqual([7, START + 660])
    })
  )

  it.effect("keeps windows of different lengths, and a smaller budget, apart from what was granted before", () =>
    Effect.gen(function* () {
      const store = yield* RateLimitStore
      yield* setClock(START + 1)
      yield* store.take([claim("short", 3, 10, 1000), claim("shrinks", 8)])
      const [short, shrinks] = yield* store.take([claim("short", 3, 10, 1000), claim("shrinks", 1, 5)])
      expect(short).toMatchObject({ granted: 3, endsAt: START + 2, endsInMs: 1000 })
      expect(shrinks).toMatchObject({ granted: 0, used: 8 })
    })
  )

  it.effect(
    "never grants more than a budget to nodes that ask at the same time, in whatever order they name the keys",
    () =>
      Effect.gen(function* () {
        yield* setClock(START + 3000)
        const nodes = yield* Effect.forEach([1, 2, 3, 4], () => storeOfNode)
        const keys = Array.from({ length: 40 }, (_, i) => `shared ${i}`)
        const grants = yield* Effect.forEach(
          Array.from({ length: 80 }, (_, i) => i),
          (i) => {
            const claims = keys.map((key) => claim(key, 3, 100))
            return nodes[i % 4]!.take(i % 2 === 0 ? claims : claims.toReversed())
          },
          { concurrency: "unbounded" }
        )
        const sums = keys.map((_, k) => grants.reduce((sum, row, i) => sum + row[i % 2 === 0 ? k : 39 - k]!.granted, 0))
        expect(new Set(sums)).toEqual(new Set([100]))
      })
  )

  it.effect("has two nodes share one budget to the last request, and the next window's after it", () =>
    Effect.gen(function* () {
      const nodes = [yield* limiterOfNode, yield* limiterOfNode]
      const bucket = { key: "both", class: "secret" as const, budget: { requests: 15, windowMs: 60_000 } }
      const allowed = Effect.map(
        Effect.forEach(
          Array.from({ length: 40 }, (_, i) => i),
          (i) => nodes[i % 2]!.take(bucket),
          { concurrency: "unbounded" }
        ),
        (verdicts) => verdicts.filter(({ isAllowed }) => isAllowed).length
      )
      yield* setClock(START + 6000)
      expect(yield* allowed).toBe(15)
      yield* setClock(START + 6059.999)
      expect(yield* allowed).toBe(0)
    })
  )

  it.effect("removes what is over, and nothing that counts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RateLimitStore
      yield* sql`TRUNCATE rate_limits`
      const soon = Math.floor(Date.now() / 1000)
      yield* setClock(soon - 7200)
      for (let page = 0; page < 20; page++) {
        yield* store.take(Array.from({ length: 1000 }, (_, i) => claim(`old ${page} ${i}`, 1)))
      }
      yield* setClock(soon + 3600)
      yield* store.take([claim("new", 1), claim("old 3 7", 1)])
      // The node's own sweep may have been there before.
      expect(yield* LiveRateLimitStore.sweep).toBeLessThanOrEqual(19_999)
      const left = yield* sql<{ key: string }>`SELECT key FROM rate_limits ORDER BY key`
      expect(left.map(({ key }) => key)).toEqual(["new", "old 3 7"])
    })
  )

  it.effect("says that it cannot count when the database refuses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RateLimitStore
      yield* sql`ALTER TABLE rate_limits RENAME TO rate_limits_away`
      const error = yield* Effect.flip(store.take([claim("a", 1)]))
      yield* sql`ALTER TABLE rate_limits_away RENAME TO rate_limits`
      expect(error).toMatchObject({ _tag: "StoreError", operation: "RateLimitStore.take" })
    })
  )
})
