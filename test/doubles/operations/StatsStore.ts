import { Layer } from "effect"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import type { DayStats } from "../../../services/domain/operations/Stats.ts"
import type { ProviderAccount } from "../../../services/ports/operations/StatsStore.ts"
import { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import type { Outage } from "../Outage.ts"

/** Sums in a list. */
export class StatsTable {
  readonly rows: Array<DayStats & { readonly appId: AppId }> = []
  readonly accounts = new Map<NotificationId, ReadonlyArray<ProviderAccount>>()

  layer(outage: Outage): Layer.Layer<StatsStore> {
    return Layer.succeed(StatsStore, {
      days: (appId, from, to) =>
        outage.run("days", () =>
          this.rows.filter((row) => row.appId === appId && row.day >= from && row.day <= to).map((row): DayStats => row)
        ),
      notification: (_, id) => outage.run("notification", () => this.accounts.get(id) ?? [])
    })
  }
}
