import { Cause, Context, Effect, identity, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Forbidden, Unauthorized } from "../../../services/engine/access/Auth.ts"
import type { KeyClaim } from "../../../services/ports/access/IdempotencyStore.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"
import type { Headers } from "./Admission.ts"
import { isCounted } from "./Admission.ts"
import { ApiError, errorBody, notFound, STATUS } from "./ApiError.ts"
import { checkMediaType, parseJson, readBody } from "./Body.ts"
import type { CompiledRoute, PipelineServices } from "./CompiledRoute.ts"
import { callOf, compileRoute, formed, NOTHING, replyOf } from "./CompiledRoute.ts"
import type { FastRoute } from "./FastEntry.ts"
import { makeEnter } from "./FastEntry.ts"
import { checkKey, fingerprintOf, once } from "./Idempotency.ts"
import type { Incoming } from "./Incoming.ts"
import { idsOf } from "./Parameters.ts"
import { withBody } from "./ReadingTurns.ts"
import { answerCause, answerUncountable, refusalIn } from "./Refusals.ts"
import type { Reply } from "./Reply.ts"
import type { SetCookie } from "./Reply.ts"
import { asResponse, headersFor, withCookies } from "./Reply.ts"
import type { Call, Route } from "./Route.ts"
import type { Waits } from "./WaitLimiter.ts"
import { waitsOf, within } from "./WaitLimiter.ts"
import type { Visitor } from "./Visitor.ts"
import { recognise } from "./Visitor.ts"

/**
 * The way of a request from the socket to its handler and back, the same for every route of the table: key, path,
 * query, body, handler, answer. It is short because accepting is a hot path: raw bytes, a decoder made once, one fiber,
 * no span and no log line while all goes well.
 */

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

export const compile = (route: Route, services: PipelineServices): Served => {
  const compiled = compileRoute(route, services)
  const { bodyLimit, decodeBody } = compiled
  const handler = Effect.contextWith((context: Context.Context<Effect.Services<Handler>>) => {
    const request = Context.get(context, HttpServerRequest.HttpServerRequest)
    const { params } = Context.get(context, HttpRouter.RouteContext)
    const search = Context.get(context, HttpServerRequest.ParsedSearchParams)
    return serve(compiled, request, uuidv7(), params, search, (reply) =>
      HttpServerResponse.isHttpServerResponse(reply) ? reply : asResponse(reply)
    )
  })
  const isPlain =
    route.method === "POST" &&
    route.params.length === 0 &&
    route.query === null &&
    decodeBody !== null &&
    !route.body!.isOptional
  if (!isPlain) return { handler, fast: null }
  const whole: FastRoute["whole"] = (request, requestId) =>
    // A handler of a plain route answers a value.
    serve(compiled, request, requestId, NOTHING, NOTHING, (reply) => reply as Reply)
  return { handler, fast: { bodyLimit, hasEvents: route.hasEvents, enter: makeEnter(compiled), whole } }
}

type Answer = Reply | HttpServerResponse.HttpServerResponse

/** A request from its beginning to its answer. `params`, `search`: as the router found them. */
const serve = <A>(
  compiled: CompiledRoute,
  request: Incoming,
  requestId: string,
  params: Readonly<Record<string, string | undefined>>,
  search: Readonly<Record<string, unknown>>,
  form: (answer: Answer) => A
): Effect.Effect<A> => {
  const startedAt = performance.now()
  const headers = headersFor(requestId, compiled.route.access === "public")
  const waits = waitsOf(compiled.services.waitLimiter)
  const cookies: Array<SetCookie> = []
  return Effect.map(
    Effect.catchCause(handleRequest(compiled, request, requestId, headers, params, search, waits, cookies), (cause) =>
      refuse(compiled, cause, request, requestId, headers, waits)
    ),
    (answer) => {
      compiled.meter.note(answer.status, startedAt)
      const shown = HttpServerResponse.isHttpServerResponse(answer) ? answer : formed(compiled.route, answer, request)
      return form(cookies.length === 0 ? shown : bearing(shown, cookies))
    }
  )
}

const bearing = (answer: Answer, cookies: ReadonlyArray<SetCookie>): Answer =>
  HttpServerResponse.isHttpServerResponse(answer) ? withCookies(answer, cookies) : { ...answer, cookies }

