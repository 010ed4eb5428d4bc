import { Effect, Option, Schema } from "effect"
import { WebhookId, RedeliveryId } from "../../../services/domain/Ids.ts"
import type { Redelivery } from "../../../services/domain/webhooks/Redelivery.ts"
import { RedeliveredStatus, RedeliverWebhook } from "../../../services/domain/webhooks/Redelivery.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { Redeliveries } from "../../../services/engine/webhooks/Redeliveries.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { RedeliveryStore } from "../../../services/ports/webhooks/RedeliveryStore.ts"
import { ApiError, notFound, tooManyRunning } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { route } from "../pipeline/Route.ts"

const RedeliveryView = Schema.Struct({
  id: RedeliveryId,
  webhook_id: WebhookId,
  status: Schema.Literals(["running", "completed"]).annotate({
    description: "`completed`: all that was wanted is pending again. What came of it, the list of deliveries shows."
  }),
  redelivered: Schema.Int.annotate({ description: "Deliveries that are pending again, so far." }),
  wanted: Schema.Struct({
    from: Schema.NullOr(Schema.String),
    to: Schema.NullOr(Schema.String),
    status: Schema.NullOr(RedeliveredStatus),
    delivery_id: Schema.NullOr(Schema.String)
  }),
  created_at: Schema.String,
  completed_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Redelivery" })

const timeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

const show = ({ wanted, ...redelivery }: Redelivery): typeof RedeliveryView.Type => ({
  id: redelivery.id,
  webhook_id: redelivery.webhookId,
  status: redelivery.status,
  redelivered: redelivery.redelivered,
  wanted:
    "deliveryId" in wanted
      ? { from: null, to: null, status: null, delivery_id: wanted.deliveryId }
      : { from: timeOrNull(wanted.from), to: isoTime(wanted.to), status: wanted.status, delivery_id: null },
  created_at: isoTime(redelivery.createdAt),
  completed_at: timeOrNull(redelivery.completedAt)
})

const example = {
  id: ID,
  webhook_id: ID,
  status: "completed",
  redelivered: 312,
  wanted: { from: "2026-01-15T08:00:00.000Z", to: NOW, status: "exhausted", delivery_id: null },
  created_at: NOW,
  completed_at: NOW
}

const conflict = (message: string) => Effect.fail(new ApiError("conflict", message))

/** What a webhook's receiver missed, or has to get once more. */
export const redeliveryRoutes = Effect.gen(function* () {
  const webhooks = yield* WebhookStore
  const store = yield* RedeliveryStore
  const redeliveries = yield* Redeliveries

  return [
    route({
      method: "POST",
      path: "/api/v1/webhooks/:id/redeliver",
      access: "secret",
      tag: "Webhooks",
      summary: "Deliver again what a webhook's receiver missed",
      description:
        'Deliveries that have ended go once more: with the same event ids, a fresh signature, and all six attempts before them. Unless `status` says otherwise those that are `exhausted`. Name at least one condition; `{"status": "exhausted"}` means all that were missed. Up to a thousand events are looked at before the answer; the rest of a large one goes on in the background, survives restarts, and can be followed at Location. A delivery that is pending or retrying is left to its attempts, so asking twice sends nothing twice; asked for by its id it is answered 409 `conflict`. 409 too for a webhook that is disabled: enable it first. Applications take turns; 20 redeliveries of one run at once, and one more is answered 429 `rate_limited`. Events that happened while it was disabled were never kept for it, and those past the retention time are gone.',
      body: {
        schema: RedeliverWebhook,
        name: "RedeliverWebhook",
        example: { from: "2026-01-15T08:00:00Z", to: "2026-01-15T09:30:00Z", status: "exhausted" }
      },
      success: {
        status: 202,
        description: "It has begun; `redelivered` says how many are pending again so far.",
        schema: RedeliveryView,
        example,
        location: ({ id }) => `/api/v1/webhooks/redeliveries/${id}`
      },
      errors: ["validation_error", "not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const id = params.id as WebhookId
        const webhook = yield* webhooks.find(caller.appId, id)
        if (Option.isNone(webhook)) return yield* Effect.fail(notFound("webhook"))
        if (!webhook.value.isActive) {
          return yield* conflict("The webhook is disabled: enable it first, by `is_active: true`.")
        }
        const redelivery = yield* redeliveries
          .begin(caller.appId, id, body)
          .pipe(Effect.catchTag("TooManyRunning", () => Effect.fail(tooManyRunning("redeliveries"))))
        if (redelivery === "unknown") return yield* Effect.fail(notFound("delivery"))
        if (redelivery === "open") return yield* conflict("The delivery is still being attempted.")
        return show(redelivery)
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks/redeliveries/:id",
      access: "secret",
      tag: "Webhooks",
      summary: "Follow a redelivery",
      success: { status: 200, description: "The redelivery as it is now.", schema: RedeliveryView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const redelivery = yield* store.find(caller.appId, params.id as RedeliveryId)
        return Option.isSome(redelivery) ? show(redelivery.value) : yield* Effect.fail(notFound("redelivery"))
      })
    })
  ]
})
