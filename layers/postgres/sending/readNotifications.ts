import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import type { Counts } from "../../../services/domain/sending/Delivery.ts"
import type { NotificationStatus } from "../../../services/domain/sending/Notification.ts"
import type { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { byValues } from "../server/byValues.ts"
import { isUuid, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import type { NotificationRow } from "./notificationRows.ts"
import { COLUMNS, notificationOf, SUMMARY_COLUMNS } from "./notificationRows.ts"

type Store = NotificationStore["Service"]

/** One notification of an application, without its counts. */
export const findNotification = (sql: SqlClient.SqlClient): Store["find"] => {
  const columns = sql.literal(COLUMNS)
  return (appId, id) =>
    sql<NotificationRow>`SELECT ${columns} FROM notifications WHERE id = ${id} AND app_id = ${appId}`.pipe(
      Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), notificationOf)),
      storeError("NotificationStore.find")
    )
}

/** Several of an application, without their counts. */
export const findNotifications = (sql: SqlClient.SqlClient): Store["findMany"] => {
  const columns = sql.literal(SUMMARY_COLUMNS)
  return (appId, ids) =>
    sql<NotificationRow>`
      SELECT ${columns} FROM notifications WHERE id = ANY(${uuids(ids.filter(isUuid))}) AND app_id = ${appId}`.pipe(
      Effect.map((rows) => rows.map(notificationOf)),
      storeError("NotificationStore.findMany")
    )
}

/** What tells the database in which of two partial indexes a status has its span. */
const isOfIndex = (status: NotificationStatus): string =>
  status === "completed" || status === "cancelled" ? "status IN ('completed', 'cancelled')" : "completed_at IS NULL"

/**
 * Newest first. Each combination is a span of one index, by application or by application and status. Never prepared:
 * which of them is shorter depends on the status.
 */
export const listNotifications = (sql: SqlClient.SqlClient): Store["list"] => {
  const columns = sql.literal(SUMMARY_COLUMNS)
  return (appId, { createdFrom, createdTo, status }, before, limit) =>
    byValues(
      sql,
      sql<NotificationRow>`
      SELECT ${columns} FROM notifications WHERE ${sql.and([
        sql`app_id = ${appId}`,
        ...(before === null ? [] : [sql`id < ${before}`]),
        ...(status === undefined ? [] : [sql`status = ${status}`, sql.literal(isOfIndex(status))]),
        ...(createdFrom === undefined ? [] : [sql`id >= ${uuidFloor(Math.max(0, createdFrom))}::uuid`]),
        ...(createdTo === undefined ? [] : [sql`id < ${uuidFloor(Math.max(0, createdTo + 1))}::uuid`])
      ])} ORDER BY id DESC LIMIT ${limit + 1}`.unprepared
    ).pipe(
      Effect.map((rows) => pageOf(rows.map(notificationOf), limit)),
      storeError("NotificationStore.list")
    )
}

/** Counts of notifications by id, from their batches. */
export const countsOfNotifications = (sql: SqlClient.SqlClient): Store["counts"] =>
  Effect.fnUntraced(function* (appId, ids) {
    const rows = yield* sql<{ readonly id: NotificationId } & Omit<Counts, "accepted">>`
    SELECT n.id, coalesce(b.pending, 0) + CASE WHEN n.direct_recipient IS NOT NULL THEN 1 ELSE 0 END AS pending,
      coalesce(b.sent, 0) + CASE WHEN n.direct_batch IS NOT NULL AND n.direct_recipient IS NULL THEN 1 ELSE 0 END AS sent,
      coalesce(b.failed, 0) AS failed, coalesce(b.skipped, 0) AS skipped, coalesce(b.cancelled, 0) AS cancelled,
      coalesce(e.delivered, 0) AS delivered, coalesce(e.opened, 0) AS opened, coalesce(e.clicked, 0) AS clicked,
      coalesce(e.machine_opened, 0) AS machine_opened, coalesce(e.machine_clicked, 0) AS machine_clicked
    FROM unnest(${uuids([...new Set(ids.filter(isUuid))])}) AS t (id)
      CROSS JOIN LATERAL (
        SELECT id, direct_batch, direct_recipient FROM notifications WHERE id = t.id AND ${ofRows(sql, sql`app_id = ${appId}`)} OFFSET 0
      ) AS n
      -- Looked up for each: a view of these and of direct batches would be read whole.
      CROSS JOIN LATERAL (
        SELECT sum(pending)::integer AS pending, sum(sent)::integer AS sent, sum(failed)::integer AS failed,
          sum(skipped)::integer AS skipped, sum(cancelled)::integer AS cancelled
        FROM batches WHERE notification_id = n.id
      ) AS b
      LEFT JOIN LATERAL (SELECT * FROM engagement_counts WHERE notification_id = n.id OFFSET 0) AS e ON true`
    return new Map(
      rows.map(({ id, pending, sent, failed, skipped, cancelled, ...engaged }) => [
        id,
        {
          // Summed here and not counted apart: so totals always reconcile.
          accepted: pending + sent + failed + skipped + cancelled,
          pending,
          sent,
          failed,
          skipped,
          cancelled,
          ...engaged
        }
      ])
    )
  }, storeError("NotificationStore.counts"))
