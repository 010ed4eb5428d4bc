import type { SqlClient, Statement } from "effect/sql"

/**
 * A condition for rows that another condition finds. PostgreSQL looks for no index by it: of two that it could take it may
 * prefer the one that begins with an application, or with a kind, and read all that there are.
 *
 * Where rows are joined, `x.id = ANY(ARRAY[t.id])` does the same for the join: it can not be merged or hashed, so that each
 * row is looked up by itself, where a `LATERAL` with `OFFSET 0` cannot be: what is written, and what is locked in an order.
 */
export const ofRows = (sql: SqlClient.SqlClient, condition: Statement.Fragment): Statement.Fragment =>
  sql`(${condition}) IS TRUE`
