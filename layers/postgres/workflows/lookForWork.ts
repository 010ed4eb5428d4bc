import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import { ALONE, ASIDE } from "../../../services/domain/sending/Suspicion.ts"
import { now } from "../../../services/ports/Now.ts"
import type { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { appsIn } from "../server/appsIn.ts"
import { times, uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import type { Claimed } from "./Claimed.ts"
import type { inTransaction } from "./inTransaction.ts"

export const FIRST = "00000000-0000-0000-0000-000000000000"

interface Due {
  readonly app_id: AppId
  readonly at: Date
}

/**
 * Runs that are to be moved alone, as the index of those few says it: by a parameter, all that are due would be looked
 * through.
 */
export const SUSPECTED = `suspicion >= ${ALONE} AND suspicion < ${ASIDE}`

/** How it is found out what there is to do. */
export const lookForWork = (
  sql: SqlClient.SqlClient,
  claimed: Claimed,
  transaction: ReturnType<typeof inTransaction>
): Pick<ExecutionStore["Service"], "look" | "due" | "hasSuspects"> => {
  const suspected = sql.literal(SUSPECTED)

  const allDue = Effect.gen(function* () {
    const began = now()
    const rows = yield* sql<Due>`
      WITH RECURSIVE ${appsIn(sql, "execution_timers")}
      SELECT apps.app_id, first.due_at AS at FROM apps CROSS JOIN LATERAL (
        SELECT due_at FROM execution_timers t WHERE t.app_id = apps.app_id ORDER BY t.due_at LIMIT 1
      ) AS first WHERE apps.app_id IS NOT NULL`
    claimed.found(
      rows.map(({ app_id }) => app_id),
      now() - began
    )
    return rows
  })

  /** The same beyond what was claimed already; null where that says nothing: one of them has no more that is due. */
  const dueBeyond = Effect.fnUntraced(function* (places: NonNullable<Claimed["places"]>) {
    const rows = yield* sql<Due>`
      SELECT t.app_id, first.due_at AS at
      FROM unnest(${uuids(places.map(({ appId }) => appId))}, ${times(places.map(({ after }) => after?.at.getTime() ?? null))},
        ${uuids(places.map(({ after }) => after?.id ?? FIRST))}) AS t (app_id, at, id)
      CROSS JOIN LATERAL (
        SELECT due_at FROM execution_timers r
        WHERE r.app_id = t.app_id AND (r.due_at, r.execution_id) > (coalesce(t.at, '-infinity'), t.id)
        ORDER BY r.due_at, r.execution_id LIMIT 1
      ) AS first`
    const at = now()
    const ready = new Set(rows.flatMap(({ app_id, at: first }) => (first.getTime() <= at ? [app_id] : [])))
    const spent = places.filter(({ after, appId }) => after !== null && !ready.has(appId))
    for (const { appId } of spent) claimed.forget(appId)
    return spent.length === 0 ? rows : null
  })

  const due: ExecutionStore["Service"]["due"] = Effect.suspend(() => {
    const places = claimed.places
    return places === null
      ? allDue
      : Effect.flatMap(transaction("ExecutionStore.due", dueBeyond(places)), (rows) =>
          rows === null ? allDue : Effect.succeed(rows)
        )
  }).pipe(
    Effect.map((rows) => rows.map(({ app_id, at }) => ({ appId: app_id, at: at.getTime() }))),
    storeError("ExecutionStore.due")
  )

  const hasSuspects: ExecutionStore["Service"]["hasSuspects"] = Effect.suspend(
    () => sql`SELECT 1 FROM execution_timers WHERE ${suspected} AND due_at <= ${PgTypes.timestamptz(now())} LIMIT 1`
  ).pipe(
    Effect.map((rows) => rows.length > 0),
    storeError("ExecutionStore.hasSuspects")
  )

  // Each along the index of those few, whatever the plan thinks of the size of a table.
  const look: ExecutionStore["Service"]["look"] = Effect.suspend(() => {
    const at = PgTypes.timestamptz(now())
    return sql<{ readonly has_work: boolean; readonly is_untidy: boolean; readonly due_at: Date | null }>`
      WITH RECURSIVE ${appsIn(sql, "execution_timers")}
      SELECT coalesce(
        (SELECT true FROM execution_cancels ORDER BY app_id, id LIMIT 1),
        (SELECT true FROM workflows WHERE next_at <= ${at} ORDER BY next_at LIMIT 1),
        (SELECT true FROM custom_events WHERE NOT is_done ORDER BY app_id, at LIMIT 1),
        (SELECT true FROM contact_changes ORDER BY app_id, id LIMIT 1),
        (SELECT true FROM workflow_entries ORDER BY app_id, id LIMIT 1),
        (SELECT true FROM execution_timers WHERE ${suspected} AND due_at <= ${at} LIMIT 1), false
      ) AS has_work, coalesce(
        (SELECT true FROM execution_outcomes ORDER BY notification_id LIMIT 1),
        (SELECT true FROM workflows WHERE is_closing ORDER BY id LIMIT 1),
        (SELECT true FROM watched_segments ORDER BY app_id LIMIT 1),
        (SELECT true FROM workflows WHERE status = 'active' AND trigger_type = 'segment_entered' ORDER BY app_id LIMIT 1), false
      ) AS is_untidy, (
        SELECT min(first.due_at) FROM apps CROSS JOIN LATERAL (
          SELECT due_at FROM execution_timers t WHERE t.app_id = apps.app_id ORDER BY t.due_at LIMIT 1
        ) AS first
      ) AS due_at`
  }).pipe(
    Effect.map(([row]) => ({
      hasWork: row!.has_work,
      isUntidy: row!.is_untidy,
      dueAt: row!.due_at?.getTime() ?? Infinity
    })),
    storeError("ExecutionStore.look")
  )

  return { look, due, hasSuspects }
}
