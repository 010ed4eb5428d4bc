import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Actor, AuditAction } from "../../../services/domain/access/Audit.ts"
import type { Environment } from "../../../services/domain/audience/Device.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { BatchId } from "../../../services/domain/Ids.ts"
import type { Priority } from "../../../services/domain/sending/Notification.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { uuidv7InOrder } from "../../../services/ports/NewId.ts"
import type {
  ClaimedMessage,
  FewUsers,
  NewNotification,
  OnlyDevice
} from "../../../services/ports/sending/NotificationStore.ts"
import { FEW_DEVICES } from "../../../services/ports/sending/NotificationStore.ts"
import {
  doubles,
  integers,
  milliseconds,
  smallints,
  textArrayText,
  texts,
  times,
  uuidArrayText,
  uuids
} from "../server/columns.ts"
import { leavingOut } from "./leavingOut.ts"
import { sizeOf } from "./notificationRows.ts"

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
 * read them all for ever.
 */

/*
 * Parameters, a column each but for $13:
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

export const ACCEPT = `
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
      FROM unnest($1, $2, $3, $4, $5, $6, $7, $8
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
      ) WITH ORDINALITY AS t (id, app_id, priority, request, ttl, planned, send_at, trace
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
        , n)
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
      WHERE k.app_id = t.app_id AND k.route = t.route AND k.key = t.key AND k.holder = t.holder AND k.status IS NULL
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
      SELECT string_agg(device, '' ORDER BY n) AS devices
        -- [devices, leases]
        , ${ALL_TO_SEND(" ORDER BY n")}
        -- [end]
      FROM arrived
    ) AS those`

/** A notification on its way into the table, with its request as text. */
export interface Arrival {
  readonly notification: NewNotification
  readonly priority: Priority
  readonly request: string
  /** Its only recipient, if the statement is to look it up and to plan it as `batch`. */
  readonly device: OnlyDevice | null
  /** Its only recipients, if the statement is to look their devices up, and to plan them where they are few. */
  readonly users: FewUsers | null
  /** Who sends it, where that is written down. */
  readonly sender: Actor | null
}

export interface Arrived {
  /** False when another request has taken its key. */
  readonly isKept: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly device: "unknown" | "inactive" | ProviderKind | null
  readonly claimed: ReadonlyArray<ClaimedMessage>
  /** Of the batches of users' devices that were not leased. */
  readonly left: ReadonlyArray<ProviderKind>
}

/** What was read of devices, a column each: null where there are none, or this one was not leased. */
interface ToSend {
  readonly versions?: ReadonlyArray<number | null>
  readonly accepted?: ReadonlyArray<number | null>
  readonly tokens?: ReadonlyArray<string>
  readonly environments?: ReadonlyArray<Environment>
  readonly seen?: ReadonlyArray<number>
  readonly p256dh?: ReadonlyArray<string | null>
  readonly auth?: ReadonlyArray<string | null>
}

/** Devices of users. Null: none at all. */
interface Reached extends ToSend {
  /** Which arrival's, counted from 1. */
  readonly places: ReadonlyArray<number> | null
  readonly batches: ReadonlyArray<BatchId>
  readonly ids: ReadonlyArray<string>
  readonly providers: ReadonlyArray<ProviderKind>
}

interface AcceptedRow extends ToSend {
  readonly at: Date
  readonly kept: ReadonlyArray<string>
  readonly devices: string
  readonly reached?: Reached
}

/** What the statement says of each device, in one character. */
const DEVICE: Readonly<Record<string, Arrived["device"]>> = {
  "-": null,
  "?": "unknown",
  x: "inactive",
  i: "apns",
  a: "fcm",
  w: "webpush"
}

/** A batch that was leased, as a claim would have found it: what was read of its only device stands at `index`. */
const claimedOf = (
  { notification, priority }: Arrival,
  at: Date,
  read: ToSend,
  index: number,
  { batch, id, provider }: { readonly batch: BatchId; readonly id: string; readonly provider: ProviderKind }
): ClaimedMessage | null => {
  const version = read.versions?.[index] ?? null
  if (version === null) return null
  const { appId, id: notificationId, ttlMs } = notification
  return {
    batch: {
      id: batch,
      appId,
      notificationId,
      provider,
      priority,
      attempts: 0,
      fence: 1,
      suspicion: 0,
      credential: { version, suspendedReason: null, acceptedAt: read.accepted![index]! },
      expiresAt: null,
      recipients: [id]
    },
    target: {
      id,
      address: read.tokens![index]!,
      environment: read.environments![index]!,
      p256dh: read.p256dh![index]!,
      auth: read.auth![index]!,
      seenAt: read.seen![index]!
    },
    expiresAt: at.getTime() + ttlMs
  }
}

/** What became of the devices of users: by arrival, the batches that were leased, and the ways of the others. */
const sharedOf = (arrivals: ReadonlyArray<Arrival>, { at, reached }: AcceptedRow) => {
  const found = new Map<number, { readonly claimed: Array<ClaimedMessage>; readonly left: Array<ProviderKind> }>()
  reached?.places?.forEach((place, index) => {
    let those = found.get(place - 1)
    if (those === undefined) found.set(place - 1, (those = { claimed: [], left: [] }))
    const { batches, ids, providers } = reached
    const provider = providers[index]!
    const which = { batch: batches[index]!, id: ids[index]!, provider }
    const claimed = claimedOf(arrivals[place - 1]!, at, reached, index, which)
    if (claimed !== null) those.claimed.push(claimed)
    else if (!those.left.includes(provider)) those.left.push(provider)
  })
  return found
}

