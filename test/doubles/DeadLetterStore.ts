import { Layer, Option } from "effect"
import type { DeadLetter } from "../../services/domain/DeadLetter.ts"
import { DeadLetterStore } from "../../services/ports/DeadLetterStore.ts"
import type { Outage } from "./Outage.ts"

export class DeadLetterTable {
  /** Newest first. */
  rows: Array<DeadLetter & { readonly body: string | null }> = []

  layer(outage: Outage): Layer.Layer<DeadLetterStore> {
    return Layer.succeed(DeadLetterStore, {
      list: (appId, { hookId, kind }, before, limit) =>
        outage.run("list", () => {
          const all = this.rows.filter(
            (row) =>
              row.appId === appId &&
              (kind === undefined || row.kind === kind) &&
              (hookId === undefined || row.hookId === hookId) &&
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
