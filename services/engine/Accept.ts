import { Context, Effect, Layer, Schema } from "effect"
import type { Platform } from "../domain/Device.ts"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { Audience, Notification, SendNotification } from "../domain/Notification.ts"
import type { AudiencePage } from "../ports/AudienceStore.ts"
import { ChannelStore } from "../ports/ChannelStore.ts"
import { DeviceStore } from "../ports/DeviceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import type { Settlement } from "../ports/IdempotencyStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { makeHints } from "./Hints.ts"
import { laneId } from "./Lane.ts"
import { batchesOf, hasEmail, hasPush, isEmailOnly, reachedBy } from "./Reach.ts"

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

const utf8 = new TextEncoder()

const bytesOf = (value: unknown): number => (value === undefined ? 0 : utf8.encode(JSON.stringify(value)).length)

const checkContent = ({ content, overrides, to }: SendNotification): Effect.Effect<void, ContentTooLarge> => {
  const isRefused = (field: string, message: string) => Effect.fail(new ContentTooLarge({ field, message }))
  if (isEmailOnly(to)) {
    return hasEmail(content) || content.title || content.body
      ? Effect.void
      : isRefused("content", "needs a subject, html, title or body to be sent as e-mail")
  }
  if (!hasPush(content)) {
    if (to.device_ids !== undefined) return isRefused("content", "needs a title, body or data to be sent to devices")
    return hasEmail(content) ? Effect.void : isRefused("content", "needs a title, body, data, subject or html")
  }
  const { title, body, url, image, data } = content
  const bytes = bytesOf({ title, body, url, image, data })
  if (bytes > PUSH_CONTENT_BYTES) {
    return isRefused(
      "content",
      `title, body, url, image and data are ${bytes} bytes as JSON; a push message carries at most ${PUSH_CONTENT_BYTES}`
    )
  }
  for (const provider of ["apns", "fcm", "web"] as const) {
    const more = bytesOf(overrides?.[provider])
    if (more > 0 && bytes + more > PUSH_CONTENT_BYTES) {
      return isRefused(
        `overrides.${provider}`,
        `makes ${bytes + more} bytes together with the content; a push message carries at most ${PUSH_CONTENT_BYTES}`
      )
    }
  }
  return Effect.void
}

/** Explicit recipients that are planned with the accept: few enough that it takes no longer by it. */
const SMALL = 100

const lower = (id: string): string => id.toLowerCase()

const idsOf = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  isMeant: (one: A) => boolean
): ReadonlyArray<string> => all.flatMap((one) => (isMeant(one) ? one.id : [])).sort()

const refuseUnknown = (
  field: UnknownRecipients["field"],
  ids: ReadonlyArray<string>,
  found: ReadonlyArray<{ readonly id: string }>
): Effect.Effect<void, UnknownRecipients> => {
  const known = new Set(found.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(lower(id)))
  return unknown.length === 0 ? Effect.void : Effect.fail(new UnknownRecipients({ field, ids: unknown }))
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
      request: SendNotification,
      /** Makes the answer that is kept under the client's idempotency key, from the id: it is committed with the rest. */
      settle?: ((accepted: Pick<Notification, "id" | "status">) => Settlement) | null
    ) => Effect.Effect<Notification, UnknownRecipients | ContentTooLarge | StoreError>
  }
>()("heliograph/engine/Accept") {
  static readonly layer = Layer.effect(
    Accept,
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const channels = yield* ChannelStore
      const notifications = yield* NotificationStore
      const hint = yield* makeHints(yield* JobQueue)
      const settings = yield* EngineSettings

      /** Who is named by id, by provider. Null when nobody is. Inactive recipients are left out, unknown ones refused. */
      const named = Effect.fnUntraced(function* (appId: AppId, { device_ids, channel_ids }: Audience) {
        if (device_ids !== undefined) {
          const found = yield* devices.among(appId, device_ids.map(lower))
          yield* refuseUnknown("device_ids", device_ids, found)
          const by = (platform: Platform) => idsOf(found, (device) => device.active && device.platform === platform)
          return { apns: by("ios"), fcm: by("android"), webpush: by("web"), smtp: [] }
        }
        if (channel_ids !== undefined) {
          const found = yield* channels.among(appId, channel_ids.map(lower))
          yield* refuseUnknown("channel_ids", channel_ids, found)
          return { apns: [], fcm: [], webpush: [], smtp: idsOf(found, (channel) => channel.active) }
        }
        return null
      })

      /** The plan of a small audience, which then needs no planner. Nobody at all is left to the planner to complete. */
      const planOf = (request: SendNotification, recipients: AudiencePage["recipients"] | null) => {
        const { device_ids, channel_ids } = request.to
        // Who is reached at a later time, the planner sees then.
        if (recipients === null || request.send_at !== undefined || (device_ids ?? channel_ids)!.length > SMALL)
          return null
        const batches = batchesOf(recipients, settings.batchSize, reachedBy(request))
        return batches.length === 0 ? null : batches
      }

      const send = Effect.fnUntraced(function* (
        appId: AppId,
        request: SendNotification,
        settle: ((accepted: Pick<Notification, "id" | "status">) => Settlement) | null = null
      ) {
        yield* checkContent(request)
        const batches = planOf(request, yield* named(appId, request.to))
        const id = uuidv7() as NotificationId
        const sendAt = request.send_at === undefined ? null : Date.parse(request.send_at)
        const notification = yield* notifications.accept({
          id,
          appId,
          request,
          ttlMs: request.ttl === undefined ? settings.defaultTtlMs : request.ttl * 1000 || NOW_OR_NEVER_MS,
          sendAt,
          batches,
          settlement: settle?.({ id, status: sendAt === null ? "queued" : "scheduled" }) ?? null
        })
        // The sweeper finds it when it is due.
        if (sendAt !== null) return notification
        // The notification is committed: a queue that is slow or down costs it a delay (the sweeper finds it) and the
        // answer nothing.
        const priority = request.priority ?? "bulk"
        if (batches === null) hint({ type: "PlanV1", id: notification.id, priority })
        else
          for (const { provider } of batches)
            hint({ type: "SendV1", id: laneId({ appId, provider, priority }), priority })
        return notification
      })

      return Accept.of({ send })
    })
  )
}
