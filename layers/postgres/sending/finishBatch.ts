import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { refusalOf } from "../../../services/domain/sending/DeadLetter.ts"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import {
  booleans,
  doubles,
  integers,
  milliseconds,
  smallints,
  texts,
  times,
  uuidArrayText,
  uuids
} from "../server/columns.ts"
import { addUp, today } from "../engagement/dailyStats.ts"
import { providerCode, statusCode } from "./deliveryCodes.ts"
import type { PackedResults } from "./packedResults.ts"
import { isWithoutList, split } from "./packedResults.ts"

/*
 * The results of a chunk in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   mine     the batch, locked, if the fence is still this worker's; everything else starts from it, so that nothing is
 *            written for a batch whose lease was lost
 *   written  a row for each result that is like few others
 *   packed   a row for all results that are alike (packedResults.ts); what is there already stays as it is, as it does
 *            above
 *   counted  what was written, by status: the counters grow by this and not by what the chunk says
 *   …        parts that most chunks do not need, left out of the statement when they have nothing to do
 *   kept     what remains of the batch
 *   summed   the day's sums grow by what was counted
 *
 * A repetition, after an answer that was lost, finds its rows and packed results, its retries and its own fence: it
 * writes the batch as it is, counts nothing and leaves devices and events alone.
 *
 * Most applications have no webhook that wants to hear of every recipient, and writing out such events costs more than
 * the rest of a chunk. So a first statement goes without them, on the condition that nobody wants them; only if
 * somebody does, which it then says having written nothing, a second one brings them along.
 */

type Sql = SqlClient.SqlClient

/** Applications whose last results had listeners: theirs bring their events along at once. */
const LISTENED = 10_000

interface Finished {
  readonly webhooks: ReadonlyArray<WebhookId>
  /** Events are wanted that the statement did not bring; it has written nothing. */
  readonly wanted: boolean
}

export const finishBatch = (sql: Sql) => {
  const listened = new Set<string>()
  return Effect.fnUntraced(function* (chunk: ResultChunk) {
    const { appId, events } = chunk
    const isListened = events.length > 0 && listened.has(appId)
    let [row] = yield* finish(sql, chunk, isListened ? "brings" : events.length > 0 ? "asks" : "none")
    if (row?.wanted === true) {
      if (listened.size >= LISTENED) listened.clear()
      listened.add(appId)
      ;[row] = yield* finish(sql, chunk, "brings")
    } else if (isListened && row?.webhooks.length === 0) listened.delete(appId)
    return Option.map(Option.fromUndefinedOr(row), ({ webhooks }) => webhooks)
  })
}

/** Whether the statement brings the chunk's events, asks for listeners instead, or has no events at all. */
type Telling = "brings" | "asks" | "none"

const finish = (sql: Sql, chunk: ResultChunk, telling: Telling) => {
  const { remaining } = chunk
  const done = remaining.length === 0
  const { packed, rows } = split(chunk)
  const wanted =
    telling === "asks"
      ? sql`EXISTS (
          SELECT 1 FROM webhooks h WHERE h.app_id = b.app_id AND h.is_active
            AND (h.events = '{}' OR h.events && ${texts(chunk.events.map(({ event }) => event))})
        )`
      : sql`false`
  return sql<Finished>`
    WITH found AS MATERIALIZED (
      SELECT id, notification_id, app_id, provider, priority, expires_at, doubtful, recipients, ${wanted} AS wanted FROM batches b
      WHERE id = ${chunk.batchId} AND fence = ${chunk.fence} AND (NOT done OR ${done})
      FOR NO KEY UPDATE
    ), mine AS (SELECT * FROM found WHERE NOT wanted)${single(sql, chunk, rows)}${alike(sql, chunk, packed)}, counted AS MATERIALIZED (
      SELECT coalesce(sum(size), 0)::integer AS total,
        coalesce(sum(size) FILTER (WHERE status = 's'), 0)::integer AS sent,
        coalesce(sum(size) FILTER (WHERE status = 'f'), 0)::integer AS failed,
        coalesce(sum(size) FILTER (WHERE status = 'k'), 0)::integer AS skipped,
        coalesce(sum(size) FILTER (WHERE status = 'c'), 0)::integer AS cancelled
      FROM (${counts(sql, packed.length > 0, rows.recipients.length > 0)}) AS results
    ), kept AS (
      UPDATE batches b SET
        recipients = ${uuids(remaining)},
        done = ${done},
        suspicion = ${chunk.final.recipients.length + chunk.retries.length > 0 ? sql`0` : sql`b.suspicion`},
        lease_until = CASE WHEN ${done} THEN NULL
          ELSE now() + ${milliseconds(chunk.leaseMs)} * interval '1 ms' END,
        sent = b.sent + counted.sent,
        failed = b.failed + counted.failed,
        skipped = b.skipped + counted.skipped,
        cancelled = b.cancelled + counted.cancelled
      FROM mine, counted WHERE b.id = mine.id
    ), summed AS (
      ${addUp(
        sql,
        ["sent", "failed", "skipped", "cancelled"],
        sql`SELECT mine.app_id, ${providerCode[chunk.provider]}::"char", ${today(sql)}, counted.sent, counted.failed,
          counted.skipped, counted.cancelled FROM mine, counted WHERE counted.total > 0`
      )}
    )${deadLetters(sql, chunk)}${retries(sql, chunk)}${inbox(sql, chunk)}${recipients(sql, chunk)}${telling === "brings" ? events(sql, chunk) : sql``}
    SELECT ${telling === "brings" ? sql`ARRAY(SELECT DISTINCT webhook_id FROM work)` : sql`'{}'::uuid[]`} AS webhooks, wanted
    FROM found`
}

