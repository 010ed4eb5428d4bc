import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId, BatchId, NotificationId } from "../../../services/domain/Ids.ts"
import type { Priority } from "../../../services/domain/sending/Notification.ts"
import { ALONE } from "../../../services/domain/sending/Suspicion.ts"
import type { LaneKey, ResultChunk } from "../../../services/ports/sending/BatchStore.ts"
import { BatchStore, SMALL_BATCH } from "../../../services/ports/sending/BatchStore.ts"
import { Metrics } from "../../../services/ports/operations/Metrics.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import { cancelRest } from "./cancelRest.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { milliseconds } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { DIRECT_FENCE, giveRows, giveRowsToOverdue, prolongedBatches } from "./directBatches.ts"
import { finishBatch } from "./finishBatch.ts"
import { finishLate } from "./finishLate.ts"
import { finishSent as finishSingles } from "./finishSent.ts"
import { finishSmall, isSmall } from "./finishSmall.ts"
import { Holder } from "../operations/Holder.ts"
import { storeError } from "../server/storeError.ts"
import { isAbandoned } from "../operations/writableSince.ts"

interface BatchRow {
  readonly id: BatchId
  readonly app_id: AppId
  readonly notification_id: NotificationId
  readonly provider: ProviderKind
  readonly priority: Priority
  readonly attempts: number
  readonly reason: string | null
  readonly fence: number
  readonly suspicion: number
  readonly doubtful: boolean
  readonly version: number | null
  readonly suspended_reason: string | null
  readonly accepted_at: Date | null
  readonly expires_at: Date | null
  readonly recipients: ReadonlyArray<string>
}

interface LaneRow {
  readonly app_id: AppId
  readonly provider: ProviderKind
  readonly priority: Priority
}

/** Plans that one sweep takes up, at most: the others are forgotten still in the next one. */
const PLANS = 1000
/** Rows of a statement that stands for many calls. */
const ROWS = 256
const AT_ONCE = 2
/** Cancelled notifications that one sweep looks at, and statements for each of them. */
const CANCELLED = 100
const ROUNDS = 20

