import type { SqlClient } from "effect/sql"
import { milliseconds } from "../server/columns.ts"
import type { HolderShape } from "./Holder.ts"

/** After a start of the server, holders of leases get at least so long to connect again and write what they have. */
export const RECONNECT_MS = 10_000

/**
 * When the server began to take writes: its last start, recovery included, or its promotion. Who may not see that of
 * other sessions knows of the start alone, before recovery. A start that is still to come says nothing: the clock was set
 * back since, by a moment or by days, and nobody can wait for it.
 */
export const WRITABLE_SINCE = `(SELECT CASE WHEN began <= clock_timestamp() THEN began ELSE '-infinity' END
  FROM (SELECT coalesce(max(backend_start), pg_postmaster_start_time()) AS began FROM pg_stat_activity WHERE backend_type = 'walwriter') AS server)`

/**
 * Whether the holder of a row, whose lease is over, has said a moment ago that it lives and waits for writes of its
 * results: a commit that takes longer than the lease is no reason to send again what it writes. While it takes, nobody can
 * prolong the lease, as the row is locked by it.
 */
const isWriting = (row: "b" | "w") =>
  `EXISTS (SELECT FROM holders h WHERE h.id = ${row}.lease_holder AND h.writing_until > clock_timestamp())`

const reconnectMs = (leaseMs: number) => milliseconds(Math.max(leaseMs, RECONNECT_MS))

/**
 * Whether nobody holds the row `row` of a statement, whose lease is over. Nobody could prolong a lease while the server
 * was down: who held one since before then gets as long as a lease lasts to connect again and say so. The same holds while
 * it took no writes for another reason, which the process that asks knows by trying (Holder.ts). A holder whose session
 * has ended gets no such time: its leases have been ended (HolderStore.ts). Ask only where a lease is over, which is rare.
 */
export const isAbandoned = (sql: SqlClient.SqlClient, row: "b" | "w", leaseMs: number, holder: HolderShape) => {
  const until = sql.literal(`${row}.lease_until`)
  return sql`(${until} IS NULL OR ${until} = '-infinity' OR (
        clock_timestamp() < ${holder.takesOverUntil(leaseMs)}::timestamptz AND ${sql.literal(WRITABLE_SINCE)} <=
        greatest(${until} - ${milliseconds(leaseMs)} * interval '1 ms', now() - ${reconnectMs(leaseMs)} * interval '1 ms')
          AND NOT ${sql.literal(isWriting(row))}
        ))`
}

/** Until when the row is left to its holder, as far as is known now: null, or past, where nobody holds it. */
export const heldUntil = (sql: SqlClient.SqlClient, row: "b" | "w", leaseMs: number, holder: HolderShape) => {
  const until = sql.literal(`${row}.lease_until`)
  return sql`CASE WHEN ${until} > now() OR ${isAbandoned(sql, row, leaseMs, holder)} THEN ${until}
          ELSE greatest(${sql.literal(WRITABLE_SINCE)} + ${reconnectMs(leaseMs)} * interval '1 ms', now() + interval '1 s') END`
}
