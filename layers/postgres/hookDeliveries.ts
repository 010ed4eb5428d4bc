import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { EventName } from "../../services/domain/Event.ts"
import type { HookId } from "../../services/domain/Ids.ts"
import { eventIdOf } from "../../services/domain/Ids.ts"
import type { Page } from "../../services/ports/DeviceStore.ts"
import type { HookAttempt, HookDelivery } from "../../services/ports/HookStore.ts"
import { unpack } from "./attempts.ts"
import { uuids } from "./columns.ts"
import { pageOf } from "./pages.ts"

interface ChunkRow {
  readonly id: string
  readonly event: EventName
  readonly at: Date
  readonly size: number
}

/** A piece of work, once for each row of its log, and once without one. */
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
  readonly attempts: Map<number, Array<HookAttempt>>
  /** When what is open is due; `all` for those of work that was never taken apart. */
  readonly due: Map<number, Date>
  all: Date | null
  isActive: boolean
}

/** The first and last id that a chunk of this event can have: the index is in the last 16 bits. */
const boundsOf = (eventId: string): readonly [string, string] => [
  `${eventId.slice(0, 32)}0000`,
  `${eventId.slice(0, 32)}ffff`
]

const deliveryOf = (chunk: ChunkRow, position: number, known: Known): HookDelivery => {
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
    isHeld: isOpen && !known.isActive
  }
}

/**
 * The query of `HookStore.deliveries`. Which events a page holds follows from the chunks, which never change, so a page
 * is the same page however often it is read; what is known of them is read in one statement, and so of one moment.
 */
export const hookDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  hookId: HookId,
  after: string | null,
  limit: number
): Effect.fn.Return<Page<HookDelivery>, SqlError> {
  const bounds = after === null ? null : boundsOf(after)
  // Every chunk has an event at least. One more for the chunk that `after` is in, and one to know whether more follow.
  // They are chosen before they are looked up: a join in the order of chunks would walk those of all other hooks too.
  const chunks = yield* sql<ChunkRow>`
    SELECT c.id, c.event, c.at, c.size FROM (
      SELECT w.chunk_id FROM hook_work w WHERE w.hook_id = ${hookId} AND w.attempts = 0
        ${bounds === null ? sql`` : sql`AND w.chunk_id <= ${bounds[1]}::uuid`}
      ORDER BY w.chunk_id DESC LIMIT ${limit + 2}
    ) page JOIN event_chunks c ON c.id = page.chunk_id ORDER BY c.id DESC`

  const wanted: Array<{ readonly id: string; readonly chunk: ChunkRow; readonly position: number }> = []
  for (const chunk of chunks) {
    const isBegun = bounds !== null && after !== null && chunk.id >= bounds[0]
    const begin = isBegun ? (Number.parseInt(chunk.id.slice(32), 16) ^ Number.parseInt(after.slice(32), 16)) + 1 : 0
    for (let position = begin; position < chunk.size && wanted.length <= limit; position++) {
      wanted.push({ id: eventIdOf(chunk.id, position), chunk, position })
    }
    if (wanted.length > limit) break
  }
  const { items, next } = pageOf(wanted, limit)

  const log = yield* sql<LogRow>`
    SELECT w.chunk_id AS chunk, w.id AS work, NOT w.done AS open, w.due_at,
      CASE WHEN NOT w.done THEN w.positions END AS positions, h.is_active, a.at, a.records, a.reasons
    FROM hook_work w JOIN hooks h ON h.id = w.hook_id LEFT JOIN hook_attempts a ON a.work_id = w.id
    WHERE w.hook_id = ${hookId} AND w.chunk_id = ANY(${uuids([...new Set(items.map(({ chunk }) => chunk.id))])})`
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
  return {
    // Left out: what was removed between the two statements, and what was done before there was a log.
    items: items.flatMap(({ chunk, position }) => {
      const of = known.get(chunk.id)
      if (of === undefined) return []
      const delivery = deliveryOf(chunk, position, of)
      return delivery.status === "exhausted" && delivery.attempts.length === 0 ? [] : [delivery]
    }),
    next
  }
})
