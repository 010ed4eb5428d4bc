import { Cause, Context, Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Auth, Forbidden, IdentityUnverified, Unauthorized } from "../../services/engine/Auth.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { Registry } from "../../services/domain/Metrics.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import type { IdempotencyStore } from "../../services/ports/IdempotencyStore.ts"
import type { Admission } from "./Admission.ts"
import { isCounted } from "./Admission.ts"
import { ApiError, errorBody, errorReply, internalError, invalid, notFound, STATUS, unavailable } from "./ApiError.ts"
import type { BodyError } from "./Body.ts"
import { checkMediaType, parseJson, readBody } from "./Body.ts"
import { CORS } from "./Cors.ts"
import { checkKey, fingerprintOf, once } from "./Idempotency.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"
import { asResponse } from "./Reply.ts"
import type { Call, Route } from "./Route.ts"
import { isSignedParam } from "./Route.ts"
import { makeMeter } from "./Meter.ts"
import { decoder } from "./Validation.ts"

/**
 * The way of a request from the socket to its handler and back, the same for every route of the table: key, path,
 * query, body, handler, answer. It is short because accepting is a hot path: raw bytes, a decoder made once, one fiber,
 * no span and no log line while all goes well.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const SIGNED = /^[A-Za-z0-9_-]{1,4096}$/

/** Headers of any answer to a request. */
export const headersFor = (requestId: string, isPublic: boolean): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  ...(isPublic ? CORS : undefined)
})

/** A refusal of the engine in the words of the API. */
const refusal = (error: ApiError | Unauthorized | Forbidden | IdentityUnverified | StoreError): ApiError => {
  switch (error._tag) {
    case "ApiError":
      return error
    case "Unauthorized":
      return new ApiError("unauthorized", error.message, [], { "www-authenticate": "ApiKey, Public" })
    case "Forbidden":
      return new ApiError("forbidden", error.message)
    case "IdentityUnverified":
      return new ApiError("identity_unverified", error.message)
    case "StoreError":
      return unavailable()
  }
}

// An outage fails thousands of requests in the same way: one line a second tells as much.
let silentUntil = 0
const logOutage = (error: StoreError, requestId: string) =>
  Effect.suspend(() => {
    const at = performance.now()
    if (at < silentUntil) return Effect.void
    silentUntil = at + 1000
    return Effect.logWarning("Answered 503: the database does not answer", error.operation, error.cause).pipe(
      Effect.annotateLogs({ request_id: requestId })
    )
  })

/** What a request was refused with; undefined for a defect. */
const refusalIn = (cause: Cause.Cause<unknown>): ApiError | undefined => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error as Parameters<typeof refusal>[0] | undefined
  return failure === undefined || Cause.hasDies(cause) ? undefined : refusal(failure)
}

/**
 * Turns whatever a request ended with into an answer. What is no refusal is a defect: logged whole under the request's
 * id, of which alone the client learns. An interruption stays one: the client is gone, or the server closes.
 */
export const answerCause = (
  cause: Cause.Cause<unknown>,
  request: Incoming,
  requestId: string,
  headers: Readonly<Record<string, string>>
): Effect.Effect<Reply> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const failure = cause.reasons.find(Cause.isFailReason)?.error as Parameters<typeof refusal>[0] | undefined
  const error = refusalIn(cause)
  if (error === undefined) {
    return Effect.logError("A request failed", cause).pipe(
      Effect.annotateLogs({ request_id: requestId, method: request.method, path: request.url.split("?", 1)[0] }),
      Effect.as(errorReply(internalError(), requestId, headers))
    )
  }
  const reply = errorReply(error, requestId, headers)
  return failure?._tag === "StoreError" ? Effect.as(logOutage(failure, requestId), reply) : Effect.succeed(reply)
}

/**
 * Query values are text; those that the schema wants as whole numbers are read as such. A list is a parameter that is
 * repeated: one alone is a list too.
 */
const queryDecoder = (schema: Schema.ConstraintDecoder<unknown>) => {
  const decode = decoder(schema)
  const { properties = {} } = Schema.toJsonSchemaDocument(schema).schema as {
    properties?: Record<string, { type?: string }>
  }
  const ofType = (type: string) => Object.keys(properties).filter((name) => properties[name]!.type === type)
  const [integers, lists] = [ofType("integer"), ofType("array")]
  return (query: Readonly<Record<string, unknown>>) => {
    const values: Record<string, unknown> = { ...query }
    // As in bodies: a schema lets it through, and text in PostgreSQL cannot hold it.
    const [nul] = Object.entries(values).find(([, value]) => String(value).includes("\0")) ?? []
    if (nul !== undefined) return Result.fail(invalid([{ field: nul, message: "must not contain U+0000" }]))
    for (const name of integers) {
      const value = values[name]
      if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) values[name] = Number(value)
    }
    for (const name of lists) if (typeof values[name] === "string") values[name] = [values[name]]
    return decode(values)
  }
}

