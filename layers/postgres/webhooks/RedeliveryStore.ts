import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, WebhookId, RedeliveryId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { RedeliveredStatus, Redelivery } from "../../../services/domain/webhooks/Redelivery.ts"
import { RedeliveryStore } from "../../../services/ports/webhooks/RedeliveryStore.ts"
import type { WebhookAttempt } from "../../../services/ports/webhooks/WebhookStore.ts"
import { TooManyRunning } from "../../../services/ports/operations/TooManyRunning.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { beginOneMore } from "../server/beginOneMore.ts"
import { milliseconds, texts, times, uuids } from "../server/columns.ts"
import { inTurn } from "../server/inTurn.ts"
import { ofRows } from "../server/ofRows.ts"
import { Holder } from "../operations/Holder.ts"
import type { Located } from "./webhookDeliveries.ts"
import { LAST, locateDeliveries, locateDelivery } from "./webhookDeliveries.ts"
import { storeError } from "../server/storeError.ts"

/*
 * Deliveries that go once more are work of their own beside the work that has ended, over the same events. What has
 * ended is told by the log, as it is shown: who is pending again has not ended, and is not taken once more.
 */

interface Row {
  readonly id: RedeliveryId
  readonly app_id: AppId
  readonly webhook_id: WebhookId
  readonly delivery_id: string | null
  readonly wanted: RedeliveredStatus | null
  readonly from_at: Date | null
  readonly to_at: Date | null
  readonly status: Redelivery["status"]
  readonly event_id: string | null
  readonly redelivered: number
  readonly fence: number
  readonly created_at: Date
  readonly completed_at: Date | null
}

const COLUMNS = `r.id, r.app_id, r.webhook_id, r.delivery_id, r.wanted, r.from_at, r.to_at, r.status, r.event_id,
  r.redelivered, r.fence, r.created_at, r.completed_at`

/** By how much the moment of an event may differ from that in its chunk's id, which is when it was written. */
const SLACK_MS = 3_600_000

/** A moment that lies so much later than now was recorded before the clock was set back; of others it may be the latency. */
const AHEAD_MS = 1_000

const redeliveryOf = (row: Row): Redelivery => ({
  id: row.id,
  appId: row.app_id,
  webhookId: row.webhook_id,
  wanted:
    row.delivery_id === null
      ? { status: row.wanted!, from: row.from_at?.getTime() ?? null, to: row.to_at!.getTime() }
      : { deliveryId: row.delivery_id },
  status: row.status,
  redelivered: row.redelivered,
  createdAt: row.created_at.getTime(),
  completedAt: row.completed_at?.getTime() ?? null
})

/**
 * Whether it ended after somebody asked: another request may have had it sent again meanwhile. What ended later than now has
 * ended before the clock was set back.
 */
const hasEndedSince = (attempts: ReadonlyArray<WebhookAttempt>, askedAt: number, at: number): boolean => {
  const last = attempts.at(-1)
  if (last === undefined) return false
  const endedAt = last.at + last.latencyMs
  return endedAt > askedAt && endedAt <= at + AHEAD_MS
}

const claimedOf = (row: Row) => ({ redelivery: redeliveryOf(row), fence: row.fence })