const NONE: Pick<Arrived, "claimed" | "left"> = { claimed: [], left: [] }

/** What the log says of a notification: to whom by which selectors, and when, but neither ids of people nor content. */
const detailsOf = ({ request: { template_id, to }, sendAt }: NewNotification) => {
  const { filter: _, ...selectors } = to
  return {
    to: Object.keys(selectors),
    ...(to.segment_id === undefined ? {} : { segment_id: to.segment_id }),
    ...(template_id === undefined ? {} : { template_id }),
    ...(sendAt == null ? {} : { send_at: isoTime(sendAt) })
  }
}

const send = leavingOut<AcceptedRow>(ACCEPT)

export const acceptNotifications = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const rows = yield* accept(sql, arrivals)
    const row = rows[0]!
    const createdAt = row.at.getTime()
    const mine = new Set(row.kept)
    const shared = sharedOf(arrivals, row)
    return arrivals.map((arrival, index): Arrived => {
      const { id, settlement } = arrival.notification
      const device = DEVICE[row.devices[index] ?? "-"] ?? null
      const isKept = !settlement || device === "unknown" || mine.has(id)
      if (arrival.device === null) return { isKept, createdAt, device, ...(shared.get(index) ?? NONE) }
      const which = { ...arrival.device, provider: device as ProviderKind }
      const claimed = claimedOf(arrival, row.at, row, index, which)
      return { isKept, createdAt, device, claimed: claimed === null ? [] : [claimed], left: [] }
    })
  })

const leaseOf = ({ device, users }: Arrival) => (device ?? users)?.lease ?? null

const accept = (sql: SqlClient.SqlClient, arrivals: ReadonlyArray<Arrival>) => {
  const notifications = arrivals.map(({ notification }) => notification)
  const settled = notifications.flatMap(({ id, settlement }) => (settlement ? { id, ...settlement } : []))
  const batches = arrivals.flatMap(({ notification, priority }) =>
    (notification.batches ?? []).map((batch) => ({ ...batch, notification, priority }))
  )
  const sent = arrivals.flatMap(({ notification, sender }) => (sender === null ? [] : { notification, sender }))
  const [devices, users, keys, planned] = [
    arrivals.some(({ device }) => device !== null),
    arrivals.some(({ users }) => users !== null),
    settled.length > 0,
    batches.length > 0
  ]
  const holders = arrivals.map(leaseOf)
  const leaseMs = holders.find((lease) => lease !== null)?.ms ?? null
  const leases = leaseMs !== null
  const parts = {
    devices,
    users,
    leases,
    "devices, leases": devices && leases,
    "users, leases": users && leases,
    templates: notifications.some(({ request }) => request.template !== undefined),
    keys,
    entries: sent.length > 0,
    "entries, keys": sent.length > 0 && keys,
    batches: planned,
    "batches, keys": planned && keys,
    "devices, keys": devices && keys,
    "users, keys": users && keys
  }
  return send(sql, parts, [
    () => uuids(notifications.map(({ id }) => id)),
    () => uuids(notifications.map(({ appId }) => appId)),
    () => texts(arrivals.map(({ priority }) => priority)),
    () => texts(arrivals.map(({ request }) => request)),
    () => doubles(notifications.map(({ ttlMs }) => ttlMs)),
    () => integers(notifications.map(({ batches }) => (batches === null ? null : sizeOf(batches)))),
    () => times(notifications.map(({ sendAt }) => sendAt ?? null)),
    () => texts(notifications.map(({ trace }) => trace ?? null)),
    () => uuids(arrivals.map(({ device }) => device?.id ?? null)),
    () => uuids(arrivals.map(({ device }) => device?.batch ?? null)),
    () => uuids(notifications.map(({ request }) => request.template?.version ?? null)),
    () => integers(holders.map((lease) => lease?.holder ?? null)),
    () => milliseconds(leaseMs ?? 0),
    () => uuids(settled.map(({ id }) => id)),
    () => uuids(settled.map(({ claim }) => claim.appId)),
    () => texts(settled.map(({ claim }) => claim.route)),
    () => texts(settled.map(({ claim }) => claim.key)),
    () => uuids(settled.map(({ claim }) => claim.holder)),
    () => smallints(settled.map(({ answer }) => answer.status)),
    () => texts(settled.map(({ answer }) => answer.body)),
    () => texts(settled.map(({ answer }) => answer.location)),
    () => uuids(batches.map((batch) => batch.id)),
    () => uuids(batches.map((batch) => batch.notification.id)),
    () => uuids(batches.map((batch) => batch.notification.appId)),
    () => texts(batches.map((batch) => batch.provider)),
    () => texts(batches.map((batch) => batch.priority)),
    () => texts(batches.map((batch) => uuidArrayText(batch.recipients))),
    () => texts(arrivals.map(({ users }) => (users === null ? null : textArrayText(users.ids)))),
    () => uuids(sent.map(() => uuidv7InOrder())),
    () => uuids(sent.map(({ notification }) => notification.id)),
    () => texts(sent.map(({ sender }) => sender.kind)),
    () => texts(sent.map(({ sender }) => sender.id)),
    () => texts(sent.map(({ notification }) => JSON.stringify(detailsOf(notification))))
  ])
}
