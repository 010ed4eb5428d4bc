import type { AuditAction } from "../../../services/domain/access/Audit.ts"
import { FEW_DEVICES } from "../../../services/ports/sending/NotificationStore.ts"

/*
 * Many accepts in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   arrived  the notifications, each with its device looked up where it names only one, and with what it takes to send
 *            to it, where somebody is ready to do so; or with the number of devices that its users have
 *   reached  those devices, where they are few, with as much
 *   keys     idempotency keys that are still their requests': they get their answers
 *   made     the notifications, with the batch of an only device that is leased (directBatches.ts); not one whose key
 *            another request has taken, nor one whose device is unknown
 *   noted    the audit log's entries of those that are written down: services/domain/access/Audit.ts
 *   written  batches that were planned before
 *   sent     batches of single devices that nobody sends to at once
 *   shared   batches of users' devices, one each: each ends by itself
 *
 * Devices, credentials and people are looked up for each, and not joined: a plan that was made while there were few would
 * read them all for ever. Keys are as well: by `= ANY(ARRAY[…])` rows can only be looked up.
 */

/*
 * Parameters, a column each but for $13; of one notification alone, $1 to $12 and $28 are its values:
 *
 *   $1  ids                  $2  applications    $3  priorities           $4  requests         $5  times to live (ms)
 *   $6  planned recipients   $7  send_at         $8  traces
 *   $9  devices: ids         $10 batch ids       $11 template versions
 *   $12 leases: holders      $13 for how long (ms)
 *   $14 keys: notifications  $15 applications    $16 routes               $17 keys             $18 holders
 *   $19 statuses             $20 bodies          $21 locations
 *   $22 batches: ids         $23 notifications   $24 applications         $25 providers        $26 priorities
 *   $27 recipients (text)
 *   $28 users (text)
 *   $29 entries: ids         $30 notifications   $31 kinds of actors      $32 actors           $33 details
 */
export const ACCEPT_TYPES = `
  uuid[], uuid[], text[], text[], float8[],
  integer[], timestamptz[], text[],
  uuid[], uuid[], uuid[],
  integer[], float8,
  uuid[], uuid[], text[], text[], uuid[],
  smallint[], text[], text[],
  uuid[], uuid[], uuid[], text[], text[], text[],
  text[],
  uuid[], uuid[], text[], text[], text[]`
/** Of one notification. */
export const ACCEPT_ALONE_TYPES = `
  uuid, uuid, text, text, float8,
  integer, timestamptz, text,
  uuid, uuid, uuid,
  integer, float8,
  uuid[], uuid[], text[], text[], uuid[],
  smallint[], text[], text[],
  uuid[], uuid[], uuid[], text[], text[], text[],
  text,
  uuid[], uuid[], text[], text[], text[]`

const IS_REACHED = "a.device IN ('i', 'a', 'w')"
const IS_SHARED = `a.devices BETWEEN 1 AND ${FEW_DEVICES}`
/** User by user: for a list of them another index would seem as good, that of all devices of the application. */
const devicesOfUsers = (row: string, columns: string, most: number): string => `
        SELECT d.* FROM unnest(${row}.users::text[]) AS u (user_id)
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM devices WHERE app_id = ${row}.app_id AND user_id = u.user_id AND active LIMIT ${most}
        ) AS d
        LIMIT ${most}`
const COLUMNS = "id, active, platform, token, environment, p256dh, auth, last_seen_at, user_id"
const KIND = "CASE d.platform WHEN 'ios' THEN 'apns' WHEN 'android' THEN 'fcm' ELSE 'webpush' END"
/** The credential that the device `d` takes, if it may be used, and the device's person takes push. */
const credentialFor = (row: string): string => `
        SELECT version, accepted_at FROM credentials
        WHERE ${row}.holder IS NOT NULL AND d.active AND app_id = ${row}.app_id AND suspended_reason IS NULL
          AND kind = ${KIND}
          AND (d.user_id IS NULL OR coalesce((
            SELECT false FROM contacts p
            WHERE p.app_id = ${row}.app_id AND p.external_id = d.user_id AND p.no_push LIMIT 1), true))
        LIMIT 1`
