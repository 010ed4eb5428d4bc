import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId, ChannelId, ContactId, NotificationId } from "../../../services/domain/Ids.ts"
import { texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { formerKey } from "./addresses.ts"

/*
 * Erasures of people, as long as a notification that was accepted before may still be planned: docs/decisions/0062. All
 * times are the database's, so that an accept and an erasure have an order whatever the clocks of the nodes say.
 */

type Sql = SqlClient.SqlClient

/** A person's name among those who were erased, of a row `p` of contacts. */
const PERSON = "sha256(convert_to(p.app_id::text || ':' || p.external_id, 'UTF8'))"
/** The same of one of their e-mail addresses, of a row `c` of channels. */
const ADDRESS = "sha256(convert_to(c.app_id::text || '@' || c.address_key, 'UTF8'))"
/** As nodes of the release before name it, of a row `t` beside it: they note erasures so, and look for them. */
const FORMER_ADDRESS = "sha256(convert_to(c.app_id::text || '@' || t.former, 'UTF8'))"

/** Notes that a contact is erased now, with its addresses. Run in the transaction that does so, after its row was locked. */
export const noteErasure = Effect.fnUntraced(function* (sql: Sql, appId: AppId, id: ContactId) {
  const channels = yield* sql<{ readonly address: string; readonly key: string }>`
    SELECT c.address, c.address_key AS key FROM channels c
    WHERE c.contact_id = ${id} AND ${ofRows(sql, sql`c.app_id = ${appId} AND c.kind = 'email'`)}`
  const keys = new Set(channels.flatMap(({ address, key }) => [key, formerKey(address)]))
  yield* sql`
    INSERT INTO erased_people (app_id, person, erased_at)
    SELECT ${appId}::uuid, names.person, clock_timestamp() FROM (
      SELECT ${sql.literal(PERSON)} AS person FROM contacts p WHERE p.app_id = ${appId} AND p.id = ${id}
      UNION ALL
      SELECT ${sql.literal(ADDRESS)} FROM (SELECT ${appId}::uuid, * FROM unnest(${texts([...keys])})) AS c (app_id, address_key)
    ) AS names ORDER BY names.person
    ON CONFLICT (app_id, person) DO UPDATE SET erased_at = excluded.erased_at`
})

/**
 * Whether who is named by a row was erased after the notification was accepted. Looked up for each row, and not joined: a
 * plan that was made while nobody was erased would begin with all who are.
 */
const wasErased = (sql: Sql, row: "p" | "c", name: string, notification: NotificationId) => sql`coalesce((
      SELECT e.erased_at >= (SELECT n.created_at FROM notifications n WHERE n.id = ${notification})
      FROM erased_people e WHERE e.app_id = ${sql.literal(row)}.app_id AND e.person = ${sql.literal(name)}
    ), false)`

/**
 * Removes those of `made` again, contacts that the same transaction has made, who were erased after the notification was
 * accepted. Answers their ids. Asked after they were made: from then on nobody else can erase them, so none is missed.
 */
export const unmakeErased = (
  sql: Sql,
  appId: AppId,
  made: ReadonlyArray<ContactId>,
  notification: NotificationId
): Effect.Effect<ReadonlySet<ContactId>, SqlError> =>
  Effect.map(
    sql<{ readonly id: ContactId }>`
      DELETE FROM contacts p WHERE p.id = ANY(${uuids(made)}) AND ${ofRows(sql, sql`p.app_id = ${appId}`)}
        AND ${wasErased(sql, "p", PERSON, notification)}
      RETURNING p.id`,
    (rows) => new Set(rows.map(({ id }) => id))
  )

/** The same for e-mail channels that the transaction has made: who was erased is not written to by address either. */
export const unmakeErasedAddresses = (
  sql: Sql,
  appId: AppId,
  made: { readonly ids: ReadonlyArray<ChannelId>; readonly former: ReadonlyArray<string> },
  notification: NotificationId
) => sql`
  DELETE FROM channels c
  USING (SELECT ${appId}::uuid, * FROM unnest(${uuids(made.ids)}, ${texts(made.former)}) OFFSET 0) AS t (app_id, id, former)
  WHERE c.app_id = ANY(ARRAY[t.app_id]) AND c.id = t.id
    AND (${wasErased(sql, "c", ADDRESS, notification)} OR ${wasErased(sql, "c", FORMER_ADDRESS, notification)})`

/** Erasures before `cutoff` that are older than any notification that may still be planned, up to `limit` of them. */
export const forgetErasures = (sql: Sql, cutoff: Date, limit: number) => sql`
  DELETE FROM erased_people WHERE (app_id, person) IN (
    SELECT e.app_id, e.person FROM erased_people e
    WHERE e.erased_at < ${cutoff} AND NOT EXISTS (
      -- A plan that is done is made anew by a PATCH, as long as the notification has not begun.
      SELECT FROM notifications n WHERE n.app_id = e.app_id AND n.created_at <= e.erased_at
        AND (NOT n.plan_done OR (n.plan_done AND n.completed_at IS NULL))
    )
    LIMIT ${limit} FOR UPDATE OF e SKIP LOCKED
  ) RETURNING 1 AS one`
