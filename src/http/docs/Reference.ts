import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { BuiltDashboard } from "../../../services/ports/operations/DashboardFiles.ts"
import { docsPage } from "./Docs.ts"
import { frontRoute } from "../endpoints/Front.ts"
import { openApi } from "./OpenApi.ts"
import type { Route } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"

const utf8 = new TextEncoder()

/**
 * Adds to a table the routes that describe it, themselves included. Their answers are written when one is asked for the
 * first time, and kept as the bytes that go out: as text, one character beyond Latin-1 doubles them.
 */
export const withReference = Effect.fnUntraced(function* (
  routes: ReadonlyArray<Route>,
  baseUrl: string,
  dashboard: BuiltDashboard | null = null
) {
  const written = yield* Effect.cached(
    // Whoever asks first and leaves must not end it for the others.
    Effect.uninterruptible(
      Effect.suspend(() =>
        Effect.map(openApi(all, baseUrl), (api) => ({
          document: utf8.encode(JSON.stringify(api)),
          page: utf8.encode(docsPage(api))
        }))
      )
    )
  )
  const all: ReadonlyArray<Route> = [
    ...routes,
    frontRoute(baseUrl, dashboard),
    route({
      method: "GET",
      path: "/api/v1/openapi.json",
      access: "open",
      tag: "Reference",
      summary: "This API as an OpenAPI 3.1 document",
      success: {
        status: 200,
        description: "The document, made from the code that serves.",
        schema: Schema.Record(Schema.String, Schema.Json),
        example: { openapi: "3.1.0" }
      },
      handler: () =>
        Effect.map(written, ({ document }) =>
          HttpServerResponse.uint8Array(document, { contentType: "application/json" })
        )
    }),
    route({
      method: "GET",
      path: "/docs",
      access: "open",
      tag: "Reference",
      summary: "This API as a page to read",
      success: {
        status: 200,
        description: "HTML.",
        schema: Schema.String,
        example: "<!doctype html>…",
        mediaType: "text/html"
      },
      handler: () =>
        Effect.map(written, ({ page }) =>
          HttpServerResponse.uint8Array(page, {
            contentType: "text/html; charset=utf-8",
            headers: {
              "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
            }
          })
        )
    })
  ]
  return all
})
