import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { ALONE, AMONG_MANY, CRASHED, KILLED, KILLED_BESIDE, MANY } from "../../../services/domain/sending/Suspicion.ts"
import type { HolderId } from "../../../services/ports/operations/HolderStore.ts"
import { HolderStore } from "../../../services/ports/operations/HolderStore.ts"
import { ANY_DIRECT, giveRows } from "../sending/directBatches.ts"
import { integers } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { RECONNECT_MS, WRITABLE_SINCE } from "./writableSince.ts"
import { HOLDERS } from "../server/advisoryLocks.ts"

/** A process that lives and has lost its session opens another within this time of its being missed. */
const GRACE_MS = 2_000
/** A session that was missed so long ago, and whose work nobody freed since, is missed anew: nobody could write meanwhile. */
const STALE_MS = 10_000
/** So is one that was missed so much later than now: the clock was set back since. */
const AHEAD_MS = 1_000

/** What the batch `b` is suspected of more, for the process `gone` that ended with `batches` in hand. */
const MORE = `CASE WHEN gone.ended = 'stopped' OR gone.blamed <> b.id THEN 0
              WHEN gone.blamed IS NULL AND gone.batches > ${MANY} THEN ${AMONG_MANY}
              WHEN gone.ended = 'crashed' THEN ${CRASHED}
              WHEN gone.blamed = b.id OR b.suspicion < ${ALONE} THEN ${KILLED}
              ELSE ${KILLED_BESIDE} END`

/**
 * What the run with the timer `t` is suspected of from now on, for a process that ended over the claim `c`. Who was moved
 * among many is to be moved alone, at most: it takes the end of a process over that one alone to set it aside.
 */
const OF_RUN = `CASE
  WHEN c.is_alone THEN least(t.suspicion + CASE WHEN c.ended = 'crashed' THEN ${CRASHED} ELSE ${KILLED} END, 100)
  WHEN c.ended = 'crashed' THEN greatest(t.suspicion, ${ALONE})
  ELSE greatest(t.suspicion, least(t.suspicion + ${AMONG_MANY}, ${ALONE})) END`

