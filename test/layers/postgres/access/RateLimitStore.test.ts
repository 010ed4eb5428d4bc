import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as LiveDeviceStore from "../../../../layers/postgres/audience/DeviceStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as LiveRateLimitStore from "../../../../layers/postgres/access/RateLimitStore.ts"
import { RateLimiter } from "../../../../services/engine/access/RateLimiter.ts"
import { RateLimitStore } from "../../../../services/ports/access/RateLimitStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"
import { RateTable } from "../../../doubles/access/RateLimitStore.ts"
import { android, newApp } from "../Stores.ts"
import { START, claim, contract } from "../../RateLimitStore.contract.ts"

/** The database's clock, as the table `test_clock` says: a window ends when a test says so. */
const controlled = LiveRateLimitStore.layerOf((sql) => sql`(SELECT moment FROM test_clock)`)
const live = controlled.pipe(Layer.provideMerge(testDatabase()))

const setClock = Effect.fnUntraced(function* (seconds: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS test_clock (one boolean PRIMARY KEY DEFAULT true, moment timestamptz NOT NULL)`
  yield* sql`INSERT INTO test_clock (moment) VALUES (to_timestamp(${seconds}::float8))
    ON CONFLICT (one) DO UPDATE SET moment = excluded.moment`
})

const table = new RateTable()
contract("RateLimitStore in PostgreSQL", live, setClock)
contract("RateLimitStore in memory, for tests of the limiter", table.layer, (seconds) =>
  Effect.sync(() => void (table.now = () => seconds * 1000))
)

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

  it.effect("is heard of by what is registered over the same connections, and not by what it is asked itself", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const stores = Layer.mergeAll(controlled, LiveDeviceStore.layer)
      const node = Effect.map(
        Layer.build(Layer.fresh(stores.pipe(Layer.provide(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie))))),
        (context) => ({ context, silentForMs: Context.get(context, RateLimitStore).silentForMs })
      )
      const [one, other] = [yield* node, yield* node]
      const app = yield* newApp
      yield* Context.get(one.context, RateLimitStore).take([claim("heard", 1)])
      expect(one.silentForMs()).toBe(Infinity)
      const before = performance.now()
      yield* Context.get(one.context, DeviceStore).register(app, [android("heard")])
      expect(one.silentForMs()).toBeLessThanOrEqual(performance.now() - before)
      expect(other.silentForMs()).toBe(Infinity)
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
