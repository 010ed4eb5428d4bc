import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { EngagementType } from "../../../services/domain/engagement/Engagement.ts"
import { ENGAGEMENT_EVENTS } from "../../../services/domain/engagement/Engagement.ts"
import type { AppId, WebhookId } from "../../../services/domain/Ids.ts"
import { deliveryIdOf } from "../../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { Engaged } from "../../../services/ports/engagement/EngagementStore.ts"
import { EngagementStore } from "../../../services/ports/engagement/EngagementStore.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { booleans, integers, texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { addUp, today } from "./dailyStats.ts"
import { providerCode, statusCode } from "../sending/deliveryCodes.ts"
import { storeError } from "../server/storeError.ts"

const LETTERS: Readonly<Record<EngagementType, string>> = { delivered: "d", opened: "o", clicked: "c" }

/** A provider's code in the sums. One that is gone meanwhile counts with its notification alone. */
const PROVIDER = `CASE d.platform WHEN 'ios' THEN '${providerCode.apns}' WHEN 'android' THEN '${providerCode.fcm}'
  ELSE '${providerCode.webpush}' END`

/** Reports of one application and type become one chunk of events. */
interface Group {
  readonly id: string
  readonly appId: AppId
  readonly type: EngagementType
}

const groupsOf = (reports: ReadonlyArray<Engaged>): ReadonlyArray<Group> => {
  const groups = new Map<string, Group>()
  for (const { appId, type } of reports) {
    const key = `${appId}:${type}`
    if (!groups.has(key)) groups.set(key, { id: uuidv7(), appId, type })
  }
  return [...groups.values()]
}

/** The notifications of clicks that do not say where they led, each once. */
const leading = (reports: ReadonlyArray<Engaged>): ReadonlyArray<string> => [
  ...new Set(
    reports.flatMap(({ destination, notificationId, type }) =>
      type === "clicked" && destination === null ? notificationId : []
    )
  )
]

/** Devices that are looked for in a batch one by one; more are looked up by halves for each of its recipients. */
const FEW = 16

const NO_WEBHOOKS: ReadonlyArray<WebhookId> = []

/*
 * One statement for many reports. Its parts:
 *
 *   urls     where the notifications lead whose clicks do not say; a request is read once, however many clicked
 *   looked … known
 *            those whose notification is the application's and has the device among its recipients. They count when it
 *            was sent to the device: its row or packed results say so; before that is written (a phone may be quicker than the
 *            engine's chunk of results) the batch in which the device still is, if anybody has taken that batch yet.
 *            Looking through batches is costly: ids of no device at all never get that far, and whatever number of
 *            reports of a notification asks for it, each of its batches is read once
 *   first    one of the counting reports on each delivery and type, a person's if there is any; several links at once are a
 *            machine's doing
 *   written  each delivery and type once: what is there already is not counted or told again, but it may turn out to be
 *            a machine's doing after all, or a person's
 *   counted  the counters, by what was written; and the sums of the day
 *   latest   when each recipient last did what, for segments: what people did, not machines
 *   wanted … the events of what was written, for the webhooks that subscribe to them (as in finishBatch)
 *
 * Rows are written in the order of their keys, so that no two statements can wait for each other.
 */
