import type { Duration } from "effect"
import { Cache, Effect, Exit, Option } from "effect"
import type { NotificationId } from "../../domain/Ids.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { Templates } from "../messages/Templates.ts"
import type { Rendering } from "./Rendering.ts"
import { makeRendering } from "./Rendering.ts"

/** What is remembered of a notification; `rendering` is undefined without a template, null where it cannot be read. */
export interface Prepared {
  readonly message: Message
  /** Whether a person is among those whom it was sent to; null: it was sent to no people by name. */
  readonly isNamed: ((userId: string) => boolean) | null
  readonly rendering: Rendering | null | undefined
}

/** None for a notification that was deleted. */
export type PreparedMessages = Cache.Cache<NotificationId, Option.Option<Prepared>, StoreError>

/** The messages of the notifications whose batches are sent now, each with its template: read once, not for each batch. */
export const makePreparedMessages = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const templates = yield* Templates
  const prepare = Effect.fnUntraced(function* (id: NotificationId) {
    const found = yield* notifications.message(id)
    if (Option.isNone(found)) return Option.none<Prepared>()
    const { isNamed = null, ...message } = found.value
    const { template } = message
    if (template === undefined) return Option.some<Prepared>({ message, isNamed, rendering: undefined })
    const compiled = yield* templates.version(message.appId, template.version)
    const rendering = Option.match(compiled, {
      onNone: () => null,
      onSome: (one) => makeRendering(one, template.variables, template.own)
    })
    return Option.some<Prepared>({ message, isNamed, rendering })
  })
  return yield* Cache.makeWith(prepare, { capacity: 256, timeToLive: unlessFailed("10 minutes") })
})

/** A database that was away for a moment is asked again at once. */
export const unlessFailed =
  (timeToLive: "10 minutes" | "1 hour") =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Input =>
    Exit.isSuccess(exit) ? timeToLive : 0
