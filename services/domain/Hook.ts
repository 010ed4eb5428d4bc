import { Schema } from "effect"
import { EventName } from "./Event.ts"
import type { AppId, HookId } from "./Ids.ts"
import { Name, text } from "./Text.ts"

export const HOOKS_PER_APPLICATION = 20

const Secret = text(256)
const HookUrl = text(2048).check(
  Schema.makeFilter(
    (value: string) =>
      (URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)) || "must be an http or https URL"
  )
)

/** POST /webhooks. No events means all events. */
export const CreateHook = Schema.Struct({
  name: Name,
  url: HookUrl,
  secret: Schema.optionalKey(Schema.NullOr(Secret)),
  events: Schema.optionalKey(Schema.Array(EventName)),
  is_active: Schema.optionalKey(Schema.Boolean)
})
export type CreateHook = typeof CreateHook.Type

/** A week: a former secret that signs for longer is no rotation. */
const LONGEST_OVERLAP_SECONDS = 604_800

/**
 * PATCH /webhooks/:id: every field on its own. A new `secret` signs at once, beside the one before it for as long as
 * the overlap says; `secret: null` removes all of them at once.
 */
export const UpdateHook = Schema.Struct({
  name: Schema.optionalKey(Name),
  url: Schema.optionalKey(HookUrl),
  secret: Schema.optionalKey(Schema.NullOr(Secret)),
  secret_overlap_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: LONGEST_OVERLAP_SECONDS })).annotate({
      description:
        "With a new `secret`: how long the one before it signs beside it. A day unless the operator set something else; 0 for a secret that leaked."
    })
  ),
  events: Schema.optionalKey(Schema.Array(EventName)),
  is_active: Schema.optionalKey(Schema.Boolean)
})
export type UpdateHook = typeof UpdateHook.Type

/** A webhook as it is shown. Its secret is never part of it. */
export interface Hook {
  readonly id: HookId
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
