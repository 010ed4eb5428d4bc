import { PgTypes } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { AppId, EventChunkId, WebhookId, WebhookWorkId } from "../../../services/domain/Ids.ts"
import type { WebhookStore, WebhookWork } from "../../../services/ports/webhooks/WebhookStore.ts"
import { milliseconds } from "../server/columns.ts"
import type { HolderShape } from "../operations/Holder.ts"
import { oldestWork } from "./oldestWork.ts"
import { storeError } from "../server/storeError.ts"
import { heldUntil, isAbandoned } from "../operations/writableSince.ts"

/* Which work of webhooks may be taken, when the next may be, and taking it. */

interface WorkRow {
  readonly id: WebhookWorkId
  readonly fence: number
  readonly attempts: number
  readonly positions: ReadonlyArray<number> | null
  readonly due_at: Date
  readonly chunk_id: EventChunkId
  readonly app_id: AppId
  readonly event: EventName
  readonly at: Date
  readonly size: number
  readonly common: string
  readonly columns: string
  readonly trace: string | null
}

const WORK = `w.id, w.fence, w.attempts, w.positions, w.due_at,
  c.id AS chunk_id, c.app_id, c.event, c.at, c.size, c.common, c.columns, c.trace`

const workOf = (row: WorkRow): WebhookWork => ({
  id: row.id,
  fence: row.fence,
  attempts: row.attempts,
  positions: row.positions ?? Array.from({ length: row.size }, (_, position) => position),
  chunk: {
    id: row.chunk_id,
    appId: row.app_id,
    event: row.event,
    at: row.at.getTime(),
    size: row.size,
    common: JSON.parse(row.common) as WebhookWork["chunk"]["common"],
    columns: JSON.parse(row.columns) as WebhookWork["chunk"]["columns"],
    ...(row.trace === null ? {} : { trace: row.trace })
  }
})

/**
 * Among so many work items that became due last, small ones are looked for: it costs the same however long the backlog.
 */
const LAST = 200

