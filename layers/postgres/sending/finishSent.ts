import type { SqlClient } from "effect/sql"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { addedUp, TODAY } from "../engagement/dailyStats.ts"
import { integers, smallints, texts, uuids } from "../server/columns.ts"
import { providerCode } from "./deliveryCodes.ts"
import { DIRECT_FENCE } from "./directBatches.ts"
import type { Finished } from "./finishSmall.ts"
import { eventParameters, eventsOfMany, finishing, namesOf, ownEvents, WORK_OF_MANY } from "./finishSmall.ts"
import { leavingOut } from "./leavingOut.ts"

/*
 * Single messages that were sent, many in one statement: the result of each, which is its batch's only one, ends it, and
 * completes its notification where nothing else of that is open. A direct batch (directBatches.ts) ends with its
 * notification, in whose row it stands. Notifications are locked before batches, as those do who
 * pause and cancel. Of two statements at the same time that end batches of one notification, neither may see the other's
 * end: whoever wrote the last asks whether it is done.
 */

/*
 * Parameters, a column each; those of events are empty where there are none to bring:
 *
 *   $1  batches: ids         $2  fences          $3  notifications        $4  recipients
 *   $5  names of events: batches whose application has a webhook that wants one of them are left as they are
 *   $6  providers (codes)    $7  attempts        $8  message ids
 *   $9  events: batches      $10 ids             $11 names                $12 moments        $13 sizes
 *   $14 in common            $15 columns         $16 traces
 */
export const FINISH_SENT_TYPES = `
  uuid[], integer[], uuid[], uuid[], text[],
  text[], smallint[], text[],
  uuid[], uuid[], text[], timestamptz[], integer[], text[], text[], text[]`

export const FINISH_SENT = `
    WITH found AS MATERIALIZED (
      SELECT t.*, n.app_id,
        n.direct_batch = t.id AND n.direct_recipient IS NOT NULL AND t.fence = ${DIRECT_FENCE} AND n.planned = 1
          AND n.reopened = 0 AND n.status = 'sending' AND n.completed_at IS NULL AS direct,
        false
        -- [condition]
        OR coalesce((
          SELECT true FROM webhooks h
          WHERE h.app_id = n.app_id AND h.is_active AND (h.events = '{}' OR h.events && $5) LIMIT 1
        ), false)
        -- [end]
        AS wanted
      FROM unnest($1, $2, $3, $4, $6, $7, $8)
        AS t (id, fence, notification_id, recipient_id, provider, attempts, message_id)
      JOIN notifications n ON n.id = ANY(ARRAY[t.notification_id])
      ORDER BY t.notification_id FOR NO KEY UPDATE OF n
    ), others AS (
      UPDATE batches b SET recipients = '{}', done = true, lease_until = NULL, sent = b.sent + 1
      FROM found t
      -- By their ids: in the indexes of what is open, dead rows of a moment ago stand in the way.
      WHERE t.direct IS NOT TRUE AND NOT t.wanted
        AND b.id = ANY(ARRAY[t.id]) AND b.fence = t.fence AND cardinality(b.recipients) > 0
      RETURNING b.id, t.notification_id, t.recipient_id, t.app_id, t.provider::"char" AS provider, t.attempts, t.message_id
    ), mine AS MATERIALIZED (
      SELECT id, notification_id, recipient_id, app_id, provider::"char" AS provider, attempts, message_id FROM found
      WHERE direct AND NOT wanted
      UNION ALL SELECT * FROM others
    ), written AS (
      INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, message_id)
      SELECT notification_id, recipient_id, provider, 's', attempts, message_id FROM mine
    ), summed AS (
      ${addedUp(
        ["sent"],
        `SELECT app_id, provider, ${TODAY}, count(*) FROM mine GROUP BY app_id, provider ORDER BY 1, 2`
      )}
    ), completed AS (
      UPDATE notifications n SET status = 'completed', completed_at = now(),
        direct_recipient = NULL, direct_holder = NULL, direct_until = NULL
      FROM (SELECT notification_id, count(*) AS ended FROM mine GROUP BY notification_id) AS these
      WHERE n.id = ANY(ARRAY[these.notification_id]) AND coalesce(n.completed_at, '-infinity') = '-infinity'
        AND n.plan_done AND n.reopened = 0 AND n.status IN ('queued', 'sending', 'paused')
        AND (n.planned = 1
          OR these.ended = (SELECT count(*) FROM batches WHERE notification_id = n.id AND NOT done))
      RETURNING n.id
    )
    ${eventsOfMany("mine", 9)}
    SELECT ARRAY(SELECT id FROM mine) AS finished, ARRAY(SELECT id FROM found WHERE wanted) AS wanted,
      ARRAY(SELECT id FROM completed) AS completed,
      ${WORK_OF_MANY}`

const send = leavingOut<Finished>(FINISH_SENT)

/** What became of each chunk; null for a batch whose lease was lost. */
export const finishSent = (sql: SqlClient.SqlClient) =>
  finishing((chunks: ReadonlyArray<ResultChunk>, brings: boolean) => {
    const events = ownEvents(chunks)
    const hasEvents = events.length > 0
    return send(sql, { condition: hasEvents && !brings, events: hasEvents && brings }, [
      () => uuids(chunks.map(({ batchId }) => batchId)),
      () => integers(chunks.map(({ fence }) => fence)),
      () => uuids(chunks.map(({ notificationId }) => notificationId)),
      () => uuids(chunks.map(({ final }) => final.recipients[0]!)),
      () => texts(namesOf(events)),
      () => texts(chunks.map(({ provider }) => providerCode[provider])),
      () => smallints(chunks.map(({ attempts }) => attempts)),
      () => texts(chunks.map(({ final }) => final.messageIds[0]!)),
      ...eventParameters(events)
    ])
  })
