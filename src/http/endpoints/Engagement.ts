import { Effect, Schema } from "effect"
import { ReportEngagement, TrackDelivery } from "../../../services/domain/engagement/Engagement.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { Engagement } from "../../../services/engine/engagement/Engagement.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { ID } from "../docs/Examples.ts"
import { route } from "../pipeline/Route.ts"

const success = {
  status: 202,
  description: "Noted, now or before.",
  schema: Schema.Struct({ accepted: Schema.Literal(true) }),
  example: { accepted: true }
} as const

const ids = { notification_id: ID, device_id: ID }

const ABOUT =
  "The ids come from the push's payload fields `service_notification_id` and `service_device_id`. A report counts once for each delivery and type; repeating it changes nothing. What was never sent (the delivery failed, was skipped or cancelled) is taken, and not counted. When the application has not sent this notification to this device the answer is 404."

/** Engagement: what the service worker and the mobile SDKs tell with the public key. */
export const engagementRoutes = Effect.gen(function* () {
  const engagement = yield* Engagement

  const report = (appId: AppId, report: ReportEngagement) =>
    engagement.report(appId, report).pipe(
      Effect.as({ accepted: true as const }),
      Effect.catchTag("UnknownDelivery", () =>
        Effect.fail(
          new ApiError("not_found", "The application has sent no notification with this id to a device with this id.")
        )
      )
    )

  return [
    route({
      method: "POST",
      path: "/api/v1/events",
      access: "public",
      tag: "Engagement",
      summary: "Report that a push was delivered, opened or clicked",
      description: ABOUT,
      body: { schema: ReportEngagement, name: "ReportEngagement", example: { type: "opened", ...ids } },
      success,
      errors: ["not_found"],
      handler: ({ caller, body }) => report(caller.appId, body)
    }),
    route({
      method: "POST",
      path: "/api/v1/track",
      access: "public",
      tag: "Engagement",
      summary: "Confirm that a push was delivered",
      description: `The same as an event of type \`delivered\`. ${ABOUT}`,
      body: { schema: TrackDelivery, name: "TrackDelivery", example: ids },
      success,
      errors: ["not_found"],
      handler: ({ caller, body }) => report(caller.appId, { type: "delivered", ...body })
    })
  ]
})
