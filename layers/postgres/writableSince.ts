import type { SqlClient } from "effect/sql"
import { milliseconds } from "./columns.ts"

/** After a start of the server, holders of leases get at least so long to connect again and write what they have. */
export const PATIENCE_MS = 10_000

/**
 * When the server began to take writes: its last start, recovery included, or its promotion. Who may not see that of
 * other sessions knows of the start alone, before recovery.
 */
export const WRITABLE_SINCE = `(SELECT coalesce(max(backend_start), pg_postmaster_start_time()) FROM pg_stat_activity WHERE backend_type = 'walwriter')`

const patienceMs = (leaseMs: number) => milliseconds(Math.max(leaseMs, PATIENCE_MS))

/**
 * Whether nobody holds the row `row` of a statement, whose lease is over. Nobody could prolong a lease while the server
 * was down: who held one since before then gets as long as a lease lasts to connect again and say so. Ask only where a
 * lease is over, which is rare.
 */
export const isAbandoned = (sql: SqlClient.SqlClient, row: "b" | "w", leaseMs: number) => {
  const until = sql.literal(`${row}.lease_until`)
  return sql`(${until} IS NULL OR ${sql.literal(WRITABLE_SINCE)} <=
        greatest(${until} - ${milliseconds(leaseMs)} * interval '1 ms', now() - ${patienceMs(leaseMs)} * interval '1 ms'))`
}

/** Until when the row is left to its holder, as far as is known now: null, or past, where nobody holds it. */
export const heldUntil = (sql: SqlClient.SqlClient, row: "b" | "w", leaseMs: number) => {
  const until = sql.literal(`${row}.lease_until`)
  return sql`CASE WHEN ${until} > now() OR ${isAbandoned(sql, row, leaseMs)} THEN ${until}
          ELSE ${sql.literal(WRITABLE_SINCE)} + ${patienceMs(leaseMs)} * interval '1 ms' END`
}
