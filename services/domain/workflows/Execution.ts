import { Schema } from "effect"
import { UserId } from "../audience/Device.ts"
import type { AppId, ExecutionId, NotificationId, WorkflowVersionId } from "../Ids.ts"
import { WorkflowId } from "../Ids.ts"
import { text } from "../Text.ts"
import type { Finding } from "./Conditions.ts"

export const ExecutionStatus = Schema.Literals(["running", "waiting", "completed", "filtered", "failed", "cancelled"])
export type ExecutionStatus = typeof ExecutionStatus.Type

/** Why a run was cancelled. */
export const CancelReason = Schema.Literals(["operator", "archived", "deleted"])
export type CancelReason = typeof CancelReason.Type

/** What a step came to, or waits for; `cancelled`: the run was ended there. */
export const StepOutcome = Schema.Literals([
  "passed",
  "stopped",
  "waiting",
  "skipped",
  "merged",
  "timed_out",
  "failed",
  "cancelled"
])
export type StepOutcome = typeof StepOutcome.Type

/** An entry of a run's history. What it shows beside the outcome depends on the kind of step. */
export interface HistoryEntry {
  /** Epoch milliseconds. */
  readonly at: number
  /** In the order of the definition, depth first, from 1. */
  readonly stepOrder: number
  readonly outcome: StepOutcome
  /** The values that decided a FILTER or a BRANCH. */
  readonly findings?: ReadonlyArray<Finding>
  /** Of a BRANCH: which, from 1; 0 for `else`. */
  readonly branch?: number
  /** Epoch milliseconds: until when it waits. */
  readonly until?: number
  readonly notificationId?: NotificationId
  /** Of a DIGEST: the run whose digest has what this one brought; or how many went on with it. */
  readonly mergedInto?: ExecutionId
  readonly count?: number
  /** In words, for people. */
  readonly detail?: string
}

/** POST /executions/cancel: runs under way that meet every condition. */
export const CancelExecutions = Schema.Struct({
  workflow_id: Schema.optionalKey(WorkflowId),
  user_id: Schema.optionalKey(UserId),
  status: Schema.optionalKey(Schema.Literals(["waiting", "running"])),
  note: Schema.optionalKey(text(256).annotate({ description: "Why: it stands in the history of each." }))
}).check(
  Schema.makeFilter(
    ({ status, user_id, workflow_id }) =>
      (status ?? user_id ?? workflow_id) !== undefined || "must have workflow_id, user_id or status"
  )
)
export type CancelExecutions = typeof CancelExecutions.Type

/** One person's way through a version of a workflow. */
export interface Execution {
  readonly id: ExecutionId
  readonly appId: AppId
  readonly workflowId: WorkflowId
  readonly versionId: WorkflowVersionId
  readonly version: number
  readonly userId: string
  readonly status: ExecutionStatus
  /** Of one under way: the step that it is at, by its order; null at its end. */
  readonly stepOrder: number | null
  /** Epoch milliseconds: when a waiting one goes on by itself. */
  readonly dueAt: number | null
  /** What the trigger brought. */
  readonly data: Readonly<Record<string, unknown>>
  /** What steps brought, by their keys. */
  readonly steps: Readonly<Record<string, unknown>>
  readonly error: string | null
  readonly reason: CancelReason | null
  readonly createdAt: number
  readonly endedAt: number | null
}
