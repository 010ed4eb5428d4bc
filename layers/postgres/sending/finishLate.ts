import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { OUTCOME_UNKNOWN } from "../../../services/domain/sending/Delivery.ts"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { texts, uuids } from "../server/columns.ts"
import { addedUp, TODAY } from "../engagement/dailyStats.ts"
import { statusCode } from "./deliveryCodes.ts"
import { leavingOut } from "./leavingOut.ts"
import {
  changedRecipients,
  DEAD_LETTERS,
  EVENTS,
  PART_TYPES,
  partParameters,
  partsOf,
  triedParameter
} from "./resultParts.ts"

/*
 * Results of a holder that was silent past its lease, whose batch a cancel ended meanwhile: what it knows replaces
 * `outcome_unknown`. Nobody else has sent to these recipients since, or the fence would not be the one that the cancel
 * found. Whoever was to go again stays as they are: they are cancelled. Asked only when the batch is no longer the
 * chunk's, which is rare.
 *
 * Parameters: $1 to $20 of resultParts.ts; then of the results $21 recipients, $22 statuses, $23 message ids, $24 errors; and
 * $25 the tokens that changed recipients were tried at.
 */
export const FINISH_LATE_TYPES = `
  ${PART_TYPES}, uuid[], text[], text[], text[], text[]`

export const FINISH_LATE = `
    WITH mine AS MATERIALIZED (
      SELECT id, notification_id, app_id, provider FROM batches
      WHERE id = $1 AND late_fence = $2 AND done
      FOR NO KEY UPDATE
    ), written AS (
      UPDATE deliveries d SET status = t.status::"char", message_id = t.message_id, error = t.error, at = now(),
        attempts = $3
      FROM (
        SELECT mine.notification_id, t.* FROM mine, unnest($21, $22, $23, $24) AS t (recipient_id, status, message_id, error) OFFSET 0
      ) AS t
      WHERE d.notification_id = ANY(ARRAY[t.notification_id]) AND d.recipient_id = t.recipient_id
        AND d.status = 'c' AND d.error = '${OUTCOME_UNKNOWN}'
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
      FROM mine, counted WHERE b.id = ANY(ARRAY[mine.id])
    ), summed AS (
      ${addedUp(
        ["sent", "failed", "skipped", "cancelled"],
        `SELECT mine.app_id, $4::"char", ${TODAY}, counted.sent, counted.failed, counted.skipped, -counted.total
      FROM mine, counted WHERE counted.total > 0`
      )}
    )
    ${DEAD_LETTERS}
    ${changedRecipients(25)}
    ${EVENTS}
    SELECT '{}'::uuid[]
      -- [events]
      || ARRAY(SELECT DISTINCT webhook_id FROM work)
      -- [end]
      AS webhooks
    FROM mine`

const send = leavingOut<{ readonly webhooks: ReadonlyArray<WebhookId> }>(FINISH_LATE)

/**
 * None when the batch was not ended like that, or has been with somebody else since; else the webhooks that got work.
 */
export const finishLate = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (chunk: ResultChunk) {
    const { errors, messageIds, recipients, statuses } = chunk.final
    const [row] = yield* send(sql, partsOf(chunk, true), [
      ...partParameters(chunk),
      () => uuids(recipients),
      () => texts(statuses.map((status) => statusCode[status])),
      () => texts(messageIds),
      () => texts(errors),
      triedParameter(chunk)
    ])
    return Option.map(Option.fromUndefinedOr(row), ({ webhooks }) => webhooks)
  })
