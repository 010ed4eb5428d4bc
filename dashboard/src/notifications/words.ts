import type { Tone } from "../parts/page.tsx"
import type { DeliveryStatus, NotificationsQuery } from "./operations.ts"

export type Summary = NotificationsQuery["notifications"]["nodes"][number]
export type Status = Summary["status"]

export const STATUS: Readonly<Record<Status, readonly [words: string, tone: Tone]>> = {
  SCHEDULED: ["Scheduled", "waiting"],
  QUEUED: ["Queued", "waiting"],
  SENDING: ["Sending", "busy"],
  PAUSED: ["Paused", "waiting"],
  COMPLETED: ["Completed", "good"],
  CANCELLED: ["Cancelled", "still"]
}

/** What became of one recipient. */
export const DELIVERY: Readonly<Record<DeliveryStatus, readonly [words: string, tone: Tone]>> = {
  SENT: ["Sent", "good"],
  FAILED: ["Failed", "bad"],
  SKIPPED: ["Skipped", "still"],
  CANCELLED: ["Cancelled", "still"]
}

export const PROVIDER: Readonly<Record<string, string>> = {
  APNS: "iOS (APNs)",
  FCM: "Android (FCM)",
  WEBPUSH: "Web push",
  SMTP: "E-mail",
  INBOX: "Inbox"
}

/** What an audience is, in a sentence. */
export const audienceWords = (to: Readonly<Record<string, unknown>>): string => {
  const list = (name: string): ReadonlyArray<string> => (to[name] as ReadonlyArray<string> | null) ?? []
  const some = (name: string, one: string): string | null => {
    const values = list(name)
    if (values.length === 0) return null
    return values.length <= 3 ? `${one} ${values.join(", ")}` : `${values.length} ${one}s`
  }
  if (to["all"]) return "Everyone"
  const direct =
    some("userIds", "user") ?? some("deviceIds", "device") ?? some("channelIds", "channel") ?? some("emails", "address")
  if (direct) return direct.charAt(0).toUpperCase() + direct.slice(1)
  if (to["segmentId"]) return "A segment"
  const attributes = (to["attributes"] as ReadonlyArray<{ name: string; op: string; value: unknown }> | null) ?? []
  const parts = [
    list("platforms").length > 0
      ? `on ${list("platforms")
          .map((one) => one.toLowerCase())
          .join(" or ")}`
      : null,
    list("tagsAll").length > 0 ? `with all of the tags ${list("tagsAll").join(", ")}` : null,
    list("tagsAny").length > 0 ? `with any of the tags ${list("tagsAny").join(", ")}` : null,
    to["locale"] ? `with the language ${to["locale"] as string}` : null,
    to["timezone"] ? `in ${to["timezone"] as string}` : null,
    ...attributes.map(
      ({ name, op, value }) => `${name} ${op.toLowerCase().replaceAll("_", " ")} ${JSON.stringify(value ?? "")}`
    )
  ].filter((part) => part !== null)
  return parts.length === 0 ? "Nobody yet" : `Everyone ${parts.join(", ")}`
}
