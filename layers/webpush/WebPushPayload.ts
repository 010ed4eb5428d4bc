import { hash } from "node:crypto"
import type { Message } from "../../services/domain/sending/Notification.ts"
import type { JsonObject } from "../../services/domain/Json.ts"
import type { Template } from "../../services/domain/sending/Push.ts"
import { merge, secondsLeft, template } from "../../services/domain/sending/Push.ts"
import { MOST_PLAINTEXT } from "./Encryption.ts"
import type { Header } from "../../services/ports/outbound/Http2Client.ts"

/** A Topic is at most 32 characters of base64url: a collapse key that is not is replaced by its digest. */
const topicOf = (collapseKey: string): string =>
  /^[A-Za-z0-9_-]{1,32}$/.test(collapseKey) ? collapseKey : hash("sha256", collapseKey, "base64url").slice(0, 32)

/** What a service worker reads: `title`, `body`, `url`, `image`, `data`, `collapse_key`, what `overrides.web` adds, and both ids. */
const fieldsOf = (message: Message): JsonObject => {
  const { title, body, url, image, data } = message.content
  return merge(
    {
      ...(title !== undefined && { title }),
      ...(body !== undefined && { body }),
      ...(url !== undefined && { url }),
      ...(image !== undefined && { image }),
      ...(data !== undefined && { data }),
      ...(message.collapseKey !== null && { collapse_key: message.collapseKey })
    },
    message.overrides.web ?? {}
  )
}

/**
 * Browsers that know declarative push show this by themselves, even when the worker fails; all others read past it.
 * WebKit looks for `mutable` inside, the specification beside: with it the worker is asked first.
 */
const declared = (message: Message, { title, body, url, icon, silent, tag }: JsonObject): JsonObject => ({
  web_push: 8030,
  mutable: true,
  notification: {
    title: title ?? body!,
    ...(body !== undefined && title !== undefined && { body }),
    navigate: url ?? "/",
    // The worker's own, so that one takes the other's place where both are shown.
    tag: tag ?? message.collapseKey ?? message.notificationId,
    ...(icon !== undefined && { icon }),
    ...(silent === true && { silent }),
    // All that a worker has of the message in browsers that hand it the notification in the place of the text.
    data: { service_notification_id: message.notificationId },
    mutable: true
  }
})

/** The message as it is sent: with its declaration, where there is room for it. */
export const payloadOf = (message: Message): Template => {
  const fields = fieldsOf(message)
  // Without words there is nothing to declare, and the worker says that there is a new message.
  if (fields["title"] === undefined && fields["body"] === undefined) return template(message, fields)
  const whole = template(message, { ...declared(message, fields), ...fields })
  return whole.bytes <= MOST_PLAINTEXT ? whole : template(message, fields)
}

export const sizeOf = (message: Message) => ({
  bytes: template(message, fieldsOf(message)).bytes,
  limit: MOST_PLAINTEXT
})

/** The headers that all recipients share. */
export const headersOf = (message: Message): ReadonlyArray<Header> => [
  ["content-type", "application/octet-stream"],
  ["content-encoding", "aes128gcm"],
  ["urgency", message.priority === "high" ? "high" : "normal"],
  ...(message.collapseKey === null ? [] : [["topic", topicOf(message.collapseKey)] as const])
]

/** The header that changes while a message is sent to some of its subscribers after others; epoch milliseconds. */
export const ttlOf = (message: Message): ((now: number) => ReadonlyArray<Header>) => {
  let seconds = -1
  let headers: ReadonlyArray<Header> = []
  return (now) => {
    const left = secondsLeft(message, now)
    return left === seconds ? headers : (headers = [["ttl", String((seconds = left))]])
  }
}
