import type { SqlClient } from "effect/sql"
import { Effect } from "effect"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { readObject } from "./runRows.ts"

/**
 * Takes from the runs of somebody who was erased what the person brought and what was told of them, and from those that
 * have ended their name. Those under way are due from now on: each fails at its next move, and loses its name by it
 * (writeMoves.ts). What counts stays: workflow, version, status, steps' numbers. With `skipping`, runs that are being moved
 * and events that are being taken are left as they are, for whoever holds rows that their movers wait for: to be called once
 * more afterwards. Answers the messages that the runs have sent, which say as much (eraseMessages.ts).
 */
export const eraseRuns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  { externalId, id }: { readonly externalId: string; readonly id: ContactId },
  skipping: boolean
) {
  const skip = sql.literal(skipping ? "SKIP LOCKED" : "")
  const runs = sql`SELECT e.app_id, e.id FROM executions e
    WHERE e.app_id = ${appId} AND e.user_id = ${externalId} AND e.contact_id = ${id}`
  // Timers first, as movers do, of all that are under way: what a mover still has in hand is written before.
  const timers = yield* sql<{ readonly id: string }>`
    SELECT t.execution_id AS id FROM (${runs} OFFSET 0) AS e
    JOIN execution_timers t ON t.app_id = ANY(ARRAY[e.app_id]) AND t.execution_id = e.id
    ORDER BY e.id FOR UPDATE OF t ${skip}`
  if (timers.length > 0) {
    // A statement of its own, which sees what was waited for. In whole milliseconds, as they stand there.
    yield* sql`
      UPDATE execution_timers r SET due_at = date_trunc('milliseconds', now())
      FROM (SELECT ${appId}::uuid, * FROM unnest(${uuids(timers.map(({ id }) => id))}) OFFSET 0) AS t (app_id, id)
      WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id AND ${ofRows(sql, sql`r.due_at > now()`)}`
  }
  const told = yield* sql<{ readonly sends: string }>`
    WITH theirs AS MATERIALIZED (
      SELECT e.app_id, e.id, e.sends FROM executions e
      WHERE e.app_id = ${appId} AND e.user_id = ${externalId} AND e.contact_id = ${id}
      ORDER BY e.id FOR NO KEY UPDATE OF e ${skip}
    )
    UPDATE executions e SET data = '{}', steps = '{}', sends = '{}', history = '',
      user_id = CASE WHEN e.ended_at IS NULL THEN e.user_id ELSE '' END,
      entry_key = CASE WHEN e.ended_at IS NULL THEN e.entry_key END
    FROM theirs WHERE e.app_id = ANY(ARRAY[theirs.app_id]) AND e.id = theirs.id
    RETURNING theirs.sends`
  // Keys that tell passes of one person apart may be anything that a trigger brought.
  yield* sql`
    DELETE FROM throttles WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM throttles WHERE app_id = ${appId} AND contact_id = ${id}
      ORDER BY workflow_id, step_key, throttle_key FOR UPDATE ${skip}
    ))`
  yield* sql`
    DELETE FROM custom_events WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM custom_events WHERE app_id = ${appId} AND user_id = ${externalId}
      ORDER BY event, at FOR UPDATE ${skip}
    ))`
  // Changes that say what the person was like before.
  yield* sql`
    WITH theirs AS MATERIALIZED (
      SELECT app_id, id FROM contact_changes WHERE app_id = ${appId} AND contact_id = ${id} AND was IS NOT NULL
      ORDER BY id FOR UPDATE ${skip}
    )
    DELETE FROM contact_changes c USING theirs WHERE c.app_id = ANY(ARRAY[theirs.app_id]) AND c.id = theirs.id`
  return told.flatMap(({ sends }) => Object.values(readObject(sends)) as ReadonlyArray<string>)
})
