import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EventChunk } from "../../../services/domain/webhooks/Event.ts"
import { eventBodies } from "../../../services/domain/webhooks/Event.ts"
import type { AppId, WebhookWorkId } from "../../../services/domain/Ids.ts"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { WebhookResults } from "../../../services/ports/webhooks/WebhookStore.ts"
import { pack } from "./packedAttempts.ts"
import { record } from "../access/auditEntry.ts"
import { byteas, integers, milliseconds, texts, times, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"

interface Held {
  readonly fence: number
  readonly done: boolean
  readonly attempts: number
  /** Positions without a final state. */
  readonly open: number
}

/**
 * `WebhookStore.finish`. The order of its locks is the order of a webhook's removal, which cascades to its work: first
 * the webhook, then the work.
 */
export const finishWebhookWork = (
  sql: SqlClient.SqlClient,
  results: WebhookResults
): Effect.Effect<boolean, SqlError> =>
  hasFailures(results)
    ? sql.withTransaction(finishAll(sql, results))
    : Effect.flatMap(finishDelivered(sql, results), (isWritten) =>
        isWritten ? Effect.succeed(true) : sql.withTransaction(finishAll(sql, results))
      )

const hasFailures = ({ delivered, exhausted, retry, streak }: WebhookResults): boolean =>
  delivered.length === 0 || retry !== null || exhausted.length > 0 || streak.leading > 0

/**
 * What healthy webhooks write all day: successes only, in one statement instead of five round trips, in which a
 * connection would be held from a hundred webhooks that want one. Nothing is written, and false answered, for whatever
 * needs a closer look: a run of failures to end, a repeat, work whose lease was lost.
 */
const finishDelivered = (sql: SqlClient.SqlClient, results: WebhookResults): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`
    WITH h AS MATERIALIZED (SELECT id, failures FROM webhooks WHERE id = ${results.webhookId} FOR KEY SHARE),
    held AS MATERIALIZED (
      SELECT w.id FROM h JOIN webhook_work_items w ON ${ofRows(sql, sql`w.webhook_id = h.id AND NOT w.done`)}
      CROSS JOIN LATERAL (SELECT size FROM event_chunks WHERE id = w.chunk_id OFFSET 0) AS c
      WHERE w.id = ${results.workId} AND w.fence = ${results.fence} AND h.failures = 0
        AND coalesce(cardinality(w.positions), c.size) = ${results.delivered.length + results.remaining.length}
      FOR UPDATE OF w
    )${log(sql, results)}
    UPDATE webhook_work_items w SET ${progress(sql, results)} FROM held WHERE w.id = ANY(ARRAY[held.id]) RETURNING w.id`,
    (written) => written.length > 0
  )

/** `WebhookStore.finishPlain`. Like `finishDelivered`, it leaves alone whatever needs a closer look. */
export const finishPlainWebhookWork = (
  sql: SqlClient.SqlClient,
  all: ReadonlyArray<WebhookResults>
): Effect.Effect<ReadonlyArray<WebhookWorkId>, SqlError> => {
  const logs = all.map(({ tried }) => (tried.length === 0 ? null : pack(tried)))
  return Effect.map(
    sql<{ readonly id: WebhookWorkId }>`
    WITH h AS MATERIALIZED (SELECT id, failures FROM webhooks WHERE id = ${all[0]!.webhookId} FOR KEY SHARE),
    held AS MATERIALIZED (
      SELECT w.id, t.delivered, t.at, t.records
      FROM unnest(${uuids(all.map(({ workId }) => workId))}, ${integers(all.map(({ fence }) => fence))},
        ${integers(all.map(({ delivered }) => delivered.length))}, ${times(logs.map((log) => log?.at ?? null))},
        ${byteas(logs.map((log) => log?.records ?? null))}) AS t (id, fence, delivered, at, records)
      CROSS JOIN h JOIN webhook_work_items w ON w.id = ANY(ARRAY[t.id]) AND ${ofRows(sql, sql`w.webhook_id = h.id AND w.fence = t.fence AND NOT w.done`)}
      CROSS JOIN LATERAL (SELECT size FROM event_chunks WHERE id = w.chunk_id OFFSET 0) AS c
      WHERE t.delivered = 0 OR h.failures = 0 AND coalesce(cardinality(w.positions), c.size) = t.delivered
      ORDER BY t.id FOR UPDATE OF w
    ), log AS (
      INSERT INTO webhook_attempts (work_item_id, at, records) SELECT id, at, records FROM held WHERE records IS NOT NULL
    )
    UPDATE webhook_work_items w SET
      positions = CASE WHEN held.delivered > 0 THEN '{}' ELSE w.positions END,
      delivered = w.delivered + held.delivered,
      done = held.delivered > 0,
      finished_at = CASE WHEN held.delivered > 0 THEN now() END,
      lease_until = NULL
    FROM held WHERE w.id = ANY(ARRAY[held.id]) RETURNING w.id`,
    (written) => written.map(({ id }) => id)
  )
}

