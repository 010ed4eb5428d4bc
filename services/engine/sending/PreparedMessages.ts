import type { Duration } from "effect"
import { Cache, Effect, Exit, Option } from "effect"
import type { NotificationId } from "../../domain/Ids.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import type { LongMessage } from "../../ports/sending/NotificationStore.ts"
import { NotificationStore, SHORT_TEXT } from "../../ports/sending/NotificationStore.ts"
import { StoreError } from "../../ports/StoreError.ts"
import { Templates } from "../messages/Templates.ts"
import { inRoom } from "../../ports/operations/InRoom.ts"
import { MessageRooms } from "./MessageRooms.ts"
import type { Rendering, Source } from "./Rendering.ts"
import { makeRendering, sourceOf } from "./Rendering.ts"

/** What is remembered of a notification; `rendering` is undefined without a template, null where it cannot be read. */
export interface Prepared {
  /** Without its content where that is long, and without what its template is filled with. */
  readonly message: Message
  /** Whether a person is among those whom it was sent to; null: it was sent to no people by name. */
  readonly isNamed: ((userId: string) => boolean) | null
  readonly rendering: Rendering<StoreError> | null | undefined
  /** Characters of a content that is not remembered; 0: it is. */
  readonly unread: number
}

/** None for a notification that was deleted. */
export type PreparedMessages = Cache.Cache<NotificationId, Option.Option<Prepared>, StoreError>

const DELETED = new StoreError({ operation: "message", cause: new Error("the notification was deleted") })

/** A message whole, for the moment in which it is used. */
export const wholeMessage = (notifications: NotificationStore["Service"], id: NotificationId) =>
  Effect.flatMap(notifications.message(id), (found) =>
    Option.isNone(found) ? Effect.fail(DELETED) : Effect.succeed(found.value)
  )

/** The messages of the notifications whose batches are sent now, each with its template: read once, not for each batch. */
export const makePreparedMessages = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const templates = yield* Templates
  const { reading } = yield* MessageRooms

  const prepared = Effect.fnUntraced(function* (
    message: Message,
    isNamed: Prepared["isNamed"],
    source: Source<StoreError> | null,
    unread: number
  ) {
    const { template } = message
    if (source === null || template === undefined) return { message, isNamed, rendering: undefined, unread }
    const compiled = yield* templates.version(message.appId, template.version)
    const rendering = Option.match(compiled, { onNone: () => null, onSome: (one) => makeRendering(one, source) })
    // The message itself is what providers read: not what their contents were made of.
    return { message: { ...message, template: { ...template, variables: {}, own: {} } }, isNamed, rendering, unread }
  })

  /** What is long is read by itself, and again whenever it is used: what is in hand is little of all that there may be. */
  const prepareLong = Effect.fnUntraced(function* (id: NotificationId, { appId, bytes }: LongMessage) {
    const read = wholeMessage(notifications, id)
    const found = yield* inRoom(reading, appId, bytes)(notifications.message(id))
    if (Option.isNone(found)) return Option.none<Prepared>()
    const { isNamed = null, ...message } = found.value
    const { content, template } = message
    const source: Source<StoreError> | null =
      template === undefined
        ? null
        : {
            hasOwn: template.own !== undefined,
            use: (use) => inRoom(reading, appId, bytes)(Effect.flatMap(read, ({ template }) => use(template!)))
          }
    const size = (content.html?.length ?? 0) + (content.body?.length ?? 0)
    const isShort = size <= SHORT_TEXT
    const remembered = isShort ? message : { ...message, content: {} }
    return Option.some<Prepared>(yield* prepared(remembered, isNamed, source, isShort ? 0 : size))
  })

  const prepare = Effect.fnUntraced(function* (id: NotificationId) {
    const found = yield* notifications.messageIfShort(id)
    if (Option.isNone(found)) return Option.none<Prepared>()
    if ("bytes" in found.value) return yield* prepareLong(id, found.value)
    const { isNamed = null, ...message } = found.value
    const source = message.template === undefined ? null : sourceOf(message.template)
    return Option.some<Prepared>(yield* prepared(message, isNamed, source, 0))
  })
  return yield* Cache.makeWith(prepare, { capacity: 256, timeToLive: unlessFailed("10 minutes") })
})

/** A database that was away for a moment is asked again at once. */
export const unlessFailed =
  (timeToLive: "10 minutes" | "1 hour") =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Input =>
    Exit.isSuccess(exit) ? timeToLive : 0
