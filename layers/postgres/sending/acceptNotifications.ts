import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Environment } from "../../../services/domain/audience/Device.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { Priority } from "../../../services/domain/sending/Notification.ts"
import type {
  AcceptedForDevice,
  NewNotification,
  OnlyDevice
} from "../../../services/ports/sending/NotificationStore.ts"
import { doubles, integers, milliseconds, smallints, texts, times, uuidArrayText, uuids } from "../server/columns.ts"
import { sizeOf } from "./notificationRows.ts"

/*
 * Many accepts in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   arrived  the notifications, each with its device looked up where it names only one, and with what it takes to send
 *            to it, where somebody is ready to do so
 *   keys     idempotency keys that are still their requests': they get their answers
 *   made     the notifications; not one whose key another request has taken, nor one whose device is unknown
 *   written  batches that were planned before
 *   sent     batches of the single devices
 *
 * Parts that nobody needs are left out.
 */

/** A notification on its way into the table, with its request as text. */
export interface Arrival {
  readonly notification: NewNotification
  readonly priority: Priority
  readonly request: string
  /** Its only recipient, if the statement is to look it up and to plan it as `batch`. */
  readonly device: OnlyDevice | null
}

export interface Arrived {
  /** False when another request has taken its key. */
  readonly isKept: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly device: "unknown" | "inactive" | ProviderKind | null
  readonly claimed: AcceptedForDevice["claimed"]
}

