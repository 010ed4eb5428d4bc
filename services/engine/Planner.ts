import { Context, Effect, Layer } from "effect"
import type { NotificationId } from "../domain/Ids.ts"
import { AudienceStore } from "../ports/AudienceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { ClaimedPlan } from "../ports/NotificationStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { Tracing } from "../ports/Tracing.ts"
import { laneId } from "./Lane.ts"
import { batchesOf, reachedBy, waysOf } from "./Reach.ts"
import { byLocalTime, ttlOf } from "./Timing.ts"

/** Pages read at once for a local time: divided by due time, they make batches that are not too small. */
const LOCAL_PAGES = 4

/** What a plan has come to so far. */
type Tally = Record<"pages" | "batches" | "recipients", number>

type Divide = ReturnType<typeof byLocalTime>

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
      const tracing = yield* Tracing

      /** Plans one page. False when there is no more to do here: the plan is done, or another's by now. */
      const step = Effect.fnUntraced(function* (
        plan: ClaimedPlan,
        divide: Divide | null,
        cursor: string | null,
        tally: Tally
      ) {
        const { id, appId, request } = plan.notification
        const priority = request.priority ?? "bulk"
        const reaches = reachedBy(request)
        const limit = settings.planPage * (divide === null ? 1 : LOCAL_PAGES)
        const page = yield* audiences.page(appId, request.to, waysOf(request), cursor, limit)
        const batches =
          divide === null
            ? batchesOf(page.recipients, settings.batchSize, reaches)
            : divide(page.recipients, yield* audiences.zones(appId, page.recipients)).flatMap(({ dueAt, recipients }) =>
                batchesOf(recipients, settings.batchSize, reaches).map((batch) => ({
                  ...batch,
                  dueAt,
                  expiresAt: dueAt + ttlOf(request, settings)
                }))
              )
        const isSaved = yield* notifications.savePlan({
          id,
          fence: plan.fence,
          batches,
          cursor: page.next,
          done: page.next === null,
          leaseMs: settings.leaseMs
        })
        if (!isSaved) return null
        tally.pages++
        tally.batches += batches.length
        for (const { recipients } of batches) tally.recipients += recipients.length
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
        const { createdAt, request } = claimed.value.notification
        const divide =
          request.local_time === undefined ? null : byLocalTime(request, createdAt, settings.defaultTimezone)
        const tally = { pages: 0, batches: 0, recipients: 0 }
        const pages = Effect.gen(function* () {
          let cursor = claimed.value.cursor
          do {
            cursor = yield* step(claimed.value, divide, cursor, tally)
          } while (cursor !== null)
        })
        const attributes = { app_id: claimed.value.notification.appId, notification_id: id }
        yield* tracing.span(claimed.value.trace, "notification.plan", "consumer", attributes, (span) =>
          Effect.ensuring(
            pages,
            Effect.sync(() => span?.note(tally))
          )
        )
        // An audience of nobody, or one whose batches were faster than the plan, is complete here.
        yield* notifications.completeIfDone(id)
      })

      return Planner.of({ plan })
    })
  )
}
