import { Schema } from "effect"
import { Metadata, NewUserId } from "../audience/Device.ts"
import type { InboxMessageId } from "../Ids.ts"
import { Content } from "../sending/Notification.ts"
import { text } from "../Text.ts"

/** People whom one request may write to. */
const USERS = 1000

/** POST /inbox/messages: the same message into the inbox of each of these people. */
export const PostInbox = Schema.Struct({
  user_ids: Schema.Array(NewUserId).check(Schema.isMinLength(1), Schema.isMaxLength(USERS)),
  title: Schema.optionalKey(text(1024)),
  body: Schema.optionalKey(text(65_536)),
  url: Content.fields.url,
  data: Schema.optionalKey(Metadata)
}).check(
  Schema.makeFilter(({ body, title }) => title !== undefined || body !== undefined || "must have a title or a body")
)
export type PostInbox = typeof PostInbox.Type

/** What stands in a message. */
export interface InboxContent {
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly data: Readonly<Record<string, Schema.Json>>
}

/** What a notification leaves in an inbox: the subject stands in for a title. */
export const inboxContentOf = ({ body, data, subject, title, url }: Content): InboxContent => ({
  title: title ?? subject ?? null,
  body: body ?? null,
  url: url ?? null,
  data: data ?? {}
})

/** What has come to an inbox since its reader was told last. */
export interface InboxNews {
  /** Where the reader is, having heard this. Opaque text without spaces. */
  readonly position: string
  readonly unread: number
  /** Oldest first. */
  readonly messages: ReadonlyArray<InboxMessage>
  /** There was more than is told, or it cannot be told what: the inbox is to be read anew. */
  readonly isCut: boolean
}

/** A message in the in-app inbox of a contact. */
export interface InboxMessage extends InboxContent {
  readonly id: InboxMessageId
  readonly createdAt: number
  /** When it was first marked as read; null until then. */
  readonly readAt: number | null
}
