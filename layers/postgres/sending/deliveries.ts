import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { Delivery, FollowedDelivery, Outcome, Retry } from "../../../services/domain/sending/Delivery.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import { deliveryIdsOf } from "../../../services/domain/sending/DeliveryIds.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"
import type { DeliveryFilter } from "../../../services/ports/sending/NotificationStore.ts"
import { uuids } from "../server/columns.ts"
import { providerOfCode, statusCode, statusOfCode } from "./deliveryCodes.ts"
import { readMessages } from "./packedResults.ts"

/*
 * A notification's deliveries in the order of recipients, out of rows and packed results. Packed results overlap: those
 * of several providers, of a batch's chunks, of retries. They are read in the order of their first recipients, until
 * all that follow begin behind the page.
 */

interface Common {
  readonly at: Date
  readonly provider: string
  readonly status: string
  readonly attempts: number
  readonly error: string | null
}

interface Row extends Common {
  readonly recipient_id: string
  readonly message_id: string | null
}

interface PackedRow extends Common {
  readonly first_id: string
  readonly last_id: string
  readonly recipients: ReadonlyArray<string>
  readonly messages: string | null
}

/** Rows of packed results that are read at once: most pages lie in the first of each provider. */
const PACKED_ROWS = 4

const byRecipient = (a: Delivery, b: Delivery): number =>
  a.recipientId < b.recipientId ? -1 : a.recipientId > b.recipientId ? 1 : 0

/** Devices and channels of one person: more than these nobody has. */
const RECIPIENTS_OF_ONE = 1000

interface Recipient {
  readonly id: string
}

/** All that can be a recipient of a person's. */
const recipientsOf = (sql: SqlClient.SqlClient, appId: AppId, userId: string) =>
  Effect.map(
    sql<Recipient>`
      SELECT id FROM devices WHERE app_id = ${appId} AND user_id = ${userId}
      UNION ALL SELECT c.id FROM contacts p JOIN channels c ON c.contact_id = p.id AND c.app_id = p.app_id
        WHERE p.app_id = ${appId} AND p.external_id = ${userId}
      LIMIT ${RECIPIENTS_OF_ONE}`,
    (rows) => new Set(rows.map(({ id }) => id))
  )

interface Report {
  readonly recipient_id: string
  readonly type: "d" | "o" | "c"
  readonly at: Date
}

/** Adds what was reported of the deliveries of a page. */
const followed = (sql: SqlClient.SqlClient, id: NotificationId, page: ReadonlyArray<Delivery>) =>
  Effect.map(
    sql<Report>`
      SELECT e.recipient_id, e.type, e.at FROM unnest(${uuids(page.map(({ recipientId }) => recipientId))}) AS t (id)
      CROSS JOIN LATERAL (
        SELECT recipient_id, type, at FROM engagements WHERE notification_id = ${id} AND recipient_id = t.id OFFSET 0
      ) AS e`,
    (reports): ReadonlyArray<FollowedDelivery> => {
      const moments = new Map(reports.map(({ at, recipient_id, type }) => [`${recipient_id} ${type}`, at.getTime()]))
      const when = ({ recipientId }: Delivery, type: Report["type"]): number | null =>
        moments.get(`${recipientId} ${type}`) ?? null
      return page.map((one) => ({
        ...one,
        deliveredAt: when(one, "d"),
        openedAt: when(one, "o"),
        clickedAt: when(one, "c")
      }))
    }
  )

interface OutcomeRow {
  readonly provider: string
  readonly status: string
  readonly error: string | null
  readonly count: number
}

/** How many recipients ended alike, out of rows and packed results. */
export const outcomesOf = (sql: SqlClient.SqlClient) => (appId: AppId, id: NotificationId) =>
  Effect.map(
    sql<OutcomeRow>`
      SELECT provider, status, error, sum(count)::integer AS count FROM (
        SELECT provider, status, error, count(*) AS count FROM deliveries WHERE notification_id = ${id} GROUP BY 1, 2, 3
        UNION ALL
        SELECT provider, status, error, sum(size) FROM packed_deliveries WHERE notification_id = ${id} GROUP BY 1, 2, 3
      ) ended
      WHERE EXISTS (SELECT 1 FROM notifications WHERE id = ${id} AND app_id = ${appId})
      GROUP BY 1, 2, 3 ORDER BY count DESC, 1, 2, 3`,
    (rows): ReadonlyArray<Outcome> =>
      rows.map(({ count, error, provider, status }) => ({
        provider: providerOfCode(provider),
        status: statusOfCode(status),
        error,
        count
      }))
  )

interface RetryRow {
  readonly provider: ProviderKind
  readonly error: string | null
  readonly attempts: number
  readonly recipients: number
  readonly next_at: Date | null
}

/** Kinds of retries that are shown, at most. */
const RETRIES = 100

/**
 * What waits for another attempt, or for its credential, whether it was tried with that one or came later: looked up by the
 * batches of the notification that are not done.
 */
