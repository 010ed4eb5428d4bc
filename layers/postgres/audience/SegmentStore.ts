import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SegmentId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Segment, SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import type { Cut } from "../server/pages.ts"
import { cutByBytes, cutPageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface SegmentRow {
  readonly id: SegmentId
  readonly name: string
  readonly filter: SegmentFilter
  readonly created_at: Date
  readonly updated_at: Date
}

const segmentOf = (row: SegmentRow): Segment => ({
  id: row.id,
  name: row.name,
  filter: row.filter,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

const first = (rows: ReadonlyArray<SegmentRow>) => Option.map(Option.fromUndefinedOr(rows[0]), segmentOf)

export const layer: Layer.Layer<SegmentStore, never, SqlClient.SqlClient> = Layer.effect(
  SegmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, name, filter, created_at, updated_at")

    const create: SegmentStore["Service"]["create"] = (appId, { filter, name }) =>
      Effect.gen(function* () {
        const [row] = yield* sql<SegmentRow>`
          INSERT INTO segments (id, app_id, name, filter)
          VALUES (${uuidv7()}, ${appId}, ${name}, ${JSON.stringify(filter)}::json) RETURNING ${columns}`
        yield* record(sql, appId, "segment.created", row!.id, { name })
        return segmentOf(row!)
      }).pipe((change) => permitted(sql, appId, change), storeError("SegmentStore.create"))

    const find: SegmentStore["Service"]["find"] = (appId, id) =>
      sql<SegmentRow>`SELECT ${columns} FROM segments WHERE app_id = ${appId} AND id = ${id}`.pipe(
        Effect.map(first),
        storeError("SegmentStore.find")
      )

    const list: SegmentStore["Service"]["list"] = (appId, after, limit) => {
      const page = sql`
        SELECT ${columns} FROM segments WHERE ${spanOf(sql, "oldest first", appId, after)} LIMIT ${limit + 1}`
      return sql<SegmentRow & Cut>`${cutByBytes(sql, "oldest first", page, sql`octet_length(filter::text)`)}`.pipe(
        Effect.map((rows) => cutPageOf(rows, segmentOf, limit)),
        storeError("SegmentStore.list")
      )
    }

    const update: SegmentStore["Service"]["update"] = (appId, id, { filter, name }) =>
      Effect.gen(function* () {
        const given = filter === undefined ? null : JSON.stringify(filter)
        // now() is when the transaction began: a time that is now was set by this statement.
        const rows = yield* sql<SegmentRow & { readonly is_changed: boolean }>`
          UPDATE segments SET name = coalesce(${name ?? null}::text, name), filter = coalesce(${given}::json, filter),
            updated_at = CASE WHEN (name, filter::jsonb) IS DISTINCT FROM
              (coalesce(${name ?? null}::text, name), coalesce(${given}::jsonb, filter::jsonb)) THEN now() ELSE updated_at END
          WHERE app_id = ${appId} AND id = ${id} RETURNING ${columns}, updated_at = now() AS is_changed`
        if (rows[0]?.is_changed === true) yield* record(sql, appId, "segment.changed", id, { name: rows[0].name })
        return first(rows)
      }).pipe((change) => permitted(sql, appId, change), storeError("SegmentStore.update"))

    const remove: SegmentStore["Service"]["remove"] = (appId, id) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly name: string }>`
          DELETE FROM segments WHERE app_id = ${appId} AND id = ${id} RETURNING name`
        if (row === undefined) return false
        yield* record(sql, appId, "segment.deleted", id, { name: row.name })
        return true
      }).pipe((change) => permitted(sql, appId, change), storeError("SegmentStore.remove"))

    return SegmentStore.of({ create, find, list, update, remove })
  })
)
