import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ReportEngagement } from "../domain/Engagement.ts"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import { EngagementStore } from "../ports/EngagementStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { makeHints } from "./Hints.ts"

/** The application sent no such notification to such a device. */
export class UnknownDelivery extends Schema.TaggedError<UnknownDelivery>()("UnknownDelivery", {}) {}

/** What clients tell of the notifications that they got. */
export class Engagement extends Context.Service<
  Engagement,
  {
    /** Returns when the report is committed, or was before: a client may repeat it. */
    readonly report: (appId: AppId, report: ReportEngagement) => Effect.Effect<void, UnknownDelivery | StoreError>
  }
>()("heliograph/engine/Engagement") {
  static readonly layer = Layer.effect(
    Engagement,
    Effect.gen(function* () {
      const store = yield* EngagementStore
      const hint = yield* makeHints(yield* JobQueue)

      const report = Effect.fnUntraced(function* (appId: AppId, report: ReportEngagement) {
        const hooks = yield* store.record({
          appId,
          type: report.type,
          notificationId: report.notification_id.toLowerCase() as NotificationId,
          deviceId: report.device_id.toLowerCase(),
          destination: report.destination ?? null
        })
        if (Option.isNone(hooks)) return yield* new UnknownDelivery()
        for (const id of hooks.value) hint({ type: "HookV1", id, priority: "bulk" })
      })

      return Engagement.of({ report })
    })
  )
}
