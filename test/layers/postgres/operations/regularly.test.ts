import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Random, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import { describe } from "vitest"
import { Settings } from "../../../../layers/config/Settings.ts"
import * as IdempotencyStores from "../../../../layers/postgres/access/IdempotencyStore.ts"
import * as RateLimitStores from "../../../../layers/postgres/access/RateLimitStore.ts"
import { regularly } from "../../../../layers/postgres/operations/regularly.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { RETENTION } from "../../../../layers/postgres/server/advisoryLocks.ts"
import * as Retention from "../../../../layers/postgres/operations/Retention.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"
import { newApp } from "../Stores.ts"

/**
 * Lets real time pass for the database, and about as much of the clock that sleeps go by. More would end what waits for
 * the database, such as the opening of a connection.
 */
const pause = Effect.andThen(
  Effect.promise(() => setTimeout(20)),
  TestClock.adjust("40 millis")
)

/** The first look comes at once. */
const atOnce = Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0, nextIntUnsafe: () => 0 })

/** Waits until a table is empty; sweeps pause between their statements. */
const untilEmpty = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const look = Effect.andThen(pause, sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(table)}`)
    yield* Effect.repeat(look, { until: ([row]) => row!.n === 0 })
  })

const oldKey = Effect.gen(function* () {
  const [sql, app] = [yield* SqlClient.SqlClient, yield* newApp]
  yield* sql`
    INSERT INTO idempotency_keys (app_id, route, key, fingerprint, holder, lease_until, created_at)
    VALUES (${app}, 'POST /x', ${uuidv7()}, '\\x00', ${uuidv7()}, now(), now() - interval '25 hours')`
})

describe("what is too old", () => {
  it.effect("is looked for within a minute of a start, and about once in the given time after that", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let looks = 0
        yield* regularly(
          Effect.sync(() => looks++),
          "1 hour"
        )
        yield* TestClock.adjust("1 minute")
        expect(looks).toBe(1)
        yield* TestClock.adjust("24 hours")
        expect(looks).toBeGreaterThanOrEqual(19)
        expect(looks).toBeLessThanOrEqual(32)
      })
    )
  )

  it.effect("is looked for again a minute after a look that failed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let looks = 0
        yield* regularly(
          Effect.suspend(() => (++looks === 1 ? Effect.fail("refused") : Effect.void)),
          "1 hour"
        )
        yield* TestClock.adjust("2 minutes")
        expect(looks).toBe(2)
      })
    )
  )

  it.effect("goes from every table soon after the start, also on a node that restarts before the hour is over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = Layer.succeed(Settings, { retentionDays: 1, auditRetentionDays: 1 } as Settings["Service"])
      const node = Layer.mergeAll(IdempotencyStores.layer, RateLimitStores.layer, Retention.layer).pipe(
        Layer.provide(settings)
      )
      for (let start = 0; start < 2; start++) {
        yield* oldKey
        yield* sql`INSERT INTO rate_limits (key, ends_at, used, granted, budget) VALUES ('old', 0, 1, 1, 1)`
        const app = yield* newApp
        yield* sql`INSERT INTO audit_log (id, app_id, actor_kind, action, details)
          VALUES (${uuidv7(Date.now() - 3 * 86_400_000)}, ${app}, 'system', 'x', '{}')`
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(Layer.fresh(node))
            for (const table of ["idempotency_keys", "rate_limits", "audit_log"]) yield* untilEmpty(table)
          })
        )
      }
    }).pipe(atOnce, Effect.provide(testDatabase()))
  )

  it.effect("goes a minute after the node that held its lock has ended, in the middle of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = Layer.succeed(Settings, { retentionDays: 1, auditRetentionDays: 1 } as Settings["Service"])
      const { url } = yield* TestDatabase
      const ofItsOwn = Layer.fresh(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie))
      const node = Retention.layer.pipe(Layer.provide([settings, ofItsOwn]))
      const scope = yield* Effect.scope
      const app = yield* newApp
      yield* sql`INSERT INTO audit_log (id, app_id, actor_kind, action, details)
        VALUES (${uuidv7(Date.now() - 3 * 86_400_000)}, ${app}, 'system', 'x', '{}')`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* sql.reserve
          yield* other.executeUnprepared(`SELECT pg_advisory_lock(${RETENTION})`, [], undefined)
          yield* Layer.build(node).pipe(Scope.provide(scope))
          // The last statement of a look that found the lock taken.
          yield* Effect.repeat(
            Effect.andThen(
              pause,
              sql`SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'idle' AND query LIKE 'SELECT pg_advisory_unlock%'`
            ),
            { until: (looks) => looks.length > 0 }
          )
          yield* other.executeUnprepared(`SELECT pg_advisory_unlock(${RETENTION})`, [], undefined)
        })
      )
      yield* TestClock.adjust("1 minute")
      yield* untilEmpty("audit_log")
    }).pipe(Effect.scoped, atOnce, Effect.provide(testDatabase()))
  )

  it.effect("goes an hour later as well", () =>
    Effect.gen(function* () {
      yield* oldKey
      yield* Layer.build(IdempotencyStores.layer)
      yield* untilEmpty("idempotency_keys")
      yield* oldKey
      // Looks come hourly, and chance, as it is here, takes a fifth off. No more: the look opens a connection.
      yield* TestClock.adjust("48 minutes")
      yield* untilEmpty("idempotency_keys")
    }).pipe(Effect.scoped, atOnce, Effect.provide(testDatabase()))
  )
})
