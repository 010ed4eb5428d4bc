import { Effect, Layer } from "effect"
import type { Fetched } from "../../services/domain/workflows/Interpreter.ts"
import { fetchedOf } from "../../services/domain/workflows/Interpreter.ts"
import type { OutboundRefused } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { NoAnswer, SmallAnswer } from "../../services/ports/outbound/SmallRequests.ts"
import { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import { now } from "../../services/ports/Now.ts"
import { FetchClient } from "../../services/ports/workflows/FetchClient.ts"

/** From the name to the last byte of the answer. */
const DEADLINE_MS = 10_000
/** Levels of an answer, as of a request's body. */
const DEPTH = 32
/** Longest time that a server is given before it is asked again. */
const MOST_WAIT_MS = 3_600_000

const retryAfterOf = (header: string | ReadonlyArray<string> | undefined): number | null => {
  const text = typeof header === "string" ? header : header?.[0]
  if (text === undefined) return null
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now()
  return Number.isFinite(wait) ? Math.min(MOST_WAIT_MS, Math.max(0, wait)) : null
}

const answered = ({ body, headers, status }: SmallAnswer): Fetched => {
  const fetched = fetchedOf(status, parsed(body), retryAfterOf(headers["retry-after"]))
  if (fetched._tag !== "Answer" || !isDeeper(fetched.body, DEPTH)) return fetched
  const detail = `the answer is nested deeper than ${DEPTH} levels`
  return { _tag: "Fault", detail, mayRetry: false, retryAfterMs: null }
}

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

const unanswered = (error: OutboundRefused | NoAnswer): Fetched => ({
  _tag: "Fault",
  detail: error.message.slice(0, 200),
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
