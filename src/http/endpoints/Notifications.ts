import { Effect, Option, Schema } from "effect"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { NotificationStatus, SendNotification } from "../../../services/domain/sending/Notification.ts"
import { changedRequest, UpdateNotification } from "../../../services/domain/sending/NotificationChange.ts"
import { Moment } from "../../../services/domain/Time.ts"
import { Accept } from "../../../services/engine/sending/Accept.ts"
import type { UnknownRecipients } from "../../../services/engine/sending/Named.ts"
import type { RequestRefused } from "../../../services/engine/sending/Resolving.ts"
import { makePreview } from "../../../services/engine/messages/Preview.ts"
import { makeRevising } from "../../../services/engine/sending/Revising.ts"
import { makeNotificationControl } from "../../../services/engine/sending/NotificationControl.ts"
import type { NotificationFilter, ControlCommand } from "../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import type { TemplatesBusy } from "../../../services/ports/messages/TemplateEngine.ts"
import { Tracing } from "../../../services/ports/operations/Tracing.ts"
import { ApiError, DETAILS, invalid, notFound, templatesBusy } from "../pipeline/ApiError.ts"
import { ID } from "../docs/Examples.ts"
import { previewExample, PreviewView, showPreview } from "./NotificationPreview.ts"
import {
  AcceptedView,
  deliveryExample,
  DeliveryView,
  notificationExample,
  NotificationSummaryView,
  NotificationView,
  showDelivery,
  showNotification,
  showSummary,
  summaryExample
} from "./NotificationViews.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"
import { decoder } from "../pipeline/Validation.ts"

/** What the engine says of a request that is well-formed, in the words of the API. */
const inWords = (error: UnknownRecipients | RequestRefused | TemplatesBusy | StoreError) => {
  if (error._tag === "StoreError") return error
  if (error._tag === "TemplatesBusy") return templatesBusy()
  if (error._tag === "RequestRefused") return invalid([{ field: error.field, message: error.message }])
  const { field, places } = error
  const message = `is no ${field === "device_ids" ? "device" : "channel"} of this application`
  return invalid(
    places.slice(0, DETAILS).map((place) => ({ field: `to.${field}[${place}]`, message })),
    places.length
  )
}

const decodeRequest = decoder(SendNotification)

/** The request as it is to be, if it could be sent. */
const changed = (request: SendNotification, change: UpdateNotification) =>
  decodeRequest(changedRequest(request, change))

const NotificationQuery = Schema.Struct({
  status: Schema.optionalKey(NotificationStatus.annotate({ description: "In this state now." })),
  created_from: Schema.optionalKey(Moment.annotate({ description: "Accepted at this moment or later." })),
  created_to: Schema.optionalKey(Moment.annotate({ description: "Accepted at this moment or before." })),
  ...listQuery
}).check(
  Schema.makeFilter(({ created_from, created_to }) => {
    if (created_from === undefined || created_to === undefined) return undefined
    return (
      Date.parse(created_from) <= Date.parse(created_to) || {
        path: ["created_to"],
        issue: "must not lie before created_from"
      }
    )
  })
)

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text))

const filterOf = ({ created_from, created_to, status }: typeof NotificationQuery.Type): NotificationFilter => ({
  status,
  createdFrom: timeOf(created_from),
  createdTo: timeOf(created_to)
})

