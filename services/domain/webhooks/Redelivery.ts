import { Schema } from "effect"
import type { AppId, WebhookId, RedeliveryId } from "../Ids.ts"
import { Moment } from "../Time.ts"

/** What a delivery's last attempt led to, of those that have come to an end. */
export const RedeliveredStatus = Schema.Literals(["exhausted", "delivered"])
export type RedeliveredStatus = typeof RedeliveredStatus.Type

/** Which of a webhook's deliveries go once more. */
export const RedeliverWebhook = Schema.Struct({
  from: Schema.optionalKey(Moment).annotate({ description: "Of events at this time or later (ISO 8601)." }),
  to: Schema.optionalKey(Moment).annotate({
    description: "Of events before this time (ISO 8601). Unless given, the moment of the request."
  }),
  status: Schema.optionalKey(RedeliveredStatus).annotate({
    description: "`exhausted`, the default: what the receiver missed. `delivered`: what it has taken already."
  }),
  delivery_id: Schema.optionalKey(Schema.String.check(Schema.isUUID())).annotate({
    description: "This one alone: the `event_id` of the list of deliveries. Nothing else is named beside it."
  })
}).check(
  Schema.makeFilter(({ delivery_id, from, status, to }) => {
    const isRange = from !== undefined || to !== undefined || status !== undefined
    if (delivery_id === undefined && !isRange) return "must name from, to, status or delivery_id"
    if (delivery_id !== undefined && isRange) {
      return { path: ["delivery_id"], issue: "must stand alone, without from, to and status" }
    }
    return (
      from === undefined ||
      to === undefined ||
      Date.parse(from) < Date.parse(to) || { path: ["to"], issue: "must be later than from" }
    )
  })
)
export type RedeliverWebhook = typeof RedeliverWebhook.Type

/** Deliveries of a webhook that go once more, as far as they are known to. */
export interface Redelivery {
  readonly id: RedeliveryId
  readonly appId: AppId
  readonly webhookId: WebhookId
  /** One delivery, by its event; or those that ended so, of events in a time (epoch milliseconds). */
  readonly wanted:
    | { readonly deliveryId: string }
    | { readonly status: RedeliveredStatus; readonly from: number | null; readonly to: number }
  readonly status: "running" | "completed"
  /** Deliveries that are pending again. */
  readonly redelivered: number
  readonly createdAt: number
  readonly completedAt: number | null
}
