import type { SqlClient } from "effect/sql"
import { Effect } from "effect"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { uuids } from "../server/columns.ts"

/**
 * Takes from the runs of somebody who was erased what the person brought and what was told of them, and from those that
 * have ended their name. Those under way are due from now on: each fails at its next move, and loses its name by it
 * (writeMoves.ts). What counts stays: workflow, version, status, steps' numbers. With `skipping`, runs that are being moved
 * and events that are being taken are left as they are, for whoever holds rows that their movers wait for: to be called once more afterwards.
 */
export const eraseRuns = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  { externalId, id }: { readonly externalId: string; readonly id: ContactId },
  skipping: boolean
) {
  const skip = sql.literal(skipping ? "SKIP LOCKED" : "")
  const runs = sql`SELECT e.id FROM executions e
    WHERE e.app_id = ${appId} AND e.user_id = ${externalId} AND e.contact_id = ${id}`
  // Timers first, as movers do, of all that are under way: what a mover still has in hand is written before.
  const timers = yield* sql<{ readonly id: string }>`
    SELECT t.execution_id AS id FROM execution_timers t WHERE t.app_id = ${appId} AND t.execution_id = ANY(ARRAY(${runs}))
    ORDER BY t.execution_id FOR UPDATE OF t ${skip}`
  if (timers.length > 0) {
    // A statement of its own, which sees what was waited for. In whole milliseconds, as they stand there.
    yield* sql`
      UPDATE execution_timers SET due_at = date_trunc('milliseconds', now())
      WHERE app_id = ${appId} AND execution_id = ANY(${uuids(timers.map(({ id }) => id))}) AND due_at > now()`
  }
  yield* sql`
    WITH theirs AS MATERIALIZED (
      SELECT e.id FROM executions e
      WHERE e.app_id = ${appId} AND e.user_id = ${externalId} AND e.contact_id = ${id}
      ORDER BY e.id FOR NO KEY UPDATE OF e ${skip}
    )
    UPDATE executions e SET data = '{}', steps = '{}', sends = '{}', history = '',
      user_id = CASE WHEN e.ended_at IS NULL THEN e.user_id ELSE '' END,
      entry_key = CASE WHEN e.ended_at IS NULL THEN e.entry_key END
    WHERE e.app_id = ${appId} AND e.id = ANY(ARRAY(SELECT id FROM theirs))`
  yield* sql`
    DELETE FROM custom_events WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM custom_events WHERE app_id = ${appId} AND user_id = ${externalId}
      ORDER BY event, at FOR UPDATE ${skip}
    ))`
  // Changes that say what the person was like before.
  yield* sql`
    DELETE FROM contact_changes WHERE app_id = ${appId} AND id = ANY(ARRAY(
      SELECT id FROM contact_changes WHERE app_id = ${appId} AND contact_id = ${id} AND was IS NOT NULL
      ORDER BY id FOR UPDATE ${skip}
    ))`
})
