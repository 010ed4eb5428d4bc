import { Schema, SchemaTransformation } from "effect"
import { EventName } from "./Event.ts"
import type { AppId, WebhookId } from "../Ids.ts"
import { Name, text } from "../Text.ts"

export const WEBHOOKS_PER_APPLICATION = 20

const Secret = text(256)
/** Each once, however often it was named. */
const Events = Schema.Array(EventName).pipe(
  Schema.check(Schema.isMaxLength(100)),
  Schema.decodeTo(
    Schema.Array(EventName),
    SchemaTransformation.transform<ReadonlyArray<EventName>, ReadonlyArray<EventName>>({
      decode: (names) => [...new Set(names)],
      encode: (names) => names
    })
  )
)

const WebhookUrl = text(2048).check(
  Schema.makeFilter(
    (value: string) =>
      (URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)) || "must be an http or https URL"
  )
)

/** POST /webhooks. No events means all events. */
export const CreateWebhook = Schema.Struct({
  name: Name,
  url: WebhookUrl,
  secret: Schema.optionalKey(Schema.NullOr(Secret)),
  events: Schema.optionalKey(Events),
  is_active: Schema.optionalKey(Schema.Boolean)
})
export type CreateWebhook = typeof CreateWebhook.Type

/** A week: a former secret that signs for longer is no rotation. */
const LONGEST_OVERLAP_SECONDS = 604_800

/**
 * PATCH /webhooks/:id: every field on its own. A new `secret` signs at once and alone, or beside the ones before it for
 * as long as an overlap says; `secret: null` removes all of them at once.
 */
export const UpdateWebhook = Schema.Struct({
  name: Schema.optionalKey(Name),
  url: Schema.optionalKey(WebhookUrl),
  secret: Schema.optionalKey(Schema.NullOr(Secret)),
  secret_overlap_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: LONGEST_OVERLAP_SECONDS })).annotate({
      description:
        "With a new `secret`: for how long the one before it signs beside it, as a further `v1`. Left out, or 0: not at all."
    })
  ),
  events: Schema.optionalKey(Events),
  is_active: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter(
    ({ secret, secret_overlap_seconds: overlap }) =>
      overlap === undefined ||
      typeof secret === "string" || { path: ["secret_overlap_seconds"], issue: "belongs to a new secret" }
  )
)
export type UpdateWebhook = typeof UpdateWebhook.Type

/** A webhook as it is shown. Its secret is never part of it. */
export interface Webhook {
  readonly id: WebhookId
  readonly appId: AppId
  readonly name: string
  readonly url: string
  readonly events: ReadonlyArray<EventName>
  readonly isActive: boolean
  readonly disabledReason: string | null
  readonly isSigned: boolean
  /** Until when a former secret signs beside the current one; null when none does. */
  readonly overlapUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}
