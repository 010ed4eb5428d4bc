import { isJsonObject, type JsonObject } from "../../services/domain/Json.ts"
import type { Message } from "../../services/domain/sending/Notification.ts"
import { DEVICE_ID, merge, NOTIFICATION_ID, secondsLeft } from "../../services/domain/sending/Push.ts"

/** Bytes of names and values in `notification` and `data`, which is what FCM counts. */
export const MAX_PAYLOAD = 4096

/** The longest time to live that FCM takes, in seconds. */
const MAX_TTL = 2_419_200

export interface FcmPayload {
  readonly bytes: number
  /** The body of messages:send for one device. */
  readonly body: (token: string, deviceId: string) => string
}

/** What a message says while it is sent to some of its devices after others: its time to live gets shorter meanwhile. */
export class LatestPayload {
  readonly #message: Message
  #at: number
  #payload: FcmPayload

  /** `now` in epoch milliseconds, as in all of this. */
  constructor(message: Message, now: number) {
    this.#message = message
    this.#at = now
    this.#payload = payloadOf(message, now)
  }

  at(now: number): FcmPayload {
    // FCM counts in seconds.
    if (now - this.#at >= 1000) {
      this.#at = now
      this.#payload = payloadOf(this.#message, now)
    }
    return this.#payload
  }
}

export const sizeOf = (message: Message) => ({ bytes: payloadOf(message, Date.now()).bytes, limit: MAX_PAYLOAD })

/** FCM's data is a map of strings: whatever is none travels as its JSON. */
const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const texts = (object: unknown): Record<string, string> =>
  isJsonObject(object) ? Object.fromEntries(Object.entries(object).map(([name, value]) => [name, text(value)])) : {}

const bytesOf = (object: unknown): number => {
  if (!isJsonObject(object)) return 0
  let bytes = 0
  for (const [name, value] of Object.entries(object)) bytes += Buffer.byteLength(name) + Buffer.byteLength(text(value))
  return bytes
}

/**
 * `notification` with title, body and image; `data` with the content's data, the url and both ids; `android` with the
 * way of delivery; then what `overrides.fcm` says of the message. Whom it goes to is not for overrides to say.
 */
export const payloadOf = (message: Message, now: number): FcmPayload => {
  const { title, body, url, image, data } = message.content
  const notification = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(image !== undefined && { image })
  }
  const merged = merge(
    {
      ...(Object.keys(notification).length > 0 && { notification }),
      // Flat, as FCM has it: where the content has a url, the name is taken.
      data: { ...data, ...(url !== undefined && { url }) },
      android: {
        priority: message.priority === "high" ? "HIGH" : "NORMAL",
        ttl: `${Math.min(MAX_TTL, secondsLeft(message, now))}s`,
        ...(message.collapseKey !== null && { collapse_key: message.collapseKey })
      }
    } as JsonObject,
    message.overrides.fcm ?? {}
  )
  const { token: _token, topic: _topic, condition: _condition, data: mergedData, ...rest } = merged
  const { [DEVICE_ID]: _device, [NOTIFICATION_ID]: _notification, ...given } = texts(mergedData)
  const shared = { ...given, [NOTIFICATION_ID]: message.notificationId }
  const android = isJsonObject(rest["android"]) ? rest["android"] : {}
  const tail = JSON.stringify(rest).slice(1, -1)
  const between = `","data":${JSON.stringify(shared).slice(0, -1)},"${DEVICE_ID}":"`
  const after = `"}${tail === "" ? "" : `,${tail}`}}}`
  return {
    bytes:
      bytesOf(rest["notification"]) +
      bytesOf(shared) +
      bytesOf(android["notification"]) +
      bytesOf(android["data"]) +
      DEVICE_ID.length +
      36,
    // A token is printable ASCII, and may hold a quote as well as anything else.
    body: (token, deviceId) => `{"message":{"token":"${JSON.stringify(token).slice(1, -1)}${between}${deviceId}${after}`
  }
}