const handleRequest = Effect.fnUntraced(function* (
  compiled: CompiledRoute,
  request: Incoming,
  requestId: string,
  headers: Headers,
  params: Readonly<Record<string, string | undefined>>,
  search: Readonly<Record<string, unknown>>,
  waits: Waits,
  cookies: Array<SetCookie>
) {
  const { decodeQuery, route, services } = compiled
  const admitted = letIn(compiled, request, headers, cookies)
  // Supervisors get an answer also where nobody else may wait any more.
  const visitor = yield* route.limit === "none" ? admitted : within(waits, admitted)
  const ids = route.params.length === 0 ? NOTHING : idsOf(route.params, params)
  if (ids === null) return yield* Effect.fail(notFound("resource"))
  const query = decodeQuery === null ? NOTHING : yield* Effect.fromResult(decodeQuery(search))
  const holder = route.takesKey ? keyHolder(visitor) : null
  const key = holder === null ? undefined : request.headers["idempotency-key"]
  const wrongKey = key === undefined ? null : checkKey(key)
  if (wrongKey !== null) return yield* Effect.fail(wrongKey)
  const bytes = isBodyDue(route, request) ? yield* bytesOf(compiled, request, visitor) : null
  const call = callOf(compiled, request, requestId, visitor, ids, query, undefined, headers, waits, cookies)
  const claim = key === undefined ? null : { appId: holder!, key }
  const read = () => readOf(compiled, call.request.url, bytes, claim !== null)
  const work = (body: ReturnType<typeof read>) => handleBody(compiled, call, claim, body, headers)
  return yield* bytes === null ? work(read()) : withBody(services.largeBodies, ownerOf(visitor), bytes, read, work)
})

const handleBody = Effect.fnUntraced(function* (
  compiled: CompiledRoute,
  call: ReturnType<typeof callOf>,
  claim: Pick<KeyClaim, "appId" | "key"> | null,
  { body, fingerprint }: ReturnType<typeof readOf>,
  headers: Headers
) {
  const { route, services } = compiled
  if (claim !== null) return yield* handleOnce(compiled, { ...claim, fingerprint: fingerprint! }, call, body, headers)
  call.body = yield* Effect.fromResult(body)
  const handled = route.handler(call as Call)
  // Who reads a lot at once has it read by and by, and takes neither connections nor the thread from others meanwhile.
  const work =
    route.method === "GET" && !route.hasDeadline && (call.caller !== null || call.person !== null)
      ? inRoom(services.reads, ownerOf(call), 1)(handled)
      : handled
  const value = yield* route.hasDeadline ? work : within(call.waits, work)
  if (HttpServerResponse.isHttpServerResponse(value))
    return HttpServerResponse.setHeaders(value, { ...headers, ...value.headers })
  return replyOf(route.success, value, headers)
})

/** Who asks, counted. */
const letIn = Effect.fnUntraced(function* (
  { route, services }: CompiledRoute,
  request: Incoming,
  headers: Headers,
  cookies: Array<SetCookie>
) {
  const { access, limit } = route
  const { admission, auth, sessions } = services
  if (access === "people") {
    const visitor = yield* recognise(auth, sessions!, request, cookies)
    if (visitor.caller !== null) yield* admission.admit(request, visitor.caller, false, headers)
    else if (visitor.person !== null) yield* admission.admitPerson(visitor.person.account.id, headers)
    else yield* admission.admitAnonymous(request, headers)
    return visitor
  }
  const caller = access === "open" ? null : yield* auth.authenticate(request.headers.authorization, access)
  // What a signed link is worth, its handler sees, and counts it. Broken, it is one more request without a good key.
  if (limit === "none") admission.pass(headers)
  else if (caller === null && limit !== "signed") yield* admission.admitAnonymous(request, headers)
  else if (caller !== null) yield* admission.admit(request, caller, limit === "registration", headers)
  return { caller, person: null, ended: null }
})

const isBodyDue = ({ body }: Route, request: Incoming): boolean =>
  body !== null && !(body.isOptional && !announcesBody(request))

/** Whether the head of a request announces a body, which may turn out to be empty if it comes in chunks. */
const announcesBody = ({ headers }: Incoming): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** The bytes of a body; null where the handler reads them, and of one that may be left out and is empty. */
const bytesOf = (
  { bodyLimit, decodeBody, knownBodyLimit, route }: CompiledRoute,
  request: Incoming,
  visitor: Visitor
): Effect.Effect<Buffer | null, ApiError | Unauthorized> => {
  const { isOptional, mediaTypes } = route.body!
  const wrongType = checkMediaType(request.headers, mediaTypes)
  // That a body in chunks is empty shows only when it is read, and who sends nothing names no media type.
  if (wrongType !== null && !isOptional) return Effect.fail(wrongType)
  if (decodeBody === null) return Effect.succeed(null)
  const read = readFor(visitor, request, bodyLimit, knownBodyLimit)
  if (!isOptional) return read
  return Effect.flatMap(read, (bytes) => {
    if (bytes.length === 0) return Effect.succeed(null)
    return wrongType === null ? Effect.succeed(bytes) : Effect.fail(wrongType)
  })
}

