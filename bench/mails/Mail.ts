import { CONTENT } from "../mailing/Content.ts"

export const NEWS_FROM = "Heliograph <news@example.com>"

/** What every contender mails. */
export const MAIL = {
  subject: CONTENT.title,
  body: CONTENT.body,
  html: `<!doctype html><html><body><h1>${CONTENT.title}</h1><p>${CONTENT.body}</p><p><a href="https://example.com/sale">To the sale</a></p></body></html>`
}
