import { isObject } from "./Simulator.ts"

type Kind = "text" | "number" | "time" | "destination"

/** The payload fields of each event (spec 6). `?` marks one that may be absent. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  NOTIFICATION_SENT: { notificationId: "text", "deviceId?": "text", "channelId?": "text", messageId: "text" },
  NOTIFICATION_FAILED: { notificationId: "text", "deviceId?": "text", "channelId?": "text", error: "text" },
  NOTIFICATION_DELIVERED: { notificationId: "text", deliveryLogId: "text", deliveredAt: "time" },
  NOTIFICATION_OPENED: { notificationId: "text", deliveryLogId: "text", openedAt: "time" },
  NOTIFICATION_CLICKED: {
    notificationId: "text",
    deliveryLogId: "text",
    clickedAt: "time",
    destination: "destination"
  },
  WORKFLOW_COMPLETED: { executionId: "text", workflowId: "text", status: "text" },
  WORKFLOW_FILTERED: { executionId: "text", workflowId: "text", status: "text", stepOrder: "number" },
  WORKFLOW_FAILED: { executionId: "text", workflowId: "text", error: "text" },
  WORKFLOW_CANCELLED: { executionId: "text", workflowId: "text", reason: "text" }
}
const EVENTS = new Map(
  Object.entries(FIELDS).map(([event, fields]) => [
    event,
    Object.entries(fields).map(([name, kind]) => ({
      name: name.replace("?", ""),
      kind,
      required: !name.endsWith("?")
    }))
  ])
)

const ENVELOPE = ["id", "event", "appId", "timestamp", "payload"]
const UUID_LIKE = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
/** Milliseconds by which an event may lie in the receiver's future. */
const SKEW = 5 * 60_000

const isTime = (value: unknown): boolean =>
  typeof value === "string" && ISO_MS.test(value) && !Number.isNaN(Date.parse(value))
const isKind = (value: unknown, kind: Kind): boolean => {
  if (kind === "time") return isTime(value)
  // A notification that leads nowhere can be clicked too.
  if (kind === "destination") return value === "" || (typeof value === "string" && URL.canParse(value))
  return kind === "number" ? typeof value === "number" : typeof value === "string" && value !== ""
}

/** What is wrong with a webhook's body (spec 2.3), or undefined. */
export const eventMistake = (body: Readonly<Record<string, unknown>>): string | undefined => {
  for (const name in body) if (!ENVELOPE.includes(name)) return `unknown field ${name}`
  const { appId, event, id, payload, timestamp } = body
  if (typeof id !== "string" || !UUID_LIKE.test(id)) return "id is not UUID-like"
  const fields = typeof event === "string" ? EVENTS.get(event) : undefined
  if (fields === undefined) return "event is unknown"
  if (typeof appId !== "string" || appId === "") return "appId is missing"
  if (!isTime(timestamp)) return "timestamp is not ISO 8601 in UTC with milliseconds"
  if (Date.parse(timestamp as string) > Date.now() + SKEW) return "timestamp is in the future"
  if (!isObject(payload)) return "payload is not an object"
  let known = 0
  for (const { kind, name, required } of fields) {
    const value = payload[name]
    if (value === undefined) {
      if (required) return `payload.${name} is missing`
    } else {
      known++
      if (!isKind(value, kind)) return `payload.${name} is wrong`
    }
  }
  if (Object.keys(payload).length !== known) return "payload has an unknown field"
  if (event === "NOTIFICATION_SENT" || event === "NOTIFICATION_FAILED") {
    if ((payload["deviceId"] === undefined) === (payload["channelId"] === undefined)) {
      return "payload needs deviceId or channelId"
    }
  }
  return undefined
}
