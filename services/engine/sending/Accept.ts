import { Context, Effect, Layer } from "effect"
import { METADATA_BYTES } from "../../domain/audience/Device.ts"
import type { AppId, BatchId, NotificationId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type {
  Content,
  KeptRequest,
  Notification,
  SendNotification,
  Unknown,
  Way
} from "../../domain/sending/Notification.ts"
import { messageOf } from "../../domain/sending/Notification.ts"
import { now } from "../../ports/Now.ts"
import type { AudiencePage } from "../../ports/audience/AudienceStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { Settlement } from "../../ports/access/IdempotencyStore.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { DirectSends } from "../../ports/sending/DirectSends.ts"
import type {
  AcceptedForDevice,
  AcceptedForUsers,
  ClaimedMessage,
  LeaseAtOnce,
  NewNotification
} from "../../ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { Trace } from "../../ports/operations/Tracing.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { laneId } from "./Lane.ts"
import { lower, makeNamed, UnknownRecipients } from "./Named.ts"
import { makeResolving, RequestRefused } from "./Resolving.ts"
import { batchesOf, contentOf, hasEmail, hasPush, isChannelsOnly, reachedBy, waysOf } from "./Reach.ts"
import { planAt, ttlOf, untimelyOf } from "./Timing.ts"

/**
 * Bytes of title, body, url, image and data as JSON that fit every push provider. The tightest is Web Push with 3,993
 * bytes of plaintext (RFC 8291); APNs and FCM take 4,096. The rest is for ids and the provider's own frame.
 */
export const PUSH_CONTENT_BYTES = 3_700

/** UTF-8 bytes as JSON. Counted, because most are short and an encoder would make a copy. */
export const bytesOf = (value: unknown): number => {
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
const onlyDevice = (request: SendNotification, sendAt: number | null): string | null => {
  const ids = request.to.device_ids
  if (ids === undefined || ids.length !== 1 || sendAt !== null) return null
  return reachedBy(request)("apns") ? ids[0]! : null
}

/** Users of one message whose devices are looked up as it is accepted, at most. */
const FEW_USERS = 16

/** The users that are meant, each once, if they are few, and by push alone, and now. */
const fewUsers = (request: SendNotification, sendAt: number | null): ReadonlyArray<string> | null => {
  const ids = request.to.user_ids
  if (ids === undefined || ids.length > FEW_USERS || sendAt !== null) return null
  const ways = waysOf(request)
  if (ways.length !== 1 || ways[0] !== "push") return null
  return ids.length === 1 ? ids : [...new Set(ids)]
}

/** Whether all of a message is known as it is accepted: a template is filled, and a trace gone on with, by those who send. */
const isPlain = ({ request, trace }: Arriving): boolean => request.template === undefined && (trace ?? null) === null

/** Characters of a content that is kept from its accept until it is sent: no push takes more, and thousands may be on their way. */
const KEPT = 8192

const isLight = ({ content }: KeptRequest): boolean =>
  (content?.body?.length ?? 0) + (content?.html?.length ?? 0) <= KEPT

/** What is answered to a request that was accepted. */
export interface Accepted extends Pick<Notification, "id" | "status"> {
  /** Ids that the application does not have; absent when there are none. */
  readonly skipped?: Unknown
}

/** A notification on its way to the store, whose answer is not made yet. */
type Arriving = Omit<NewNotification, "settlement" | "batches">

type Settle = (accepted: Accepted) => Settlement

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
      settle?: Settle | null,
      trace?: Trace
    ) => Effect.Effect<Accepted, UnknownRecipients | RequestRefused | StoreError>
  }
