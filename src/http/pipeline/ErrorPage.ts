import { escape, layout } from "../endpoints/MailPages.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply } from "./Reply.ts"

/* Who opens an address in a browser reads a page; programs, and everybody below /api, get the same as JSON. */

const isForPeople = ({ headers, method, url }: Incoming): boolean =>
  (method === "GET" || method === "HEAD") &&
  !url.startsWith("/api/") &&
  /\btext\/html\b/.test(String(headers["accept"] ?? ""))

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  vary: "Accept"
}

/** A refusal as a page with its words, where a person asked; anything else as it is. */
export const readable = (reply: Reply, request: Incoming): Reply => {
  if (reply.status < 400 || reply.contentType !== undefined || !isForPeople(request)) return reply
  const { error } = JSON.parse(reply.body) as {
    readonly error?: { readonly message: string; readonly request_id: string }
  }
  // What /readyz says of a node that is not, for one, is no refusal.
  if (error?.message === undefined) return reply
  const body = layout(
    String(reply.status),
    `<p>${escape(error.message)}</p>\n<p><a href="/">To the start</a></p>\n<p><small>${escape(error.request_id)}</small></p>`
  )
  return { ...reply, body, contentType: "text/html; charset=utf-8", headers: { ...reply.headers, ...HEADERS } }
}
