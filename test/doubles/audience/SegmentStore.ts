import { Layer, Option } from "effect"
import type { AppId, SegmentId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Segment } from "../../../services/domain/audience/Segment.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

type Row = Segment & { readonly appId: AppId }

/** Segments in a list. */
export class SegmentTable {
  rows: Array<Row> = []

  layer(outage: Outage): Layer.Layer<SegmentStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    return Layer.succeed(SegmentStore, {
      create: (appId, draft) =>
        outage.run("create", () => {
          const now = Date.now()
          const row = { appId, id: uuidv7() as SegmentId, ...draft, createdAt: now, updatedAt: now }
          this.rows.push(row)
          return row
        }),
      find: (appId, id) => outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => row.id === id))),
      list: (appId, after, limit) => outage.run("list", () => pageOf(of(appId), after, limit)),
      update: (appId, id, change) =>
        outage.run("update", () => {
          this.rows = this.rows.map((row) =>
            row.appId === appId && row.id === id ? { ...row, ...change, updatedAt: Date.now() } : row
          )
          return Option.fromUndefinedOr(of(appId).find((row) => row.id === id))
        }),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const isThere = of(appId).some((row) => row.id === id)
          this.rows = this.rows.filter((row) => row.appId !== appId || row.id !== id)
          return isThere
        })
    })
  }
}
