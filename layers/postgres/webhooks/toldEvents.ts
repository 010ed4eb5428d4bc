import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId, EventChunkId, NotificationId, WebhookId } from "../../../services/domain/Ids.ts"
import { eventIdOf, uuidFloor } from "../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../services/domain/sending/DeliveryIds.ts"
import type { EventChunk, EventName } from "../../../services/domain/webhooks/Event.ts"
import { eventBodies } from "../../../services/domain/webhooks/Event.ts"
import type { RecipientEvent, WebhookDelivery } from "../../../services/ports/webhooks/WebhookStore.ts"
import { texts, uuids } from "../server/columns.ts"
import type { ChunkRow, Wanted } from "./webhookDeliveries.ts"
import { locateDelivery, tell } from "./webhookDeliveries.ts"

/* What events say, and about whom: read out of their chunks, whose texts no statement looks into otherwise. */

interface WholeRow extends ChunkRow {
  readonly app_id: AppId
  readonly common: string
  readonly columns: string
}

const chunkOf = ({ app_id, at, columns, common, event, id, size }: WholeRow): EventChunk => ({
  id: id as EventChunkId,
  appId: app_id,
  event,
  at: at.getTime(),
  size,
  common: JSON.parse(common) as EventChunk["common"],
  columns: JSON.parse(columns) as EventChunk["columns"]
})

/** One event of the webhook, with what is posted. */
export const deliveryWithBody = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  webhookId: WebhookId,
  eventId: string
): Effect.fn.Return<{ readonly delivery: WebhookDelivery; readonly body: string } | undefined, SqlError> {
  const found = yield* locateDelivery(sql, webhookId, eventId.toLowerCase())
  if (found === undefined) return undefined
  const { chunkId, delivery, position } = found
  const [row] = yield* sql<WholeRow>`
    SELECT id, app_id, event, at, size, common, columns FROM event_chunks WHERE id = ${chunkId}`
  return row === undefined ? undefined : { delivery, body: eventBodies(chunkOf(row))(position) }
})

/**
 * A chunk's id is made when its results are, which is a moment before they are written: so much before and behind it
 * is looked at, and no more. While a mailing goes out these are some hundred chunks.
 */
const BEFORE_MS = 15_000
const BEHIND_MS = 1_000
const MOST_CHUNKS = 5_000

/** By what the columns of an event name a recipient: itself, or its delivery. */
const NAMES = ["deviceId", "channelId", "deliveryLogId"] as const

/** Where a chunk has the event about a recipient of the notification; -1 when it has none. */
const positionIn = ({ columns, common }: EventChunk, notificationId: string, name: string): number => {
  const column = NAMES.map((one) => columns[one]).find((values) => values?.includes(name))
  const position = column?.indexOf(name) ?? -1
  const of = common["notificationId"] ?? columns["notificationId"]?.[position]
  return of === notificationId ? position : -1
}

/** The query of `WebhookStore.ofRecipient`. */
export const deliveriesOfRecipient = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  notificationId: NotificationId,
  recipientId: string,
  events: ReadonlyArray<RecipientEvent>
): Effect.fn.Return<ReadonlyArray<{ readonly webhookId: WebhookId; readonly delivery: WebhookDelivery }>, SqlError> {
  const isOfSending = (event: EventName) => event === "NOTIFICATION_SENT" || event === "NOTIFICATION_FAILED"
  const deliveryId = deliveryIdOf(notificationId, recipientId)
  const nameIn = (event: EventName): string => (isOfSending(event) ? recipientId : deliveryId)
  // A device can be in several mailings at once; a delivery is of one.
  const common = (event: EventName): string => (isOfSending(event) ? notificationId : "")
  const rows = yield* sql<WholeRow>`
    SELECT DISTINCT ON (c.id) c.id, c.app_id, c.event, c.at, c.size, c.common, c.columns
    FROM unnest(${texts(events.map(({ event }) => event))}, ${uuids(events.map(({ at }) => uuidFloor(at - BEFORE_MS)))},
      ${uuids(events.map(({ at }) => uuidFloor(at + BEHIND_MS)))}, ${texts(events.map(({ event }) => nameIn(event)))},
      ${texts(events.map(({ event }) => common(event)))}
    ) AS t (event, first, last, name, common)
    CROSS JOIN LATERAL (
      SELECT * FROM event_chunks WHERE id BETWEEN t.first AND t.last ORDER BY id DESC LIMIT ${MOST_CHUNKS}
    ) c
    WHERE c.app_id = ${appId} AND c.event = t.event
      AND position(t.common IN c.common) > 0 AND position(t.name IN c.columns) > 0
    ORDER BY c.id`
  const about = rows.flatMap((row): ReadonlyArray<Wanted> => {
    const position = positionIn(chunkOf(row), notificationId, nameIn(row.event))
    return position === -1 ? [] : [{ id: eventIdOf(row.id, position), chunk: row, position }]
  })
  if (about.length === 0) return []
  const listeners = yield* sql<{ readonly webhook_id: WebhookId; readonly chunk_id: string }>`
    SELECT webhook_id, chunk_id FROM webhook_work_items
    WHERE chunk_id = ANY(${uuids(about.map(({ chunk }) => chunk.id))}) AND attempts = 0 AND NOT redelivers`
  const told = yield* Effect.forEach([...new Set(listeners.map(({ webhook_id }) => webhook_id))], (webhookId) => {
    const theirs = new Set(listeners.filter((one) => one.webhook_id === webhookId).map(({ chunk_id }) => chunk_id))
    return Effect.map(
      tell(
        sql,
        webhookId,
        about.filter(({ chunk }) => theirs.has(chunk.id))
      ),
      (located) => located.map(({ delivery }) => ({ webhookId, delivery }))
    )
  })
  return told.flat().toSorted((a, b) => a.delivery.eventAt - b.delivery.eventAt)
})
