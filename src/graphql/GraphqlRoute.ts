import { Effect, Schema } from "effect"
import { isJsonObject, JsonRecord } from "../../services/domain/Json.ts"
import { Unauthorized } from "../../services/engine/access/Auth.ts"
import { Accounts } from "../../services/engine/people/Accounts.ts"
import { AddressChanges } from "../../services/engine/people/AddressChanges.ts"
import { ExternalSignIns } from "../../services/engine/people/ExternalSignIns.ts"
import { Organizations } from "../../services/engine/people/Organizations.ts"
import { Permissions } from "../../services/engine/people/Permissions.ts"
import { Sessions } from "../../services/engine/people/Sessions.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { PeopleSettings } from "../../services/ports/people/PeopleSettings.ts"
import { OwnershipStore } from "../../services/ports/people/OwnershipStore.ts"
import { ChannelStore } from "../../services/ports/audience/ChannelStore.ts"
import { AuditLog } from "../../services/ports/access/AuditLog.ts"
import { ContactStore } from "../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../services/ports/audience/DeviceStore.ts"
import { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import { NotificationStore } from "../../services/ports/sending/NotificationStore.ts"
import { ApiError, invalid } from "../http/pipeline/ApiError.ts"
import { makeReadingRoom, SMALL } from "../http/pipeline/ReadingRoom.ts"
import { READS_AT_ONCE } from "../http/pipeline/CompiledRoute.ts"
import type { Reply } from "../http/pipeline/Reply.ts"
import type { Route } from "../http/pipeline/Route.ts"
import { route } from "../http/pipeline/Route.ts"
import { ANSWER_BYTES, doneTooLong, lengthOf, permitsOf, tooLong } from "./AnswerSize.ts"
import { inForm, takesEvents } from "./AnswerForm.ts"
import { makeApplicationAccess } from "./ApplicationAccess.ts"
import type { GraphqlCall, GraphqlContext } from "./Context.ts"
import { makeContext } from "./Context.ts"
import type { Prepared } from "./Executor.ts"
import { makeExecutor } from "./Executor.ts"
import { answerOf, defectsOf, graphqlError, persistedQueryNotSupported, refusalBody } from "./GraphqlErrors.ts"
import { makeLiveAnswers } from "./LiveAnswers.ts"
import { BODY_BYTES, KNOWN_BODY_BYTES, QUERY_CHARACTERS } from "./QueryLimits.ts"
import { makePeopleFields } from "./PeopleFields.ts"
import { makeResolvers } from "./Resolvers.ts"
import type { FieldResolvers } from "./Schema.ts"
import { makeSchema } from "./Schema.ts"

const GraphqlBody = Schema.Struct({
  query: Schema.optionalKey(Schema.String),
  variables: Schema.optionalKey(Schema.NullOr(JsonRecord)),
  operationName: Schema.optionalKey(Schema.NullOr(Schema.String)),
  extensions: Schema.optionalKey(Schema.NullOr(JsonRecord))
})
type GraphqlBody = typeof GraphqlBody.Type

/** Clients say more of an operation (its kind, a hash) than there is to know. */
const knownMembers = (body: unknown): unknown =>
  typeof body !== "object" || body === null || Array.isArray(body)
    ? body
    : Object.fromEntries(Object.entries(body).filter(([name]) => name in GraphqlBody.fields))

/** What is executed. A client that sends a hash first adds it to some requests and not to others. */
const executed = (body: unknown): unknown => {
  const known = knownMembers(body)
  if (!isJsonObject(known)) return known
  const { extensions: _, ...rest } = known
  return rest
}

const SIGN_IN =
  "The Authorization header is missing. Send a secret key as `ApiKey sk_…`, or the token of a session as `Bearer …`; without them, there is requestLoginCode and verifyLoginCode, one in a request."

const QUERY_TOO_LONG = new ApiError(
  "payload_too_large",
  `The query is longer than ${QUERY_CHARACTERS} characters. Send values as variables.`
)
const NO_QUERY = invalid([{ field: "query", message: "is required" }])
const NO_EVENTS = new ApiError("validation_error", "A subscription is sent with `Accept: text/event-stream`.")
const NO_STRANGERS_KEY = new ApiError(
  "validation_error",
  "An Idempotency-Key is kept with the application of a secret key, or the account of a session: without either, requests cannot be repeated with it. Leave it out."
)
const NO_KEY = new ApiError("validation_error", "Only a mutation takes an Idempotency-Key: nothing else does any work.")

/** What is taken here is not what REST takes. */
const withSchemes = (reply: Reply): Reply =>
  reply.headers["www-authenticate"] === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, "www-authenticate": "Bearer, ApiKey" } }

/** An answer without texts that are shown once: for repetitions of its request. */
const without = (secrets: ReadonlySet<string>, value: unknown): unknown => {
  if (typeof value === "string") return secrets.has(value) ? null : value
  if (Array.isArray(value)) return value.map((one) => without(secrets, one))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(secrets, one)]))
}

