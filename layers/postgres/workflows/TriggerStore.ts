import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId, WorkflowId } from "../../../services/domain/Ids.ts"
import type { Trigger } from "../../../services/domain/workflows/Workflow.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type { Moves, Tools, Written } from "../../../services/ports/workflows/ExecutionStore.ts"
import { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { Holder } from "../operations/Holder.ts"
import { storeError } from "../server/storeError.ts"
import { ask, reach, segments } from "./answers.ts"
import { entering, newestContact } from "./entering.ts"
import { inTransaction } from "./inTransaction.ts"
import { lookThroughSegments } from "./lookThroughSegments.ts"
import { raiseEvents } from "./raiseEvents.ts"
import { takeChangesBy } from "./takeChanges.ts"
import { takeEventsBy } from "./takeEvents.ts"
import { keepWatched } from "./watchedSegments.ts"
import { writeMoves } from "./writeMoves.ts"

export const layer: Layer.Layer<TriggerStore, never, SqlClient.SqlClient> = Layer.effect(
  TriggerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const transaction = inTransaction(sql)
    const tools: Tools = {
      ask: (asked) => ask(sql, asked, now()).pipe(storeError("TriggerStore.ask")),
      segments: (appId, ids) => segments(sql, appId, ids).pipe(storeError("TriggerStore.segments")),
      reach: (runs) => reach(sql, runs).pipe(storeError("TriggerStore.reach"))
    }
    const write = Effect.fnUntraced(function* (moves: Moves, isNew: boolean) {
      return { moves, webhooks: yield* writeMoves(sql, moves, isNew, holder.id()) } satisfies Written
    })
    const enter = entering(sql, tools, write)

    const takeScheduled: TriggerStore["Service"]["takeScheduled"] = Effect.fnUntraced(
      function* (at, next) {
        const rows = yield* sql<{
          readonly id: WorkflowId
          readonly app_id: AppId
          readonly trigger: Extract<Trigger, { readonly type: "schedule" }>
          readonly filter: SegmentFilter | null
        }>`
            SELECT w.id, w.app_id, v.definition -> 'trigger' AS trigger, s.filter
            FROM (
              SELECT * FROM workflows WHERE next_at <= ${PgTypes.timestamptz(at)} ORDER BY next_at LIMIT 100
              FOR UPDATE SKIP LOCKED
            ) AS w CROSS JOIN LATERAL (SELECT definition FROM workflow_versions WHERE id = w.version_id OFFSET 0) AS v
            LEFT JOIN LATERAL (
              SELECT filter FROM segments
              WHERE app_id = w.app_id AND id = (v.definition #>> '{trigger,to,segment_id}')::uuid OFFSET 0
            ) AS s ON true`
        for (const { app_id, filter, id, trigger } of rows) {
          const { segment_id, tags_all, tags_any, user_ids } = trigger.to
          const described = tags_any === undefined && tags_all === undefined ? null : { tags_any, tags_all }
          const audience =
            user_ids !== undefined ? { user_ids } : { filter: segment_id === undefined ? described : filter }
          // A segment that is gone holds nobody.
          if (segment_id === undefined || filter !== null) {
            yield* sql`
                INSERT INTO workflow_entries (id, app_id, workflow_id, audience, until_id)
                VALUES (${uuidv7()}, ${app_id}, ${id}, ${JSON.stringify(audience)}::json, ${newestContact(sql, app_id)})`
          }
          yield* sql`UPDATE workflows SET next_at = ${PgTypes.timestamptz(next(trigger, at))} WHERE id = ${id}`
        }
        return rows.length
      },
      (effect) => transaction("TriggerStore.takeScheduled", effect)
    )

    const nextScheduled = sql<{
      readonly at: Date | null
    }>`SELECT min(next_at) AS at FROM workflows WHERE next_at IS NOT NULL`.pipe(
      Effect.map(([row]) => row?.at?.getTime() ?? null),
      storeError("TriggerStore.nextScheduled")
    )

    return TriggerStore.of({
      raise: yield* raiseEvents(sql),
      takeEvents: takeEventsBy(sql, enter),
      takeChanges: takeChangesBy(sql, enter),
      keepAllWatched: Effect.asVoid(keepWatched(sql, null)).pipe(storeError("TriggerStore.keepAllWatched")),
      look: lookThroughSegments(sql, enter),
      takeScheduled,
      nextScheduled
    })
  })
)