const readFor = (
  visitor: Visitor,
  request: Incoming,
  limit: number,
  knownLimit: number
): Effect.Effect<Buffer, ApiError | Unauthorized> => {
  const { caller, ended, person } = visitor
  if (caller !== null || person !== null) return readBody(request, knownLimit, ownerOf(visitor))
  const read = readBody(request, limit)
  // A body that was allowed while the session lasted.
  return ended === null ? read : Effect.mapError(read, (error) => (error.code === "payload_too_large" ? ended : error))
}

type Json = ReturnType<typeof parseJson>

/** `json`: null when there was no body. */
const decoded = ({ decodeBody }: CompiledRoute, json: Json | null): Result.Result<unknown, ApiError> => {
  if (decodeBody === null) return Result.succeed(undefined)
  return json === null ? decodeBody(NOTHING) : Result.flatMap(json, decodeBody)
}

/** What a body says, and by what a repetition of the request is known. `bytes`: null when there was no body. */
const readOf = (compiled: CompiledRoute, url: string, bytes: Buffer | null, isKeyed: boolean) => {
  const json = bytes === null ? null : parseJson(bytes, compiled.route.body?.envelope)
  return {
    body: decoded(compiled, json),
    fingerprint: isKeyed
      ? fingerprintOf(url, bytes, json === null ? null : Result.map(json, compiled.route.body!.said))
      : null
  }
}

/** Whose keys of repetitions they are: an application's, or an account's, whose id stands in the application's place. */
const keyHolder = ({ caller, person }: Visitor): AppId | null =>
  caller !== null ? caller.appId : ((person?.account.id ?? null) as string | null as AppId | null)

/** For whom a body or a read is counted. */
const ownerOf = ({ caller, person }: Pick<Visitor, "caller" | "person">): string =>
  caller?.appId ?? person?.account.id ?? ""

/** Does the work of a request with an Idempotency-Key, unless it was done before. */
const handleOnce = (
  compiled: CompiledRoute,
  claim: Pick<KeyClaim, "appId" | "key"> & { readonly fingerprint: Uint8Array },
  call: ReturnType<typeof callOf>,
  body: Result.Result<unknown, ApiError>,
  headers: Headers
) => {
  const { route, services } = compiled
  const { requestId, waits } = call
  const { kept, location, status } = route.success
  const work = once<unknown>({
    store: services.idempotency,
    wait: route.hasDeadline ? (work) => within(waits, work) : identity,
    claim: { appId: claim.appId, key: claim.key, route: `${route.method} ${route.path}`, holder: requestId },
    fingerprint: claim.fingerprint,
    headers,
    work: (settle) =>
      Effect.flatMap(Effect.fromResult(body), (body) => route.handler({ ...call, body, settle } as unknown as Call)),
    answerOf: (value) => ({ status, body: JSON.stringify(value), location: location?.(value) ?? null }),
    kept,
    bounded: services.keptAnswers.bounded,
    refusalOf: (cause) => {
      const error = refusalIn(cause)
      return error === undefined || STATUS[error.code] >= 500 || error.asksAgain
        ? null
        : { status: STATUS[error.code], body: errorBody(error, requestId), location: null }
    }
  })
  return route.hasDeadline ? work : within(waits, work)
}

/** A request without a good key is counted when it is refused: the way of the others is not made longer by it. */
const refuse = (
  { route: { limit }, services: { admission } }: CompiledRoute,
  cause: Cause.Cause<unknown>,
  request: Incoming,
  requestId: string,
  headers: Headers,
  waits: Waits
): Effect.Effect<Reply> => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error as Partial<Forbidden | StoreError> | undefined
  const closed = () => admission.refuse(request, limit === "registration", headers)
  // The database did not say whose the key is, so that nobody can count it.
  if (failure?._tag === "StoreError" && !isCounted(headers)) {
    return answerUncountable(failure as StoreError, closed(), requestId, headers)
  }
  if (isCounted(headers) || Cause.hasInterruptsOnly(cause)) return answerCause(cause, request, requestId, headers)
  const admitted =
    failure?._tag === "Forbidden"
      ? admission.admitPublic(request, failure.appId!, headers)
      : admission.admitAnonymous(request, headers)
  return Effect.matchCauseEffect(within(waits, admitted), {
    onSuccess: () => answerCause(cause, request, requestId, headers),
    onFailure: (other) => {
      const late = other.reasons.find(Cause.isFailReason)?.error
      return late?._tag === "StoreError"
        ? answerUncountable(late, closed(), requestId, headers)
        : answerCause(other, request, requestId, headers)
    }
  })
}
