/** After a start of the server, holders of leases get at least so long to connect again and write what they have. */
export const PATIENCE_MS = 10_000

/**
 * When the server began to take writes: its last start, recovery included, or its promotion. Who may not see that of
 * other sessions knows of the start alone, before recovery.
 */
export const WRITABLE_SINCE = `(SELECT coalesce(max(backend_start), pg_postmaster_start_time()) FROM pg_stat_activity WHERE backend_type = 'walwriter')`
