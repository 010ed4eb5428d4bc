import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { BatchId } from "../../../services/domain/Ids.ts"
import type { Priority } from "../../../services/domain/sending/Notification.ts"
import type { NewNotification } from "../../../services/ports/sending/NotificationStore.ts"
import { doubles, integers, smallints, texts, times, uuidArrayText, uuids } from "../server/columns.ts"
import { sizeOf } from "./notificationRows.ts"

/*
 * Many accepts in one statement, and so in one round trip and one transaction. Its parts:
 *
 *   arrived  the notifications, each with its device looked up where it names only one
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
  readonly device: { readonly id: string; readonly batch: BatchId } | null
}

export interface Arrived {
  /** False when another request has taken its key. */
  readonly isKept: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly device: "unknown" | "inactive" | ProviderKind | null
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

export const acceptNotifications = (sql: SqlClient.SqlClient) => {
  // Looked up for each, and not joined: a plan that was made while there were few devices would read them all for ever.
  const deviceCode = sql.literal(`CASE WHEN t.device_id IS NULL THEN '-' ELSE coalesce((
            SELECT CASE WHEN d.active THEN left(d.platform, 1) ELSE 'x' END
            FROM devices d WHERE d.app_id = t.app_id AND d.id = t.device_id), '?') END`)
  const providerOf = sql.literal("CASE a.device WHEN 'i' THEN 'apns' WHEN 'a' THEN 'fcm' ELSE 'webpush' END")
  const isReached = sql.literal("a.device IN ('i', 'a', 'w')")
  const nothing = sql``

  return Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const notifications = arrivals.map(({ notification }) => notification)
    const hasDevices = arrivals.some(({ device }) => device !== null)
    const hasTemplates = notifications.some(({ request }) => request.template !== undefined)
    const arrived = sql`arrived AS MATERIALIZED (
          SELECT t.*, ${hasDevices ? deviceCode : sql`'-'`} AS device
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
              hasTemplates
                ? sql`, ${uuids(notifications.map(({ request }) => request.template?.version ?? null))}`
                : nothing
            }) WITH ORDINALITY
            AS t (id, app_id, priority, request, ttl, planned, send_at, trace${hasDevices ? sql`, device_id, batch_id` : nothing}${hasTemplates ? sql`, template_version` : nothing}, n)
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
          INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
          SELECT a.batch_id, a.id, a.app_id, ${providerOf}, a.priority, ARRAY[a.device_id]
          FROM arrived a WHERE ${isReached} AND ${isMeant("a.id")}
        )`

    const rows = yield* sql<{ readonly at: Date; readonly kept: ReadonlyArray<string>; readonly devices: string }>`
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
        SELECT now() AS at, ${hasKeys ? sql`ARRAY(SELECT id FROM keys)` : sql`'{}'::uuid[]`} AS kept,
          ${hasDevices ? sql`(SELECT string_agg(device, '' ORDER BY n) FROM arrived)` : sql`''`} AS devices`
    const { at, devices, kept } = rows[0]!
    const createdAt = at.getTime()
    const mine = new Set(kept)
    return arrivals.map(({ notification: { id, settlement } }, index): Arrived => {
      const device = DEVICE[devices[index] ?? "-"] ?? null
      return { isKept: !settlement || device === "unknown" || mine.has(id), createdAt, device }
    })
  })
}
