import type { HttpServerRequest } from "effect/http"

/** What the road reads of a request, whichever way it came: through the router, or by the express way. */
export type Incoming = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "source" | "url">
