import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { EngagementType } from "../../services/domain/Engagement.ts"
import { ENGAGEMENT_EVENTS } from "../../services/domain/Engagement.ts"
import type { AppId, HookId } from "../../services/domain/Ids.ts"
import { deliveryIdOf, uuidv7 } from "../../services/domain/Ids.ts"
import { isoTime } from "../../services/domain/Time.ts"
import type { Engaged } from "../../services/ports/EngagementStore.ts"
import { EngagementStore } from "../../services/ports/EngagementStore.ts"
import { coalesce, isRefusedBySql } from "./Coalesce.ts"
import { texts, uuids } from "./columns.ts"
import { storeError } from "./storeError.ts"

const LETTERS: Readonly<Record<EngagementType, string>> = { delivered: "d", opened: "o", clicked: "c" }

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

const NO_HOOKS: ReadonlyArray<HookId> = []

/*
 * One statement for many reports. Its parts:
 *
 *   known    those whose notification is the application's and was sent to the device. The delivery's row says so; before
 *            it is written (a phone may be quicker than the engine's chunk of results) the batch in which the device
 *            still is, if anybody has taken that batch yet. Looking through batches is costly: ids of no device at
 *            all never get that far
 *   written  each delivery and type once: what is there already stays, and is not counted or told again
 *   counted  the counters, by what was written
 *   wanted … the events of what was written, for the hooks that subscribe to them (as in finishBatch)
 *
 * Rows are written in the order of their keys, so that no two statements can wait for each other.
 */
export const layer: Layer.Layer<EngagementStore, never, SqlClient.SqlClient> = Layer.effect(
  EngagementStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const recordAll = Effect.fnUntraced(function* (reports: ReadonlyArray<Engaged>) {
      const at = Date.now()
      const groups = groupsOf(reports)
      const events = groups.map(({ type }) => ENGAGEMENT_EVENTS[type])
      const [row] = yield* sql<{ readonly known: ReadonlyArray<number>; readonly hooks: ReadonlyArray<HookId> }>`
        WITH known AS MATERIALIZED (
          SELECT t.app_id, t.notification_id, t.device_id, t.type::"char" AS type, t.destination, t.delivery_id,
            t.place::integer AS place
          FROM unnest(${uuids(reports.map(({ appId }) => appId))},
            ${uuids(reports.map(({ notificationId }) => notificationId))},
            ${uuids(reports.map(({ deviceId }) => deviceId))}, ${texts(reports.map(({ type }) => LETTERS[type]))},
            ${texts(reports.map(({ destination }) => destination))},
            ${uuids(reports.map(({ notificationId, deviceId }) => deliveryIdOf(notificationId, deviceId)))}
          ) WITH ORDINALITY AS t (app_id, notification_id, device_id, type, destination, delivery_id, place)
          JOIN notifications n ON n.id = t.notification_id AND n.app_id = t.app_id
          WHERE EXISTS (
            SELECT 1 FROM deliveries d
            WHERE d.notification_id = t.notification_id AND d.recipient_id = t.device_id AND d.provider <> 'm'
          ) OR (
            EXISTS (SELECT 1 FROM devices d WHERE d.app_id = t.app_id AND d.id = t.device_id)
            AND EXISTS (
              SELECT 1 FROM batches b
              WHERE b.notification_id = t.notification_id AND NOT b.done AND b.provider <> 'smtp'
                AND (b.lease_until IS NOT NULL OR b.attempts > 0) AND t.device_id = ANY(b.recipients)
            )
          )
        ), first AS MATERIALIZED (
          SELECT DISTINCT ON (notification_id, device_id, type) * FROM known
          ORDER BY notification_id, device_id, type, place
        ), written AS (
          INSERT INTO engagements (notification_id, recipient_id, type, at)
          SELECT notification_id, device_id, type, ${PgTypes.timestamptz(at)} FROM first
          ORDER BY notification_id, device_id, type
          ON CONFLICT DO NOTHING
          RETURNING notification_id, recipient_id, type
        ), counted AS (
          INSERT INTO engagement_counts AS c (notification_id, delivered, opened, clicked)
          SELECT notification_id, count(*) FILTER (WHERE type = 'd'), count(*) FILTER (WHERE type = 'o'),
            count(*) FILTER (WHERE type = 'c')
          FROM written GROUP BY notification_id ORDER BY notification_id
          ON CONFLICT (notification_id) DO UPDATE SET delivered = c.delivered + excluded.delivered,
            opened = c.opened + excluded.opened, clicked = c.clicked + excluded.clicked
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
          GROUP BY g.id, g.app_id, g.event, g.common
        ), wanted AS MATERIALIZED (
          SELECT happened.id, h.id AS hook_id
          FROM happened JOIN hooks h ON h.app_id = happened.app_id
          WHERE h.is_active AND (h.events = '{}' OR happened.event = ANY(h.events))
          FOR KEY SHARE OF h
        ), chunks AS (
          INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
          SELECT id, app_id, event, ${PgTypes.timestamptz(at)}, size, common, columns FROM happened
          WHERE id IN (SELECT id FROM wanted)
          RETURNING id
        ), work AS (
          INSERT INTO hook_work (id, hook_id, chunk_id)
          SELECT (left(wanted.id::text, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, wanted.hook_id, wanted.id
          FROM wanted JOIN chunks ON chunks.id = wanted.id
          RETURNING hook_id
        )
        SELECT ARRAY(SELECT place FROM known) AS known, ARRAY(SELECT DISTINCT hook_id FROM work) AS hooks`
      const known = new Set(row!.known)
      const teller = row!.known[0]
      return reports.map((_, i) =>
        known.has(i + 1) ? Option.some(i + 1 === teller ? row!.hooks : NO_HOOKS) : Option.none()
      )
    }, storeError("EngagementStore.record"))

    const record = yield* coalesce({
      run: recordAll,
      weight: () => 1,
      isRefusal: isRefusedBySql,
      rows: 500,
      atOnce: 2
    })

    return EngagementStore.of({ record })
  })
)
