import { Cause, Context, Effect, identity, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Auth, Forbidden, IdentityUnverified, Unauthorized } from "../../../services/engine/access/Auth.ts"
import { UserId } from "../../../services/domain/audience/Device.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Registry } from "../../../services/ports/operations/Metrics.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { TemplateWaits } from "../../../services/ports/messages/TemplateEngine.ts"
import type { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import type { Admission } from "./Admission.ts"
import { isCounted } from "./Admission.ts"
import {
  ApiError,
  errorBody,
  errorReply,
  internalError,
  invalid,
  notFound,
  STATUS,
  templatesLate,
  unavailable
} from "./ApiError.ts"
import type { BodyError } from "./Body.ts"
import { checkMediaType, parseJson, readBody } from "./Body.ts"
import { CORS } from "./Cors.ts"
import { checkKey, fingerprintOf, once } from "./Idempotency.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"
import { asResponse } from "./Reply.ts"
import type { Call, Client, Route } from "./Route.ts"
import { bodyLimitOf, EXTERNAL_ID, isSignedParam } from "./Route.ts"
import { makeMeter } from "./Meter.ts"
import type { WaitLimiter, Waits } from "./WaitLimiter.ts"
import { waitedTooLong, LATE_TEMPLATES, makeWaits, WAIT_TIMEOUT_MS, waitsOf, within } from "./WaitLimiter.ts"
import { decoder } from "./Validation.ts"

/**
 * The way of a request from the socket to its handler and back, the same for every route of the table: key, path,
 * query, body, handler, answer. It is short because accepting is a hot path: raw bytes, a decoder made once, one fiber,
 * no span and no log line while all goes well.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isUserId = Schema.is(UserId)

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
      return error === LATE_TEMPLATES ? templatesLate() : unavailable()
  }
}

// An outage fails thousands of requests in the same way: one line a second tells as much.
const silentUntil = { database: 0, templates: 0 }
const logOutage = (error: StoreError, requestId: string) =>
  Effect.suspend(() => {
    const at = performance.now()
    const what = error === LATE_TEMPLATES ? "templates" : "database"
    if (at < silentUntil[what]) return Effect.void
    silentUntil[what] = at + 1000
    const said = what === "database" ? "the database does not answer" : "templates wait too long for their turn"
    return Effect.logWarning(`Answered 503: ${said}`, error.operation, error.cause).pipe(
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
    return Result.mapError(decode(values), (error) =>
      // Nothing else says where it is looked for: bodies have fields of the same names.
      error.details.length === 1 && error.details[0]!.message === "is required"
        ? invalid([{ ...error.details[0]!, message: "is required in the query" }])
        : error
    )
  }
}

const idsOf = (
  names: ReadonlyArray<string>,
  params: Readonly<Record<string, string | undefined>>
): Record<string, string> | null => {
  const ids: Record<string, string> = {}
  for (const name of names) {
    const value = params[name]
    if (value === undefined) return null
    if (name === EXTERNAL_ID) {
      if (!isUserId(value)) return null
      ids[name] = value
      continue
    }
    const isSigned = isSignedParam(name)
    if (!(isSigned ? SIGNED : UUID).test(value)) return null
    ids[name] = isSigned ? value : value.toLowerCase()
  }
  return ids
}

const NOTHING = {}

/** Whether the head of a request announces a body: who sends none names no media type either. */
const announcesBody = ({ headers }: Incoming): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

type Decode = ReturnType<typeof decoder>

const decode = (bytes: Buffer, decodeBody: Decode): Result.Result<unknown, ApiError> => {
  const json = parseJson(bytes)
  return Result.isFailure(json) ? json : decodeBody(json.success)
}

/** What the pipeline needs beside the route itself. */
export interface PipelineServices {
  readonly admission: Admission
  readonly auth: Auth["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly bodyLimit: number
  readonly metrics: Registry
  readonly waitLimiter: WaitLimiter
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
  /** For the fast path; null for routes that have ids in their paths, a query, or a stream of a body. */
  readonly fast: FastRoute | null
}

/** A request that was let in. */
export interface Entered {
  readonly work: (read: Buffer | BodyError) => Effect.Effect<Reply>
  /** Begins the wait for the work, which ends with its reply, or with null; `late` gets the one of who waited in vain. */
  readonly wait: (late: (reply: Effect.Effect<Reply>) => void) => (reply: Reply | null) => void
}

/** The same pipeline for those who bring the body themselves. */
export interface FastRoute {
  /** Bytes; longer bodies are the router's to refuse. */
  readonly bodyLimit: number
  /**
   * Lets a request in when there is nothing to wait for: its key was admitted a moment ago, permits are at hand, and its
   * head has nothing wrong or special about it. Answers what makes an answer of the body, once that is there. Null:
   * nothing has happened, and `whole` serves it.
   */
  readonly enter: (request: Incoming, requestId: string) => Entered | null
  readonly whole: (request: Incoming, requestId: string) => Effect.Effect<Reply>
}

const decoderOf = ({ schema, unify }: NonNullable<Route["body"]>): Decode => {
  const decodeForm = decoder(schema)
  return (body) => decodeForm(unify(body))
}

export const compile = (
  route: Route,
  { admission, auth, bodyLimit, idempotency, metrics, waitLimiter }: PipelineServices
): Served => {
  const { access, body, limit, success } = route
  const longest = bodyLimitOf(access, bodyLimit)
  const decodeBody = body === null || body.isStream ? null : decoderOf(body)
  const decodeQuery = route.query === null ? null : queryDecoder(route.query)
  const meter = makeMeter(metrics, route.method, route.path)

  const clientOf = (request: Incoming, headers: Record<string, string>, waits: Waits): Client => ({
    address: () => admission.addressOf(request),
    follow: () =>
      Effect.tapError(within(waits, admission.admitLink(request, headers)), () =>
        Effect.sync(() => {
          if (!isCounted(headers)) admission.pass(headers)
        })
      )
  })

  /** Who asks, counted. */
  const letIn = Effect.fnUntraced(function* (request: Incoming, headers: Record<string, string>) {
    const caller = access === "open" ? null : yield* auth.authenticate(request.headers.authorization, access)
    // What a signed link is worth, its handler sees, and counts it. Broken, it is one more request without a good key.
    if (limit === "none") admission.pass(headers)
    else if (caller === null && limit !== "signed") yield* admission.admitAnonymous(request, headers)
    else if (caller !== null) yield* admission.admit(request, caller, limit === "registration", headers)
    return caller
  })

  const handleRequest = Effect.fnUntraced(function* (
    request: Incoming,
    requestId: string,
    headers: Record<string, string>,
    params: Readonly<Record<string, string | undefined>>,
    search: Readonly<Record<string, unknown>>,
    waits: Waits
  ) {
    const admitted = letIn(request, headers)
    // Supervisors get an answer also where nobody else may wait any more.
    const caller = yield* limit === "none" ? admitted : within(waits, admitted)
    const ids = route.params.length === 0 ? NOTHING : idsOf(route.params, params)
    if (ids === null) return yield* Effect.fail(notFound("resource"))
    const query = decodeQuery === null ? NOTHING : yield* Effect.fromResult(decodeQuery(search))
    const key = route.takesKey ? request.headers["idempotency-key"] : undefined
    const wrongKey = key === undefined ? null : checkKey(key)
    if (wrongKey !== null) return yield* Effect.fail(wrongKey)
    let bytes: Buffer | null = null
    if (body !== null && !(body.isOptional && !announcesBody(request))) {
      const wrongType = checkMediaType(request.headers, body.mediaTypes)
      if (wrongType !== null) return yield* Effect.fail(wrongType)
      if (decodeBody !== null) bytes = yield* readBody(request, longest)
    }
    const json = bytes === null ? null : parseJson(bytes)
    const read = () => {
      if (decodeBody === null) return Result.succeed(undefined)
      return json === null ? decodeBody(NOTHING) : Result.flatMap(json, decodeBody)
    }
    const call = {
      request,
      requestId,
      caller,
      params: ids,
      query,
      body: undefined as unknown,
      settle: null,
      waits,
      client: clientOf(request, headers, waits)
    }
    if (key !== undefined) {
      const kept = once<unknown>({
        store: idempotency,
        wait: route.hasDeadline ? (work) => within(waits, work) : identity,
        claim: { appId: caller!.appId, route: `${route.method} ${route.path}`, key, holder: requestId },
        fingerprint: fingerprintOf(request.url, bytes, json),
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
      return yield* route.hasDeadline ? kept : within(waits, kept)
    }
    call.body = yield* Effect.fromResult(read())
    const work = route.handler(call as Call)
    const value = yield* route.hasDeadline ? work : within(waits, work)
    if (HttpServerResponse.isHttpServerResponse(value)) return HttpServerResponse.setHeaders(value, headers)
    if (success.location !== null) headers["location"] = success.location(value)
    return { status: success.status, body: JSON.stringify(value), headers } satisfies Reply
  })

  /** A request without a good key is counted when it is refused: the way of the others is not made longer by it. */
  const refuse = (
    cause: Cause.Cause<unknown>,
    request: Incoming,
    requestId: string,
    headers: Record<string, string>,
    waits: Waits
  ) => {
    const failure = cause.reasons.find(Cause.isFailReason)?.error as Partial<Forbidden> | undefined
    // Nobody counts who was not waited for.
    if (waitedTooLong(failure) && !isCounted(headers)) admission.pass(headers)
    if (isCounted(headers) || Cause.hasInterruptsOnly(cause)) return answerCause(cause, request, requestId, headers)
    const admitted =
      failure?._tag === "Forbidden"
        ? admission.admitPublic(request, failure.appId!, headers)
        : admission.admitAnonymous(request, headers)
    return Effect.matchCauseEffect(within(waits, admitted), {
      onSuccess: () => answerCause(cause, request, requestId, headers),
      onFailure: (other) => {
        if (!isCounted(headers)) admission.pass(headers)
        return answerCause(other, request, requestId, headers)
      }
    })
  }

  const handler = Effect.contextWith((context: Context.Context<Effect.Services<Handler>>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const { params } = Context.get(context, HttpRouter.RouteContext)
    const search = Context.get(context, HttpServerRequest.ParsedSearchParams)
    const requestId = uuidv7()
    const startedAt = performance.now()
    const headers = headersFor(requestId, access === "public")
    const waits = waitsOf(waitLimiter)
    return Effect.map(
      Effect.catchCause(handleRequest(request, requestId, headers, params, search, waits), (cause) =>
        refuse(cause, request, requestId, headers, waits)
      ),
      (reply) => {
        meter.note(reply.status, startedAt)
        return HttpServerResponse.isHttpServerResponse(reply) ? reply : asResponse(reply)
      }
    )
  })
  const isPlain =
    route.method === "POST" &&
    route.params.length === 0 &&
    route.query === null &&
    decodeBody !== null &&
    !body!.isOptional
  const whole: FastRoute["whole"] = (request, requestId) => {
    const headers = headersFor(requestId, access === "public")
    const startedAt = performance.now()
    const waits = waitsOf(waitLimiter)
    // A handler of a plain route answers a value.
    return Effect.map(
      Effect.catchCause(
        handleRequest(request, requestId, headers, NOTHING, NOTHING, waits) as Effect.Effect<Reply, unknown>,
        (cause) => refuse(cause, request, requestId, headers, waits)
      ),
      (reply) => {
        meter.note(reply.status, startedAt)
        return reply
      }
    )
  }
  const isKeyed = !route.hasDeadline && access !== "open" && (limit === "caller" || limit === "registration")
  const enter: FastRoute["enter"] = (request, requestId) => {
    if (!isKeyed || waitLimiter.isFull || (route.takesKey && request.headers["idempotency-key"] !== undefined))
      return null
    if (checkMediaType(request.headers, body!.mediaTypes) !== null) return null
    const caller = auth.recall(request.headers.authorization, access)
    if (caller === null) return null
    const startedAt = performance.now()
    const headers = headersFor(requestId, access === "public")
    if (!admission.admitNow(request, caller, limit === "registration", headers)) return null
    const handle = (read: Buffer | BodyError): Effect.Effect<Reply, unknown> => {
      const waits = waitsOf(waitLimiter)
      if (read instanceof ApiError) return Effect.fail(read)
      const decoded = decode(read, decodeBody!)
      if (Result.isFailure(decoded)) return Effect.fail(decoded.failure)
      const call = {
        request,
        requestId,
        caller,
        params: NOTHING,
        query: NOTHING,
        body: decoded.success,
        settle: null,
        waits,
        client: clientOf(request, headers, waits)
      }
      return Effect.map(route.handler(call as unknown as Call), (value) => {
        if (success.location !== null) headers["location"] = success.location(value)
        return { status: success.status, body: JSON.stringify(value), headers }
      })
    }
    const note = (reply: Reply) => {
      meter.note(reply.status, startedAt)
      return reply
    }
    const { late, templates } = makeWaits()
    return {
      work: (read) =>
        Effect.map(
          Effect.catchCause(
            Effect.provideService(
              Effect.suspend(() => handle(read)),
              TemplateWaits,
              templates
            ),
            (cause) => answerCause(cause, request, requestId, headers)
          ),
          note
        ),
      wait: (giveUp) => {
        const wait = waitLimiter.begin(WAIT_TIMEOUT_MS, () => {
          const blamed = late()
          giveUp(Effect.map(answerCause(Cause.fail(blamed), request, requestId, headers), note))
          return blamed
        })
        return (reply) => waitLimiter.end(wait, reply !== null && reply.status < 500)
      }
    }
  }
  return { handler, fast: isPlain ? { bodyLimit: longest, enter, whole } : null }
}