export const layer: Layer.Layer<BatchStore, never, SqlClient.SqlClient> = Layer.effect(
  BatchStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const cancelTheRest = cancelRest(sql, yield* Metrics)

    /** Due and not leased. `b` is the batch, `n` its notification. */
    const isReady = sql.literal(
      `NOT b.done AND NOT b.paused AND b.due_at <= now() AND (b.lease_until IS NULL OR b.lease_until < now())
        AND n.status IN ('queued', 'sending')`
    )

    /** Of several batches the first, and the others as long as all of them are small. */
    const few = sql`(
          SELECT id FROM (
            SELECT id, max(pending) OVER (ORDER BY due_at, id) AS most, row_number() OVER (ORDER BY due_at, id) AS place
            FROM ready
          ) AS sized WHERE place = 1 OR most <= ${SMALL_BATCH}
        ) AS ready`

    /** `which`: those that are sent as any other, or those that are sent alone. */
    const take = Effect.fnUntraced(function* (lane: LaneKey, limit: number, leaseMs: number, which: "any" | "suspect") {
      const rows = yield* sql<BatchRow>`
        WITH ready AS MATERIALIZED (
          SELECT b.id, b.due_at, b.pending FROM batches b JOIN notifications n ON n.id = b.notification_id
          WHERE b.app_id = ${lane.appId} AND b.provider = ${lane.provider} AND b.priority = ${lane.priority}
            AND b.suspicion ${sql.literal(which === "any" ? "<" : ">=")} ${sql.literal(String(ALONE))}
            ${which === "any" ? sql`` : sql`AND b.suspicion > 0`} AND ${isReady} AND ${isAbandoned(sql, "b", leaseMs, holder)}
          ORDER BY ${which === "any" ? sql`` : sql`b.suspicion, `}b.due_at LIMIT ${limit}
          FOR UPDATE OF b SKIP LOCKED
        ), claimed AS (
          UPDATE batches b SET
            fence = b.fence + 1,
            suspended = false,
            slowed = false,
            -- Whoever had it before neither gave it back nor wrote all that was sent.
            doubtful = b.doubtful OR b.lease_until IS NOT NULL,
            lease_holder = ${holder.id()}::integer,
            lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
          FROM ${limit === 1 ? sql`ready` : few} WHERE b.id = ready.id
          RETURNING b.id, b.app_id, b.notification_id, b.provider, b.priority, b.attempts, b.reason, b.fence, b.suspicion, b.doubtful,
            b.recipients, b.due_at, b.expires_at
        )
        SELECT b.id, b.app_id, b.notification_id, b.provider, b.priority, b.attempts, b.reason, b.fence, b.suspicion, b.doubtful,
          b.recipients, b.expires_at, c.version, c.suspended_reason, c.accepted_at
        FROM claimed b LEFT JOIN LATERAL (
          SELECT version, suspended_reason, accepted_at FROM credentials WHERE app_id = b.app_id AND kind = b.provider OFFSET 0
        ) AS c ON true
        ORDER BY b.due_at, b.id`
      return rows.map((row) => ({
        id: row.id,
        appId: row.app_id,
        notificationId: row.notification_id,
        provider: row.provider,
        priority: row.priority,
        attempts: row.attempts,
        reason: row.reason,
        fence: row.fence,
        suspicion: row.suspicion,
        isDoubtful: row.doubtful,
        credential:
          row.version === null
            ? null
            : {
                version: row.version,
                suspendedReason: row.suspended_reason,
                acceptedAt: row.accepted_at?.getTime() ?? null
              },
        expiresAt: row.expires_at?.getTime() ?? null,
        recipients: row.recipients
      }))
    }, storeError("BatchStore.claim"))
    const claim: BatchStore["Service"]["claim"] = (lane, limit, leaseMs) => take(lane, limit, leaseMs, "any")
    const claimSuspect: BatchStore["Service"]["claimSuspect"] = (lane, leaseMs) =>
      Effect.map(take(lane, 1, leaseMs, "suspect"), (found) => Option.fromUndefinedOr(found[0]))

    const extend: BatchStore["Service"]["extend"] = (id, fence, leaseMs) =>
      sql`
        WITH own AS (
          UPDATE batches SET lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
          WHERE id = ${id} AND fence = ${fence} AND NOT done
          RETURNING id
        ), direct AS (
          UPDATE notifications SET direct_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
          WHERE direct_batch = ${id} AND direct_recipient IS NOT NULL AND ${fence}::integer = ${sql.literal(String(DIRECT_FENCE))}
          RETURNING id
        )
        SELECT FROM own UNION ALL SELECT FROM direct`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("BatchStore.extend")
      )

    const extendAll: BatchStore["Service"]["extendAll"] = (batches, leaseMs) =>
      sql<{ readonly id: BatchId }>`
        WITH ${prolongedBatches(sql, batches, leaseMs)}
        SELECT id FROM held UNION ALL SELECT batch_id FROM held_direct`.pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        storeError("BatchStore.extendAll")
      )

    const releaseRow = (id: BatchId, fence: number, delayMs: number, suspended: boolean) =>
      sql`
        UPDATE batches SET lease_until = NULL, suspended = ${suspended},
          due_at = now() + ${milliseconds(delayMs)} * interval '1 ms'
        WHERE id = ${id} AND fence = ${fence} AND NOT done
        RETURNING id`

    const release: BatchStore["Service"]["release"] = Effect.fnUntraced(function* (id, fence, delayMs, suspended) {
      const released = yield* releaseRow(id, fence, delayMs, suspended)
      if (released.length > 0 || fence !== DIRECT_FENCE) return
      yield* giveRows(sql, sql`n.direct_recipient IS NOT NULL AND n.direct_batch = ${id}`)
      yield* releaseRow(id, fence, delayMs, suspended)
    }, storeError("BatchStore.release"))

    /** Scheduled notifications whose time has come, from now on queued as any other; or sending, where the plan is done. */
    const duePlans = sql<{ readonly id: NotificationId; readonly priority: Priority; readonly plan_done: boolean }>`
      WITH due AS MATERIALIZED (
        SELECT id FROM notifications WHERE status = 'scheduled' AND send_at <= now()
        ORDER BY send_at LIMIT ${PLANS}
        FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE notifications n SET status = CASE WHEN n.plan_done THEN 'sending' ELSE 'queued' END, published_at = now(),
        started_at = CASE WHEN n.plan_done THEN now() END
      FROM due WHERE n.id = due.id
      RETURNING n.id, n.priority, n.plan_done`

    const forgottenPlans = (forgottenMs: number) =>
      sql<{ readonly id: NotificationId; readonly priority: Priority }>`
        WITH waiting AS MATERIALIZED (
          SELECT id FROM notifications
          WHERE NOT plan_done AND status IN ('queued', 'sending')
            AND published_at < now() - ${milliseconds(forgottenMs)} * interval '1 ms'
            AND (plan_lease_until IS NULL OR plan_lease_until < now())
          ORDER BY published_at LIMIT ${PLANS}
          FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE notifications n SET published_at = now() FROM waiting WHERE n.id = waiting.id
        RETURNING n.id, n.priority`

    // Walks from lane to lane along the index, however many batches each has, and looks for the first ready one of each.
    // (EXISTS would be turned into a join with all open batches.)
    const lanesWithWork = sql<LaneRow>`
      WITH RECURSIVE lane AS (
        (SELECT app_id, provider, priority FROM batches WHERE NOT done AND NOT paused ORDER BY app_id, provider, priority LIMIT 1)
        UNION ALL
        SELECT following.* FROM lane, LATERAL (
          SELECT b.app_id, b.provider, b.priority FROM batches b
          WHERE NOT b.done AND NOT b.paused AND (b.app_id, b.provider, b.priority) > (lane.app_id, lane.provider, lane.priority)
          ORDER BY b.app_id, b.provider, b.priority LIMIT 1
        ) AS following
      )
      SELECT lane.app_id, lane.provider, lane.priority FROM lane, LATERAL (
        SELECT FROM batches b
        CROSS JOIN LATERAL (SELECT status FROM notifications WHERE id = b.notification_id OFFSET 0) AS n
        WHERE b.app_id = lane.app_id AND b.provider = lane.provider AND b.priority = lane.priority AND ${isReady}
        ORDER BY b.due_at LIMIT 1
      ) AS first`

    const forgotten: BatchStore["Service"]["forgotten"] = Effect.fnUntraced(function* (forgottenMs) {
      // Nobody claims them where they are.
      yield* giveRowsToOverdue(sql)
      const due = (yield* duePlans).flatMap(({ id, plan_done, priority }) => (plan_done ? [] : { id, priority }))
      const forgotten = yield* forgottenPlans(forgottenMs)
      const plans = [...due, ...forgotten.filter(({ id }) => !due.some((plan) => plan.id === id))]
      const lanes = yield* lanesWithWork
      return {
        plans,
        lanes: lanes.map((lane): LaneKey => ({ appId: lane.app_id, provider: lane.provider, priority: lane.priority }))
      }
    }, storeError("BatchStore.forgotten"))

    const endCancelled = Effect.gen(function* () {
      const rows = yield* sql<{ readonly id: NotificationId }>`
        SELECT id FROM (
          -- OFFSET 0: not in the order of the ids of all that there are, to come upon the few.
          SELECT id FROM notifications WHERE plan_done AND completed_at IS NULL AND status = 'cancelled' OFFSET 0
        ) AS open ORDER BY id LIMIT ${CANCELLED}`
      for (const { id } of rows) yield* cancelTheRest(id, ROUNDS)
    })

    // Looked up for each that is open, and not joined: a plan that was made while there were few would read all. Whoever
    // holds one at the moment is about to complete it: to wait for many of them, in whatever order, could be to wait for
    // somebody who waits for one of ours.
    const complete = sql`
      WITH seen AS MATERIALIZED (
        SELECT id, reopened FROM notifications n
        WHERE plan_done AND completed_at IS NULL AND status IN ('queued', 'sending', 'paused')
          AND direct_recipient IS NULL
          AND coalesce((SELECT false FROM batches WHERE notification_id = n.id AND NOT done LIMIT 1), true)
      ), done AS MATERIALIZED (
        SELECT n.id FROM notifications n, seen
        WHERE n.id = ANY(ARRAY(SELECT id FROM seen)) AND n.id = seen.id AND n.reopened = seen.reopened
          AND n.plan_done AND ${ofRows(sql, sql`n.completed_at IS NULL AND n.status IN ('queued', 'sending', 'paused')`)}
          AND n.direct_recipient IS NULL
        FOR NO KEY UPDATE OF n SKIP LOCKED
      )
      UPDATE notifications n SET status = 'completed', completed_at = now() FROM done
      WHERE n.id = ANY(ARRAY(SELECT id FROM done)) AND n.id = done.id
      RETURNING n.id`

    const completeForgotten: BatchStore["Service"]["completeForgotten"] = Effect.andThen(endCancelled, complete).pipe(
      Effect.map((rows) => rows.length),
      storeError("BatchStore.completeForgotten")
    )

    const finishOne = finishBatch(sql)
    const finishMany = finishSmall(sql)
    const finishAllSent = finishSingles(sql)
    const finishTogether = yield* coalesce({
      run: (chunks: ReadonlyArray<ResultChunk>) => finishMany(chunks).pipe(storeError("BatchStore.finish")),
      weight: ({ final }: ResultChunk) => final.recipients.length,
      refusalOf: refusalBySql,
      ownerOf: ({ appId }) => appId,
      rows: ROWS,
      atOnce: AT_ONCE
    })
    const finishAfterCancel = finishLate(sql)
    const finishRow = (chunk: ResultChunk) =>
      isSmall(chunk)
        ? Effect.map(finishTogether(chunk), (done) => Option.map(Option.fromNullOr(done), ({ webhooks }) => webhooks))
        : finishOne(chunk).pipe(storeError("BatchStore.finish"))

    /** None when the notification has no such direct batch; else whether it is there still. */
    const directOf = ({ batchId, notificationId }: ResultChunk) =>
      sql<{ readonly is_open: boolean }>`
        SELECT direct_recipient IS NOT NULL AS is_open FROM notifications
        WHERE id = ${notificationId} AND direct_batch = ${batchId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), ({ is_open }) => is_open))
      )

    const giveRow = ({ batchId, notificationId }: ResultChunk) =>
      giveRows(sql, sql`n.id = ${notificationId} AND ${ofRows(sql, sql`n.direct_batch = ${batchId}`)}`)

    /** What has no row may be a direct batch, or one that a cancel has ended. */
    const finishOther = Effect.fnUntraced(function* (chunk: ResultChunk) {
      if (chunk.fence === DIRECT_FENCE) {
        const isOpen = yield* directOf(chunk)
        // Sent, and written before: the answer was lost.
        if (Option.isSome(isOpen) && !isOpen.value) return Option.some([])
        // Got a row now, or by somebody else meanwhile.
        yield* giveRow(chunk)
        const written = yield* finishRow(chunk)
        if (Option.isSome(written)) return written
      }
      return yield* finishAfterCancel(chunk)
    }, storeError("BatchStore.finish"))

    /** What is more than that a direct batch was sent needs a row for it, and mostly there is none. */
    const begin = (chunk: ResultChunk) =>
      chunk.fence === DIRECT_FENCE && !isSmall(chunk)
        ? Effect.flatMap(giveRow(chunk).pipe(storeError("BatchStore.finish")), () => finishRow(chunk))
        : finishRow(chunk)

    const finish: BatchStore["Service"]["finish"] = (chunk) =>
      begin(chunk).pipe(
        Effect.flatMap((written) => (Option.isSome(written) ? Effect.succeed(written) : finishOther(chunk))),
        // What cannot even be put into a statement is refused like what a statement may not say.
        Effect.catchDefect((cause) =>
          Effect.fail(new StoreError({ operation: "BatchStore.finish", cause, refused: true }))
        )
      )

    const finishSent: BatchStore["Service"]["finishSent"] = (chunks) =>
      finishAllSent(chunks).pipe(storeError("BatchStore.finishSent"))

    return BatchStore.of({
      claim,
      claimSuspect,
      extend,
      extendAll,
      finish,
      finishSent,
      release,
      forgotten,
      completeForgotten
    })
  })
)
