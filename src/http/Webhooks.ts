import { Effect, Option, Schema } from "effect"
import { EventName } from "../../services/domain/Event.ts"
import type { Hook } from "../../services/domain/Hook.ts"
import { CreateHook, UpdateHook } from "../../services/domain/Hook.ts"
import { HookId, uuidv7 } from "../../services/domain/Ids.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { EngineSettings } from "../../services/ports/EngineSettings.ts"
import type { TooManyHooks } from "../../services/ports/HookStore.ts"
import { HookStore } from "../../services/ports/HookStore.ts"
import { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import { ApiError, invalid, notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { listQuery, page, pageOf } from "./Page.ts"
import { route } from "./Route.ts"

const HookView = Schema.Struct({
  id: HookId,
  name: Schema.String,
  url: Schema.String,
  events: Schema.Array(EventName).annotate({ description: "No events means all events." }),
  is_active: Schema.Boolean,
  disabled_reason: Schema.NullOr(Schema.String).annotate({
    description: "Set when the service disabled the webhook after repeated failures."
  }),
  is_signed: Schema.Boolean.annotate({ description: "Whether deliveries carry `X-Service-Signature`." }),
  signature_overlap_until: Schema.NullOr(Schema.String).annotate({
    description: "Until when the signature has a further `v1` for what was replaced; null when nothing overlaps."
  }),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Webhook" })

/** A hook as it is shown, field by field, so that its secret cannot slip out with the rest of a row. */
const show = (hook: Hook): typeof HookView.Type => ({
  id: hook.id,
  name: hook.name,
  url: hook.url,
  events: hook.events,
  is_active: hook.isActive,
  disabled_reason: hook.disabledReason,
  is_signed: hook.isSigned,
  signature_overlap_until: hook.overlapUntil === null ? null : isoTime(hook.overlapUntil),
  created_at: isoTime(hook.createdAt),
  updated_at: isoTime(hook.updatedAt)
})

const example = {
  id: ID,
  name: "Orders",
  url: "https://example.com/hooks/push",
  events: ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"],
  is_active: true,
  disabled_reason: null,
  is_signed: true,
  signature_overlap_until: null,
  created_at: NOW,
  updated_at: NOW
}

/** Webhooks: where the events of an application are delivered. */
export const webhookRoutes = Effect.gen(function* () {
  const hooks = yield* HookStore
  const outbound = yield* OutboundPolicy
  const { webhookSecretOverlapMs } = yield* EngineSettings

  /** Answers the address as it is connected to, for it to be kept and shown: no notation of it is left to misread. */
  const checkUrl = (url: string) =>
    outbound.check(url).pipe(
      Effect.map((checked) => checked.url.href),
      Effect.mapError(({ message }) => invalid([{ field: "url", message }]))
    )
  const tooMany = ({ limit }: TooManyHooks) =>
    Effect.fail(
      new ApiError(
        "conflict",
        `The application has ${limit} webhooks, which is the most it may have. Delete one first.`
      )
    )

  return [
    route({
      method: "POST",
      path: "/api/v1/webhooks",
      access: "secret",
      isAudited: true,
      tag: "Webhooks",
      summary: "Create a webhook",
      description:
        "The url must be a public http or https address; it is kept as it is connected to (`HTTP://2130706433` is `http://127.0.0.1/`, which is refused). With a secret, each delivery carries `X-Service-Signature`. The secret is never returned.",
      body: {
        schema: CreateHook,
        name: "CreateWebhook",
        example: {
          name: "Orders",
          url: "https://example.com/hooks/push",
          secret: "a long random text",
          events: ["NOTIFICATION_SENT", "NOTIFICATION_FAILED"],
          is_active: true
        }
      },
      success: {
        status: 201,
        description: "The webhook is created.",
        schema: HookView,
        example,
        location: ({ id }) => `/api/v1/webhooks/${id}`
      },
      errors: ["validation_error", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, body }) {
        const url = yield* checkUrl(body.url)
        const hook = yield* hooks
          .create(caller.appId, uuidv7() as HookId, { ...body, url })
          .pipe(Effect.catchTag("TooManyHooks", tooMany))
        return show(hook)
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks",
      access: "secret",
      tag: "Webhooks",
      summary: "List webhooks",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of webhooks, oldest first.",
        schema: pageOf(HookView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("webhooks", query, (after, limit) => hooks.list(caller.appId, after, limit), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      tag: "Webhooks",
      summary: "Read a webhook",
      success: { status: 200, description: "The webhook.", schema: HookView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const hook = yield* hooks.find(caller.appId, params.id as HookId)
        return Option.isSome(hook) ? show(hook.value) : yield* Effect.fail(notFound("webhook"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      isAudited: true,
      tag: "Webhooks",
      summary: "Change a webhook",
      description:
        "Only the fields that are given change. A new `secret` signs from the next attempt on; the one before it goes on signing beside it, as a further `v1` in the header, for a day or as long as `secret_overlap_seconds` says. `secret: null` removes every secret at once. `is_active: true` enables a webhook that the service disabled; what was pending is delivered then.",
      body: { schema: UpdateHook, name: "UpdateWebhook", example: { is_active: true } },
      success: { status: 200, description: "The webhook as it is now.", schema: HookView, example },
      errors: ["validation_error", "not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params, body }) {
        const id = params.id as HookId
        // Before the address is resolved: nobody's names are looked up for a hook that is not there.
        if (Option.isNone(yield* hooks.find(caller.appId, id))) return yield* Effect.fail(notFound("webhook"))
        const change = body.url === undefined ? body : { ...body, url: yield* checkUrl(body.url) }
        const hook = yield* hooks.update(caller.appId, id, change, webhookSecretOverlapMs)
        return Option.isSome(hook) ? show(hook.value) : yield* Effect.fail(notFound("webhook"))
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/webhooks/:id",
      access: "secret",
      isAudited: true,
      tag: "Webhooks",
      summary: "Delete a webhook",
      success: {
        status: 200,
        description: "The webhook is gone, and what was pending for it.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* hooks.remove(caller.appId, params.id as HookId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("webhook"))
      })
    })
  ]
})
