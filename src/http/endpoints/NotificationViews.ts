import { Schema } from "effect"
import { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { Counts, FollowedDelivery } from "../../../services/domain/sending/Delivery.ts"
import { DeliveryStatus, isChannel } from "../../../services/domain/sending/Delivery.ts"
import { DeliveryId, NotificationId, TemplateId, uuidTime, WorkflowId } from "../../../services/domain/Ids.ts"
import type { KeptRequest, Notification } from "../../../services/domain/sending/Notification.ts"
import { Overrides } from "../../../services/domain/sending/PushData.ts"
import {
  asSent,
  Audience,
  Content,
  NotificationStatus,
  Priority,
  Track,
  Way
} from "../../../services/domain/sending/Notification.ts"
import { NOTHING } from "../../../services/domain/operations/Stats.ts"
import { Variables } from "../../../services/domain/messages/Template.ts"
import { isDay, isoTime } from "../../../services/domain/Time.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { SkippedView } from "./NotificationPreview.ts"

/* What the API shows of notifications and of what became of their recipients. */

export const AcceptedView = Schema.Struct({
  id: NotificationId,
  status: NotificationStatus,
  skipped: Schema.optionalKey(
    SkippedView.annotate({ description: "Left out when the application has all ids of `to`." })
  )
})

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

const summary = {
  id: NotificationId,
  status: NotificationStatus,
  priority: Priority,
  title: Schema.NullOr(Schema.String).annotate({
    description: "The content's title, else its subject; null where there is none, or a template says it to each."
  }),
  template_id: Schema.NullOr(TemplateId),
  workflow_id: Schema.NullOr(WorkflowId).annotate({ description: "The workflow that sent it; null: a request did." }),
  workflow_step: Schema.NullOr(Schema.String).annotate({ description: "The key of that workflow's step." }),
  counts: CountsView,
  send_at: Schema.NullOr(Schema.String).annotate({
    description: "When it is, or was, to be sent: a moment, or with `local_time` a day; null: at once."
  }),
  local_time: Schema.NullOr(Schema.String).annotate({ description: "The time of day on each recipient's clock." }),
  created_at: Schema.String,
  updated_at: Schema.NullOr(Schema.String).annotate({
    description: "When what it says was last changed; null: never."
  }),
  started_at: Schema.NullOr(Schema.String),
  completed_at: Schema.NullOr(Schema.String)
}

/** As lists show it: nothing in it grows with the request. */
export const NotificationSummaryView = Schema.Struct(summary).annotate({ identifier: "NotificationSummary" })

/** As it is read by itself: the whole request beside what became of it. What was left out of the request is null. */
export const NotificationView = Schema.Struct({
  ...summary,
  to: Audience.annotate({ description: "As it was sent, with every id." }),
  channels: Schema.NullOr(Schema.Array(Way)),
  content: Schema.NullOr(Content).annotate({ description: "Null where there is a `template_id`." }),
  variables: Schema.NullOr(Variables),
  ttl: Schema.NullOr(Schema.Int),
  timezone: Schema.NullOr(Schema.String),
  collapse_key: Schema.NullOr(Schema.String),
  overrides: Schema.NullOr(Overrides),
  track: Schema.NullOr(Track),
  skipped: Schema.NullOr(SkippedView).annotate({
    description: "Null when the application had all ids of `to` when it was accepted."
  })
}).annotate({ identifier: "Notification" })

const UNCOUNTED =
  "Not counted is a try that says nothing about the message: where the provider refuses the credential, or asks to wait (429; a mail server's 421, 454, 450 and 451 with 4.7, as of greylisting, and any 4xx before it is offered a mail)."

export const DeliveryView = Schema.Struct({
  id: DeliveryId,
  device_id: Schema.NullOr(Schema.String),
  channel_id: Schema.NullOr(Schema.String),
  provider: ProviderKind,
  status: DeliveryStatus,
  message_id: Schema.NullOr(Schema.String).annotate({ description: "The provider's own id of the message." }),
  error: Schema.NullOr(Schema.String).annotate({
    description:
      "Why it was not sent: a short code. `outcome_unknown` beside `cancelled`: a node that died or froze had the message in hand when the notification was cancelled, so the recipient may have got it. If that node comes back with the result, the result replaces this."
  }),
  attempts: Schema.Int.annotate({
    description: `How often it was tried, the last time included. ${UNCOUNTED}`
  }),
  completed_at: Schema.String,
  delivered_at: Schema.NullOr(Schema.String).annotate({
    description: "When the client reported it, of push alone; as the next two, as long as reports are kept."
  }),
  opened_at: Schema.NullOr(Schema.String),
  clicked_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Delivery" })

export const OutcomesView = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      provider: ProviderKind,
      status: DeliveryStatus,
      error: Schema.NullOr(Schema.String),
      count: Schema.Int
    })
  )
}).annotate({ identifier: "Outcomes" })

