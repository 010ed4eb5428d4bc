import type { SqlClient, Statement } from "effect/sql"

/**
 * A condition for rows that another condition finds. PostgreSQL looks for no index by it: of two that it could take it may
 * prefer the one that begins with an application, or with a kind, and read all that there are.
 */
export const ofRows = (sql: SqlClient.SqlClient, condition: Statement.Fragment): Statement.Fragment =>
  sql`(${condition}) IS TRUE`
