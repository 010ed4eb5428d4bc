import { Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { BuiltDashboard, DashboardFile } from "../../../services/ports/operations/DashboardFiles.ts"
import { DashboardFiles } from "../../../services/ports/operations/DashboardFiles.ts"
import { encodedFor } from "../pipeline/Encoding.ts"
import type { Incoming } from "../pipeline/Incoming.ts"
import type { Route } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"
import { mailFrameRoute } from "./MailFrame.ts"

/*
 * The dashboard: one document for all of its pages, which reads in the address what to show, and the files that the
 * document loads. It asks the service by /api/graphql like every other client.
 */

/** The addresses of its pages beside `/`. The browser knows no others: dashboard/src/router.tsx. */
export const PAGES = [
  "/sign-in",
  "/invitations/:token",
  "/account",
  "/organizations/:id",
  "/organizations/:id/log",
  "/apps/:id",
  "/apps/:id/start",
  "/apps/:id/notifications",
  "/apps/:id/notifications/:notification_id",
  "/apps/:id/compose",
  "/apps/:id/contacts",
  "/apps/:id/contacts/:contact_id",
  "/apps/:id/devices",
  "/apps/:id/devices/:device_id",
  "/apps/:id/segments",
  "/apps/:id/segments/new",
  "/apps/:id/segments/:segment_id",
  "/apps/:id/imports",
  "/apps/:id/templates",
  "/apps/:id/templates/:template_id",
  "/apps/:id/workflows",
  "/apps/:id/workflows/:workflow_id",
  "/apps/:id/workflows/:workflow_id/versions",
  "/apps/:id/workflows/:workflow_id/runs/:run_id",
  "/apps/:id/webhooks",
  "/apps/:id/webhooks/:webhook_id",
  "/apps/:id/dead-letters",
  "/apps/:id/settings",
  "/apps/:id/settings/keys",
  "/apps/:id/settings/credentials",
  "/apps/:id/settings/team",
  "/apps/:id/settings/audit",
  "/apps/:id/settings/organization-log"
] as const

/**
 * Scripts, styles and requests of this origin alone; pictures of messages may come from anywhere. No text becomes code:
 * neither inline scripts nor inline styles run, and nothing assigns to `innerHTML`.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The browsers' SDK, for a push to one's own browser.
  "trusted-types heliograph"
].join("; ")

const HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff"
}

/** The document of every page. An address can hold a token: it is told to nobody, and found by no search. */
export const dashboardPage = ({ page }: BuiltDashboard): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(page, {
    contentType: "text/html; charset=utf-8",
    headers: { ...HEADERS, "x-robots-tag": "noindex", vary: "Accept" }
  })

/** A browser keeps a file for as long as it likes: another build names it otherwise. */
const FOR_EVER = "public, max-age=31536000, immutable"

const fileResponse = (file: DashboardFile, request: Incoming): HttpServerResponse.HttpServerResponse => {
  const { bytes, headers } = encodedFor(file, request)
  return HttpServerResponse.uint8Array(bytes, {
    contentType: file.contentType,
    headers: {
      "cache-control": FOR_EVER,
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
      ...headers
    }
  })
}

const SUCCESS = { status: 200, description: "A page.", schema: Schema.String, example: "<!doctype html>…" } as const

/**
 * Its pages and files are not counted: they are read from memory, cost less than counting, and a page of thirty files
 * would use up the budget of an office behind one address. What they ask is counted as everything else.
 */
const pageRoute = (path: (typeof PAGES)[number], built: BuiltDashboard): Route =>
  route({
    method: "GET",
    path,
    access: "open",
    limit: "none",
    tag: "Dashboard",
    summary: "A page of the dashboard",
    success: { ...SUCCESS, mediaType: "text/html" },
    handler: () => Effect.sync(() => dashboardPage(built))
  })

const fileRoute = (file: DashboardFile): Route =>
  route({
    method: "GET",
    path: `/${file.name}`,
    access: "open",
    limit: "none",
    tag: "Dashboard",
    summary: "A file of the dashboard",
    success: { ...SUCCESS, mediaType: file.contentType },
    handler: ({ request }) => Effect.sync(() => fileResponse(file, request))
  })

/** The dashboard that this process has; null where none was built. */
export const builtDashboard: Effect.Effect<BuiltDashboard | null> = Effect.map(
  Effect.serviceOption(DashboardFiles),
  (files) => (Option.isSome(files) ? files.value.built : null)
)

export const dashboardRoutes = (built: BuiltDashboard): ReadonlyArray<Route> => [
  ...PAGES.map((path) => pageRoute(path, built)),
  mailFrameRoute,
  ...built.files.map(fileRoute)
]
