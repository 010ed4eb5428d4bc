import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import type { Route } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"

/*
 * Where the dashboard shows how an e-mail looks. Mail is a whole document with styles of its own, by somebody whom the
 * dashboard need not trust: it is shown in a frame that is of no origin, whose only script is this one.
 */

/** Takes the mail from the page around it, and tells how high it is. */
const SCRIPT = `
const tell = () => parent.postMessage({ height: document.documentElement.scrollHeight }, "*")
addEventListener("message", ({ data, source }) => {
  if (source !== parent || typeof data !== "string") return
  const mail = new DOMParser().parseFromString(data, "text/html")
  for (const one of mail.querySelectorAll("script, base, link, meta[http-equiv], iframe, object, embed")) one.remove()
  document.documentElement.replaceWith(document.adoptNode(mail.documentElement))
  for (const image of document.images) image.addEventListener("load", tell)
  tell()
})
parent.postMessage("ready", "*")
`

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>E-mail</title></head><body><script>${SCRIPT}</script></body></html>`

const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "img-src https: data:",
  "font-src https: data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts"
].join("; ")

export const mailFrameRoute: Route = route({
  method: "GET",
  path: "/mail-frame",
  access: "open",
  limit: "none",
  tag: "Dashboard",
  summary: "The frame in which the dashboard shows an e-mail",
  success: {
    status: 200,
    description: "A page.",
    schema: Schema.String,
    example: "<!doctype html>…",
    mediaType: "text/html"
  },
  handler: () =>
    Effect.sync(() =>
      HttpServerResponse.text(PAGE, {
        contentType: "text/html; charset=utf-8",
        headers: {
          "cache-control": "no-cache",
          "content-security-policy": POLICY,
          "cross-origin-resource-policy": "same-origin",
          "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "x-robots-tag": "noindex"
        }
      })
    )
})
