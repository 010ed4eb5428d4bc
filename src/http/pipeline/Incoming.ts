import type { HttpServerRequest } from "effect/http"

/** What the pipeline reads of a request, whichever way it came: through the router, or by the fast path. */
export type Incoming = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "source" | "url">
