import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlStateOf, storeError } from "../server/storeError.ts"

/** A process that stands still in the middle of a transaction leaves its runs to others after so long. */
const STANDSTILL = "10s"
/** A transaction that met another one in the wrong order is repeated: nothing of it was written. */
const TRIES = 5

const hasMet = (error: unknown): boolean => {
  const cause = (error as { readonly cause?: unknown } | null)?.cause
  return sqlStateOf(error).startsWith("40") || (cause !== undefined && sqlStateOf(cause).startsWith("40"))
}

/**
 * One transaction that does not outlast a process which stands still, and comes again where it met another. What it reads in
 * the order of an index it reads along the index: a bitmap would be of all that are due, to be sorted for each page, and
 * PostgreSQL prefers one while it takes them for a few.
 */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(operation: string, work: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      sql`SELECT set_config('idle_in_transaction_session_timeout', ${STANDSTILL}, true), set_config('enable_bitmapscan', 'off', true)`,
      work
    ).pipe((whole) => sql.withTransaction(whole), Effect.retry({ times: TRIES, while: hasMet }), storeError(operation))
