import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Revision } from "../../../services/ports/sending/NotificationStore.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { milliseconds } from "../server/columns.ts"
import type { NotificationRow } from "./notificationRows.ts"
import { COLUMNS, notificationOf } from "./notificationRows.ts"

/**
 * Changes a notification that has not begun. Its row decides: it is locked by this, by the sweep for which its time has
 * come, and by every command, and whoever comes second finds another status or revision. As long as `started_at` is null
 * no batch of it could be claimed, so a plan that was made before, for a local time, goes as a whole.
 */
export const reviseNotification = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(
    function* ({ appId, fields, id, request, revision, sendAt, ttlMs }: Revision) {
      const at = sql`${sendAt === null ? null : new Date(sendAt)}::timestamptz`
      const rows = yield* sql<NotificationRow>`
      UPDATE notifications SET
        request = ${JSON.stringify(request)}::json,
        priority = ${request.priority ?? "bulk"},
        template_version = ${request.template?.version ?? null}::uuid,
        status = CASE WHEN status = 'paused' THEN 'paused' WHEN ${at} IS NULL THEN 'queued' ELSE 'scheduled' END,
        send_at = coalesce(${at}, now()),
        expires_at = coalesce(${at}, now()) + ${milliseconds(ttlMs)} * interval '1 ms',
        published_at = CASE WHEN status = 'paused' THEN 'infinity' ELSE coalesce(${at}, now()) END,
        plan_done = false, planned = 0, plan_cursor = NULL, first_due_at = NULL, plan_lease_until = NULL,
        plan_fence = plan_fence + 1, updated_at = now()
      WHERE id = ${id} AND app_id = ${appId} AND plan_fence = ${revision}
        AND status IN ('scheduled', 'paused') AND started_at IS NULL
      RETURNING ${sql.literal(COLUMNS)}`
      const row = rows[0]
      if (row === undefined) return Option.none()
      yield* sql`DELETE FROM batches WHERE notification_id = ${id}`
      yield* record(sql, appId, "notification.changed", id, { fields })
      return Option.some(notificationOf(row))
    },
    (revised, { appId }) => permitted(sql, appId, revised)
  )