const counts = (sql: Sql, hasPacks: boolean, hasRows: boolean): Fragment =>
  sql`SELECT ''::"char" AS status, 0 AS size${hasRows ? sql` UNION ALL SELECT status, 1 FROM written` : sql``}${
    hasPacks ? sql` UNION ALL SELECT status, size FROM packed` : sql``
  }`

const single = (sql: Sql, chunk: ResultChunk, rows: ResultChunk["final"]): Fragment =>
  rows.recipients.length === 0
    ? sql``
    : sql`, written AS (
        INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, message_id, error)
        SELECT mine.notification_id, t.recipient_id, ${providerCode[chunk.provider]}::"char", t.status::"char",
          ${PgTypes.int2(chunk.attempts)}, t.message_id, t.error
        FROM mine, unnest(${uuids(rows.recipients)}, ${texts(rows.statuses.map((status) => statusCode[status]))},
          ${texts(rows.messageIds)}, ${texts(rows.errors)}) AS t (recipient_id, status, message_id, error)
        ON CONFLICT (notification_id, recipient_id) DO NOTHING
        RETURNING recipient_id, status
      )`

/**
 * Packed results of all that the batch holds, in whatever order, are written from the batch: its ids need not travel.
 */
const alike = (sql: Sql, chunk: ResultChunk, packed: ReadonlyArray<PackedResults>): Fragment => {
  if (packed.length === 0) return sql``
  const { final, remaining, retries } = chunk
  const isWhole = ({ messages, recipients }: PackedResults): boolean =>
    recipients.length === final.recipients.length &&
    remaining.length === 0 &&
    retries.length === 0 &&
    isWithoutList(messages)
  return sql`, packed AS (
        INSERT INTO packed_deliveries (
          notification_id, first_id, last_id, provider, status, attempts, size, recipients, messages, error
        )
        SELECT mine.notification_id, t.first_id, t.last_id, ${providerCode[chunk.provider]}::"char", t.status::"char",
          ${PgTypes.int2(chunk.attempts)}, t.size, coalesce(t.recipients::uuid[], mine.recipients), t.messages, t.error
        FROM mine, unnest(${uuids(packed.map(({ first }) => first))}, ${uuids(packed.map(({ last }) => last))},
          ${texts(packed.map(({ status }) => statusCode[status]))},
          ${integers(packed.map(({ recipients }) => recipients.length))},
          ${texts(packed.map((one) => (isWhole(one) ? null : uuidArrayText(one.recipients))))},
          ${texts(packed.map(({ messages }) => messages))}, ${texts(packed.map(({ error }) => error))}
        ) AS t (first_id, last_id, status, size, recipients, messages, error)
        ON CONFLICT (notification_id, first_id, last_id) DO NOTHING
        RETURNING status, size
      )`
}

