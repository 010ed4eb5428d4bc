import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { AuditAction } from "../../../services/domain/access/Audit.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import type { NotificationStatus } from "../../../services/domain/sending/Notification.ts"
import type { Registry } from "../../../services/ports/operations/Metrics.ts"
import type { ControlCommand } from "../../../services/ports/sending/NotificationStore.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { cancelRest } from "./cancelRest.ts"
import { giveRows } from "./directBatches.ts"
import { texts } from "../server/columns.ts"
import type { NotificationRow } from "./notificationRows.ts"
import { COLUMNS, notificationOf } from "./notificationRows.ts"

interface ControlledRow extends NotificationRow {
  readonly plan_done: boolean
  readonly late: boolean
}

interface Command {
  readonly from: ReadonlyArray<NotificationStatus>
  /** Where there is nothing left to do. */
  readonly already: ReadonlyArray<NotificationStatus>
  /** What it makes of the row, as SQL. */
  readonly changes: string
  /** What the audit log calls it. */
  readonly action: AuditAction
}

/** Paused before anything of it was sent, and its time went by: it begins now, and its time to live with it. */
const LATE = "(started_at IS NULL AND send_at <= now())"

const COMMANDS: Readonly<Record<ControlCommand, Command>> = {
  cancel: {
    from: ["scheduled", "queued", "sending", "paused"],
    already: ["cancelled"],
    changes: "status = 'cancelled', plan_done = true, published_at = now()",
    action: "notification.cancelled"
  },
  // Out of the way of those who look for plans that were forgotten.
  pause: {
    from: ["scheduled", "queued", "sending"],
    already: ["paused"],
    changes: "status = 'paused', published_at = 'infinity'",
    action: "notification.paused"
  },
  resume: {
    from: ["paused"],
    already: ["scheduled", "queued", "sending"],
    changes: `
      status = CASE WHEN started_at IS NULL AND send_at > now() THEN 'scheduled'
        WHEN started_at IS NULL AND NOT plan_done THEN 'queued' ELSE 'sending' END,
      published_at = greatest(send_at, now()),
      started_at = CASE WHEN ${LATE} AND plan_done THEN now() ELSE started_at END,
      expires_at = CASE WHEN ${LATE} THEN now() + (expires_at - send_at) ELSE expires_at END,
      send_at = CASE WHEN ${LATE} THEN now() ELSE send_at END`,
    action: "notification.resumed"
  }
}

/** Statements in which a cancel itself ends what is left, some tens of thousands of recipients each. */
const ROUNDS = 4

/** Cancels, pauses or resumes: the notification, and with it its batches. Only what changes something is in the audit log. */
export const controlNotification = (sql: SqlClient.SqlClient, metrics: Registry) => {
  const columns = sql.literal(COLUMNS)
  const cancelTheRest = cancelRest(sql, metrics)
  return Effect.fnUntraced(function* (appId: AppId, id: NotificationId, command: ControlCommand) {
    const { action, already, changes, from } = COMMANDS[command]
    const isHalt = command !== "resume"
    const controlled = yield* permitted(
      sql,
      appId,
      Effect.gen(function* () {
        // First the notification, by which planners and other commands wait for each other; then, with what they have
        // written before our eyes, its batches. A new fence sends a planner home.
        const rows = yield* sql<ControlledRow>`
          UPDATE notifications SET ${sql.literal(changes)}, plan_fence = plan_fence + 1, plan_lease_until = NULL
          WHERE id = ${id} AND app_id = ${appId} AND status = ANY(${texts(from)})
          RETURNING ${columns}, plan_done, coalesce(send_at = now(), false) AS late`
        const row = rows[0]
        if (row === undefined) return null
        yield* giveRows(sql, sql`n.id = ${id}`)
        // Of a late one, those whose own time went by have theirs from now on as well.
        const lanes = yield* sql<{ readonly provider: ProviderKind }>`
          WITH moved AS (
            UPDATE batches SET paused = ${isHalt},
              expires_at = CASE WHEN ${row.late && !isHalt} AND due_at < now() THEN now() + (expires_at - due_at)
                ELSE expires_at END
            WHERE notification_id = ${id} AND NOT done AND paused <> ${isHalt}
          )
          SELECT DISTINCT provider FROM batches WHERE notification_id = ${id} AND NOT done`
        yield* record(sql, appId, action, id)
        return { row, lanes: lanes.map(({ provider }) => provider) }
      })
    )
    if (controlled === null) {
      const found = yield* sql<ControlledRow>`
        SELECT ${columns}, plan_done FROM notifications WHERE id = ${id} AND app_id = ${appId}`
      return Option.map(Option.fromUndefinedOr(found[0]), (row) => ({
        notification: notificationOf(row),
        isDone: already.includes(row.status),
        plan: !row.plan_done,
        lanes: []
      }))
    }
    if (command === "cancel") yield* cancelTheRest(id, ROUNDS)
    return Option.some({
      notification: notificationOf(controlled.row),
      isDone: true,
      plan: !controlled.row.plan_done,
      lanes: controlled.lanes
    })
  })
}