export const layer: Layer.Layer<EngagementStore, never, SqlClient.SqlClient> = Layer.effect(
  EngagementStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const recordAll = Effect.fnUntraced(function* (reports: ReadonlyArray<Engaged>) {
      const at = now()
      const moment = sql`max(${PgTypes.timestamptz(at)})`
      const groups = groupsOf(reports)
      const events = groups.map(({ type }) => ENGAGEMENT_EVENTS[type])
      const [row] = yield* sql<{ readonly known: ReadonlyArray<number>; readonly webhooks: ReadonlyArray<WebhookId> }>`
        WITH urls AS MATERIALIZED (
          SELECT id, request #>> '{content,url}' AS url FROM notifications WHERE id = ANY(${uuids(leading(reports))})
        ), looked AS MATERIALIZED (
          SELECT t.app_id, t.notification_id, t.device_id, t.type::"char" AS type, t.delivery_id,
            CASE WHEN t.type = 'c' THEN coalesce(t.destination, (SELECT u.url FROM urls u WHERE u.id = t.notification_id), '')
            END AS destination,
            t.machine, t.link, t.place::integer AS place,
            finished.status IS NOT NULL AS is_finished, judged.is_taken, judged.is_device AND NOT judged.is_taken AS may_wait,
            (CASE WHEN t.proven THEN 'm' ELSE (
              SELECT ${sql.literal(PROVIDER)} FROM devices d WHERE d.app_id = t.app_id AND d.id = t.device_id
            ) END)::"char" AS provider
          FROM unnest(${uuids(reports.map(({ appId }) => appId))},
            ${uuids(reports.map(({ notificationId }) => notificationId))},
            ${uuids(reports.map(({ deviceId }) => deviceId))}, ${texts(reports.map(({ type }) => LETTERS[type]))},
            ${texts(reports.map(({ destination }) => destination))},
            ${uuids(reports.map(({ notificationId, deviceId }) => deliveryIdOf(notificationId, deviceId)))},
            ${booleans(reports.map(({ mail }) => mail !== undefined))},
            ${booleans(reports.map(({ mail }) => mail?.isMachine ?? false))},
            ${integers(reports.map(({ mail }) => mail?.link ?? 0))}
          ) WITH ORDINALITY AS t (app_id, notification_id, device_id, type, destination, delivery_id, proven, machine,
            link, place)
          CROSS JOIN LATERAL (
            SELECT id, direct_recipient, direct_provider FROM notifications
            WHERE id = t.notification_id AND ${ofRows(sql, sql`app_id = t.app_id`)} OFFSET 0
          ) AS n
          -- OFFSET 0: looked up once for each report, and not once for each use of the result.
          CROSS JOIN LATERAL (
            SELECT CASE WHEN t.proven THEN ${statusCode.sent} ELSE coalesce((
              SELECT d.status FROM deliveries d
              WHERE d.notification_id = n.id AND d.recipient_id = t.device_id AND d.provider NOT IN ('m', 'i')
            ), (
              -- Backwards from the device: its own packed results are among the first whose range it is in. (EXISTS would forget the order.)
              SELECT p.status FROM packed_deliveries p
              WHERE p.notification_id = n.id AND p.first_id <= t.device_id AND p.last_id >= t.device_id
                AND p.provider NOT IN ('m', 'i') AND t.device_id = ANY(p.recipients)
              ORDER BY p.first_id DESC LIMIT 1
            )) END AS status OFFSET 0
          ) AS finished
          CROSS JOIN LATERAL (
            SELECT coalesce(finished.status = ${statusCode.sent}, false) AS is_sent
          ) AS outcome
          CROSS JOIN LATERAL (
            SELECT NOT outcome.is_sent AND EXISTS (
              SELECT 1 FROM devices d WHERE d.app_id = t.app_id AND d.id = t.device_id
            ) AS is_device OFFSET 0
          ) AS there
          CROSS JOIN LATERAL (
            SELECT there.is_device, outcome.is_sent OR (
              there.is_device AND coalesce(n.direct_recipient = t.device_id AND n.direct_provider <> 'smtp', false)
            ) AS is_taken
          ) AS judged
          WHERE finished.status IS NOT NULL OR judged.is_device
        ), asked AS MATERIALIZED (
          SELECT notification_id, array_agg(DISTINCT device_id ORDER BY device_id) AS devices
          FROM looked WHERE may_wait GROUP BY notification_id
        ), waiting AS MATERIALIZED (
          SELECT asked.notification_id, own.id AS device_id
          FROM asked
          CROSS JOIN LATERAL (
            -- With nothing put behind it, a long value is read once from where it is kept, and not for each comparison.
            SELECT b.recipients || '{}' AS recipients FROM batches b
            WHERE b.notification_id = asked.notification_id AND NOT b.done AND b.provider <> 'smtp'
              AND (b.lease_until IS NOT NULL OR b.attempts > 0) OFFSET 0
          ) AS b
          CROSS JOIN LATERAL (
            SELECT d.id FROM unnest(asked.devices) AS d (id)
            WHERE cardinality(asked.devices) <= ${FEW} AND d.id = ANY(b.recipients)
            UNION ALL
            SELECT r.id FROM unnest(b.recipients) AS r (id)
            WHERE cardinality(asked.devices) > ${FEW} AND asked.devices[width_bucket(r.id, asked.devices)] = r.id
          ) AS own
        ), known AS MATERIALIZED (
          SELECT looked.*, looked.is_taken OR waits.is_waiting AS counts FROM looked CROSS JOIN LATERAL (
            SELECT looked.may_wait
              AND (looked.notification_id, looked.device_id) IN (SELECT notification_id, device_id FROM waiting) AS is_waiting
          ) AS waits
          WHERE looked.is_taken OR looked.is_finished OR waits.is_waiting
        ), first AS MATERIALIZED (
          SELECT DISTINCT ON (notification_id, device_id, type) app_id, notification_id, device_id, type, destination,
            delivery_id, link, place, provider, machine OR min(link) OVER same <> max(link) OVER same AS machine
          FROM known WHERE counts
          WINDOW same AS (PARTITION BY notification_id, device_id, type)
          ORDER BY notification_id, device_id, type, known.machine, place
        ), written AS (
          INSERT INTO engagements AS e (notification_id, recipient_id, type, at, machine, link)
          SELECT notification_id, device_id, type, ${PgTypes.timestamptz(at)}, machine, link FROM first
          ORDER BY notification_id, device_id, type
          ON CONFLICT (notification_id, recipient_id, type) DO UPDATE SET machine = NOT e.machine, flips = e.flips + 1
          WHERE CASE WHEN e.machine
            THEN NOT excluded.machine AND excluded.at > e.at + interval '10 s'
            ELSE e.link <> 0 AND excluded.link NOT IN (0, e.link) AND excluded.at < e.at + interval '2 s' END
          RETURNING notification_id, recipient_id, type, machine, flips = 0 AS is_new
        ), counted AS (
          INSERT INTO engagement_counts AS c (notification_id, delivered, opened, clicked, machine_opened, machine_clicked)
          SELECT notification_id, count(*) FILTER (WHERE type = 'd' AND is_new),
            count(*) FILTER (WHERE type = 'o' AND is_new), count(*) FILTER (WHERE type = 'c' AND is_new),
            coalesce(sum(turn) FILTER (WHERE type = 'o'), 0), coalesce(sum(turn) FILTER (WHERE type = 'c'), 0)
          FROM written, LATERAL (SELECT CASE WHEN machine THEN 1 WHEN is_new THEN 0 ELSE -1 END) AS t (turn)
          GROUP BY notification_id ORDER BY notification_id
          ON CONFLICT (notification_id) DO UPDATE SET delivered = c.delivered + excluded.delivered,
            opened = c.opened + excluded.opened, clicked = c.clicked + excluded.clicked,
            machine_opened = c.machine_opened + excluded.machine_opened,
            machine_clicked = c.machine_clicked + excluded.machine_clicked
        ), told AS MATERIALIZED (
          SELECT f.app_id, f.provider, w.recipient_id, w.type, w.machine, w.is_new,
            CASE WHEN w.machine THEN 1 WHEN w.is_new THEN 0 ELSE -1 END AS turn
          FROM written w
          JOIN first f ON f.notification_id = w.notification_id AND f.device_id = w.recipient_id AND f.type = w.type
        ), summed AS (
          ${addUp(
            sql,
            ["delivered", "opened", "clicked", "machine_opened", "machine_clicked"],
            sql`SELECT app_id, provider, ${today(sql)}, count(*) FILTER (WHERE type = 'd' AND is_new),
              count(*) FILTER (WHERE type = 'o' AND is_new), count(*) FILTER (WHERE type = 'c' AND is_new),
              coalesce(sum(turn) FILTER (WHERE type = 'o'), 0), coalesce(sum(turn) FILTER (WHERE type = 'c'), 0)
            FROM told WHERE provider IS NOT NULL GROUP BY app_id, provider ORDER BY app_id, provider`
          )}
        ), latest AS (
          INSERT INTO last_engaged AS l (app_id, recipient_id, delivered_at, opened_at, clicked_at)
          SELECT app_id, recipient_id, ${moment} FILTER (WHERE type = 'd'), ${moment} FILTER (WHERE type = 'o'),
            ${moment} FILTER (WHERE type = 'c')
          FROM told WHERE NOT machine AND provider IS NOT NULL
          GROUP BY app_id, recipient_id ORDER BY app_id, recipient_id
          ON CONFLICT (app_id, recipient_id) DO UPDATE SET
            delivered_at = greatest(l.delivered_at, excluded.delivered_at),
            opened_at = greatest(l.opened_at, excluded.opened_at),
            clicked_at = greatest(l.clicked_at, excluded.clicked_at)
        ), happened AS MATERIALIZED (
          SELECT g.id, g.app_id, g.event, g.common, count(*)::integer AS size,
            json_build_object(
              'notificationId', json_agg(f.notification_id ORDER BY f.place),
              'deliveryLogId', json_agg(f.delivery_id ORDER BY f.place),
              'destination', json_agg(f.destination ORDER BY f.place)
            )::text AS columns
          FROM written w
          JOIN first f ON f.notification_id = w.notification_id AND f.device_id = w.recipient_id AND f.type = w.type
          JOIN unnest(${uuids(groups.map(({ id }) => id))}, ${uuids(groups.map(({ appId }) => appId))},
            ${texts(groups.map(({ type }) => LETTERS[type]))}, ${texts(events.map(({ event }) => event))},
            ${texts(events.map(({ moment }) => JSON.stringify({ [moment]: isoTime(at) })))}
          ) AS g (id, app_id, type, event, common) ON g.app_id = f.app_id AND g.type::"char" = f.type
          WHERE w.is_new
          GROUP BY g.id, g.app_id, g.event, g.common
        ), wanted AS MATERIALIZED (
          SELECT happened.id, h.id AS webhook_id
          FROM happened JOIN webhooks h ON h.app_id = ANY(ARRAY[happened.app_id])
          WHERE h.is_active AND (h.events = '{}' OR happened.event = ANY(h.events))
          FOR KEY SHARE OF h
        ), chunks AS (
          INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
          SELECT id, app_id, event, ${PgTypes.timestamptz(at)}, size, common, columns FROM happened
          WHERE id IN (SELECT id FROM wanted)
          RETURNING id
        ), work AS (
          INSERT INTO webhook_work_items (id, webhook_id, chunk_id)
          SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.webhook_id, wanted.id
          FROM wanted JOIN chunks ON chunks.id = wanted.id
          RETURNING webhook_id
        )
        SELECT ARRAY(SELECT place FROM known) AS known, ARRAY(SELECT DISTINCT webhook_id FROM work) AS webhooks`
      const known = new Set(row!.known)
      const teller = row!.known[0]
      return reports.map((_, i) =>
        known.has(i + 1) ? Option.some(i + 1 === teller ? row!.webhooks : NO_WEBHOOKS) : Option.none()
      )
    }, storeError("EngagementStore.record"))

    const record = yield* coalesce({
      run: recordAll,
      weight: () => 1,
      refusalOf: refusalBySql,
      ownerOf: ({ appId }) => appId,
      rows: 500,
      atOnce: 2
    })

    return EngagementStore.of({ record })
  })
)
