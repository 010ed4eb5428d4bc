import { Schema } from "effect"
import type { EventName } from "./Event.ts"
import { DeviceId, NotificationId } from "./Ids.ts"
import { text } from "./Text.ts"

/** What a client tells of a push: it arrived, it was opened, something in it was followed. */
export const EngagementType = Schema.Literals(["delivered", "opened", "clicked"])
export type EngagementType = typeof EngagementType.Type

/** What both reports name: the ids of the push's payload fields `service_notification_id` and `service_device_id`. */
const ids = { notification_id: NotificationId, device_id: DeviceId }

/** POST /track: the same as an event of type `delivered`. */
export const TrackDelivery = Schema.Struct(ids)

/** POST /events. */
export const ReportEngagement = Schema.Struct({
  type: EngagementType,
  ...ids,
  destination: Schema.optionalKey(
    text(2048).annotate({ description: "Where the click led. Only with the type `clicked`." })
  )
}).check(
  Schema.makeFilter(
    ({ destination, type }) =>
      destination === undefined ||
      type === "clicked" || { path: ["destination"], issue: "belongs to the type clicked only" }
  )
)
export type ReportEngagement = typeof ReportEngagement.Type

/** The event of spec 6 that a report becomes, and the payload field that holds its moment. */
export const ENGAGEMENT_EVENTS: Readonly<
  Record<EngagementType, { readonly event: EventName; readonly moment: string }>
> = {
  delivered: { event: "NOTIFICATION_DELIVERED", moment: "deliveredAt" },
  opened: { event: "NOTIFICATION_OPENED", moment: "openedAt" },
  clicked: { event: "NOTIFICATION_CLICKED", moment: "clickedAt" }
}