export const layer: Layer.Layer<RedeliveryStore, never, SqlClient.SqlClient> = Layer.effect(
  RedeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holder = yield* Holder
    const columns = sql.literal(COLUMNS)

    const start: RedeliveryStore["Service"]["start"] = Effect.fnUntraced(
      function* (appId, webhookId, id, { from, status, to }, leaseMs) {
        const [fromAt, toAt] = [from, to].map((at) => times([at]))
        // Events of before the clock was set back lie ahead of now.
        const newest = sql`(
          SELECT c.at + interval '1 ms' FROM (
            SELECT w.chunk_id FROM webhook_work_items w WHERE w.attempts = 0 AND NOT w.redelivers
              AND w.webhook_id >= ${webhookId}::uuid AND (w.webhook_id, w.chunk_id) <= (${webhookId}::uuid, ${LAST}::uuid)
            ORDER BY w.webhook_id DESC, w.chunk_id DESC LIMIT 1
          ) AS w CROSS JOIN LATERAL (SELECT at FROM event_chunks WHERE id = w.chunk_id OFFSET 0) AS c
        )`
        const insert = sql<Row>`
          INSERT INTO redeliveries AS r (id, app_id, webhook_id, wanted, from_at, to_at, fence, lease_holder, lease_until)
          VALUES (${id}, ${appId}, ${webhookId}, ${status}, (${fromAt!})[1], least((${toAt!})[1], greatest(now(), ${newest})), 1,
            ${holder.id()}::integer, now() + ${milliseconds(leaseMs)} * interval '1 ms')
          RETURNING ${columns}`
        const noted = Effect.tap(insert, () =>
          record(sql, appId, "webhook.redelivered", webhookId, {
            redelivery: id,
            status,
            from: from === null ? null : isoTime(from),
            to: to === null ? null : isoTime(to)
          })
        )
        return yield* permitted(sql, appId, beginOneMore(sql, "redeliveries", appId, noted))
      },
      storeError("RedeliveryStore.start"),
      Effect.flatMap((row) => (row === null ? Effect.fail(new TooManyRunning()) : Effect.succeed(claimedOf(row))))
    )

    /** Makes a work item for each chunk of what has ended. */
    const addWork = Effect.fnUntraced(function* (webhookId: WebhookId, ended: ReadonlyArray<Located>) {
      const positions = new Map<string, Array<number>>()
      for (const { chunkId, position } of ended) {
        const some = positions.get(chunkId)
        if (some === undefined) positions.set(chunkId, [position])
        else some.push(position)
      }
      if (positions.size === 0) return
      const chunks = [...positions.keys()]
      yield* sql`
        INSERT INTO webhook_work_items (id, webhook_id, chunk_id, positions, redelivers)
        SELECT t.id, ${webhookId}::uuid, t.chunk_id, t.positions::integer[], true
        FROM unnest(${uuids(chunks.map(() => uuidv7()))}, ${uuids(chunks)},
          ${texts([...positions.values()].map((some) => `{${some.join(",")}}`))}) AS t (id, chunk_id, positions)`
    })

    /**
     * Of two that want the same delivery at once, the second finds it pending. Its removal locks the webhook first too.
     */
    const lockWebhook = (id: WebhookId) =>
      sql<{ readonly app_id: AppId }>`SELECT app_id FROM webhooks WHERE id = ${id} FOR NO KEY UPDATE`

    const one: RedeliveryStore["Service"]["one"] = Effect.fnUntraced(
      function* (appId, webhookId, id, eventId) {
        const [webhook] = yield* lockWebhook(webhookId)
        const found =
          webhook?.app_id !== appId ? undefined : yield* locateDelivery(sql, webhookId, eventId.toLowerCase())
        if (found === undefined) return "unknown" as const
        const { id: deliveryId, status } = found.delivery
        if (status !== "exhausted" && status !== "delivered") return "open" as const
        yield* addWork(webhookId, [found])
        const rows = yield* sql<Row>`
          INSERT INTO redeliveries AS r (id, app_id, webhook_id, delivery_id, status, redelivered, completed_at)
          VALUES (${id}, ${appId}, ${webhookId}, ${deliveryId}, 'completed', 1, now()) RETURNING ${columns}`
        yield* record(sql, appId, "webhook.redelivered", webhookId, { redelivery: id, delivery: deliveryId })
        return redeliveryOf(rows[0]!)
      },
      (effect, appId) => permitted(sql, appId, effect),
      storeError("RedeliveryStore.one")
    )

    const find: RedeliveryStore["Service"]["find"] = (appId, id) =>
      sql<Row>`SELECT ${columns} FROM redeliveries r WHERE r.id = ${id} AND r.app_id = ${appId}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), redeliveryOf)),
        storeError("RedeliveryStore.find")
      )

    const claim: RedeliveryStore["Service"]["claim"] = Effect.fnUntraced(function* (served, leaseMs) {
      const rows = yield* sql<Row>`
        WITH ${inTurn(sql, "redeliveries", sql`status = 'running' AND (lease_until IS NULL OR lease_until < now())`, served)}
        UPDATE redeliveries r SET fence = r.fence + 1, lease_holder = ${holder.id()}::integer,
          lease_until = now() + ${milliseconds(leaseMs)} * interval '1 ms'
        WHERE r.id = (SELECT id FROM next)
        RETURNING ${columns}`
      return Option.map(Option.fromUndefinedOr(rows[0]), claimedOf)
    }, storeError("RedeliveryStore.claim"))

    const step: RedeliveryStore["Service"]["step"] = Effect.fnUntraced(
      function* ({ fence, redelivery: { webhookId, id } }, limit, leaseMs) {
        yield* lockWebhook(webhookId)
        const [row] = yield* sql<Row & { readonly now: Date }>`
          SELECT ${columns}, clock_timestamp() AS now FROM redeliveries r
          WHERE r.id = ${id} AND r.fence = ${fence} AND ${ofRows(sql, sql`r.status = 'running'`)} FOR NO KEY UPDATE`
        if (row === undefined) return Option.none()
        const [from, to] = [row.from_at?.getTime() ?? -Infinity, row.to_at!.getTime()]
        const after = row.event_id ?? uuidFloor(to + SLACK_MS)
        const { items, next } = yield* locateDeliveries(sql, webhookId, after, limit)
        const askedAt = row.created_at.getTime()
        const ended = items.filter(
          ({ delivery: { attempts, eventAt, status } }) =>
            status === row.wanted &&
            eventAt >= from &&
            eventAt < to &&
            !hasEndedSince(attempts, askedAt, row.now.getTime())
        )
        yield* addWork(webhookId, ended)
        const isDone = next === null || (from > SLACK_MS && next < uuidFloor(from - SLACK_MS))
        const rows = yield* sql<Row>`
          UPDATE redeliveries r SET
            event_id = ${next ?? after}::uuid,
            redelivered = r.redelivered + ${ended.length},
            status = ${isDone ? "completed" : "running"},
            completed_at = CASE WHEN ${isDone} THEN now() END,
            lease_until = CASE WHEN ${isDone || leaseMs === null} THEN NULL
              ELSE now() + ${milliseconds(leaseMs ?? 0)} * interval '1 ms' END
          WHERE r.id = ${id} RETURNING ${columns}`
        return Option.some(redeliveryOf(rows[0]!))
      },
      (effect) => sql.withTransaction(effect),
      storeError("RedeliveryStore.step")
    )

    return RedeliveryStore.of({ start, one, find, claim, step })
  })
)
