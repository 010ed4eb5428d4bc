import { Effect, Option, Schema } from "effect"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { Notification, SendNotification } from "../../domain/sending/Notification.ts"
import { asSent, NotificationStatus } from "../../domain/sending/Notification.ts"
import { now } from "../../ports/Now.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import { checkContent } from "./Accept.ts"
import { makeTurns } from "../operations/ChangesInTurn.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { makeNamed } from "./Named.ts"
import { makeResolving } from "./Resolving.ts"
import { planAt, ttlOf, untimelyOf } from "./Timing.ts"

/** It has begun, or is over: what it says can no longer be changed. */
export class NoLongerScheduled extends Schema.TaggedError<NoLongerScheduled>()("NoLongerScheduled", {
  status: NotificationStatus
}) {}

const isOpen = ({ startedAt, status }: Notification): boolean =>
  (status === "scheduled" || status === "paused") && startedAt === null

/**
 * Changes what a notification says that has not begun: one that is scheduled, or was paused before its time. The whole is
 * looked at as a new request would be, its template and segment as they are now. What decides between the change and the
 * moment of sending is the store's one statement.
 */
export const makeRevising = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const settings = yield* EngineSettings
  const resolve = yield* makeResolving
  const named = yield* makeNamed
  const inTurn = makeTurns()

  const reviseOne = Effect.fnUntraced(function* <E>(
    appId: AppId,
    id: NotificationId,
    fields: ReadonlyArray<string>,
    change: (request: SendNotification) => Effect.Effect<SendNotification, E>
  ) {
    // Begun again where another process came first, or the planner, until the request's time is over.
    for (;;) {
      const found = yield* notifications.find(appId, id)
      if (Option.isNone(found)) return found
      const { request: before, revision, status } = found.value
      if (!isOpen(found.value)) return yield* new NoLongerScheduled({ status })
      // Nor is there anything to write down.
      if (fields.length === 0) return found
      const wanted = yield* change(asSent(before))
      // One that was good when it was given stays good, also when its time went by while the notification was paused.
      const untimely = fields.includes("send_at") ? untimelyOf(wanted, now()) : null
      if (untimely !== null) return yield* untimely
      const resolved = yield* resolve(appId, wanted)
      yield* checkContent(resolved)
      const skipped = (yield* named(appId, resolved.to))?.skipped ?? null
      const request = skipped === null ? resolved : { ...resolved, skipped }
      const sendAt = planAt(request, now())
      const revised = yield* notifications.revise({
        appId,
        id,
        revision,
        fields,
        request,
        sendAt,
        ttlMs: ttlOf(request, settings)
      })
      if (Option.isNone(revised)) continue
      const { priority = "bulk" } = request
      if (revised.value.status === "queued") wakeUp({ type: "PlanV1", id, priority })
      return revised
    }
  })

  /** `change` makes the new request of the one before; `fields` says what of it changes, for the log. */
  return <E>(
    appId: AppId,
    id: NotificationId,
    fields: ReadonlyArray<string>,
    change: (request: SendNotification) => Effect.Effect<SendNotification, E>
  ) => inTurn(id, reviseOne(appId, id, fields, change))
})
