import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ReportEngagement } from "../domain/Engagement.ts"
import type { AppId, NotificationId } from "../domain/Ids.ts"
import type { Engaged } from "../ports/EngagementStore.ts"
import { EngagementStore } from "../ports/EngagementStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import type { MailRead } from "../ports/Links.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { makeHints } from "./Hints.ts"

/** The application sent no such notification to such a device. */
export class UnknownDelivery extends Schema.TaggedError<UnknownDelivery>()("UnknownDelivery", {}) {}

/** Tells the destinations of a mail apart. */
const linkOf = (destination: string): number => {
  let hash = 1
  for (let i = 0; i < destination.length; i++) hash = (Math.imul(hash, 31) + destination.charCodeAt(i)) | 0
  return hash
}

/** What clients tell of the notifications that they got. */
export class Engagement extends Context.Service<
  Engagement,
  {
    /** Returns when the report is committed, or was before: a client may repeat it. */
    readonly report: (appId: AppId, report: ReportEngagement) => Effect.Effect<void, UnknownDelivery | StoreError>
    /** A mail was opened, or a link of it followed: `destination`. Returns when it is committed, or was before. */
    readonly reportMail: (
      read: MailRead,
      destination: string | null,
      isMachine: boolean
    ) => Effect.Effect<void, StoreError>
  }
>()("heliograph/engine/Engagement") {
  static readonly layer = Layer.effect(
    Engagement,
    Effect.gen(function* () {
      const store = yield* EngagementStore
      const hint = yield* makeHints(yield* JobQueue)

      const record = Effect.fnUntraced(function* (engaged: Engaged) {
        const hooks = yield* store.record(engaged)
        if (Option.isSome(hooks)) for (const id of hooks.value) hint({ type: "HookV1", id, priority: "bulk" })
        return Option.isSome(hooks)
      })

      const report = Effect.fnUntraced(function* (appId: AppId, report: ReportEngagement) {
        const isKnown = yield* record({
          appId,
          type: report.type,
          notificationId: report.notification_id.toLowerCase() as NotificationId,
          deviceId: report.device_id.toLowerCase(),
          destination: report.destination ?? null
        })
        if (!isKnown) return yield* new UnknownDelivery()
      })

      const reportMail = (
        { appId, channelId, notificationId }: MailRead,
        destination: string | null,
        isMachine: boolean
      ) =>
        Effect.asVoid(
          record({
            appId,
            type: destination === null ? "opened" : "clicked",
            notificationId,
            deviceId: channelId,
            destination,
            mail: { isMachine, link: destination === null ? 0 : linkOf(destination) }
          })
        )

      return Engagement.of({ report, reportMail })
    })
  )
}
