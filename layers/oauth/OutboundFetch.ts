import { Effect } from "effect"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import type { SecureContext, SecureContextOptions } from "node:tls"
import { createSecureContext } from "node:tls"
import { buildConnector, Client } from "undici"
import { guardAnswers } from "../../services/ports/outbound/AnswerBytes.ts"
import { AnswerChunks, MOST_INTERIMS } from "../../services/ports/outbound/AnswerChunks.ts"
import type { CheckedUrl, OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"

/** Of one request, from the name to the last byte of its answer. */
const DEADLINE_MS = 10_000
const MAX_BODY = 65_536

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

const pinned =
  ({ address, family }: CheckedUrl): LookupFunction =>
  (_host, options, found) =>
    options.all ? found(null, [{ address, family }]) : found(null, address, family)

/**
 * A `fetch` over https under the outbound rules: addresses are checked and pinned, redirects are not followed, an answer is
 * bounded in bytes and chunks, and everything together in time. Rejects when there is no answer.
 */
export const makeFetch = (
  policy: OutboundPolicy["Service"],
  trust: Pick<SecureContextOptions, "ca">
): OutboundFetch => {
  // Made with the first request, and once: it takes as long as several handshakes, and most nodes need none.
  let secureContext: SecureContext | null = null
  return async (text, { body, headers, method, signal }) => {
    const deadline = AbortSignal.timeout(DEADLINE_MS)
    const until = signal === undefined ? deadline : AbortSignal.any([deadline, signal])
    const checked = await Effect.runPromise(policy.check(text, ["https:"]), { signal: until })
    const { url } = checked
    secureContext ??= createSecureContext(trust)
    const connect = buildConnector({
      secureContext,
      timeout: DEADLINE_MS,
      ...(isIP(url.hostname.replace(/^\[(.*)\]$/, "$1")) === 0 ? { lookup: pinned(checked) } : {})
    })
    const client = new Client(url.origin, {
      allowH2: false,
      connect: (options, done) =>
        connect(options, (...result) => {
          // After an error there is no socket, not even null.
          if (result[0] === null) guardAnswers(result[1])
          done(...result)
        }),
      headersTimeout: DEADLINE_MS,
      bodyTimeout: DEADLINE_MS,
      maxResponseSize: MAX_BODY
    })
    try {
      let interims = 0
      const isForm = body instanceof URLSearchParams
      const answer = await client.request({
        method: method as "GET" | "POST",
        path: url.pathname + url.search,
        headers: {
          ...headers,
          "user-agent": "Heliograph",
          ...(isForm ? { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" } : {})
        },
        body: isForm ? body.toString() : null,
        onInfo: () => {
          if (++interims > MOST_INTERIMS) throw new Error("too many interim answers")
        },
        signal: until
      })
      const content = new AnswerChunks(MAX_BODY)
      for await (const chunk of answer.body) {
        if (!content.add(chunk as Uint8Array)) throw new Error("the answer is too large, or comes in crumbs")
      }
      const type = answer.headers["content-type"]
      return new Response(BODILESS.has(answer.statusCode) ? null : content.text(), {
        status: answer.statusCode,
        headers: typeof type === "string" ? { "content-type": type } : {}
      })
    } finally {
      await client.destroy()
    }
  }
}
