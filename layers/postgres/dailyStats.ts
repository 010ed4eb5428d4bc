import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

/*
 * Adds to the sums of a day, as a part of the statement that writes what happened. The slot is the connection's: see
 * migrations/0015_stats.ts.
 */

type Sql = SqlClient.SqlClient

/** The day of a statement, and the slot of its connection. */
export const today = (sql: Sql): Fragment => sql`(now() AT TIME ZONE 'UTC')::date, (pg_backend_pid() & 63)::smallint`

/** `INSERT INTO daily_stats … <rows>`; the rows are `app_id, provider, day, slot` and these columns. */
export const addUp = (sql: Sql, columns: ReadonlyArray<string>, rows: Fragment): Fragment => {
  const names = sql.literal(columns.join(", "))
  const sums = sql.literal(columns.map((name) => `${name} = s.${name} + excluded.${name}`).join(", "))
  return sql`INSERT INTO daily_stats AS s (app_id, provider, day, slot, ${names})
    ${rows}
    ON CONFLICT (app_id, day, provider, slot) DO UPDATE SET ${sums}`
}
