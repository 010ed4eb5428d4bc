import type { Cause } from "effect"
import { Cause as Causes } from "effect"
import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from "graphql"
import { GraphQLError } from "graphql"
import type { Detail, ErrorCode } from "../http/pipeline/ApiError.ts"
import { ApiError, internalError, invalid, STATUS, unavailable } from "../http/pipeline/ApiError.ts"
import { refusalIn } from "../http/pipeline/Refusals.ts"

/*
 * Errors carry the codes of the REST API in `extensions.code`, and what else its errors say: `details`, which name
 * fields, and `requestId`. An answer of which every field was refused, and nothing was changed, has the status that REST
 * would have answered its first error with, and says that error in REST's form as well; any other has 200.
 */

interface Extensions {
  readonly code: ErrorCode
  readonly details: ReadonlyArray<Detail>
  /** Seconds. */
  readonly retryAfter?: number
}

/** A refusal of the API, for a resolver to throw. */
export const graphqlError = ({ code, details, headers, message }: ApiError): GraphQLError => {
  const retryAfter = headers["retry-after"]
  const extensions: Extensions = {
    code,
    details,
    ...(retryAfter === undefined ? undefined : { retryAfter: Number(retryAfter) })
  }
  return new GraphQLError(message, { extensions: { ...extensions } })
}

/** What a failed effect is to be answered with; null for a defect, of which clients learn nothing. */
export const refusalOf = (cause: Cause.Cause<unknown>): ApiError | null =>
  Causes.hasInterruptsOnly(cause) ? unavailable() : (refusalIn(cause) ?? null)

/** Names in a request may be long. */
const LONGEST = 500
const shortened = (message: string): string => (message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message)

/** `Variable "$input" has invalid value at .url: …` names a field by its place. */
const VARIABLE = /^Variable "\$(\w+)" has invalid value(?: at ((?:\.\w+|\[\d+\])+))?: (.*)$/s
const ARGUMENT = /^Argument "(?:[\w.]*\.)?(\w+)(?:\([^)]*\))?"/

/** What graphql-js says of a value, in the words of the REST API; what was sent, which may be a secret, is not repeated. */
const mistakeIn = (said: string): { readonly field: string; readonly message: string } => {
  const [, missing] = /to include required field "(\w+)"/.exec(said) ?? []
  if (missing !== undefined) return { field: `.${missing}`, message: "is required" }
  const [, unknown] = /not to include unknown field "(\w+)"/.exec(said) ?? []
  if (unknown !== undefined) return { field: `.${unknown}`, message: "is not a known field" }
  const [, scalar] = /^(String|Int|Float|Boolean|ID) cannot represent/.exec(said) ?? []
  if (scalar !== undefined) return { field: "", message: `must be of the type ${scalar}` }
  const [, choice] = /(?:does not exist in|^Enum) "(\w+)"/.exec(said) ?? []
  if (choice !== undefined) return { field: "", message: `must be a value of ${choice}` }
  return { field: "", message: said.replace(/,? found: .*$/s, "") }
}

const detailsOf = (message: string): ReadonlyArray<Detail> => {
  const [, variable, path = "", said] = VARIABLE.exec(message) ?? []
  if (variable !== undefined) {
    const mistake = mistakeIn(said!)
    return [{ field: `${variable}${path}${mistake.field}`, message: mistake.message }]
  }
  const [, argument] = ARGUMENT.exec(message) ?? []
  return argument === undefined ? [] : [{ field: argument, message: mistakeIn(message).message }]
}

/** What graphql-js says of a request is a validation error; what it says of our own answers is a defect. */
const isOfRequest = (error: GraphQLError): boolean => error.path === undefined || ARGUMENT.test(error.message)

/** Whether a resolver refused on purpose. */
const isRefusal = ({ extensions }: GraphQLError): boolean =>
  typeof extensions["code"] === "string" && extensions["code"] in STATUS

const extensionsOf = (error: GraphQLError): Extensions => {
  if (isRefusal(error)) return error.extensions as unknown as Extensions
  if (isOfRequest(error)) return { code: "validation_error", details: detailsOf(shortened(error.message)) }
  return { code: "internal_error", details: [] }
}

const messageOf = (error: GraphQLError, { code, details }: Extensions): string => {
  if (isRefusal(error)) return error.message
  if (code === "internal_error") return internalError().message
  return details.length > 0 ? invalid(details).message : shortened(error.message.replace(/,? found: .*$/s, "."))
}

const formatted = (error: GraphQLError, requestId: string): GraphQLFormattedError => {
  const extensions = extensionsOf(error)
  const { code, details, retryAfter } = extensions
  return {
    message: messageOf(error, extensions),
    ...(error.locations === undefined ? undefined : { locations: error.locations }),
    ...(error.path === undefined ? undefined : { path: error.path }),
    extensions: { code, details, requestId, ...(retryAfter === undefined ? undefined : { retryAfter }) }
  }
}

/** Errors that no resolver threw on purpose: somebody has to look at them. */
export const defectsOf = (errors: ReadonlyArray<GraphQLError> | undefined): ReadonlyArray<GraphQLError> =>
  (errors ?? []).filter((error) => !isRefusal(error) && !isOfRequest(error))

/** Whether any field of the operation was answered; null may be an answer. */
const isAnswered = ({ data, errors = [] }: ExecutionResult): boolean => {
  if (data === null || data === undefined) return false
  const refused = new Set(errors.map(({ path }) => path?.[0]))
  return Object.keys(data).some((name) => data[name] !== null || !refused.has(name))
}

/**
 * What a request comes to: an answer, or a refusal that says the same in both forms. `hasChanged`: a field of a mutation
 * did its work. Where it has no data because of another field, it is no refusal all the same: whoever repeats those would
 * do the work twice.
 */
export const answerOf = (
  result: ExecutionResult,
  requestId: string,
  hasChanged: boolean
): FormattedExecutionResult | ApiError => {
  const { data, errors } = result
  if (errors === undefined || errors.length === 0) return { data: data ?? null }
  const shown = errors.map((error) => formatted(error, requestId))
  const body = data === undefined ? { errors: shown } : { data, errors: shown }
  if (isAnswered(result) || hasChanged) return body
  const { code, details, retryAfter } = shown[0]!.extensions as unknown as Extensions
  return new ApiError(
    code,
    shown[0]!.message,
    details,
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
    body
  )
}

/** The words by which clients that send the hash of a query first know that it has to be sent whole. */
export const persistedQueryNotSupported = (requestId: string): ApiError => {
  const message = "PersistedQueryNotSupported"
  const extensions = { code: "PERSISTED_QUERY_NOT_SUPPORTED", details: [], requestId }
  return new ApiError("validation_error", message, [], {}, { errors: [{ message, extensions }] }, true)
}

/** The same for what refused a request before it came to GraphQL; `wasRead`: it had come to it. */
export const refusalBody = (body: string): { readonly body: string; readonly wasRead: boolean } => {
  const refusal = JSON.parse(body) as {
    readonly error: { readonly code: string; readonly message: string; readonly request_id: string } & {
      readonly details: ReadonlyArray<Detail>
    }
    readonly errors?: unknown
  }
  if (refusal.errors !== undefined) return { body, wasRead: true }
  const { code, details, message, request_id: requestId } = refusal.error
  const errors = [{ message, extensions: { code, details, requestId } }]
  return { body: JSON.stringify({ ...refusal, errors }), wasRead: false }
}
