import { Effect, Option, Schema } from "effect"
import { ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { programOf } from "../../../services/domain/workflows/Program.ts"
import { Steps } from "../../../services/domain/workflows/Steps.ts"
import {
  CreateWorkflow,
  Reentry,
  RehearseWorkflow,
  Trigger,
  TriggerWorkflow,
  UpdateWorkflow,
  WorkflowStatus
} from "../../../services/domain/workflows/Workflow.ts"
import type { Workflow } from "../../../services/domain/workflows/Workflow.ts"
import type { WorkflowInvalid } from "../../../services/engine/workflows/Drafting.ts"
import type {
  NoSuchAudience,
  Saved,
  Triggered,
  WorkflowConflict
} from "../../../services/engine/workflows/Workflows.ts"
import type { RehearsalInvalid } from "../../../services/engine/workflows/DryRun.ts"
import { makeDryRun } from "../../../services/engine/workflows/DryRun.ts"
import { Content } from "../../../services/domain/sending/Notification.ts"
import { ExecutionStatus } from "../../../services/domain/workflows/Execution.ts"
import { HistoryView, showStep } from "./Executions.ts"
import { Workflows } from "../../../services/engine/workflows/Workflows.ts"
import { Tracing } from "../../../services/ports/operations/Tracing.ts"
import { WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { ApiError, DETAILS, invalid, notFound, templatesBusy } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const Warning = Schema.Struct({ field: Schema.String, message: Schema.String })

const fields = {
  id: WorkflowId,
  name: Schema.String,
  status: WorkflowStatus,
  version: Schema.Int.annotate({
    description: "Counts the changes, from 1. Runs stay on the version that they entered."
  }),
  trigger: Trigger,
  steps: Steps,
  reentry: Reentry,
  created_at: Schema.String,
  updated_at: Schema.String
}
const WorkflowView = Schema.Struct(fields).annotate({ identifier: "Workflow" })
const SavedView = Schema.Struct({
  ...fields,
  warnings: Schema.Array(Warning).annotate({
    description: "What its author may have overlooked, such as credentials that its messages need."
  })
}).annotate({ identifier: "SavedWorkflow" })

const show = ({ createdAt, definition, id, status, updatedAt, version }: Workflow): typeof WorkflowView.Type => ({
  id,
  name: definition.name,
  status,
  version,
  trigger: definition.trigger,
  steps: definition.steps,
  reentry: definition.reentry,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt)
})
const showSaved = ({ warnings, workflow }: Saved): typeof SavedView.Type => ({ ...show(workflow), warnings })

const StepView = Schema.Struct({
  step_order: Schema.Int,
  key: Schema.String,
  type: Schema.String,
  entered: Schema.Int,
  passed: Schema.Int,
  stopped: Schema.Int.annotate({ description: "Stopped by a FILTER or THROTTLE, or cancelled there." }),
  failed: Schema.Int,
  waiting: Schema.Int
}).annotate({ identifier: "WorkflowStepStatistics" })
const StatisticsView = Schema.Struct({ version: Schema.Int, steps: Schema.Array(StepView) }).annotate({
  identifier: "WorkflowStatistics"
})

const DryRunView = Schema.Struct({
  status: ExecutionStatus,
  error: Schema.NullOr(Schema.String),
  history: Schema.Array(HistoryView),
  messages: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      content: Schema.NullOr(Content),
      problem: Schema.NullOr(Schema.String).annotate({ description: "Why it cannot be filled." })
    })
  )
}).annotate({ identifier: "WorkflowDryRun" })

const TriggeredView = Schema.Struct({
  executions: Schema.Int.annotate({
    description:
      "Runs that began. Of a described audience: contacts that are looked through now, of whom those enter whom it fits; 10,000 stands for that many or more."
  }),
  execution_id: Schema.NullOr(ExecutionId).annotate({ description: "The run's, when there is one." })
}).annotate({ identifier: "TriggeredWorkflow" })

const showTriggered = ({ executionId, executions }: Triggered): typeof TriggeredView.Type => ({
  executions,
  execution_id: executionId
})

const draft = {
  name: "Welcome",
  trigger: { type: "event", event: "signed_up" },
  steps: [
    { key: "hello", type: "SEND", channels: ["push"], content: { title: "Welcome, {{ data.name }}" } },
    { key: "later", type: "DELAY", seconds: 86_400 },
    {
      key: "quiet",
      type: "FILTER",
      conditions: { steps: [{ key: "hello", is: "opened", not: true }] }
    },
    {
      key: "again",
      type: "SEND",
      channels: ["email"],
      content: { subject: "Still there, {{ data.name }}?", html: "<p>Your first steps are waiting.</p>" }
    }
  ]
} as const
const example = {
  id: ID,
  status: "draft",
  version: 1,
  ...draft,
  reentry: "always",
  created_at: NOW,
  updated_at: NOW
}

