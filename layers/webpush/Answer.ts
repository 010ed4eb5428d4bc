import { retryAfterMs } from "../../services/domain/Push.ts"
import type { Http2Answer } from "../../services/ports/Http2Client.ts"
import type { Outcome } from "../../services/ports/Provider.ts"

/** What a push service's answer asks of the sender (providers.md). */
export type Verdict =
  | { readonly _tag: "Done"; readonly outcome: Outcome }
  /** Too much for this endpoint, or for the whole service. */
  | { readonly _tag: "Throttled"; readonly afterMs: number }
  /** The sender is refused: by this subscription, or by the whole service. */
  | { readonly _tag: "Refused"; readonly what: string }

const PAUSE_MS = 60_000
/** No service may name a longer pause: a wrong date in one answer would silence it for good. */
const LONGEST_PAUSE_MS = 3_600_000
const MESSAGE_ID = 512

const done = (outcome: Outcome): Verdict => ({ _tag: "Done", outcome })

/** What a service says of itself, made fit for an operator's eyes: one short printable line. */
const shown = (body: string): string =>
  body
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, 200)

const refused = (answer: Http2Answer): Verdict => {
  const said = shown(answer.body)
  return { _tag: "Refused", what: said === "" ? `status ${answer.status}` : `status ${answer.status}: ${said}` }
}

/** `sentAt` and `now` are epoch milliseconds. */
export const verdictOf = (answer: Http2Answer, sentAt: number, now: number): Verdict => {
  const wait = retryAfterMs(answer.header("retry-after"), now)
  const { status } = answer
  switch (status) {
    case 200:
    case 201:
    case 202:
      return done({ _tag: "Ok", messageId: answer.header("location")?.slice(0, MESSAGE_ID) ?? null })
    case 404:
    case 410:
      return done({ _tag: "Drop", reason: status === 410 ? "gone" : "not_found", seenBefore: sentAt })
    case 400:
      return answer.body.includes("UnauthorizedRegistration")
        ? refused(answer)
        : done({ _tag: "Fail", reason: "bad_request" })
    case 401:
    case 403:
      return refused(answer)
    case 413:
      return done({ _tag: "Fail", reason: "payload_too_large" })
    case 406:
    case 429:
      return { _tag: "Throttled", afterMs: Math.min(wait ?? PAUSE_MS, LONGEST_PAUSE_MS) }
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
