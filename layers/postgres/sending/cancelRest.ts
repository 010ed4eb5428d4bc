import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { Registry } from "../../../services/ports/operations/Metrics.ts"
import { addUp, today } from "../engagement/dailyStats.ts"
import { providerCode, statusCode } from "./deliveryCodes.ts"
import { OUTCOME_UNKNOWN } from "../../../services/domain/sending/Delivery.ts"
import { RECONNECT_MS, WRITABLE_SINCE } from "../operations/writableSince.ts"
import { ofRows } from "../server/ofRows.ts"

/** Batches that one statement ends: some tens of thousands of recipients. */
const BATCHES = 50

/** The codes in results for the names in batches. */
const codeOfProvider = `(CASE b.provider ${Object.entries(providerCode)
  .map(([name, code]) => `WHEN '${name}' THEN '${code}'`)
  .join(" ")} END)::"char"`

/**
 * Whether some of the batch `b` may have got their message from somebody who never wrote so: its lease was neither
 * given back nor ended by results, or it was taken over from such a holder; or the provider never answered, and it waits
 * for another try. (An inbox's messages are written with their results.)
 */
const isUnknown = `(b.provider <> 'inbox' AND (b.doubtful OR b.lease_until IS NOT NULL))`

/**
 * Gives everybody their final state whom a cancelled notification did not reach: recipients of batches that no worker
 * holds, each batch in one row of packed results, `BATCHES` at a time and `rounds` times at most. Those that a worker
 * holds end with it, or with its lease; when leases ended while the server was down, their holders get time to write
 * what was sent. Any number of nodes may do this at once. Afterwards the notification is over, if nothing is left.
 *
 * Of a batch whose holder never wrote what became of it, each recipient has a row that says so, which a late result of
 * that holder replaces (finishLate.ts). That holder's try counts; where somebody has taken the batch over since and given
 * it back, nothing but the doubt tells of it: one try, at least.
 */
export const cancelRest = (sql: SqlClient.SqlClient, metrics: Registry) => {
  const hadTime = sql.literal(`${WRITABLE_SINCE} <= now() - interval '${RECONNECT_MS} ms'`)
  return Effect.fnUntraced(function* (id: NotificationId, rounds: number) {
    for (let round = 0; round < rounds; round++) {
      const ended = yield* sql<{ readonly provider: ProviderKind; readonly size: number }>`
        WITH rest AS MATERIALIZED (
          SELECT b.id, b.app_id, b.recipients, b.attempts, ${sql.literal(codeOfProvider)} AS code,
            ${sql.literal(isUnknown)} AS unknown, greatest(b.attempts + (b.lease_until IS NOT NULL)::integer, 1) AS tried
          FROM batches b JOIN notifications n ON n.id = b.notification_id
          WHERE b.notification_id = ${id} AND n.status = 'cancelled' AND NOT b.done
            AND (b.lease_until IS NULL OR (b.lease_until < now() AND ${hadTime}))
          LIMIT ${BATCHES} FOR UPDATE OF b SKIP LOCKED
        ), written AS (
          INSERT INTO packed_deliveries (notification_id, first_id, last_id, provider, status, attempts, size, recipients, error)
          SELECT ${id}::uuid, sorted.ids[1], sorted.ids[cardinality(sorted.ids)], rest.code,
            ${statusCode.cancelled}::"char", rest.attempts, cardinality(sorted.ids), sorted.ids, 'cancelled'
          FROM rest, LATERAL (SELECT array_agg(t.id ORDER BY t.id) AS ids FROM unnest(rest.recipients) AS t (id)) AS sorted
          WHERE sorted.ids IS NOT NULL AND NOT rest.unknown
          ON CONFLICT DO NOTHING
        ), open AS (
          INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, error)
          SELECT ${id}::uuid, t.id, rest.code, ${statusCode.cancelled}::"char", rest.tried, ${OUTCOME_UNKNOWN}
          FROM rest, unnest(rest.recipients) AS t (id) WHERE rest.unknown
          ON CONFLICT DO NOTHING
        ), summed AS (
          ${addUp(
            sql,
            ["cancelled"],
            sql`SELECT app_id, code, ${today(sql)}, sum(cardinality(recipients)) FROM rest GROUP BY app_id, code
              ORDER BY app_id, code`
          )}
        )
        UPDATE batches b SET done = true, recipients = '{}', fence = b.fence + 1, lease_until = NULL,
          late_fence = CASE WHEN rest.unknown THEN b.fence END,
          cancelled = b.cancelled + cardinality(rest.recipients)
        FROM rest WHERE b.id = rest.id
        RETURNING b.provider, cardinality(rest.recipients) AS size`
      for (const { provider, size } of ended) {
        metrics.add("heliograph_recipients_total", { provider, outcome: "cancelled" }, size)
      }
      if (ended.length < BATCHES) break
    }
    yield* sql`
      UPDATE notifications SET completed_at = now()
      WHERE id = ${id} AND ${ofRows(sql, sql`status = 'cancelled' AND completed_at IS NULL`)}
        AND NOT EXISTS (SELECT 1 FROM batches WHERE notification_id = ${id} AND NOT done)`
  })
}