const idsOf = (
  names: ReadonlyArray<string>,
  params: Readonly<Record<string, string | undefined>>
): Record<string, string> | null => {
  const ids: Record<string, string> = {}
  for (const name of names) {
    const value = params[name]
    const isSigned = isSignedParam(name)
    if (value === undefined || !(isSigned ? SIGNED : UUID).test(value)) return null
    ids[name] = isSigned ? value : value.toLowerCase()
  }
  return ids
}

const NOTHING = {}

type Decode = ReturnType<typeof decoder>

const decode = (bytes: Buffer, decodeBody: Decode): Result.Result<unknown, ApiError> => {
  const json = parseJson(bytes)
  return Result.isFailure(json) ? json : decodeBody(json.success)
}

/** What the road needs beside the route itself. */
export interface Road {
  readonly admission: Admission
  readonly auth: Auth["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly bodyLimit: number
  readonly metrics: Registry
}

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
>

/** The serving code of a route. */
export interface Served {
  /** For the router. */
  readonly handler: Handler
  /** For the express way; null for routes that have ids in their paths, a query, or a stream of a body. */
  readonly express: ExpressRoad | null
}

/** The same road for those who bring the body themselves. */
export interface ExpressRoad {
  /**
   * Lets a request in when there is nothing to wait for: its key was admitted a moment ago, permits are at hand, and its
   * head has nothing wrong or special about it. Answers what makes an answer of the body, once that is there. Null:
   * nothing has happened, and `whole` serves it.
   */
  readonly enter: (request: Incoming, requestId: string) => ((read: Buffer | BodyError) => Effect.Effect<Reply>) | null
  readonly whole: (request: Incoming, requestId: string) => Effect.Effect<Reply>
}

export const compile = (route: Route, { admission, auth, bodyLimit, idempotency, metrics }: Road): Served => {
  const { access, body, limit, success } = route
  const decodeBody = body === null || body.isStream ? null : decoder(body.schema)
  const decodeQuery = route.query === null ? null : queryDecoder(route.query)
  const meter = makeMeter(metrics, route.method, route.path)

  const travel = Effect.fnUntraced(function* (
    request: Incoming,
    requestId: string,
    headers: Record<string, string>,
    params: Readonly<Record<string, string | undefined>>,
    search: Readonly<Record<string, unknown>>
  ) {
    const caller = access === "open" ? null : yield* auth.authenticate(request.headers.authorization, access)
    // What a signed link is worth, its handler sees. Refused, it is counted like a request without a good key.
    if (limit === "none") admission.pass(headers)
    else if (caller === null && limit !== "signed") yield* admission.admitAnonymous(request, headers)
    else if (caller !== null) yield* admission.admit(request, caller, limit === "registration", headers)
    const ids = route.params.length === 0 ? NOTHING : idsOf(route.params, params)
    if (ids === null) return yield* Effect.fail(notFound("resource"))
    const query = decodeQuery === null ? NOTHING : yield* Effect.fromResult(decodeQuery(search))
    const key = route.takesKey ? request.headers["idempotency-key"] : undefined
    const wrongKey = key === undefined ? null : checkKey(key)
    if (wrongKey !== null) return yield* Effect.fail(wrongKey)
    let bytes: Buffer | null = null
    if (body !== null) {
      const wrongType = checkMediaType(request.headers, body.mediaTypes)
      if (wrongType !== null) return yield* Effect.fail(wrongType)
      if (decodeBody !== null) bytes = yield* readBody(request, bodyLimit)
    }
    const read = () => (decodeBody === null || bytes === null ? Result.succeed(undefined) : decode(bytes, decodeBody))
    const call = { request, requestId, caller, params: ids, query, body: undefined as unknown, settle: null }
    if (key !== undefined) {
      return yield* once<unknown>({
        store: idempotency,
        claim: { appId: caller!.appId, route: `${route.method} ${route.path}`, key, holder: requestId },
        fingerprint: fingerprintOf(request.url, bytes),
        headers,
        work: (settle) =>
          Effect.flatMap(Effect.fromResult(read()), (decoded) =>
            route.handler({ ...call, body: decoded, settle } as unknown as Call)
          ),
        answerOf: (value) => ({
          status: success.status,
          body: JSON.stringify(value),
          location: success.location?.(value) ?? null
        }),
        kept: success.kept,
        refusalOf: (cause) => {
          const error = refusalIn(cause)
          return error === undefined || STATUS[error.code] >= 500
            ? null
            : { status: STATUS[error.code], body: errorBody(error, requestId), location: null }
        }
      })
    }
    call.body = yield* Effect.fromResult(read())
    const value = yield* route.handler(call as Call)
    if (limit === "signed") admission.pass(headers)
    if (HttpServerResponse.isHttpServerResponse(value)) return HttpServerResponse.setHeaders(value, headers)
    if (success.location !== null) headers["location"] = success.location(value)
    return { status: success.status, body: JSON.stringify(value), headers } satisfies Reply
  })

  /** A request without a good key is counted when it is refused: the way of the others is not made longer by it. */
  const refuse = (
    cause: Cause.Cause<unknown>,
    request: Incoming,
    requestId: string,
    headers: Record<string, string>
  ) => {
    if (isCounted(headers) || Cause.hasInterruptsOnly(cause)) return answerCause(cause, request, requestId, headers)
    const failure = cause.reasons.find(Cause.isFailReason)?.error as Partial<Forbidden> | undefined
    const admitted =
      failure?._tag === "Forbidden"
        ? admission.admitPublic(request, failure.appId!, headers)
        : admission.admitAnonymous(request, headers)
    return Effect.matchCauseEffect(admitted, {
      onSuccess: () => answerCause(cause, request, requestId, headers),
      onFailure: (other) => answerCause(other, request, requestId, headers)
    })
  }

  const handler = Effect.contextWith((context: Context.Context<Effect.Services<Handler>>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const { params } = Context.get(context, HttpRouter.RouteContext)
    const search = Context.get(context, HttpServerRequest.ParsedSearchParams)
    const requestId = uuidv7()
    const startedAt = performance.now()
    const headers = headersFor(requestId, access === "public")
    return Effect.map(
      Effect.catchCause(travel(request, requestId, headers, params, search), (cause) =>
        refuse(cause, request, requestId, headers)
      ),
      (reply) => {
        meter.note(reply.status, startedAt)
        return HttpServerResponse.isHttpServerResponse(reply) ? reply : asResponse(reply)
      }
    )
  })
  const isPlain = route.method === "POST" && route.params.length === 0 && route.query === null && decodeBody !== null
  const whole: ExpressRoad["whole"] = (request, requestId) => {
    const headers = headersFor(requestId, access === "public")
    const startedAt = performance.now()
    // A handler of a plain route answers a value.
    return Effect.map(
      Effect.catchCause(
        travel(request, requestId, headers, NOTHING, NOTHING) as Effect.Effect<Reply, unknown>,
        (cause) => refuse(cause, request, requestId, headers)
      ),
      (reply) => {
        meter.note(reply.status, startedAt)
        return reply
      }
    )
  }
  const isKeyed = access !== "open" && (limit === "caller" || limit === "registration")
  const enter: ExpressRoad["enter"] = (request, requestId) => {
    if (!isKeyed || (route.takesKey && request.headers["idempotency-key"] !== undefined)) return null
    if (checkMediaType(request.headers, body!.mediaTypes) !== null) return null
    const caller = auth.recall(request.headers.authorization, access)
    if (caller === null) return null
    const startedAt = performance.now()
    const headers = headersFor(requestId, access === "public")
    if (!admission.admitNow(request, caller, limit === "registration", headers)) return null
    const handle = (read: Buffer | BodyError): Effect.Effect<Reply, unknown> => {
      if (read instanceof ApiError) return Effect.fail(read)
      const decoded = decode(read, decodeBody!)
      if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
      const call = { request, requestId, caller, params: NOTHING, query: NOTHING, body: decoded.success, settle: null }
      return Effect.map(route.handler(call as unknown as Call), (value) => {
        if (success.location !== null) headers["location"] = success.location(value)
        return { status: success.status, body: JSON.stringify(value), headers }
      })
    }
    return (read) =>
      Effect.map(
        Effect.catchCause(
          Effect.suspend(() => handle(read)),
          (cause) => answerCause(cause, request, requestId, headers)
        ),
        (reply) => {
          meter.note(reply.status, startedAt)
          return reply
        }
      )
  }
  return { handler, express: isPlain ? { enter, whole } : null }
}
