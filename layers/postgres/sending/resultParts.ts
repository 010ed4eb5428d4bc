import { PgTypes } from "@effect/sql-pg"
import { refusalOf } from "../../../services/domain/sending/DeadLetter.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { integers, texts, times, uuids } from "../server/columns.ts"
import { providerCode } from "./deliveryCodes.ts"
import type { Parameters } from "./leavingOut.ts"

/*
 * Parts of the statements that write the results of a chunk: `finishBatch`, and `finishLate`. Both begin with the same
 * parameters, whose columns are empty where there is nothing to do:
 *
 *   $1  batch                      $2  fence            $3  attempts          $4  provider (code)
 *   $5  dead letters: ids          $6  recipients       $7  errors            $8  refusals
 *   $9  changed recipients: ids    $10 reasons          $11 seen before       $12 environments found
 *   $13 whether the chunk has no final results
 *   $14 events: ids                $15 names            $16 moments           $17 sizes
 *   $18 in common                  $19 columns          $20 trace
 *
 * Each has one more by a number of its own: the tokens that changed recipients were tried at (`triedParameter`).
 *
 * A part stands between `-- [name]` and `-- [end]`: a statement goes without those that have nothing to do (`leavingOut`).
 * Each starts from `mine`, the batch (`id`, `notification_id`, `app_id`, `provider`), from `counted`, whose `total`
 * is the number of results that are new, and from `written`, the rows.
 */
export const PART_TYPES = `
  uuid, integer, smallint, text,
  uuid[], uuid[], text[], text[],
  uuid[], text[], timestamptz[], text[],
  boolean,
  uuid[], text[], timestamptz[], integer[], text[], text[], text`

export const partParameters = (chunk: ResultChunk): Parameters => {
  const { attempts, batchId, dead, environments, events, fence, final, provider, trace } = chunk
  const { errors, recipients, statuses } = final
  const failed = statuses.flatMap((status, i) => (status === "failed" ? i : []))
  const gone = new Set(dead.map(({ id }) => id))
  return [
    () => PgTypes.uuid(batchId),
    () => PgTypes.int4(fence),
    () => PgTypes.int2(attempts),
    () => PgTypes.text(providerCode[provider]),
    () => uuids(failed.map(() => uuidv7())),
    () => uuids(failed.map((i) => recipients[i]!)),
    () => texts(failed.map((i) => errors[i] ?? "unknown")),
    () => texts(failed.map((i) => refusalOf(errors[i] ?? null, gone.has(recipients[i]!)))),
    () => uuids([...dead.map(({ id }) => id), ...environments.map(({ id }) => id)]),
    () => texts([...dead.map(({ reason }) => reason), ...environments.map(() => null)]),
    () => times([...dead.map(({ seenBefore }) => seenBefore), ...environments.map(() => null)]),
    () => texts([...dead.map(() => null), ...environments.map(({ environment }) => environment)]),
    () => PgTypes.bool(recipients.length === 0),
    () => uuids(events.map(({ id }) => id)),
    () => texts(events.map(({ event }) => event)),
    () => times(events.map(({ at }) => at)),
    () => integers(events.map(({ size }) => size)),
    () => texts(events.map(({ common }) => JSON.stringify(common))),
    () => texts(events.map(({ columns }) => JSON.stringify(columns))),
    () => PgTypes.text(trace ?? null)
  ]
}

/** Of `changedRecipients`: the tokens of which something was said, in the order of $9. */
export const triedParameter =
  ({ dead, environments }: ResultChunk): Parameters[number] =>
  () =>
    texts([...dead, ...environments].map(({ address }) => address))

/** Which of the parts a chunk needs. */
export const partsOf = ({ dead, environments, events, final, provider }: ResultChunk, brings: boolean) => {
  const isChange = dead.length + environments.length > 0
  return {
    "dead letters": final.statuses.includes("failed"),
    channels: isChange && provider === "smtp",
    devices: isChange && provider !== "smtp",
    events: brings && events.length > 0
  }
}

