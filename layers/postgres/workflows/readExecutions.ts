import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AppId, WorkflowId } from "../../../services/domain/Ids.ts"
import type { HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import { now } from "../../../services/ports/Now.ts"
import type { ExecutionFilter, ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { alongTheKey, byValues } from "../server/byValues.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import type { ExecutionRow } from "./runRows.ts"
import { EXECUTION_COLUMNS, executionOf } from "./runRows.ts"

const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"
const FIRST = "00000000-0000-0000-0000-000000000000"
const ENDED = ["completed", "filtered", "failed", "cancelled"] as const

/** How executions are looked at. */
export const readExecutions = (sql: SqlClient.SqlClient) => {
  const shown = sql.literal(EXECUTION_COLUMNS)

  const find: ExecutionStore["Service"]["find"] = (appId, id) =>
    sql<ExecutionRow>`
      SELECT ${shown} FROM executions e LEFT JOIN execution_timers t ON t.app_id = e.app_id AND t.execution_id = e.id
      LEFT JOIN workflow_versions v ON v.id = e.version_id
      WHERE e.app_id = ${appId} AND e.id = ${id}`.pipe(
      Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), executionOf)),
      storeError("ExecutionStore.find")
    )

  const history: ExecutionStore["Service"]["history"] = (appId, id) =>
    sql<{ readonly history: string }>`SELECT history FROM executions WHERE app_id = ${appId} AND id = ${id}`.pipe(
      Effect.map(([row]) => JSON.parse(`[${(row?.history ?? "").slice(0, -1)}]`) as ReadonlyArray<HistoryEntry>),
      storeError("ExecutionStore.history")
    )

  /** Of a workflow: those under way, and those that ended in each way, have an order of their own. */
  const pageOfWorkflow = (
    appId: AppId,
    workflowId: WorkflowId,
    status: ExecutionFilter["status"],
    before: string | null,
    limit: number
  ) => {
    const newest = (which: Fragment) => sql`(
      SELECT * FROM executions WHERE workflow_id = ${workflowId} AND app_id = ${appId} AND ${which}
        AND id < ${before ?? LAST}::uuid ORDER BY id DESC LIMIT ${limit}
    )`
    // The literal says which part of an index is meant.
    const ended = (how: string) => newest(sql`status = ${how} AND status <> 'waiting'`)
    const parts = status === undefined ? [newest(sql`ended_at IS NULL`), ...ENDED.map(ended)] : [ended(status)]
    return sql`SELECT * FROM (${sql.join(" UNION ALL ", false)(parts)}) AS theirs ORDER BY id DESC`
  }

  /** Of executions in whatever status, or in one in which they have ended. */
  const pageBy = (
    appId: AppId,
    { status, userId, workflowId }: ExecutionFilter,
    before: string | null,
    limit: number
  ) => {
    if (workflowId !== undefined && userId === undefined)
      return pageOfWorkflow(appId, workflowId, status, before, limit)
    const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`
    if (userId === undefined) {
      if (status === undefined || status === "completed") {
        return sql`SELECT * FROM executions WHERE ${spanOf(sql, "newest first", appId, before, ofStatus)}`
      }
      // Said in the words of the index of those few.
      return sql`SELECT * FROM executions
        WHERE (app_id, status, id) < (${appId}::uuid, ${status}::text, ${before ?? LAST}::uuid)
          AND (app_id, status, id) > (${appId}::uuid, ${status}::text, ${FIRST}::uuid)
          AND status IN ('filtered', 'failed', 'cancelled') ORDER BY app_id DESC, status DESC, id DESC`
    }
    return sql`SELECT * FROM executions WHERE ${sql.and([
      sql`app_id = ${appId} AND id < ${before ?? LAST}::uuid`,
      ofStatus,
      ...(workflowId === undefined ? [] : [sql`workflow_id = ${workflowId}`]),
      sql`user_id = ${userId}`
    ])} ORDER BY id DESC`
  }

  const list: ExecutionStore["Service"]["list"] = Effect.fnUntraced(function* (appId, filter, before, limit) {
    const { status, userId, workflowId } = filter
    const isOpen = status === "waiting" || status === "running"
    const at = PgTypes.timestamptz(now())
    // Which of those that are open are due, their timers say; the million that ended is not looked at.
    const page = isOpen
      ? sql`SELECT e.* FROM execution_timers r JOIN executions e ON e.app_id = r.app_id AND e.id = r.execution_id
          WHERE ${sql.and([
            sql`r.app_id = ${appId} AND r.execution_id < ${before ?? LAST}::uuid AND e.ended_at IS NULL
              AND e.app_id = ${appId} AND e.id < ${before ?? LAST}::uuid`,
            status === "running" ? sql`r.due_at <= ${at}` : sql`r.due_at > ${at}`,
            ...(workflowId === undefined ? [] : [sql`e.workflow_id = ${workflowId}`]),
            ...(userId === undefined ? [] : [sql`e.user_id = ${userId}`])
          ])} ORDER BY r.execution_id DESC`
      : pageBy(appId, filter, before, limit + 1)
    const read = sql<ExecutionRow>`
      SELECT ${shown} FROM (${page} LIMIT ${limit + 1}) AS e
      LEFT JOIN LATERAL (
        SELECT due_at FROM execution_timers WHERE app_id = e.app_id AND execution_id = e.id OFFSET 0
      ) AS t ON true LEFT JOIN LATERAL (SELECT version FROM workflow_versions WHERE id = e.version_id OFFSET 0) AS v ON true
      ORDER BY e.id DESC`
    // How many are due, or of a workflow, decides how they are best found; of those that wait, there are many.
    const isByValues = status === "running" || (!isOpen && workflowId !== undefined && userId === undefined)
    const rows = yield* status === "waiting"
      ? alongTheKey(sql, read.unprepared)
      : isByValues
        ? byValues(sql, read.unprepared)
        : read
    return pageOf(rows.map(executionOf), limit)
  }, storeError("ExecutionStore.list"))

  return { find, history, list }
}
