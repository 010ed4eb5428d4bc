import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WRITABLE_SINCE } from "../../../../layers/postgres/operations/writableSince.ts"
import { testDatabase } from "../../../Database.ts"

/** What a server says whose start is so far away, by its clock. */
const saidBy = (away: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`CREATE SCHEMA shown`
        yield* sql`CREATE VIEW shown.pg_stat_activity AS
          SELECT now() + ${sql.literal(`interval '${away}'`)} AS backend_start, 'walwriter'::text AS backend_type`
        yield* sql`SET LOCAL search_path = shown, pg_catalog`
        const [row] = yield* sql<{ readonly ago: number }>`
          SELECT extract(epoch FROM now() - ${sql.literal(WRITABLE_SINCE)})::float8 AS ago`.unprepared
        yield* sql`DROP SCHEMA shown CASCADE`
        return row!.ago
      })
    )
  )

layer(testDatabase())("the time since which a server takes writes", (it) => {
  it.effect("is that of its start", () =>
    Effect.gen(function* () {
      expect(yield* saidBy("-90 seconds")).toBeCloseTo(90)
    })
  )

  it.effect("is long ago where its clock was set back since: nobody waits for a start that is still to come", () =>
    Effect.gen(function* () {
      expect(yield* saidBy("1 hour")).toBe(Infinity)
    })
  )
})
