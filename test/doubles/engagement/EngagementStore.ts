import { Layer, Option } from "effect"
import type { AppId, WebhookId } from "../../../services/domain/Ids.ts"
import type { Engaged } from "../../../services/ports/engagement/EngagementStore.ts"
import { EngagementStore } from "../../../services/ports/engagement/EngagementStore.ts"
import type { Outage } from "../Outage.ts"

/** Reports on the deliveries that a test has put there. */
export class EngagementTable {
  readonly deliveries: Array<{
    readonly appId: AppId
    readonly notificationId: string
    readonly deviceId: string
    /** Sent, unless this says that it was not. */
    readonly isSent?: false
  }> = []
  readonly reports = new Map<string, Engaged>()
  /** Webhooks that subscribe to everything. */
  webhooks: ReadonlyArray<WebhookId> = []

  layer(outage: Outage): Layer.Layer<EngagementStore> {
    return Layer.succeed(EngagementStore, {
      record: (report) =>
        outage.run("record", () => {
          const { appId, deviceId, mail, notificationId, type } = report
          const known = this.deliveries.find(
            (delivery) =>
              delivery.appId === appId && delivery.deviceId === deviceId && delivery.notificationId === notificationId
          )
          if (known === undefined && mail === undefined) return Option.none()
          if (known?.isSent === false) return Option.some([])
          const key = `${notificationId}:${deviceId}:${type}`
          if (this.reports.has(key)) return Option.some([])
          this.reports.set(key, report)
          return Option.some(this.webhooks)
        })
    })
  }
}
