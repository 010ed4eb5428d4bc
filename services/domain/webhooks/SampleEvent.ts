import type { EventName } from "./Event.ts"
import { isoTime } from "../Time.ts"

/** An id that belongs to nothing, for test deliveries. */
const NOBODY = "00000000-0000-7000-8000-000000000000"

/** The payload of spec 6 for each event, with ids that belong to nothing. */
const payloadOf = (event: EventName, at: number): Readonly<Record<string, string | number>> => {
  const notification = { notificationId: NOBODY }
  const engaged = { ...notification, deliveryLogId: NOBODY }
  const run = { executionId: NOBODY, workflowId: NOBODY }
  switch (event) {
    case "NOTIFICATION_SENT":
      return { ...notification, deviceId: NOBODY, messageId: "test" }
    case "NOTIFICATION_FAILED":
      return { ...notification, deviceId: NOBODY, error: "This is a test." }
    case "NOTIFICATION_DELIVERED":
      return { ...engaged, deliveredAt: isoTime(at) }
    case "NOTIFICATION_OPENED":
      return { ...engaged, openedAt: isoTime(at) }
    case "NOTIFICATION_CLICKED":
      return { ...engaged, clickedAt: isoTime(at), destination: "https://example.com/" }
    case "WORKFLOW_COMPLETED":
      return { ...run, status: "completed" }
    case "WORKFLOW_FILTERED":
      return { ...run, status: "filtered", stepOrder: 1 }
    case "WORKFLOW_FAILED":
      return { ...run, error: "This is a test." }
    case "WORKFLOW_CANCELLED":
      return { ...run, reason: "This is a test." }
  }
}

/** The body (spec 2.3) of a test delivery. */
export const sampleBody = (event: EventName, id: string, appId: string, at: number): string =>
  JSON.stringify({ id, event, appId, timestamp: isoTime(at), payload: payloadOf(event, at) })
