import { Effect, Layer } from "effect"
import type { Fetched } from "../../services/domain/workflows/Fetched.ts"
import { faultOf, fetchedOf } from "../../services/domain/workflows/Fetched.ts"
import { retryAfterMs } from "../../services/domain/sending/Push.ts"
import { parseWritten } from "../../services/domain/WrittenNumbers.ts"
import type { OutboundRefused } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { NoAnswer, SmallAnswer } from "../../services/ports/outbound/SmallRequests.ts"
import { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import { now } from "../../services/ports/Now.ts"
import type { Unread } from "../../services/ports/workflows/FetchClient.ts"
import { FetchClient, LONGEST_WAIT_MS } from "../../services/ports/workflows/FetchClient.ts"

/** From the name to the last byte of the answer. */
const DEADLINE_MS = 10_000
/** Levels of an answer, as of a request's body. */
const DEPTH = 32

const retryAfterOf = (header: string | ReadonlyArray<string> | undefined): number | null => {
  const wait = retryAfterMs(typeof header === "string" ? header : header?.[0], now())
  return wait === null ? null : Math.min(LONGEST_WAIT_MS, wait)
}

const answered = ({ body, headers, status }: SmallAnswer): Fetched | Unread => {
  const fetched = fetchedOf(status, null, retryAfterOf(headers["retry-after"]))
  if (fetched._tag !== "Answer") return fetched
  // Without its body the run would go on, and the wrong way.
  if (body !== "" && isCoded(headers["content-encoding"]))
    return faultOf("the answer is compressed, which was not asked for")
  const read = () => {
    const value = parsed(body)
    return isDeeper(value, DEPTH)
      ? faultOf(`the answer is nested deeper than ${DEPTH} levels`)
      : { ...fetched, body: kept(value, body), size: body.length }
  }
  return { _tag: "Unread", size: body.length, read }
}

const isCoded = (coding: string | ReadonlyArray<string> | undefined): boolean =>
  coding !== undefined && !/^(\s*identity\s*(,|$))*$/i.test(String(coding))

/** What is kept is walked and written again by what follows, each level on the stack. */
const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inside) => isDeeper(inside, depth - 1)))

/** What is not JSON is not kept: the status says enough. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * What can be kept of a value. An answer is not refused for what a request would be, as nobody could mend it: a number that
 * would be another is kept as its text, and a character that is none as the sign for that.
 */
const kept = (value: unknown, text: string): unknown => {
  const exact = MAY_BE_LARGE.test(text) ? parseWritten(text, (written) => written) : value
  return text.includes("\\u") ? storable(exact) : exact
}

const MAY_BE_LARGE = /\d{16}|\de/i

const storable = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\ufffd")
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(storable)
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [storable(key), storable(inside)]))
}

const unanswered = (error: OutboundRefused | NoAnswer): Fetched => ({
  _tag: "Fault",
  detail: (error._tag === "NoAnswer" ? error.reason : error.message).slice(0, 200),
  mayRetry: error._tag === "NoAnswer" ? error.isTooLarge !== true : error.transient,
  retryAfterMs: null
})

export const layer: Layer.Layer<FetchClient, never, SmallRequests> = Layer.effect(
  FetchClient,
  Effect.map(SmallRequests, ({ send }) =>
    FetchClient.of({
      fetch: ({ body, headers, method, url }) =>
        send({
          url,
          method,
          headers: {
            "user-agent": "Heliograph",
            ...(body === null ? {} : { "content-type": "application/json" }),
            ...headers
          },
          body,
          deadlineMs: DEADLINE_MS,
          mayBePlain: true
        }).pipe(Effect.match({ onSuccess: answered, onFailure: unanswered }))
    })
  )
)
