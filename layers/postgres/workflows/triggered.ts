import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AppId, WorkflowId } from "../../../services/domain/Ids.ts"
import type { Trigger } from "../../../services/domain/workflows/Workflow.ts"
import { segmentOf } from "../../../services/domain/workflows/Workflow.ts"
import type { Beginning } from "../../../services/ports/workflows/ExecutionStore.ts"
import type { Triggered } from "../../../services/ports/workflows/TriggerStore.ts"
import { texts } from "../server/columns.ts"
import { FIRST } from "./entering.ts"

interface WorkflowRow {
  readonly workflow_id: WorkflowId
  readonly trigger: Trigger
}

const triggeredOf = (row: WorkflowRow): Triggered => ({ workflowId: row.workflow_id, trigger: row.trigger })

export const beginningOf = (appId: AppId, { trigger, workflowId }: Triggered): Beginning => ({
  appId,
  workflowId,
  data: {},
  ...(trigger.type === "segment_entered" ? { segmentId: segmentOf(trigger) } : {})
})

/** Active workflows of an application that wait for one of these. */
export const waitingFor = (
  sql: SqlClient.SqlClient,
  appId: AppId,
  type: Trigger["type"],
  values: ReadonlyArray<string>
) =>
  sql<WorkflowRow>`
    SELECT w.id AS workflow_id, v.definition -> 'trigger' AS trigger
    FROM unnest(${texts([...new Set(values)])}) AS t (value)
    CROSS JOIN LATERAL (
      SELECT id, version_id FROM workflows
      WHERE app_id = ${appId} AND status = 'active' AND trigger_type = ${type} AND trigger_value = t.value OFFSET 0
    ) AS w
    CROSS JOIN LATERAL (SELECT definition FROM workflow_versions WHERE id = w.version_id OFFSET 0) AS v
    ORDER BY w.id`.pipe(Effect.map((rows) => rows.map(triggeredOf)))

/** The application that comes after `served` and has rows in a table whose key begins with it. */
export const nextApp = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: Fragment,
  order: "id" | "at",
  served: AppId | null
) {
  const from = (after: string) =>
    sql<{ readonly app_id: AppId }>`
      SELECT app_id FROM ${table} app_id > ${after} ORDER BY app_id, ${sql.literal(order)} LIMIT 1`
  const [next] = served === null ? [] : yield* from(served)
  return next?.app_id ?? (yield* from(FIRST))[0]?.app_id ?? null
})