export const retriesOf = (sql: SqlClient.SqlClient) => (appId: AppId, id: NotificationId) =>
  Effect.map(
    sql<RetryRow>`
      SELECT provider, error, max(attempts)::integer AS attempts, sum(size)::integer AS recipients,
        CASE WHEN NOT bool_or(suspended) THEN min(due_at) END AS next_at
      FROM (
        SELECT b.provider, b.attempts, b.suspended OR c.suspended_reason IS NOT NULL AS suspended, b.due_at,
          cardinality(b.recipients) AS size, coalesce(c.suspended_reason, b.reason) AS error
        FROM batches b LEFT JOIN LATERAL (
          SELECT suspended_reason FROM credentials WHERE app_id = b.app_id AND kind = b.provider OFFSET 0
        ) AS c ON true
        WHERE b.notification_id = ${id} AND NOT b.done
          AND (b.attempts > 0 OR b.suspended OR b.slowed OR b.reason IS NOT NULL OR c.suspended_reason IS NOT NULL)
      ) AS waiting
      WHERE EXISTS (SELECT 1 FROM notifications WHERE id = ${id} AND app_id = ${appId})
      GROUP BY provider, error ORDER BY recipients DESC, provider, error LIMIT ${RETRIES}`,
    (rows): ReadonlyArray<Retry> =>
      rows.map(({ next_at, ...row }) => ({ ...row, nextAt: next_at === null ? null : next_at.getTime() }))
  )

/** A page of those whose recipients come after `after`; `next` is the last recipient of the page. */
export const deliveriesOf = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    appId: AppId,
    id: NotificationId,
    after: string | null,
    limit: number,
    { error, recipientId, status, userId }: DeliveryFilter = {}
  ) {
    const ofOne = recipientId === undefined ? null : new Set([recipientId])
    const wanted = userId === undefined ? ofOne : yield* recipientsOf(sql, appId, userId)
    const ids = wanted === null ? [] : [...wanted]
    if (wanted?.size === 0) return { items: [], next: null } as Page<FollowedDelivery>
    const idOf = deliveryIdsOf(id)
    const make = (row: Common, recipientId: string, messageId: string | null): Delivery => ({
      id: idOf(recipientId),
      notificationId: id,
      recipientId,
      provider: providerOfCode(row.provider),
      status: statusOfCode(row.status),
      messageId,
      error: row.error,
      attempts: row.attempts,
      at: row.at.getTime()
    })
    const isTheirs = sql`notification_id = ${id}
      AND EXISTS (SELECT 1 FROM notifications WHERE id = ${id} AND app_id = ${appId})`
    const fits = [
      ...(status === undefined ? [] : [sql`status = ${statusCode[status]}`]),
      ...(error === undefined ? [] : [sql`error = ${error}`])
    ]

    const rows = yield* sql<Row>`
      SELECT recipient_id, at, provider, status, attempts, message_id, error FROM deliveries WHERE ${sql.and([
        isTheirs,
        ...fits,
        ...(wanted === null ? [] : [sql`recipient_id = ANY(${uuids(ids)})`]),
        ...(after === null ? [] : [sql`recipient_id > ${after}`])
      ])} ORDER BY recipient_id LIMIT ${limit + 1}`
    let found = rows.map((row) => make(row, row.recipient_id, row.message_id))

    for (let from: PackedRow | undefined; ;) {
      const packed: ReadonlyArray<PackedRow> = yield* sql<PackedRow>`
        SELECT first_id, last_id, at, provider, status, attempts, recipients, messages, error
        FROM packed_deliveries WHERE ${sql.and([
          isTheirs,
          ...fits,
          ...(wanted === null ? [] : [sql`recipients && ${uuids(ids)}`]),
          ...(after === null ? [] : [sql`last_id > ${after}`]),
          ...(from === undefined ? [] : [sql`(first_id, last_id) > (${from.first_id}, ${from.last_id})`])
        ])} ORDER BY first_id, last_id LIMIT ${PACKED_ROWS}`
      for (const alike of packed) {
        const messageOf = readMessages(id, alike.recipients, alike.messages)
        alike.recipients.forEach((recipient, i) => {
          if ((after === null || recipient > after) && (wanted?.has(recipient) ?? true))
            found.push(make(alike, recipient, messageOf(i)))
        })
      }
      // Whoever was replayed between the two reads is in both: packed results, which were read later, come behind rows.
      found = found
        .sort(byRecipient)
        .filter(({ recipientId }, i) => found[i + 1]?.recipientId !== recipientId)
        .slice(0, limit + 1)
      from = packed.at(-1)
      const end = found[limit]
      if (packed.length < PACKED_ROWS || (end !== undefined && end.recipientId <= from!.first_id)) break
    }
    const page: Page<FollowedDelivery> = {
      items: yield* followed(sql, id, found.slice(0, limit)),
      next: found.length > limit ? found[limit - 1]!.recipientId : null
    }
    return page
  })
