import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Settings from "../../../../layers/config/Settings.ts"
import * as NotificationStores from "../../../../layers/postgres/sending/NotificationStore.ts"
import { layer as connected, pool } from "../../../../layers/postgres/server/Database.ts"
import { now } from "../../../../services/ports/Now.ts"
import { freshDatabase } from "../../../Database.ts"
import { accepted, newApp } from "../Stores.ts"

const BACK_MS = 120_000

/** A database whose sessions have a clock that `clock.shift` sets back. */
const withClock = Effect.gen(function* () {
  const { name, url } = yield* freshDatabase()
  yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`CREATE SCHEMA clock`
    yield* sql`CREATE TABLE clock.shift AS SELECT interval '0' AS by`
    yield* sql`CREATE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql
      AS 'SELECT pg_catalog.now() - by FROM clock.shift'`
    yield* sql`ALTER DATABASE ${sql(name)} SET search_path = clock, pg_catalog, public`
  }).pipe(Effect.provide(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
  return url
})

it.live(
  "who accepts a message has the time from the database that accepted it, also when its clock was just set back",
  () =>
    Effect.gen(function* () {
      const url = yield* withClock
      const settings = Settings.layer({ MASTER_KEY: "00".repeat(32), DATABASE_URL: url }).pipe(Layer.orDie)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const app = yield* newApp
        yield* accepted(app)
        const ahead = now() - Date.now()
        yield* sql`UPDATE clock.shift SET by = ${BACK_MS} * interval '1 ms'`
        yield* accepted(app)
        expect(now() - Date.now()).toBeLessThan(ahead - BACK_MS / 2)
      }).pipe(
        Effect.provide(NotificationStores.layer.pipe(Layer.provideMerge(connected.pipe(Layer.provide(settings)))))
      )
    })
)
