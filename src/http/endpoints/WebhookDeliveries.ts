import { Effect, Option, Schema } from "effect"
import { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { WebhookId } from "../../../services/domain/Ids.ts"
import type { FollowedDelivery } from "../../../services/domain/sending/Delivery.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { TestEvents } from "../../../services/engine/webhooks/TestEvents.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import type { RecipientEvent, WebhookAttempt, WebhookDelivery } from "../../../services/ports/webhooks/WebhookStore.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { invalid, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { within } from "../pipeline/WaitLimiter.ts"
import { route } from "../pipeline/Route.ts"

const AnswerView = Schema.Struct({
  response_status: Schema.NullOr(Schema.Int).annotate({ description: "Null when there was no answer." }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why the attempt failed." }),
  latency_ms: Schema.Int
}).annotate({ identifier: "WebhookAnswer" })

const DeliveryState = Schema.Literals(["delivered", "pending", "retrying", "exhausted"])

const WebhookDeliveryView = Schema.Struct({
  event_id: Schema.String.annotate({ description: "The `id` of the delivered body, the same on every attempt." }),
  event: EventName,
  status: DeliveryState.annotate({
    description:
      "`pending`: not tried yet. `retrying`: tried, and to be tried again. `exhausted`: all attempts failed; there is a dead letter."
  }),
  is_paused: Schema.Boolean.annotate({
    description: "The webhook is disabled: the delivery is kept, and goes on when the webhook is enabled."
  }),
  attempts: Schema.Int,
  attempted_at: Schema.Array(Schema.String).annotate({ description: "When each attempt began, oldest first." }),
  answers: Schema.Array(AnswerView).annotate({ description: "What came of each attempt, as `attempted_at` has them." }),
  response_status: Schema.NullOr(Schema.Int).annotate({
    description: "Of the last attempt; null when there was no answer."
  }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "Why the last attempt failed." }),
  latency_ms: Schema.NullOr(Schema.Int).annotate({ description: "Of the last attempt." }),
  next_attempt_at: Schema.NullOr(Schema.String).annotate({
    description:
      "The earliest moment of the next attempt; null when there is none, or not before the webhook is enabled."
  }),
  event_at: Schema.String
}).annotate({ identifier: "WebhookDelivery" })

const WholeDeliveryView = Schema.Struct({
  ...WebhookDeliveryView.fields,
  body: Schema.Json.annotate({ description: "What is posted." })
}).annotate({ identifier: "WebhookDeliveryWithBody" })

const RecipientDeliveryView = Schema.Struct({
  webhook_id: WebhookId,
  ...WebhookDeliveryView.fields
}).annotate({ identifier: "RecipientWebhookDelivery" })

const reasonOf = (outcome: number | string): string | null => {
  if (typeof outcome === "string") return outcome
  return outcome >= 200 && outcome < 300 ? null : `answered ${outcome}`
}

const answerOf = ({ latencyMs, outcome }: WebhookAttempt): typeof AnswerView.Type => ({
  response_status: typeof outcome === "number" ? outcome : null,
  reason: reasonOf(outcome),
  latency_ms: latencyMs
})

const show = (delivery: WebhookDelivery): typeof WebhookDeliveryView.Type => {
  const answers = delivery.attempts.map(answerOf)
  const last = answers.at(-1)
  return {
    event_id: delivery.id,
    event: delivery.event,
    status: delivery.status,
    is_paused: delivery.isPaused,
    attempts: delivery.attempts.length,
    attempted_at: delivery.attempts.map(({ at }) => isoTime(at)),
    answers,
    response_status: last?.response_status ?? null,
    reason: last?.reason ?? null,
    latency_ms: last?.latency_ms ?? null,
    next_attempt_at: delivery.nextAttemptAt === null ? null : isoTime(delivery.nextAttemptAt),
    event_at: isoTime(delivery.eventAt)
  }
}

const example = {
  event_id: ID,
  event: "NOTIFICATION_SENT",
  status: "retrying",
  is_paused: false,
  attempts: 1,
  attempted_at: [NOW],
  answers: [{ response_status: 503, reason: "answered 503", latency_ms: 41 }],
  response_status: 503,
  reason: "answered 503",
  latency_ms: 41,
  next_attempt_at: "2026-01-15T09:30:30.000Z",
  event_at: NOW
}

/** The events about a recipient that there can be, each at its moment. */
const eventsAbout = ({
  at,
  clickedAt,
  deliveredAt,
  openedAt,
  status
}: FollowedDelivery): ReadonlyArray<RecipientEvent> => {
  const moments = [
    ["NOTIFICATION_SENT", status === "sent" ? at : null],
    ["NOTIFICATION_FAILED", status === "failed" ? at : null],
    ["NOTIFICATION_DELIVERED", deliveredAt],
    ["NOTIFICATION_OPENED", openedAt],
    ["NOTIFICATION_CLICKED", clickedAt]
  ] as const
  return moments.flatMap(([event, at]) => (at === null ? [] : [{ event, at }]))
}

const WantedEvent = Schema.Struct({
  event: Schema.optionalKey(
    EventName.annotate({ description: "Unless given, the first that the webhook subscribes to." })
  )
})

/** What became of a webhook's deliveries, and a way to try one. */
export const webhookDeliveryRoutes = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const notifications = yield* NotificationStore
  const log = yield* AuditLog
  const tests = yield* TestEvents

  return [
    route({
      method: "POST",
      path: "/api/v1/webhooks/:id/test",
      access: "secret",
      tag: "Webhooks",
      summary: "Send a test delivery now",
      description:
        "One attempt with a sample of the `event`, named in the body or in the query: signed as every delivery is, marked by the header `X-Service-Test: true`, its payload's ids made of zeros. It is not repeated, not listed, and counts neither for nor against the webhook; a disabled one can be tested too. The answer comes when the receiver has answered, or after the deadline of every attempt.",
      query: WantedEvent,
      body: { schema: WantedEvent, name: "TestWebhook", isOptional: true, example: { event: "WORKFLOW_FILTERED" } },
      success: {
        status: 200,
        description: "What came of it.",
        schema: Schema.Struct({
          delivered: Schema.Boolean.annotate({ description: "Whether the answer was 2xx." }),
          response_status: Schema.NullOr(Schema.Int),
          reason: Schema.NullOr(Schema.String),
          latency_ms: Schema.Int,
          event_id: Schema.String,
          event: EventName
        }).annotate({ identifier: "WebhookTest" }),
        example: {
          delivered: true,
          response_status: 204,
          reason: null,
          latency_ms: 41,
          event_id: ID,
          event: "NOTIFICATION_SENT"
        }
      },
      errors: ["validation_error", "not_found"],
      hasDeadline: true,
      handler: Effect.fnUntraced(function* ({ body, caller, params, query, waits }) {
        if (body.event !== undefined && query.event !== undefined && body.event !== query.event) {
          return yield* Effect.fail(
            invalid([{ field: "event", message: `is ${query.event} in the query: name the same, or one of them` }])
          )
        }
        const id = params.id as WebhookId
        const webhook = yield* within(waits, webhooks.find(caller.appId, id))
        if (Option.isNone(webhook)) return yield* Effect.fail(notFound("webhook"))
        const event = body.event ?? query.event ?? webhook.value.events[0] ?? "NOTIFICATION_SENT"
        const test = yield* within(waits, tests.prepare(caller.appId, id, event))
        if (Option.isNone(test)) return yield* Effect.fail(notFound("webhook"))
        yield* within(waits, log.record(caller.appId, { action: "webhook.tested", target: id, details: { event } }))
        const { eventId, failure, latencyMs, status } = yield* test.value
        return {
          delivered: failure === null,
          response_status: status,
          reason: failure,
          latency_ms: latencyMs,
          event_id: eventId,
          event
        }
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks/:id/deliveries",
      access: "secret",
      tag: "Webhooks",
      summary: "List recent deliveries",
      description:
        "With `event` or `status` a page ends after some thousand deliveries that were looked at: it may hold fewer than `limit`, and even none, while `next_cursor` says that there are more.",
      query: Schema.Struct({
        event: Schema.optionalKey(EventName),
        status: Schema.optionalKey(DeliveryState),
        ...listQuery
      }),
      success: {
        status: 200,
        description: "A page of deliveries, those of the newest events first.",
        schema: pageOf(WebhookDeliveryView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        const id = params.id as WebhookId
        if (Option.isNone(yield* webhooks.find(caller.appId, id))) return yield* Effect.fail(notFound("webhook"))
        return yield* page(
          `webhook-deliveries/${id}`,
          query,
          (after, limit) => webhooks.deliveries(caller.appId, id, after, limit, query),
          show
        )
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks/:id/delivery",
      access: "secret",
      tag: "Webhooks",
      summary: "Read a delivery with its body",
      query: Schema.Struct({
        event_id: Schema.String.check(Schema.isUUID()).annotate({ description: "As the list of deliveries has it." })
      }),
      success: {
        status: 200,
        description: "The delivery.",
        schema: WholeDeliveryView,
        example: { ...example, body: { id: ID, event: "NOTIFICATION_SENT", appId: ID, timestamp: NOW, payload: {} } }
      },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        const found = yield* webhooks.delivery(caller.appId, params.id as WebhookId, query.event_id)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("delivery"))
        return { ...show(found.value.delivery), body: JSON.parse(found.value.body) as Schema.Json }
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id/webhook-deliveries",
      access: "secret",
      tag: "Webhooks",
      summary: "List what webhooks were told of a recipient",
      description:
        "The events about one recipient of a notification, at each webhook that wanted them, as long as they are kept. Nothing for a recipient whose state is not final yet, or when no webhook listened.",
      query: Schema.Struct({
        recipient_id: Schema.String.check(Schema.isUUID()).annotate({ description: "The device, or the channel." })
      }),
      success: {
        status: 200,
        description: "Deliveries to webhooks, those of the oldest events first.",
        schema: Schema.Struct({ data: Schema.Array(RecipientDeliveryView) }).annotate({
          identifier: "RecipientWebhookDeliveries"
        }),
        example: { data: [{ webhook_id: ID, ...example }] }
      },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        const id = params.id as NotificationId
        if (Option.isNone(yield* notifications.find(caller.appId, id))) {
          return yield* Effect.fail(notFound("notification"))
        }
        const recipientId = query.recipient_id.toLowerCase()
        const { items } = yield* notifications.deliveries(caller.appId, id, null, 1, { recipientId })
        const events = items.flatMap(eventsAbout)
        if (events.length === 0) return { data: [] }
        const told = yield* webhooks.ofRecipient(caller.appId, id, recipientId, events)
        return { data: told.map(({ delivery, webhookId }) => ({ webhook_id: webhookId, ...show(delivery) })) }
      })
    })
  ]
})
