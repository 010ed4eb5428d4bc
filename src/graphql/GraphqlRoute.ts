import { Effect, Schema } from "effect"
import { JsonRecord } from "../../services/domain/Json.ts"
import { ChannelStore } from "../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../services/ports/audience/DeviceStore.ts"
import { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import { NotificationStore } from "../../services/ports/sending/NotificationStore.ts"
import { ApiError } from "../http/pipeline/ApiError.ts"
import type { Call, Route } from "../http/pipeline/Route.ts"
import { route } from "../http/pipeline/Route.ts"
import type { GraphqlContext } from "./Context.ts"
import { makeContext } from "./Context.ts"
import type { Prepared } from "./Execution.ts"
import { makeExecutor } from "./Execution.ts"
import { answerOf, defectsOf, refusalBody } from "./GraphqlErrors.ts"
import { BODY_BYTES } from "./QueryLimits.ts"
import { makeResolvers } from "./Resolvers.ts"
import type { FieldResolvers } from "./Schema.ts"
import { makeSchema } from "./Schema.ts"

const GraphqlBody = Schema.Struct({
  query: Schema.String,
  variables: Schema.optionalKey(Schema.NullOr(JsonRecord)),
  operationName: Schema.optionalKey(Schema.NullOr(Schema.String)),
  extensions: Schema.optionalKey(Schema.NullOr(JsonRecord))
})
type GraphqlBody = typeof GraphqlBody.Type

/** An answer without texts that are shown once: for repetitions of its request. */
const without = (secrets: ReadonlySet<string>, value: unknown): unknown => {
  if (typeof value === "string") return secrets.has(value) ? null : value
  if (Array.isArray(value)) return value.map((one) => without(secrets, one))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(secrets, one)]))
}

/** POST /api/graphql, over the routes of the REST API's table. */
export const graphqlRoutes = Effect.fnUntraced(function* (table: ReadonlyArray<Route>) {
  const devices = yield* DeviceStore
  const stores = {
    channels: yield* ChannelStore,
    contacts: yield* ContactStore,
    devices,
    notifications: yield* NotificationStore
  }
  const resolvers = makeResolvers({ devices, outbound: yield* OutboundPolicy })
  const executor = makeExecutor(makeSchema(table, resolvers as FieldResolvers))
  /** Of answers that show something once. */
  const shownOnce = new WeakMap<object, ReadonlySet<string>>()

  const execute = (prepared: Prepared, context: GraphqlContext, requestId: string) =>
    Effect.gen(function* () {
      const running = executor.execute(prepared, context)
      const result = "then" in running ? yield* Effect.promise(() => running) : running
      for (const defect of defectsOf(result.errors)) {
        yield* Effect.annotateLogs(Effect.logError("A GraphQL answer is not what the schema says", defect.message), {
          request_id: requestId
        })
      }
      const answer = answerOf(result, requestId)
      if (answer instanceof ApiError) return yield* Effect.fail(answer)
      if (context.secrets.size > 0) shownOnce.set(answer, context.secrets)
      return answer
    }).pipe(Effect.onInterrupt(() => Effect.sync(context.stop)))

  const answer = Effect.fnUntraced(function* (call: Call) {
    const { operationName = null, query, variables } = call.body as GraphqlBody
    const prepared = executor.prepare({ query, operationName, variables: variables ?? {} }, true)
    if (!("cost" in prepared)) {
      return yield* Effect.fail(answerOf({ errors: prepared }, call.requestId) as ApiError)
    }
    // The request itself was counted at the door.
    yield* call.client.charge(prepared.cost.permits - 1)
    if (prepared.kind === "subscription") {
      return yield* Effect.fail(
        new ApiError("validation_error", "A subscription is sent with `Accept: text/event-stream`.")
      )
    }
    const services = yield* Effect.context<never>()
    const context = makeContext(call, stores, (work) => Effect.runForkWith(services)(work as Effect.Effect<unknown>))
    return yield* execute(prepared, context, call.requestId)
  })

  return [
    route({
      method: "POST",
      path: "/api/graphql",
      access: "secret",
      tag: "GraphQL",
      summary: "Ask by GraphQL",
      hasDeadline: true,
      hasEvents: true,
      refusalBody,
      body: { schema: GraphqlBody, limit: BODY_BYTES, example: { query: "{ __typename }" } },
      success: {
        status: 200,
        description: "What was asked for.",
        schema: Schema.Unknown,
        example: { data: { __typename: "Query" } },
        kept: (value) => {
          const secrets = shownOnce.get(value as object)
          return secrets === undefined ? value : without(secrets, value)
        }
      },
      errors: ["validation_error", "not_found", "conflict", "internal_error", "unavailable"],
      handler: answer as never
    })
  ]
})
