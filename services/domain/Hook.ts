import { Schema } from "effect"
import { EventName } from "./Event.ts"
import type { AppId, HookId } from "./Ids.ts"
import { text } from "./Text.ts"

export const HOOKS_PER_APPLICATION = 20

const Name = text(120)
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

/** PATCH /webhooks/:id: every field on its own; `secret: null` removes the secret. */
export const UpdateHook = Schema.Struct({
  name: Schema.optionalKey(Name),
  url: Schema.optionalKey(HookUrl),
  secret: Schema.optionalKey(Schema.NullOr(Secret)),
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
  readonly createdAt: number
  readonly updatedAt: number
}
