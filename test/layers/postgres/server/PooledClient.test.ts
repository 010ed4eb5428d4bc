import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Reactivity } from "effect/reactivity"
import { describe } from "vitest"
import { isHeldUp, LockWait } from "../../../../layers/postgres/server/PooledClient.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import { freshDatabase } from "../../../Database.ts"

const OF_A_KEY = { kind: "key", id: "a" } as const
const SYSTEM = { kind: "system", id: null } as const

/** A table with a row that somebody else holds, until they are told to let go; and a client that would like to have it. */
const make = Effect.fnUntraced(function* (connections: number) {
  const { url } = yield* freshDatabase("empty")
  const holder = yield* pool(url, 2)
  yield* holder`CREATE TABLE rows (id integer PRIMARY KEY, value integer)`
  yield* holder`INSERT INTO rows VALUES (1, 0), (2, 0)`
  const isHeld = yield* Deferred.make<void>()
  const letGo = yield* Deferred.make<void>()
  yield* Effect.forkScoped(
    holder.withTransaction(
      Effect.gen(function* () {
        yield* holder`SELECT FROM rows WHERE id = 1 FOR UPDATE`
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(letGo)
      })
    )
  )
  yield* Deferred.await(isHeld)
  const sql = yield* pool(url, connections)
  /** Waits until so many sessions have waited for the row for longer than a shared statement may. */
  const longWaiting = (count: number) =>
    holder<{ readonly n: number }>`
      SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() AND clock_timestamp() - query_start > interval '400 ms'`.pipe(
      Effect.repeat({ until: ([row]) => row!.n >= count })
    )
  const change = sql`UPDATE rows SET value = value + 1 WHERE id = 1`
  const value = Effect.map(sql<{ readonly value: number }>`SELECT value FROM rows WHERE id = 1`, ([row]) => row!.value)
  const other = sql`UPDATE rows SET value = value + 1 WHERE id = 2`
  return { sql, change, value, other, longWaiting, letGo: Deferred.succeed(letGo, undefined) }
}, Effect.provide(Reactivity.layer))

describe("a client of the database", { concurrent: true, timeout: 240_000 }, () => {
  it.live.each([
    ["has a statement that waits for a lock keep nobody who shares a connection with it", 2, 1, 1, SYSTEM],
    ["lets no more than a quarter of its connections wait for what requests have locked", 4, 30, 1, OF_A_KEY],
    ["lets no more than half of them wait for locks, whoever asks", 4, 8, 2, SYSTEM]
  ] as const)("%s", ([, connections, changes, waiting, actor]) =>
    Effect.gen(function* () {
      const { change, letGo, longWaiting, other, value } = yield* make(connections)
      const all = (statement: typeof change, count: number) =>
        Effect.all(
          Array.from({ length: count }, () => statement),
          { concurrency: "unbounded" }
        )
      const held = yield* Effect.forkChild(Effect.provideService(all(change, changes), CurrentActor, actor))
      yield* longWaiting(waiting)
      yield* all(other, 20)
      expect(held.pollUnsafe()).toBeUndefined()
      yield* letGo
      yield* Fiber.join(held)
      expect(yield* value).toBe(changes)
    }).pipe(Effect.scoped)
  )

  it.live("has the node's own statements wait beside those of requests, not behind them", () =>
    Effect.gen(function* () {
      const { change, letGo, longWaiting } = yield* make(4)
      const asked = yield* Effect.forkChild(
        Effect.all([change, change, change], { concurrency: "unbounded" }).pipe(
          Effect.provideService(CurrentActor, OF_A_KEY)
        )
      )
      yield* longWaiting(1)
      const own = yield* Effect.forkChild(change)
      yield* longWaiting(2)
      yield* letGo
      yield* Fiber.join(asked)
      yield* Fiber.join(own)
    }).pipe(Effect.scoped)
  )

  it.live("lets a transaction wait for longer, and gives its connection back as it was", () =>
    Effect.gen(function* () {
      const { change, letGo, longWaiting, sql, value } = yield* make(1)
      const held = yield* Effect.forkChild(sql.withTransaction(change))
      yield* longWaiting(1)
      yield* letGo
      yield* Fiber.join(held)
      expect(yield* value).toBe(1)
      expect(yield* sql`SELECT current_setting('lock_timeout') AS limit`).toEqual([{ limit: "200ms" }])
    }).pipe(Effect.scoped)
  )

  it.live("gives the connection back as it was on which a statement waited aside, also when it was given up", () =>
    Effect.gen(function* () {
      const { change, letGo, longWaiting, sql, value } = yield* make(1)
      const held = yield* Effect.forkChild(change)
      yield* longWaiting(1)
      yield* Fiber.interrupt(held)
      expect(yield* sql`SELECT current_setting('lock_timeout') AS limit`).toEqual([{ limit: "200ms" }])
      yield* letGo
      expect(yield* value).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("fails where nobody may wait, with nothing written", () =>
    Effect.gen(function* () {
      const { change, letGo, other, sql, value } = yield* make(2)
      const both = sql.withTransaction(Effect.andThen(other, change))
      for (const work of [change, both]) {
        const refused = yield* Effect.flip(Effect.provideService(work, LockWait, "never"))
        expect(isHeldUp(refused)).toBe(true)
      }
      yield* letGo
      expect(yield* value).toBe(0)
      expect(yield* sql`SELECT value FROM rows WHERE id = 2`).toEqual([{ value: 0 }])
    }).pipe(Effect.scoped)
  )

  it.live("says so when a transaction that has failed is committed", () =>
    Effect.gen(function* () {
      const { letGo, sql } = yield* make(2)
      yield* letGo
      const failed = yield* Effect.exit(sql.withTransaction(Effect.exit(sql`INSERT INTO rows VALUES (3, 0), (2, 0)`)))
      expect(Exit.isFailure(failed)).toBe(true)
      expect(yield* sql`SELECT count(*)::int AS n FROM rows`).toEqual([{ n: 2 }])
    }).pipe(Effect.scoped)
  )
})