export const layer: Layer.Layer<HolderStore, never, PgClient.PgClient> = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    /** Holders whose locks can be had. Shared, so that nodes that look at once do not take each other for the holder. */
    const free = sql<{ readonly id: HolderId; readonly is_ripe: boolean; readonly is_new: boolean }>`
      SELECT id,
        ended IS NOT NULL OR missed_at <= now() - ${GRACE_MS} * interval '1 ms' AS is_ripe,
        ended IS NULL AND (missed_at IS NULL OR missed_at NOT
          BETWEEN now() - ${STALE_MS} * interval '1 ms' AND now() + ${AHEAD_MS} * interval '1 ms') AS is_new
      FROM holders WHERE pg_try_advisory_xact_lock_shared(${HOLDERS}, id)`

    const miss = (ids: ReadonlyArray<HolderId>) =>
      sql`UPDATE holders SET missed_at = now() WHERE id = ANY(${integers(ids)})`

    /**
     * What was held keeps its fence: what the process knew, should it live, counts until somebody else has claimed it. A
     * lease is ended and not taken away, because nobody has given it back. After a start of the server everybody's session
     * has ended, and those who live get time to connect again.
     */
    const take = (ids: ReadonlyArray<HolderId>) =>
      sql<{ readonly freed: string | number }>`
        WITH gone AS MATERIALIZED (
          DELETE FROM holders h WHERE h.id = ANY(${integers(ids)})
            AND (h.ended IS NOT NULL OR h.missed_at
              BETWEEN now() - ${STALE_MS} * interval '1 ms' AND now() - ${GRACE_MS} * interval '1 ms')
            AND (h.ended IS NOT NULL OR ${sql.literal(WRITABLE_SINCE)} <= now() - ${RECONNECT_MS} * interval '1 ms')
            AND pg_try_advisory_xact_lock_shared(${HOLDERS}, h.id)
          RETURNING h.id, h.ended, h.blamed
        ), plans AS (
          UPDATE notifications n SET plan_lease_until = NULL, published_at = '-infinity'
          FROM gone WHERE n.plan_holder = gone.id AND NOT n.plan_done AND n.plan_lease_until IS NOT NULL
          RETURNING n.id
        ), in_hand AS MATERIALIZED (
          SELECT b.id, gone.id AS holder, gone.ended, gone.blamed, count(*) OVER (PARTITION BY gone.id) AS batches
          FROM gone JOIN batches b ON b.lease_holder = gone.id AND NOT b.done AND b.lease_until IS NOT NULL
        ), sends AS (
          UPDATE batches b SET lease_until = '-infinity', suspicion = least(b.suspicion + ${sql.literal(MORE)}, 100)
          FROM in_hand gone
          WHERE b.id = gone.id AND b.lease_holder = gone.holder AND NOT b.done AND b.lease_until IS NOT NULL
          RETURNING b.id
        ), posts AS (
          UPDATE webhook_work_items w SET lease_until = '-infinity'
          FROM gone WHERE w.lease_holder = gone.id AND NOT w.done AND w.lease_until IS NOT NULL
          RETURNING w.id
        ), again AS (
          UPDATE replays r SET lease_until = NULL FROM gone WHERE r.lease_holder = gone.id AND r.status = 'running'
          RETURNING r.id
        ), once_more AS (
          UPDATE redeliveries r SET lease_until = NULL FROM gone
          WHERE r.lease_holder = gone.id AND r.status = 'running'
          RETURNING r.id
        ), claims AS (
          DELETE FROM run_claims c USING gone WHERE c.holder = gone.id
          RETURNING c.app_id, c.from_at, c.from_id, c.to_at, c.to_id, c.is_alone, gone.ended
        ), runs AS (
          -- Those that were moved since are due at another time, or not at all.
          UPDATE execution_timers t SET suspicion = ${sql.literal(OF_RUN)} FROM claims c
          WHERE t.app_id = c.app_id AND (t.due_at, t.execution_id) BETWEEN (c.from_at, c.from_id) AND (c.to_at, c.to_id)
            AND c.ended IS DISTINCT FROM 'stopped'
        ), fetches AS (
          UPDATE execution_timers t SET due_at = least(t.due_at, now()), holder = NULL FROM gone WHERE t.holder = gone.id
          RETURNING t.execution_id
        ), mails AS (
          UPDATE service_mails m SET due_at = now(), lease_holder = NULL FROM gone WHERE m.lease_holder = gone.id
          RETURNING m.id
        )
        SELECT (SELECT count(*) FROM plans) + (SELECT count(*) FROM sends) + (SELECT count(*) FROM posts)
          + (SELECT count(*) FROM again) + (SELECT count(*) FROM once_more) + (SELECT count(*) FROM mails)
          + (SELECT count(*) FROM fetches) AS freed`.unprepared

    const release: HolderStore["Service"]["release"] = Effect.gen(function* () {
      const found = yield* free
      const fresh = found.flatMap(({ id, is_new }) => (is_new ? [id] : []))
      if (fresh.length > 0) yield* miss(fresh)
      const ripe = found.flatMap(({ id, is_new, is_ripe }) => (is_ripe && !is_new ? [id] : []))
      if (ripe.length === 0) return 0
      const [row] = yield* sql.withTransaction(
        Effect.gen(function* () {
          // By the partial indexes of open work, however much lies beside it that has ended.
          yield* sql`SET LOCAL enable_seqscan = off`
          yield* giveRows(sql, sql`${sql.literal(ANY_DIRECT)} AND n.direct_holder = ANY(${integers(ripe)})`)
          return yield* take(ripe)
        })
      )
      return Number(row!.freed)
    }).pipe(storeError("HolderStore.release"))

    const ended: HolderStore["Service"]["ended"] = (id, how) =>
      sql`UPDATE holders SET ended = ${how} WHERE id = ${id}`.pipe(Effect.asVoid, storeError("HolderStore.ended"))

    return HolderStore.of({ release, ended })
  })
)
