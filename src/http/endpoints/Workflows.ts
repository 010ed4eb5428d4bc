import { Effect, Option, Schema } from "effect"
import { WorkflowId } from "../../../services/domain/Ids.ts"
import { programOf } from "../../../services/domain/workflows/Program.ts"
import {
  CreateWorkflow,
  RehearseWorkflow,
  TriggerWorkflow,
  UpdateWorkflow,
  WorkflowStatus
} from "../../../services/domain/workflows/Workflow.ts"
import type { WorkflowInvalid } from "../../../services/engine/workflows/Drafting.ts"
import type { NoSuchAudience, WorkflowConflict } from "../../../services/engine/workflows/Workflows.ts"
import type { RehearsalInvalid } from "../../../services/engine/workflows/DryRun.ts"
import { makeDryRun } from "../../../services/engine/workflows/DryRun.ts"
import { showStep } from "./Executions.ts"
import { Workflows } from "../../../services/engine/workflows/Workflows.ts"
import { Tracing } from "../../../services/ports/operations/Tracing.ts"
import { WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { ApiError, DETAILS, invalid, notFound, templatesBusy } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"
import {
  draft,
  DryRunView,
  example,
  SavedView,
  show,
  showSaved,
  showTriggered,
  showVersion,
  showWholeVersion,
  StatisticsView,
  TriggeredView,
  versionExample,
  VersionView,
  WholeVersionView,
  WorkflowView
} from "./WorkflowViews.ts"

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
      method: "GET",
      path: "/api/v1/workflows/:id/versions",
      access: "secret",
      tag: "Workflows",
      summary: "List the versions of a workflow",
      description: "Who made each of them, and how many runs are still under way on it. None is ever changed.",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of versions, newest first.",
        schema: pageOf(VersionView),
        example: { data: [versionExample], next_cursor: null }
      },
      errors: ["validation_error", "not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        yield* found(yield* store.find(caller.appId, idOf(params)))
        return yield* page(
          "workflow-versions",
          query,
          (before, limit) => store.versions(caller.appId, idOf(params), before, limit),
          showVersion
        )
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/workflows/:id/version",
      access: "secret",
      tag: "Workflows",
      summary: "Read a version of a workflow",
      description:
        "What an earlier version says, to look at or to make the next one of. Values of headers are masked; those that the latest version does not have have to be given anew.",
      query: Schema.Struct({
        version: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })).annotate({
            description: "Its number. Left out: the latest."
          })
        )
      }),
      success: {
        status: 200,
        description: "The version.",
        schema: WholeVersionView,
        example: { ...versionExample, trigger: draft.trigger, steps: draft.steps, reentry: "always" }
      },
      errors: ["validation_error", "not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        const version = yield* store.pastVersion(caller.appId, idOf(params), query.version ?? null)
        return Option.isSome(version) ? showWholeVersion(version.value) : yield* Effect.fail(notFound("version"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/workflows/:id",
      access: "secret",
      tag: "Workflows",
      summary: "Change a workflow",
      description:
        "Makes a new version, which those who enter from now on have; whoever is under way stays on theirs. `steps` are replaced whole. With a `version`, a change that others have made since is not written over.",
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
