import type { SqlClient, Statement } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuids } from "./columns.ts"

/**
 * A condition for rows that another condition finds. PostgreSQL looks for no index by it: of two that it could take it may
 * prefer the one that begins with an application, or with a kind, and read all that there are.
 *
 * Where rows are joined, `x.id = ANY(ARRAY[t.id])` does the same for the join: it can not be merged or hashed, so that each
 * row is looked up by itself, where a `LATERAL` with `OFFSET 0` cannot be: what is written, and what is locked in an order.
 */
export const ofRows = (sql: SqlClient.SqlClient, condition: Statement.Fragment): Statement.Fragment =>
  sql`(${condition}) IS TRUE`

/** Of more, each costs twice as much by itself as with its neighbours. */
const FEW = 16

/**
 * The rows of an application with these ids, to stand before `AS`. Each is looked up by itself: PostgreSQL before 17 reads
 * all rows of the application, where it knew of few when it planned, rather than look for each of several ids. The devices
 * of a batch it reads together, which is what batches are for.
 */
export const rowsOf = (
  sql: SqlClient.SqlClient,
  table: "channels" | "devices",
  appId: AppId,
  ids: ReadonlyArray<string>
): Statement.Fragment =>
  table === "devices" && ids.length > FEW
    ? sql`(SELECT * FROM devices WHERE app_id = ${appId} AND id = ANY(${uuids(ids)}))`
    : sql`unnest(${uuids(ids)}) AS t (wanted) CROSS JOIN LATERAL (
        SELECT * FROM ${sql.literal(table)} WHERE app_id = ${appId} AND id = t.wanted OFFSET 0
      )`
