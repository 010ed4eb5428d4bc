import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { NotificationId } from "../../services/domain/Ids.ts"
import { addUp, today } from "./dailyStats.ts"
import { providerLetter, statusLetter } from "./letters.ts"
import { PATIENCE_MS, WRITABLE_SINCE } from "./writableSince.ts"

/** Batches that one statement ends: some tens of thousands of recipients. */
const BATCHES = 50

/** The letters of results for the names in batches. */
const letterOfProvider = `(CASE b.provider ${Object.entries(providerLetter)
  .map(([name, letter]) => `WHEN '${name}' THEN '${letter}'`)
  .join(" ")} END)::"char"`

/**
 * Gives everybody their final state whom a cancelled notification did not reach: recipients of batches that no worker
 * holds, each batch in one pack of results, `BATCHES` at a time and `rounds` times at most. Those that a worker holds end
 * with it, or with its lease; when leases ended while the server was down, their holders get time to write what was
 * sent. Any number of nodes may do this at once. Afterwards the notification is over, if nothing is left.
 */
export const cancelRest = (sql: SqlClient.SqlClient) => {
  const hadTime = sql.literal(`${WRITABLE_SINCE} <= now() - interval '${PATIENCE_MS} ms'`)
  return Effect.fnUntraced(function* (id: NotificationId, rounds: number) {
    for (let round = 0; round < rounds; round++) {
      const ended = yield* sql`
        WITH rest AS MATERIALIZED (
          SELECT b.id, b.app_id, b.recipients, b.attempts, ${sql.literal(letterOfProvider)} AS letter
          FROM batches b JOIN notifications n ON n.id = b.notification_id
          WHERE b.notification_id = ${id} AND n.status = 'cancelled' AND NOT b.done
            AND (b.lease_until IS NULL OR (b.lease_until < now() AND ${hadTime}))
          LIMIT ${BATCHES} FOR UPDATE OF b SKIP LOCKED
        ), written AS (
          INSERT INTO delivery_packs (notification_id, first_id, last_id, provider, status, attempts, size, recipients, error)
          SELECT ${id}::uuid, sorted.ids[1], sorted.ids[cardinality(sorted.ids)], rest.letter,
            ${statusLetter.cancelled}::"char", rest.attempts, cardinality(sorted.ids), sorted.ids, 'cancelled'
          FROM rest, LATERAL (SELECT array_agg(t.id ORDER BY t.id) AS ids FROM unnest(rest.recipients) AS t (id)) AS sorted
          WHERE sorted.ids IS NOT NULL
          ON CONFLICT DO NOTHING
        ), summed AS (
          ${addUp(
            sql,
            ["cancelled"],
            sql`SELECT app_id, letter, ${today(sql)}, sum(cardinality(recipients)) FROM rest GROUP BY app_id, letter
              ORDER BY app_id, letter`
          )}
        )
        UPDATE batches b SET done = true, recipients = '{}', fence = b.fence + 1, lease_until = NULL,
          cancelled = b.cancelled + cardinality(rest.recipients)
        FROM rest WHERE b.id = rest.id
        RETURNING b.id`
      if (ended.length < BATCHES) break
    }
    yield* sql`
      UPDATE notifications SET completed_at = now()
      WHERE id = ${id} AND status = 'cancelled' AND completed_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM batches WHERE notification_id = ${id} AND NOT done)`
  })
}
