import { Effect, Option, Schema } from "effect"
import { UserId } from "../../../services/domain/audience/Device.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import { DeliveryStatus } from "../../../services/domain/sending/Delivery.ts"
import { NotificationStatus, SendNotification } from "../../../services/domain/sending/Notification.ts"
import { changedRequest, UpdateNotification } from "../../../services/domain/sending/NotificationChange.ts"
import { maxLength } from "../../../services/domain/Text.ts"
import { inOrder, isoTime, Moment } from "../../../services/domain/Time.ts"
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
import { CANCEL, CHANGE, PAUSE, PREVIEW, RESUME, SEND } from "./NotificationTexts.ts"
import { previewExample, PreviewView, showPreview } from "./NotificationPreview.ts"
import {
  AcceptedView,
  deliveryExample,
  DeliveryView,
  notificationExample,
  NotificationSummaryView,
  NotificationView,
  OutcomesView,
  RetriesView,
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
}).check(inOrder("created_from", "created_to"))

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text))

const filterOf = ({ created_from, created_to, status }: typeof NotificationQuery.Type): NotificationFilter => ({
  status,
  createdFrom: timeOf(created_from),
  createdTo: timeOf(created_to)
})

/** What the operations stand on. */
interface Services {
  readonly tracing: Tracing
  readonly accept: Accept["Service"]
  readonly notifications: NotificationStore["Service"]
  readonly control: Effect.Success<typeof makeNotificationControl>
  readonly preview: Effect.Success<typeof makePreview>
  readonly revise: Effect.Success<typeof makeRevising>
}

const sendRoute = ({ accept, tracing }: Services) =>
  route({
    method: "POST",
    path: "/api/v1/notifications",
    access: "secret",
    tag: "Notifications",
    summary: "Send a notification",
    description: SEND,
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
  })

const previewRoute = ({ preview }: Services) =>
  route({
    method: "POST",
    path: "/api/v1/notifications/preview",
    access: "secret",
    canWait: true,
    tag: "Notifications",
    summary: "See what a notification would do",
    description: PREVIEW,
    body: {
      schema: SendNotification,
      name: "SendNotification",
      example: { to: { tags_any: ["news"] }, content: { title: "Hello", body: "The first light of the day" } }
    },
    success: { status: 200, description: "What would happen now.", schema: PreviewView, example: previewExample },
    errors: ["validation_error"],
    handler: ({ body, caller }) => preview(caller.appId, body).pipe(Effect.map(showPreview), Effect.mapError(inWords))
  })

const listRoute = ({ notifications }: Services) => {
  const readPage = Effect.fnUntraced(function* (
    appId: AppId,
    filter: NotificationFilter,
    before: string | null,
    limit: number
  ) {
    const { items, next } = yield* notifications.list(appId, filter, before, limit)
    const counts = yield* notifications.counts(
      appId,
      items.map(({ id }) => id)
    )
    return { items: items.map((item) => showSummary(item, counts.get(item.id))), next }
  })
  return route({
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
        (before, limit) => readPage(caller.appId, filterOf(query), before, limit),
        (item) => item
      )
  })
}

const readRoute = ({ notifications }: Services) =>
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
  })

const changeRoute = ({ notifications, revise }: Services) =>
  route({
    method: "PATCH",
    path: "/api/v1/notifications/:id",
    access: "secret",
    tag: "Notifications",
    summary: "Change a scheduled notification",
    description: CHANGE,
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
  })

const DeliveryQuery = Schema.Struct({
  status: Schema.optionalKey(DeliveryStatus),
  error: Schema.optionalKey(
    Schema.String.check(maxLength(200)).annotate({ description: "Exactly this code, as `unregistered`." })
  ),
  user_id: Schema.optionalKey(
    UserId.annotate({ description: "The devices and channels of the person with this id of the application's own." })
  ),
  ...listQuery
})

