import { Effect, Option } from "effect"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import type { ControlCommand } from "../../ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { laneId } from "./Lane.ts"

/**
 * Cancels, pauses and resumes notifications. The store decides, in one transaction; all there is to do beside it is to
 * wake those whose work goes on. Workers that have a batch in hand look at its notification twice a second.
 */
export const makeNotificationControl = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const wakeUp = yield* makeWakeUps(yield* JobQueue)

  return Effect.fnUntraced(function* (appId: AppId, id: NotificationId, command: ControlCommand) {
    const controlled = yield* notifications.control(appId, id, command)
    if (Option.isSome(controlled) && controlled.value.isDone && command === "resume") {
      const { lanes, notification, plan } = controlled.value
      // The sweeper finds it when it is due.
      if (notification.status === "scheduled") return controlled
      const priority = notification.request.priority ?? "bulk"
      if (plan) wakeUp({ type: "PlanV1", id, priority })
      for (const provider of lanes) wakeUp({ type: "SendV1", id: laneId({ appId, provider, priority }), priority })
    }
    return controlled
  })
})
