import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Person } from "../../../services/domain/messages/Template.ts"
import { rowsOf } from "../server/ofRows.ts"

/*
 * Recipients with what templates may say of them, read together with their addresses: one column more, as JSON. Nothing is
 * null in it but a locale: what is not known is not there.
 */

type Sql = SqlClient.SqlClient

const contact = (sql: Sql, email: Fragment): Fragment => sql`
  json_strip_nulls(json_build_object('external_id', p.external_id, 'locale', p.locale, 'timezone', p.timezone,
    'email', ${email}, 'tags', p.tags, 'attributes', coalesce(p.attributes, '{}')))`

const emailOf = (sql: Sql): Fragment => sql`(
  SELECT m.address FROM channels m WHERE m.contact_id = p.id AND m.kind = 'email'
  ORDER BY m.address_key IS DISTINCT FROM p.email_key, m.id LIMIT 1)`

const person = (sql: Sql, device: Fragment, email: Fragment): Fragment =>
  sql`json_build_object('locale', p.locale, 'device', ${device}, 'contact', ${contact(sql, email)}) AS person`

const PLATFORMS = { apns: "ios", fcm: "android", webpush: "web" } as const

/** Rows as those of targets, with the person behind them. */
export const peopleOf = (sql: Sql, appId: AppId, provider: ProviderKind, ids: ReadonlyArray<string>) => {
  if (provider === "smtp") {
    return sql`
      SELECT c.id, c.address, c.created_at, NULL AS environment, NULL AS p256dh, NULL AS auth,
        ${person(sql, sql`'{}'::json`, sql`c.address`)}
      FROM ${rowsOf(sql, "channels", appId, ids)} AS c
      LEFT JOIN LATERAL (SELECT * FROM contacts WHERE id = c.contact_id OFFSET 0) AS p ON true
      WHERE c.kind = 'email' AND c.status = 'active'`.values
  }
  if (provider === "inbox") {
    return sql`
      SELECT c.id, p.external_id, c.created_at, NULL AS environment, NULL AS p256dh, NULL AS auth,
        ${person(sql, sql`'{}'::json`, emailOf(sql))}
      FROM ${rowsOf(sql, "channels", appId, ids)} AS c
      CROSS JOIN LATERAL (SELECT * FROM contacts WHERE id = c.contact_id OFFSET 0) AS p
      WHERE c.kind = 'inbox' AND NOT p.no_inbox`.values
  }
  const device = sql`json_strip_nulls(json_build_object('id', d.id, 'platform', d.platform, 'user_id', d.user_id,
    'timezone', d.timezone, 'tags', d.tags, 'metadata', d.metadata))`
  return sql`
    SELECT d.id, d.token, d.last_seen_at, d.environment, d.p256dh, d.auth, ${person(sql, device, emailOf(sql))}
    FROM ${rowsOf(sql, "devices", appId, ids)} AS d LEFT JOIN LATERAL (
      SELECT * FROM contacts WHERE app_id = d.app_id AND external_id = d.user_id OFFSET 0
    ) AS p ON true
    WHERE d.active AND d.platform = ${PLATFORMS[provider]}
      AND p.no_push IS NOT true`.values
}

/** A contact as whoever reads an inbox. */
export const readerOf = (sql: Sql, contactId: string) =>
  sql<{ readonly person: Person }>`
    SELECT ${person(sql, sql`'{}'::json`, emailOf(sql))} FROM contacts p WHERE p.id = ${contactId}`
