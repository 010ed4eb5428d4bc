import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Channel, ChannelKind, EmailChannel } from "../../domain/audience/Channel.ts"
import type { AppId, ChannelId, ContactId } from "../../domain/Ids.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

export interface NamedChannel {
  readonly id: ChannelId
  readonly kind: ChannelKind
  /** It takes messages, or is to be named among those that were skipped: not one that bounced. */
  readonly active: boolean
}

/** Which channels a list is to have: those that meet every condition. */
export interface ChannelFilter {
  readonly status?: Channel["status"] | undefined
  readonly contactId?: ContactId | undefined
  /** Compared without case, and however its domain is written. */
  readonly address?: string | undefined
}

/** Recipients that are not devices. An e-mail address names at most one channel of its application. */
export class ChannelStore extends Context.Service<
  ChannelStore,
  {
    /**
     * One statement for all: creates the channel of each address (compared so) unless it is there, with the
     * contact of `user_id`, made if needed. On a channel that is there, `user_id` left out keeps the contact, and null
     * removes it; who unsubscribed stays so. Answers in the order of the input.
     */
    readonly upsert: (
      appId: AppId,
      channels: ReadonlyArray<EmailChannel>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ChannelId; readonly created: boolean }>, StoreError>
    /** The inbox of a person, who becomes a contact if they are none yet. */
    readonly ensureInbox: (
      appId: AppId,
      userId: string
    ) => Effect.Effect<{ readonly id: ChannelId; readonly created: boolean }, StoreError>
    /**
     * Unsubscribes an e-mail channel, or subscribes it again, and answers it as it is now. The contact's preference
     * follows: off as soon as none of their addresses is left, on with the first that comes back. One that bounced stays
     * suppressed.
     */
    readonly subscribe: (
      appId: AppId,
      id: ChannelId,
      isWanted: boolean
    ) => Effect.Effect<Option.Option<Channel>, StoreError>
    readonly find: (appId: AppId, id: ChannelId) => Effect.Effect<Option.Option<Channel>, StoreError>
    /** In the order of ids, newest last. */
    readonly list: (
      appId: AppId,
      filter: ChannelFilter,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<Channel>, StoreError>
    /** The channels of each of these contacts in one statement: oldest first, `limit` of each at most. */
    readonly ofContacts: (
      appId: AppId,
      contactIds: ReadonlyArray<ContactId>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<ContactId, ReadonlyArray<Channel>>, StoreError>
    readonly remove: (appId: AppId, id: ChannelId) => Effect.Effect<boolean, StoreError>
    /** Those of `ids` that are channels of the application, each once, in no order. */
    readonly among: (appId: AppId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedChannel>, StoreError>
  }
>()("heliograph/ports/ChannelStore") {}
