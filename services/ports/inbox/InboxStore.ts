import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, InboxMessageId } from "../../domain/Ids.ts"
import type { InboxMessage, InboxNews, PostInbox } from "../../domain/inbox/Inbox.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** In-app inboxes, each of one contact, who is named by the application's own user id. Who is unknown has an empty one. */
export class InboxStore extends Context.Service<
  InboxStore,
  {
    /**
     * A message for each of the people (named twice is once), in one statement, with their contacts, made if needed. Those
     * who want no inbox messages get none. Answers how many got one.
     */
    readonly post: (appId: AppId, message: PostInbox) => Effect.Effect<number, StoreError>
    /** Newest first. A page of long ones has fewer than `limit`. */
    readonly list: (
      appId: AppId,
      userId: string,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<InboxMessage>, StoreError>
    /** Counted from the messages themselves, so that it is always theirs. */
    readonly unread: (appId: AppId, userId: string) => Effect.Effect<number, StoreError>
    /** The message, read now or before; none when the user has no such message. */
    readonly read: (
      appId: AppId,
      userId: string,
      id: InboxMessageId
    ) => Effect.Effect<Option.Option<InboxMessage>, StoreError>
    /**
     * What was committed to an inbox since `after`, the position of earlier news: all of it and nothing twice, whatever
     * the order in which it was written. With null, only where the inbox is now. Calls travel together.
     */
    readonly since: (reader: {
      readonly appId: AppId
      readonly userId: string
      readonly after: string | null
    }) => Effect.Effect<InboxNews, StoreError>
    /** Answers how many became read by this call. */
    readonly readAll: (appId: AppId, userId: string) => Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/InboxStore") {}
