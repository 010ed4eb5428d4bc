import { Effect, Option, Schema } from "effect"
import { ProviderKind } from "../../services/domain/Credential.ts"
import type { Counts, Delivery } from "../../services/domain/Delivery.ts"
import { DeliveryStatus, isChannel } from "../../services/domain/Delivery.ts"
import { DeliveryId, NotificationId } from "../../services/domain/Ids.ts"
import type { Notification } from "../../services/domain/Notification.ts"
import { NotificationStatus, Priority, SendNotification } from "../../services/domain/Notification.ts"
import { NOTHING } from "../../services/domain/Stats.ts"
import { isDay, isoTime } from "../../services/domain/Time.ts"
import type { UnknownRecipients } from "../../services/engine/Accept.ts"
import { Accept } from "../../services/engine/Accept.ts"
import type { RequestRefused } from "../../services/engine/Pinning.ts"
import { makePreview } from "../../services/engine/Preview.ts"
import { makeSteering } from "../../services/engine/Steering.ts"
import type { SteerCommand } from "../../services/ports/NotificationStore.ts"
import { NotificationStore } from "../../services/ports/NotificationStore.ts"
import { Tracing } from "../../services/ports/Tracing.ts"
import { ApiError, DETAILS, invalid, notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { previewExample, PreviewView, showPreview } from "./NotificationPreview.ts"
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
  clicked: Schema.Int,
  machine_opened: Schema.Int,
  machine_clicked: Schema.Int
}).annotate({
  identifier: "Counts",
  description:
    "`machine_opened` and `machine_clicked` say how many of `opened` and `clicked` only machines did so far (e-mail: scanners, prefetching, image proxies). Recipients. `accepted` = `pending` + `sent` + `failed` + `skipped` + `cancelled`, at every moment."
})

const NotificationView = Schema.Struct({
  id: NotificationId,
  status: NotificationStatus,
  priority: Priority,
  counts: CountsView,
  send_at: Schema.NullOr(Schema.String).annotate({
    description: "When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once."
  }),
  local_time: Schema.NullOr(Schema.String).annotate({ description: "The time of day on each recipient's clock." }),
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

const NOBODY: Counts = { accepted: 0, pending: 0, ...NOTHING }

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const sendAtOf = ({ send_at }: SendNotification): string | null =>
  send_at === undefined ? null : isDay(send_at) ? send_at : isoTime(Date.parse(send_at))

const show = (notification: Notification, counts: Counts = NOBODY): typeof NotificationView.Type => ({
  id: notification.id,
  status: notification.status,
  priority: notification.request.priority ?? "bulk",
  counts,
  send_at: sendAtOf(notification.request),
  local_time: notification.request.local_time ?? null,
  created_at: isoTime(notification.createdAt),
  started_at: timeOrNull(notification.startedAt),
  completed_at: timeOrNull(notification.completedAt)
})

const showDelivery = (delivery: Delivery): typeof DeliveryView.Type => ({
  id: delivery.id,
  device_id: isChannel(delivery.provider) ? null : delivery.recipientId,
  channel_id: isChannel(delivery.provider) ? delivery.recipientId : null,
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
  local_time: null,
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

const refused = ({ field, message }: RequestRefused) => invalid([{ field, message }])

/** Notifications: accepted here, sent by the workers, followed by their account. */
export const notificationRoutes = Effect.gen(function* () {
  const tracing = yield* Tracing
  const accept = yield* Accept
  const notifications = yield* NotificationStore
  const steer = yield* makeSteering
  const preview = yield* makePreview

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
        "Accepts a message to one recipient or to a million; the answer takes the same time. `to` holds one kind of selector: `all`, `device_ids`, `user_ids`, `channel_ids`, `emails`, `segment_id`, or a description by any of `tags_any`, `tags_all`, `platforms`, `timezone`, `locale` and `attributes` (the last two are those of contacts). Instead of `content`, `template_id` with `variables` names a template, which is taken as it is now. `title`, `body`, `url`, `image` and `data` go to devices; `subject` and `html` make it an e-mail too. `channels` says which ways to take to the people of `all`, `user_ids`, a segment, tags or a time zone instead: any of `push`, `email`, `inbox` (in-app messages, one for each person, who becomes a contact if `user_ids` names them). `track` (`opens`, `clicks`) puts an open pixel and tracked links into the HTML of e-mail, or leaves them out; where it says nothing the operator's setting does. With `send_at` (ISO 8601 with an offset, within a year) it is `scheduled` until then: its audience is read at that time, and `ttl` counts from it. With `local_time` (`HH:MM`) each recipient gets it when their own clock shows that time: on the day of `send_at`, where that is a day (`2026-12-24`), else at the first such moment from `send_at`, or from now. Where the time is over already when the notification is accepted, it is sent a day later. Where clocks pass over the time, it is sent at the moment they do; where they show it twice, the first time. The zone is the device's, else its contact's (of e-mail and inboxes the contact's), else `timezone`, else the service's (UTC unless set). The notification is `scheduled` until the first recipient's time, then `sending` until the last; `ttl` counts from each recipient's own. A `traceparent` header (W3C Trace Context) whose sampled flag is set has the notification traced, where the operator collects traces.",
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
      handler: ({ body, caller, request, requestId, settle }) =>
        tracing
          .begin(
            request.headers["traceparent"],
            "notification.accept",
            { app_id: caller.appId, request_id: requestId },
            (span) => {
              const { trace = null } = span ?? {}
              const sent = accept.send(
                caller.appId,
                body,
                settle && (({ id, status }) => settle({ id, status })),
                trace
              )
              return span === null
                ? sent
                : Effect.tap(sent, ({ id }) => Effect.sync(() => span.note({ notification_id: id })))
            }
          )
          .pipe(
            Effect.map(({ id, status }) => ({ id, status })),
            Effect.mapError((error) => {
              if (error._tag === "UnknownRecipients") return unknownRecipients(body, error)
              if (error._tag === "RequestRefused") return refused(error)
              return error
            })
          )
    }),
    route({
      method: "POST",
      path: "/api/v1/notifications/preview",
      access: "secret",
      tag: "Notifications",
      summary: "See what a notification would do",
      description:
        "Takes what sending takes, and changes nothing: how many recipients each provider has, whether there is a credential for it, how large the message becomes, and what somebody of the audience would get. With a template that asks for something of the recipient, sizes are those of the sample.",
      body: {
        schema: SendNotification,
        name: "SendNotification",
        example: { to: { tags_any: ["news"] }, content: { title: "Hello", body: "The first light of the day" } }
      },
      success: { status: 200, description: "What would happen now.", schema: PreviewView, example: previewExample },
      errors: ["validation_error"],
      handler: ({ body, caller }) =>
        preview(caller.appId, body).pipe(
          Effect.map(showPreview),
          Effect.mapError((error) => (error._tag === "RequestRefused" ? refused(error) : error))
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