/** The operations of WebhookStore that take work, or ask for it. */
export const claimWebhookWork = (sql: SqlClient.SqlClient, holder: HolderShape) => {
  const taken = (leaseMs: number) =>
    sql`fence = w.fence + 1, lease_holder = ${holder.id()}::integer,
      lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'`
  /** Work that somebody may take. */
  const takeable = (leaseMs: number) =>
    sql`NOT w.done AND w.due_at <= now() AND (w.lease_until IS NULL OR w.lease_until <= now())
          AND ${isAbandoned(sql, "w", leaseMs, holder)}`

  const hasRetries: WebhookStore["Service"]["hasRetries"] = (id) =>
    sql`SELECT 1 AS one FROM webhook_work_items WHERE webhook_id = ${id} AND NOT done AND attempts > 0 LIMIT 1`.pipe(
      Effect.map((rows) => rows.length > 0),
      storeError("WebhookStore.hasRetries")
    )

  const oldestFirst = (rows: ReadonlyArray<WorkRow>) =>
    rows.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime()).map(workOf)

  const claim: WebhookStore["Service"]["claim"] = (id, limit, leaseMs, events = Infinity) =>
    sql<WorkRow>`
      WITH free AS MATERIALIZED (
        SELECT w.id, w.due_at, w.chunk_id, cardinality(w.positions) AS open FROM webhook_work_items w
        WHERE w.webhook_id = ${id} AND ${takeable(leaseMs)} AND EXISTS (SELECT 1 FROM webhooks h WHERE h.id = ${id} AND h.is_active)
        ORDER BY w.due_at, w.id LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED
      ), sized AS (
        SELECT f.id, c.id AS chunk_id, sum(coalesce(f.open, c.size)) OVER (
          ORDER BY f.due_at, f.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS before
        FROM free f JOIN event_chunks c ON c.id = f.chunk_id
      )
      UPDATE webhook_work_items w SET ${taken(leaseMs)}
      FROM sized, event_chunks c
      WHERE w.id = sized.id AND c.id = sized.chunk_id AND coalesce(sized.before, 0) < ${PgTypes.float8(events)}
      RETURNING ${sql.literal(WORK)}`.pipe(Effect.map(oldestFirst), storeError("WebhookStore.claim"))

  const claimSmall: WebhookStore["Service"]["claimSmall"] = (id, limit, leaseMs, size) =>
    sql<WorkRow>`
      WITH last AS MATERIALIZED (
        SELECT w.id, w.due_at, w.chunk_id, cardinality(w.positions) AS open FROM webhook_work_items w
        WHERE w.webhook_id = ${id} AND NOT w.done AND w.due_at <= now()
          AND EXISTS (SELECT 1 FROM webhooks h WHERE h.id = ${id} AND h.is_active)
        ORDER BY w.due_at DESC LIMIT ${sql.literal(String(LAST))}
      ), free AS MATERIALIZED (
        SELECT w.id FROM last l
        CROSS JOIN LATERAL (SELECT size FROM event_chunks WHERE id = l.chunk_id OFFSET 0) AS c
        JOIN webhook_work_items w ON w.id = ANY(ARRAY[l.id])
        WHERE coalesce(l.open, c.size) <= ${size} AND ${takeable(leaseMs)}
        ORDER BY l.due_at, l.id LIMIT ${limit} FOR UPDATE OF w SKIP LOCKED
      )
      UPDATE webhook_work_items w SET ${taken(leaseMs)}
      FROM free, event_chunks c WHERE w.id = free.id AND c.id = w.chunk_id
      RETURNING ${sql.literal(WORK)}`.pipe(Effect.map(oldestFirst), storeError("WebhookStore.claimSmall"))

  /** Takes what is due of the line, by a condition on its row `l` and the `room` of the oldest. */
  const takeTurns = (id: WebhookId, disableAfter: number, leaseMs: number, condition: Fragment, from: string) =>
    sql<WorkRow & { readonly from: number; readonly count: number }>`
      WITH ${oldestWork(sql, id, disableAfter)}, free AS MATERIALIZED (
        SELECT w.id, ${sql.literal(from)}::integer AS "from", least(l.size, room.places - l.before)::integer AS count
        FROM line l CROSS JOIN room JOIN webhook_work_items w ON w.id = ANY(ARRAY[l.id])
        WHERE ${condition} AND ${takeable(leaseMs)}
        FOR UPDATE OF w SKIP LOCKED
      )
      UPDATE webhook_work_items w SET ${taken(leaseMs)}
      FROM free, event_chunks c WHERE w.id = free.id AND c.id = w.chunk_id
      RETURNING ${sql.literal(WORK)}, free."from", free.count`

  const claimOldest: WebhookStore["Service"]["claimOldest"] = (id, disableAfter, leaseMs) =>
    takeTurns(id, disableAfter, leaseMs, sql`l.before < room.places`, "0").pipe(
      Effect.map((rows) =>
        rows.map((row) => {
          const work = workOf(row)
          return { work, positions: work.positions.slice(0, row.count) }
        })
      ),
      storeError("WebhookStore.claimOldest")
    )

  const claimWaiting: WebhookStore["Service"]["claimWaiting"] = (id, disableAfter, leaseMs) =>
    takeTurns(
      id,
      disableAfter,
      leaseMs,
      sql`l.id = (
          SELECT l.id FROM line l JOIN webhook_work_items w ON w.id = ANY(ARRAY[l.id])
          WHERE l.before + l.size > room.places AND ${takeable(leaseMs)} ORDER BY l.before LIMIT 1
        )`,
      "greatest(0, room.places - l.before)"
    ).pipe(
      Effect.map((rows) =>
        rows.map((row) => {
          const work = workOf(row)
          return { work, positions: work.positions.slice(row.from, row.from + 1) }
        })
      ),
      storeError("WebhookStore.claimWaiting")
    )

  // Walks from webhook to webhook along the index of open work, however many webhooks there are, and however much work.
  const due: WebhookStore["Service"]["due"] = (limit, leaseMs) =>
    sql<{ readonly id: WebhookId }>`
      WITH RECURSIVE waiting AS (
        (SELECT webhook_id AS id FROM webhook_work_items WHERE NOT done ORDER BY webhook_id LIMIT 1)
        UNION ALL
        SELECT following.id FROM waiting, LATERAL (
          SELECT w.webhook_id AS id FROM webhook_work_items w WHERE NOT w.done AND w.webhook_id > waiting.id
          ORDER BY w.webhook_id LIMIT 1
        ) AS following
      )
      SELECT waiting.id FROM waiting CROSS JOIN LATERAL (
        SELECT w.due_at FROM webhook_work_items w WHERE w.webhook_id = waiting.id AND ${takeable(leaseMs)}
        ORDER BY w.due_at LIMIT 1
      ) oldest
      WHERE (SELECT is_active FROM webhooks WHERE id = waiting.id) ORDER BY oldest.due_at LIMIT ${limit}`.pipe(
      Effect.map((rows) => rows.map(({ id }) => id)),
      storeError("WebhookStore.due")
    )

  const waitOf = (sql: Statement<{ readonly wait: number | null }>) =>
    Effect.map(sql, (rows) => Option.map(Option.fromNullishOr(rows[0]?.wait), (wait) => Math.max(0, Math.ceil(wait))))
  const waitFor = (leaseMs: number) =>
    sql`extract(epoch FROM min(greatest(w.due_at, ${heldUntil(sql, "w", leaseMs, holder)})) - now())::float8 * 1000 AS wait`

  const nextDue: WebhookStore["Service"]["nextDue"] = (id, leaseMs) =>
    waitOf(sql`
      SELECT ${waitFor(leaseMs)}
      FROM webhook_work_items w JOIN webhooks h ON h.id = w.webhook_id AND h.is_active WHERE w.webhook_id = ${id} AND NOT w.done`).pipe(
      storeError("WebhookStore.nextDue")
    )

  const nextDueOldest: WebhookStore["Service"]["nextDueOldest"] = (id, disableAfter, leaseMs) =>
    waitOf(sql`
      WITH ${oldestWork(sql, id, disableAfter)}
      SELECT ${waitFor(leaseMs)}
      FROM line l CROSS JOIN room JOIN webhook_work_items w ON w.id = ANY(ARRAY[l.id]) WHERE l.before < room.places`).pipe(
      storeError("WebhookStore.nextDueOldest")
    )

  return { hasRetries, claim, claimSmall, claimOldest, claimWaiting, due, nextDue, nextDueOldest }
}
