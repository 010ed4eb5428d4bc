import { Effect, Option, Schema } from "effect"
import { UserId } from "../../../services/domain/audience/Device.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { ExecutionId, NotificationId, WorkflowId } from "../../../services/domain/Ids.ts"
import { JsonRecord } from "../../../services/domain/Json.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { Execution, HistoryEntry } from "../../../services/domain/workflows/Execution.ts"
import {
  CancelExecutions,
  CancelReason,
  ExecutionStatus,
  StepOutcome
} from "../../../services/domain/workflows/Execution.ts"
import { Workflows } from "../../../services/engine/workflows/Workflows.ts"
import { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { ApiError, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { makeReadingRoom } from "../pipeline/ReadingRoom.ts"
import { route } from "../pipeline/Route.ts"

const fields = {
  id: ExecutionId,
  workflow_id: WorkflowId,
  version: Schema.Int.annotate({ description: "Of the workflow; 0 where that is gone." }),
  user_id: Schema.String,
  status: ExecutionStatus,
  step_order: Schema.NullOr(Schema.Int).annotate({ description: "The step that it is at, or at which it ended." }),
  due_at: Schema.NullOr(Schema.String).annotate({ description: "When a waiting one goes on by itself." }),
  error: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(CancelReason),
  created_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String)
}
const ExecutionView = Schema.Struct(fields).annotate({ identifier: "Execution" })

const FindingView = Schema.Struct({
  about: Schema.String,
  fits: Schema.Boolean,
  actual: Schema.optionalKey(Schema.Json).annotate({ description: "Absent where nothing was there." })
})
export const HistoryView = Schema.Struct({
  at: Schema.String,
  step_order: Schema.Int,
  outcome: StepOutcome,
  findings: Schema.optionalKey(Schema.Array(FindingView)),
  branch: Schema.optionalKey(Schema.Int),
  until: Schema.optionalKey(Schema.String),
  notification_id: Schema.optionalKey(NotificationId),
  merged_into: Schema.optionalKey(ExecutionId),
  count: Schema.optionalKey(Schema.Int),
  detail: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ExecutionStep" })
const WholeView = Schema.Struct({
  ...fields,
  data: JsonRecord.annotate({ description: "What the trigger brought." }),
  steps: JsonRecord.annotate({ description: "What steps brought, by their keys." }),
  history: Schema.Array(HistoryView)
}).annotate({ identifier: "ExecutionWithHistory" })

const CancelledView = Schema.Struct({
  cancelled: Schema.Int.annotate({ description: "Those that were cancelled at once." }),
  is_done: Schema.Boolean.annotate({ description: "False: others are cancelled in the background." })
}).annotate({ identifier: "CancelledExecutions" })

const show = (execution: Execution): typeof ExecutionView.Type => ({
  id: execution.id,
  workflow_id: execution.workflowId,
  version: execution.version,
  user_id: execution.userId,
  status: execution.status,
  step_order: execution.stepOrder,
  due_at: execution.dueAt === null ? null : isoTime(execution.dueAt),
  error: execution.error,
  reason: execution.reason,
  created_at: isoTime(execution.createdAt),
  ended_at: execution.endedAt === null ? null : isoTime(execution.endedAt)
})

export const showStep = ({
  at,
  mergedInto,
  notificationId,
  stepOrder,
  until,
  ...rest
}: HistoryEntry): typeof HistoryView.Type => ({
  at: isoTime(at),
  step_order: stepOrder,
  ...(rest as Pick<typeof HistoryView.Type, "outcome" | "findings" | "branch" | "count" | "detail">),
  ...(until === undefined ? {} : { until: isoTime(until) }),
  ...(notificationId === undefined ? {} : { notification_id: notificationId }),
  ...(mergedInto === undefined ? {} : { merged_into: mergedInto })
})

const example = {
  id: ID,
  workflow_id: ID,
  version: 1,
  user_id: "customer-17",
  status: "waiting",
  step_order: 2,
  due_at: NOW,
  error: null,
  reason: null,
  created_at: NOW,
  ended_at: null
}
const whole = {
  ...example,
  data: { name: "Ada" },
  steps: {},
  history: [
    { at: NOW, step_order: 1, outcome: "passed", notification_id: ID },
    { at: NOW, step_order: 2, outcome: "waiting", until: NOW }
  ]
}

/** Executions that are read at once, and what one may take in memory: a run carries a megabyte, of many small pieces. */
const READ_AT_ONCE = 8
const EXECUTION_BYTES = 12 << 20

/** Executions: single people's ways through workflows. */
export const executionRoutes = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const workflows = yield* Workflows

  const find = Effect.fnUntraced(function* (...[appId, id]: Parameters<typeof executions.find>) {
    const execution = yield* executions.find(appId, id)
    return Option.isSome(execution) ? execution.value : yield* Effect.fail(notFound("execution"))
  })

  const readWhole = Effect.fnUntraced(function* (appId: AppId, id: ExecutionId) {
    const execution = yield* find(appId, id)
    const history = yield* executions.history(appId, id)
    return {
      ...show(execution),
      data: execution.data as Schema.JsonObject,
      steps: execution.steps as Schema.JsonObject,
      history: history.map(showStep)
    }
  })
  const reading = makeReadingRoom(READ_AT_ONCE * EXECUTION_BYTES)

  return [
    route({
      method: "GET",
      path: "/api/v1/executions",
      access: "secret",
      tag: "Workflows",
      summary: "List executions",
      query: Schema.Struct({
        ...listQuery,
        workflow_id: Schema.optionalKey(WorkflowId),
        status: Schema.optionalKey(ExecutionStatus),
        user_id: Schema.optionalKey(UserId)
      }),
      success: {
        status: 200,
        description: "A page of executions, newest first.",
        schema: pageOf(ExecutionView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) => {
        const { status, user_id: userId, workflow_id: workflowId } = query
        const filter = { status, userId, workflowId }
        return page("executions", query, (before, limit) => executions.list(caller.appId, filter, before, limit), show)
      }
    }),
    route({
      method: "GET",
      path: "/api/v1/executions/:id",
      access: "secret",
      tag: "Workflows",
      summary: "Read an execution with its history",
      success: { status: 200, description: "The execution.", schema: WholeView, example: whole },
      errors: ["not_found", "unavailable"],
      handler: ({ caller, params }) =>
        reading.hold(caller.appId, EXECUTION_BYTES, readWhole(caller.appId, params.id as ExecutionId))
    }),
    route({
      method: "POST",
      path: "/api/v1/executions/cancel",
      access: "secret",
      tag: "Workflows",
      summary: "Cancel many executions",
      description:
        "Ends those under way that meet every condition; name at least one. The first thousand are cancelled at once, the others in the background. Digests that they have opened end with them. With `workflow_id` alone, audiences that are still entering go no farther; with a `user_id` and without `status`, they leave that person out. A `status` is of runs that are there.",
      body: {
        schema: CancelExecutions,
        name: "CancelExecutions",
        example: { workflow_id: ID, note: "The offer is over" }
      },
      success: {
        status: 202,
        description: "They are cancelled, or will be in a moment.",
        schema: CancelledView,
        example: { cancelled: 1000, is_done: false }
      },
      errors: ["validation_error"],
      handler: ({ body, caller }) =>
        Effect.map(workflows.cancelMatching(caller.appId, body), ({ cancelled, isDone }) => ({
          cancelled,
          is_done: isDone
        }))
    }),
    route({
      method: "POST",
      path: "/api/v1/executions/:id/cancel",
      access: "secret",
      tag: "Workflows",
      summary: "Cancel an execution",
      description: "No step begins any more. What is sent already is not called back. Repeating it changes nothing.",
      success: {
        status: 200,
        description: "The execution is cancelled.",
        schema: ExecutionView,
        example: { ...example, status: "cancelled", due_at: null, reason: "operator", ended_at: NOW }
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as ExecutionId
        yield* find(caller.appId, id)
        yield* workflows.cancel(caller.appId, [id])
        const now = yield* find(caller.appId, id)
        if (now.status === "cancelled") return show(now)
        return yield* Effect.fail(new ApiError("conflict", `The execution has ended: it is ${now.status}.`))
      })
    })
  ]
})