/** What it takes to send to the device `d` with the credential `c`. */
const TO_SEND = `c.version, floor(extract(epoch FROM c.accepted_at) * 1000)::float8 AS accepted_at, d.token, d.environment,
        floor(extract(epoch FROM d.last_seen_at) * 1000)::float8 AS seen_at, d.p256dh, d.auth`
/** The same of all rows, in a column each. */
const ALL_TO_SEND = (order: string): string => `array_agg(version${order}) AS versions,
        array_agg(accepted_at${order}) AS accepted, array_agg(token${order}) AS tokens,
        array_agg(environment${order}) AS environments, array_agg(seen_at${order}) AS seen,
        array_agg(p256dh${order}) AS p256dh, array_agg(auth${order}) AS auth`
/** The provider of an only device. */
const PROVIDER = "CASE a.device WHEN 'i' THEN 'apns' WHEN 'a' THEN 'fcm' ELSE 'webpush' END"
/** Whether the users of `a` have one device, `r`, and it was leased: its batch stands in the notification's row. */
const IS_DIRECT = "r.devices = 1 AND r.version IS NOT NULL"
/** What is known of an only batch that was leased, of a device that was named or of a user's. */
const onlyOf = (name: string, type: string, ofDevice: string, ofUser: string): string => `
        -- [leases]
        , coalesce(NULL::${type}
        -- [end]
        -- [devices, leases]
        , CASE WHEN a.version IS NOT NULL THEN ${ofDevice} END
        -- [end]
        -- [users, leases]
        , ${ofUser}
        -- [end]
        -- [leases]
        ) AS ${name}
        -- [end]`
/** Not one whose key another request has taken. */
const isMeant = (column: string): string => `AND (${column} <> ALL($14) OR ${column} IN (SELECT id FROM keys))`

const CREATED: AuditAction = "notification.created"

/** How the notifications come, and what is said of their devices. */
interface Form {
  readonly from: string
  readonly result: string
}

const NAMES = `id, app_id, priority, request, ttl, planned, send_at, trace
        -- [devices]
        , device_id, batch_id
        -- [end]
        -- [templates]
        , template_version
        -- [end]
        -- [leases]
        , holder
        -- [end]
        -- [users]
        , users
        -- [end]
        `

const MANY: Form = {
  from: `unnest($1, $2, $3, $4, $5, $6, $7, $8
        -- [devices]
        , $9, $10
        -- [end]
        -- [templates]
        , $11
        -- [end]
        -- [leases]
        , $12
        -- [end]
        -- [users]
        , $28
        -- [end]
      ) WITH ORDINALITY AS t (${NAMES}, n)`,
  result: `SELECT string_agg(device, '' ORDER BY n) AS devices
        -- [devices, leases]
        , ${ALL_TO_SEND(" ORDER BY n")}
        -- [end]`
}

/** Without a function's rows to read, numbers, sorts and sums: a seventh of what the statement takes for one. */
const ALONE: Form = {
  from: `(SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::float8, $6::integer, $7::timestamptz, $8::text
        -- [devices]
        , $9::uuid, $10::uuid
        -- [end]
        -- [templates]
        , $11::uuid
        -- [end]
        -- [leases]
        , $12::integer
        -- [end]
        -- [users]
        , $28::text
        -- [end]
        , 1) AS t (${NAMES}, n)`,
  result: `SELECT device AS devices
        -- [devices, leases]
        , version, accepted_at, token, environment, seen_at, p256dh, auth
        -- [end]`
}

