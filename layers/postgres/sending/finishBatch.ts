import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { booleans, doubles, integers, milliseconds, smallints, texts, uuidArrayText, uuids } from "../server/columns.ts"
import { addedUp, TODAY } from "../engagement/dailyStats.ts"
import { statusCode } from "./deliveryCodes.ts"
import type { Parameters } from "./leavingOut.ts"
import { leavingOut } from "./leavingOut.ts"
import type { PackedResults } from "./packedResults.ts"
import { isWithoutList, split } from "./packedResults.ts"
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
 * The results of a chunk in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   mine     the batch, locked, if the fence is still this worker's; everything else starts from it, so that nothing is
 *            written for a batch whose lease was lost
 *   written  a row for each result that is like few others
 *   packed   a row for all results that are alike (packedResults.ts), copied from the batch where it holds no others; what
 *            is there already stays as it is, as it does above
 *   counted  what was written, by status: the counters grow by this and not by what the chunk says
 *   kept     what remains of the batch
 *   summed   the day's sums grow by what was counted
 *   again    recipients that go again leave the batch for batches of their own: totals still reconcile. The notification
 *            is held until they are committed: nobody removes it meanwhile and leaves them behind
 *   posted   the messages of an inbox batch, for just those whose delivery this statement writes: in one transaction with
 *            it and under its fence, so that nobody gets one twice, or one that is not accounted for. A person who is
 *            deleted meanwhile gets none. Contacts are locked in the order in which everybody locks them
 *   …        dead letters, changed recipients and events: resultParts.ts
 *
 * Parts between `-- [name]` and `-- [end]` are left out when they have nothing to do.
 *
 * A repetition, after an answer that was lost, finds its rows and packed results, its retries and its own fence: it
 * writes the batch as it is, counts nothing and leaves devices and events alone.
 *
 * Most applications have no webhook that wants to hear of every recipient, and writing out such events costs more than
 * the rest of a chunk. So a first run goes without them, on the condition that nobody wants them ($21); only if somebody
 * does, which it then says having written nothing, a second one brings them along.
 *
 * Parameters, whose columns are empty where there is nothing to do; $1 to $20 are those of resultParts.ts:
 *
 *   $21 names of events on the condition that nobody wants them
 *   $22 recipients that remain             $23 lease (ms)
 *   $24 rows: recipients                   $25 statuses          $26 message ids     $27 errors
 *   $28 packed: smallest recipients        $29 largest           $30 statuses        $31 sizes
 *   $32 recipients, null: the batch's      $33 messages          $34 errors
 *   $35 retries: ids                       $36 attempts          $37 suspended       $38 slowed
 *   $39 delays (ms)                        $40 recipients
 *   $41 inbox: recipients                  $42 message ids
 *   $43 one message for all: title         $44 body              $45 url             $46 data
 *   $47 or one for each: titles            $48 bodies            $49 urls            $50 data
 *   $51 whether anything became final or goes again
 *   $52 retries: whether no answer came    $53 what the provider said
 *   $54 changed recipients: tokens tried
 */
export const FINISH_BATCH_TYPES = `
  ${PART_TYPES},
  text[],
  uuid[], double precision,
  uuid[], text[], text[], text[],
  uuid[], uuid[], text[], integer[], text[], text[], text[],
  uuid[], smallint[], boolean[], boolean[], double precision[], text[],
  uuid[], text[],
  text, text, text, text,
  text[], text[], text[], text[],
  boolean,
  boolean[], text[],
  text[]`

