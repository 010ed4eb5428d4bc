import { isJsonObject } from "../../services/domain/Json.ts"
import type { Message } from "../../services/domain/sending/Notification.ts"
import type { Template } from "../../services/domain/sending/Push.ts"
import { merge, template } from "../../services/domain/sending/Push.ts"
import type { Header } from "../../services/ports/outbound/Http2Client.ts"

/** The largest payload that APNs takes, in bytes of UTF-8. */
export const MAX_PAYLOAD = 4096

export interface ApnsPayload {
  readonly template: Template
  /** The headers that messages of an application mostly share: what they are, and how urgent. */
  readonly common: ReadonlyArray<Header>
  /** Those of this message alone: how long it is good, and what it replaces. */
  readonly own: ReadonlyArray<Header>
}

/** The topic is no part of it. */
export const sizeOf = (message: Message) => ({ bytes: payloadOf(message, "").template.bytes, limit: MAX_PAYLOAD })

/**
 * `aps` with the alert; beside it `url`, `image`, `data`, what `overrides.apns` adds, and both ids.
 * A message without title and body is a background push.
 */
export const payloadOf = (message: Message, bundleId: string): ApnsPayload => {
  const { title, body, url, image, data } = message.content
  const alert = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) }
  const visible = Object.keys(alert).length > 0
  const payload = merge(
    {
      // mutable-content lets the app's extension run: it fetches the image and reports the delivery.
      aps: visible ? { alert, "mutable-content": 1 } : { "content-available": 1 },
      ...(url !== undefined && { url }),
      ...(image !== undefined && { image }),
      ...(data !== undefined && { data })
    },
    message.overrides.apns ?? {}
  )
  const aps = isJsonObject(payload["aps"]) ? payload["aps"] : {}
  const background = !["alert", "badge", "sound"].some((name) => name in aps)
  return {
    template: template(message, payload),
    common: [
      ["apns-topic", bundleId],
      ["apns-push-type", background ? "background" : "alert"],
      // APNs refuses background pushes of priority 10.
      ["apns-priority", message.priority === "high" && !background ? "10" : "5"]
    ],
    own: [
      ["apns-expiration", message.nowOrNever ? "0" : String(Math.floor(message.expiresAt / 1000))],
      ...(message.collapseKey === null ? [] : [["apns-collapse-id", message.collapseKey] as const])
    ]
  }
}
