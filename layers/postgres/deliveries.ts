import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Delivery } from "../../services/domain/Delivery.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import { deliveryIdsOf } from "../../services/domain/Ids.ts"
import type { Page } from "../../services/ports/DeviceStore.ts"
import { providerOfLetter, statusOfLetter } from "./letters.ts"
import { readMessages } from "./packs.ts"

/*
 * A notification's deliveries in the order of recipients, out of rows and packs. Packs overlap: those of several
 * providers, of a batch's chunks, of retries. They are read in the order of their first recipients, until all that follow
 * begin behind the page.
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

interface PackRow extends Common {
  readonly first_id: string
  readonly last_id: string
  readonly recipients: ReadonlyArray<string>
  readonly messages: string | null
}

/** Packs that are read at once: most pages lie in the first of each provider. */
const PACKS = 4

const byRecipient = (a: Delivery, b: Delivery): number =>
  a.recipientId < b.recipientId ? -1 : a.recipientId > b.recipientId ? 1 : 0

/** A page of those whose recipients come after `after`; `next` is the last recipient of the page. */
export const deliveriesOf = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (appId: AppId, id: NotificationId, after: string | null, limit: number) {
    const idOf = deliveryIdsOf(id)
    const make = (row: Common, recipientId: string, messageId: string | null): Delivery => ({
      id: idOf(recipientId),
      notificationId: id,
      recipientId,
      provider: providerOfLetter(row.provider),
      status: statusOfLetter(row.status),
      messageId,
      error: row.error,
      attempts: row.attempts,
      at: row.at.getTime()
    })
    const isTheirs = sql`notification_id = ${id}
      AND EXISTS (SELECT 1 FROM notifications WHERE id = ${id} AND app_id = ${appId})`

    const rows = yield* sql<Row>`
      SELECT recipient_id, at, provider, status, attempts, message_id, error FROM deliveries WHERE ${sql.and([
        isTheirs,
        ...(after === null ? [] : [sql`recipient_id > ${after}`])
      ])} ORDER BY recipient_id LIMIT ${limit + 1}`
    let found = rows.map((row) => make(row, row.recipient_id, row.message_id))

    for (let from: PackRow | undefined; ;) {
      const packs: ReadonlyArray<PackRow> = yield* sql<PackRow>`
        SELECT first_id, last_id, at, provider, status, attempts, recipients, messages, error
        FROM delivery_packs WHERE ${sql.and([
          isTheirs,
          ...(after === null ? [] : [sql`last_id > ${after}`]),
          ...(from === undefined ? [] : [sql`(first_id, last_id) > (${from.first_id}, ${from.last_id})`])
        ])} ORDER BY first_id, last_id LIMIT ${PACKS}`
      for (const pack of packs) {
        const messageOf = readMessages(id, pack.recipients, pack.messages)
        pack.recipients.forEach((recipient, i) => {
          if (after === null || recipient > after) found.push(make(pack, recipient, messageOf(i)))
        })
      }
      // Whoever was replayed between the two reads is in both: packs, which were read later, come behind rows.
      found = found
        .sort(byRecipient)
        .filter(({ recipientId }, i) => found[i + 1]?.recipientId !== recipientId)
        .slice(0, limit + 1)
      from = packs.at(-1)
      const end = found[limit]
      if (packs.length < PACKS || (end !== undefined && end.recipientId <= from!.first_id)) break
    }
    const page: Page<Delivery> = {
      items: found.slice(0, limit),
      next: found.length > limit ? found[limit - 1]!.recipientId : null
    }
    return page
  })
