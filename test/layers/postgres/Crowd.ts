import type { ClientBase } from "pg"
import type { Place } from "./Operations.ts"

/*
 * Rows by the million in every table that grows, as a service has them after a long time: beside an application of that
 * size, or of others where an application has only so many. Nothing is analyzed, and plans that were made before stay.
 */

/** What follows `INSERT INTO`: a row for each `i` and `id`, but for those that a condition leaves out. */
const tablesOf = ({ app, notification, reader, webhook }: Place, rows: number): ReadonlyArray<string> => {
  const other = `md5('lane' || i % 50)::uuid`
  return [
    `organizations (id, name) SELECT id, 'x' FROM ids`,
    `applications (id, organization_id, name, identity_secret) SELECT id, id, 'x', '' FROM ids`,
    `api_keys (id, app_id, kind, hash, hint) SELECT id, id, 'public', uuid_send(id) || uuid_send(id), 'pk' FROM ids`,
    `audit_log (id, app_id, actor_kind, action, details) SELECT id, '${app}', 'system', 'api_key.created', '{}' FROM ids`,
    `rate_limits (key, ends_at, used, granted, budget) SELECT id::text, 4000000000, 1, 1, 1 FROM ids`,
    `idempotency_keys (app_id, route, key, fingerprint, holder, lease_until, status, body)
      SELECT '${app}', 'POST /x', id::text, uuid_send(id), id, now(), 202, '{}' FROM ids`,
    `contacts (app_id, id, external_id, email_key, tags, no_push)
      SELECT '${app}', id, 'u' || id, 'a' || id, '{one}', i % 100 = 0 FROM ids`,
    `channels (app_id, id, contact_id, kind, address, address_key)
      SELECT '${app}', id, id, CASE WHEN i % 2 = 0 THEN 'email' ELSE 'inbox' END, 'a' || id,
        CASE WHEN i % 2 = 0 THEN 'a' || id ELSE id::text END FROM ids`,
    `devices (app_id, id, token_hash, platform, token, user_id, tags)
      SELECT '${app}', id, uuid_send(id), CASE WHEN i % 2 = 0 THEN 'ios' ELSE 'android' END, id::text, 'u' || id,
        CASE WHEN i % 2 = 0 THEN '{one}'::text[] ELSE '{}' END FROM ids`,
    `segments (id, app_id, name, filter) SELECT id, '${app}', 'x', '{}' FROM ids`,
    `erased_people (app_id, person, erased_at) SELECT '${app}', sha256(uuid_send(id)), now() FROM ids`,
    `template_versions (id, app_id, body) SELECT id, '${app}', '{}' FROM ids`,
    `templates (id, app_id, name, version_id) SELECT id, '${app}', 'x', id FROM ids`,
    `credentials (app_id, kind, settings, sealed) SELECT id, 'fcm', '{}', '' FROM ids`,
    // Some are sending: half of them of the application itself, in a long queue, half of them of fifty others.
    `notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
      SELECT id, ${other}, 'sending', 'bulk', '{"to":{"all":true},"content":{"title":"x"}}', at, true, NULL
      FROM ids WHERE i % 50 < 2`,
    `notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
      SELECT id, '${app}', CASE WHEN i % 5 = 0 THEN 'cancelled' ELSE 'completed' END,
        'bulk', '{"to":{"all":true},"content":{"title":"x"}}', at, true, at FROM ids WHERE i % 50 >= 2`,
    `batches (id, notification_id, app_id, provider, priority, recipients)
      SELECT id, id, CASE WHEN i % 100 < 2 THEN '${app}' ELSE ${other} END, 'apns', 'bulk', ARRAY[id]
      FROM ids WHERE i % 50 < 2`,
    `batches (id, notification_id, app_id, provider, priority, done, recipients, sent)
      SELECT id, id, '${app}', 'fcm', 'bulk', true, '{}', 1 FROM ids WHERE i % 50 >= 2`,
    `deliveries (notification_id, recipient_id, provider, status, attempts)
      SELECT '${notification}', id, 'f', 's', 1 FROM ids`,
    `packed_deliveries (notification_id, first_id, last_id, provider, status, attempts, size, recipients)
      SELECT '${notification}', (array_agg(id ORDER BY id))[1], (array_agg(id ORDER BY id DESC))[1], 'f', 's', 1,
        count(*), array_agg(id ORDER BY id) FROM ids GROUP BY i / 500`,
    `engagements (notification_id, recipient_id, type, at) SELECT '${notification}', id, 'd', now() FROM ids`,
    `engagement_counts (notification_id, delivered) SELECT id, 1 FROM ids`,
    `last_engaged (app_id, recipient_id, delivered_at) SELECT '${app}', id, now() FROM ids`,
    `daily_stats (app_id, day, provider, slot, sent) SELECT id, '2026-01-01', 'f', -1, 1 FROM ids`,
    `dead_letters (app_id, id, kind, error, attempts, notification_id, recipient_id, batch_id, provider)
      SELECT '${app}', id, 'notification', 'x', 6, id, id, id, 'fcm' FROM ids WHERE i % 2 = 0`,
    `dead_letters (app_id, id, kind, error, attempts, webhook_id) SELECT '${app}', id, 'webhook', 'x', 6, '${webhook}'
      FROM ids WHERE i % 2 = 1`,
    `replays (app_id, id, filter, status) SELECT '${app}', id, '{}', 'completed' FROM ids`,
    `inbox_messages (app_id, id, contact_id, title) SELECT '${app}', id, CASE WHEN i % 2 = 0 THEN id ELSE '${reader.id}' END, 'x' FROM ids`,
    `webhooks (id, app_id, name, url) SELECT id, id, 'x', 'https://example.com/' FROM ids`,
    `event_chunks (app_id, id, event, at, size, common, columns)
      SELECT '${app}', id, 'NOTIFICATION_SENT', at, 1, '{}', '{}' FROM ids`,
    `webhook_work_items (id, webhook_id, chunk_id, done, positions, finished_at)
      SELECT id, '${webhook}', id, true, '{}', at FROM ids WHERE i % 50 >= 2`,
    `webhook_work_items (id, webhook_id, chunk_id)
      SELECT id, CASE WHEN i % 100 < 2 THEN '${webhook}' ELSE id END, id FROM ids WHERE i % 50 < 2`,
    `webhook_attempts (work_item_id, at, records) SELECT id, at, '' FROM ids`,
    `accounts (id, email) SELECT id, id || '@example.com' FROM ids`,
    `login_codes (email, purpose, code_hash, expires_at)
      SELECT id || '@example.com', 'sign_in', sha256(''), now() + interval '1 hour' FROM ids`,
    `sign_in_attempts (key, times, last_at) SELECT id::text, ARRAY[now()], now() FROM ids`,
    `sessions (id, account_id, epoch, expires_at) SELECT id, id, 1, now() + interval '1 day' FROM ids`,
    `members (organization_id, account_id, role) SELECT id, id, 'owner' FROM ids`,
    `invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
      SELECT id, id, 'g' || id || '@example.com', 'viewer', sha256(uuid_send(id)), id, now() + interval '1 day' FROM ids`,
    `external_sign_ins (provider, subject, id, account_id) SELECT 'google', id::text, id, id FROM ids`,
    `oauth_states (state_hash, provider, sealed, mode, return_to, expires_at)
      SELECT sha256(uuid_send(id)), 'google', '', 'sign_in', '/', now() + interval '10 minutes' FROM ids`,
    `pending_sign_ins (token_hash, provider, subject, email, expires_at)
      SELECT sha256(uuid_send(id)), 'github', id::text, id || '@example.com', now() + interval '15 minutes' FROM ids`,
    `service_mails (id, email, sealed, is_code, sender, due_at, expires_at)
      SELECT id, id || '@example.com', '', i % 2 = 0, id::text, now() + interval '1 hour', now() + interval '1 day' FROM ids`,
    `people_log (id, organization_id, account_id, actor_kind, actor_id, action, target, details)
      SELECT id, CASE WHEN i % 2 = 0 THEN id ELSE (SELECT organization_id FROM applications WHERE id = '${app}') END, id,
        'user', id::text, 'member.added', id::text, '{}' FROM ids`,
    `redeliveries (app_id, id, webhook_id, status, wanted, to_at)
      SELECT '${app}', id, '${webhook}', 'completed', 'exhausted', at FROM ids`,
    `workflows (id, app_id, name, status, version_id, trigger_type, trigger_value)
      SELECT id, '${app}', 'x', CASE WHEN i % 3 = 0 THEN 'active' ELSE 'archived' END, id, 'event', id::text FROM ids`,
    `workflow_versions (id, workflow_id, version, definition)
      SELECT id, id, 1, '{"trigger":{"type":"api"},"reentry":"always","steps":[]}' FROM ids`,
    `workflow_step_counts (version_id, step_order, entered) SELECT id, 1, 1 FROM ids`,
    // Some wait, most of them for long; most have ended, of few workflows.
    `executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position)
      SELECT '${app}', id, md5('flow' || i % 7)::uuid, id, id, 'u' || id, 'waiting', 0 FROM ids WHERE i % 5 = 0`,
    `executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, ended_at)
      SELECT '${app}', id, md5('flow' || i % 7)::uuid, id, id, 'u' || id,
        CASE WHEN i % 25 = 1 THEN 'filtered' ELSE 'completed' END, 1, at FROM ids WHERE i % 5 > 0`,
    `execution_timers (app_id, execution_id, due_at) SELECT '${app}', id, at + interval '1 d' FROM ids WHERE i % 5 = 0`,
    `execution_outcomes (notification_id, app_id, execution_id) SELECT id, ${other}, id FROM ids WHERE i % 50 < 2`,
    `execution_events (app_id, user_id, event, execution_id) SELECT '${app}', 'u' || id, 'e', id FROM ids`,
    `custom_events (app_id, id, user_id, event, is_done) SELECT '${app}', id, 'u' || id, 'bought', true FROM ids`,
    `digests (app_id, workflow_id, step_key, contact_id, digest_key, execution_id, opened_at, closes_at, size)
      SELECT '${app}', id, 'sum', id, '', id, at, at, 1 FROM ids`,
    `digest_items (app_id, opener_id, step_key, execution_id, data) SELECT '${app}', id, 'sum', id, '{}' FROM ids`,
    `throttles (app_id, workflow_id, step_key, contact_id, throttle_key, opened_at, over_at, passed, granted)
      SELECT '${app}', id, 'cap', id, '', at, at + interval '1 d', 1, 1 FROM ids`,
    // Of an application whose turn comes last.
    `contact_changes (app_id, contact_id, was) SELECT 'ffffffff-ffff-7fff-bfff-ffffffffffff', id, '{}' FROM ids`,
    `workflow_entries (id, app_id, workflow_id, audience, until_id)
      SELECT id, 'ffffffff-ffff-7fff-bfff-ffffffffffff', id, '{"filter":null}', id FROM ids`,
    `workflow_entry_exclusions (entry_id, user_id) SELECT id, 'x' FROM ids`,
    // Some hundred segments of other applications, with many contacts each.
    `segments (id, app_id, name, filter) SELECT md5('watched${rows}' || i)::uuid, ${other}, 'x', '{}' FROM ids WHERE i % 100 = 0`,
    `workflows (id, app_id, name, status, version_id, trigger_type, trigger_value, activated_at)
      SELECT md5('watching${rows}' || i)::uuid, ${other}, 'x', 'active', id, 'segment_entered', md5('watched${rows}' || i)::uuid::text, now()
      FROM ids WHERE i % 100 = 0`,
    `watched_segments (segment_id, app_id, filter, is_first, since)
      SELECT md5('watched${rows}' || i)::uuid, ${other}, '{}', false, now() FROM ids WHERE i % 100 = 0`,
    `segment_members (segment_id, contact_id) SELECT md5('watched${rows}' || i / 100 * 100)::uuid, id FROM ids`,
    `early_looks (segment_id, contact_id, since) SELECT md5('watched${rows}' || i / 100 * 100)::uuid, id, now() FROM ids`
  ]
}

/** Lets nothing but the test itself look at the tables of a database. */
export const keepUnwatched = async (client: ClientBase): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
  )
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`)
}

/** Adds about so many rows to each table. Their times end now, some seconds apart. */
export const grow = async (client: ClientBase, place: Place, rows: number): Promise<void> => {
  // What triggers and foreign keys hold is so by construction.
  await client.query("SET session_replication_role = replica")
  await client.query(`CREATE TEMPORARY TABLE ids AS
    SELECT i, to_timestamp(ms / 1000.0) AS at,
      (lpad(to_hex(ms), 12, '0') || '7' || substr(noise, 1, 3) || '8' || substr(noise, 4, 15))::uuid AS id
    FROM (
      SELECT i, ${Date.now()} + (i - ${rows})::bigint * 10 AS ms, md5(i::text) AS noise
      FROM generate_series(1, ${rows}) AS i OFFSET 0
    ) AS drawn`)
  for (const table of tablesOf(place, rows)) await client.query(`INSERT INTO ${table}`)
  await client.query("RESET session_replication_role")
}
