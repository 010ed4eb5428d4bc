import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, ContactId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { unmakeErased } from "../audience/erasures.ts"

interface Owner {
  readonly id: ContactId
  readonly userId: string
  readonly noInbox: boolean
}

/**
 * The channels of inboxes: a row for each contact, made when it is first asked for. What makes them the same channel is
 * the contact's id, in the place where e-mail has the address.
 */
export const inboxChannels = (sql: SqlClient.SqlClient) => {
  /** The contacts of users, made where there are none, in the order in which everybody locks contacts. */
  const ensureContacts = Effect.fnUntraced(function* (appId: AppId, userIds: ReadonlyArray<string>) {
    const users = [...new Set(userIds)].sort()
    const drafts = users.map(() => uuidv7())
    const rows = yield* sql<Owner>`
      INSERT INTO contacts (id, app_id, external_id)
      SELECT t.id, ${PgTypes.uuid(appId)}, t.external_id
      FROM unnest(${uuids(drafts)}, ${texts(users)}) WITH ORDINALITY AS t (id, external_id, place)
      ORDER BY t.place
      ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id
      RETURNING id, external_id AS "userId", no_inbox AS "noInbox"`
    const made = new Set<string>(drafts)
    return rows.map((row) => ({ ...row, isMade: made.has(row.id) }))
  })

  /**
   * The same for a notification, without those who were erased after it was accepted and have not been made again since:
   * it does not bring them back.
   */
  const contactsOf = Effect.fnUntraced(function* (
    appId: AppId,
    userIds: ReadonlyArray<string>,
    notification: NotificationId
  ) {
    const known = yield* sql<Owner>`
      SELECT p.id, t.user_id AS "userId", p.no_inbox AS "noInbox" FROM unnest(${texts(userIds)}) AS t (user_id)
      CROSS JOIN LATERAL (
        SELECT id, no_inbox FROM contacts WHERE app_id = ${appId} AND external_id = t.user_id OFFSET 0
      ) AS p`
    const there = new Set(known.map(({ userId }) => userId))
    const missing = userIds.filter((userId) => !there.has(userId))
    return missing.length === 0 ? known : [...known, ...(yield* makeUnlessErased(appId, missing, notification))]
  })

  const makeUnlessErased = Effect.fnUntraced(function* (
    appId: AppId,
    userIds: ReadonlyArray<string>,
    notification: NotificationId
  ) {
    const people = yield* ensureContacts(appId, userIds)
    const made = people.flatMap(({ id, isMade }) => (isMade ? [id] : []))
    const erased = yield* unmakeErased(sql, appId, made, notification)
    return people.filter(({ id }) => !erased.has(id))
  }, sql.withTransaction)

  const find = (appId: AppId, contactIds: ReadonlyArray<string>) =>
    sql<{ readonly id: string; readonly key: string }>`
      SELECT c.id, t.key FROM unnest(${texts(contactIds)}) AS t (key) CROSS JOIN LATERAL (
        SELECT id FROM channels WHERE app_id = ${appId} AND kind = 'inbox' AND address_key = t.key OFFSET 0
      ) AS c`

  /**
   * The inbox channel of each contact, those that are missing being made. In two steps: an insert that does nothing
   * answers nothing. A contact that is deleted meanwhile has none.
   */
  const inboxesOf = Effect.fnUntraced(function* (appId: AppId, contactIds: ReadonlyArray<string>) {
    if (contactIds.length === 0) return []
    const known = yield* find(appId, contactIds)
    if (known.length === contactIds.length) return known.map(({ id }) => id)
    const keys = new Set(known.map(({ key }) => key))
    const missing = contactIds.filter((id) => !keys.has(id))
    yield* sql`
      INSERT INTO channels (app_id, id, contact_id, kind, address_key, status)
      SELECT p.app_id, t.id, p.id, 'inbox', p.id::text, CASE WHEN p.no_inbox THEN 'unsubscribed' ELSE 'active' END
      FROM unnest(${uuids(missing.map(() => uuidv7()))}, ${uuids(missing)}) AS t (id, contact_id)
      JOIN contacts p ON p.id = ANY(ARRAY[t.contact_id]) AND ${ofRows(sql, sql`p.app_id = ${appId}`)}
      ORDER BY p.external_id COLLATE "C" FOR KEY SHARE OF p
      ON CONFLICT (app_id, kind, address_key) DO NOTHING`
    return [...known, ...(yield* find(appId, missing))].map(({ id }) => id)
  })

  return { contactsOf, ensureContacts, inboxesOf }
}
