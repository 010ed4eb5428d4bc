import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { describe } from "vitest"
import { pool } from "../../../layers/postgres/Database.ts"
import { migrate, MIGRATIONS } from "../../../layers/postgres/Migrations.ts"
import { testDatabase, freshDatabase } from "../../Database.ts"

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

  it.effect("refuses a database that a later release has migrated", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO migrations (id, name) VALUES (999, 'of the future')`
      const error = yield* Effect.flip(migrate)
      expect(error._tag).toBe("DatabaseIsNewer")
      expect(error.message).toContain("999 (of the future)")
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("changes nothing in a database that is up to date", () =>
    Effect.gen(function* () {
      expect(yield* migrate).toEqual([])
    }).pipe(Effect.provide(testDatabase()))
  )
})