/** What finally failed, with its reason: a dead letter for each row that is new. */
export const deadLetters = (sql: Sql, { attempts, dead, final }: ResultChunk): Fragment => {
  const { errors, recipients, statuses } = final
  const failed = statuses.flatMap((status, i) => (status === "failed" ? i : []))
  if (failed.length === 0) return sql``
  const gone = new Set(dead.map(({ id }) => id))
  return sql`, new_dead_letters AS (
        INSERT INTO dead_letters (
          id, app_id, kind, error, attempts, notification_id, recipient_id, provider, batch_id, refusal
        )
        SELECT t.id, mine.app_id, 'notification', t.error, ${PgTypes.int2(attempts)}, mine.notification_id, t.recipient_id,
          mine.provider, mine.id, t.refusal
        FROM mine, unnest(${uuids(failed.map(() => uuidv7()))}, ${uuids(failed.map((i) => recipients[i]!))},
          ${texts(failed.map((i) => errors[i] ?? "unknown"))},
          ${texts(failed.map((i) => refusalOf(errors[i] ?? null, gone.has(recipients[i]!))))}
        ) AS t (id, recipient_id, error, refusal) JOIN written ON written.recipient_id = t.recipient_id
      )`
}

/**
 * Recipients that go again leave the batch for batches of their own: totals still reconcile. The notification is held
 * until they are committed: nobody removes it meanwhile and leaves them behind.
 */
const retries = (sql: Sql, { retries }: ResultChunk): Fragment =>
  retries.length === 0
    ? sql``
    : sql`, again AS (
        INSERT INTO batches (id, notification_id, app_id, provider, priority, attempts, suspended, slowed, doubtful, due_at, expires_at, recipients)
        SELECT t.id, mine.notification_id, mine.app_id, mine.provider, mine.priority, t.attempts, t.suspended, t.slowed,
          mine.doubtful, now() + t.delay * interval '1 ms', mine.expires_at, t.recipients::uuid[]
        FROM mine, LATERAL (
            SELECT true AS is_there FROM notifications n WHERE n.id = mine.notification_id FOR KEY SHARE
          ) AS notification,
          unnest(${uuids(retries.map((retry) => retry.id))},
          ${smallints(retries.map((retry) => retry.attempts))}, ${booleans(retries.map((retry) => retry.suspended))},
          ${booleans(retries.map((retry) => retry.slowed))}, ${doubles(retries.map((retry) => retry.delayMs))},
          ${texts(retries.map((retry) => uuidArrayText(retry.recipients)))}) AS t (id, attempts, suspended, slowed, delay, recipients)
        ON CONFLICT (id) DO NOTHING
      )`

/**
 * The messages of an inbox batch, for just those whose delivery this statement writes: in one transaction with it and
 * under its fence, so that nobody gets one twice, or one that is not accounted for. A person who is deleted meanwhile
 * gets none. Contacts are locked in the order in which everybody locks them.
 */
const inbox = (sql: Sql, { final, inbox }: ResultChunk): Fragment => {
  if (inbox === null || !final.statuses.includes("sent")) return sql``
  const content = "title" in inbox ? inbox : null
  const contents = "title" in inbox ? null : inbox
  const [said, columns, names] =
    content !== null
      ? [
          sql`${PgTypes.text(content.title)}, ${PgTypes.text(content.body)}, ${PgTypes.text(content.url)},
            ${PgTypes.text(JSON.stringify(content.data))}::json`,
          sql``,
          sql``
        ]
      : [
          sql`t.title, t.body, t.url, t.data::json`,
          sql`, ${texts(contents!.map(({ title }) => title))}, ${texts(contents!.map(({ body }) => body))},
            ${texts(contents!.map(({ url }) => url))}, ${texts(contents!.map(({ data }) => JSON.stringify(data)))}`,
          sql`, title, body, url, data`
        ]
  return sql`, posted AS (
        INSERT INTO inbox_messages (id, app_id, contact_id, notification_id, title, body, url, data)
        SELECT t.message_id::uuid, mine.app_id, p.id, mine.notification_id, ${said}
        FROM mine JOIN written w ON w.status = ${statusCode.sent}::"char"
        JOIN unnest(${uuids(final.recipients)}, ${texts(final.messageIds)}${columns}) AS t (recipient_id, message_id${names})
          ON t.recipient_id = w.recipient_id
        JOIN channels c ON c.app_id = mine.app_id AND c.id = w.recipient_id
        JOIN contacts p ON p.id = c.contact_id
        ORDER BY p.external_id COLLATE "C" FOR KEY SHARE OF p
      )`
}

