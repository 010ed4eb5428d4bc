import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { ExecutionId } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"
import { toldOf } from "../../../services/ports/workflows/Told.ts"
import type { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { texts, uuids } from "../server/columns.ts"
import type { ContactRow, Entering } from "./entering.ts"
import { makePace, together } from "./entryPages.ts"
import { inTransaction } from "./inTransaction.ts"
import { readObject } from "./runRows.ts"
import { beginningOf, nextApp, waitingFor } from "./triggered.ts"
import { theseRuns } from "./writeMoves.ts"

/** Takes events: lets people into the workflows that wait for them, and wakes the runs that do. */
export const takeEventsBy = (
  sql: SqlClient.SqlClient,
  { contactsOfUsers, enterAll }: Entering
): TriggerStore["Service"]["takeEvents"] => {
  const transaction = inTransaction(sql)
  const pace = makePace()
  return Effect.fnUntraced(
    function* (served, limit, carry, turnOf) {
      const appId = yield* nextApp(sql, sql`custom_events WHERE NOT is_done AND`, "at", served)
      if (appId === null) return Option.none()
      turnOf?.(appId)
      const began = performance.now()
      const asked = pace.most(appId, limit)
      const found = yield* sql<{
        readonly id: string
        readonly user_id: string
        readonly event: string
        readonly data: string
        readonly trace: string | null
        readonly at: number
        readonly bytes: number
      }>`
          SELECT id, user_id, event, data, trace, octet_length(data) AS bytes,
            ceil(extract(epoch FROM at) * 1000)::float8 AS at FROM (
            SELECT *, sum(octet_length(data)) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (
              SELECT id, user_id, event, data, trace, at FROM custom_events WHERE app_id = ${appId} AND NOT is_done
              ORDER BY at LIMIT ${asked} FOR UPDATE SKIP LOCKED
            ) AS e
          ) AS e WHERE before IS NULL OR before < ${READ_AT_ONCE}`
      if (found.length === 0) return Option.some({ appId, count: 0, written: [] })
      const waiting = yield* waitingFor(
        sql,
        appId,
        "event",
        found.map(({ event }) => event)
      )
      const workflowsOf = Map.groupBy(waiting, ({ trigger }) => (trigger.type === "event" ? trigger.event : null))
      const weights = found.map(({ bytes, event }) => {
        const entries = workflowsOf.get(event)?.length ?? 0
        return { entries, bytes: bytes * Math.max(1, entries) }
      })
      // Those beyond stay as they are.
      const events = found.slice(0, together(weights)).map(({ data, ...event }) => ({
        ...event,
        // Read once, however many workflows it leads to.
        data: workflowsOf.has(event.event) ? readObject(data) : {}
      }))
      const eventsOf = Map.groupBy(events, ({ event }) => event)
      const entered = waiting.filter(({ trigger }) => trigger.type === "event" && eventsOf.has(trigger.event))
      const contacts =
        entered.length === 0
          ? new Map<string, ContactRow>()
          : yield* contactsOfUsers(
              appId,
              events.flatMap(({ event, user_id }) => (workflowsOf.has(event) ? [user_id] : []))
            )
      const entries = entered.map((workflow) => ({
        beginning: beginningOf(appId, workflow),
        entrants: eventsOf.get(workflow.trigger.type === "event" ? workflow.trigger.event : "")!.map((event) => ({
          contact: contacts.get(event.user_id)!,
          data: event.data,
          bytes: event.bytes,
          trace: event.trace,
          // Behind the event itself: one that came next, and is looked at with it, is heard.
          at: event.at
        }))
      }))
      const written = (yield* enterAll(appId, entries, carry)).map(toldOf)
      // Runs that wait for one of them go on: they look for themselves whether it fits. Whoever moves one has its timer
      // before it takes the wake away: so it is waited for first, and the wake of a run that has gone on is gone.
      yield* sql`
          SELECT r.execution_id FROM (
            SELECT DISTINCT w.app_id, w.execution_id AS id
            FROM (SELECT DISTINCT * FROM unnest(${texts(events.map(({ user_id }) => user_id))}, ${texts(events.map(({ event }) => event))})) AS t (user_id, event)
            CROSS JOIN LATERAL (
              SELECT app_id, execution_id FROM execution_events
              WHERE app_id = ${appId} AND user_id = t.user_id AND event = t.event OFFSET 0
            ) AS w
          ) AS t JOIN execution_timers r ON r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id
          ORDER BY t.id FOR UPDATE OF r`
      const woken = yield* sql<{ readonly execution_id: ExecutionId }>`
          DELETE FROM execution_events w
          USING (
            SELECT DISTINCT ${appId}::uuid, *
            FROM unnest(${texts(events.map(({ user_id }) => user_id))}, ${texts(events.map(({ event }) => event))})
          ) AS t (app_id, user_id, event)
          WHERE w.app_id = ANY(ARRAY[t.app_id]) AND w.user_id = t.user_id AND w.event = t.event
          RETURNING w.execution_id`
      if (woken.length > 0) {
        yield* sql`
            UPDATE execution_timers r SET due_at = ${PgTypes.timestamptz(now())}
            FROM ${theseRuns(
              sql,
              appId,
              woken.map(({ execution_id }) => execution_id)
            )} WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id`
      }
      yield* sql`
          UPDATE custom_events SET is_done = true WHERE ctid = ANY(ARRAY(
            SELECT e.ctid FROM unnest(${uuids(events.map(({ id }) => id))}) AS t (id)
            CROSS JOIN LATERAL (SELECT ctid FROM custom_events WHERE app_id = ${appId} AND id = t.id OFFSET 0) AS e
          ))`
      const ms = performance.now() - began
      pace.note(appId, limit, { asked, found: found.length, taken: events.length, ms })
      return Option.some({ appId, count: events.length, written })
    },
    (effect) => transaction("TriggerStore.takeEvents", effect)
  )
}
