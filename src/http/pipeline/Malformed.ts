import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Budget } from "../../../services/domain/access/RateLimit.ts"
import { note, uncounted } from "./Admission.ts"
import { ApiError, errorBody } from "./ApiError.ts"

/*
 * What is no proper HTTP never reaches a route, and is answered in the form of all errors nevertheless, as far as one
 * can be written. It is not counted; the answer names the budget of anonymous clients.
 */

const answerTo = (error: ApiError, anonymous: Budget) => {
  const requestId = uuidv7()
  const headers: Record<string, string> = { "x-request-id": requestId, "cache-control": "no-store" }
  note(headers, uncounted(anonymous))
  headers["content-type"] = "application/json"
  headers["connection"] = "close"
  return { body: errorBody(error, requestId), headers }
}

const refuse = (response: ServerResponse, status: number, error: ApiError, anonymous: Budget): void => {
  const { body, headers } = answerTo(error, anonymous)
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) }).end(body)
}

/** The same where there is a connection alone. */
const write = (socket: Duplex, status: number, error: ApiError, anonymous: Budget): void => {
  const { body, headers } = answerTo(error, anonymous)
  const lines = Object.entries({ ...error.headers, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** Of which a second one contradicts: a proxy before us may have heeded the other than we. Node keeps one, or joins them. */
const SINGLE = ["host", "authorization", "content-type", "idempotency-key", "x-identity-hash"]
const LENGTHS = new Set(SINGLE.map((name) => name.length))

const repeated = (rawHeaders: ReadonlyArray<string>): string | undefined => {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!LENGTHS.has(rawHeaders[i]!.length)) continue
    const at = SINGLE.indexOf(rawHeaders[i]!.toLowerCase())
    if (at === -1) continue
    if ((seen & (1 << at)) !== 0) return SINGLE[at]
    seen |= 1 << at
  }
  return undefined
}

export interface Fault {
  readonly status: number
  readonly message: string
}

/** What is wrong with the head of a request that node took for one; null: nothing. */
export const faultOfHead = ({ headers, httpVersion, rawHeaders }: IncomingMessage): Fault | null => {
  // HTTP/1.1 demands the header.
  if (headers.host === undefined && httpVersion === "1.1")
    return { status: 400, message: "A request of HTTP/1.1 needs a Host header." }
  const coding = headers["transfer-encoding"]
  // Node takes any before the last for read (RFC 9112, section 6.1).
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return { status: 501, message: "The only transfer coding that is understood is `chunked`." }
  const name = repeated(rawHeaders)
  return name === undefined ? null : { status: 400, message: `The header ${name} came more than once. Send it once.` }
}

export const refuseHead = (response: ServerResponse, { message, status }: Fault, anonymous: Budget): void =>
  refuse(response, status, new ApiError("validation_error", message), anonymous)

/** What node finds before there is a request, and what a request expects beside `100-continue`. */
export const refuseMalformed = (server: Server, anonymous: Budget): void => {
  server.on("checkExpectation", (_, response: ServerResponse) =>
    refuse(
      response,
      417,
      new ApiError("validation_error", "The only expectation that is met is 100-continue."),
      anonymous
    )
  )
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, refusal] =
      error.code === "HPE_HEADER_OVERFLOW"
        ? ([431, new ApiError("payload_too_large", "The request's headers are too large.")] as const)
        : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? ([408, new ApiError("request_timeout", "The request did not arrive in time.")] as const)
          : ([400, new ApiError("validation_error", "The request is not valid HTTP.")] as const)
    write(socket, status, refusal, anonymous)
  })
  // Node hands over the bare connection, and closes it without a word where nobody takes it.
  server.on("connect", (_, socket) => {
    socket.on("error", () => socket.destroy())
    const allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    write(
      socket,
      405,
      new ApiError("method_not_allowed", "This service is no proxy: CONNECT is not answered.", [], { allow }),
      anonymous
    )
  })
}
