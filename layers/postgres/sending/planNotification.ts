import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { ClaimedPlan, NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import type { HolderShape } from "../operations/Holder.ts"
import { milliseconds, texts, times, uuidArrayText, uuids } from "../server/columns.ts"
import { inTurn } from "../server/inTurn.ts"
import { ofRows } from "../server/ofRows.ts"
import { storeError } from "../server/storeError.ts"
import type { NotificationRow } from "./notificationRows.ts"
import { COLUMNS, notificationOf, sizeOf } from "./notificationRows.ts"

type Store = NotificationStore["Service"]

interface PlanRow extends NotificationRow {
  readonly plan_cursor: string | null
  readonly send_at: Date | null
  readonly trace: string | null
}

const claimedOf = (rows: ReadonlyArray<PlanRow>): Option.Option<ClaimedPlan> =>
  Option.map(Option.fromUndefinedOr(rows[0]), (row) => ({
    notification: notificationOf(row),
    sendAt: row.send_at?.getTime() ?? null,
    trace: row.trace,
    cursor: row.plan_cursor,
    fence: row.plan_fence
  }))

/** A plan that anybody may take. */
const WAITS = `NOT plan_done AND status IN ('queued', 'sending') AND (plan_lease_until IS NULL OR plan_lease_until < now())`

/** What a claim sets: a new fence and a lease. */
const taken = (sql: SqlClient.SqlClient, holder: HolderShape, leaseMs: number) => sql`
        status = 'sending',
        started_at = coalesce(started_at, now()),
        plan_fence = plan_fence + 1,
        plan_holder = ${holder.id()}::integer,
        plan_lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'`

/** Takes the plan of a notification. */
export const claimPlanOf = (sql: SqlClient.SqlClient, holder: HolderShape): Store["claimPlan"] => {
  const columns = sql.literal(COLUMNS)
  const waits = sql.literal(WAITS)
  return (id, leaseMs) =>
    sql<PlanRow>`
      UPDATE notifications SET ${taken(sql, holder, leaseMs)} WHERE id = ${id} AND ${ofRows(sql, waits)}
      RETURNING ${columns}, plan_cursor, send_at, trace`.pipe(
      Effect.map(claimedOf),
      storeError("NotificationStore.claimPlan")
    )
}

/**
 * Takes a plan of the next application in the order of their ids: two looks at the index of plans that wait, however
 * many one application has. Passed over are only those that somebody plans at the moment.
 */
export const claimNextPlanOf = (sql: SqlClient.SqlClient, holder: HolderShape): Store["claimNextPlan"] => {
  const columns = sql.literal(COLUMNS)
  const waits = sql.literal(WAITS)
  return (priority, served, leaseMs) =>
    sql<PlanRow>`
      WITH ${inTurn(sql, "notifications", sql`priority = ${priority} AND ${waits}`, served)}
      UPDATE notifications SET ${taken(sql, holder, leaseMs)} WHERE id = (SELECT id FROM next)
      RETURNING ${columns}, plan_cursor, send_at, trace`.pipe(
      Effect.map(claimedOf),
      storeError("NotificationStore.claimNextPlan")
    )
}

/**
 * Writes the batches of a page and the cursor behind them. A repeated step finds its own fence and its own batches: it
 * writes the same once more, and no batch twice.
 */
export const savePlanOf = (sql: SqlClient.SqlClient): Store["savePlan"] =>
  Effect.fnUntraced(function* (step) {
    const { id, fence, batches, cursor, done, leaseMs } = step
    const dues = batches.flatMap(({ dueAt }) => dueAt ?? [])
    const first = dues.length === 0 ? null : new Date(Math.min(...dues))
    // Due, and so expired, later than it was thought when it was accepted.
    const waits = sql`(${done} AND least(first_due_at, ${first}::timestamptz) > now())`
    const rows = yield* sql`
    WITH plan AS (
      UPDATE notifications SET
        first_due_at = least(first_due_at, ${first}::timestamptz),
        status = CASE WHEN ${waits} THEN 'scheduled' ELSE status END,
        started_at = CASE WHEN ${waits} THEN NULL ELSE started_at END,
        send_at = CASE WHEN ${waits} THEN least(first_due_at, ${first}::timestamptz) ELSE send_at END,
        expires_at = CASE WHEN ${waits}
          THEN least(first_due_at, ${first}::timestamptz) + (expires_at - coalesce(send_at, created_at))
          ELSE expires_at END,
        plan_cursor = ${cursor},
        plan_done = ${done},
        planned = planned + CASE WHEN EXISTS (
          SELECT FROM batches WHERE id = ANY(${uuids(batches.map((batch) => batch.id))})
        ) THEN 0 ELSE ${sizeOf(batches)} END,
        plan_lease_until = CASE WHEN ${done || leaseMs === null} THEN NULL
          ELSE now() + ${milliseconds(leaseMs ?? 0)} * interval '1 ms' END
      WHERE id = ${id} AND plan_fence = ${fence} AND (NOT plan_done OR ${done})
        AND status IN ('queued', 'sending')
      RETURNING id, app_id, priority
    ), written AS (
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients, due_at, expires_at)
      SELECT t.id, plan.id, plan.app_id, t.provider, plan.priority, t.recipients::uuid[], coalesce(t.due_at, now()),
        t.expires_at
      FROM plan, unnest(${uuids(batches.map((batch) => batch.id))}, ${texts(batches.map((batch) => batch.provider))},
        ${texts(batches.map((batch) => uuidArrayText(batch.recipients)))},
        ${times(batches.map(({ dueAt }) => dueAt ?? null))}, ${times(batches.map(({ expiresAt }) => expiresAt ?? null))}
      ) AS t (id, provider, recipients, due_at, expires_at)
      ON CONFLICT (id) DO NOTHING
    )
    SELECT id FROM plan`
    return rows.length > 0
  }, storeError("NotificationStore.savePlan"))
