import { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { CORS } from "./Cors.ts"

/**
 * An answer that is whole in memory, as all are but streams and pages. It is a plain value because two servers write
 * it: the router's, and the fast path beside it.
 */
export interface Reply {
  readonly status: number
  /** JSON. */
  readonly body: string
  /** In lower case; a content type is added. */
  readonly headers: Readonly<Record<string, string>>
}

/** Headers of any answer to a request. */
export const headersFor = (requestId: string, isPublic: boolean): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  ...(isPublic ? CORS : undefined)
})

export const asResponse = ({ body, headers, status }: Reply): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { status, contentType: "application/json", headers })

/** Head and body go out in one write: node joins a text to the head, where a buffer would be a write of its own. */
export const writeReply = (outgoing: ServerResponse, { body, headers, status }: Reply): void => {
  const head = ["content-type", "application/json", "content-length", String(Buffer.byteLength(body))]
  for (const name in headers) head.push(name, headers[name]!)
  outgoing.writeHead(status, head)
  outgoing.end(body)
}
