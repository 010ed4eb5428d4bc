import { Cause, Effect } from "effect"
import type { Forbidden, IdentityUnverified, Unauthorized } from "../../../services/engine/access/Auth.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { ApiError, errorReply, internalError, templatesLate, turnLate, unavailable } from "./ApiError.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"
import { LATE_TEMPLATES, LATE_TURN } from "./WaitLimiter.ts"

export const withdrawn = (): ApiError =>
  new ApiError(
    "forbidden",
    "What you were allowed to do here was taken away while this request was under way: nothing was changed."
  )

/** A refusal of the engine in the words of the API. */
export const refusal = (error: ApiError | Unauthorized | Forbidden | IdentityUnverified | StoreError): ApiError => {
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
      if (error.withdrawn === true) return withdrawn()
      if (error === LATE_TURN) return turnLate()
      return error === LATE_TEMPLATES ? templatesLate() : unavailable()
  }
}

const DATABASE = { said: "the database does not answer", silentUntil: 0 }
/** What else did not come in time. */
const LATE = new Map([
  [LATE_TEMPLATES, { said: "templates wait too long for their turn", silentUntil: 0 }],
  [LATE_TURN, { said: "long requests wait too long to be read", silentUntil: 0 }]
])

// An outage fails thousands of requests in the same way: one line a second tells as much.
const logOutage = (error: StoreError, requestId: string) =>
  Effect.suspend(() => {
    const at = performance.now()
    const outage = LATE.get(error) ?? DATABASE
    if (at < outage.silentUntil) return Effect.void
    outage.silentUntil = at + 1000
    return Effect.logWarning(`Answered 503: ${outage.said}`, error.operation, error.cause).pipe(
      Effect.annotateLogs({ request_id: requestId })
    )
  })

/** What a request was refused with; undefined for a defect. */
export const refusalIn = (cause: Cause.Cause<unknown>): ApiError | undefined => {
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
  return failure?._tag === "StoreError" && failure.withdrawn !== true
    ? Effect.as(logOutage(failure, requestId), reply)
    : Effect.succeed(reply)
}

/** Answers a request that nobody can count, because the database did not say whose it is. */
export const answerUncountable = (
  failure: StoreError,
  refused: ApiError,
  requestId: string,
  headers: Readonly<Record<string, string>>
): Effect.Effect<Reply> => Effect.as(logOutage(failure, requestId), errorReply(refused, requestId, headers))
