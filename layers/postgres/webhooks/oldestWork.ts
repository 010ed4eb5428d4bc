import type { SqlClient } from "effect/sql"
import type { WebhookId } from "../../../services/domain/Ids.ts"

/*
 * The line in which a failing webhook's deliveries wait, as parts of a statement:
 *
 *   room   how many deliveries at its head keep their own schedule: as many as have yet to use up their attempts in a row
 *          until the webhook is disabled. Of a webhook that is not active there is no row.
 *   line   the open work at the head, each with the number of deliveries before it and in it. Those that were tried most
 *          come first, so that whoever is in the room stays in it to the end; then the oldest.
 *
 * Every work item has a delivery at least: so many of them, and one to see who is the first to wait, are enough,
 * however many there are.
 */
export const oldestWork = (sql: SqlClient.SqlClient, id: WebhookId, disableAfter: number) => {
  const open = sql.literal(`w.id, w.chunk_id, w.attempts, w.due_at, cardinality(w.positions) AS open`)
  return sql`room AS MATERIALIZED (
      SELECT greatest(1, ${disableAfter} - failures) AS places FROM webhooks WHERE id = ${id} AND is_active
    ), head AS MATERIALIZED (
      (SELECT ${open} FROM webhook_work_items w WHERE w.webhook_id = ${id} AND NOT w.done AND w.attempts > 0
        ORDER BY w.attempts DESC, w.due_at LIMIT ${disableAfter + 1})
      UNION ALL
      (SELECT ${open} FROM webhook_work_items w WHERE w.webhook_id = ${id} AND NOT w.done AND w.attempts = 0
        ORDER BY w.due_at LIMIT ${disableAfter + 1})
    ), line AS MATERIALIZED (
      SELECT sized.id, sized.size,
        sum(sized.size) OVER (ORDER BY sized.attempts DESC, sized.due_at, sized.id) - sized.size AS before
      FROM (
        SELECT head.*, coalesce(head.open, c.size) AS size FROM head
        CROSS JOIN LATERAL (SELECT size FROM event_chunks WHERE id = head.chunk_id OFFSET 0) AS c
      ) AS sized
    )`
}
