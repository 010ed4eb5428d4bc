import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { UpsertContact } from "../../../services/domain/audience/Contact.ts"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { storedZone } from "../../../services/domain/ZoneNames.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { addressKey } from "./addresses.ts"
import { booleans, textArrayText, texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { tagsBetween } from "./tagsBetween.ts"

/*
 * Contacts, and the e-mail channels that follow them, in a few statements for any number. To be run in a transaction.
 * Everybody who writes both locks contacts in the order of external ids first, then channels in the order of their
 * addresses, so that no two can wait for each other.
 */

type Sql = SqlClient.SqlClient

/** A row to be written: the lines of one external id, each laid over the one before it. */
interface Line {
  readonly draft: ContactId
  contact: UpsertContact
}

interface Kept {
  readonly id: ContactId
  readonly external_id: string
  readonly email_key: string | null
  readonly no_email: boolean
}

const byKey = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const writeContacts = (sql: Sql) => {
  const writeEmails = emails(sql)
  const noteTagsBetween = tagsBetween(sql)
  return Effect.fnUntraced(function* (appId: AppId, contacts: ReadonlyArray<UpsertContact>) {
    const lines = new Map<string, Line>()
    for (const contact of contacts) {
      const line = lines.get(contact.external_id)
      if (line === undefined) lines.set(contact.external_id, { draft: uuidv7() as ContactId, contact })
      else line.contact = { ...line.contact, ...contact }
    }
    const ordered = [...lines.values()].sort((a, b) => byKey(a.contact.external_id, b.contact.external_id))
    // The update that changes nothing is there for its RETURNING, and its lock.
    const rows = yield* sql<Kept>`
      INSERT INTO contacts (id, app_id, external_id)
      SELECT t.id, ${PgTypes.uuid(appId)}, t.external_id
      FROM unnest(${uuids(ordered.map(({ draft }) => draft))},
        ${texts(ordered.map(({ contact }) => contact.external_id))}) WITH ORDINALITY AS t (id, external_id, place)
      ORDER BY t.place
      ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id
      RETURNING id, external_id, email_key, no_email`
    const kept = new Map(rows.map((row) => [row.external_id, row]))
    const changes = ordered.map(({ contact }) => ({ contact, row: kept.get(contact.external_id)! }))
    if (lines.size < contacts.length) {
      yield* noteTagsBetween(appId, contacts, (externalId) => kept.get(externalId)!.id)
    }
    yield* sql`
      UPDATE contacts p SET
        attributes = coalesce(t.attributes::json, p.attributes),
        tags = coalesce(t.tags::text[], p.tags),
        locale = CASE WHEN t.has_locale THEN t.locale ELSE p.locale END,
        timezone = CASE WHEN t.has_timezone THEN t.timezone ELSE p.timezone END,
        email_key = CASE WHEN t.has_email THEN t.email_key ELSE p.email_key END,
        updated_at = CASE WHEN p.attributes::jsonb IS DISTINCT FROM coalesce(t.attributes::jsonb, p.attributes::jsonb)
          OR p.tags IS DISTINCT FROM coalesce(t.tags::text[], p.tags)
          OR t.has_locale AND p.locale IS DISTINCT FROM t.locale
          OR t.has_timezone AND p.timezone IS DISTINCT FROM t.timezone
          OR t.has_email AND (p.email_key IS DISTINCT FROM t.email_key OR t.email IS DISTINCT FROM (
            SELECT c.address FROM channels c WHERE c.app_id = p.app_id AND c.kind = 'email' AND c.address_key = p.email_key
          )) THEN now() ELSE p.updated_at END
      FROM unnest(${uuids(changes.map(({ row }) => row.id))},
        ${texts(changes.map(({ contact: { attributes } }) => (attributes === undefined ? null : JSON.stringify(attributes))))},
        ${texts(changes.map(({ contact: { tags } }) => (tags === undefined ? null : textArrayText([...new Set(tags)]))))},
        ${booleans(changes.map(({ contact }) => contact.locale !== undefined))},
        ${texts(changes.map(({ contact }) => contact.locale ?? null))},
        ${booleans(changes.map(({ contact }) => contact.timezone !== undefined))},
        ${texts(changes.map(({ contact }) => storedZone(contact.timezone)))},
        ${booleans(changes.map(({ contact }) => contact.email !== undefined))},
        ${texts(changes.map(({ contact: { email } }) => (typeof email === "string" ? addressKey(email) : null)))},
        ${texts(changes.map(({ contact: { email } }) => email ?? null))}
      ) AS t (id, attributes, tags, has_locale, locale, has_timezone, timezone, has_email, email_key, email)
      WHERE p.id = ANY(ARRAY[t.id])`
    // In the order of the lines: an address that several claim goes from one to the next.
    yield* writeEmails(
      appId,
      contacts.flatMap(({ email, external_id }) => (email === undefined ? [] : { email, row: kept.get(external_id)! }))
    )
    const created = new Set(ordered.map(({ draft }) => draft))
    return contacts.map(({ external_id }) => {
      const { id } = kept.get(external_id)!
      // Of several lines with one id, the first has created it.
      return { id, created: created.delete(id) }
    })
  })
}

interface EmailChange {
  readonly email: string | null
  readonly row: Kept
}

/** What changes come to, one after the other. */
const outcomeOf = (changes: ReadonlyArray<EmailChange>) => {
  /** The last address and owner of each key; `isUnwanted`: one who had it on the way has unsubscribed from e-mail. */
  const given = new Map<string, { readonly email: string; readonly row: Kept; readonly isUnwanted: boolean }>()
  const replaced: Array<{ readonly contact: string; readonly key: string }> = []
  const cleared = new Set<ContactId>()
  /** Had by somebody on the way, and nobody's at the end. */
  const left = new Set<string>()
  const keys = new Map<ContactId, string | null>()
  for (const { email, row } of changes) {
    const key = email === null ? null : addressKey(email)
    const before = keys.get(row.id)
    if (typeof before === "string" && before !== key && given.get(before)?.row.id === row.id) {
      given.delete(before)
      left.add(before)
    }
    keys.set(row.id, key)
    if (email === null || key === null) {
      cleared.add(row.id)
      continue
    }
    if (before === undefined && row.email_key !== null && row.email_key !== key) {
      replaced.push({ contact: row.id, key: row.email_key })
    }
    given.set(key, { email, row, isUnwanted: row.no_email || given.get(key)?.isUnwanted === true })
    left.delete(key)
  }
  return { given, replaced, cleared: uuids([...cleared]), left: [...left] }
}

/** Gives contacts their addresses, or takes them away: one after the other, as if each change came by itself. */
const emails = (sql: Sql) =>
  Effect.fnUntraced(function* (appId: AppId, changes: ReadonlyArray<EmailChange>) {
    if (changes.length === 0) return
    const { given, replaced, cleared, left } = outcomeOf(changes)
    const keys = [...given.keys(), ...left, ...replaced.map(({ key }) => key)]
    // Looked up for each of `t`, and not joined: see ofRows.ts.
    const emailByKey = sql`SELECT id, status, contact_id FROM channels
          WHERE app_id = ${appId} AND kind = 'email' AND address_key = t.key OFFSET 0`
    const emailByContact = sql`SELECT id, status FROM channels
          WHERE contact_id = t.contact_id AND ${ofRows(sql, sql`app_id = ${appId} AND kind = 'email'`)} OFFSET 0`
    yield* sql`
      SELECT 1 FROM (
        SELECT DISTINCT ${appId}::uuid AS app_id, id FROM (
          SELECT c.id FROM unnest(${texts(keys)}) AS t (key) CROSS JOIN LATERAL (${emailByKey}) AS c
          UNION ALL
          SELECT c.id FROM unnest(${cleared}) AS t (contact_id) CROSS JOIN LATERAL (${emailByContact}) AS c
        ) AS found OFFSET 0
      ) AS t JOIN channels c ON c.app_id = ANY(ARRAY[t.app_id]) AND c.id = t.id
      ORDER BY c.address_key || '' FOR UPDATE OF c`
    yield* sql`
      WITH old AS (
        SELECT ${appId}::uuid AS app_id, c.id, c.status FROM unnest(${uuids(replaced.map(({ contact }) => contact))},
          ${texts(replaced.map(({ key }) => key))}) AS t (contact_id, key)
        CROSS JOIN LATERAL (${emailByKey}) AS c WHERE c.contact_id = t.contact_id
        UNION ALL
        SELECT ${appId}::uuid, c.id, c.status FROM unnest(${texts(left)}) AS t (key) CROSS JOIN LATERAL (${emailByKey}) AS c
        UNION ALL
        SELECT ${appId}::uuid, c.id, c.status FROM unnest(${cleared}) AS t (contact_id) CROSS JOIN LATERAL (${emailByContact}) AS c
      ), gone AS (
        DELETE FROM channels c USING old
        WHERE c.app_id = ANY(ARRAY[old.app_id]) AND c.id = old.id AND old.status = 'active'
      )
      UPDATE channels c SET contact_id = NULL FROM old
      WHERE c.app_id = ANY(ARRAY[old.app_id]) AND c.id = old.id AND old.status <> 'active'`
    const ordered = [...given].sort(([a], [b]) => byKey(a, b))
    yield* sql`
      INSERT INTO channels AS c (app_id, id, contact_id, kind, address, address_key, status)
      SELECT ${PgTypes.uuid(appId)}, t.id, t.contact_id, 'email', t.address, t.key,
        CASE WHEN t.is_unwanted THEN 'unsubscribed' ELSE 'active' END
      FROM unnest(${uuids(ordered.map(() => uuidv7()))}, ${uuids(ordered.map(([, { row }]) => row.id))},
        ${texts(ordered.map(([, { email }]) => email))}, ${texts(ordered.map(([key]) => key))},
        ${booleans(ordered.map(([, { isUnwanted }]) => isUnwanted))}
      ) WITH ORDINALITY AS t (id, contact_id, address, key, is_unwanted, place)
      ORDER BY t.place
      ON CONFLICT (app_id, kind, address_key) DO UPDATE SET contact_id = excluded.contact_id,
        address = excluded.address, status = CASE WHEN c.status = 'active' THEN excluded.status ELSE c.status END`
  })
