import { Effect } from "effect"
import type { OutboundRefused } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { NoAnswer, SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"

/** Of one request, from the name to the last byte of its answer. */
const DEADLINE_MS = 10_000

export interface FetchOptions {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** What oauth4webapi asks by. */
export type OutboundFetch = (url: string, options: FetchOptions) => Promise<Response>

/** Answers that have no body. */
const BODILESS = new Set([204, 205, 304])

/** Why there is no answer, for the operator, with the setting that can change it. */
const wordsOf = (url: string, error: OutboundRefused | NoAnswer): string => {
  const { host } = new URL(url)
  if (error._tag === "OutboundRefused") {
    return error.setting === undefined
      ? `${host} cannot be called: ${error.message}`
      : `${host} cannot be called: ${error.message}; ${error.setting} opens its network`
  }
  const advice =
    error.tlsFault === "tls_certificate_unknown_authority" ? "; name its authority in OUTBOUND_CA_FILE" : ""
  return `${host} does not answer: ${error.message}${advice}`
}

/** A `fetch` of answers that are small. Rejects when there is none. */
export const makeFetch =
  ({ send }: SmallRequests["Service"]): OutboundFetch =>
  async (url, { body, headers, method, signal }) => {
    const isForm = body instanceof URLSearchParams
    const request = send({
      url,
      method,
      headers: {
        ...headers,
        "user-agent": "Heliograph",
        ...(isForm ? { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" } : {})
      },
      body: isForm ? body.toString() : null,
      deadlineMs: DEADLINE_MS
    }).pipe(Effect.mapError((error) => new Error(wordsOf(url, error))))
    const answer = await Effect.runPromise(request, signal === undefined ? {} : { signal })
    const type = answer.headers["content-type"]
    return new Response(BODILESS.has(answer.status) ? null : answer.body, {
      status: answer.status,
      headers: typeof type === "string" ? { "content-type": type } : {}
    })
  }
