import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { EngagementType } from "../domain/Engagement.ts"
import type { AppId, HookId, NotificationId } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

export interface Engaged {
  readonly appId: AppId
  readonly type: EngagementType
  readonly notificationId: NotificationId
  readonly deviceId: string
  /** Where a click led, when the client says so. */
  readonly destination: string | null
}

/** What recipients made of their notifications. */
export class EngagementStore extends Context.Service<
  EngagementStore,
  {
    /**
     * Writes a report, once for each delivery and type: the row, the counter, and the event with the work of each hook
     * that subscribes to it, in one transaction. None when notification, device and application do not belong together,
     * which they do as soon as the engine may have sent the one to the other. Else the hooks that got work; calls travel
     * together, and a hook is named to one of them.
     */
    readonly record: (report: Engaged) => Effect.Effect<Option.Option<ReadonlyArray<HookId>>, StoreError>
  }
>()("heliograph/ports/EngagementStore") {}
