import { Layer } from "effect"
import type { AuditEntry } from "../../../services/domain/access/Audit.ts"
import { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import type { Outage } from "../Outage.ts"

/** Entries, newest first. The stores in memory write none. */
export class AuditTable {
  rows: Array<AuditEntry> = []

  layer(outage: Outage): Layer.Layer<AuditLog> {
    return Layer.succeed(AuditLog, {
      list: (appId, after, limit) =>
        outage.run("list", () => {
          const rest = this.rows.filter((row) => row.appId === appId && (after === null || row.id < after))
          const items = rest.slice(0, limit)
          return { items, next: rest.length > limit ? items[limit - 1]!.id : null }
        })
    })
  }
}