const outcomesRoute = ({ notifications }: Services) =>
  route({
    method: "GET",
    path: "/api/v1/notifications/:id/outcomes",
    access: "secret",
    tag: "Notifications",
    summary: "Count why recipients ended as they did",
    description:
      "By provider, state and error, most first. It reads the results of all recipients: for the counts alone, the notification itself is quicker, and exact while it is sending.",
    success: {
      status: 200,
      description: "How many ended alike.",
      schema: OutcomesView,
      example: { data: [{ provider: "apns", status: "failed", error: "unregistered", count: 13 }] }
    },
    errors: ["not_found"],
    handler: Effect.fnUntraced(function* ({ caller, params }) {
      const id = params.id as NotificationId
      if (Option.isNone(yield* notifications.find(caller.appId, id))) {
        return yield* Effect.fail(notFound("notification"))
      }
      return { data: yield* notifications.outcomes(caller.appId, id) }
    })
  })

const retriesRoute = ({ notifications }: Services) =>
  route({
    method: "GET",
    path: "/api/v1/notifications/:id/retries",
    access: "secret",
    tag: "Notifications",
    summary: "Say what pending recipients wait for",
    description:
      "Recipients that were tried, or held back, and are not final yet: after which error, and when they are tried again. By provider and error, most recipients first. Those whose credential is refused wait for another one, tried or not. Empty for those that nobody has tried yet.",
    success: {
      status: 200,
      description: "What they wait for.",
      schema: RetriesView,
      example: {
        data: [
          {
            provider: "apns",
            error: "503 ServiceUnavailable",
            attempts: 2,
            recipients: 1,
            next_at: "2026-11-20T09:00:20.000Z"
          }
        ]
      }
    },
    errors: ["not_found"],
    handler: Effect.fnUntraced(function* ({ caller, params }) {
      const id = params.id as NotificationId
      if (Option.isNone(yield* notifications.find(caller.appId, id))) {
        return yield* Effect.fail(notFound("notification"))
      }
      const waiting = yield* notifications.retries(caller.appId, id)
      return {
        data: waiting.map(({ nextAt, ...rest }) => ({ ...rest, next_at: nextAt === null ? null : isoTime(nextAt) }))
      }
    })
  })

const deliveriesRoute = ({ notifications }: Services) =>
  route({
    method: "GET",
    path: "/api/v1/notifications/:id/deliveries",
    access: "secret",
    tag: "Notifications",
    summary: "List what became of each recipient",
    description: "Recipients have a row here once their state is final; the rest are `pending` in the counts.",
    query: DeliveryQuery,
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
      const { error, status, user_id } = query
      const filter = {
        ...(error === undefined ? {} : { error }),
        ...(status === undefined ? {} : { status }),
        ...(user_id === undefined ? {} : { userId: user_id })
      }
      return yield* page(
        `deliveries/${id}`,
        query,
        (after, limit) => notifications.deliveries(caller.appId, id, after, limit, filter),
        showDelivery
      )
    })
  })

/** What becomes of the example under way. */
const CONTROLLED = {
  cancel: { status: "cancelled", counts: { ...summaryExample.counts, sent: 6_000, cancelled: 3_987 } },
  pause: { status: "paused", counts: { ...summaryExample.counts, sent: 6_000, pending: 3_987 } },
  resume: { status: "sending", counts: { ...summaryExample.counts, sent: 6_000, pending: 3_987 } }
}

const controlRoute = (
  { control, notifications }: Services,
  command: ControlCommand,
  summary: string,
  description: string
) =>
  route({
    method: "POST",
    path: `/api/v1/notifications/:id/${command}`,
    access: "secret",
    tag: "Notifications",
    summary,
    description: `${description} What it changes is in the audit log.`,
    success: {
      status: 200,
      description: "The notification as it is now.",
      schema: NotificationSummaryView,
      example: { ...summaryExample, ...CONTROLLED[command], completed_at: null }
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

/** Notifications: accepted here, sent by the workers, followed by their counts. */
export const notificationRoutes = Effect.gen(function* () {
  const services: Services = {
    tracing: yield* Tracing,
    accept: yield* Accept,
    notifications: yield* NotificationStore,
    control: yield* makeNotificationControl,
    preview: yield* makePreview,
    revise: yield* makeRevising
  }
  return [
    controlRoute(services, "cancel", "Cancel a notification", CANCEL),
    controlRoute(services, "pause", "Pause a notification", PAUSE),
    controlRoute(services, "resume", "Resume a paused notification", RESUME),
    sendRoute(services),
    previewRoute(services),
    listRoute(services),
    readRoute(services),
    changeRoute(services),
    deliveriesRoute(services),
    outcomesRoute(services),
    retriesRoute(services)
  ]
})