>()("heliograph/engine/Accept") {
  static readonly layer = Layer.effect(
    Accept,
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const wakeUp = yield* makeWakeUps(yield* JobQueue)
      const settings = yield* EngineSettings
      const resolve = yield* makeResolving
      const named = yield* makeNamed
      const direct = yield* DirectSends

      /** The plan of a small audience, which then needs no planner. Nobody at all is left to the planner to complete. */
      const planOf = ({ request, sendAt }: Arriving, recipients: AudiencePage["recipients"]) => {
        const { device_ids, channel_ids } = request.to
        // Who is reached at a later time, the planner sees then.
        if (sendAt != null || (device_ids ?? channel_ids)!.length > SMALL) return null
        const batches = batchesOf(recipients, settings.batchSize, reachedBy(request))
        return batches.length === 0 ? null : batches
      }

      const answerOf = ({ id, sendAt }: Arriving): Accepted => ({ id, status: sendAt == null ? "queued" : "scheduled" })

      /** Who would take a message as it is accepted. */
      const leaseFor = (arriving: Arriving): LeaseAtOnce => {
        const isKept = isPlain(arriving) && isLight(arriving.request)
        const taker = isKept ? direct.taker(arriving.appId, arriving.request.priority ?? "bulk") : null
        return taker === null ? null : { holder: taker, ms: settings.leaseMs }
      }

      /** Hands over what was claimed in the name of somebody else. */
      const give = (
        { appId, id, request, trace }: Arriving,
        lease: LeaseAtOnce,
        claimed: ReadonlyArray<ClaimedMessage>,
        askedAt: number
      ): void => {
        const [first] = claimed
        if (first === undefined) return
        const message = messageOf(request, { id, appId, expiresAt: first.expiresAt, trace: trace ?? null })
        const siblings = claimed.length - 1
        for (const { batch, target } of claimed) {
          direct.give(lease!.holder, { batch, message, target, siblings, askedAt })
        }
      }

      /** The whole accept in one statement, which looks the device up: most single messages are of this kind. */
      const sendToDevice = (arriving: Arriving, device: string, settle: Settle | null) => {
        const accepted = answerOf(arriving)
        const arrival = { ...arriving, batches: null, settlement: settle?.(accepted) ?? null }
        const { appId, id, request } = arriving
        const { priority = "bulk" } = request
        const lease = leaseFor(arriving)
        const askedAt = performance.now()
        const goOn = (found: AcceptedForDevice | null): Effect.Effect<Accepted, UnknownRecipients> => {
          if (found === null) return Effect.fail(new UnknownRecipients({ field: "device_ids", places: [0] }))
          const { claimed, provider } = found
          if (claimed !== null) {
            give(arriving, lease, [claimed], askedAt)
            return Effect.succeed(accepted)
          }
          wakeUp(
            provider === null
              ? { type: "PlanV1", id, priority }
              : { type: "SendV1", id: laneId({ appId, provider, priority }), priority }
          )
          return Effect.succeed(accepted)
        }
        const only = { id: lower(device), batch: uuidv7() as BatchId, lease }
        return Effect.flatMap(notifications.acceptForDevice(arrival, only, goOn), goOn)
      }

      /** The same for the devices of a few users. */
      const sendToUsers = (arriving: Arriving, ids: ReadonlyArray<string>, settle: Settle | null) => {
        const accepted = answerOf(arriving)
        const arrival = { ...arriving, batches: null, settlement: settle?.(accepted) ?? null }
        const { appId, id, request } = arriving
        const { priority = "bulk" } = request
        const lease = leaseFor(arriving)
        const askedAt = performance.now()
        const goOn = ({ claimed, left }: AcceptedForUsers): Accepted => {
          give(arriving, lease, claimed, askedAt)
          for (const provider of left) wakeUp({ type: "SendV1", id: laneId({ appId, provider, priority }), priority })
          if (claimed.length + left.length === 0) wakeUp({ type: "PlanV1", id, priority })
          return accepted
        }
        return Effect.map(notifications.acceptForUsers(arrival, { ids, lease }, goOn), goOn)
      }

      const sendToMany = Effect.fnUntraced(function* (arriving: Arriving, settle: Settle | null) {
        const { appId, id, sendAt } = arriving
        const found = yield* named(appId, arriving.request.to)
        const batches = found === null ? null : planOf(arriving, found.recipients)
        const skipped = found?.skipped ?? null
        const accepted = skipped === null ? answerOf(arriving) : { ...answerOf(arriving), skipped }
        const request = skipped === null ? arriving.request : { ...arriving.request, skipped }
        // The notification is committed: a queue that is slow or down costs it a delay (the sweeper finds it) and the
        // answer nothing.
        const goOn = () => {
          // The sweeper finds it when it is due.
          if (sendAt !== null) return
          const priority = request.priority ?? "bulk"
          if (batches === null) wakeUp({ type: "PlanV1", id, priority })
          else
            for (const { provider } of batches)
              wakeUp({ type: "SendV1", id: laneId({ appId, provider, priority }), priority })
        }
        const arrival = { ...arriving, request, batches, settlement: settle?.(accepted) ?? null }
        yield* notifications.accept(arrival, goOn)
        goOn()
        return accepted
      })

      const sendResolved = (
        appId: AppId,
        request: KeptRequest,
        settle: Settle | null,
        trace: Trace
      ): Effect.Effect<Accepted, UnknownRecipients | RequestRefused | StoreError> => {
        const refused = refusalOf(request)
        if (refused !== null) return Effect.fail(refused)
        const sendAt = planAt(request, now())
        const arriving = {
          id: uuidv7() as NotificationId,
          appId,
          request,
          ttlMs: ttlOf(request, settings),
          sendAt,
          trace
        }
        const device = onlyDevice(request, sendAt)
        if (device !== null) return sendToDevice(arriving, device, settle)
        // The plan of what is traced has a span of its own.
        const users = isPlain(arriving) ? fewUsers(request, sendAt) : null
        return users === null ? sendToMany(arriving, settle) : sendToUsers(arriving, users, settle)
      }

      // A message to one device is the hot path: it takes no generator, and one suspension, for its statement.
      const send: Accept["Service"]["send"] = (appId, given, settle = null, trace = null) =>
        Effect.suspend(() => {
          const refused = untimelyOf(given, now())
          if (refused !== null) return Effect.fail(refused)
          return given.template_id === undefined && given.to.segment_id === undefined
            ? sendResolved(appId, given, settle, trace)
            : Effect.flatMap(resolve(appId, given), (request) => sendResolved(appId, request, settle, trace))
        })

      return Accept.of({ send })
    })
  )
}
