import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EventName } from "../../../services/domain/webhooks/Event.ts"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import { eventIdOf } from "../../../services/domain/Ids.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryFilter
} from "../../../services/ports/webhooks/WebhookStore.ts"
import { unpack } from "./packedAttempts.ts"
import { uuids } from "../server/columns.ts"
import { pageOf } from "../server/pages.ts"

export interface ChunkRow {
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
  /** How long ago its row of the log was written, in transactions. */
  readonly ago: number | null
  readonly records: Uint8Array | null
  readonly reasons: ReadonlyArray<string> | null
}

interface Logged {
  readonly attempt: WebhookAttempt
  readonly ago: number
}

/**
 * In the order in which they were written: by what the clock said, one of before it was set back may be later. The two
 * numbers are compared as PostgreSQL compares those of transactions, which begin anew.
 */
const inOrder = (a: Logged, b: Logged): number => (b.ago - a.ago) | 0 || a.attempt.at - b.attempt.at

/** What is known of the events of one chunk. */
interface Known {
  readonly attempts: Map<number, Array<Logged>>
  /** When what is open is due; `all` for those of work that was never taken apart. */
  readonly due: Map<number, Date>
  all: Date | null
  isActive: boolean
}

/** An event in its chunk. */
export interface Wanted {
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
export const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

const deliveryOf = (chunk: ChunkRow, position: number, known: Known): WebhookDelivery => {
  const attempts = (known.attempts.get(position) ?? []).toSorted(inOrder).map(({ attempt }) => attempt)
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

/** Where only some events are wanted: chunks and events that are looked at in one step, and steps for one page. */
const CHUNKS = 500
const STEP = 500
const STEPS = 10

/** The query of `WebhookStore.deliveries`. */
export const webhookDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  after: string | null,
  limit: number,
  filter: WebhookDeliveryFilter = {}
): Effect.fn.Return<Page<WebhookDelivery>, SqlError> {
  const { event, status } = filter
  const found: Array<WebhookDelivery> = []
  let from = after
  for (let step = 0; step < STEPS; step++) {
    // A chunk costs the same whether one of its events is looked at or all; whether it has the event is seen at once.
    const [events, chunks] = [status === undefined ? limit : STEP, event === undefined ? limit + 2 : CHUNKS]
    const { items, next } = yield* locateDeliveries(sql, webhookId, from, events, filter, chunks)
    const fitting = items.map(({ delivery }) => delivery).filter((one) => status === undefined || one.status === status)
    found.push(...fitting)
    if (found.length > limit) return pageOf(found, limit)
    if (next === null || (event === undefined && status === undefined)) return { items: found, next }
    from = next
  }
  return { items: found, next: from }
})

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
 * The chunks of a webhook from `last` on, newest first, of which something is in the state. They are chosen before they
 * are looked up, and by a span of webhook and chunk: in the order of chunks alone one would walk those of all other
 * webhooks too. What is open, and what was given up, is found without a walk through what was delivered.
 */
const chunksOf = (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  last: string,
  status: WebhookDelivery["status"] | undefined
): Statement.Fragment => {
  const span = sql`w.webhook_id >= ${webhookId}::uuid AND (w.webhook_id, w.chunk_id) <= (${webhookId}::uuid, ${last}::uuid)`
  if (status === "exhausted")
    return sql`SELECT DISTINCT w.webhook_id, w.chunk_id FROM webhook_work_items w WHERE w.exhausted > 0 AND ${span}`
  if (status === "pending" || status === "retrying")
    return sql`SELECT DISTINCT w.webhook_id, w.chunk_id FROM (
        SELECT o.webhook_id, o.chunk_id FROM webhook_work_items o WHERE NOT o.done AND o.webhook_id = ${webhookId}::uuid OFFSET 0
      ) w WHERE w.chunk_id <= ${last}::uuid`
  return sql`SELECT w.webhook_id, w.chunk_id FROM webhook_work_items w WHERE w.attempts = 0 AND NOT w.redelivers AND ${span}`
}

/**
 * The events of a webhook, newest first, from behind the event `after`, with what is known of them. Which events a page
 * holds follows from the chunks, which never change, so a page is the same page however often it is read; what is known
 * of them is read in one statement, and so of one moment. With a filter, events of chunks of which one fits: a page may
 * have fewer, and a next one. `most`: chunks that are read.
 */
export const locateDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  after: string | null,
  limit: number,
  { event, status }: WebhookDeliveryFilter = {},
  most = limit + 2
): Effect.fn.Return<Page<Located>, SqlError> {
  const bounds = after === null ? null : boundsOf(after)
  // Every chunk has an event at least. One more for the chunk that `after` is in, and one to know whether more follow.
  const chunks = yield* sql<ChunkRow>`
    SELECT c.id, c.event, c.at, c.size FROM (
      ${chunksOf(sql, webhookId, bounds?.[1] ?? LAST, status)} ORDER BY w.webhook_id DESC, w.chunk_id DESC LIMIT ${most}
    ) page CROSS JOIN LATERAL (SELECT id, event, at, size FROM event_chunks WHERE id = page.chunk_id OFFSET 0) AS c
    ORDER BY c.id DESC`

  const wanted: Array<Wanted> = []
  for (const chunk of chunks) {
    if (event !== undefined && chunk.event !== event) continue
    const isBegun = bounds !== null && after !== null && chunk.id >= bounds[0]
    const begin = isBegun ? positionOf(after, chunk.id) + 1 : 0
    for (let position = begin; position < chunk.size && wanted.length <= limit; position++) {
      wanted.push({ id: eventIdOf(chunk.id, position), chunk, position })
    }
    if (wanted.length > limit) break
  }
  const { items, next } = pageOf(wanted, limit)
  const end = chunks.length < most ? undefined : chunks.at(-1)
  // Behind the last chunk that was read, when those that fit did not fill the page.
  const further = next ?? (end === undefined ? null : eventIdOf(end.id, end.size - 1))
  return { items: yield* tell(sql, webhookId, items), next: further }
})

/** What is known of events, in the order in which they are given. */
export const tell = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  items: ReadonlyArray<Wanted>
): Effect.fn.Return<ReadonlyArray<Located>, SqlError> {
  const log = yield* sql<LogRow>`
    SELECT w.chunk_id AS chunk, w.id AS work, NOT w.done AS open, w.due_at,
      CASE WHEN NOT w.done THEN w.positions END AS positions, h.is_active, a.at, a.ago, a.records, a.reasons
    FROM webhook_work_items w JOIN webhooks h ON h.id = w.webhook_id
    LEFT JOIN LATERAL (
      SELECT at, age(xmin) AS ago, records, reasons FROM webhook_attempts WHERE work_item_id = w.id OFFSET 0
    ) AS a ON true
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
      const logged = { attempt, ago: row.ago! }
      const earlier = of.attempts.get(attempt.position)
      if (earlier === undefined) of.attempts.set(attempt.position, [logged])
      else earlier.push(logged)
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