/** Notifications: accepted here, sent by the workers, followed by their counts. */
export const notificationRoutes = Effect.gen(function* () {
  const tracing = yield* Tracing
  const accept = yield* Accept
  const notifications = yield* NotificationStore
  const control = yield* makeNotificationControl
  const preview = yield* makePreview
  const revise = yield* makeRevising

  const controlRoute = (command: ControlCommand, summary: string, description: string) =>
    route({
      method: "POST",
      path: `/api/v1/notifications/:id/${command}`,
      access: "secret",
      isAudited: true,
      tag: "Notifications",
      summary,
      description: `${description} What it changes is in the audit log.`,
      success: {
        status: 200,
        description: "The notification as it is now.",
        schema: NotificationSummaryView,
        example: summaryExample
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as NotificationId
        const controlled = yield* control(caller.appId, id, command)
        if (Option.isNone(controlled)) return yield* Effect.fail(notFound("notification"))
        const { isDone, notification } = controlled.value
        if (!isDone) {
          const message = `The notification is ${notification.status}: there is nothing left to ${command}.`
          return yield* Effect.fail(new ApiError("conflict", message))
        }
        const counts = yield* notifications.counts(caller.appId, [id])
        return showSummary(notification, counts.get(id))
      })
    })

  return [
    controlRoute(
      "cancel",
      "Cancel a notification",
      "What is not yet sent is not sent: batches that are under way at this moment finish, everybody else becomes `cancelled`. Whom a node had in hand that has died or is frozen is `pending` until its lease ends, and then `cancelled` with the error `outcome_unknown` among the deliveries: they may have got the message. The counts of a very large audience take a few seconds to say so. Cancelling again changes nothing."
    ),
    controlRoute(
      "pause",
      "Pause a notification",
      "Batches that are under way finish; the rest waits for a resume, as long as the notification's time to live lasts. One that is scheduled is not sent when its time comes. Pausing again changes nothing."
    ),
    controlRoute(
      "resume",
      "Resume a paused notification",
      "Goes on at once where it stopped. One that was paused before its time is `scheduled` again; if the time went by meanwhile, it is sent now, and `ttl` counts from now. With `local_time`, those whose own time went by get it now. Resuming one that runs, or is scheduled, changes nothing."
    ),
    route({
      method: "POST",
      path: "/api/v1/notifications",
      access: "secret",
      tag: "Notifications",
      summary: "Send a notification",
      description:
        "Accepts a message to one recipient or to a million; the answer takes the same time. `to` holds one kind of selector: `all`, `device_ids`, `user_ids`, `channel_ids`, `emails`, `segment_id`, or a description by any of `tags_any`, `tags_all`, `platforms`, `timezone`, `locale` and `attributes` (the last two are those of contacts). Ids in `device_ids` and `channel_ids` that the application does not have are skipped: the answer counts them and names the first hundred, and only a request all of whose ids are unknown is refused. `user_ids`, your own ids of people, and `emails` are looked for when it is sent. Instead of `content`, `template_id` with `variables` names a template, which is taken as it is now. `title`, `body`, `url`, `image` and `data` go to devices; `subject` and `html` make it an e-mail too. `channels` says which ways to take to the people of `all`, `user_ids`, a segment, tags or a time zone instead: any of `push`, `email`, `inbox` (in-app messages, one for each person, who becomes a contact if `user_ids` names them). `track` (`opens`, `clicks`) puts an open pixel and tracked links into the HTML of e-mail, or leaves them out; where it says nothing the operator's setting does. With `send_at` (ISO 8601 with an offset, within a year) it is `scheduled` until then: its audience is read at that time, and `ttl` counts from it. A moment that is over, for a minute at most, means now. With `local_time` (`HH:MM`) each recipient gets it when their own clock shows that time: on the day of `send_at`, where that is a day (`2026-12-24`), else at the first such moment from `send_at`, or from now. Where the time is over already when the notification is accepted, it is sent a day later. Where clocks pass over the time, it is sent at the moment they do; where they show it twice, the first time. The zone is the device's, else its contact's (of e-mail and inboxes the contact's), else `timezone`, else the service's (UTC unless set). The notification is `scheduled` until the first recipient's time, then `sending` until the last; `ttl` counts from each recipient's own. A `traceparent` header (W3C Trace Context) whose sampled flag is set has the notification traced, where the operator collects traces.",
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
              const sent = accept.send(caller.appId, body, settle, trace)
              return span === null
                ? sent
                : Effect.tap(sent, ({ id }) => Effect.sync(() => span.note({ notification_id: id })))
            }
          )
          .pipe(Effect.mapError(inWords))
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
      handler: ({ body, caller }) => preview(caller.appId, body).pipe(Effect.map(showPreview), Effect.mapError(inWords))
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications",
      access: "secret",
      tag: "Notifications",
      summary: "List notifications",
      description:
        "Without what grows with the request: that is shown of one notification. Conditions hold all together, and the cursor goes on with the same ones.",
      query: NotificationQuery,
      success: {
        status: 200,
        description: "A page of notifications, newest first.",
        schema: pageOf(NotificationSummaryView),
        example: { data: [summaryExample], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page(
          "notifications",
          query,
          Effect.fnUntraced(function* (before, limit) {
            const { items, next } = yield* notifications.list(caller.appId, filterOf(query), before, limit)
            const counts = yield* notifications.counts(
              caller.appId,
              items.map(({ id }) => id)
            )
            return { items: items.map((item) => showSummary(item, counts.get(item.id))), next }
          }),
          (item) => item
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id",
      access: "secret",
      tag: "Notifications",
      summary: "Read a notification and its counts",
      description:
        "The whole request as it was sent, `to` with every id, beside what became of it. With a `template_id`, `variables` are shown and not what the template made of them.",
      success: {
        status: 200,
        description: "The notification.",
        schema: NotificationView,
        example: notificationExample
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as NotificationId
        const notification = yield* notifications.find(caller.appId, id)
        if (Option.isNone(notification)) return yield* Effect.fail(notFound("notification"))
        const counts = yield* notifications.counts(caller.appId, [id])
        return showNotification(notification.value, counts.get(id))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/notifications/:id",
      access: "secret",
      tag: "Notifications",
      summary: "Change a scheduled notification",
      description:
        "One that is `scheduled`, or was paused before its time. A part of the request takes the place of the one before, whole (`content`, `to`); null takes it away; what is left out stays. What comes of it has to be a request that could be sent, and is looked at as such: the template and the segment are taken as they are now, ids in `to` are looked up anew. Without `send_at` and `local_time` it is sent at once. Where it has begun meanwhile, or ended, the answer is 409 and nothing is changed: either the change is sent, or what was there before, never some of both. The change is in the audit log. A body without fields changes nothing.",
      isAudited: true,
      body: {
        schema: UpdateNotification,
        name: "UpdateNotification",
        example: { content: { title: "Hello", body: "The second light of the day" }, ttl: null }
      },
      success: {
        status: 200,
        description: "The notification as it is now.",
        schema: NotificationView,
        example: { ...notificationExample, status: "scheduled", started_at: null, completed_at: null }
      },
      errors: ["not_found", "conflict", "validation_error"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const id = params.id as NotificationId
        const revised = yield* revise(caller.appId, id, Object.keys(body), (request) =>
          Effect.fromResult(changed(request, body))
        ).pipe(
          Effect.mapError((error) => {
            if (error._tag === "ApiError") return error
            if (error._tag !== "NoLongerScheduled") return inWords(error)
            const message = `The notification is ${error.status}: only one that has not begun can be changed.`
            return new ApiError("conflict", message)
          })
        )
        if (Option.isNone(revised)) return yield* Effect.fail(notFound("notification"))
        const counts = yield* notifications.counts(caller.appId, [id])
        return showNotification(revised.value, counts.get(id))
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/notifications/:id/deliveries",
      access: "secret",
      tag: "Notifications",
      summary: "List what became of each recipient",
      description: "Recipients have a row here once their state is final; the rest are `pending` in the counts.",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of deliveries, in the order of recipients.",
        schema: pageOf(DeliveryView),
        example: { data: [deliveryExample], next_cursor: null }
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
