import { Effect, Layer } from "effect"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import type { SecureContext } from "node:tls"
import { createSecureContext } from "node:tls"
import { buildConnector, Client, errors } from "undici"
import { AnswerTooLong, guardAnswers } from "../../services/ports/outbound/AnswerBytes.ts"
import { AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { answerFaultOf, interimFault } from "../../services/ports/outbound/AnswerFaults.ts"
import { plainReason, tlsFaultOf } from "../../services/ports/outbound/ConnectionFaults.ts"
import type { CheckedUrl } from "../../services/ports/outbound/OutboundPolicy.ts"
import { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { SmallAnswer, SmallRequest } from "../../services/ports/outbound/SmallRequests.ts"
import { NoAnswer, SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import type { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"

/** Of each part of a request: the connection, the head of its answer, and silence in its body. */
const PATIENCE_MS = 10_000
const MAX_BODY = 65_536

const TOO_LARGE = "the answer is larger than 64 KB, or comes in crumbs"

class TooLarge extends Error {}

const reasonOf = (error: NodeJS.ErrnoException): string => {
  if (error instanceof AnswerTooLong) return "the answer is too long"
  return answerFaultOf(error, false)?.message ?? plainReason(error.code)
}

const noAnswer = (thrown: unknown): NoAnswer => {
  if (thrown instanceof TooLarge || thrown instanceof errors.ResponseExceededMaxSizeError)
    return new NoAnswer({ message: TOO_LARGE, reason: TOO_LARGE, isTooLarge: true })
  const error = thrown as NodeJS.ErrnoException
  const tlsFault = tlsFaultOf(error.code)
  return new NoAnswer({ message: error.message, reason: reasonOf(error), ...(tlsFault !== null && { tlsFault }) })
}

const pinned =
  ({ address, family }: CheckedUrl): LookupFunction =>
  (_host, options, found) =>
    options.all ? found(null, [{ address, family }]) : found(null, address, family)

const isLiteral = ({ hostname }: URL): boolean => isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0

/** A connection for one request. `checked`: where to; null for the name as it resolves. */
const makeClient = (url: URL, checked: CheckedUrl | null, secureContext: SecureContext): Client => {
  const connect = buildConnector({
    secureContext,
    timeout: PATIENCE_MS,
    ...(checked === null || isLiteral(url) ? undefined : { lookup: pinned(checked) })
  })
  return new Client(url.origin, {
    allowH2: false,
    connect: (options, done) =>
      connect(options, (...result) => {
        // After an error there is no socket, not even null.
        if (result[0] === null) guardAnswers(result[1])
        done(...result)
      }),
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    maxResponseSize: MAX_BODY
  })
}

const ask = async (
  client: Client,
  url: URL,
  { body, headers, method }: SmallRequest,
  signal: AbortSignal
): Promise<SmallAnswer> => {
  let interims = 0
  const answer = await client.request({
    method: method as "GET" | "POST",
    path: url.pathname + url.search,
    // Without it a server may take any coding.
    headers: { "accept-encoding": "identity", ...headers },
    body,
    onInfo: ({ statusCode }) => {
      const fault = interimFault(statusCode, ++interims)
      if (fault !== null) throw fault
    },
    signal
  })
  const content = new AnswerChunks(MAX_BODY)
  try {
    for await (const chunk of answer.body) {
      if (!content.add(chunk as Uint8Array)) throw new TooLarge(TOO_LARGE)
    }
  } catch (error) {
    throw answerFaultOf(error as Error, true) ?? error
  }
  return { status: answer.statusCode, headers: answer.headers, body: content.text() }
}

export const layer: Layer.Layer<SmallRequests, never, OutboundPolicy | Settings> = Layer.effect(
  SmallRequests,
  Effect.gen(function* () {
    const policy = yield* OutboundPolicy
    const trusted = yield* trust
    // Made with the first request, and once: it takes as long as several handshakes, and most nodes need none.
    let secureContext: SecureContext | null = null

    const send: SmallRequests["Service"]["send"] = Effect.fnUntraced(
      function* (request) {
        const checked =
          request.isOurs === true
            ? null
            : yield* policy.check(request.url, request.mayBePlain === true ? ["http:", "https:"] : ["https:"])
        const url = checked?.url ?? new URL(request.url)
        const client = Effect.acquireRelease(
          Effect.sync(() => makeClient(url, checked, (secureContext ??= createSecureContext(trusted)))),
          (client) => Effect.promise(() => client.destroy())
        )
        return yield* Effect.scoped(
          Effect.flatMap(client, (client) =>
            Effect.tryPromise({
              try: (signal) => ask(client, url, request, signal),
              catch: noAnswer
            })
          )
        )
      },
      (effect, { deadlineMs }) =>
        Effect.timeoutOrElse(effect, {
          duration: deadlineMs,
          orElse: () => Effect.fail(new NoAnswer({ message: "no answer in time", reason: "no answer in time" }))
        })
    )
    return SmallRequests.of({ send })
  })
)
