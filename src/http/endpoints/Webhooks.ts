import { Effect, Option, Schema } from "effect"
import { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { Webhook } from "../../../services/domain/webhooks/Webhook.ts"
import { CreateWebhook, UpdateWebhook } from "../../../services/domain/webhooks/Webhook.ts"
import { WebhookId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { TooManyWebhooks } from "../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { ApiError, invalid, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { within } from "../pipeline/WaitLimiter.ts"
import { route } from "../pipeline/Route.ts"

const WebhookView = Schema.Struct({
  id: WebhookId,
  name: Schema.String,
  url: Schema.String,
  events: Schema.Array(EventName).annotate({ description: "No events means all events." }),
  is_active: Schema.Boolean,
  disabled_reason: Schema.NullOr(Schema.String).annotate({
    description: "Set when the service disabled the webhook after repeated failures."
  }),
  is_signed: Schema.Boolean.annotate({ description: "Whether deliveries carry `X-Service-Signature`." }),
  signature_overlap_until: Schema.NullOr(Schema.String).annotate({
    description: "Until when the signature has a further `v1` for what was replaced; null when nothing overlaps."
  }),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Webhook" })

/** A webhook as it is shown, field by field, so that its secret cannot slip out with the rest of a row. */
const show = (webhook: Webhook): typeof WebhookView.Type => ({
  id: webhook.id,
  name: webhook.name,
  url: webhook.url,
  events: webhook.events,
  is_active: webhook.isActive,
  disabled_reason: webhook.disabledReason,
  is_signed: webhook.isSigned,
  signature_overlap_until: webhook.overlapUntil === null ? null : isoTime(webhook.overlapUntil),
  created_at: isoTime(webhook.createdAt),
  updated_at: isoTime(webhook.updatedAt)
})

const example = {
  id: ID,
  name: "Orders",
  url: "https://example.com/webhooks/push",
  events: ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"],
  is_active: true,
  disabled_reason: null,
  is_signed: true,
  signature_overlap_until: null,
  created_at: NOW,
  updated_at: NOW
}

/** Webhooks: where the events of an application are delivered. */
export const webhookRoutes = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const outbound = yield* OutboundPolicy

  /** Answers the address as it is connected to, for it to be kept and shown: no notation of it is left to misread. */
  const checkUrl = (url: string) =>
    outbound.check(url).pipe(
      Effect.map((checked) => checked.url.href),
      Effect.mapError(({ advice }) => invalid([{ field: "url", message: advice }]))
    )
  const tooMany = ({ limit }: TooManyWebhooks) =>
    Effect.fail(
      new ApiError(
        "conflict",
        `The application has ${limit} webhooks, which is the most it may have. Delete one first.`
      )
    )

  return [
    route({
      method: "POST",
      path: "/api/v1/webhooks",
      access: "secret",
      tag: "Webhooks",
      summary: "Create a webhook",
      description:
        "The url must be a public http or https address; it is kept as it is connected to (`HTTP://2130706433` is `http://127.0.0.1/`, which is refused), and its name is looked up. With a secret, each delivery carries `X-Service-Signature`. The secret is never returned.",
      body: {
        schema: CreateWebhook,
        name: "CreateWebhook",
        example: {
          name: "Orders",
          url: "https://example.com/webhooks/push",
          secret: "a long random text",
          events: ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"],
          is_active: true
        }
      },
      success: {
        status: 201,
        description: "The webhook is created.",
        schema: WebhookView,
        example,
        location: ({ id }) => `/api/v1/webhooks/${id}`
      },
      errors: ["validation_error", "conflict"],
      hasDeadline: true,
      handler: Effect.fnUntraced(function* ({ caller, body, waits }) {
        const url = yield* checkUrl(body.url)
        const webhook = yield* within(
          waits,
          webhooks.create(caller.appId, uuidv7() as WebhookId, { ...body, url })
        ).pipe(Effect.catchTag("TooManyWebhooks", tooMany))
        return show(webhook)
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks",
      access: "secret",
      tag: "Webhooks",
      summary: "List webhooks",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of webhooks, oldest first.",
        schema: pageOf(WebhookView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("webhooks", query, (after, limit) => webhooks.list(caller.appId, after, limit), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      tag: "Webhooks",
      summary: "Read a webhook",
      success: { status: 200, description: "The webhook.", schema: WebhookView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const webhook = yield* webhooks.find(caller.appId, params.id as WebhookId)
        return Option.isSome(webhook) ? show(webhook.value) : yield* Effect.fail(notFound("webhook"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      tag: "Webhooks",
      summary: "Change a webhook",
      description:
        "Only the fields that are given change. A new `secret` signs from the next attempt on; the one before it signs no more, unless `secret_overlap_seconds` says for how long it goes on beside it, as a further `v1` in the header. `secret: null` removes every secret at once. `is_active: true` enables a webhook that the service disabled; what was pending is delivered then.",
      body: { schema: UpdateWebhook, name: "UpdateWebhook", example: { is_active: true } },
      success: { status: 200, description: "The webhook as it is now.", schema: WebhookView, example },
      errors: ["validation_error", "not_found"],
      hasDeadline: true,
      handler: Effect.fnUntraced(function* ({ caller, params, body, waits }) {
        const id = params.id as WebhookId
        // Before the address is resolved: nobody's names are looked up for a webhook that is not there.
        if (Option.isNone(yield* within(waits, webhooks.find(caller.appId, id))))
          return yield* Effect.fail(notFound("webhook"))
        const change = body.url === undefined ? body : { ...body, url: yield* checkUrl(body.url) }
        const webhook = yield* within(waits, webhooks.update(caller.appId, id, change))
        return Option.isSome(webhook) ? show(webhook.value) : yield* Effect.fail(notFound("webhook"))
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      tag: "Webhooks",
      summary: "Delete a webhook",
      success: {
        status: 200,
        description: "The webhook is gone, and what was pending for it.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* webhooks.remove(caller.appId, params.id as WebhookId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("webhook"))
      })
    })
  ]
})