/** What finally failed, with its reason: a dead letter for each row that is new. */
export const DEAD_LETTERS = `-- [dead letters]
    , new_dead_letters AS (
      INSERT INTO dead_letters (
        id, app_id, kind, error, attempts, notification_id, recipient_id, provider, batch_id, refusal
      )
      SELECT t.id, mine.app_id, 'notification', t.error, $3, mine.notification_id, t.recipient_id, mine.provider, mine.id,
        t.refusal
      FROM mine, unnest($5, $6, $7, $8) AS t (id, recipient_id, error, refusal)
      JOIN written ON written.recipient_id = t.recipient_id
    )
    -- [end]`

/**
 * Dead tokens, wrong environments and dead addresses, which follow only from results that are new. Rows are locked in the
 * order in which registrations lock them. What was said is about a token: a device that has another one by now stays as it
 * is. A channel has one address for good. `tried`: the number of their parameter, `triedParameter`.
 */
export const changedRecipients = (tried: number): string => `-- [channels]
    , touched_channels AS (
      SELECT c.app_id, c.id, t.reason FROM (
        SELECT mine.app_id, t.* FROM mine, counted, unnest($9, $10) AS t (id, reason)
        WHERE ($13 OR counted.total > 0) AND t.reason IS NOT NULL OFFSET 0
      ) AS t JOIN channels c ON c.app_id = ANY(ARRAY[t.app_id]) AND c.id = t.id AND c.status = 'active'
      -- Sorted: an index has them in this order, with all others.
      ORDER BY c.address_key || '' FOR NO KEY UPDATE OF c
    ), changed_channels AS (
      UPDATE channels c SET status = 'suppressed', status_reason = touched.reason
      FROM touched_channels touched WHERE c.app_id = ANY(ARRAY[touched.app_id]) AND c.id = touched.id
    )
    -- [end]
    -- [devices]
    , touched_devices AS (
      SELECT d.app_id, d.id, t.reason, t.environment FROM (
        SELECT mine.app_id, t.*
        FROM mine, counted, unnest($9, $10, $11, $12, $${tried}) AS t (id, reason, before, environment, token)
        WHERE $13 OR counted.total > 0 OFFSET 0
      ) AS t JOIN devices d ON d.app_id = ANY(ARRAY[t.app_id]) AND d.id = t.id AND (d.token = t.token) IS TRUE
        AND (t.before IS NULL OR date_trunc('milliseconds', d.last_seen_at) <= t.before)
      ORDER BY d.token_hash || '' FOR NO KEY UPDATE OF d
    ), changed_devices AS (
      UPDATE devices d SET
        active = d.active AND touched.reason IS NULL,
        invalid_reason = coalesce(touched.reason, d.invalid_reason),
        environment = coalesce(touched.environment, d.environment)
      FROM touched_devices touched WHERE d.app_id = ANY(ARRAY[touched.app_id]) AND d.id = touched.id
    )
    -- [end]`

/**
 * Chunks of events that an active webhook subscribes to, and the work of each such webhook. A webhook that is being
 * deleted is waited for (FOR KEY SHARE): work for it would break its foreign key and take the results down with it. The
 * id of work is its chunk's, with fresh random bits: ordered by time as well.
 */
export const EVENTS = `-- [events]
    , wanted AS (
      SELECT t.id, h.id AS webhook_id
      FROM mine, counted, unnest($14, $15) AS t (id, event), webhooks h
      WHERE ($13 OR counted.total > 0) AND h.app_id = ANY(ARRAY[mine.app_id]) AND h.is_active
        AND (h.events = '{}' OR t.event = ANY(h.events))
      FOR KEY SHARE OF h
    ), chunks AS (
      INSERT INTO event_chunks (id, app_id, event, at, size, common, columns, trace)
      SELECT t.id, mine.app_id, t.event, t.at, t.size, t.common, t.columns, $20
      FROM mine, unnest($14, $15, $16, $17, $18, $19) AS t (id, event, at, size, common, columns)
      WHERE t.id IN (SELECT id FROM wanted)
      ON CONFLICT (id) DO NOTHING
      RETURNING id
    ), work AS (
      INSERT INTO webhook_work_items (id, webhook_id, chunk_id)
      SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.webhook_id, wanted.id
      FROM wanted JOIN chunks ON chunks.id = wanted.id
      RETURNING webhook_id
    )
    -- [end]`
