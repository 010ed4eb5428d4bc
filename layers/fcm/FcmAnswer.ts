import { isJsonObject, type JsonObject } from "../../services/domain/Json.ts"
import { pauseOf, retryAfterMs, shownLine } from "../../services/domain/sending/Push.ts"
import type { Http2Answer, Http2Failure } from "../../services/ports/outbound/Http2Client.ts"
import type { Settled } from "../../services/ports/sending/Provider.ts"
import { outcomeOfFailure as retryOf } from "../../services/ports/sending/Provider.ts"

/** What FCM's answer asks of the sender (providers.md). */
export type Verdict =
  | { readonly _tag: "Done"; readonly outcome: Settled }
  /** The access token is not accepted: renew it once and send again. */
  | { readonly _tag: "Refresh" }
  /** Said of the token, unless it is said to all: FCM's answer to a payload that it cannot take is the same. */
  | { readonly _tag: "InvalidArgument" }
  /** The token is another project's, unless all are: then the account may be. */
  | { readonly _tag: "SenderMismatch" }

/** Google asks senders to wait so long before a first retry, and so long when it names no time for a quota. */
export const FIRST_RETRY_MS = 10_000
const QUOTA_PAUSE_MS = 60_000
const MESSAGE_ID = 512
/** What only somebody's repair can change is tried again so late, for as long as the message lives. */
const REPAIR_MS = 15 * 60_000
/** FCM cannot sign in to the push service behind it. */
export const THIRD_PARTY = "third_party_auth_error"

const done = (outcome: Settled): Verdict => ({ _tag: "Done", outcome })
const hold = (reason: string): Verdict => done({ _tag: "Suspend", reason })

interface Problem {
  /** The canonical status of Google's APIs, for example NOT_FOUND. */
  readonly status: string | null
  /** FcmError's errorCode, when FCM itself speaks. */
  readonly code: string | null
  /** The fields that BadRequest complains about; null when there is no BadRequest. */
  readonly violations: ReadonlyArray<string> | null
  readonly message: string
}

const objects = (value: unknown): ReadonlyArray<JsonObject> => (Array.isArray(value) ? value.filter(isJsonObject) : [])
const string = (value: unknown): string | null => (typeof value === "string" ? value : null)

const problemOf = (body: string): Problem | null => {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return null
  }
  const error = isJsonObject(parsed) ? parsed["error"] : undefined
  if (!isJsonObject(error)) return null
  const details = objects(error["details"])
  const ofType = (name: string) => details.find((detail) => string(detail["@type"])?.endsWith(name))
  const badRequest = ofType("google.rpc.BadRequest")
  return {
    status: string(error["status"]),
    code: string(ofType("google.firebase.fcm.v1.FcmError")?.["errorCode"]),
    violations:
      badRequest === undefined ? null : objects(badRequest["fieldViolations"]).map((v) => string(v["field"]) ?? ""),
    message: string(error["message"]) ?? ""
  }
}

const nameOf = (body: string): string | null => {
  try {
    const parsed: unknown = JSON.parse(body)
    return isJsonObject(parsed) ? (string(parsed["name"])?.slice(0, MESSAGE_ID) ?? null) : null
  } catch {
    return null
  }
}

/** `now`: epoch milliseconds. */
export const verdictOf = (answer: Http2Answer, now: number): Verdict => {
  if (answer.status === 200) return done({ _tag: "Ok", messageId: nameOf(answer.body) })
  const wait = retryAfterMs(answer.header("retry-after"), now)
  const problem = problemOf(answer.body)
  // FCM's own code says more than the canonical status, which several of its codes share.
  const code = problem?.code ?? problem?.status ?? null
  switch (code) {
    case "UNREGISTERED":
      return done({ _tag: "Drop", reason: "unregistered", seenBefore: null })
    case "INVALID_ARGUMENT":
      return invalidArgument(problem!)
    case "SENDER_ID_MISMATCH":
      return { _tag: "SenderMismatch" }
    case "PERMISSION_DENIED":
      return hold(`FCM denies the service account the permission to send (${shownLine(problem!.message)})`)
    case "THIRD_PARTY_AUTH_ERROR":
      // Only tokens of browsers and of Apple's devices meet it, and whoever registers a device can give one.
      return done({ _tag: "Slow", scope: "recipient", reason: THIRD_PARTY, afterMs: REPAIR_MS })
    case "UNAUTHENTICATED":
      return { _tag: "Refresh" }
    case "QUOTA_EXCEEDED":
    case "RESOURCE_EXHAUSTED":
      return quota(wait)
    case "INTERNAL":
    case "UNAVAILABLE":
      return retry(code.toLowerCase(), wait)
    case "NOT_FOUND":
      return hold("FCM does not know the project: check project_id")
    default:
      return unknown(answer.status, code, wait)
  }
}

const quota = (wait: number | null): Verdict =>
  done({ _tag: "Slow", scope: "project", reason: "quota_exceeded", afterMs: pauseOf(wait, QUOTA_PAUSE_MS) })

const retry = (reason: string, wait: number | null): Verdict =>
  done({ _tag: "Retry", reason, afterMs: Math.max(FIRST_RETRY_MS, wait ?? 0) })

const invalidArgument = ({ code, violations }: Problem): Verdict => {
  if (violations !== null && violations.length > 0) {
    return violations.every((field) => field === "message.token")
      ? done({ _tag: "Drop", reason: "invalid_token", seenBefore: null })
      : done({ _tag: "Fail", reason: "invalid_argument" })
  }
  return code === null ? done({ _tag: "Fail", reason: "invalid_argument" }) : { _tag: "InvalidArgument" }
}

/** A code that is not in Google's table, or a body that is not FCM's: nobody's token is dropped for it. */
const unknown = (status: number, code: string | null, wait: number | null): Verdict => {
  const name = code === null ? `status_${status}` : shownLine(code.toLowerCase())
  if (status >= 500) return retry(name, wait)
  if (status === 429) return quota(wait)
  if (status === 401) return { _tag: "Refresh" }
  if (status === 403) return hold(`FCM refuses the credential (${code === null ? "status 403" : shownLine(code)})`)
  // Not FCM's answer at all: it is the address that is wrong, and with it every message.
  if (status === 404 && code === null) return hold("the endpoint of the FCM credential is not FCM's (status 404)")
  return done({ _tag: "Fail", reason: name })
}

/** No answer came. Google's wait is kept, unless the message was not processed. */
export const outcomeOfFailure = (failure: Http2Failure): Settled =>
  retryOf(failure, failure.unprocessed ? null : FIRST_RETRY_MS)