/** POST /api/graphql, over the routes of the REST API's table. */
export const graphqlRoutes = Effect.fnUntraced(function* (table: ReadonlyArray<Route>) {
  const [contacts, devices] = [yield* ContactStore, yield* DeviceStore]
  const stores = {
    channels: yield* ChannelStore,
    contacts,
    devices,
    notifications: yield* NotificationStore
  }
  const applications = makeApplicationAccess(yield* Permissions, yield* OwnershipStore)
  const people = makePeopleFields({
    accounts: yield* Accounts,
    addressChanges: yield* AddressChanges,
    organizations: yield* Organizations,
    sessions: yield* Sessions,
    signIn: yield* SignIn,
    external: yield* ExternalSignIns,
    registration: (yield* PeopleSettings).registration,
    isSecure: (yield* HttpSettings).baseUrl.startsWith("https:")
  })
  const resolvers = makeResolvers({ contacts, devices, log: yield* AuditLog, outbound: yield* OutboundPolicy }, people)
  const executor = makeExecutor(makeSchema(table, resolvers as FieldResolvers))
  const live = yield* makeLiveAnswers
  const room = makeReadingRoom()
  /** Of small queries, each of which takes `SMALL`: large ones do not wait for them, nor they for large ones. */
  const small = makeReadingRoom(READS_AT_ONCE * SMALL)
  /** Of answers that show something once. */
  const shownOnce = new WeakMap<object, ReadonlySet<string>>()

  /** `charge`: for an answer's length. */
  const execute = Effect.fnUntraced(
    function* (
      prepared: Prepared,
      context: GraphqlContext,
      requestId: string,
      charge: (permits: number) => Effect.Effect<void>
    ) {
      const running = executor.execute(prepared, context)
      const result = "then" in running ? yield* Effect.promise(() => running) : running
      for (const defect of defectsOf(result.errors)) {
        yield* Effect.annotateLogs(Effect.logError("A GraphQL answer is not what the schema says", defect.message), {
          request_id: requestId
        })
      }
      const answer = answerOf(result, requestId, context.hasChanged)
      if (answer instanceof ApiError) return yield* Effect.fail(answer)
      const length = lengthOf(answer)
      yield* charge(permitsOf(length ?? ANSWER_BYTES))
      if (length === null) {
        if (context.hasChanged) return doneTooLong(requestId)
        return yield* Effect.fail(answerOf({ errors: [graphqlError(tooLong)] }, requestId, false) as ApiError)
      }
      if (context.secrets.size > 0) shownOnce.set(answer, context.secrets)
      return answer
    },
    (effect, _, context) => Effect.onInterrupt(effect, () => Effect.sync(context.stop))
  )

  const answer = Effect.fnUntraced(function* (call: GraphqlCall) {
    const { extensions, operationName, query, variables } = call.body as GraphqlBody
    if (query === undefined) {
      const isPersisted = extensions?.["persistedQuery"] !== undefined
      return yield* Effect.fail(isPersisted ? persistedQueryNotSupported(call.requestId) : NO_QUERY)
    }
    if (query.length > QUERY_CHARACTERS) return yield* Effect.fail(QUERY_TOO_LONG)
    const isKnown = call.caller !== null || call.person !== null
    const prepared = executor.prepare(
      { query, operationName: operationName || null, variables: variables ?? {} },
      isKnown
    )
    // Before anything is told of the query: strangers get to know nothing of the schema.
    if (!isKnown && !("cost" in prepared)) {
      return yield* call.ended ?? new Unauthorized({ message: SIGN_IN })
    }
    if (!("cost" in prepared)) {
      return yield* Effect.fail(answerOf({ errors: prepared }, call.requestId, false) as ApiError)
    }
    // The request itself was counted at the door.
    yield* call.client.charge(prepared.cost.permits - 1)
    const isLive = prepared.kind === "subscription"
    if (isLive && !takesEvents(call.request.headers["accept"])) return yield* Effect.fail(NO_EVENTS)
    if (!isKnown && call.request.headers["idempotency-key"] !== undefined) {
      return yield* Effect.fail(NO_STRANGERS_KEY)
    }
    // Nobody keeps an answer without end, nor one of a query, which may be long and can be asked for again.
    if (prepared.kind !== "mutation" && call.settle !== null) return yield* Effect.fail(NO_KEY)
    const services = yield* Effect.context<never>()
    const fork = (work: Effect.Effect<unknown, unknown>) => Effect.runForkWith(services)(work as Effect.Effect<unknown>)
    const context = makeContext(call, stores, applications, fork, isLive)
    // What was done is not refused for its answer: whoever has no permits left for it waits with the next request.
    const charge = (permits: number) => Effect.ignore(call.client.charge(Math.max(0, permits - prepared.cost.permits)))
    const owner = call.caller?.appId ?? call.person?.account.id ?? ""
    const { bytes } = prepared.cost
    // What follows asks by and by anyway, and changes are not put off.
    const takesTurn = isKnown && prepared.kind === "query" && bytes < SMALL
    const ask = (isCharged: boolean) => {
      const work = execute(prepared, context, call.requestId, isCharged ? charge : () => Effect.void)
      return takesTurn ? small.hold(owner, SMALL, work) : room.hold(owner, bytes, work)
    }
    return yield* isLive ? live.follow(call, context, ask) : ask(true)
  })

  return [
    route({
      method: "POST",
      path: "/api/graphql",
      access: "people",
      tag: "GraphQL",
      summary: "Ask by GraphQL",
      hasDeadline: true,
      hasEvents: true,
      form: (reply, accept) => inForm(withSchemes(reply), accept, refusalBody),
      body: {
        schema: GraphqlBody,
        unify: knownMembers,
        said: executed,
        limit: BODY_BYTES,
        limitWhenKnown: KNOWN_BODY_BYTES,
        // `variables`, an input and its list may be around a row; what is passed on is looked at once more.
        envelope: 4,
        example: { query: "{ __typename }" }
      },
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
