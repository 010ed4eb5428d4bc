import { Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { RUNNING } from "../../../services/ports/operations/TooManyRunning.ts"
import type { Reply } from "./Reply.ts"
import { asResponse } from "./Reply.ts"

/** Every error code of the API with its status. One table: answers, documentation and tests read it. */
export const STATUS = {
  validation_error: 400,
  unauthorized: 401,
  identity_unverified: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  transfer_ownership_first: 409,
  organization_has_payments: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  rate_limiter_unavailable: 503
} as const
export type ErrorCode = keyof typeof STATUS

/** What is wrong with one field: a dotted path such as `to.device_ids[3]`, and a sentence that continues it. */
export interface Detail {
  readonly field: string
  readonly message: string
  /** The place in a text of several lines, from 1. */
  readonly line?: number
  readonly column?: number
}

const wellFormed = (detail: Detail): Detail =>
  detail.field.isWellFormed() && detail.message.isWellFormed()
    ? detail
    : { ...detail, field: detail.field.toWellFormed(), message: detail.message.toWellFormed() }

/** An answer that is no success. It is a value, not an Error: it costs no stack trace. */
export class ApiError<C extends ErrorCode = ErrorCode> {
  readonly _tag = "ApiError"
  readonly code: C
  /** A sentence for the client's developer: what is wrong, and what to do about it. */
  readonly message: string
  readonly details: ReadonlyArray<Detail>
  readonly headers: Readonly<Record<string, string>>
  /** What the body says beside `error`. */
  readonly beside: Readonly<Record<string, unknown>>
  /** Asks for the same request in another form: an Idempotency-Key is not used up by it. */
  readonly asksAgain: boolean

  constructor(
    code: C,
    message: string,
    details: ReadonlyArray<Detail> = [],
    headers: Readonly<Record<string, string>> = {},
    beside: Readonly<Record<string, unknown>> = {},
    asksAgain = false
  ) {
    this.code = code
    // Names that a client sent are quoted, and cut: half of a surrogate pair is no text to strict readers of JSON.
    this.message = message.toWellFormed()
    this.details = details.map(wellFormed)
    this.headers = headers
    this.beside = beside
    this.asksAgain = asksAgain
  }
}

/** Details in one answer, at most: a list of 10,000 wrong ids needs no 10,000 sentences. */
export const DETAILS = 20

/**
 * A validation_error for these fields. Its message names the first, for those who read nothing else, and how many there
 * are beside it: at least, where nobody looked for all (`isCut`).
 */
export const invalid = (
  details: ReadonlyArray<Detail>,
  total = details.length,
  isCut = false
): ApiError<"validation_error"> => {
  const [first] = details
  const more = total > 1 ? ` (and ${isCut ? "at least " : ""}${total - 1} more)` : ""
  return new ApiError(
    "validation_error",
    first === undefined
      ? "The request is not valid."
      : `The request is not valid: ${first.field} ${first.message.replace(/\.$/, "")}${more}.`,
    details.slice(0, DETAILS)
  )
}

export const notFound = (what: string): ApiError<"not_found"> =>
  new ApiError("not_found", `There is no ${what} with this id in the application.`)

export const unavailable = (): ApiError<"unavailable"> =>
  new ApiError("unavailable", "The service cannot do this at the moment. Try again after Retry-After seconds.", [], {
    "retry-after": "2"
  })

/** A request waited in vain for a template to be read or filled; the database is well. */
export const templatesLate = (): ApiError<"unavailable"> =>
  new ApiError(
    "unavailable",
    "Templates wait too long for their turn at the moment. Try again after Retry-After seconds.",
    [],
    { "retry-after": "2" }
  )

/** A long request waited in vain to be read; the database is well. */
export const turnLate = (): ApiError<"unavailable"> =>
  new ApiError(
    "unavailable",
    "Many long requests wait to be read at the moment. Try again after Retry-After seconds, with fewer at once.",
    [],
    { "retry-after": "2" }
  )

/** The application tries out more templates at once than it has turns for. Others are served. */
export const templatesBusy = (): ApiError<"rate_limited"> =>
  new ApiError(
    "rate_limited",
    "The application tries out too many templates at once, or some that take long to read. Try again after Retry-After seconds.",
    [],
    { "retry-after": "2" }
  )

/** The application has as many of them running as it may have. Others' go on. */
export const tooManyRunning = (what: "replays" | "redeliveries"): ApiError<"rate_limited"> =>
  new ApiError(
    "rate_limited",
    `The application has ${RUNNING} ${what} running already. Try again when one of them has completed.`,
    [],
    { "retry-after": "2" }
  )

export const internalError = (): ApiError<"internal_error"> =>
  new ApiError("internal_error", "Something went wrong on our side. Give the request_id when you report it.")

/** The body of every error. */
export const ErrorBody = Schema.Struct({
  error: Schema.Struct({
    code: Schema.Literals(Object.keys(STATUS) as Array<ErrorCode>),
    message: Schema.String,
    details: Schema.Array(
      Schema.Struct({
        field: Schema.String,
        message: Schema.String,
        line: Schema.optionalKey(Schema.Int),
        column: Schema.optionalKey(Schema.Int)
      })
    ),
    request_id: Schema.String
  })
}).annotate({ identifier: "Error" })

export const errorBody = ({ beside, code, message, details }: ApiError, requestId: string): string =>
  JSON.stringify({ error: { code, message, details, request_id: requestId }, ...beside })

/** An error as an answer. `headers` are those that any answer to the request carries. */
export const errorReply = (error: ApiError, requestId: string, headers: Readonly<Record<string, string>>): Reply => ({
  status: STATUS[error.code],
  body: errorBody(error, requestId),
  headers: { ...headers, ...error.headers }
})

export const errorResponse = (
  error: ApiError,
  requestId: string,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => asResponse(errorReply(error, requestId, headers))
