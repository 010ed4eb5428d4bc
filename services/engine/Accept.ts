import { Context, Effect, Layer, Schema } from "effect"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { Job } from "../domain/Job.ts"
import type { Audience, Content, Notification, SendNotification } from "../domain/Notification.ts"
import { ChannelStore } from "../ports/ChannelStore.ts"
import { DeviceStore } from "../ports/DeviceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"

/** Recipients were named by ids that the application does not have. */
export class UnknownRecipients extends Schema.TaggedError<UnknownRecipients>()("UnknownRecipients", {
  field: Schema.Literals(["device_ids", "channel_ids"]),
  ids: Schema.Array(Schema.String)
}) {}

/** The content cannot reach the recipients that were named: too large for a push, or no part for their kind. */
export class ContentTooLarge extends Schema.TaggedError<ContentTooLarge>()("ContentTooLarge", {
  field: Schema.String,
  message: Schema.String
}) {}

/**
 * Bytes of title, body, url, image and data as JSON that fit every push provider. The tightest is Web Push with 3,993
 * bytes of plaintext (RFC 8291); APNs and FCM take 4,096. The rest is for ids and the provider's own frame.
 */
export const PUSH_CONTENT_BYTES = 3_700

/** Whether the content has something to show on a device. */
export const hasPush = (content: Content): boolean =>
  content.title !== undefined || content.body !== undefined || content.data !== undefined

/** Whether the content is meant for e-mail too. */
export const hasEmail = (content: Content): boolean => content.subject !== undefined || content.html !== undefined

/** The audience names e-mail recipients itself, so that any text is e-mail content. */
export const isEmailOnly = (to: Audience): boolean => to.channel_ids !== undefined || to.emails !== undefined

const utf8 = new TextEncoder()

const checkContent = ({ content, to }: SendNotification): Effect.Effect<void, ContentTooLarge> => {
  const isRefused = (field: string, message: string) => Effect.fail(new ContentTooLarge({ field, message }))
  if (isEmailOnly(to)) {
    return hasEmail(content) || content.title !== undefined || content.body !== undefined
      ? Effect.void
      : isRefused("content", "needs a subject, html, title or body to be sent as e-mail")
  }
  if (to.device_ids !== undefined && !hasPush(content)) {
    return isRefused("content", "needs a title, body or data to be sent to devices")
  }
  if (!hasPush(content)) return Effect.void
  const { title, body, url, image, data } = content
  const bytes = utf8.encode(JSON.stringify({ title, body, url, image, data })).length
  return bytes <= PUSH_CONTENT_BYTES
    ? Effect.void
    : isRefused(
        "content",
        `title, body, url, image and data are ${bytes} bytes as JSON; a push message carries at most ${PUSH_CONTENT_BYTES}`
      )
}

/** How long a message with `ttl: 0` (now or never) may be under way inside the engine. */
const NOW_OR_NEVER_MS = 30_000

/**
 * The first step of a notification: validates, commits, answers. Its cost does not depend on the audience's size, which
 * is only described here; the planner reads it.
 */
export class Accept extends Context.Service<
  Accept,
  {
    readonly send: (
      appId: AppId,
      request: SendNotification
    ) => Effect.Effect<Notification, UnknownRecipients | ContentTooLarge | StoreError>
  }
>()("heliograph/engine/Accept") {
  static readonly layer = Layer.effect(
    Accept,
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const channels = yield* ChannelStore
      const notifications = yield* NotificationStore
      const queue = yield* JobQueue
      const settings = yield* EngineSettings

      const checkRecipients = Effect.fnUntraced(function* (appId: AppId, to: Audience) {
        const field = to.device_ids ? "device_ids" : to.channel_ids ? "channel_ids" : null
        if (field === null) return
        const ids =
          field === "device_ids"
            ? yield* devices.unknown(appId, to.device_ids!)
            : yield* channels.unknown(appId, to.channel_ids!)
        if (ids.length > 0) return yield* new UnknownRecipients({ field, ids })
      })

      const send = Effect.fnUntraced(function* (appId: AppId, request: SendNotification) {
        yield* checkContent(request)
        yield* checkRecipients(appId, request.to)
        const notification = yield* notifications.accept({
          id: uuidv7() as NotificationId,
          appId,
          request,
          ttlMs: request.ttl === undefined ? settings.defaultTtlMs : request.ttl * 1000 || NOW_OR_NEVER_MS
        })
        const job: Job = { type: "PlanV1", id: notification.id, priority: request.priority ?? "bulk" }
        // The notification is committed: a queue that is down costs it a delay (the sweeper finds it), not the answer.
        yield* queue.publish([job]).pipe(Effect.timeout("2 seconds"), Effect.ignore)
        return notification
      })

      return Accept.of({ send })
    })
  )
}
