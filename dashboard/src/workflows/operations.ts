// Written by `npm run dashboard:types` from operations.graphql beside it.

import type { TypedDocument } from "../api/typedDocument.ts"
import { typed } from "../api/typedDocument.ts"

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] }
export type ActorKind = "CLI" | "KEY" | "SYSTEM" | "USER"

/** Which executions end: one condition at least. */
export type CancelExecutionsInput = {
  /** Why: it stands in the history of each. */
  readonly note?: string | null | undefined
  /** WAITING or RUNNING. */
  readonly status?: OpenExecutionStatus | null | undefined
  readonly userId?: string | null | undefined
  readonly workflowId?: string | null | undefined
}

export type CancelReason = "ARCHIVED" | "DELETED" | "OPERATOR"

export type ExecutionStatus = "CANCELLED" | "COMPLETED" | "FAILED" | "FILTERED" | "RUNNING" | "WAITING"

export type OpenExecutionStatus = "RUNNING" | "WAITING"

/** How often a person may enter. */
export type Reentry =
  | "ALWAYS"
  | "ONCE"
  /** Not while a run of the person is under way. */
  | "WHEN_ENDED"

export type RehearseWorkflowInput = {
  /** What FETCH steps are answered, by key. */
  readonly answers?: unknown
  /** Somebody made up, in the place of `userId`. */
  readonly contact?: unknown
  readonly data?: unknown
  /** The data of the events that WAIT_FOR steps hear, by key. */
  readonly events?: unknown
  /** What becomes of the messages of SEND steps, by key. */
  readonly outcomes?: unknown
  /** A contact, whose way is tried. */
  readonly userId?: string | null | undefined
}

export type StepOutcome = "CANCELLED" | "FAILED" | "MERGED" | "PASSED" | "SKIPPED" | "STOPPED" | "TIMED_OUT" | "WAITING"

export type TriggerWorkflowInput = {
  readonly data?: unknown
  /** `user_ids`, `all`, `segment_id`, or `tags_any` and `tags_all`. */
  readonly to: unknown
}

export type WorkflowChanges = {
  readonly name?: string | null | undefined
  readonly reentry?: Reentry | null | undefined
  readonly steps?: unknown
  readonly trigger?: unknown
  /** Which version was changed: where others have made a later one by now, the answer is `conflict`. */
  readonly version?: number | null | undefined
}

export type WorkflowInput = {
  readonly name: string
  readonly reentry?: Reentry | null | undefined
  readonly steps: unknown
  readonly trigger: unknown
}

export type WorkflowStatus = "ACTIVE" | "ARCHIVED" | "DRAFT"

