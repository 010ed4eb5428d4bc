import { Schema } from "effect"
import type { EventName } from "../webhooks/Event.ts"
import { DeviceId, NotificationId } from "../Ids.ts"
import { text } from "../Text.ts"

/** What a client tells of a push: it arrived, it was opened, something in it was followed. */
export const EngagementType = Schema.Literals(["delivered", "opened", "clicked"])
export type EngagementType = typeof EngagementType.Type

/** What both reports name: the ids of the push's payload fields `service_notification_id` and `service_device_id`. */
const ids = { notification_id: NotificationId, device_id: DeviceId }

/** POST /track: the same as an event of type `delivered`. */
export const TrackDelivery = Schema.Struct(ids)

/**
 * Schemes that are no application's: what they name runs or is read where it is shown, or wraps another address of any
 * scheme (`intent:` has a fallback of its own).
 */
const NO_DESTINATIONS: ReadonlySet<string> = new Set([
  "javascript:",
  "vbscript:",
  "livescript:",
  "mocha:",
  "data:",
  "blob:",
  "filesystem:",
  "file:",
  "about:",
  "view-source:",
  "jar:",
  "resource:",
  "chrome:",
  "content:",
  "intent:",
  "cid:",
  "mid:",
  "ws:",
  "wss:",
  "ftp:"
])

/**
 * Whether a customer can follow it as a link: an absolute URL of http, https or an application (`myapp://…`, `tel:`). A
 * URL is read as browsers read it, which pass over white space before the scheme and line breaks inside it.
 */
const isDestination = (value: string): boolean =>
  /^[^\p{Cc}\s]+$/u.test(value) && URL.canParse(value) && !NO_DESTINATIONS.has(new URL(value).protocol)

/** Where a click led. */
export const Destination = text(2048).check(
  Schema.makeFilter(
    (value: string) => isDestination(value) || "must be a URL of http, https or an application, without white space"
  )
)

/** POST /events. */
export const ReportEngagement = Schema.Struct({
  type: EngagementType,
  ...ids,
  destination: Schema.optionalKey(
    Destination.annotate({
      description:
        "Where the click led: a URL of http, https or an application (`myapp://…`). Only with the type `clicked`; left out, it is the `url` of the notification's content."
    })
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
