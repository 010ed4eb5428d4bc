import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { DeadLetter, DeadLetterKind } from "../domain/DeadLetter.ts"
import type { AppId, DeadLetterId, HookId } from "../domain/Ids.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "./StoreError.ts"

export interface DeadLetterFilter {
  readonly kind?: DeadLetterKind | undefined
  readonly hookId?: HookId | undefined
}

/** What used up its attempts, newest first. The stores of what failed write it, in the transactions of their results. */
export class DeadLetterStore extends Context.Service<
  DeadLetterStore,
  {
    readonly list: (
      appId: AppId,
      filter: DeadLetterFilter,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<DeadLetter>, StoreError>
    /** With the body that was to be delivered; null where there is none. */
    readonly find: (
      appId: AppId,
      id: DeadLetterId
    ) => Effect.Effect<Option.Option<DeadLetter & { readonly body: string | null }>, StoreError>
  }
>()("heliograph/ports/DeadLetterStore") {}
