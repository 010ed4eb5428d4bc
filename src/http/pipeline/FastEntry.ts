import { Cause, Effect, Result } from "effect"
import type { Caller } from "../../../services/engine/access/Auth.ts"
import { OtherWaits } from "../../../services/ports/operations/OtherWaits.ts"
import type { Headers } from "./Admission.ts"
import { ApiError } from "./ApiError.ts"
import type { BodyError } from "./Body.ts"
import { checkMediaType, parseJson } from "./Body.ts"
import type { CompiledRoute } from "./CompiledRoute.ts"
import { callOf, formed, NOTHING, replyOf } from "./CompiledRoute.ts"
import type { Incoming } from "./Incoming.ts"
import { withBody } from "./ReadingTurns.ts"
import { answerCause } from "./Refusals.ts"
import type { Reply } from "./Reply.ts"
import { headersFor } from "./Reply.ts"
import type { Call } from "./Route.ts"
import { makeWaits, WAIT_TIMEOUT_MS, waitsOf } from "./WaitLimiter.ts"

/** A request that was let in. */
export interface Entered {
  /** Whose body it is. */
  readonly owner: string
  readonly work: (read: Buffer | BodyError) => Effect.Effect<Reply>
  /** Begins the wait for the work, which ends with its reply, or with null; `late` gets the one of who waited in vain. */
  readonly wait: (late: (reply: Effect.Effect<Reply>) => void) => (reply: Reply | null) => void
}

/** The same pipeline for those who bring the body themselves. */
export interface FastRoute {
  /** Bytes; longer bodies are the router's to refuse. */
  readonly bodyLimit: number
  /** Whoever wants server-sent events of it is the router's as well. */
  readonly hasEvents?: boolean
  /**
   * Lets a request in when there is nothing to wait for: its key was admitted a moment ago, permits are at hand, and its
   * head has nothing wrong or special about it. Answers what makes an answer of the body, once that is there. Null:
   * nothing has happened, and `whole` serves it.
   */
  readonly enter: (request: Incoming, requestId: string) => Entered | null
  readonly whole: (request: Incoming, requestId: string) => Effect.Effect<Reply>
}

/** Lets requests of a plain route in by plain calls: see `FastRoute`. */
export const makeEnter = (compiled: CompiledRoute): FastRoute["enter"] => {
  const { meter, route, services } = compiled
  const { admission, auth, waitLimiter } = services
  const { access, body, hasDeadline, limit, takesKey } = route
  const isRegistration = limit === "registration"
  const isKeyed = !hasDeadline && access !== "open" && (limit === "caller" || isRegistration)
  if (!isKeyed) return () => null
  return (request, requestId) => {
    if (waitLimiter.isFull || (takesKey && request.headers["idempotency-key"] !== undefined)) return null
    if (checkMediaType(request.headers, body!.mediaTypes) !== null) return null
    const caller = auth.recall(request.headers.authorization, access === "people" ? "secret" : access)
    if (caller === null) return null
    const startedAt = performance.now()
    const headers = headersFor(requestId, access === "public")
    if (!admission.admitNow(request, caller, isRegistration, headers)) return null
    const note = (reply: Reply) => {
      meter.note(reply.status, startedAt)
      return formed(route, reply, request)
    }
    const { late, waited } = makeWaits()
    return {
      owner: caller.appId,
      work: (read) =>
        Effect.map(
          Effect.catchCause(
            Effect.provideService(
              Effect.suspend(() => handle(compiled, request, requestId, caller, headers, read)),
              OtherWaits,
              waited
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
}

const handle = (
  compiled: CompiledRoute,
  request: Incoming,
  requestId: string,
  caller: Caller,
  headers: Headers,
  read: Buffer | BodyError
): Effect.Effect<Reply, unknown> => {
  if (read instanceof ApiError) return Effect.fail(read)
  const { decodeBody, route, services } = compiled
  const decoded = () => Result.flatMap(parseJson(read, route.body!.envelope), decodeBody!)
  return withBody(services.largeBodies, caller.appId, read, decoded, (body) =>
    Result.isFailure(body)
      ? Effect.fail(body.failure)
      : handleDecoded(compiled, request, requestId, caller, headers, body.success)
  )
}

const handleDecoded = (
  compiled: CompiledRoute,
  request: Incoming,
  requestId: string,
  caller: Caller,
  headers: Headers,
  body: unknown
): Effect.Effect<Reply, unknown> => {
  const { route, services } = compiled
  const waits = waitsOf(services.waitLimiter)
  const call = callOf(
    compiled,
    request,
    requestId,
    // Sessions are looked at by the other way in, and those who show keys get no cookies.
    { caller, person: null, ended: null },
    NOTHING,
    NOTHING,
    body,
    headers,
    waits,
    []
  )
  return Effect.map(route.handler(call as unknown as Call), (value) => replyOf(route.success, value, headers))
}