/** The transaction for results of every kind. */
const finishAll = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  results: WebhookResults
): Effect.fn.Return<boolean, SqlError> {
  const { workId, webhookId, retry, exhausted, remaining } = results
  const [held] = yield* sql<Held>`
    WITH h AS MATERIALIZED (SELECT id FROM webhooks WHERE id = ${webhookId} FOR KEY SHARE)
    SELECT w.fence, w.done, w.attempts, coalesce(cardinality(w.positions), c.size) AS open
    FROM h JOIN webhook_work_items w ON ${ofRows(sql, sql`w.webhook_id = h.id`)}
    CROSS JOIN LATERAL (SELECT size FROM event_chunks WHERE id = w.chunk_id OFFSET 0) AS c
    WHERE w.id = ${workId} FOR UPDATE OF w`
  if (held === undefined || held.fence !== results.fence) return false
  const finished = results.delivered.length + (retry?.positions.length ?? 0) + exhausted.length
  // A repeat of what was written before its answer got lost: the positions it finishes are no longer open.
  if (held.done || (finished > 0 && held.open !== finished + remaining.length)) return true

  yield* sql`
    WITH held AS (SELECT ${workId}::uuid AS id)${log(sql, results)}
    UPDATE webhook_work_items w SET ${progress(sql, results)} WHERE w.id = ${workId}`
  if (retry !== null && retry.positions.length > 0) {
    yield* sql`
      INSERT INTO webhook_work_items (id, webhook_id, chunk_id, attempts, due_at, positions)
      SELECT ${uuidv7()}::uuid, webhook_id, chunk_id, attempts + 1, now() + ${milliseconds(retry.delayMs)} * interval '1 ms',
        ${integers(retry.positions)}
      FROM webhook_work_items WHERE id = ${workId}`
  }
  if (exhausted.length > 0) yield* writeDeadLetters(sql, results, held.attempts + 1)
  yield* count(sql, results)
  return true
})

/** What becomes of the work `w`. */
const progress = (sql: SqlClient.SqlClient, results: WebhookResults) => {
  const isDone = results.remaining.length === 0
  const isReleased = results.releaseAfterMs !== null
  // What is given back at once keeps its place among the oldest.
  const isLater = (results.releaseAfterMs ?? 0) > 0
  return sql`
      positions = ${integers(results.remaining)},
      delivered = w.delivered + ${results.delivered.length},
      exhausted = w.exhausted + ${results.exhausted.length},
      done = ${isDone},
      finished_at = CASE WHEN ${isDone} THEN now() END,
      lease_until = CASE WHEN ${isDone || isReleased} THEN NULL ELSE now() + ${milliseconds(results.leaseMs)} * interval '1 ms' END,
      due_at = CASE WHEN ${isLater} THEN now() + ${milliseconds(results.releaseAfterMs ?? 0)} * interval '1 ms' ELSE w.due_at END`
}

/**
 * The log of what was tried for the work in `held`, in the statement that follows: it costs a row, but no round trip.
 */
