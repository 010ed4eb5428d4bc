import { Context, Effect, Layer } from "effect"
import type { ProviderKind } from "../domain/Credential.ts"
import type { BatchId, NotificationId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { SendNotification } from "../domain/Notification.ts"
import type { AudiencePage } from "../ports/AudienceStore.ts"
import { AudienceStore } from "../ports/AudienceStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { ClaimedPlan, NewBatch } from "../ports/NotificationStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { hasEmail, hasPush, isEmailOnly } from "./Accept.ts"
import { laneId } from "./Lane.ts"

const PROVIDERS: ReadonlyArray<ProviderKind> = ["apns", "fcm", "webpush", "smtp"]

/** Cuts a page into batches of at most `size` recipients of one provider. */
export const batchesOf = (
  page: AudiencePage,
  size: number,
  reaches: (provider: ProviderKind) => boolean
): ReadonlyArray<NewBatch> =>
  PROVIDERS.filter(reaches).flatMap((provider) => {
    const recipients = page.recipients[provider]
    const batches: Array<NewBatch> = []
    for (let at = 0; at < recipients.length; at += size) {
      batches.push({ id: uuidv7() as BatchId, provider, recipients: recipients.slice(at, at + size) })
    }
    return batches
  })

/** The providers for which the content has something to say. */
const reachedBy =
  ({ content, to }: SendNotification) =>
  (provider: ProviderKind): boolean =>
    provider === "smtp" ? hasEmail(content) || isEmailOnly(to) : hasPush(content)

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
        const batches = batchesOf(page, settings.batchSize, reaches)
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
