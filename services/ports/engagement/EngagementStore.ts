import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { EngagementType } from "../../domain/engagement/Engagement.ts"
import type { AppId, WebhookId, NotificationId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

export interface Engaged {
  readonly appId: AppId
  readonly type: EngagementType
  readonly notificationId: NotificationId
  /** Of the device; for mail, of the channel. */
  readonly deviceId: string
  /** Where a click led; null when the client does not say: then it is where the notification leads. */
  readonly destination: string | null
  /** Set for what was read in a mail, whose signed link proves that it was sent. */
  readonly mail?: {
    /** Nobody has looked at it, as far as can be told. */
    readonly isMachine: boolean
    /** Tells the links of a mail apart: a whole number, 0 for none. */
    readonly link: number
  }
}

/** What recipients made of their notifications. */
export class EngagementStore extends Context.Service<
  EngagementStore,
  {
    /**
     * Writes a report, once for each delivery and type: the row, the counter, and the event with the work of each webhook
     * that subscribes to it, in one transaction. None when notification, device and application do not belong together,
     * which they do as soon as the engine may have sent the one to the other. A report on what failed, was skipped or
     * was cancelled is taken, and nothing is written. What machines did is written and told as well, and counted apart
     * too, until a person does the same some seconds later; several links of a mail followed at once are a machine's
     * doing. Else the webhooks that got work; calls travel together, and a webhook is named to one of them. The event of a
     * click always has a `destination`: the report's, else the `url` of the notification's content, else empty text (also
     * where each recipient has a url of their own, made by a template).
     */
    readonly record: (report: Engaged) => Effect.Effect<Option.Option<ReadonlyArray<WebhookId>>, StoreError>
  }
>()("heliograph/ports/EngagementStore") {}