export const FINISH_BATCH = `
    WITH found AS MATERIALIZED (
      SELECT id, notification_id, app_id, provider, priority, expires_at, doubtful, recipients,
        false
        -- [condition]
        OR cardinality($21) > 0 AND coalesce((
          SELECT true FROM webhooks h
          WHERE h.app_id = b.app_id AND h.is_active AND (h.events = '{}' OR h.events && $21) LIMIT 1
        ), false)
        -- [end]
        AS wanted
      FROM batches b
      WHERE id = $1 AND fence = $2 AND (NOT done OR cardinality($22) = 0)
      FOR NO KEY UPDATE
    ), mine AS (
      SELECT * FROM found WHERE NOT wanted
    )
    -- [rows]
    , written AS (
      INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, message_id, error)
      SELECT mine.notification_id, t.recipient_id, $4::"char", t.status::"char", $3, t.message_id, t.error
      FROM mine, unnest($24, $25, $26, $27) AS t (recipient_id, status, message_id, error)
      ON CONFLICT (notification_id, recipient_id) DO NOTHING
      RETURNING recipient_id, status
    )
    -- [end]
    -- [packed]
    , packed AS (
      INSERT INTO packed_deliveries (
        notification_id, first_id, last_id, provider, status, attempts, size, recipients, messages, error
      )
      SELECT mine.notification_id, t.first_id, t.last_id, $4::"char", t.status::"char", $3, t.size,
        coalesce(t.recipients::uuid[], mine.recipients), t.messages, t.error
      FROM mine, unnest($28, $29, $30, $31, $32, $33, $34)
        AS t (first_id, last_id, status, size, recipients, messages, error)
      ON CONFLICT (notification_id, first_id, last_id) DO NOTHING
      RETURNING status, size
    )
    -- [end]
    , counted AS MATERIALIZED (
      SELECT coalesce(sum(size), 0)::integer AS total,
        coalesce(sum(size) FILTER (WHERE status = 's'), 0)::integer AS sent,
        coalesce(sum(size) FILTER (WHERE status = 'f'), 0)::integer AS failed,
        coalesce(sum(size) FILTER (WHERE status = 'k'), 0)::integer AS skipped,
        coalesce(sum(size) FILTER (WHERE status = 'c'), 0)::integer AS cancelled
      FROM (
        SELECT ''::"char" AS status, 0 AS size
        -- [rows]
        UNION ALL SELECT status, 1 FROM written
        -- [end]
        -- [packed]
        UNION ALL SELECT status, size FROM packed
        -- [end]
      ) AS results
    ), kept AS (
      UPDATE batches b SET
        recipients = $22,
        done = cardinality($22) = 0,
        suspicion = CASE WHEN $51 THEN 0 ELSE b.suspicion END,
        lease_until = CASE WHEN cardinality($22) > 0 THEN now() + $23 * interval '1 ms' END,
        sent = b.sent + counted.sent,
        failed = b.failed + counted.failed,
        skipped = b.skipped + counted.skipped,
        cancelled = b.cancelled + counted.cancelled
      FROM mine, counted WHERE b.id = ANY(ARRAY[mine.id])
    ), summed AS (
      ${addedUp(
        ["sent", "failed", "skipped", "cancelled"],
        `SELECT mine.app_id, $4::"char", ${TODAY}, counted.sent, counted.failed, counted.skipped, counted.cancelled
      FROM mine, counted WHERE counted.total > 0`
      )}
    )
    -- [retries]
    , again AS (
      INSERT INTO batches (
        id, notification_id, app_id, provider, priority, attempts, suspended, slowed, doubtful, due_at, expires_at, recipients, reason
      )
      SELECT t.id, mine.notification_id, mine.app_id, mine.provider, mine.priority, t.attempts, t.suspended, t.slowed,
        mine.doubtful OR t.doubtful, now() + t.delay * interval '1 ms', mine.expires_at, t.recipients::uuid[], t.reason
      FROM mine, LATERAL (
          SELECT true AS is_there FROM notifications n WHERE n.id = mine.notification_id FOR KEY SHARE
        ) AS notification,
        unnest($35, $36, $37, $38, $39, $40, $52, $53)
          AS t (id, attempts, suspended, slowed, delay, recipients, doubtful, reason)
      ON CONFLICT (id) DO NOTHING
    )
    -- [end]
    -- [inbox]
    , posted AS (
      INSERT INTO inbox_messages (id, app_id, contact_id, notification_id, title, body, url, data)
      SELECT t.message_id::uuid, mine.app_id, p.id, mine.notification_id,
        CASE WHEN cardinality($47) = 0 THEN $43 ELSE t.title END,
        CASE WHEN cardinality($47) = 0 THEN $44 ELSE t.body END,
        CASE WHEN cardinality($47) = 0 THEN $45 ELSE t.url END,
        CASE WHEN cardinality($47) = 0 THEN $46 ELSE t.data END::json
      FROM mine JOIN written w ON w.status = 's'
      JOIN unnest($41, $42, $47, $48, $49, $50) AS t (recipient_id, message_id, title, body, url, data)
        ON t.recipient_id = w.recipient_id
      CROSS JOIN LATERAL (
        SELECT contact_id FROM channels WHERE app_id = mine.app_id AND id = w.recipient_id OFFSET 0
      ) AS c
      JOIN contacts p ON p.id = ANY(ARRAY[c.contact_id])
      ORDER BY p.external_id COLLATE "C" FOR KEY SHARE OF p
    )
    -- [end]
    ${DEAD_LETTERS}
    ${changedRecipients(54)}
    ${EVENTS}
    SELECT '{}'::uuid[]
      -- [events]
      || ARRAY(SELECT DISTINCT webhook_id FROM work)
      -- [end]
      AS webhooks, wanted
    FROM found`

