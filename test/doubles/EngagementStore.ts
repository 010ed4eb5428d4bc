import { Layer, Option } from "effect"
import type { AppId, HookId } from "../../services/domain/Ids.ts"
import type { Engaged } from "../../services/ports/EngagementStore.ts"
import { EngagementStore } from "../../services/ports/EngagementStore.ts"
import type { Outage } from "./Outage.ts"

/** Reports on the deliveries that a test has put there. */
export class EngagementTable {
  readonly deliveries: Array<{ readonly appId: AppId; readonly notificationId: string; readonly deviceId: string }> = []
  readonly reports = new Map<string, Engaged>()
  /** Hooks that subscribe to everything. */
  hooks: ReadonlyArray<HookId> = []

  layer(outage: Outage): Layer.Layer<EngagementStore> {
    return Layer.succeed(EngagementStore, {
      record: (report) =>
        outage.run("record", () => {
          const { appId, deviceId, mail, notificationId, type } = report
          const isKnown = this.deliveries.some(
            (delivery) =>
              delivery.appId === appId && delivery.deviceId === deviceId && delivery.notificationId === notificationId
          )
          if (!isKnown && mail === undefined) return Option.none()
          const key = `${notificationId}:${deviceId}:${type}`
          if (this.reports.has(key)) return Option.some([])
          this.reports.set(key, report)
          return Option.some(this.hooks)
        })
    })
  }
}
