import type {
  AppId,
  ContactId,
  ExecutionId,
  NotificationId,
  SegmentId,
  WorkflowId,
  WorkflowVersionId
} from "../../../services/domain/Ids.ts"
import { ASIDE } from "../../../services/domain/sending/Suspicion.ts"
import type { Facts } from "../../../services/domain/workflows/Conditions.ts"
import type { CancelReason, Execution, ExecutionStatus } from "../../../services/domain/workflows/Execution.ts"
import type { OpenRun } from "../../../services/ports/workflows/ExecutionStore.ts"

/*
 * Runs as rows, and as those who move them know them.
 */

export interface PersonRow {
  readonly tags: ReadonlyArray<string>
  readonly attributes: Readonly<Record<string, unknown>>
  readonly locale: string | null
  readonly timezone: string | null
}

export const personOf = ({ attributes, locale, tags, timezone }: PersonRow): Facts => ({
  tags,
  attributes,
  locale,
  timezone,
  platforms: [],
  seenAt: null,
  engagedAt: {}
})

/** What a run is read with: `e` executions, `t` its timer, `p` its contact, `w` its workflow. */
export const RUN_COLUMNS = `e.id, e.app_id, e.workflow_id, e.version_id, e.contact_id, e.user_id, e.position, e.is_begun,
  e.deadline, e.tries, e.data, e.steps, e.sends, e.depth, e.segment_id, e.trace, e.created_at,
  t.fence, t.suspicion, p.id AS person_id, p.tags, p.attributes, p.locale, p.timezone,
  w.status AS workflow_status, w.deleted_at IS NOT NULL AS is_deleted`

export interface RunRow extends PersonRow {
  readonly id: ExecutionId
  readonly app_id: AppId
  readonly workflow_id: WorkflowId
  readonly version_id: WorkflowVersionId
  readonly contact_id: ContactId
  readonly user_id: string
  readonly position: number
  readonly is_begun: boolean
  readonly deadline: Date | null
  readonly tries: number
  readonly data: string
  readonly steps: string
  readonly sends: string
  readonly depth: number
  readonly segment_id: SegmentId | null
  readonly trace: string | null
  readonly created_at: Date
  readonly fence: number
  readonly suspicion: number
  readonly person_id: string | null
  readonly workflow_status: string | null
  readonly is_deleted: boolean | null
}

type Record_ = Readonly<Record<string, unknown>>
const NOTHING: Record_ = {}
/** Most have none. */
export const readObject = (text: string): Record_ => (text === "{}" ? NOTHING : (JSON.parse(text) as Record_))

const closedOf = ({ is_deleted, workflow_status }: RunRow): CancelReason | null => {
  if (is_deleted !== false) return "deleted"
  return workflow_status === "archived" ? "archived" : null
}

/**
 * Runs of one trigger share what it brought: they mostly stand together. What a run brings that is set aside is not read,
 * which may be just what the processes have ended over.
 */
export const runsOf = (rows: ReadonlyArray<RunRow>, isDisabled: boolean): ReadonlyArray<OpenRun> => {
  let text: string | null = null
  let data = NOTHING
  return rows.map((row) => {
    if (row.suspicion >= ASIDE) return runOf(row, NOTHING, NOTHING, isDisabled)
    if (row.data !== text) {
      text = row.data
      data = readObject(text)
    }
    return runOf(row, data, readObject(row.steps), isDisabled)
  })
}

const runOf = (row: RunRow, data: Record_, steps: Record_, isDisabled: boolean): OpenRun => ({
  id: row.id,
  appId: row.app_id,
  workflowId: row.workflow_id,
  versionId: row.version_id,
  contactId: row.contact_id,
  userId: row.user_id,
  position: row.position,
  isBegun: row.is_begun,
  deadline: row.deadline?.getTime() ?? null,
  tries: row.tries,
  data,
  steps,
  sends: readObject(row.sends) as Readonly<Record<string, NotificationId>>,
  enteredAt: row.created_at.getTime(),
  depth: row.depth,
  segmentId: row.segment_id,
  trace: row.trace,
  fence: row.fence,
  suspicion: row.suspicion,
  size: row.data.length + row.steps.length,
  person: row.person_id === null ? null : personOf(row),
  isClosed: closedOf(row),
  isDisabled
})

/** What an execution is shown with: `e` executions, `t` its timer, `v` its version. */
export const EXECUTION_COLUMNS = `e.id, e.app_id, e.workflow_id, e.version_id, v.version, e.user_id, e.status, e.position,
  e.ended_step, e.data, e.steps, e.error, e.reason, e.created_at, e.ended_at, t.due_at,
  t.due_at IS NOT NULL AND t.due_at <= statement_timestamp() AS is_due`

export interface ExecutionRow {
  readonly id: ExecutionId
  readonly app_id: AppId
  readonly workflow_id: WorkflowId
  readonly version_id: WorkflowVersionId
  readonly version: number | null
  readonly user_id: string
  readonly status: ExecutionStatus
  readonly position: number
  readonly ended_step: number | null
  readonly data: string
  readonly steps: string
  readonly error: string | null
  readonly reason: CancelReason | null
  readonly created_at: Date
  readonly ended_at: Date | null
  readonly due_at: Date | null
  readonly is_due: boolean
}

export const executionOf = (row: ExecutionRow): Execution => ({
  id: row.id,
  appId: row.app_id,
  workflowId: row.workflow_id,
  versionId: row.version_id,
  version: row.version ?? 0,
  userId: row.user_id,
  status: row.status === "waiting" && row.is_due ? "running" : row.status,
  stepOrder: row.ended_at === null ? row.position + 1 : row.ended_step,
  dueAt: row.due_at?.getTime() ?? null,
  data: readObject(row.data),
  steps: readObject(row.steps),
  error: row.error,
  reason: row.reason,
  createdAt: row.created_at.getTime(),
  endedAt: row.ended_at?.getTime() ?? null
})