/** Parts that concern others than the batch follow only from results that are new. */
const isNew = (sql: Sql, chunk: ResultChunk): Fragment =>
  chunk.final.recipients.length === 0 ? sql`true` : sql`counted.total > 0`

/**
 * Dead tokens, wrong environments and dead addresses. Rows are locked in the order in which registrations lock them.
 */
export const recipients = (sql: Sql, chunk: ResultChunk): Fragment => {
  const { dead, environments } = chunk
  if (dead.length + environments.length === 0) return sql``
  const ids = uuids([...dead.map(({ id }) => id), ...environments.map(({ id }) => id)])
  const reasons = texts([...dead.map(({ reason }) => reason), ...environments.map(() => null)])
  if (chunk.provider === "smtp") {
    return sql`, touched AS (
        SELECT c.id, t.reason FROM mine, counted, unnest(${ids}, ${reasons}) AS t (id, reason), channels c
        WHERE ${isNew(sql, chunk)} AND c.app_id = mine.app_id AND c.id = t.id AND c.status = 'active'
          AND t.reason IS NOT NULL
        ORDER BY c.address_key FOR NO KEY UPDATE OF c
      ), changed AS (
        UPDATE channels c SET status = 'suppressed', status_reason = touched.reason
        FROM mine, touched WHERE c.app_id = mine.app_id AND c.id = touched.id
      )`
  }
  const before = times([...dead.map(({ seenBefore }) => seenBefore), ...environments.map(() => null)])
  const found = texts([...dead.map(() => null), ...environments.map(({ environment }) => environment)])
  return sql`, touched AS (
        SELECT d.id, t.reason, t.environment
        FROM mine, counted, unnest(${ids}, ${reasons}, ${before}, ${found}) AS t (id, reason, before, environment), devices d
        WHERE ${isNew(sql, chunk)} AND d.app_id = mine.app_id AND d.id = t.id
          AND (t.before IS NULL OR date_trunc('milliseconds', d.last_seen_at) <= t.before)
        ORDER BY d.token_hash FOR NO KEY UPDATE OF d
      ), changed AS (
        UPDATE devices d SET
          active = d.active AND touched.reason IS NULL,
          invalid_reason = coalesce(touched.reason, d.invalid_reason),
          environment = coalesce(touched.environment, d.environment)
        FROM mine, touched WHERE d.app_id = mine.app_id AND d.id = touched.id
      )`
}

/**
 * Chunks of events that an active webhook subscribes to, and the work of each such webhook. A webhook that is being
 * deleted is waited for (FOR KEY SHARE): work for it would break its foreign key and take the results down with it. The
 * id of work is its chunk's, with fresh random bits: ordered by time as well.
 */
export const events = (sql: Sql, chunk: ResultChunk): Fragment => {
  const { events } = chunk
  if (events.length === 0) return sql``
  const ids = uuids(events.map((event) => event.id))
  const names = texts(events.map(({ event }) => event))
  return sql`, wanted AS (
        SELECT t.id, h.id AS webhook_id
        FROM mine, counted, unnest(${ids}, ${names}) AS t (id, event), webhooks h
        WHERE ${isNew(sql, chunk)} AND h.app_id = mine.app_id AND h.is_active
          AND (h.events = '{}' OR t.event = ANY(h.events))
        FOR KEY SHARE OF h
      ), chunks AS (
        INSERT INTO event_chunks (id, app_id, event, at, size, common, columns, trace)
        SELECT t.id, mine.app_id, t.event, t.at, t.size, t.common, t.columns, ${chunk.trace ?? null}
        FROM mine, unnest(${ids}, ${names}, ${times(events.map(({ at }) => at))},
          ${integers(events.map(({ size }) => size))}, ${texts(events.map(({ common }) => JSON.stringify(common)))},
          ${texts(events.map(({ columns }) => JSON.stringify(columns)))}) AS t (id, event, at, size, common, columns)
        WHERE t.id IN (SELECT id FROM wanted)
        ON CONFLICT (id) DO NOTHING
        RETURNING id
      ), work AS (
        INSERT INTO webhook_work_items (id, webhook_id, chunk_id)
        SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.webhook_id, wanted.id
        FROM wanted JOIN chunks ON chunks.id = wanted.id
        RETURNING webhook_id
      )`
}