export const RetriesView = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      provider: ProviderKind,
      error: Schema.NullOr(Schema.String).annotate({
        description:
          "What the provider said of the first of them, as `503 ServiceUnavailable`; of a suspended credential, why it is."
      }),
      attempts: Schema.Int.annotate({
        description: `How often they were tried, the most of any of them; 0 also after a try that is not counted. ${UNCOUNTED}`
      }),
      recipients: Schema.Int,
      next_at: Schema.NullOr(Schema.String).annotate({
        description:
          "When the next of them is tried. Null: once the credential is accepted again, or another one is set."
      })
    })
  )
}).annotate({ identifier: "Retries" })

const NOBODY: Counts = { accepted: 0, pending: 0, ...NOTHING }

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const sendAtOf = ({ send_at }: KeptRequest): string | null =>
  send_at === undefined ? null : isDay(send_at) ? send_at : isoTime(Date.parse(send_at))

export const showSummary = (
  { completedAt, id, request, startedAt, status, updatedAt }: Notification,
  counts: Counts = NOBODY
): typeof NotificationSummaryView.Type => ({
  id,
  status,
  priority: request.priority ?? "bulk",
  title: request.content?.title ?? request.content?.subject ?? null,
  template_id: request.template_id ?? null,
  workflow_id: request.workflow?.id ?? null,
  workflow_step: request.workflow?.step ?? null,
  counts,
  send_at: sendAtOf(request),
  local_time: request.local_time ?? null,
  // The time in the id, by which lists are filtered: a span of time is a span of the key.
  created_at: isoTime(uuidTime(id)),
  updated_at: timeOrNull(updatedAt),
  started_at: timeOrNull(startedAt),
  completed_at: timeOrNull(completedAt)
})

export const showNotification = (notification: Notification, counts?: Counts): typeof NotificationView.Type => {
  const request = asSent(notification.request)
  return {
    ...showSummary(notification, counts),
    to: request.to,
    channels: request.channels ?? null,
    content: request.content ?? null,
    variables: request.variables ?? null,
    ttl: request.ttl ?? null,
    timezone: request.timezone ?? null,
    collapse_key: request.collapse_key ?? null,
    overrides: request.overrides ?? null,
    track: request.track ?? null,
    skipped: notification.request.skipped ?? null
  }
}

export const showDelivery = (delivery: FollowedDelivery): typeof DeliveryView.Type => ({
  id: delivery.id,
  device_id: isChannel(delivery.provider) ? null : delivery.recipientId,
  channel_id: isChannel(delivery.provider) ? delivery.recipientId : null,
  provider: delivery.provider,
  status: delivery.status,
  message_id: delivery.messageId,
  error: delivery.error,
  attempts: delivery.attempts,
  completed_at: isoTime(delivery.at),
  delivered_at: timeOrNull(delivery.deliveredAt),
  opened_at: timeOrNull(delivery.openedAt),
  clicked_at: timeOrNull(delivery.clickedAt)
})

export const summaryExample = {
  id: ID,
  status: "completed",
  priority: "bulk",
  title: "Hello",
  template_id: null,
  workflow_id: null,
  workflow_step: null,
  counts: { ...NOBODY, accepted: 10_000, sent: 9_987, failed: 13 },
  send_at: null,
  local_time: null,
  created_at: NOW,
  updated_at: null,
  started_at: NOW,
  completed_at: NOW
}

export const notificationExample = {
  ...summaryExample,
  to: { tags_any: ["news"] },
  channels: null,
  content: { title: "Hello", body: "The first light of the day", url: "https://example.com/news" },
  variables: null,
  ttl: 3600,
  timezone: null,
  collapse_key: null,
  overrides: null,
  track: null,
  skipped: null
}

export const deliveryExample = {
  id: ID,
  device_id: ID,
  channel_id: null,
  provider: "apns",
  status: "sent",
  message_id: "8C1F3B52-5D2C-4E0B-9C7A-0B1E2F3A4D5C",
  error: null,
  attempts: 1,
  completed_at: NOW,
  delivered_at: NOW,
  opened_at: null,
  clicked_at: null
}
