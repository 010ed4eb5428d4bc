import { Schema, Struct } from "effect"
import type { SendNotification } from "./Notification.ts"
import { Audience, requestParts } from "./Notification.ts"

/** PATCH /notifications/:id: a part takes the place of the one before, whole; null takes it away. */
export const UpdateNotification = Schema.Struct({
  to: Schema.optionalKey(Audience),
  ...Struct.map(Struct.map(requestParts, Schema.NullOr), Schema.optionalKey)
})
export type UpdateNotification = typeof UpdateNotification.Type

/** What a request says after a change; whether it may say so is not looked at. */
export const changedRequest = (
  request: SendNotification,
  change: UpdateNotification
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries({ ...request, ...change }).filter(([, value]) => value !== null))