const log = (sql: SqlClient.SqlClient, { tried }: WebhookResults) => {
  if (tried.length === 0) return sql``
  const { at, records, reasons } = pack(tried)
  return sql`, log AS (
      INSERT INTO webhook_attempts (work_item_id, at, records, reasons)
      SELECT held.id, ${new Date(at)}::timestamptz, ${records}::bytea, ${reasons === null ? null : texts(reasons)}::text[]
      FROM held
    )`
}

interface ChunkRow extends Pick<EventChunk, "id" | "appId" | "event" | "size"> {
  readonly at: Date
  readonly common: string
  readonly columns: string
}

/** Records what used up its attempts, with the bodies that were to be delivered. */
const writeDeadLetters = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  results: WebhookResults,
  attempts: number
) {
  const [row] = yield* sql<ChunkRow>`
    SELECT c.id, c.app_id AS "appId", c.event, c.size, c.at, c.common, c.columns
    FROM webhook_work_items w JOIN event_chunks c ON c.id = w.chunk_id WHERE w.id = ${results.workId}`
  const chunk: EventChunk = {
    ...row!,
    at: row!.at.getTime(),
    common: JSON.parse(row!.common) as EventChunk["common"],
    columns: JSON.parse(row!.columns) as EventChunk["columns"]
  }
  const body = eventBodies(chunk)
  yield* sql`
    INSERT INTO dead_letters (id, app_id, kind, error, attempts, webhook_id, event_id, body)
    SELECT t.id, ${chunk.appId}::uuid, 'webhook', t.error, ${attempts}::smallint, ${results.webhookId}::uuid, t.event_id, t.body
    FROM unnest(${uuids(results.exhausted.map(() => uuidv7()))},
      ${uuids(results.exhausted.map(({ position }) => eventIdOf(chunk.id, position)))},
      ${texts(results.exhausted.map(({ error }) => error))},
      ${texts(results.exhausted.map(({ position }) => body(position)))}) AS t (id, event_id, error, body)`
})

/**
 * Carries on the count of failed deliveries in a row, over all nodes, and disables the webhook when it is full: also
 * when the run that filled it has ended with a success since.
 */
const count = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, results: WebhookResults) {
  const { leading, longest, reset, reason, trailing } = results.streak
  if (leading === 0 && !reset) return
  // A success after successes writes nothing: the row of a busy, healthy webhook stays as it is.
  const [row] = yield* sql<{ readonly peak: number; readonly since: Date | null }>`
    WITH before AS MATERIALIZED (
      SELECT id, failures, CASE WHEN failures = 0 THEN now() ELSE failing_since END AS since FROM webhooks
      WHERE id = ${results.webhookId} AND epoch = ${results.epoch} AND is_active
        AND (failures > 0 OR ${leading > 0 || trailing > 0 || longest > 0})
      FOR NO KEY UPDATE
    )
    UPDATE webhooks h SET
      failures = CASE WHEN ${reset} THEN ${trailing} ELSE before.failures + ${leading} END,
      failing_since = CASE WHEN NOT ${reset} THEN before.since WHEN ${trailing > 0} THEN now() END
    FROM before WHERE h.id = ANY(ARRAY[before.id])
    RETURNING greatest(before.failures + ${leading}, ${longest}) AS peak, before.since`
  if (row === undefined || row.peak < results.disableAfter) return
  const text =
    `${row.peak === 1 ? "1 delivery" : `${row.peak} deliveries in a row`} failed since ${isoTime(row.since!.getTime())}; ` +
    `the last one: ${reason ?? "no reason known"}`
  const [webhook] = yield* sql<{ readonly app_id: AppId }>`
    UPDATE webhooks SET is_active = false, disabled_reason = ${text}, updated_at = now() WHERE id = ${results.webhookId}
    RETURNING app_id`
  yield* record(sql, webhook!.app_id, "webhook.disabled", results.webhookId, { reason: text })
  yield* Effect.logWarning("A webhook is disabled, because too many of its deliveries failed in a row").pipe(
    Effect.annotateLogs({ app_id: webhook!.app_id, webhook_id: results.webhookId, reason: text })
  )
})
