import type { SqlClient, Statement } from "effect/sql"
import { Effect } from "effect"
import type { AppId } from "../../../services/domain/Ids.ts"

/**
 * A query `next` for a WITH clause: the oldest row that waits, locked, of the application that follows `served` in the
 * order of their ids, and from the first on after the last; of `served` itself only when no other has any. No row when
 * none waits, or others are about to take those that do. The table needs an index by app_id and id.
 *
 * The row is locked as it is when it is free; a statement that reads it once more by its id, and does not update it, sees it
 * as it was when the statement began. Then there are two statements: `lockInTurn`.
 */
export const inTurn = (
  sql: SqlClient.SqlClient,
  table: string,
  waits: Statement.Fragment,
  served: AppId | null
): Statement.Fragment => {
  const first = (which: Statement.Fragment) => sql`
    SELECT id FROM ${sql.literal(table)} WHERE ${waits} ${which}
    ORDER BY app_id, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`
  if (served === null) return sql`next AS MATERIALIZED (${first(sql``)})`
  return sql`following AS MATERIALIZED (${first(sql`AND app_id > ${served}`)}),
    around AS MATERIALIZED (${first(sql`AND app_id <= ${served} AND NOT EXISTS (SELECT FROM following)`)}),
    next AS MATERIALIZED (SELECT id FROM following UNION ALL SELECT id FROM around)`
}

/** Locks that row, of all that wait in the table, until the transaction ends. Its id; null: there is none. */
export const lockInTurn = (sql: SqlClient.SqlClient, table: string, served: AppId | null) =>
  sql<{ readonly id: string }>`WITH ${inTurn(sql, table, sql`true`, served)} SELECT id FROM next`.pipe(
    Effect.map(([row]) => row?.id ?? null)
  )
