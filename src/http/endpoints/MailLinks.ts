import { Cache, Effect, Exit, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Channel } from "../../../services/domain/audience/Channel.ts"
import { isMachineMade } from "../../../services/domain/engagement/Machine.ts"
import { now } from "../../../services/ports/Now.ts"
import { Engagement } from "../../../services/engine/engagement/Engagement.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import type { MailRead } from "../../../services/ports/engagement/Links.ts"
import { Links } from "../../../services/ports/engagement/Links.ts"
import { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { readBody } from "../pipeline/Body.ts"
import type { Incoming } from "../pipeline/Incoming.ts"
import type { Client } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"
import { message, subscribed, unsubscribe, unsubscribed } from "./MailPages.ts"

/** Whoever follows a link goes on, or sees the image, though the database does not answer: the report is lost then. */
const TIMEOUT = "2 seconds"

/** How long it is remembered that an application is there, or is not, and of how many. */
const REMEMBERED = { capacity: 10_000, forMs: 60_000 }

/** A form of RFC 8058, or of the page: a few bytes. */
const FORM_BYTES = 4096

/** One transparent pixel. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")

const broken = () => Effect.fail(new ApiError("not_found", "This link is not complete, or it was changed."))

/** Nothing is loaded, nothing runs, nothing is remembered, and nobody learns where the reader came from. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

const page = (html: string) =>
  HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers: PAGE_HEADERS })

const TOKEN = "It is in the mail, and signed; anything else is answered with 404."

/**
 * What the links in e-mail lead to. Their tokens are all the proof there is: nobody signs in here. A token that
 * was not signed here costs a hash and no query.
 */
export const mailLinkRoutes = Effect.gen(function* () {
  const applications = yield* ApplicationStore
  const channels = yield* ChannelStore
  const engagement = yield* Engagement
  const links = yield* Links
  const organizations = yield* Cache.makeWith((yield* OrganizationStore).ofApplication, {
    capacity: REMEMBERED.capacity,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? REMEMBERED.forMs : 0)
  })

  /**
   * Whether links of the application lead anywhere: those of an organization that was deleted do not, or whoever once had
   * one could lead people from this service's address to any other for ever. Who cannot be asked for is there.
   */
  const isThere = ({ appId }: MailRead) =>
    Cache.get(organizations, appId).pipe(
      Effect.timeout(TIMEOUT),
      Effect.match({ onFailure: () => true, onSuccess: Option.isSome })
    )

  /**
   * Counts what was opened or followed. Never in the way of the reader: over the budget of the address, or when nobody can
   * count, the image is shown and the link followed all the same, which costs a hash, and nothing is reported.
   */
  const report = (request: Incoming, client: Client, mail: MailRead, destination: string | null) => {
    const { headers, method } = request
    const type = destination === null ? "opened" : "clicked"
    const isMachine = isMachineMade({ type, method, headers, sentAt: mail.sentAt, now: now() })
    const counted = engagement.reportMail(mail, destination, isMachine).pipe(
      Effect.timeout(TIMEOUT),
      Effect.catch((error) => Effect.logWarning(`A mail that was ${type} was not counted`, error))
    )
    return Effect.matchEffect(client.follow(), { onSuccess: () => counted, onFailure: () => Effect.void })
  }

  /** A page is refused like everything else: it asks the database. */
  const follow = (client: Client) => client.follow()

  const nameOf = (mail: { readonly appId: MailRead["appId"] }) =>
    Effect.map(applications.find(mail.appId), (found) => (Option.isSome(found) ? found.value.name : "this sender"))

  const addressOf = (channel: Option.Option<Channel>) =>
    Option.isSome(channel) ? (channel.value.address ?? "") : "your address"

  return [
    route({
      method: "GET",
      path: "/o/:token",
      access: "open",
      limit: "signed",
      tag: "Mail",
      summary: "The open pixel of a mail",
      description: `Counts the mail as opened, once. Beyond the budget of the client's address the image is shown and nothing is counted. ${TOKEN}`,
      success: {
        status: 200,
        description: "A transparent image of one pixel.",
        schema: Schema.String,
        example: "GIF89a",
        mediaType: "image/gif"
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ client, params, request }) {
        const mail = links.openMail(params.token)
        if (Option.isNone(mail)) return yield* broken()
        yield* report(request, client, mail.value, null)
        return HttpServerResponse.uint8Array(PIXEL, { contentType: "image/gif" })
      })
    }),
    route({
      method: "GET",
      path: "/c/:token/:link",
      access: "open",
      limit: "signed",
      tag: "Mail",
      summary: "A tracked link of a mail",
      description: `Counts the mail as clicked, once, and leads to the destination, which is signed into the link. Beyond the budget of the client's address it leads there and nothing is counted. ${TOKEN}`,
      success: {
        status: 302,
        description: "Goes on to the destination, which the Location header names.",
        schema: Schema.String,
        example: "",
        mediaType: "text/plain"
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ client, params, request }) {
        const mail = links.openMail(params.token)
        if (Option.isNone(mail)) return yield* broken()
        const destination = links.openLink(mail.value.notificationId, params.link)
        if (Option.isNone(destination) || !(yield* isThere(mail.value))) return yield* broken()
        yield* report(request, client, mail.value, destination.value)
        return HttpServerResponse.text("", {
          status: 302,
          headers: { location: destination.value, "referrer-policy": "no-referrer", "x-robots-tag": "noindex" }
        })
      })
    }),
    route({
      method: "GET",
      path: "/u/:token",
      access: "open",
      limit: "signed",
      tag: "Mail",
      summary: "Ask whether to unsubscribe",
      description: `A page with a button. It changes nothing by itself: scanners open every link. ${TOKEN}`,
      success: {
        status: 200,
        description: "The page.",
        schema: Schema.String,
        example: "<!doctype html>…",
        mediaType: "text/html"
      },
      errors: ["not_found", "unavailable"],
      handler: Effect.fnUntraced(function* ({ client, params }) {
        const link = links.openUnsubscribe(params.token)
        if (Option.isNone(link)) return yield* broken()
        yield* follow(client)
        const channel = yield* channels.find(link.value.appId, link.value.channelId)
        const name = yield* nameOf(link.value)
        const isOff = Option.isSome(channel) && channel.value.status === "unsubscribed"
        return page((isOff ? unsubscribed : unsubscribe)(name, addressOf(channel)))
      })
    }),
    route({
      method: "POST",
      path: "/u/:token",
      access: "open",
      limit: "signed",
      tag: "Mail",
      summary: "Unsubscribe with one click",
      description: `What \`List-Unsubscribe-Post\` of RFC 8058 asks for, and what the page's buttons send: a form with \`List-Unsubscribe=One-Click\`, or with \`action=resubscribe\` to take it back. The address gets no more mail of this application, and the contact's preferences say so. ${TOKEN}`,
      success: {
        status: 200,
        description: "It is done; a page says so.",
        schema: Schema.String,
        example: "<!doctype html>…",
        mediaType: "text/html"
      },
      errors: ["not_found", "payload_too_large", "request_timeout", "unavailable", "validation_error"],
      handler: Effect.fnUntraced(function* ({ client, params, request }) {
        const link = links.openUnsubscribe(params.token)
        if (Option.isNone(link)) return yield* broken()
        yield* follow(client)
        const form = (yield* readBody(request, FORM_BYTES)).toString("latin1")
        const isWanted = /(?:^|&)action=resubscribe(?:&|$)/.test(form)
        const channel = yield* channels.subscribe(link.value.appId, link.value.channelId, isWanted)
        const name = yield* nameOf(link.value)
        if (!isWanted) return page(unsubscribed(name, addressOf(channel)))
        const isBack = Option.isSome(channel) && channel.value.status === "active"
        return page(
          isBack
            ? subscribed(name, addressOf(channel))
            : message(`Mail from ${name} cannot be delivered to this address any more.`)
        )
      })
    })
  ]
})
