import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import type { FinishedSmall, ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { integers, smallints, texts, times, uuids } from "../server/columns.ts"
import { addedUp, TODAY } from "../engagement/dailyStats.ts"
import { providerCode, statusCode } from "./deliveryCodes.ts"
import type { Parameters } from "./leavingOut.ts"
import { leavingOut } from "./leavingOut.ts"
import { PACK_FROM } from "./packedResults.ts"

/*
 * The results of many small batches in one statement: single messages, above all, of which a thousand a second come in
 * a thousand batches. The statement is that of finishBatch.ts, with a row for each batch where that one has a constant;
 * whatever does not simply end its batch is left to that one.
 */

/*
 * Parameters, a column each; those of events are empty where there are none to bring:
 *
 *   $1  batches: ids         $2  fences          $3  providers (codes)    $4  attempts
 *   $5  names of events: batches whose application has a webhook that wants one of them are left as they are
 *   $6  results: batches     $7  recipients      $8  statuses             $9  message ids    $10 errors
 *   $11 events: batches      $12 ids             $13 names                $14 moments        $15 sizes
 *   $16 in common            $17 columns         $18 traces
 */
export const FINISH_SMALL_TYPES = `
  uuid[], integer[], text[], smallint[], text[],
  uuid[], uuid[], text[], text[], text[],
  uuid[], uuid[], text[], timestamptz[], integer[], text[], text[], text[]`

/**
 * Writes events for the webhooks that want them, of batches in `source`, which has `mine`. Their columns are eight
 * parameters from `$first` on.
 */
export const eventsOfMany = (source: string, first: number): string => `-- [events]
    , told AS MATERIALIZED (
      SELECT t.*, mine.app_id
      FROM ${source} JOIN unnest(${Array.from({ length: 8 }, (_, i) => `$${first + i}`).join(", ")})
        AS t (batch_id, id, event, at, size, common, columns, trace) ON t.batch_id = mine.id
    ), wanted AS (
      SELECT told.id, h.id AS webhook_id FROM told, webhooks h
      WHERE h.app_id = ANY(ARRAY[told.app_id]) AND h.is_active AND (h.events = '{}' OR told.event = ANY(h.events))
      FOR KEY SHARE OF h
    ), chunks AS (
      INSERT INTO event_chunks (id, app_id, event, at, size, common, columns, trace)
      SELECT id, app_id, event, at, size, common, columns, trace FROM told WHERE id IN (SELECT id FROM wanted)
      ON CONFLICT (id) DO NOTHING
      RETURNING id
    ), work AS (
      INSERT INTO webhook_work_items (id, webhook_id, chunk_id)
      SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.webhook_id, wanted.id
      FROM wanted JOIN chunks ON chunks.id = wanted.id
      RETURNING webhook_id, chunk_id
    )
    -- [end]`

/** Chunks of events with the webhooks that got work by them, side by side. */
export const WORK_OF_MANY = `array_agg(worked.chunk_id) AS chunks, array_agg(worked.webhook_id) AS webhooks
    FROM (
      SELECT NULL::uuid AS chunk_id, NULL::uuid AS webhook_id WHERE false
      -- [events]
      UNION ALL SELECT chunk_id, webhook_id FROM work
      -- [end]
    ) AS worked`

export const FINISH_SMALL = `
    WITH found AS MATERIALIZED (
      SELECT b.id, b.notification_id, b.app_id, t.provider, t.attempts,
        false
        -- [condition]
        OR cardinality($5) > 0 AND coalesce((
          SELECT true FROM webhooks h
          WHERE h.app_id = b.app_id AND h.is_active AND (h.events = '{}' OR h.events && $5) LIMIT 1
        ), false)
        -- [end]
        AS wanted
      FROM unnest($1, $2, $3, $4) AS t (id, fence, provider, attempts)
      JOIN batches b ON b.id = ANY(ARRAY[t.id]) AND (b.fence = t.fence) IS TRUE
      ORDER BY t.id FOR NO KEY UPDATE OF b
    ), mine AS MATERIALIZED (
      SELECT * FROM found WHERE NOT wanted
    ), results AS MATERIALIZED (
      SELECT mine.id, mine.notification_id, mine.provider, mine.attempts, t.recipient_id, t.status, t.message_id, t.error
      FROM mine
      JOIN unnest($6, $7, $8, $9, $10) AS t (id, recipient_id, status, message_id, error) ON t.id = mine.id
    ), written AS (
      INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts, message_id, error)
      SELECT notification_id, recipient_id, provider::"char", status::"char", attempts, message_id, error FROM results
      ON CONFLICT (notification_id, recipient_id) DO NOTHING
      RETURNING notification_id, recipient_id
    ), counted AS MATERIALIZED (
      SELECT r.id, count(*) FILTER (WHERE r.status = 's')::integer AS sent,
        count(*) FILTER (WHERE r.status = 'k')::integer AS skipped
      FROM results r JOIN written w ON w.notification_id = r.notification_id AND w.recipient_id = r.recipient_id
      GROUP BY r.id
    ), kept AS (
      UPDATE batches b SET recipients = '{}', done = true, lease_until = NULL,
        sent = b.sent + coalesce(counted.sent, 0),
        skipped = b.skipped + coalesce(counted.skipped, 0)
      FROM mine LEFT JOIN counted ON counted.id = mine.id WHERE b.id = ANY(ARRAY[mine.id])
    ), summed AS (
      ${addedUp(
        ["sent", "skipped"],
        `SELECT mine.app_id, mine.provider::"char" AS provider, ${TODAY}, sum(counted.sent), sum(counted.skipped)
      FROM mine JOIN counted ON counted.id = mine.id GROUP BY mine.app_id, mine.provider ORDER BY 1, 2`
      )}
    )
    ${eventsOfMany("mine JOIN counted ON counted.id = mine.id", 11)}
    SELECT ARRAY(SELECT id FROM mine) AS finished, ARRAY(SELECT id FROM found WHERE wanted) AS wanted,
      '{}'::uuid[] AS completed,
      ${WORK_OF_MANY}`

type Sql = SqlClient.SqlClient

/** Applications whose last results had listeners. */
const LISTENED = 10_000

export interface Finished {
  /** Batches that were still their workers', and those of them whose events somebody wants that were not brought. */
  readonly finished: ReadonlyArray<string>
  readonly wanted: ReadonlyArray<string>
  /** Notifications. */
  readonly completed: ReadonlyArray<string>
  /** Chunks of events with the webhooks that got work by them, side by side. */
  readonly chunks: ReadonlyArray<string> | null
  readonly webhooks: ReadonlyArray<WebhookId> | null
}

/** Whether the chunk ends a small batch well and concerns nobody but its recipients and the webhooks. */
export const isSmall = ({ dead, environments, final, inbox, remaining, retries }: ResultChunk): boolean =>
  final.recipients.length > 0 &&
  final.recipients.length < PACK_FROM &&
  final.statuses.every((status) => status === "sent" || status === "skipped") &&
  remaining.length + retries.length + dead.length + environments.length === 0 &&
  inbox === null

const NONE: ReadonlyArray<WebhookId> = []

const send = leavingOut<Finished>(FINISH_SMALL)

/** What became of each chunk; null for a batch whose lease was lost. */
export const finishSmall = (sql: Sql) => finishing((chunks, brings) => finish(sql, chunks, brings))

/**
 * Brings events along for applications that have listeners, as far as is known; and once more for those that turn out to
 * have some. `write` is a statement for all chunks: with `brings`, the events of all; without, nothing is written of
 * those whose events somebody wants.
 */
export const finishing = (write: Write) => {
  const listened = new Set<string>()
  return (calls: ReadonlyArray<ResultChunk>) => finishCalls(write, listened, calls)
}

type Write = (chunks: ReadonlyArray<ResultChunk>, brings: boolean) => Effect.Effect<ReadonlyArray<Finished>, SqlError>

const finishCalls = Effect.fnUntraced(function* (
  write: Write,
  listened: Set<string>,
  calls: ReadonlyArray<ResultChunk>
) {
  const answers = new Map<ResultChunk, FinishedSmall>()
  // A batch stands in a statement once. Of two of its workers, only the later one can have it still.
  const latest = new Map<string, ResultChunk>()
  for (const chunk of calls) {
    const other = latest.get(chunk.batchId)
    if (other === undefined || other.fence < chunk.fence) latest.set(chunk.batchId, chunk)
  }
  const heard: Array<ResultChunk> = []
  const unheard: Array<ResultChunk> = []
  for (const chunk of latest.values()) (listened.has(chunk.appId) ? heard : unheard).push(chunk)
  const finishAll = (chunks: ReadonlyArray<ResultChunk>, brings: boolean) =>
    Effect.map(write(chunks, brings), (rows) => note(answers, listened, chunks, brings, rows[0]!))
  if (heard.length > 0) yield* finishAll(heard, true)
  const wanted = unheard.length > 0 ? yield* finishAll(unheard, false) : []
  if (wanted.length > 0) {
    if (listened.size + wanted.length > LISTENED) listened.clear()
    for (const { appId } of wanted) listened.add(appId)
    yield* finishAll(wanted, true)
  }
  return calls.map(({ batchId, fence }) => {
    const chunk = latest.get(batchId)!
    return chunk.fence === fence ? (answers.get(chunk) ?? null) : null
  })
})

/**
 * Notes what became of chunks, by the row of their statement. Answers those whose events somebody wants, which were not
 * brought.
 */
const note = (
  answers: Map<ResultChunk, FinishedSmall>,
  listened: Set<string>,
  chunks: ReadonlyArray<ResultChunk>,
  brings: boolean,
  { chunks: told, completed, finished, webhooks, wanted }: Finished
): ReadonlyArray<ResultChunk> => {
  const [isFinished, isWanted, isCompleted] = [new Set(finished), new Set(wanted), new Set(completed)]
  const worked = new Map<string, Array<WebhookId>>()
  told?.forEach((id, i) => worked.set(id, [...(worked.get(id) ?? []), webhooks![i]!]))
  for (const chunk of chunks) {
    if (!isFinished.has(chunk.batchId)) continue
    const own = worked.size === 0 ? NONE : [...new Set(chunk.events.flatMap(({ id }) => worked.get(id) ?? []))]
    answers.set(chunk, { webhooks: own, isCompleted: isCompleted.has(chunk.notificationId) })
    if (brings && own.length === 0) listened.delete(chunk.appId)
  }
  return wanted.length === 0 ? [] : chunks.filter(({ batchId }) => isWanted.has(batchId))
}

const finish = (sql: Sql, chunks: ReadonlyArray<ResultChunk>, brings: boolean) => {
  const results = chunks.flatMap(({ batchId, final: { errors, messageIds, recipients, statuses } }) =>
    recipients.map((recipient, i) => ({
      batchId,
      recipient,
      status: statusCode[statuses[i]!],
      messageId: messageIds[i]!,
      error: errors[i]!
    }))
  )
  const events = ownEvents(chunks)
  const hasEvents = events.length > 0
  return send(sql, { condition: hasEvents && !brings, events: hasEvents && brings }, [
    () => uuids(chunks.map(({ batchId }) => batchId)),
    () => integers(chunks.map(({ fence }) => fence)),
    () => texts(chunks.map(({ provider }) => providerCode[provider])),
    () => smallints(chunks.map(({ attempts }) => attempts)),
    () => texts(namesOf(events)),
    () => uuids(results.map(({ batchId }) => batchId)),
    () => uuids(results.map(({ recipient }) => recipient)),
    () => texts(results.map(({ status }) => status)),
    () => texts(results.map(({ messageId }) => messageId)),
    () => texts(results.map(({ error }) => error)),
    ...eventParameters(events)
  ])
}

interface OwnEvent {
  readonly chunk: ResultChunk
  readonly event: ResultChunk["events"][number]
}

/** The events of chunks, each with its own. */
export const ownEvents = (chunks: ReadonlyArray<ResultChunk>): ReadonlyArray<OwnEvent> =>
  chunks.flatMap((chunk) => chunk.events.map((event) => ({ chunk, event })))

export const namesOf = (events: ReadonlyArray<OwnEvent>): ReadonlyArray<string> => [
  ...new Set(events.map(({ event }) => event.event))
]

/** The columns of `eventsOfMany`. */
export const eventParameters = (events: ReadonlyArray<OwnEvent>): Parameters => [
  () => uuids(events.map(({ chunk }) => chunk.batchId)),
  () => uuids(events.map(({ event }) => event.id)),
  () => texts(events.map(({ event }) => event.event)),
  () => times(events.map(({ event }) => event.at)),
  () => integers(events.map(({ event }) => event.size)),
  () => texts(events.map(({ event }) => JSON.stringify(event.common))),
  () => texts(events.map(({ event }) => JSON.stringify(event.columns))),
  () => texts(events.map(({ chunk }) => chunk.trace ?? null))
]
