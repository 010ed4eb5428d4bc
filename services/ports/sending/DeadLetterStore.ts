import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { DeadLetter, DeadLetterFilter } from "../../domain/sending/DeadLetter.ts"
import type { AppId, DeadLetterId, TemplateId } from "../../domain/Ids.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { Variables } from "../../domain/messages/Template.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** A letter with what was to be delivered. */
export interface WholeDeadLetter extends DeadLetter {
  /** Of a webhook: the body, as JSON; null where there is none. */
  readonly body: string | null
  /**
   * Of a notification send: what was to be sent, or the template that was filled for each recipient. All null when the
   * notification is past its retention.
   */
  readonly content: Content | null
  readonly templateId: TemplateId | null
  readonly variables: Variables | null
}

/** What finally failed, newest first. The stores of what failed write it, in the transactions of their results. */
export class DeadLetterStore extends Context.Service<
  DeadLetterStore,
  {
    readonly list: (
      appId: AppId,
      filter: DeadLetterFilter,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<DeadLetter>, StoreError>
    readonly find: (appId: AppId, id: DeadLetterId) => Effect.Effect<Option.Option<WholeDeadLetter>, StoreError>
  }
>()("heliograph/ports/DeadLetterStore") {}
