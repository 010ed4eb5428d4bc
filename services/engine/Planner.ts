import { Context, Effect, Layer } from "effect"
import type { NotificationId } from "../domain/Ids.ts"
import { AudienceStore } from "../ports/AudienceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { ClaimedPlan } from "../ports/NotificationStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { laneId } from "./Lane.ts"
import { batchesOf, reachedBy } from "./Reach.ts"

/**
 * Turns the description of an audience into batches, page by page: memory stays flat at any size. Each page's batches
 * are committed together with the cursor behind them, so a crash resumes there and every recipient is in one batch.
 */
export class Planner extends Context.Service<
  Planner,
  {
    /** Plans a notification to its end, unless another has its plan. */
    readonly plan: (id: NotificationId) => Effect.Effect<void, StoreError>
  }
>()("heliograph/engine/Planner") {
  static readonly layer = Layer.effect(
    Planner,
    Effect.gen(function* () {
      const notifications = yield* NotificationStore
      const audiences = yield* AudienceStore
      const queue = yield* JobQueue
      const settings = yield* EngineSettings

      /** Plans one page. False when there is no more to do here: the plan is done, or another's by now. */
      const step = Effect.fnUntraced(function* (plan: ClaimedPlan, cursor: string | null) {
        const { id, appId, request } = plan.notification
        const priority = request.priority ?? "bulk"
        const reaches = reachedBy(request)
        const page = yield* audiences.page(appId, request.to, reaches("smtp"), cursor, settings.planPage)
        const batches = batchesOf(page.recipients, settings.batchSize, reaches)
        const isSaved = yield* notifications.savePlan({
          id,
          fence: plan.fence,
          batches,
          cursor: page.next,
          done: page.next === null,
          leaseMs: settings.leaseMs
        })
        if (!isSaved) return null
        // One job for each batch: jobs are spread over the nodes, and each wakes the lane of the node that it reaches.
        const jobs = batches.map(({ provider }) => ({
          type: "SendV1" as const,
          id: laneId({ appId, provider, priority }),
          priority
        }))
        yield* queue.publish(jobs).pipe(Effect.ignore)
        return page.next
      })

      const plan = Effect.fnUntraced(function* (id: NotificationId) {
        const claimed = yield* notifications.claimPlan(id, settings.leaseMs)
        if (claimed._tag === "None") return
        let cursor = claimed.value.cursor
        do {
          cursor = yield* step(claimed.value, cursor)
        } while (cursor !== null)
        // An audience of nobody, or one whose batches were faster than the plan, is complete here.
        yield* notifications.completeIfDone(id)
      })

      return Planner.of({ plan })
    })
  )
}
