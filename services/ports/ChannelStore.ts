import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Channel, CreateChannel } from "../domain/Channel.ts"
import type { AppId, ChannelId } from "../domain/Ids.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "./StoreError.ts"

export interface NamedChannel {
  readonly id: ChannelId
  /** It takes e-mail. */
  readonly active: boolean
}

/** Recipients that are not devices. An e-mail address names at most one channel of its application. */
export class ChannelStore extends Context.Service<
  ChannelStore,
  {
    /**
     * One statement for all: creates the channel of each address (compared without case) unless it is there, with the
     * contact of `user_id`, made if needed. On a channel that is there, `user_id` left out keeps the contact, and null
     * removes it; who unsubscribed stays so. Answers in the order of the input.
     */
    readonly upsert: (
      appId: AppId,
      channels: ReadonlyArray<CreateChannel>
    ) => Effect.Effect<ReadonlyArray<{ readonly id: ChannelId; readonly created: boolean }>, StoreError>
    readonly find: (appId: AppId, id: ChannelId) => Effect.Effect<Option.Option<Channel>, StoreError>
    readonly list: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<Channel>, StoreError>
    readonly remove: (appId: AppId, id: ChannelId) => Effect.Effect<boolean, StoreError>
    /** Those of `ids` that are channels of the application, each once, in no order. */
    readonly among: (appId: AppId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedChannel>, StoreError>
  }
>()("heliograph/ports/ChannelStore") {}
