import { Layer, Option } from "effect"
import type { WholeDeadLetter } from "../../../services/ports/sending/DeadLetterStore.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import type { Outage } from "../Outage.ts"

export class DeadLetterTable {
  /** Newest first. */
  rows: Array<WholeDeadLetter> = []

  layer(outage: Outage): Layer.Layer<DeadLetterStore> {
    return Layer.succeed(DeadLetterStore, {
      list: (appId, { error, from, kind, notification_id, provider, to, webhook_id }, before, limit) =>
        outage.run("list", () => {
          const all = this.rows.filter(
            (row) =>
              row.appId === appId &&
              (kind === undefined || row.kind === kind) &&
              (webhook_id === undefined || row.webhookId === webhook_id) &&
              (notification_id === undefined || row.notificationId === notification_id) &&
              (provider === undefined || row.provider === provider) &&
              (error === undefined || row.error === error) &&
              (from === undefined || row.at >= Date.parse(from)) &&
              (to === undefined || row.at < Date.parse(to)) &&
              (before === null || row.id < before)
          )
          const items = all.slice(0, limit)
          return { items, next: all.length > limit ? items[limit - 1]!.id : null }
        }),
      find: (appId, id) =>
        outage.run("find", () => Option.fromUndefinedOr(this.rows.find((row) => row.appId === appId && row.id === id)))
    })
  }
}
