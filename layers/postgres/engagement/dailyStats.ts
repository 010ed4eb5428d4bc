import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { HAPPENINGS } from "../../../services/domain/operations/Stats.ts"

/*
 * Adds to the sums of a day, as a part of the statement that writes what happened. The slot is the connection's: see
 * migrations/0028_schema/operations.ts. Days that are over get no more, and are put together again.
 */

type Sql = SqlClient.SqlClient

/** The day of a statement, and the slot of its connection. */
export const TODAY = "(now() AT TIME ZONE 'UTC')::date, (pg_backend_pid() & 63)::smallint"

export const today = (sql: Sql): Fragment => sql.literal(TODAY)

/** What becomes of a row that is there. */
const added = (columns: ReadonlyArray<string>): string =>
  `ON CONFLICT (app_id, day, provider, slot)
      DO UPDATE SET ${columns.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")}`

/** `INSERT INTO daily_stats … <rows>`; the rows are `app_id, provider, day, slot` and these columns. */
export const addUp = (sql: Sql, columns: ReadonlyArray<string>, rows: Fragment): Fragment =>
  sql`${sql.literal(inserted(columns))}
    ${rows}
    ${sql.literal(added(columns))}`

/** The same as text, for statements that are written out. */
export const addedUp = (columns: ReadonlyArray<string>, rows: string): string =>
  `${inserted(columns)}
      ${rows}
      ${added(columns)}`

const inserted = (columns: ReadonlyArray<string>): string =>
  `INSERT INTO daily_stats AS s (app_id, provider, day, slot, ${columns.join(", ")})`

/** The slot of a day that was put together; no connection has it. */
const WHOLE = "-1"

/**
 * Puts the slots of days that are over together, of so many days of applications at once. Answers a row for each. A day
 * is over when no statement can still be writing to it: `now()` is a statement's beginning, and none lasts for a day.
 */
export const putTogether = (sql: Sql, limit: number) => {
  const whole = sql.literal(WHOLE)
  const columns = sql.literal(HAPPENINGS.join(", "))
  const sums = sql.literal(HAPPENINGS.map((name) => `sum(${name})`).join(", "))
  return sql`
    WITH apart AS (
      SELECT DISTINCT app_id, day FROM daily_stats
      WHERE slot <> ${whole} AND day < (now() AT TIME ZONE 'UTC')::date - 1 LIMIT ${limit}
    ), taken AS (
      DELETE FROM daily_stats s USING apart a WHERE s.app_id = a.app_id AND s.day = a.day AND s.slot <> ${whole}
      RETURNING s.*
    )
    INSERT INTO daily_stats AS s (app_id, day, provider, slot, ${columns})
    SELECT app_id, day, provider, ${whole}, ${sums} FROM taken GROUP BY app_id, day, provider
    ${sql.literal(added(HAPPENINGS))}
    RETURNING 1 AS one`
}
