import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, ContactId } from "../../services/domain/Ids.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import { texts, uuids } from "./columns.ts"

/**
 * The channels of inboxes: a row for each contact, made when it is first asked for. What makes them the same channel is
 * the contact's id, in the place where e-mail has the address.
 */
export const inboxChannels = (sql: SqlClient.SqlClient) => {
  /** The contacts of users, made where there are none, in the order in which everybody locks contacts. */
  const ensureContacts = Effect.fnUntraced(function* (appId: AppId, userIds: ReadonlyArray<string>) {
    const users = [...new Set(userIds)].sort()
    return yield* sql<{ readonly id: ContactId; readonly userId: string; readonly noInbox: boolean }>`
      INSERT INTO contacts (id, app_id, external_id)
      SELECT t.id, ${PgTypes.uuid(appId)}, t.external_id
      FROM unnest(${uuids(users.map(() => uuidv7()))}, ${texts(users)}) WITH ORDINALITY AS t (id, external_id, place)
      ORDER BY t.place
      ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id
      RETURNING id, external_id AS "userId", no_inbox AS "noInbox"`
  })

  const find = (appId: AppId, contactIds: ReadonlyArray<string>) =>
    sql<{ readonly id: string; readonly key: string }>`
      SELECT id, address_key AS key FROM channels
      WHERE app_id = ${appId} AND kind = 'inbox' AND address_key = ANY(${texts(contactIds)})`

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
      JOIN contacts p ON p.id = t.contact_id AND p.app_id = ${appId}
      ORDER BY p.external_id COLLATE "C" FOR KEY SHARE OF p
      ON CONFLICT (app_id, kind, address_key) DO NOTHING`
    return [...known, ...(yield* find(appId, missing))].map(({ id }) => id)
  })

  return { ensureContacts, inboxesOf }
}
