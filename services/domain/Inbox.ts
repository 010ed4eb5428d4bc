import { Schema } from "effect"
import { Metadata, UserId } from "./Device.ts"
import type { InboxMessageId } from "./Ids.ts"
import { Content } from "./Notification.ts"
import { text } from "./Text.ts"

/** People whom one request may write to. */
const USERS = 1000

/** POST /inbox/messages: the same message into the inbox of each of these people. */
export const PostInbox = Schema.Struct({
  user_ids: Schema.Array(UserId).check(Schema.isMinLength(1), Schema.isMaxLength(USERS)),
  title: Schema.optionalKey(text(1024)),
  body: Schema.optionalKey(text(65_536)),
  url: Content.fields.url,
  data: Schema.optionalKey(Metadata)
}).check(
  Schema.makeFilter(({ body, title }) => title !== undefined || body !== undefined || "must have a title or a body")
)
export type PostInbox = typeof PostInbox.Type

/** A message in the in-app inbox of a contact. */
export interface InboxMessage {
  readonly id: InboxMessageId
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly data: Readonly<Record<string, Schema.Json>>
  readonly createdAt: number
  /** When it was first marked as read; null until then. */
  readonly readAt: number | null
}