interface AcceptedRow {
  readonly at: Date
  readonly kept: ReadonlyArray<string>
  readonly devices: string
  /** Of those that were leased, in the order of all: null where there are none, or this is none of them. */
  readonly versions?: ReadonlyArray<number | null>
  readonly accepted?: ReadonlyArray<number | null>
  readonly tokens?: ReadonlyArray<string>
  readonly environments?: ReadonlyArray<Environment>
  readonly seen?: ReadonlyArray<number>
  readonly p256dh?: ReadonlyArray<string | null>
  readonly auth?: ReadonlyArray<string | null>
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

/** The batch of an arrival that was leased, as a claim would have found it. */
const claimedOf = (
  { device, notification, priority }: Arrival,
  row: AcceptedRow,
  index: number,
  provider: ProviderKind
): Arrived["claimed"] => {
  const version = row.versions?.[index] ?? null
  if (device === null || version === null) return null
  const { appId, id, ttlMs } = notification
  return {
    batch: {
      id: device.batch,
      appId,
      notificationId: id,
      provider,
      priority,
      attempts: 0,
      fence: 1,
      suspicion: 0,
      credential: { version, suspendedReason: null, acceptedAt: row.accepted![index]! },
      expiresAt: null,
      recipients: [device.id]
    },
    target: {
      id: device.id,
      address: row.tokens![index]!,
      environment: row.environments![index]!,
      p256dh: row.p256dh![index]!,
      auth: row.auth![index]!,
      seenAt: row.seen![index]!
    },
    expiresAt: row.at.getTime() + ttlMs
  }
}

export const acceptNotifications = (sql: SqlClient.SqlClient) => {
  const deviceCode = sql.literal(`CASE WHEN t.device_id IS NULL THEN '-' WHEN d.platform IS NULL THEN '?'
            WHEN d.active THEN left(d.platform, 1) ELSE 'x' END AS device`)
  // Looked up for each, and not joined: a plan that was made while there were few devices would read them all for ever.
  const deviceOf = sql.literal(`LEFT JOIN LATERAL (
            SELECT active, platform, token, environment, p256dh, auth, last_seen_at, user_id
            FROM devices WHERE app_id = t.app_id AND id = t.device_id LIMIT 1) AS d ON true`)
  const credentialOf = sql.literal(`LEFT JOIN LATERAL (
            SELECT version, accepted_at FROM credentials
            WHERE t.holder IS NOT NULL AND d.active AND app_id = t.app_id AND suspended_reason IS NULL
              AND kind = CASE d.platform WHEN 'ios' THEN 'apns' WHEN 'android' THEN 'fcm' ELSE 'webpush' END
              AND (d.user_id IS NULL OR coalesce((
                SELECT false FROM contacts p
                WHERE p.app_id = t.app_id AND p.external_id = d.user_id AND p.no_push LIMIT 1), true))
            LIMIT 1) AS c ON true`)
  /** In the order of the arrivals. */
  const inOrder = sql.literal(`string_agg(device, '' ORDER BY n) AS devices,
            array_agg(version ORDER BY n) AS versions, array_agg(accepted_at ORDER BY n) AS accepted,
            array_agg(token ORDER BY n) AS tokens, array_agg(environment ORDER BY n) AS environments,
            array_agg(seen_at ORDER BY n) AS seen, array_agg(p256dh ORDER BY n) AS p256dh, array_agg(auth ORDER BY n) AS auth`)
  const leaseColumns =
    sql.literal(`, c.version, extract(epoch FROM c.accepted_at)::float8 * 1000 AS accepted_at, d.token,
            d.environment, extract(epoch FROM d.last_seen_at)::float8 * 1000 AS seen_at, d.p256dh, d.auth`)
  const providerOf = sql.literal("CASE a.device WHEN 'i' THEN 'apns' WHEN 'a' THEN 'fcm' ELSE 'webpush' END")
  const isReached = sql.literal("a.device IN ('i', 'a', 'w')")
  const nothing = sql``

  return Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const notifications = arrivals.map(({ notification }) => notification)
    const hasDevices = arrivals.some(({ device }) => device !== null)
    const lease = arrivals.find(({ device }) => device !== null && device.lease !== null)?.device?.lease ?? null
    const hasTemplates = notifications.some(({ request }) => request.template !== undefined)
    const arrived = sql`arrived AS MATERIALIZED (
          SELECT t.*, ${hasDevices ? deviceCode : sql`'-' AS device`}${lease === null ? nothing : leaseColumns}
          FROM unnest(${uuids(notifications.map(({ id }) => id))}, ${uuids(notifications.map(({ appId }) => appId))},
            ${texts(arrivals.map(({ priority }) => priority))}, ${texts(arrivals.map(({ request }) => request))},
            ${doubles(notifications.map(({ ttlMs }) => ttlMs))},
            ${integers(notifications.map(({ batches }) => (batches === null ? null : sizeOf(batches))))},
            ${times(notifications.map(({ sendAt }) => sendAt ?? null))},
            ${texts(notifications.map(({ trace }) => trace ?? null))}${
              hasDevices
                ? sql`, ${uuids(arrivals.map(({ device }) => device?.id ?? null))},
            ${uuids(arrivals.map(({ device }) => device?.batch ?? null))}`
                : nothing
            }${
              lease === null ? nothing : sql`, ${integers(arrivals.map(({ device }) => device?.lease?.holder ?? null))}`
            }${
              hasTemplates
                ? sql`, ${uuids(notifications.map(({ request }) => request.template?.version ?? null))}`
                : nothing
            }) WITH ORDINALITY
            AS t (id, app_id, priority, request, ttl, planned, send_at, trace${hasDevices ? sql`, device_id, batch_id` : nothing}${lease === null ? nothing : sql`, holder`}${hasTemplates ? sql`, template_version` : nothing}, n)
          ${hasDevices ? deviceOf : nothing} ${lease === null ? nothing : credentialOf}
        )`

    const settled = notifications.flatMap(({ id, settlement }) => (settlement ? { id, ...settlement } : []))
    const hasKeys = settled.length > 0
    const keys = !hasKeys
      ? nothing
      : sql`, keys AS (
          UPDATE idempotency_keys k SET status = t.status, body = t.body, location = t.location
          FROM unnest(${uuids(settled.map(({ id }) => id))}, ${uuids(settled.map(({ claim }) => claim.appId))},
            ${texts(settled.map(({ claim }) => claim.route))}, ${texts(settled.map(({ claim }) => claim.key))},
            ${uuids(settled.map(({ claim }) => claim.holder))}, ${smallints(settled.map(({ answer }) => answer.status))},
            ${texts(settled.map(({ answer }) => answer.body))}, ${texts(settled.map(({ answer }) => answer.location))}
          ) AS t (id, app_id, route, key, holder, status, body, location)
          WHERE k.app_id = t.app_id AND k.route = t.route AND k.key = t.key AND k.holder = t.holder AND k.status IS NULL
            ${hasDevices ? sql`AND t.id NOT IN (SELECT id FROM arrived WHERE device = '?')` : nothing}
          RETURNING t.id
        )`
    const isMeant = (column: string) =>
      hasKeys
        ? sql`(${sql.literal(column)} <> ALL(${uuids(settled.map(({ id }) => id))})
              OR ${sql.literal(column)} IN (SELECT id FROM keys))`
        : sql`true`

    const batches = arrivals.flatMap(({ notification, priority }) =>
      (notification.batches ?? []).map((batch) => ({ ...batch, notification, priority }))
    )
    const written =
      batches.length === 0
        ? nothing
        : sql`, written AS (
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
          SELECT t.id, t.notification_id, t.app_id, t.provider, t.priority, t.recipients::uuid[]
          FROM unnest(${uuids(batches.map((batch) => batch.id))},
            ${uuids(batches.map((batch) => batch.notification.id))},
            ${uuids(batches.map((batch) => batch.notification.appId))},
            ${texts(batches.map((batch) => batch.provider))}, ${texts(batches.map((batch) => batch.priority))},
            ${texts(batches.map((batch) => uuidArrayText(batch.recipients)))}
          ) AS t (id, notification_id, app_id, provider, priority, recipients)
          WHERE ${isMeant("t.notification_id")}
        )`
    const sent = !hasDevices
      ? nothing
      : sql`, sent AS (
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients${
            lease === null ? nothing : sql`, fence, lease_holder, lease_until`
          })
          SELECT a.batch_id, a.id, a.app_id, ${providerOf}, a.priority, ARRAY[a.device_id]${
            lease === null
              ? nothing
              : sql`, CASE WHEN a.version IS NULL THEN 0 ELSE 1 END, CASE WHEN a.version IS NOT NULL THEN a.holder END,
            CASE WHEN a.version IS NOT NULL THEN now() + ${milliseconds(lease.ms)} * interval '1 ms' END`
          }
          FROM arrived a WHERE ${isReached} AND ${isMeant("a.id")}
        )`

    const rows = yield* sql<AcceptedRow>`
        WITH ${arrived}${keys}, made AS (
          INSERT INTO notifications (
            id, app_id, priority, request, expires_at, plan_done, planned, status, started_at, send_at, published_at, trace${
              hasTemplates ? sql`, template_version` : nothing
            }
          )
          SELECT a.id, a.app_id, a.priority, a.request::json, coalesce(a.send_at, now()) + a.ttl * interval '1 ms',
            plan.done, coalesce(a.planned, CASE WHEN plan.done THEN 1 ELSE 0 END),
            CASE WHEN plan.done THEN 'sending' WHEN a.send_at IS NULL THEN 'queued' ELSE 'scheduled' END,
            CASE WHEN plan.done THEN now() END, a.send_at, coalesce(a.send_at, now()), a.trace${
              hasTemplates ? sql`, a.template_version` : nothing
            }
          FROM arrived a, LATERAL (SELECT a.planned IS NOT NULL OR ${isReached} AS done) AS plan
          WHERE a.device <> '?' AND ${isMeant("a.id")}
        )${written}${sent}
        SELECT now() AS at, ${hasKeys ? sql`ARRAY(SELECT id FROM keys)` : sql`'{}'::uuid[]`} AS kept, ${
          lease !== null
            ? sql`those.* FROM (SELECT ${inOrder} FROM arrived) AS those`
            : hasDevices
              ? sql`(SELECT string_agg(device, '' ORDER BY n) FROM arrived) AS devices`
              : sql`'' AS devices`
        }`
    const row = rows[0]!
    const createdAt = row.at.getTime()
    const mine = new Set(row.kept)
    return arrivals.map((arrival, index): Arrived => {
      const { id, settlement } = arrival.notification
      const device = DEVICE[row.devices[index] ?? "-"] ?? null
      const isKept = !settlement || device === "unknown" || mine.has(id)
      return { isKept, createdAt, device, claimed: claimedOf(arrival, row, index, device as ProviderKind) }
    })
  })
}
