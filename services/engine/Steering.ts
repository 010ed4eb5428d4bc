import { Effect, Option } from "effect"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { SteerCommand } from "../ports/NotificationStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { makeHints } from "./Hints.ts"
import { laneId } from "./Lane.ts"

/**
 * Cancels, pauses and resumes notifications. The store decides, in one transaction; all there is to do beside it is to
 * wake those whose work goes on. Workers that have a batch in hand look at its notification twice a second.
 */
export const makeSteering = Effect.gen(function* () {
  const notifications = yield* NotificationStore
  const hint = yield* makeHints(yield* JobQueue)

  return Effect.fnUntraced(function* (appId: AppId, id: NotificationId, command: SteerCommand) {
    const steered = yield* notifications.steer(appId, id, command)
    if (Option.isSome(steered) && steered.value.isDone && command === "resume") {
      const { lanes, notification, plan } = steered.value
      const priority = notification.request.priority ?? "bulk"
      if (plan) hint({ type: "PlanV1", id, priority })
      for (const provider of lanes) hint({ type: "SendV1", id: laneId({ appId, provider, priority }), priority })
    }
    return steered
  })
})
