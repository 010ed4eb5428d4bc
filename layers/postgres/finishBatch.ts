import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { HookId } from "../../services/domain/Ids.ts"
import type { ResultChunk } from "../../services/ports/BatchStore.ts"
import { booleans, doubles, integers, milliseconds, smallints, texts, times, uuidArrayText, uuids } from "./columns.ts"
import { providerLetter, statusLetter } from "./letters.ts"

/*
 * The results of a chunk in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   mine     the batch, locked, if the fence is still this worker's; everything else starts from it, so that nothing is
 *            written for a batch that is another's
 *   written  delivery rows; one that is there already stays as it is
 *   counted  what was written, by status: the counters grow by this and not by what the chunk says
 *   …        parts that most chunks do not need, left out of the statement when they have nothing to do
 *   kept     what remains of the batch
 *
 * A repetition, after an answer that was lost, finds its delivery rows, its retries and its own fence: it writes the
 * batch as it is, counts nothing and leaves devices and events alone.
 */

type Sql = SqlClient.SqlClient

export const finishBatch = (sql: Sql) =>
  Effect.fnUntraced(function* (chunk: ResultChunk) {
    const { final, remaining } = chunk
    const done = remaining.length === 0
    const hasEvents = chunk.events.length > 0
    const rows = yield* sql<{ readonly hooks: ReadonlyArray<HookId> }>`
      WITH mine AS MATERIALIZED (
        SELECT id, notification_id, app_id, provider, priority FROM batches
        WHERE id = ${chunk.batchId} AND fence = ${chunk.fence} AND (NOT done OR ${done})
        FOR NO KEY UPDATE
      ), written AS (
        INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, message_id, error)
        SELECT mine.notification_id, t.recipient_id, ${providerLetter[chunk.provider]}::"char", t.status::"char",
          ${PgTypes.int2(chunk.attempts)}, t.message_id, t.error
        FROM mine, unnest(${uuids(final.recipients)}, ${texts(final.statuses.map((status) => statusLetter[status]))},
          ${texts(final.messageIds)}, ${texts(final.errors)}) AS t (recipient_id, status, message_id, error)
        ON CONFLICT (notification_id, recipient_id) DO NOTHING
        RETURNING status
      ), counted AS MATERIALIZED (
        SELECT count(*)::integer AS total, count(*) FILTER (WHERE status = 's')::integer AS sent,
          count(*) FILTER (WHERE status = 'f')::integer AS failed,
          count(*) FILTER (WHERE status = 'k')::integer AS skipped,
          count(*) FILTER (WHERE status = 'c')::integer AS cancelled
        FROM written
      ), kept AS (
        UPDATE batches b SET
          recipients = ${uuids(remaining)},
          done = ${done},
          lease_until = CASE WHEN ${done} THEN NULL
            ELSE now() + ${milliseconds(chunk.leaseMs)} * interval '1 ms' END,
          sent = b.sent + counted.sent,
          failed = b.failed + counted.failed,
          skipped = b.skipped + counted.skipped,
          cancelled = b.cancelled + counted.cancelled
        FROM mine, counted WHERE b.id = mine.id
      )${retries(sql, chunk)}${recipients(sql, chunk)}${events(sql, chunk)}
      SELECT ${hasEvents ? sql`ARRAY(SELECT DISTINCT hook_id FROM work)` : sql`'{}'::uuid[]`} AS hooks FROM mine`
    return Option.map(Option.fromUndefinedOr(rows[0]), (row) => row.hooks)
  })

/** Recipients that go again leave the batch for batches of their own: the account stays closed. */
const retries = (sql: Sql, { retries }: ResultChunk): Fragment =>
  retries.length === 0
    ? sql``
    : sql`, again AS (
        INSERT INTO batches (id, notification_id, app_id, provider, priority, attempts, held, due_at, recipients)
        SELECT t.id, mine.notification_id, mine.app_id, mine.provider, mine.priority, t.attempts, t.held,
          now() + t.delay * interval '1 ms', t.recipients::uuid[]
        FROM mine, unnest(${uuids(retries.map((retry) => retry.id))},
          ${smallints(retries.map((retry) => retry.attempts))}, ${booleans(retries.map((retry) => retry.held))},
          ${doubles(retries.map((retry) => retry.delayMs))},
          ${texts(retries.map((retry) => uuidArrayText(retry.recipients)))}) AS t (id, attempts, held, delay, recipients)
        ON CONFLICT (id) DO NOTHING
      )`

/** Parts that concern others than the batch follow only from results that are new. */
const isNew = (sql: Sql, chunk: ResultChunk): Fragment =>
  chunk.final.recipients.length === 0 ? sql`true` : sql`counted.total > 0`

/** Dead tokens, wrong environments and dead addresses. Rows are locked in the order in which registrations lock them. */
const recipients = (sql: Sql, chunk: ResultChunk): Fragment => {
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
 * Chunks of events that an active hook subscribes to, and the work of each such hook. A hook that is being deleted is
 * waited for (FOR KEY SHARE): work for it would break its foreign key and take the results down with it. The id of work
 * is its chunk's, with fresh random bits: ordered by time as well.
 */
const events = (sql: Sql, chunk: ResultChunk): Fragment => {
  const { events } = chunk
  if (events.length === 0) return sql``
  const ids = uuids(events.map((event) => event.id))
  const names = texts(events.map(({ event }) => event))
  return sql`, wanted AS (
        SELECT t.id, h.id AS hook_id
        FROM mine, counted, unnest(${ids}, ${names}) AS t (id, event), hooks h
        WHERE ${isNew(sql, chunk)} AND h.app_id = mine.app_id AND h.is_active
          AND (h.events = '{}' OR t.event = ANY(h.events))
        FOR KEY SHARE OF h
      ), chunks AS (
        INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
        SELECT t.id, mine.app_id, t.event, t.at, t.size, t.common, t.columns
        FROM mine, unnest(${ids}, ${names}, ${times(events.map(({ at }) => at))},
          ${integers(events.map(({ size }) => size))}, ${texts(events.map(({ common }) => JSON.stringify(common)))},
          ${texts(events.map(({ columns }) => JSON.stringify(columns)))}) AS t (id, event, at, size, common, columns)
        WHERE t.id IN (SELECT id FROM wanted)
        ON CONFLICT (id) DO NOTHING
        RETURNING id
      ), work AS (
        INSERT INTO hook_work (id, hook_id, chunk_id)
        SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.hook_id, wanted.id
        FROM wanted JOIN chunks ON chunks.id = wanted.id
        RETURNING hook_id
      )`
}
