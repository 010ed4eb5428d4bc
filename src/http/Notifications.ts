import { Effect, Option, Schema } from "effect"
import { ProviderKind } from "../../services/domain/Credential.ts"
import type { Counts, Delivery } from "../../services/domain/Delivery.ts"
import { DeliveryStatus } from "../../services/domain/Delivery.ts"
import { DeliveryId, NotificationId } from "../../services/domain/Ids.ts"
import type { Notification } from "../../services/domain/Notification.ts"
import { NotificationStatus, Priority, SendNotification } from "../../services/domain/Notification.ts"
import { isoTime } from "../../services/domain/Time.ts"
import type { ContentTooLarge, UnknownRecipients } from "../../services/engine/Accept.ts"
import { Accept } from "../../services/engine/Accept.ts"
import { makeSteering } from "../../services/engine/Steering.ts"
import type { SteerCommand } from "../../services/ports/NotificationStore.ts"
import { NotificationStore } from "../../services/ports/NotificationStore.ts"
import { ApiError, DETAILS, invalid, notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { listQuery, page, pageOf } from "./Page.ts"
import { route } from "./Route.ts"

const AcceptedView = Schema.Struct({ id: NotificationId, status: NotificationStatus })

const CountsView = Schema.Struct({
  accepted: Schema.Int,
  pending: Schema.Int,
  sent: Schema.Int,
  failed: Schema.Int,
  skipped: Schema.Int,
  cancelled: Schema.Int,
  delivered: Schema.Int,
  opened: Schema.Int,
  clicked: Schema.Int
}).annotate({
  identifier: "Counts",
  description: "Recipients. `accepted` = `pending` + `sent` + `failed` + `skipped` + `cancelled`, at every moment."
})

const NotificationView = Schema.Struct({
  id: NotificationId,
  status: NotificationStatus,
  priority: Priority,
  counts: CountsView,
  send_at: Schema.NullOr(Schema.String).annotate({ description: "When it is, or was, to be sent; null: at once." }),
  created_at: Schema.String,
  started_at: Schema.NullOr(Schema.String),
  completed_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Notification" })

const DeliveryView = Schema.Struct({
  id: DeliveryId,
  device_id: Schema.NullOr(Schema.String),
  channel_id: Schema.NullOr(Schema.String),
  provider: ProviderKind,
  status: DeliveryStatus,
  message_id: Schema.NullOr(Schema.String).annotate({ description: "The provider's own id of the message." }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why it was not sent: a short code." }),
  attempts: Schema.Int,
  completed_at: Schema.String
}).annotate({ identifier: "Delivery" })

const NOBODY: Counts = {
  accepted: 0,
  pending: 0,
  sent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  delivered: 0,
  opened: 0,
  clicked: 0
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const show = (notification: Notification, counts: Counts = NOBODY): typeof NotificationView.Type => ({
  id: notification.id,
  status: notification.status,
  priority: notification.request.priority ?? "bulk",
  counts,
  send_at: notification.request.send_at === undefined ? null : isoTime(Date.parse(notification.request.send_at)),
  created_at: isoTime(notification.createdAt),
  started_at: timeOrNull(notification.startedAt),
  completed_at: timeOrNull(notification.completedAt)
})

const showDelivery = (delivery: Delivery): typeof DeliveryView.Type => ({
  id: delivery.id,
  device_id: delivery.provider === "smtp" ? null : delivery.recipientId,
  channel_id: delivery.provider === "smtp" ? delivery.recipientId : null,
  provider: delivery.provider,
  status: delivery.status,
  message_id: delivery.messageId,
  error: delivery.error,
  attempts: delivery.attempts,
  completed_at: isoTime(delivery.at)
})

const example = {
  id: ID,
  status: "completed",
  priority: "bulk",
  counts: { ...NOBODY, accepted: 10_000, sent: 9_987, failed: 13 },
  send_at: null,
  created_at: NOW,
  started_at: NOW,
  completed_at: NOW
}

/** Which recipients are unknown, by their place in the request. */
const unknownRecipients = (request: SendNotification, { field, ids }: UnknownRecipients) => {
  const named = request.to[field] ?? []
  return invalid(
    ids.slice(0, DETAILS).map((id) => ({
      field: `to.${field}[${named.findIndex((name) => name === id)}]`,
      message: `is no ${field === "device_ids" ? "device" : "channel"} of this application`
    })),
    ids.length
  )
}

/** Notifications: accepted here, sent by the workers, followed by their account. */
export const notificationRoutes = Effect.gen(function* () {
  const accept = yield* Accept
  const notifications = yield* NotificationStore
  const steer = yield* makeSteering

  const steering = (command: SteerCommand, summary: string, description: string) =>
    route({
      method: "POST",
      path: `/api/v1/notifications/:id/${command}`,
      access: "secret",
      tag: "Notifications",
      summary,
      description,
      success: { status: 200, description: "The notification as it is now.", schema: NotificationView, example },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as NotificationId
        const steered = yield* steer(caller.appId, id, command)
        if (Option.isNone(steered)) return yield* Effect.fail(notFound("notification"))
        const { isDone, notification } = steered.value
        if (!isDone) {
          const message =
            notification.status === "scheduled"
              ? `The notification is scheduled and not yet at work: it can be cancelled, but there is nothing to ${command}.`
              : `The notification is ${notification.status}: there is nothing left to ${command}.`
          return yield* Effect.fail(new ApiError("conflict", message))
        }
        const counts = yield* notifications.counts(caller.appId, [id])
        return show(notification, counts.get(id))
      })
    })

  return [
    steering(
      "cancel",
      "Cancel a notification",
      "What is not yet sent is not sent: batches that are under way at this moment finish, everybody else becomes `cancelled`. The counts of a very large audience take a few seconds to say so. Cancelling again changes nothing."
    ),
    steering(
      "pause",
      "Pause a notification",
      "Batches that are under way finish; the rest waits for a resume, as long as the notification's time to live lasts. Pausing again changes nothing."
    ),
    steering(
      "resume",
      "Resume a paused notification",
      "Goes on at once where it stopped. Resuming one that runs changes nothing."
    ),
    route({
      method: "POST",
      path: "/api/v1/notifications",
      access: "secret",
      tag: "Notifications",
      summary: "Send a notification",
      description:
        "Accepts a message to one recipient or to a million; the answer takes the same time. `to` holds one kind of selector: `all`, `device_ids`, `user_ids`, `channel_ids`, `emails`, or a description by `tags_any`, `tags_all`, `platforms`, `timezone`. `title`, `body`, `url`, `image` and `data` go to devices; `subject` and `html` make it an e-mail too. With `send_at` (ISO 8601 with an offset, within a year) it is `scheduled` until then: its audience is read at that time, and `ttl` counts from it.",
      body: {
        schema: SendNotification,
        name: "SendNotification",
        example: {
          to: { tags_any: ["news"] },
          content: { title: "Hello", body: "The first light of the day", url: "https://example.com/news" },
          ttl: 3600,
          priority: "bulk"
        }
      },
      success: {
        status: 202,
        description: "Accepted: it will be sent, whatever happens to this process. Follow it at Location.",
        schema: AcceptedView,
        example: { id: ID, status: "queued" },
        location: ({ id }) => `/api/v1/notifications/${id}`
      },
      errors: ["validation_error"],
      handler: ({ body, caller, settle }) =>
        accept.send(caller.appId, body, settle && (({ id, status }) => settle({ id, status }))).pipe(
          Effect.map(({ id, status }) => ({ id, status })),
          Effect.mapError((error) => {
            if (error._tag === "UnknownRecipients") return unknownRecipients(body, error)
            if (error._tag === "ContentTooLarge") return contentTooLarge(error)
            return error
          })
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications",
      access: "secret",
      tag: "Notifications",
      summary: "List notifications",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of notifications, newest first.",
        schema: pageOf(NotificationView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page(
          "notifications",
          query,
          Effect.fnUntraced(function* (before, limit) {
            const { items, next } = yield* notifications.list(caller.appId, before, limit)
            const counts = yield* notifications.counts(
              caller.appId,
              items.map(({ id }) => id)
            )
            return { items: items.map((item) => show(item, counts.get(item.id))), next }
          }),
          (item) => item
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id",
      access: "secret",
      tag: "Notifications",
      summary: "Read a notification and its account",
      success: { status: 200, description: "The notification.", schema: NotificationView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as NotificationId
        const notification = yield* notifications.find(caller.appId, id)
        if (Option.isNone(notification)) return yield* Effect.fail(notFound("notification"))
        const counts = yield* notifications.counts(caller.appId, [id])
        return show(notification.value, counts.get(id))
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id/deliveries",
      access: "secret",
      tag: "Notifications",
      summary: "List what became of each recipient",
      description: "Recipients have a row here once their state is final; the rest are `pending` in the account.",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of deliveries, in the order of recipients.",
        schema: pageOf(DeliveryView),
        example: {
          data: [
            {
              id: ID,
              device_id: ID,
              channel_id: null,
              provider: "apns",
              status: "sent",
              message_id: "8C1F3B52-5D2C-4E0B-9C7A-0B1E2F3A4D5C",
              error: null,
              attempts: 1,
              completed_at: NOW
            }
          ],
          next_cursor: null
        }
      },
      errors: ["not_found", "validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, params, query }) {
        const id = params.id as NotificationId
        if (Option.isNone(yield* notifications.find(caller.appId, id))) {
          return yield* Effect.fail(notFound("notification"))
        }
        return yield* page(
          `deliveries/${id}`,
          query,
          (after, limit) => notifications.deliveries(caller.appId, id, after, limit),
          showDelivery
        )
      })
    })
  ]
})

const contentTooLarge = ({ field, message }: ContentTooLarge) => invalid([{ field, message }])