type Sql = SqlClient.SqlClient

/** Applications whose last results had listeners: theirs bring their events along at once. */
const LISTENED = 10_000

interface Finished {
  readonly webhooks: ReadonlyArray<WebhookId>
  /** Events are wanted that the statement did not bring; it has written nothing. */
  readonly wanted: boolean
}

const send = leavingOut<Finished>(FINISH_BATCH)

export const finishBatch = (sql: Sql) => {
  const listened = new Set<string>()
  return Effect.fnUntraced(function* (chunk: ResultChunk) {
    const { appId, events } = chunk
    const isListened = events.length > 0 && listened.has(appId)
    let [row] = yield* finish(sql, chunk, isListened)
    if (row?.wanted === true) {
      if (listened.size >= LISTENED) listened.clear()
      listened.add(appId)
      ;[row] = yield* finish(sql, chunk, true)
    } else if (isListened && row?.webhooks.length === 0) listened.delete(appId)
    return Option.map(Option.fromUndefinedOr(row), ({ webhooks }) => webhooks)
  })
}

/** `brings`: the chunk's events; else they are not written, and nothing is where a webhook wants them. */
const finish = (sql: Sql, chunk: ResultChunk, brings: boolean) => {
  const { events, leaseMs, remaining, retries } = chunk
  const { packed, rows } = split(chunk)
  const parts = {
    condition: !brings && events.length > 0,
    rows: rows.recipients.length > 0,
    packed: packed.length > 0,
    retries: retries.length > 0,
    inbox: chunk.inbox !== null && chunk.final.statuses.includes("sent"),
    ...partsOf(chunk, brings)
  }
  return send(sql, parts, [
    ...partParameters(chunk),
    () => texts(events.map(({ event }) => event)),
    () => uuids(remaining),
    () => milliseconds(leaseMs),
    () => uuids(rows.recipients),
    () => texts(rows.statuses.map((status) => statusCode[status])),
    () => texts(rows.messageIds),
    () => texts(rows.errors),
    () => uuids(packed.map(({ first }) => first)),
    () => uuids(packed.map(({ last }) => last)),
    () => texts(packed.map(({ status }) => statusCode[status])),
    () => integers(packed.map(({ recipients }) => recipients.length)),
    () => texts(packed.map((one) => (isWhole(chunk, one) ? null : uuidArrayText(one.recipients)))),
    () => texts(packed.map(({ messages }) => messages)),
    () => texts(packed.map(({ error }) => error)),
    () => uuids(retries.map(({ id }) => id)),
    () => smallints(retries.map(({ attempts }) => attempts)),
    () => booleans(retries.map(({ suspended }) => suspended)),
    () => booleans(retries.map(({ slowed }) => slowed)),
    () => doubles(retries.map(({ delayMs }) => delayMs)),
    () => texts(retries.map(({ recipients }) => uuidArrayText(recipients))),
    ...inboxParameters(chunk),
    () => PgTypes.bool(chunk.final.recipients.length + retries.length > 0),
    () => booleans(retries.map(({ doubtful = false }) => doubtful)),
    () => texts(retries.map(({ reason = null }) => reason)),
    triedParameter(chunk)
  ])
}

/** Packed results of all that the batch holds, in whatever order, are written from the batch: its ids need not travel. */
const isWhole = ({ final, remaining, retries }: ResultChunk, { messages, recipients }: PackedResults): boolean =>
  recipients.length === final.recipients.length &&
  remaining.length === 0 &&
  retries.length === 0 &&
  isWithoutList(messages)

const inboxParameters = ({ final, inbox }: ResultChunk): Parameters => {
  const one = inbox !== null && "title" in inbox ? inbox : null
  const each = inbox !== null && !("title" in inbox) ? inbox : []
  return [
    () => uuids(final.recipients),
    () => texts(final.messageIds),
    () => PgTypes.text(one?.title ?? null),
    () => PgTypes.text(one?.body ?? null),
    () => PgTypes.text(one?.url ?? null),
    () => PgTypes.text(one === null ? null : JSON.stringify(one.data)),
    () => texts(each.map(({ title }) => title)),
    () => texts(each.map(({ body }) => body)),
    () => texts(each.map(({ url }) => url)),
    () => texts(each.map(({ data }) => JSON.stringify(data)))
  ]
}
