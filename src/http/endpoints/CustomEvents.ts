import { Effect, Schema } from "effect"
import { CustomEventId } from "../../../services/domain/Ids.ts"
import { RaiseEvent } from "../../../services/domain/workflows/Workflow.ts"
import { Workflows } from "../../../services/engine/workflows/Workflows.ts"
import { Tracing } from "../../../services/ports/operations/Tracing.ts"
import { ID } from "../docs/Examples.ts"
import { route } from "../pipeline/Route.ts"

const RaisedView = Schema.Struct({ id: CustomEventId }).annotate({ identifier: "RaisedEvent" })

/** Events of applications' own: what workflows begin with, and wait for. */
export const customEventRoutes = Effect.gen(function* () {
  const workflows = yield* Workflows
  const tracing = yield* Tracing

  return [
    route({
      method: "POST",
      path: "/api/v1/events/custom",
      access: "secret",
      tag: "Workflows",
      summary: "Raise an event of your own",
      description:
        "Something that a person did. Workflows with that event as their trigger let the person in, with `data`; runs of the person that wait for it go on. A person who is no contact yet becomes one where a workflow lets them in. With a sampled `traceparent`, the messages of runs that begin by it are traced.",
      body: {
        schema: RaiseEvent,
        name: "RaiseEvent",
        example: { event: "signed_up", user_id: "customer-17", data: { name: "Ada" } }
      },
      success: {
        status: 202,
        description: "The event is kept; what follows from it, follows within a moment.",
        schema: RaisedView,
        example: { id: ID }
      },
      handler: ({ body, caller, request, requestId, settle }) =>
        tracing.begin(
          request.headers["traceparent"],
          "event.raise",
          { app_id: caller.appId, request_id: requestId },
          (span) =>
            Effect.map(
              workflows.raise(caller.appId, body, settle && ((id) => settle({ id })), span?.trace ?? null),
              (id) => ({ id })
            )
        )
    })
  ]
})
