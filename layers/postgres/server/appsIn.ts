import type { SqlClient, Statement } from "effect/sql"

/**
 * A query `apps` for a WITH RECURSIVE clause: the applications that have rows in a table, in the order of their ids, and
 * null after the last. Each costs a look into an index that begins with `app_id`, however many rows it has.
 */
export const appsIn = (sql: SqlClient.SqlClient, table: string): Statement.Fragment => sql`
  apps AS (
    (SELECT app_id FROM ${sql.literal(table)} ORDER BY app_id LIMIT 1)
    UNION ALL
    SELECT (SELECT t.app_id FROM ${sql.literal(table)} t WHERE t.app_id > apps.app_id ORDER BY t.app_id LIMIT 1)
    FROM apps WHERE apps.app_id IS NOT NULL
  )`
