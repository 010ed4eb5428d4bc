import { Context, Effect, Layer, Schema } from "effect"
import type { ChannelKind } from "../domain/Channel.ts"
import type { Platform } from "../domain/Device.ts"
import { METADATA_BYTES } from "../domain/Device.ts"
import type { AppId, BatchId, NotificationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { Audience, Content, KeptRequest, Notification, SendNotification, Way } from "../domain/Notification.ts"
import { now } from "../domain/Now.ts"
import type { AudiencePage } from "../ports/AudienceStore.ts"
import { ChannelStore } from "../ports/ChannelStore.ts"
import { DeviceStore } from "../ports/DeviceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import type { Settlement } from "../ports/IdempotencyStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { NewNotification } from "../ports/NotificationStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import type { Trace } from "../ports/Tracing.ts"
import { makeHints } from "./Hints.ts"
import { laneId } from "./Lane.ts"
import { makePinning, RequestRefused } from "./Pinning.ts"
import { batchesOf, contentOf, hasEmail, hasPush, isChannelsOnly, reachedBy, waysOf } from "./Reach.ts"
import { planAt, ttlOf } from "./Timing.ts"

/** Recipients were named by ids that the application does not have. */
export class UnknownRecipients extends Schema.TaggedError<UnknownRecipients>()("UnknownRecipients", {
  field: Schema.Literals(["device_ids", "channel_ids"]),
  ids: Schema.Array(Schema.String)
}) {}

/**
 * Bytes of title, body, url, image and data as JSON that fit every push provider. The tightest is Web Push with 3,993
 * bytes of plaintext (RFC 8291); APNs and FCM take 4,096. The rest is for ids and the provider's own frame.
 */
export const PUSH_CONTENT_BYTES = 3_700

/** UTF-8 bytes as JSON. Counted, because most are short and an encoder would make a copy. */
const bytesOf = (value: unknown): number => {
  if (value === undefined) return 0
  const text = JSON.stringify(value)
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // Two units make the four bytes of a surrogate pair.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return bytes
}

/** Bytes that a unit of a text takes in JSON, at most: those of an escape. */
const LONGEST = 6
/** More than the names of all of a content's texts, with their quotes. */
const FRAME_BYTES = 64

/** Whether the texts are so short that they need no counting, as most are. */
const isShort = ({ body = "", data, image = "", title = "", url = "" }: Content): boolean =>
  data === undefined &&
  FRAME_BYTES + LONGEST * (title.length + body.length + url.length + image.length) <= PUSH_CONTENT_BYTES

const NEEDS: Readonly<Record<Way, string>> = {
  push: "needs a title, body or data to be sent to devices",
  email: "needs a subject, html, title or body to be sent as e-mail",
  inbox: "needs a title, body or subject to be written to inboxes"
}

/**
 * Why the content cannot reach the recipients that were named (too large, or no part for their kind); null when it can.
 * What a template becomes for each recipient only its rendering shows: of such a one only the parts are looked at.
 */
const refusalOf = (request: KeptRequest): RequestRefused | null => {
  const { channels, overrides, template, to } = request
  const content = contentOf(request)
  const refused = (field: string, message: string) =>
    new RequestRefused({ field: template !== undefined && field === "content" ? "template_id" : field, message })
  const ways = waysOf(request)
  const missing = channels?.find((way) => !ways.includes(way))
  if (missing !== undefined) return refused("content", NEEDS[missing])
  if (ways.includes("inbox") && bytesOf(content.data) > METADATA_BYTES) {
    return refused(
      "content.data",
      `is larger than ${METADATA_BYTES} bytes as JSON, which is what an inbox message carries`
    )
  }
  if (isChannelsOnly(to)) {
    return hasEmail(content) || content.title || content.body ? null : refused("content", NEEDS.email)
  }
  if (!ways.includes("push")) {
    if (to.device_ids !== undefined && !hasPush(content)) return refused("content", NEEDS.push)
    return ways.length > 0 ? null : refused("content", "needs a title, body, data, subject or html")
  }
  if (overrides === undefined && isShort(content)) return null
  const { title, body, url, image, data } = content
  const bytes = bytesOf({ title, body, url, image, data })
  if (bytes > PUSH_CONTENT_BYTES) {
    return refused(
      "content",
      `title, body, url, image and data are ${bytes} bytes as JSON; a push message carries at most ${PUSH_CONTENT_BYTES}`
    )
  }
  for (const provider of ["apns", "fcm", "web"] as const) {
    const more = bytesOf(overrides?.[provider])
    if (more > 0 && bytes + more > PUSH_CONTENT_BYTES) {
      return refused(
        `overrides.${provider}`,
        `makes ${bytes + more} bytes together with the content; a push message carries at most ${PUSH_CONTENT_BYTES}`
      )
    }
  }
  return null
}

/** The same as an effect that fails. */
export const checkContent = (request: KeptRequest): Effect.Effect<void, RequestRefused> => {
  const refused = refusalOf(request)
  return refused === null ? Effect.void : Effect.fail(refused)
}

/** Explicit recipients that are planned with the accept: few enough that it takes no longer by it. */
const SMALL = 100

/** The device that is meant, if it is one alone and by push, and now. */
const onlyDevice = (request: SendNotification): string | null => {
  const [device, ...others] = request.to.device_ids ?? []
  const isPlain = others.length === 0 && planAt(request, 0) === null
  return device !== undefined && isPlain && reachedBy(request)("apns") ? device : null
}

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
      settle?: ((accepted: Pick<Notification, "id" | "status">) => Settlement) | null,
      trace?: Trace
    ) => Effect.Effect<Notification, UnknownRecipients | RequestRefused | StoreError>
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
      const pin = yield* makePinning

      /** Who is named by id, by provider. Null when nobody is. Inactive recipients are left out, unknown ones refused. */
      const named = Effect.fnUntraced(function* (appId: AppId, { device_ids, channel_ids }: Audience) {
        if (device_ids !== undefined) {
          const found = yield* devices.among(appId, device_ids.map(lower))
          yield* refuseUnknown("device_ids", device_ids, found)
          const by = (platform: Platform) => idsOf(found, (device) => device.active && device.platform === platform)
          return { apns: by("ios"), fcm: by("android"), webpush: by("web"), smtp: [], inbox: [] }
        }
        if (channel_ids !== undefined) {
          const found = yield* channels.among(appId, channel_ids.map(lower))
          yield* refuseUnknown("channel_ids", channel_ids, found)
          const by = (kind: ChannelKind) => idsOf(found, (channel) => channel.active && channel.kind === kind)
          return { apns: [], fcm: [], webpush: [], smtp: by("email"), inbox: by("inbox") }
        }
        return null
      })

      /** The plan of a small audience, which then needs no planner. Nobody at all is left to the planner to complete. */
      const planOf = (request: KeptRequest, recipients: AudiencePage["recipients"] | null) => {
        const { device_ids, channel_ids } = request.to
        // Who is reached at a later time, the planner sees then.
        if (recipients === null || planAt(request, 0) !== null || (device_ids ?? channel_ids)!.length > SMALL)
          return null
        const batches = batchesOf(recipients, settings.batchSize, reachedBy(request))
        return batches.length === 0 ? null : batches
      }

      /** The whole accept in one statement, which looks the device up: most single messages are of this kind. */
      const sendToDevice = (arrival: NewNotification, device: string) =>
        Effect.flatMap(
          notifications.acceptForDevice(arrival, { id: lower(device), batch: uuidv7() as BatchId }),
          (accepted): Effect.Effect<Notification, UnknownRecipients> => {
            if (accepted === null) return Effect.fail(new UnknownRecipients({ field: "device_ids", ids: [device] }))
            const { notification, provider } = accepted
            const { appId, id, request } = arrival
            const { priority = "bulk" } = request
            hint(
              provider === null
                ? { type: "PlanV1", id, priority }
                : { type: "SendV1", id: laneId({ appId, provider, priority }), priority }
            )
            return Effect.succeed(notification)
          }
        )

      const sendToMany = Effect.fnUntraced(function* (arrival: NewNotification) {
        const { appId, request, sendAt } = arrival
        const batches = planOf(request, yield* named(appId, request.to))
        const notification = yield* notifications.accept({ ...arrival, batches })
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

      const sendPinned = (
        appId: AppId,
        request: KeptRequest,
        settle: ((accepted: Pick<Notification, "id" | "status">) => Settlement) | null,
        trace: Trace
      ): Effect.Effect<Notification, UnknownRecipients | RequestRefused | StoreError> => {
        const refused = refusalOf(request)
        if (refused !== null) return Effect.fail(refused)
        const id = uuidv7() as NotificationId
        const sendAt = planAt(request, now())
        const arrival = {
          id,
          appId,
          request,
          ttlMs: ttlOf(request, settings),
          sendAt,
          batches: null,
          trace,
          settlement: settle?.({ id, status: sendAt === null ? "queued" : "scheduled" }) ?? null
        }
        const device = onlyDevice(request)
        return device === null ? sendToMany(arrival) : sendToDevice(arrival, device)
      }

      // A message to one device is the hot path: it takes no generator, and one suspension, for its statement.
      const send: Accept["Service"]["send"] = (appId, given, settle = null, trace = null) =>
        Effect.suspend(() =>
          given.template_id === undefined && given.to.segment_id === undefined
            ? sendPinned(appId, given, settle, trace)
            : Effect.flatMap(pin(appId, given), (request) => sendPinned(appId, request, settle, trace))
        )

      return Accept.of({ send })
    })
  )
}
