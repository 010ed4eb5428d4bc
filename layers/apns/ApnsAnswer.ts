import { isJsonObject } from "../../services/domain/Json.ts"
import { pauseOf, retryAfterMs, shownLine } from "../../services/domain/sending/Push.ts"
import type { Http2Answer } from "../../services/ports/outbound/Http2Client.ts"
import type { Settled } from "../../services/ports/sending/Provider.ts"

/** What APNs' answer asks of the sender (providers.md). */
export type Verdict =
  /** `renew`: this connection is of no more use. */
  | { readonly _tag: "Done"; readonly outcome: Settled; readonly renew: boolean }
  /** Send again with a new provider token. */
  | { readonly _tag: "Refresh" }
  /** Send again to the other environment. */
  | { readonly _tag: "OtherEnvironment" }
  /** The token is another app's, or the topic is: the answers of the others tell. */
  | { readonly _tag: "OtherTopic" }

const TEAM_PAUSE_MS = 20 * 60_000
const DEVICE_PAUSE_MS = 60_000
/** What only somebody's repair can change is tried again so late, for as long as the message lives. */
const REPAIR_MS = 15 * 60_000
/** A key of one environment alone, at the other. */
export const WRONG_ENVIRONMENT = "bad_environment_key_in_token"

const done = (outcome: Settled, renew = false): Verdict => ({ _tag: "Done", outcome, renew })
const hold = (reason: string): Verdict => done({ _tag: "Suspend", reason })

/** `BadDeviceToken` → `bad_device_token`: how errors are spelled everywhere here. */
const code = (reason: string): string => reason.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase()

const bodyOf = (answer: Http2Answer): { readonly reason: string | null; readonly timestamp: number | null } => {
  try {
    const body: unknown = JSON.parse(answer.body)
    if (!isJsonObject(body)) return { reason: null, timestamp: null }
    const { reason, timestamp } = body
    return {
      reason: typeof reason === "string" && reason !== "" ? reason : null,
      timestamp: typeof timestamp === "number" ? timestamp : null
    }
  } catch {
    return { reason: null, timestamp: null }
  }
}

/** `sentAt` and `now` are epoch milliseconds. */
export const verdictOf = (answer: Http2Answer, apnsId: string, sentAt: number, now: number): Verdict => {
  if (answer.status === 200) return done({ _tag: "Ok", messageId: answer.header("apns-id") ?? apnsId })
  const { reason, timestamp } = bodyOf(answer)
  const wait = retryAfterMs(answer.header("retry-after"), now)
  switch (reason) {
    case "BadDeviceToken":
      return { _tag: "OtherEnvironment" }
    case "DeviceTokenNotForTopic":
      return { _tag: "OtherTopic" }
    case "Unregistered":
    case "ExpiredToken":
      // Without the moment that APNs owes, the token is dead for whoever did not register again since it was used.
      return done({ _tag: "Drop", reason: code(reason), seenBefore: timestamp ?? sentAt })
    case "BadTopic":
    case "MissingTopic":
    case "TopicDisallowed":
      return hold(`APNs refuses the topic (${reason}): is bundle_id the app's, and may this key send to it?`)
    case "ExpiredProviderToken":
      return { _tag: "Refresh" }
    case "InvalidProviderToken":
    case "MissingProviderToken":
    case "BadCertificate":
    case "BadCertificateEnvironment":
    case "Forbidden":
    case "UnrelatedKeyIdInToken":
      return hold(`APNs refuses the credential (${reason}): check team_id, key_id and private_key`)
    case "BadEnvironmentKeyInToken":
      // The key is the other environment's, and whoever registers a device names its environment.
      return done({ _tag: "Slow", scope: "recipient", reason: WRONG_ENVIRONMENT, afterMs: REPAIR_MS })
    case "IdleTimeout":
      return done({ _tag: "Retry", reason: code(reason), afterMs: null }, true)
    case "TooManyProviderTokenUpdates":
      return done(
        { _tag: "Slow", scope: "team", reason: code(reason), afterMs: Math.max(TEAM_PAUSE_MS, wait ?? 0) },
        true
      )
    case "TooManyRequests":
      return done({ _tag: "Slow", scope: "recipient", reason: code(reason), afterMs: pauseOf(wait, DEVICE_PAUSE_MS) })
    case "InternalServerError":
    case "ServiceUnavailable":
    case "Shutdown":
      return done({ _tag: "Retry", reason: code(reason), afterMs: wait }, true)
    default:
      return unknown(answer.status, reason, wait)
  }
}

/** A reason that is not in Apple's table, or none: the message fails at most; nobody's token is dropped for it. */
const unknown = (status: number, reason: string | null, wait: number | null): Verdict => {
  const name = reason === null ? `status_${status}` : shownLine(code(reason))
  if (status >= 500) return done({ _tag: "Retry", reason: name, afterMs: wait }, true)
  if (status === 429) {
    return done({ _tag: "Slow", scope: "recipient", reason: name, afterMs: pauseOf(wait, DEVICE_PAUSE_MS) })
  }
  if (status === 401 || status === 403)
    return hold(`APNs refuses the credential (${reason === null ? `status ${status}` : shownLine(reason)})`)
  return done({ _tag: "Fail", reason: name })
}
