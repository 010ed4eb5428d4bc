import { pauseOf, retryAfterMs } from "../../services/domain/sending/Push.ts"
import type { Http2Answer } from "../../services/ports/outbound/Http2Client.ts"
import type { Settled } from "../../services/ports/sending/Provider.ts"

/** What a push service's answer asks of the sender (providers.md). */
export type Verdict =
  | { readonly _tag: "Done"; readonly outcome: Settled }
  /** Too much for this endpoint, or for the whole service. */
  | { readonly _tag: "Throttled"; readonly afterMs: number }
  /** The sender is refused: by this subscription, or by the whole service. */
  | { readonly _tag: "Refused" }

const PAUSE_MS = 60_000
/** No service may name a longer pause: a wrong date in one answer would silence it for good. */
const LONGEST_PAUSE_MS = 3_600_000
const MESSAGE_ID = 512

/** The one status whose body may say more: that the sender is refused. All others say everything. */
const SPEAKING = 400

export const isEnough = (status: number): boolean => status !== SPEAKING

const done = (outcome: Settled): Verdict => ({ _tag: "Done", outcome })

/** Why, the service may say as it likes: its words are a stranger's, and shown to nobody. */
const REFUSED: Verdict = { _tag: "Refused" }

/** `sentAt` and `now` are epoch milliseconds. */
export const verdictOf = (answer: Http2Answer, sentAt: number, now: number): Verdict => {
  const wait = retryAfterMs(answer.header("retry-after"), now)
  const { status } = answer
  switch (status) {
    case 200:
    case 201:
    case 202:
    case 204:
      return done({ _tag: "Ok", messageId: answer.header("location")?.slice(0, MESSAGE_ID) ?? null })
    case 404:
    case 410:
      return done({ _tag: "Drop", reason: status === 410 ? "gone" : "not_found", seenBefore: sentAt })
    case 400:
      return answer.body.includes("UnauthorizedRegistration") ? REFUSED : done({ _tag: "Fail", reason: "bad_request" })
    case 401:
    case 403:
      return REFUSED
    case 413:
      return done({ _tag: "Fail", reason: "payload_too_large" })
    case 406:
    case 429:
      return { _tag: "Throttled", afterMs: Math.min(pauseOf(wait, PAUSE_MS), LONGEST_PAUSE_MS) }
  }
  if (status >= 500) {
    return done({
      _tag: "Retry",
      reason: `status_${status}`,
      afterMs: wait === null ? null : Math.min(wait, LONGEST_PAUSE_MS)
    })
  }
  // A redirect leads to an address that nobody checked: it is not followed.
  return done({ _tag: "Fail", reason: status >= 300 && status < 400 ? "redirect_refused" : `status_${status}` })
}
