import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Actor } from "../../../services/domain/access/Audit.ts"
import type { AppId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../../services/domain/Ids.ts"
import type { CancelReason, HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import type { CancelEvents, StepSum } from "../../../services/ports/workflows/ExecutionStore.ts"
import { now } from "../../../services/ports/Now.ts"
import { texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { passOnDigests } from "./passOnDigests.ts"
import {
  addCounts,
  deleteTimers,
  deleteWakes,
  dropDigests,
  historyText,
  insertEvents,
  theseRuns
} from "./writeMoves.ts"

/** How runs are cancelled, and what is said of it. */
export interface Cancelling {
  readonly reason: CancelReason
  /** Who and why, for people who look at the run. */
  readonly detail: string
  /** Whether digests that the runs have opened go out with what other runs have brought, or end with them. */
  readonly keepsDigests: boolean
  readonly events: CancelEvents
}

/** Who cancels, in words: a key, a person, somebody at the command line, or the service. */
export const byWhom = ({ id, kind }: Actor): string => (id === null ? `by the ${kind}` : `by the ${kind} ${id}`)

/** Cancels those of some runs of an application that are under way, in the caller's transaction. */
export const cancelRuns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  ids: ReadonlyArray<ExecutionId>,
  { detail, events, keepsDigests, reason }: Cancelling
) {
  if (ids.length === 0) return { cancelled: [], webhooks: [] }
  const entry: HistoryEntry = { at: now(), stepOrder: 0, outcome: "cancelled", detail }
  // Whoever moves one of them has its timer: when that is done, the run may have ended by itself.
  yield* sql`
    SELECT r.execution_id FROM ${theseRuns(sql, appId, ids)}
    JOIN execution_timers r ON r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id
    ORDER BY t.id FOR UPDATE OF r`
  const rows = yield* sql<{
    readonly id: ExecutionId
    readonly workflow_id: WorkflowId
    readonly version_id: WorkflowVersionId
    readonly user_id: string
    readonly position: number
    readonly was_in: boolean
  }>`
    UPDATE executions e SET status = 'cancelled', reason = ${reason}, ended_step = position + 1,
      history = history || replace(${historyText([entry])}, '"stepOrder":0', '"stepOrder":' || (position + 1)),
      ended_at = clock_timestamp(),
      -- Of who was erased nothing stays that names them.
      entry_key = CASE WHEN entry_key LIKE 'x%' AND EXISTS (SELECT FROM contacts c WHERE c.id = e.contact_id OFFSET 0)
        THEN entry_key END,
      user_id = coalesce((SELECT e.user_id FROM contacts c WHERE c.id = e.contact_id LIMIT 1), '')
    FROM ${theseRuns(sql, appId, ids)}
    WHERE e.app_id = ANY(ARRAY[t.app_id]) AND e.id = t.id AND ${ofRows(sql, sql`e.ended_at IS NULL`)}
    RETURNING e.id, workflow_id, version_id, user_id, position, is_begun OR tries > 0 OR deadline IS NOT NULL AS was_in`
  if (rows.length === 0) return { cancelled: [], webhooks: [] }
  const cancelled = rows.map(({ id }) => id)
  yield* deleteTimers(sql, appId, cancelled)
  const sums = new Map<string, StepSum>()
  const add = (sum: StepSum) => {
    const key = `${sum.versionId} ${sum.stepOrder}`
    const { entered = 0, stopped = 0 } = sums.get(key) ?? {}
    sums.set(key, { ...sum, entered: entered + sum.entered, stopped: stopped + sum.stopped })
  }
  for (const { position, version_id, was_in } of rows) {
    if (was_in) add({ versionId: version_id, stepOrder: position + 1, entered: 0, passed: 0, stopped: 1, failed: 0 })
  }
  if (keepsDigests) {
    const { counts, successors } = yield* passOnDigests(sql, appId, cancelled)
    for (const sum of counts) add(sum)
    if (successors.size > 0) {
      yield* sql`
        UPDATE executions e SET history = e.history || replace(t.history, '"stepOrder":0', '"stepOrder":' || (e.position + 1))
        FROM (SELECT ${appId}::uuid, * FROM unnest(${uuids([...successors.keys()])}, ${texts(
          [...successors.values()].map((id) =>
            historyText([
              { at: entry.at, stepOrder: 0, outcome: "merged", mergedInto: id, detail: "its digest goes on" }
            ])
          )
        )}) OFFSET 0) AS t (app_id, id, history) WHERE e.app_id = ANY(ARRAY[t.app_id]) AND e.id = t.id`
    }
  } else yield* dropDigests(sql, appId, cancelled)
  yield* deleteWakes(
    sql,
    rows.map(({ id, user_id }) => ({ appId, id, userId: user_id }))
  )
  const webhooks = yield* insertEvents(
    sql,
    events(rows.map(({ id, workflow_id }) => ({ id, workflowId: workflow_id })))
  )
  if (sums.size > 0) yield* addCounts(sql, [...sums.values()])
  return { cancelled, webhooks }
})