const refused = {
  WorkflowInvalid: ({ faults }: WorkflowInvalid) => Effect.fail(invalid(faults.slice(0, DETAILS), faults.length)),
  TemplatesBusy: () => Effect.fail(templatesBusy())
}
const conflict = {
  WorkflowConflict: ({ message }: WorkflowConflict) => Effect.fail(new ApiError("conflict", message))
}

const found = <A>(one: Option.Option<A>) =>
  Option.isSome(one) ? Effect.succeed(one.value) : Effect.fail(notFound("workflow"))

const idOf = (params: Readonly<Record<string, string>>): WorkflowId => params["id"] as WorkflowId

/** Workflows: what happens to people, step by step. */
export const workflowRoutes = Effect.gen(function* () {
  const workflows = yield* Workflows
  const store = yield* WorkflowStore
  const rehearse = yield* makeDryRun
  const tracing = yield* Tracing

  return [
    route({
      method: "POST",
      path: "/api/v1/workflows",
      access: "secret",
      tag: "Workflows",
      summary: "Create a workflow",
      description:
        "A draft: nobody enters it before it is activated. Steps are done one after the other; `stepOrder` counts them from 1, depth first. What is wrong is told whole, each fault with its path.",
      body: { schema: CreateWorkflow, name: "CreateWorkflow", example: draft },
      success: {
        status: 201,
        description: "The workflow is there.",
        schema: SavedView,
        example: { ...example, warnings: [] },
        location: ({ id }) => `/api/v1/workflows/${id}`
      },
      errors: ["validation_error", "rate_limited"],
      handler: ({ body, caller }) =>
        workflows.create(caller.appId, body).pipe(Effect.map(showSaved), Effect.catchTags(refused))
    }),
    route({
      method: "GET",
      path: "/api/v1/workflows",
      access: "secret",
      tag: "Workflows",
      summary: "List workflows",
      query: Schema.Struct({ ...listQuery, status: Schema.optionalKey(WorkflowStatus) }),
      success: {
        status: 200,
        description: "A page of workflows, newest first.",
        schema: pageOf(WorkflowView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("workflows", query, (before, limit) => store.list(caller.appId, query.status ?? null, before, limit), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/workflows/:id",
      access: "secret",
      tag: "Workflows",
      summary: "Read a workflow",
      success: { status: 200, description: "The workflow, in its latest version.", schema: WorkflowView, example },
      errors: ["not_found"],
      handler: ({ caller, params }) => Effect.map(Effect.flatMap(store.find(caller.appId, idOf(params)), found), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/workflows/:id/statistics",
      access: "secret",
      tag: "Workflows",
      summary: "Count runs by step",
      description: "Of the latest version: how many runs came to each step, and what became of them there.",
      success: {
        status: 200,
        description: "The steps in their order.",
        schema: StatisticsView,
        example: {
          version: 1,
          steps: [
            { step_order: 1, key: "hello", type: "SEND", entered: 10, passed: 9, stopped: 0, failed: 0, waiting: 1 }
          ]
        }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const { definition, version, versionId } = yield* found(yield* store.find(caller.appId, idOf(params)))
        const counts = new Map((yield* store.counts(versionId)).map((one) => [one.stepOrder, one]))
        const steps = programOf(definition.steps).places.map(({ step, stepOrder }) => {
          const { entered = 0, failed = 0, passed = 0, stopped = 0 } = counts.get(stepOrder) ?? {}
          const waiting = entered - passed - stopped - failed
          return { step_order: stepOrder, key: step.key, type: step.type, entered, passed, stopped, failed, waiting }
        })
        return { version, steps }
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/workflows/:id",
      access: "secret",
      tag: "Workflows",
      summary: "Change a workflow",
      description:
        "Makes a new version, which those who enter from now on have; whoever is under way stays on theirs. `steps` are replaced whole.",
      body: { schema: UpdateWorkflow, name: "UpdateWorkflow", example: { name: "Welcome back" } },
      success: {
        status: 200,
        description: "The workflow as it is now.",
        schema: SavedView,
        example: { ...example, version: 2, warnings: [] }
      },
      errors: ["validation_error", "not_found", "conflict", "rate_limited"],
      handler: ({ body, caller, params }) =>
        workflows
          .update(caller.appId, idOf(params), body)
          .pipe(Effect.flatMap(found), Effect.map(showSaved), Effect.catchTags({ ...refused, ...conflict }))
    }),
    route({
      method: "DELETE",
      path: "/api/v1/workflows/:id",
      access: "secret",
      tag: "Workflows",
      summary: "Remove a workflow",
      description: "Nobody enters any more, and its runs are cancelled in the background, with the reason `deleted`.",
      success: {
        status: 200,
        description: "The workflow is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* workflows.remove(caller.appId, idOf(params))
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("workflow"))
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/workflows/:id/activate",
      access: "secret",
      tag: "Workflows",
      summary: "Activate a workflow",
      description: "From now on its trigger lets people in. Activating an active one changes nothing.",
      success: {
        status: 200,
        description: "The workflow is active.",
        schema: SavedView,
        example: { ...example, status: "active", warnings: [] }
      },
      errors: ["validation_error", "not_found", "conflict", "rate_limited"],
      handler: ({ caller, params }) =>
        workflows
          .activate(caller.appId, idOf(params))
          .pipe(Effect.flatMap(found), Effect.map(showSaved), Effect.catchTags({ ...refused, ...conflict }))
    }),
    route({
      method: "POST",
      path: "/api/v1/workflows/:id/archive",
      access: "secret",
      tag: "Workflows",
      summary: "Archive a workflow",
      description:
        "Nobody enters any more, and its runs are cancelled in the background, with the reason `archived`. It stays to be looked at.",
      success: {
        status: 200,
        description: "The workflow is archived.",
        schema: WorkflowView,
        example: { ...example, status: "archived" }
      },
      errors: ["not_found"],
      handler: ({ caller, params }) =>
        Effect.map(Effect.flatMap(workflows.archive(caller.appId, idOf(params)), found), show)
    }),
    route({
      method: "POST",
      path: "/api/v1/workflows/:id/trigger",
      access: "secret",
      tag: "Workflows",
      summary: "Let people enter a workflow",
      description:
        "People named by `user_ids` enter at once, and become contacts where they are none. A described audience enters in the background. With an `Idempotency-Key`, a repetition lets nobody in twice. With a sampled `traceparent`, the messages of these runs are traced, however late.",
      body: {
        schema: TriggerWorkflow,
        name: "TriggerWorkflow",
        example: { to: { user_ids: ["customer-17"] }, data: { name: "Ada", order: { total: 120 } } }
      },
      success: {
        status: 202,
        description: "They have entered, or are on their way in.",
        schema: TriggeredView,
        example: { executions: 1, execution_id: ID }
      },
      errors: ["validation_error", "not_found", "conflict"],
      handler: ({ body, caller, params, request, requestId, settle }) =>
        tracing
          .begin(
            request.headers["traceparent"],
            "workflow.trigger",
            { app_id: caller.appId, request_id: requestId, workflow_id: idOf(params) },
            (span) =>
              workflows.trigger(
                caller.appId,
                idOf(params),
                body,
                settle && ((triggered) => settle(showTriggered(triggered))),
                span?.trace ?? null
              )
          )
          .pipe(
            Effect.flatMap(found),
            Effect.map(showTriggered),
            Effect.catchTags({
              ...conflict,
              NoSuchAudience: ({ field, message }: NoSuchAudience) => Effect.fail(invalid([{ field, message }]))
            })
          )
    }),
    route({
      method: "POST",
      path: "/api/v1/workflows/:id/dry-run",
      access: "secret",
      tag: "Workflows",
      summary: "Try a workflow without sending",
      description:
        "Goes through the latest version with a contact, or somebody made up, and shows what each step decides and what messages would say. Nothing is sent, kept or asked; what waits, waits no time.",
      body: {
        schema: RehearseWorkflow,
        name: "RehearseWorkflow",
        example: {
          contact: { attributes: { plan: "pro" } },
          data: { name: "Ada" },
          outcomes: { hello: ["sent", "opened"] }
        }
      },
      success: {
        status: 200,
        description: "What would happen.",
        schema: DryRunView,
        example: {
          status: "filtered",
          error: null,
          history: [{ at: NOW, step_order: 1, outcome: "passed" }],
          messages: [{ key: "hello", content: { title: "Welcome, Ada" }, problem: null }]
        }
      },
      errors: ["validation_error", "not_found", "rate_limited"],
      handler: ({ body, caller, params }) =>
        rehearse(caller.appId, idOf(params), body).pipe(
          Effect.flatMap(found),
          Effect.map(({ error, history, messages, status }) => ({
            status,
            error,
            history: history.map(showStep),
            messages
          })),
          Effect.catchTags({
            TemplatesBusy: () => Effect.fail(templatesBusy()),
            RehearsalInvalid: ({ faults }: RehearsalInvalid) =>
              Effect.fail(invalid(faults.slice(0, DETAILS), faults.length)),
            NoSuchContact: () =>
              Effect.fail(invalid([{ field: "user_id", message: "is no contact of this application" }]))
          })
        )
    })
  ]
})
