import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { ofRows } from "../server/ofRows.ts"

/*
 * Direct batches: the only batch of a notification, of one recipient, which was leased with its acceptance and stands in
 * the notification's row (docs/decisions/0098-direct-batches.md). Whoever wants to do anything else with one than to
 * write that it was sent, or to prolong its lease, first gives it a row of its own.
 */

/** The fence of a direct batch. */
export const DIRECT_FENCE = 1

/**
 * All of them, for a condition that no index helps with: by their own index, which a plan that was made while there were
 * few notifications would not have to take.
 */
export const ANY_DIRECT = "n.direct_recipient IS NOT NULL AND n.direct_batch >= '00000000-0000-0000-0000-000000000000'"

/**
 * Gives direct batches a row of their own, with the lease that they have. `which` says of which notifications `n`, and that
 * their `direct_recipient` is not null where the index of direct batches is to be taken. They are locked before anything
 * else is; with `skipping`, those that others hold are left to them.
 */
export const giveRows = (sql: SqlClient.SqlClient, which: Fragment, skipping = false) =>
  sql`
    WITH direct AS MATERIALIZED (
      SELECT n.id, n.app_id, n.priority, n.direct_batch, n.direct_provider, n.direct_recipient, n.direct_holder,
        n.direct_until, n.status
      FROM notifications n
      WHERE ${ofRows(sql, sql`n.direct_recipient IS NOT NULL`)}
        AND n.id = ANY(ARRAY(SELECT n.id FROM notifications n WHERE ${which}))
      ORDER BY n.id FOR NO KEY UPDATE OF n ${sql.literal(skipping ? "SKIP LOCKED" : "")}
    ), left_out AS (
      UPDATE notifications n
      SET direct_batch = NULL, direct_provider = NULL, direct_recipient = NULL, direct_holder = NULL, direct_until = NULL
      FROM direct WHERE n.id = direct.id
    )
    INSERT INTO batches (
      id, notification_id, app_id, provider, priority, paused, fence, lease_holder, lease_until, recipients
    )
    SELECT direct_batch, id, app_id, direct_provider, priority, status IN ('paused', 'cancelled'), ${DIRECT_FENCE}::integer,
      direct_holder, direct_until, ARRAY[direct_recipient]
    FROM direct
    RETURNING id`

/**
 * The same for all whose leases are over. Their index is walked entry by entry, and not by a bitmap of it: then those that
 * have ended are passed by once and marked as dead, however long nobody vacuums the table, and not read again by each look.
 */
export const giveRowsToOverdue = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.andThen(
      sql`SET LOCAL enable_bitmapscan = off`,
      giveRows(sql, sql`${sql.literal(ANY_DIRECT)} AND n.direct_until < now()`, true)
    )
  )
