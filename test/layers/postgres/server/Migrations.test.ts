import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer } from "effect"
import { describe } from "vitest"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { migrate, MIGRATIONS, standing } from "../../../../layers/postgres/server/Migrations.ts"
import { freshDatabase, testDatabase, TestDatabase } from "../../../Database.ts"
import { eventually } from "../../../System.ts"

const names = MIGRATIONS.map(({ name }) => name)

describe("migrate", () => {
  it.effect("applies every migration once when several nodes start at the same moment", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const node = migrate.pipe(Effect.provide(PgClient.layerFrom(pool(url, 2))))
      const applied = yield* Effect.all(
        Array.from({ length: 6 }, () => node),
        { concurrency: "unbounded" }
      )
      expect(applied.filter((list) => list.length > 0)).toEqual([names])
    })
  )

  it.effect("says what to grant to a role that may not create tables, and so does a look", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const [role, database] = [`visitor_${process.pid}`, new URL(url).pathname.slice(1)]
      const asOwner = PgClient.layerFrom(pool(url, 1))
      const run = (text: string) =>
        Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(text).unprepared).pipe(Effect.provide(asOwner))
      yield* run(`CREATE ROLE ${role} LOGIN PASSWORD 'visitor'`)
      yield* Effect.addFinalizer(() =>
        Effect.orDie(Effect.andThen(run(`DROP OWNED BY ${role}`), run(`DROP ROLE ${role}`)))
      )
      yield* run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
      const visitor = new URL(url)
      visitor.username = role
      visitor.password = "visitor"
      const asVisitor = PgClient.layerFrom(pool(visitor.href, 1))
      for (const look of [Effect.asVoid(migrate), Effect.asVoid(standing)]) {
        const error = yield* Effect.flip(look).pipe(Effect.provide(asVisitor))
        expect(error._tag).toBe("MayNotCreate")
        expect(error.message).toContain(`ALTER DATABASE ${database} OWNER TO ${role}`)
      }
      yield* run(`GRANT CREATE, USAGE ON SCHEMA public TO ${role}`)
      expect(yield* Effect.provide(migrate, asVisitor)).toEqual(names)
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a database that cannot hold every text, and says how to make one that can, which works", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const name = `${new URL(url).pathname.slice(1)}_latin1`
      const asOwner = PgClient.layerFrom(pool(url, 1))
      const run = (text: string) =>
        Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(text).unprepared).pipe(Effect.provide(asOwner))
      yield* run(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER 'libc'`)
      yield* Effect.addFinalizer(() => Effect.orDie(run(`DROP DATABASE ${name} WITH (FORCE)`)))
      const at = (database: string) => PgClient.layerFrom(pool(url.replace(/[^/]+$/, database), 1))
      let message = ""
      for (const look of [Effect.asVoid(migrate), Effect.asVoid(standing)]) {
        const error = yield* Effect.flip(look).pipe(Effect.provide(at(name)))
        expect(error._tag).toBe("DatabaseIsNotUtf8")
        message = error.message
      }
      expect(message).toContain("LATIN1")
      const statement = /CREATE DATABASE (\w+) .*;/.exec(message)!
      yield* run(statement[0])
      yield* Effect.addFinalizer(() => Effect.orDie(run(`DROP DATABASE ${statement[1]} WITH (FORCE)`)))
      expect(yield* Effect.provide(migrate, at(statement[1]!))).toEqual(names)
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a database that a later release has migrated", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO migrations (id, name) VALUES (999, 'of the future')`
      const error = yield* Effect.flip(migrate)
      expect(error._tag).toBe("DatabaseIsNewer")
      expect(error.message).toContain("999 (of the future)")
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("refuses a database of a build that had another text of a migration, and names it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`UPDATE migrations SET fingerprint = 'of another text' WHERE id = 29`
      for (const look of [Effect.asVoid(migrate), Effect.asVoid(standing)]) {
        const error = yield* Effect.flip(look)
        expect(error._tag).toBe("DatabaseDiffers")
        expect(error.message).toContain("29 (people)")
        expect(error.message).toContain("DATA_DIR")
      }
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect(
    "refuses a database of a build that kept no fingerprints, whose tables lack columns, and leaves it so",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const rows = sql`SELECT * FROM migrations ORDER BY id`
        expect((yield* rows).every(({ fingerprint }) => /^[0-9a-f]{64}$/.test(String(fingerprint)))).toBe(true)
        yield* sql`ALTER TABLE migrations DROP COLUMN fingerprint`
        yield* sql`DELETE FROM migrations WHERE id > 30`
        const before = yield* rows
        for (const look of [Effect.asVoid(migrate), Effect.asVoid(standing)]) {
          const error = yield* Effect.flip(look)
          expect(error._tag).toBe("DatabaseDiffers")
          expect(error.message).toContain("28 (schema)")
        }
        expect(yield* rows).toEqual(before)
      }).pipe(Effect.provide(testDatabase()))
  )

  it.live("meets nobody in a deadlock who takes tables in whatever order, and goes on when they are done", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { url } = yield* TestDatabase
      yield* sql`DELETE FROM migrations WHERE id >= 33`
      yield* sql`ALTER TABLE idempotency_keys DROP COLUMN process`
      yield* sql`DROP FUNCTION entered_by_changes`
      yield* sql`ALTER TABLE batches DROP COLUMN reason`
      yield* sql`ALTER TABLE execution_timers DROP COLUMN holder`
      yield* sql`DROP INDEX throttles_contact`
      yield* sql`ALTER TABLE devices ADD CONSTRAINT devices_app_id_token_hash_key UNIQUE (app_id, token_hash)`
      yield* sql`ALTER TABLE channels
        ADD CONSTRAINT channels_app_id_kind_address_key_key UNIQUE (app_id, kind, address_key)`
      const migrating = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE webhooks IN ROW EXCLUSIVE MODE`
          const migrating = yield* Effect.forkChild(
            migrate.pipe(Effect.provide(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
          )
          // By then it has locked others, if it takes one after the other, and waits for this one.
          yield* eventually(
            Effect.orDie(sql<{ readonly count: number }>`
              SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = 'webhooks'::regclass`),
            ([row]) => row!.count > 0
          )
          yield* sql`LOCK TABLE contacts, notifications, devices IN ROW EXCLUSIVE MODE`
          return migrating
        })
      )
      expect(yield* Fiber.join(migrating)).toEqual([
        "index_order",
        "key_processes",
        "looked_up",
        "retry_reasons",
        "fetch_holders",
        "throttled_people",
        "mailboxes"
      ])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("changes nothing in a database that is up to date", () =>
    Effect.gen(function* () {
      expect(yield* migrate).toEqual([])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("refuses a database of a build before the first release, and changes nothing in it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE migrations (
        id integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
      )`
      yield* sql`INSERT INTO migrations (id, name) VALUES (1, 'main_path'), (18, 'batches_follow')`
      for (const look of [Effect.asVoid(migrate), Effect.asVoid(standing)]) {
        const error = yield* Effect.flip(look)
        expect(error._tag).toBe("DatabaseIsOlder")
        expect(error.message).toContain("18 (batches_follow)")
        expect(error.message).toContain("DATABASE_URL")
      }
      const tables =
        yield* sql`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
      expect(tables).toEqual([{ relname: "migrations" }])
    }).pipe(Effect.provide(testDatabase("empty")))
  )
})

describe("standing", () => {
  it.effect("says of an empty database that all is missing, and makes nothing in it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      expect(yield* standing).toEqual({ applied: 0, missing: MIGRATIONS.length })
      expect(yield* sql`SELECT 1 FROM pg_class WHERE relname = 'migrations'`).toEqual([])
      yield* migrate
      expect(yield* standing).toEqual({ applied: MIGRATIONS.length, missing: 0 })
    }).pipe(Effect.provide(testDatabase("empty")))
  )
})
