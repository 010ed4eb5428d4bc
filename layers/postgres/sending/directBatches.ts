import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Claimed } from "../../../services/ports/operations/LeaseHolder.ts"
import { integers, milliseconds, uuids } from "../server/columns.ts"
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

/**
 * Parts of a statement that prolong leases: `held` has the batches that are in rows of their own, `held_direct` the
 * notifications with a direct batch, as `batch_id`. Each is looked up and locked by itself, as a join could begin with all
 * that there are; what others have locked is passed over, so that nobody waits for another in a ring.
 */
export const prolongedBatches = (
  sql: SqlClient.SqlClient,
  batches: ReadonlyArray<Claimed>,
  leaseMs: number
): Fragment => {
  const until = sql`now() + ${milliseconds(leaseMs)} * interval '1 ms'`
  const direct = batches.flatMap(({ fence, id }) => (fence === DIRECT_FENCE ? [id] : []))
  return sql`held AS MATERIALIZED (
      SELECT b.id FROM unnest(${uuids(batches.map(({ id }) => id))}, ${integers(batches.map(({ fence }) => fence))}) AS t (id, fence)
      CROSS JOIN LATERAL (
        SELECT id FROM batches WHERE id = t.id AND fence = t.fence AND NOT done FOR NO KEY UPDATE SKIP LOCKED
      ) AS b
    ), held_direct AS MATERIALIZED (
      SELECT n.id, t.id AS batch_id FROM unnest(${uuids(direct)}) AS t (id)
      CROSS JOIN LATERAL (
        SELECT id FROM notifications WHERE direct_batch = t.id AND direct_recipient IS NOT NULL
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS n
    ), prolonged AS (
      UPDATE batches SET lease_until = ${until} WHERE id = ANY(ARRAY(SELECT id FROM held))
    ), prolonged_direct AS (
      UPDATE notifications SET direct_until = ${until} WHERE id = ANY(ARRAY(SELECT id FROM held_direct))
    )`
}
