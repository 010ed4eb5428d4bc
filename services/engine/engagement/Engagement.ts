import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ReportEngagement } from "../../domain/engagement/Engagement.ts"
import type { AppId, NotificationId } from "../../domain/Ids.ts"
import type { Engaged } from "../../ports/engagement/EngagementStore.ts"
import { EngagementStore } from "../../ports/engagement/EngagementStore.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import type { MailRead } from "../../ports/engagement/Links.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"

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
      const wakeUp = yield* makeWakeUps(yield* JobQueue)

      const record = Effect.fnUntraced(function* (engaged: Engaged) {
        const webhooks = yield* store.record(engaged)
        if (Option.isSome(webhooks))
          for (const id of webhooks.value) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
        return Option.isSome(webhooks)
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
