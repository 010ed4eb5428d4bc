import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import type { WebhookAttempt, WebhookDelivery } from "../../../services/ports/webhooks/WebhookStore.ts"
import { unpack } from "./packedAttempts.ts"
import { uuids } from "../server/columns.ts"
import { pageOf } from "../server/pages.ts"

interface ChunkRow {
  readonly id: string
  readonly event: EventName
  readonly at: Date
  readonly size: number
}

/** A work item, once for each row of its log, and once without one. */
interface LogRow {
  readonly chunk: string
  readonly work: string
  readonly open: boolean
  readonly due_at: Date
  readonly positions: ReadonlyArray<number> | null
  readonly is_active: boolean
  readonly at: Date | null
  readonly records: Uint8Array | null
  readonly reasons: ReadonlyArray<string> | null
}

/** What is known of the events of one chunk. */
interface Known {
  readonly attempts: Map<number, Array<WebhookAttempt>>
  /** When what is open is due; `all` for those of work that was never taken apart. */
  readonly due: Map<number, Date>
  all: Date | null
  isActive: boolean
}

/** An event in its chunk. */
interface Wanted {
  readonly id: string
  readonly chunk: ChunkRow
  readonly position: number
}

/** What is known of an event, and where it is. */
export interface Located {
  readonly chunkId: string
  readonly position: number
  readonly delivery: WebhookDelivery
}

/** The first and last id that a chunk of this event can have: the index is in the last 16 bits. */
const boundsOf = (eventId: string): readonly [string, string] => [
  `${eventId.slice(0, 32)}0000`,
  `${eventId.slice(0, 32)}ffff`
]

/** Behind every chunk. */
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const deliveryOf = (chunk: ChunkRow, position: number, known: Known): WebhookDelivery => {
  const attempts = (known.attempts.get(position) ?? []).toSorted((a, b) => a.at - b.at)
  const due = known.due.get(position) ?? known.all
  const last = attempts.at(-1)?.outcome
  const isDelivered = due === null && typeof last === "number" && last >= 200 && last < 300
  const isOpen = due !== null
  return {
    id: eventIdOf(chunk.id, position),
    event: chunk.event,
    eventAt: chunk.at.getTime(),
    status: isDelivered ? "delivered" : !isOpen ? "exhausted" : attempts.length === 0 ? "pending" : "retrying",
    attempts,
    nextAttemptAt: isOpen && known.isActive ? due.getTime() : null,
    isPaused: isOpen && !known.isActive
  }
}

const positionOf = (eventId: string, chunkId: string): number =>
  Number.parseInt(chunkId.slice(32), 16) ^ Number.parseInt(eventId.slice(32), 16)

/** The query of `WebhookStore.deliveries`. */
export const webhookDeliveries = (
  ...asked: Parameters<typeof locateDeliveries>
): Effect.Effect<Page<WebhookDelivery>, SqlError> =>
  Effect.map(locateDeliveries(...asked), ({ items, next }) => ({ items: items.map(({ delivery }) => delivery), next }))

/** One event of the webhook, if it had it. */
export const locateDelivery = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  eventId: string
): Effect.fn.Return<Located | undefined, SqlError> {
  const [from, to] = boundsOf(eventId)
  const chunks = yield* sql<ChunkRow>`
    SELECT c.id, c.event, c.at, c.size FROM webhook_work_items w JOIN event_chunks c ON c.id = w.chunk_id
    WHERE w.webhook_id = ${webhookId} AND w.attempts = 0 AND NOT w.redelivers
      AND w.chunk_id BETWEEN ${from}::uuid AND ${to}::uuid`
  const wanted = chunks
    .map((chunk) => ({ id: eventId, chunk, position: positionOf(eventId, chunk.id) }))
    .filter(({ chunk, position }) => position < chunk.size)
  return (yield* tell(sql, webhookId, wanted))[0]
})

/**
 * The events of a webhook, newest first, from behind the event `after`, with what is known of them. Which events a page
 * holds follows from the chunks, which never change, so a page is the same page however often it is read; what is known
 * of them is read in one statement, and so of one moment.
 */
export const locateDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  after: string | null,
  limit: number
): Effect.fn.Return<Page<Located>, SqlError> {
  const bounds = after === null ? null : boundsOf(after)
  // Every chunk has an event at least. One more for the chunk that `after` is in, and one to know whether more follow.
  // They are chosen before they are looked up, and by a span of webhook and chunk: in the order of chunks alone one would
  // walk those of all other webhooks too.
  const chunks = yield* sql<ChunkRow>`
    SELECT c.id, c.event, c.at, c.size FROM (
      SELECT w.chunk_id FROM webhook_work_items w WHERE w.attempts = 0 AND NOT w.redelivers
        AND w.webhook_id >= ${webhookId}::uuid AND (w.webhook_id, w.chunk_id) <= (${webhookId}::uuid, ${bounds?.[1] ?? LAST}::uuid)
      ORDER BY w.webhook_id DESC, w.chunk_id DESC LIMIT ${limit + 2}
    ) page JOIN event_chunks c ON c.id = page.chunk_id ORDER BY c.id DESC`

  const wanted: Array<Wanted> = []
  for (const chunk of chunks) {
    const isBegun = bounds !== null && after !== null && chunk.id >= bounds[0]
    const begin = isBegun ? positionOf(after, chunk.id) + 1 : 0
    for (let position = begin; position < chunk.size && wanted.length <= limit; position++) {
      wanted.push({ id: eventIdOf(chunk.id, position), chunk, position })
    }
    if (wanted.length > limit) break
  }
  const { items, next } = pageOf(wanted, limit)
  return { items: yield* tell(sql, webhookId, items), next }
})

/** What is known of events, in the order in which they are given. */
const tell = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  items: ReadonlyArray<Wanted>
): Effect.fn.Return<ReadonlyArray<Located>, SqlError> {
  const log = yield* sql<LogRow>`
    SELECT w.chunk_id AS chunk, w.id AS work, NOT w.done AS open, w.due_at,
      CASE WHEN NOT w.done THEN w.positions END AS positions, h.is_active, a.at, a.records, a.reasons
    FROM webhook_work_items w JOIN webhooks h ON h.id = w.webhook_id LEFT JOIN webhook_attempts a ON a.work_item_id = w.id
    WHERE w.webhook_id = ${webhookId} AND w.chunk_id = ANY(${uuids([...new Set(items.map(({ chunk }) => chunk.id))])})`
  const known = new Map<string, Known>()
  const seen = new Set<string>()
  for (const row of log) {
    let of = known.get(row.chunk)
    if (of === undefined) {
      known.set(row.chunk, (of = { attempts: new Map(), due: new Map(), all: null, isActive: row.is_active }))
    }
    if (row.open && !seen.has(row.work)) {
      seen.add(row.work)
      if (row.positions === null) of.all = row.due_at
      else for (const position of row.positions) of.due.set(position, row.due_at)
    }
    if (row.at === null) continue
    for (const attempt of unpack({ at: row.at.getTime(), records: row.records!, reasons: row.reasons })) {
      const earlier = of.attempts.get(attempt.position)
      if (earlier === undefined) of.attempts.set(attempt.position, [attempt])
      else earlier.push(attempt)
    }
  }
  // Left out: what was removed between the two statements, and what was done before there was a log.
  return items.flatMap(({ chunk, position }) => {
    const of = known.get(chunk.id)
    if (of === undefined) return []
    const delivery = deliveryOf(chunk, position, of)
    const isUntold = delivery.status === "exhausted" && delivery.attempts.length === 0
    return isUntold ? [] : [{ chunkId: chunk.id, position, delivery }]
  })
})
