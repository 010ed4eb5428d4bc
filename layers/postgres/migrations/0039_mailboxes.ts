import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { asciiDomain } from "../../../services/domain/audience/EmailAddress.ts"

const DOMAINS = "heliograph.ascii_domains"

/** PostgreSQL does not know how a domain is written in ASCII: leaves that of each that is there to the transaction. */
export const asciiDomains = (sql: PgClient.PgClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const rows = yield* sql<{ readonly domain: string }>`
      SELECT DISTINCT substr(written, strpos(written, '@') + 1) AS domain FROM (
        SELECT unnest(ARRAY[address, address_key]) AS written FROM channels
        WHERE kind = 'email' AND octet_length(address_key) <> length(address_key)
        UNION ALL
        SELECT email_key FROM contacts WHERE octet_length(email_key) <> length(email_key)
      ) AS addresses
      WHERE octet_length(substr(written, strpos(written, '@'))) <> length(substr(written, strpos(written, '@')))`
    const known = rows.flatMap(({ domain }) => {
      const ascii = asciiDomain(domain)
      return ascii === null ? [] : [[domain, ascii] as const]
    })
    yield* sql`SELECT set_config(${DOMAINS}, ${JSON.stringify(Object.fromEntries(known))}, true)`
  })

/**
 * Channels and contacts get the key of now (audience/addresses.ts), by which a mailbox has one channel of an application,
 * however its domain is written. Of several that it had, one stays:
 *
 * - that which has the key already, else one that belongs to a contact, else the one made last;
 * - suppressed if one of them was, else unsubscribed if one of them was: who has unsubscribed by one spelling gets no mail;
 * - of the contact that was given such an address last, as when it is given anew.
 *
 * The others are set aside and not removed: mails that were sent hold their ids in links to unsubscribe, and so do
 * deliveries. They get no mail (`same_mailbox`), are found by no address, and go with the same contact when it is erased.
 *
 * Nodes of the release before go on to write keys of their time: what they make while they last is a channel beside, as
 * ever. The release after this one gives such channels their keys, as is done here.
 */
export const mailboxes = `
DO $body$
DECLARE
  unsubscribed uuid[];
BEGIN
  -- The key of now for one of before, where the domain was there when this ran.
  EXECUTE format($make$
    CREATE FUNCTION mailbox_key(former text) RETURNS text LANGUAGE sql IMMUTABLE AS $key$
      SELECT left(former, strpos(former, '@')) || coalesce(
        %L::jsonb ->> substr(former, strpos(former, '@') + 1), substr(former, strpos(former, '@') + 1)
      )
    $key$
  $make$, current_setting('${DOMAINS}'));

  -- First, while channels can be found by the keys of before. An address says more of its domain than a key: of a capital
  -- sigma at the end of a word, the one makes another letter than DNS does.
  UPDATE contacts p SET email_key = coalesce((
    SELECT mailbox_key(left(c.address_key, strpos(c.address_key, '@')) || substr(c.address, strpos(c.address, '@') + 1))
    FROM channels c WHERE c.address_key = p.email_key AND c.app_id = p.app_id AND c.kind = 'email'
  ), mailbox_key(p.email_key))
  WHERE octet_length(p.email_key) <> length(p.email_key) AND mailbox_key(p.email_key) <> p.email_key;

  WITH former AS MATERIALIZED (
    SELECT c.app_id, c.id,
      mailbox_key(left(c.address_key, strpos(c.address_key, '@')) || substr(c.address, strpos(c.address, '@') + 1)) AS key
    FROM channels c WHERE c.kind = 'email' AND octet_length(c.address_key) <> length(c.address_key)
      AND mailbox_key(c.address_key) <> c.address_key
  ), members AS (
    SELECT c.*, f.key, false AS has_key FROM former f JOIN channels c ON c.app_id = f.app_id AND c.id = f.id
    UNION ALL
    SELECT c.*, f.key, true FROM (SELECT DISTINCT app_id, key FROM former) AS f
    JOIN channels c ON c.app_id = f.app_id AND c.kind = 'email' AND c.address_key = f.key
  ), groups AS (
    SELECT app_id, key,
      (array_agg(id ORDER BY has_key DESC, contact_id IS NOT NULL DESC, created_at DESC, id DESC))[1] AS stays,
      (array_agg(contact_id ORDER BY created_at DESC, id DESC) FILTER (WHERE contact_id IS NOT NULL))[1] AS contact_id,
      CASE WHEN bool_or(status = 'suppressed') THEN 'suppressed' WHEN bool_or(status = 'unsubscribed') THEN 'unsubscribed'
        ELSE 'active' END AS status,
      max(status_reason) FILTER (WHERE status = 'suppressed') AS status_reason,
      bool_or(status = 'unsubscribed') AS is_unsubscribed
    FROM members GROUP BY app_id, key
  ), written AS (
    UPDATE channels c SET
      address_key = CASE WHEN c.id = g.stays THEN g.key ELSE '=' || c.id END,
      contact_id = g.contact_id,
      status = CASE WHEN c.id = g.stays THEN g.status ELSE 'suppressed' END,
      status_reason = CASE WHEN c.id = g.stays THEN g.status_reason ELSE 'same_mailbox' END
    FROM members m JOIN groups g ON g.app_id = m.app_id AND g.key = m.key
    WHERE c.app_id = m.app_id AND c.id = m.id
    RETURNING g.contact_id, g.is_unsubscribed AND c.id <> g.stays AS is_unsubscribed
  )
  SELECT array_agg(contact_id) FILTER (WHERE is_unsubscribed) INTO unsubscribed FROM written;

  -- As when they unsubscribe: the preference follows the last address.
  UPDATE contacts p SET no_email = true, updated_at = now()
  WHERE p.id = ANY(unsubscribed) AND NOT p.no_email AND NOT EXISTS (
    SELECT FROM channels c WHERE c.contact_id = p.id AND c.kind = 'email' AND c.status = 'active'
  );
END $body$;

DROP FUNCTION mailbox_key;
`
