import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { LaneKey } from "../../../services/ports/sending/BatchStore.ts"
import { uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { recipientIsThere } from "./deadLetters.ts"
import { statusCode } from "./deliveryCodes.ts"

/** What stands in a row of the statement: the dead letters that were looked at, moved, and the last of them. */
export interface Moved {
  readonly looked: number
  readonly moved: number
  readonly last: string | null
  readonly lanes: ReadonlyArray<{ readonly app_id: LaneKey["appId"] } & Pick<LaneKey, "provider" | "priority">>
}

/*
 * Dead letters and their recipients, moved in one statement. Its parts:
 *
 *   picked   dead letters that nobody has replayed, locked in the order of their ids: who comes second waits, and finds
 *            them replayed
 *   open     their notifications, locked, if they still send
 *   origin   the batches that count them as failed, locked, if they have ended: a worker that repeats its last write
 *            would count them once more, which the new fence keeps it from
 *   moving   the dead letters of both whose recipients have not been deleted
 *   …        from `failed` of the batch to `recipients` of a new one: totals still reconcile
 *
 * Results, commands and completion lock notifications before batches, and so does this.
 */
export const moveDeadLetters = (
  sql: SqlClient.SqlClient,
  conditions: ReadonlyArray<Fragment>,
  limit: number,
  order: Fragment = sql`l.id`
): Fragment => {
  const ids = Array.from({ length: limit }, () => uuidv7())
  return sql`picked AS MATERIALIZED (
      SELECT l.id, l.app_id, l.notification_id, l.recipient_id, l.provider, l.batch_id FROM dead_letters l
      WHERE ${sql.and(conditions)} AND ${ofRows(sql, sql`l.kind = 'notification'`)} AND l.refusal IS NULL AND l.replayed_at IS NULL
      ORDER BY ${order} LIMIT ${limit} FOR NO KEY UPDATE
    ), open AS MATERIALIZED (
      SELECT n.id, n.app_id, n.priority, n.status = 'paused' AS paused,
        n.expires_at - coalesce(n.send_at, n.created_at) AS ttl
      FROM notifications n
      WHERE n.id = ANY(ARRAY(SELECT notification_id FROM picked)) AND n.status IN ('queued', 'sending', 'paused', 'completed')
      ORDER BY n.id FOR NO KEY UPDATE
    ), origin AS MATERIALIZED (
      SELECT b.id FROM batches b
      WHERE b.id = ANY(ARRAY(SELECT picked.batch_id FROM picked JOIN open ON open.id = picked.notification_id)) AND b.done
      ORDER BY b.id FOR NO KEY UPDATE
    ), moving AS MATERIALIZED (
      SELECT picked.* FROM picked JOIN open ON open.id = picked.notification_id JOIN origin ON origin.id = picked.batch_id
      WHERE ${sql.literal(recipientIsThere("picked"))}
    ), marked AS (
      UPDATE dead_letters l SET replayed_at = now() FROM moving WHERE l.id = ANY(ARRAY[moving.id])
    ), undone AS (
      DELETE FROM deliveries d USING moving
      WHERE d.notification_id = ANY(ARRAY[moving.notification_id]) AND d.recipient_id = moving.recipient_id
        AND d.status = ${statusCode.failed}::"char"
    ), lessened AS (
      UPDATE batches b SET failed = b.failed - less.count, fence = b.fence + 1
      FROM (SELECT batch_id, count(*)::integer AS count FROM moving GROUP BY batch_id) AS less
      WHERE b.id = ANY(ARRAY[less.batch_id])
    ), divided AS (
      SELECT notification_id, provider, array_agg(recipient_id ORDER BY id) AS recipients, row_number() OVER () AS number
      FROM moving GROUP BY notification_id, provider
    ), made AS (
      INSERT INTO batches (id, notification_id, app_id, provider, priority, paused, expires_at, recipients)
      SELECT fresh.id, open.id, open.app_id, divided.provider, open.priority, open.paused, now() + open.ttl,
        divided.recipients
      FROM divided JOIN open ON open.id = divided.notification_id
        JOIN unnest(${uuids(ids)}) WITH ORDINALITY AS fresh (id, number) ON fresh.number = divided.number
      RETURNING app_id, provider, priority
    ), reopened AS (
      UPDATE notifications n SET reopened = n.reopened + 1, completed_at = NULL,
        status = CASE WHEN n.status = 'completed' THEN 'sending' ELSE n.status END
      WHERE n.id = ANY(ARRAY(SELECT notification_id FROM moving))
    ), moved AS MATERIALIZED (
      SELECT (SELECT count(*)::integer FROM picked) AS looked, (SELECT count(*)::integer FROM moving) AS moved,
        (SELECT id FROM picked ORDER BY id DESC LIMIT 1) AS last,
        coalesce((SELECT json_agg(lane) FROM (SELECT DISTINCT app_id, provider, priority FROM made) AS lane), '[]') AS lanes
    )`
}

export const laneOf = ({ app_id, priority, provider }: Moved["lanes"][number]): LaneKey => ({
  appId: app_id,
  provider,
  priority
})
