import { Duration } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { CORS } from "./Cors.ts"

const JSON_TYPE = "application/json"

/**
 * An answer that is whole in memory, as all are but streams and pages. It is a plain value because two servers write
 * it: the router's, and the fast path beside it.
 */
export interface Reply {
  readonly status: number
  readonly body: string
  /** JSON, unless it says otherwise. */
  readonly contentType?: string
  /** In lower case; a content type is added. */
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyArray<SetCookie>
}

/** A cookie that no script can read, sent back to this host alone and by no other site's requests. */
export interface SetCookie {
  readonly name: string
  /** Printable ASCII, as it stands. Empty: the cookie is removed. */
  readonly value: string
  readonly maxAgeSeconds: number
  /** To be sent over TLS alone. */
  readonly isSecure: boolean
}

const written = ({ isSecure, maxAgeSeconds, name, value }: SetCookie): string =>
  `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly;${isSecure ? " Secure;" : ""} SameSite=Lax`

/** Headers of any answer to a request. */
export const headersFor = (requestId: string, isPublic: boolean): Record<string, string> => ({
  "x-request-id": requestId,
  "cache-control": "no-store",
  ...(isPublic ? CORS : undefined)
})

export const asResponse = ({
  body,
  contentType = JSON_TYPE,
  cookies,
  headers,
  status
}: Reply): HttpServerResponse.HttpServerResponse =>
  withCookies(HttpServerResponse.text(body, { status, contentType, headers }), cookies)

/** The router writes cookies by itself. */
export const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  cookies: ReadonlyArray<SetCookie> = []
): HttpServerResponse.HttpServerResponse =>
  cookies.reduce(
    (response, { isSecure, maxAgeSeconds, name, value }) =>
      HttpServerResponse.setCookieUnsafe(response, name, value, {
        maxAge: Duration.seconds(maxAgeSeconds),
        path: "/",
        httpOnly: true,
        secure: isSecure,
        sameSite: "lax"
      }),
    response
  )

/** Head and body go out in one write: node joins a text to the head, where a buffer would be a write of its own. */
export const writeReply = (
  outgoing: ServerResponse,
  { body, contentType = JSON_TYPE, cookies, headers, status }: Reply
): void => {
  const head = ["content-type", contentType, "content-length", String(Buffer.byteLength(body))]
  for (const name in headers) head.push(name, headers[name]!)
  for (const cookie of cookies ?? []) head.push("set-cookie", written(cookie))
  outgoing.writeHead(status, head)
  outgoing.end(body)
}
