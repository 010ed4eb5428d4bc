import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { BrowserFile } from "../../../services/ports/operations/BrowserFiles.ts"
import { BrowserFiles } from "../../../services/ports/operations/BrowserFiles.ts"
import { encodedFor } from "../pipeline/Encoding.ts"
import type { Incoming } from "../pipeline/Incoming.ts"
import type { Route } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"

/** A page loads the SDK from here for an hour without asking again. */
const SDK_CACHE = "public, max-age=3600, stale-while-revalidate=86400"
/** A worker that browsers kept would go on for as long as they like: they ask each time, and mostly hear 304. */
const WORKER_CACHE = "no-cache"

const isKnown = (request: Incoming, etag: string): boolean =>
  String(request.headers["if-none-match"] ?? "")
    .split(",")
    .some((known) => ["*", etag].includes(known.trim().replace(/^W\//, "")))

const fileResponse = (file: BrowserFile, request: Incoming): HttpServerResponse.HttpServerResponse => {
  const headers = {
    "cache-control": file.name.startsWith("sw.js") ? WORKER_CACHE : SDK_CACHE,
    // Weak: the same script, compressed or not, is other bytes.
    etag: `W/${file.etag}`,
    vary: "Accept-Encoding",
    // Loaded by pages of any site; a module needs to be told so.
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff"
  }
  if (isKnown(request, file.etag)) return HttpServerResponse.empty({ status: 304, headers })
  const { bytes, headers: encoding } = encodedFor(file, request)
  return HttpServerResponse.uint8Array(bytes, { contentType: file.contentType, headers: { ...headers, ...encoding } })
}

/** Not counted: they are read from memory and cost less than counting. */
const fileRoute = (file: BrowserFile): Route =>
  route({
    method: "GET",
    path: file.name.startsWith("sw.js") ? `/${file.name}` : `/sdk/${file.name}`,
    access: "open",
    limit: "none",
    tag: "Reference",
    summary: "A file of the browsers' SDK",
    success: {
      status: 200,
      description: "A script.",
      schema: Schema.String,
      example: "…",
      mediaType: file.contentType
    },
    handler: ({ request }) => Effect.sync(() => fileResponse(file, request))
  })

/** The SDK at /sdk/browser.js and its neighbours, and the reference worker at /sw.js. */
export const browserFileRoutes: Effect.Effect<ReadonlyArray<Route>, never, BrowserFiles> = Effect.map(
  BrowserFiles,
  ({ files }) => [...files.values()].map(fileRoute)
)