export type WorkflowsQueryVariables = Exact<{
  appId: string
  status?: WorkflowStatus | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type WorkflowsQuery = {
  readonly workflows: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly name: string
      readonly status: WorkflowStatus
      readonly version: number
      readonly trigger: unknown
      readonly updatedAt: string
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type WorkflowQueryVariables = Exact<{
  id: string
}>

export type WorkflowQuery = {
  readonly workflow: {
    readonly id: string
    readonly name: string
    readonly status: WorkflowStatus
    readonly version: number
    readonly trigger: unknown
    readonly steps: unknown
    readonly reentry: Reentry
    readonly createdAt: string
    readonly updatedAt: string
  } | null
}

export type VersionsQueryVariables = Exact<{
  id: string
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type VersionsQuery = {
  readonly workflow: {
    readonly id: string
    readonly name: string
    readonly status: WorkflowStatus
    readonly version: number
    readonly reentry: Reentry
    readonly trigger: unknown
    readonly steps: unknown
  } | null
  readonly workflowVersions: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly version: number
      readonly createdAt: string
      readonly runs: number
      readonly actor: { readonly kind: ActorKind; readonly email: string | null }
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type VersionQueryVariables = Exact<{
  id: string
  version?: number | null | undefined
}>

export type VersionQuery = {
  readonly workflowVersion: {
    readonly id: string
    readonly version: number
    readonly trigger: unknown
    readonly steps: unknown
    readonly reentry: Reentry
  } | null
}

export type StepNumbersQueryVariables = Exact<{
  id: string
}>

export type StepNumbersQuery = {
  readonly workflowStatistics: {
    readonly version: number
    readonly steps: ReadonlyArray<{
      readonly stepOrder: number
      readonly entered: number
      readonly passed: number
      readonly stopped: number
      readonly failed: number
      readonly waiting: number
    }>
  }
}

export type RunsQueryVariables = Exact<{
  appId: string
  workflowId?: string | null | undefined
  status?: ExecutionStatus | null | undefined
  userId?: string | null | undefined
  first?: number | null | undefined
  after?: string | null | undefined
}>

export type RunsQuery = {
  readonly executions: {
    readonly nodes: ReadonlyArray<{
      readonly id: string
      readonly userId: string
      readonly version: number
      readonly status: ExecutionStatus
      readonly stepOrder: number | null
      readonly dueAt: string | null
      readonly error: string | null
      readonly reason: CancelReason | null
      readonly createdAt: string
      readonly endedAt: string | null
    }>
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

export type RunQueryVariables = Exact<{
  id: string
}>

export type RunQuery = {
  readonly execution: {
    readonly id: string
    readonly workflowId: string
    readonly version: number
    readonly userId: string
    readonly status: ExecutionStatus
    readonly stepOrder: number | null
    readonly dueAt: string | null
    readonly error: string | null
    readonly reason: CancelReason | null
    readonly createdAt: string
    readonly endedAt: string | null
    readonly data: unknown
    readonly steps: unknown
    readonly history: ReadonlyArray<{
      readonly at: string
      readonly stepOrder: number
      readonly outcome: StepOutcome
      readonly branch: number | null
      readonly until: string | null
      readonly notificationId: string | null
      readonly mergedInto: string | null
      readonly count: number | null
      readonly detail: string | null
      readonly findings: ReadonlyArray<{
        readonly about: string
        readonly fits: boolean
        readonly actual: unknown
      }> | null
    }>
  } | null
}

export type HappeningFragment = {
  readonly at: string
  readonly stepOrder: number
  readonly outcome: StepOutcome
  readonly branch: number | null
  readonly until: string | null
  readonly notificationId: string | null
  readonly mergedInto: string | null
  readonly count: number | null
  readonly detail: string | null
  readonly findings: ReadonlyArray<{ readonly about: string; readonly fits: boolean; readonly actual: unknown }> | null
}

export type DryRunQueryVariables = Exact<{
  id: string
  input: RehearseWorkflowInput
}>

export type DryRunQuery = {
  readonly rehearseWorkflow: {
    readonly status: ExecutionStatus
    readonly error: string | null
    readonly history: ReadonlyArray<{
      readonly at: string
      readonly stepOrder: number
      readonly outcome: StepOutcome
      readonly branch: number | null
      readonly until: string | null
      readonly notificationId: string | null
      readonly mergedInto: string | null
      readonly count: number | null
      readonly detail: string | null
      readonly findings: ReadonlyArray<{
        readonly about: string
        readonly fits: boolean
        readonly actual: unknown
      }> | null
    }>
    readonly messages: ReadonlyArray<{
      readonly key: string
      readonly problem: string | null
      readonly content: {
        readonly title: string | null
        readonly body: string | null
        readonly url: string | null
        readonly image: string | null
        readonly data: unknown
        readonly subject: string | null
        readonly html: string | null
      } | null
    }>
  }
}

export type CreateWorkflowMutationVariables = Exact<{
  appId: string
  input: WorkflowInput
}>

export type CreateWorkflowMutation = { readonly createWorkflow: { readonly id: string } }

export type SaveWorkflowMutationVariables = Exact<{
  id: string
  input: WorkflowChanges
}>

export type SaveWorkflowMutation = {
  readonly updateWorkflow: {
    readonly id: string
    readonly name: string
    readonly status: WorkflowStatus
    readonly version: number
    readonly trigger: unknown
    readonly steps: unknown
    readonly reentry: Reentry
    readonly createdAt: string
    readonly updatedAt: string
    readonly warnings: ReadonlyArray<{ readonly field: string; readonly message: string }>
  }
}

export type ActivateWorkflowMutationVariables = Exact<{
  id: string
}>

export type ActivateWorkflowMutation = {
  readonly activateWorkflow: {
    readonly id: string
    readonly warnings: ReadonlyArray<{ readonly field: string; readonly message: string }>
  }
}

export type ArchiveWorkflowMutationVariables = Exact<{
  id: string
}>

export type ArchiveWorkflowMutation = { readonly archiveWorkflow: { readonly id: string } }

export type DeleteWorkflowMutationVariables = Exact<{
  id: string
}>

export type DeleteWorkflowMutation = { readonly deleteWorkflow: boolean }

export type TriggerWorkflowMutationVariables = Exact<{
  id: string
  input: TriggerWorkflowInput
}>

export type TriggerWorkflowMutation = {
  readonly triggerWorkflow: { readonly executions: number; readonly executionId: string | null }
}

export type CancelRunMutationVariables = Exact<{
  id: string
}>

export type CancelRunMutation = { readonly cancelExecution: { readonly id: string } }

export type CancelRunsMutationVariables = Exact<{
  appId: string
  input: CancelExecutionsInput
}>

export type CancelRunsMutation = { readonly cancelExecutions: { readonly cancelled: number; readonly isDone: boolean } }

export const workflows: TypedDocument<WorkflowsQuery, WorkflowsQueryVariables> = typed(
  "query Workflows($appId:ID!$status:WorkflowStatus$first:Int$after:String){workflows(appId:$appId status:$status first:$first after:$after){nodes{id name status version trigger updatedAt}pageInfo{hasNextPage endCursor}}}"
)
export const workflow: TypedDocument<WorkflowQuery, WorkflowQueryVariables> = typed(
  "query Workflow($id:ID!){workflow(id:$id){id name status version trigger steps reentry createdAt updatedAt}}"
)
export const versions: TypedDocument<VersionsQuery, VersionsQueryVariables> = typed(
  "query Versions($id:ID!$first:Int$after:String){workflow(id:$id){id name status version reentry trigger steps}workflowVersions(id:$id first:$first after:$after){nodes{id version createdAt runs actor{kind email}}pageInfo{hasNextPage endCursor}}}"
)
export const version: TypedDocument<VersionQuery, VersionQueryVariables> = typed(
  "query Version($id:ID!$version:Int){workflowVersion(id:$id version:$version){id version trigger steps reentry}}"
)
export const stepNumbers: TypedDocument<StepNumbersQuery, StepNumbersQueryVariables> = typed(
  "query StepNumbers($id:ID!){workflowStatistics(id:$id){version steps{stepOrder entered passed stopped failed waiting}}}"
)
export const runs: TypedDocument<RunsQuery, RunsQueryVariables> = typed(
  "query Runs($appId:ID!$workflowId:ID$status:ExecutionStatus$userId:String$first:Int$after:String){executions(appId:$appId workflowId:$workflowId status:$status userId:$userId first:$first after:$after){nodes{id userId version status stepOrder dueAt error reason createdAt endedAt}pageInfo{hasNextPage endCursor}}}"
)
export const run: TypedDocument<RunQuery, RunQueryVariables> = typed(
  "query Run($id:ID!){execution(id:$id){id workflowId version userId status stepOrder dueAt error reason createdAt endedAt data steps history{...Happening}}}fragment Happening on ExecutionStep{at stepOrder outcome findings{about fits actual}branch until notificationId mergedInto count detail}"
)
export const dryRun: TypedDocument<DryRunQuery, DryRunQueryVariables> = typed(
  "query DryRun($id:ID!$input:RehearseWorkflowInput!){rehearseWorkflow(id:$id input:$input){status error history{...Happening}messages{key problem content{title body url image data subject html}}}}fragment Happening on ExecutionStep{at stepOrder outcome findings{about fits actual}branch until notificationId mergedInto count detail}"
)
export const createWorkflow: TypedDocument<CreateWorkflowMutation, CreateWorkflowMutationVariables> = typed(
  "mutation CreateWorkflow($appId:ID!$input:WorkflowInput!){createWorkflow(appId:$appId input:$input){id}}"
)
export const saveWorkflow: TypedDocument<SaveWorkflowMutation, SaveWorkflowMutationVariables> = typed(
  "mutation SaveWorkflow($id:ID!$input:WorkflowChanges!){updateWorkflow(id:$id input:$input){id name status version trigger steps reentry createdAt updatedAt warnings{field message}}}"
)
export const activateWorkflow: TypedDocument<ActivateWorkflowMutation, ActivateWorkflowMutationVariables> = typed(
  "mutation ActivateWorkflow($id:ID!){activateWorkflow(id:$id){id warnings{field message}}}"
)
export const archiveWorkflow: TypedDocument<ArchiveWorkflowMutation, ArchiveWorkflowMutationVariables> = typed(
  "mutation ArchiveWorkflow($id:ID!){archiveWorkflow(id:$id){id}}"
)
export const deleteWorkflow: TypedDocument<DeleteWorkflowMutation, DeleteWorkflowMutationVariables> = typed(
  "mutation DeleteWorkflow($id:ID!){deleteWorkflow(id:$id)}"
)
export const triggerWorkflow: TypedDocument<TriggerWorkflowMutation, TriggerWorkflowMutationVariables> = typed(
  "mutation TriggerWorkflow($id:ID!$input:TriggerWorkflowInput!){triggerWorkflow(id:$id input:$input){executions executionId}}"
)
export const cancelRun: TypedDocument<CancelRunMutation, CancelRunMutationVariables> = typed(
  "mutation CancelRun($id:ID!){cancelExecution(id:$id){id}}"
)
export const cancelRuns: TypedDocument<CancelRunsMutation, CancelRunsMutationVariables> = typed(
  "mutation CancelRuns($appId:ID!$input:CancelExecutionsInput!){cancelExecutions(appId:$appId input:$input){cancelled isDone}}"
)
