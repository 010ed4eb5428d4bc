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

/** What a recipient's error means, and what helps. Others are shown as they are. */
const REASONS: Readonly<Record<string, readonly [means: string, remedy: string]>> = {
  unregistered: ["The app was removed, or the token is old", "Nothing to do: such devices are not sent to again."],
  gone: ["The browser's subscription has ended", "Nothing to do: the browser registers anew when its page is visited."],
  not_found: [
    "The browser's subscription has ended",
    "Nothing to do: the browser registers anew when its page is visited."
  ],
  bad_device_token: [
    "The provider does not know the token",
    "Check that the app registers with the right environment and bundle id."
  ],
  invalid_token: ["The provider does not know the token", "Check that the app registers with the right project."],
  sender_id_mismatch: [
    "The token belongs to another project",
    "Use the credential of the project that the app is built with."
  ],
  invalid_keys: ["The browser's keys are not usable", "The browser registers anew when its page is visited."],
  recipient_gone: ["The device or channel was removed meanwhile", "Nothing to do."],
  withheld: ["The person unsubscribed meanwhile", "Nothing to do: that is their wish."],
  expired: ["Its time to live ended before it was sent", "Give a longer time to live, or look what kept it waiting."],
  payload_too_large: ["Larger than the provider takes", "Shorten body or data: the preview says how much fits."],
  empty_content: ["There was nothing to show", "Give a title, a body, or what an e-mail needs."],
  missing_variable: [
    "A variable of the template is missing",
    "Send it along, or let missing ones be empty in the template."
  ],
  template_unreadable: [
    "The template cannot be read any more",
    "Mend the template, then send again to those who failed."
  ],
  credential_missing: [
    "There is no credential for the provider",
    "Set it in Settings, Credentials, then send again to those who failed."
  ],
  throttled: ["The provider wanted fewer messages to this device", "Send less often to the same device."],
  quota_exceeded: ["The quota of the provider was used up", "Raise it there, then send again to those who failed."],
  possibly_delivered: [
    "The mail server broke off: it may have arrived",
    "Look at the server's log before you send again."
  ],
  outcome_unknown: ["Cancelled while it was under way", "They may have got it: the process that sent it had ended."],
  worker_ended: ["The process ended again and again with it", "Tell those who run the service: its log says why."]
}
/** Some say after a colon what the provider added: `expired: timeout`. */
export const reasonOf = (error: string) => REASONS[error] ?? REASONS[error.split(": ")[0]!] ?? null

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
