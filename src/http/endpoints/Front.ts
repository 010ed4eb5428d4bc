import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { BuiltDashboard } from "../../../services/ports/operations/DashboardFiles.ts"
import { version } from "../../version.ts"
import { route } from "../pipeline/Route.ts"
import { dashboardPage } from "./Dashboard.ts"

const Front = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  api: Schema.String.annotate({ description: "The base of the REST API." }),
  docs: Schema.String,
  openapi: Schema.String,
  health: Schema.String
})

/** Nothing is loaded and nothing runs. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const pageOf = (front: typeof Front.Type): string => {
  const link = (url: string, words: string) => `<li><a href="${new URL(url).pathname}">${words}</a></li>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Heliograph</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
</head><body>
<h1>Heliograph</h1>
<p>It sends push notifications and e-mail. This is version ${front.version}. The dashboard has not been built: <code>npm run dashboard:build</code>, or <code>npm start</code>, which does that first.</p>
<ul>
${link(front.docs, "The documentation of the API")}
${link(front.openapi, "The same as an OpenAPI document")}
${link(front.health, "Is it alive?")}
</ul>
</body></html>
`
}

/**
 * What somebody sees who opens the address of the service: the dashboard, or where to go from here as long as it was not
 * built.
 */
export const frontRoute = (baseUrl: string, dashboard: BuiltDashboard | null) => {
  const front = {
    name: "heliograph",
    version,
    api: `${baseUrl}/api/v1`,
    docs: `${baseUrl}/docs`,
    openapi: `${baseUrl}/api/v1/openapi.json`,
    health: `${baseUrl}/healthz`
  }
  const page = pageOf(front)
  return route({
    method: "GET",
    path: "/",
    access: "open",
    tag: "Reference",
    summary: "What this is, and where its documentation is",
    description: "A page for browsers (`Accept: text/html`), JSON for everybody else.",
    success: { status: 200, description: "The service and its addresses.", schema: Front, example: front },
    handler: ({ request }) =>
      Effect.sync(() =>
        /\btext\/html\b/.test(String(request.headers["accept"] ?? ""))
          ? dashboard === null
            ? HttpServerResponse.text(page, {
                contentType: "text/html; charset=utf-8",
                headers: { "content-security-policy": POLICY, vary: "Accept" }
              })
            : dashboardPage(dashboard)
          : HttpServerResponse.text(JSON.stringify(front), {
              contentType: "application/json",
              headers: { vary: "Accept" }
            })
      )
  })
}
