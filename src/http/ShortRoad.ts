import { Cause, Context, Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Auth, Forbidden, IdentityUnverified, Unauthorized } from "../../services/engine/Auth.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import type { IdempotencyStore } from "../../services/ports/IdempotencyStore.ts"
import { ApiError, errorBody, errorResponse, internalError, notFound, STATUS, unavailable } from "./ApiError.ts"
import { checkMediaType, parseJson, readBody } from "./Body.ts"
import { CORS } from "./Cors.ts"
import { checkKey, fingerprintOf, once } from "./Idempotency.ts"
import type { Call, Route } from "./Route.ts"
import { decoder } from "./Validation.ts"

/**
 * The way of a request from the socket to its handler and back, the same for every route of the table: key, path,
 * query, body, handler, answer. It is short because accepting is a hot path: raw bytes, a decoder made once, one fiber,
 * no span and no log line while all goes well.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

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
    const now = Date.now()
    if (now < silentUntil) return Effect.void
    silentUntil = now + 1000
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
  request: HttpServerRequest.HttpServerRequest,
  requestId: string,
  headers: Readonly<Record<string, string>>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const failure = cause.reasons.find(Cause.isFailReason)?.error as Parameters<typeof refusal>[0] | undefined
  const error = refusalIn(cause)
  if (error === undefined) {
    return Effect.logError("A request failed", cause).pipe(
      Effect.annotateLogs({ request_id: requestId, method: request.method, path: request.url.split("?", 1)[0] }),
      Effect.as(errorResponse(internalError(), requestId, headers))
    )
  }
  const response = errorResponse(error, requestId, headers)
  return failure?._tag === "StoreError" ? Effect.as(logOutage(failure, requestId), response) : Effect.succeed(response)
}

/** Query values are text; those that the schema wants as whole numbers are read as such. */
const queryDecoder = (schema: Schema.ConstraintDecoder<unknown>) => {
  const decode = decoder(schema)
  const { properties = {} } = Schema.toJsonSchemaDocument(schema).schema as {
    properties?: Record<string, { type?: string }>
  }
  const integers = Object.keys(properties).filter((name) => properties[name]!.type === "integer")
  return (query: Readonly<Record<string, unknown>>) => {
    const values: Record<string, unknown> = { ...query }
    for (const name of integers) {
      const value = values[name]
      if (typeof value === "string" && /^-?\d{1,15}$/.test(value)) values[name] = Number(value)
    }
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
    if (value === undefined || !UUID.test(value)) return null
    ids[name] = value.toLowerCase()
  }
  return ids
}

const NOTHING = {}

/** What the road needs beside the route itself. */
export interface Road {
  readonly auth: Auth["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly bodyLimit: number
}

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
>

/** The serving code of a route. */
export const compile = (route: Route, { auth, bodyLimit, idempotency }: Road): Handler => {
  const { access, body, success } = route
  const decodeBody = body === null || body.isStream ? null : decoder(body.schema)
  const decodeQuery = route.query === null ? null : queryDecoder(route.query)

  const travel = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    requestId: string,
    headers: Record<string, string>,
    params: Readonly<Record<string, string | undefined>>,
    search: Readonly<Record<string, unknown>>
  ) {
    const caller = access === "open" ? null : yield* auth.authenticate(request.headers.authorization, access)
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
    const read = () =>
      decodeBody === null || bytes === null
        ? Result.succeed(undefined)
        : Result.flatMap<unknown, ApiError, unknown, ApiError>(parseJson(bytes), decodeBody)
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
    if (HttpServerResponse.isHttpServerResponse(value)) return HttpServerResponse.setHeaders(value, headers)
    if (success.location !== null) headers["location"] = success.location(value)
    return HttpServerResponse.text(JSON.stringify(value), {
      status: success.status,
      contentType: "application/json",
      headers
    })
  })

  return Effect.contextWith((context: Context.Context<Effect.Services<Handler>>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const { params } = Context.get(context, HttpRouter.RouteContext)
    const search = Context.get(context, HttpServerRequest.ParsedSearchParams)
    const requestId = uuidv7()
    const headers = headersFor(requestId, access === "public")
    return Effect.catchCause(travel(request, requestId, headers, params, search), (cause) =>
      answerCause(cause, request, requestId, headers)
    )
  })
}
