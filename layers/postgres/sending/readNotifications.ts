import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import type { Counts } from "../../../services/domain/sending/Delivery.ts"
import type { NotificationStatus } from "../../../services/domain/sending/Notification.ts"
import type { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { byValues } from "../server/byValues.ts"
import { isUuid, uuids } from "../server/columns.ts"
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
    SELECT n.id, coalesce(sum(b.pending), 0)::integer AS pending, coalesce(sum(b.sent), 0)::integer AS sent,
      coalesce(sum(b.failed), 0)::integer AS failed, coalesce(sum(b.skipped), 0)::integer AS skipped,
      coalesce(sum(b.cancelled), 0)::integer AS cancelled, coalesce(e.delivered, 0) AS delivered,
      coalesce(e.opened, 0) AS opened, coalesce(e.clicked, 0) AS clicked,
      coalesce(e.machine_opened, 0) AS machine_opened, coalesce(e.machine_clicked, 0) AS machine_clicked
    FROM unnest(${uuids([...new Set(ids.filter(isUuid))])}) AS t (id)
      JOIN notifications n ON n.id = t.id AND n.app_id = ${appId}
      LEFT JOIN batches b ON b.notification_id = n.id
      LEFT JOIN engagement_counts e ON e.notification_id = n.id
    GROUP BY n.id, e.notification_id`
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
