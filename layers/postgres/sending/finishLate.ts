import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { OUTCOME_UNKNOWN } from "../../../services/domain/sending/Delivery.ts"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { texts, uuids } from "../server/columns.ts"
import { addUp, today } from "../engagement/dailyStats.ts"
import { deadLetters, events, recipients } from "./finishBatch.ts"
import { providerCode, statusCode } from "./deliveryCodes.ts"

/*
 * Results of a holder that was silent past its lease, whose batch a cancel ended meanwhile: what it knows replaces
 * `outcome_unknown`. Nobody else has sent to these recipients since, or the fence would not be the one that the cancel
 * found. Whoever was to go again stays as they are: they are cancelled. Asked only when the batch is no longer the
 * chunk's, which is rare.
 */

/**
 * None when the batch was not ended like that, or has been with somebody else since; else the webhooks that got work.
 */
export const finishLate = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chunk: ResultChunk) {
    const { errors, messageIds, recipients: ids, statuses } = chunk.final
    const isTold = chunk.events.length > 0
    const [row] = yield* sql<{ readonly webhooks: ReadonlyArray<WebhookId> }>`
      WITH mine AS MATERIALIZED (
        SELECT id, notification_id, app_id, provider FROM batches
        WHERE id = ${chunk.batchId} AND late_fence = ${chunk.fence} AND done
        FOR NO KEY UPDATE
      ), written AS (
        UPDATE deliveries d SET status = t.status::"char", message_id = t.message_id, error = t.error, at = now(),
          attempts = ${PgTypes.int2(chunk.attempts)}
        FROM mine, unnest(${uuids(ids)}, ${texts(statuses.map((status) => statusCode[status]))},
          ${texts(messageIds)}, ${texts(errors)}) AS t (recipient_id, status, message_id, error)
        WHERE d.notification_id = mine.notification_id AND d.recipient_id = t.recipient_id
          AND d.status = ${statusCode.cancelled}::"char" AND d.error = ${OUTCOME_UNKNOWN}
        RETURNING d.recipient_id, d.status
      ), counted AS MATERIALIZED (
        SELECT count(*)::integer AS total,
          count(*) FILTER (WHERE status = 's')::integer AS sent,
          count(*) FILTER (WHERE status = 'f')::integer AS failed,
          count(*) FILTER (WHERE status = 'k')::integer AS skipped
        FROM written
      ), kept AS (
        UPDATE batches b SET sent = b.sent + counted.sent, failed = b.failed + counted.failed,
          skipped = b.skipped + counted.skipped, cancelled = b.cancelled - counted.total
        FROM mine, counted WHERE b.id = mine.id
      ), summed AS (
        ${addUp(
          sql,
          ["sent", "failed", "skipped", "cancelled"],
          sql`SELECT mine.app_id, ${providerCode[chunk.provider]}::"char", ${today(sql)}, counted.sent, counted.failed,
            counted.skipped, -counted.total FROM mine, counted WHERE counted.total > 0`
        )}
      )${deadLetters(sql, chunk)}${recipients(sql, chunk)}${events(sql, chunk)}
      SELECT ${isTold ? sql`ARRAY(SELECT DISTINCT webhook_id FROM work)` : sql`'{}'::uuid[]`} AS webhooks FROM mine`
    return Option.map(Option.fromUndefinedOr(row), ({ webhooks }) => webhooks)
  })
