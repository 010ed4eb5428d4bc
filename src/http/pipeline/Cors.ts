import { HttpServerResponse } from "effect/http"

/** Public endpoints answer any origin, without credentials: what a page may do there, its public key decides. */
export const CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
}

/** The answer to a browser's question whether it may send these methods. */
export const preflight = (
  methods: ReadonlyArray<string>,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...headers,
      ...CORS,
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": "Authorization, Content-Type, Last-Event-ID, X-Identity-Hash",
      "access-control-max-age": "86400"
    }
  })