const statementOf = ({ from, result }: Form): string => `
    WITH arrived AS MATERIALIZED (
      SELECT t.*,
        -- [devices]
        CASE WHEN t.device_id IS NULL THEN '-' WHEN d.platform IS NULL THEN '?'
          WHEN d.active THEN left(d.platform, 1) ELSE 'x' END ||
        -- [end]
        '' AS device
        -- [devices, leases]
        , ${TO_SEND}
        -- [end]
        -- [users]
        , few.devices
        -- [end]
      FROM ${from}
      -- [devices]
      LEFT JOIN LATERAL (
        SELECT active, platform, token, environment, p256dh, auth, last_seen_at, user_id
        FROM devices WHERE app_id = t.app_id AND id = t.device_id LIMIT 1
      ) AS d ON true
      -- [end]
      -- [devices, leases]
      LEFT JOIN LATERAL (${credentialFor("t")}
      ) AS c ON true
      -- [end]
      -- [users]
      LEFT JOIN LATERAL (
        SELECT count(*)::integer AS devices FROM (${devicesOfUsers("t", "id", FEW_DEVICES + 1)}
        ) AS few
      ) AS few ON true
      -- [end]
    )
    -- [keys]
    , keys AS (
      UPDATE idempotency_keys k SET status = t.status, body = t.body, location = t.location
      FROM unnest($14, $15, $16, $17, $18, $19, $20, $21)
        AS t (id, app_id, route, key, holder, status, body, location)
      WHERE k.app_id = ANY(ARRAY[t.app_id]) AND k.route = t.route AND k.key = t.key AND k.holder = t.holder
        AND k.status IS NULL
        AND t.id NOT IN (SELECT id FROM arrived WHERE device = '?')
      RETURNING t.id
    )
    -- [end]
    -- [users]
    , reached AS MATERIALIZED (
      SELECT a.n::integer AS place, a.id AS notification_id, a.app_id, a.priority, a.devices, d.id, ${KIND} AS provider,
        -- Of the notification's millisecond, so that they lie beside it.
        (left(a.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid AS batch_id
    -- [end]
        -- [users, leases]
        , a.holder, ${TO_SEND}
        -- [end]
    -- [users]
      FROM arrived a
      CROSS JOIN LATERAL (${devicesOfUsers("a", COLUMNS, FEW_DEVICES)}
      ) AS d
    -- [end]
      -- [users, leases]
      LEFT JOIN LATERAL (${credentialFor("a")}
      ) AS c ON true
      -- [end]
    -- [users]
      WHERE ${IS_SHARED}
    -- [end]
        -- [users, keys]
        ${isMeant("a.id")}
        -- [end]
    -- [users]
    )
    -- [end]
    , made AS (
      INSERT INTO notifications (
        id, app_id, priority, request, expires_at, plan_done, planned, status, started_at, send_at, published_at, trace
        -- [templates]
        , template_version
        -- [end]
        -- [leases]
        , direct_batch, direct_provider, direct_recipient, direct_holder, direct_until
        -- [end]
      )
      SELECT a.id, a.app_id, a.priority, a.request::json, coalesce(a.send_at, now()) + a.ttl * interval '1 ms',
        plan.done, coalesce(a.planned,
          -- [users]
          CASE WHEN ${IS_SHARED} THEN a.devices END,
          -- [end]
          CASE WHEN plan.done THEN 1 ELSE 0 END),
        CASE WHEN plan.done THEN 'sending' WHEN a.send_at IS NULL THEN 'queued' ELSE 'scheduled' END,
        CASE WHEN plan.done THEN now() END, a.send_at, coalesce(a.send_at, now()), a.trace
        -- [templates]
        , a.template_version
        -- [end]
        -- [leases]
        , plan.batch, plan.provider, plan.recipient, CASE WHEN plan.batch IS NOT NULL THEN a.holder END,
        CASE WHEN plan.batch IS NOT NULL THEN now() + $13 * interval '1 ms' END
        -- [end]
      FROM arrived a
      -- [users, leases]
      LEFT JOIN reached r ON r.notification_id = a.id AND ${IS_DIRECT}
      -- [end]
      CROSS JOIN LATERAL (
        SELECT a.planned IS NOT NULL OR ${IS_REACHED}
          -- [users]
          OR ${IS_SHARED}
          -- [end]
        AS done
${onlyOf("batch", "uuid", "a.batch_id", "r.batch_id")}
${onlyOf("provider", "text", PROVIDER, "r.provider")}
${onlyOf("recipient", "uuid", "a.device_id", "r.id")}
      ) AS plan
      WHERE a.device <> '?'
        -- [keys]
        ${isMeant("a.id")}
        -- [end]
    )
    -- [entries]
    , noted AS (
      INSERT INTO audit_log (id, app_id, actor_kind, actor_id, action, target, details)
      SELECT t.id, a.app_id, t.actor_kind, t.actor_id, '${CREATED}', a.id::text, t.details::json
      FROM unnest($29, $30, $31, $32, $33) AS t (id, notification_id, actor_kind, actor_id, details)
      JOIN arrived a ON a.id = t.notification_id
      WHERE a.device <> '?'
    -- [end]
        -- [entries, keys]
        ${isMeant("a.id")}
        -- [end]
    -- [entries]
    )
    -- [end]
    -- [batches]
    , written AS (
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
      SELECT t.id, t.notification_id, t.app_id, t.provider, t.priority, t.recipients::uuid[]
      FROM unnest($22, $23, $24, $25, $26, $27) AS t (id, notification_id, app_id, provider, priority, recipients)
      WHERE true
    -- [end]
        -- [batches, keys]
        ${isMeant("t.notification_id")}
        -- [end]
    -- [batches]
    )
    -- [end]
    -- [devices]
    , sent AS (
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
      SELECT a.batch_id, a.id, a.app_id, ${PROVIDER}, a.priority, ARRAY[a.device_id]
      FROM arrived a WHERE ${IS_REACHED}
    -- [end]
        -- [devices, leases]
        AND a.version IS NULL
        -- [end]
        -- [devices, keys]
        ${isMeant("a.id")}
        -- [end]
    -- [devices]
    )
    -- [end]
    -- [users]
    , shared AS (
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients
    -- [end]
        -- [users, leases]
        , fence, lease_holder, lease_until
        -- [end]
    -- [users]
      )
      SELECT r.batch_id, r.notification_id, r.app_id, r.provider, r.priority, ARRAY[r.id]
    -- [end]
        -- [users, leases]
        , CASE WHEN r.version IS NULL THEN 0 ELSE 1 END, CASE WHEN r.version IS NOT NULL THEN r.holder END,
        CASE WHEN r.version IS NOT NULL THEN now() + $13 * interval '1 ms' END
        -- [end]
    -- [users]
      FROM reached r
    -- [end]
        -- [users, leases]
        WHERE NOT (${IS_DIRECT})
        -- [end]
    -- [users]
    )
    -- [end]
    SELECT now() AS at,
      '{}'::uuid[]
      -- [keys]
      || ARRAY(SELECT id FROM keys)
      -- [end]
      AS kept, those.*
      -- [users]
      , (SELECT row_to_json(theirs) FROM (
        SELECT array_agg(place) AS places, array_agg(batch_id) AS batches, array_agg(id) AS ids,
          array_agg(provider) AS providers
      -- [end]
        -- [users, leases]
        , ${ALL_TO_SEND("")}
        -- [end]
      -- [users]
        FROM reached
      ) AS theirs) AS reached
      -- [end]
    FROM (
      ${result}
      FROM arrived
    ) AS those`

export const ACCEPT = statementOf(MANY)
/** The same for one notification, whose columns are values and no arrays: $1 to $12, and $28. */
export const ACCEPT_ALONE = statementOf(ALONE)
