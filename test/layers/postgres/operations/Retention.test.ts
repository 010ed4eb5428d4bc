import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { ensure } from "../../../../layers/postgres/operations/Partitions.ts"
import { RETENTION } from "../../../../layers/postgres/server/advisoryLocks.ts"
import { sweep } from "../../../../layers/postgres/operations/Retention.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"
import { newApp, newWebhook } from "../Stores.ts"

const DAY = 86_400_000
const NOON = Date.parse("2031-03-01T12:00:00Z")
const DAYS = 30
const OLD = NOON - 40 * DAY
const YOUNG = NOON - 2 * DAY

interface Ending {
  readonly madeAt: number
  readonly endedAt: number | null
  readonly status?: string
  readonly open?: boolean
}

/** A notification with two batches, a delivery, packed results of one more and a report. */
const notify = Effect.fnUntraced(function* (appId: string, { endedAt, madeAt, open, status }: Ending) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7(madeAt)
  const ended = endedAt === null ? null : new Date(endedAt)
  yield* sql`
    INSERT INTO notifications (id, app_id, status, priority, request, expires_at, created_at, completed_at, plan_done)
    VALUES (${id}, ${appId}, ${status ?? (ended ? "completed" : "sending")}, 'high', '{}', now(), ${new Date(madeAt)},
      ${ended}, true)`
  for (const done of [true, open !== true && ended !== null]) {
    yield* sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, done, recipients)
      VALUES (${uuidv7(madeAt)}, ${id}, ${appId}, 'fcm', 'high', ${done}, '{}')`
  }
  yield* sql`INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
    VALUES (${id}, ${uuidv7()}, 'f', 's', 1)`
  const packed = uuidv7()
  yield* sql`INSERT INTO packed_deliveries (
      notification_id, first_id, last_id, provider, status, attempts, size, recipients
    ) VALUES (${id}, ${packed}, ${packed}, 'f', 's', 1, 1, ARRAY[${packed}::uuid])`
  yield* sql`INSERT INTO engagements (notification_id, recipient_id, type, at) VALUES (${id}, ${uuidv7()}, 'o', now())`
  yield* sql`INSERT INTO engagement_counts (notification_id, opened) VALUES (${id}, 1)`
  return id
})

const work = Effect.fnUntraced(function* (appId: string, webhookId: string, at: number, done: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [chunk, id] = [uuidv7(at), uuidv7(at)]
  yield* sql`INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
    VALUES (${chunk}, ${appId}, 'NOTIFICATION_SENT', ${new Date(at)}, 1, '{}', '{}')`
  yield* sql`INSERT INTO webhook_work_items (id, webhook_id, chunk_id, done, finished_at)
    VALUES (${id}, ${webhookId}, ${chunk}, ${done}, ${done ? new Date(at) : null})`
  yield* sql`INSERT INTO webhook_attempts (work_item_id, at, records) VALUES (${id}, ${new Date(at)}, ${new Uint8Array(10)})`
  return id
})

const idsOf = Effect.fnUntraced(function* (table: string, column = "id") {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`SELECT ${sql(column)} AS id FROM ${sql(table)} ORDER BY 1`
  return rows.map(({ id }) => id)
})

/** Another node: its statements and its locks are its own. */
const onAnotherNode = Effect.map(TestDatabase, ({ url }) =>
  Layer.fresh(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie))
)

describe("sweep", { concurrent: true }, () => {
  it.live("removes versions of templates that neither a template nor a notification has any more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [old, latest, young, used] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()]
      const retired = [
        [old, OLD],
        [latest, null],
        [young, YOUNG],
        [used, OLD]
      ] as const
      for (const [id, at] of retired) {
        yield* sql`INSERT INTO template_versions (id, app_id, body, retired_at)
          VALUES (${id}, ${app}, '{}', ${at === null ? null : new Date(at)})`
      }
      const notification = yield* notify(app, { madeAt: YOUNG, endedAt: YOUNG })
      yield* sql`UPDATE notifications SET template_version = ${used} WHERE id = ${notification}`
      yield* sweep(DAYS, NOON)
      expect(yield* idsOf("template_versions")).toEqual([latest, young, used].toSorted())
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live(
    "removes what ended long ago with everything of it, and leaves what is young or not at its end",
    () =>
      Effect.gen(function* () {
        yield* ensure(NOON)
        const appId = yield* newApp
        yield* notify(appId, { madeAt: OLD, endedAt: OLD })
        yield* notify(appId, { madeAt: OLD, endedAt: null, status: "cancelled" }).pipe(
          Effect.tap((id) =>
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`UPDATE batches SET done = true WHERE notification_id = ${id}`
            )
          )
        )
        const kept = [
          yield* notify(appId, { madeAt: OLD, endedAt: null }),
          yield* notify(appId, { madeAt: OLD, endedAt: null, status: "scheduled" }),
          yield* notify(appId, { madeAt: OLD, endedAt: YOUNG }),
          yield* notify(appId, { madeAt: OLD, endedAt: OLD, open: true }),
          yield* notify(appId, { madeAt: YOUNG, endedAt: YOUNG })
        ].sort()
        const removed = yield* sweep(DAYS, NOON)
        expect(removed?.notifications).toBe(2)
        expect(yield* idsOf("notifications")).toEqual(kept)
        expect(yield* idsOf("engagement_counts", "notification_id")).toEqual(kept)
        expect(yield* idsOf("batches", "notification_id")).toEqual(kept.flatMap((id) => [id, id]))
        // Rows without a day of their own go with their notification.
        expect(yield* idsOf("deliveries", "notification_id")).toEqual(kept)
        expect(yield* idsOf("packed_deliveries", "notification_id")).toEqual(kept)
        expect(yield* idsOf("engagements", "notification_id")).toEqual(kept)
      }).pipe(Effect.provide(testDatabase())),
    240_000
  )

  it.live(
    "drops whole days, but none on which a notification was accepted that is still there",
    () =>
      Effect.gen(function* () {
        const appId = yield* newApp
        const [ended, sending, young] = [OLD, OLD + 5 * DAY, NOON - DAY]
        for (const day of [ended, sending, young]) yield* ensure(day)
        yield* notify(appId, { madeAt: ended, endedAt: ended })
        yield* notify(appId, { madeAt: sending, endedAt: null })
        yield* notify(appId, { madeAt: young, endedAt: young })
        const sql = yield* SqlClient.SqlClient
        const partitions = Effect.map(
          sql<{ name: string }>`SELECT inhrelid::regclass::text AS name FROM pg_inherits
          WHERE inhparent IN ('deliveries'::regclass, 'packed_deliveries'::regclass) ORDER BY 1`,
          (rows) => rows.map(({ name }) => name)
        )
        const before = yield* partitions
        const namesOf = (at: number) =>
          ["deliveries", "packed_deliveries"].map(
            (table) => `${table}_${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`
          )
        expect(before).toEqual(expect.arrayContaining([ended, sending, young].flatMap(namesOf)))
        const removed = yield* sweep(DAYS, NOON)
        const after = yield* partitions
        expect(removed?.postponed).toEqual([])
        expect(removed?.days.filter((name) => name.includes("deliver"))).toEqual(
          before.filter((name) => !after.includes(name))
        )
        for (const name of namesOf(ended)) expect(after).not.toContain(name)
        expect(after).toEqual(
          expect.arrayContaining([
            ...namesOf(sending),
            ...namesOf(young),
            "deliveries_other",
            "packed_deliveries_other"
          ])
        )
        // The last day that ended before the cutoff went; the next one did not.
        for (const name of namesOf(NOON - (DAYS + 1) * DAY)) expect(after).not.toContain(name)
        expect(yield* idsOf("deliveries", "notification_id")).toHaveLength(2)
        expect(yield* idsOf("packed_deliveries", "notification_id")).toHaveLength(2)
      }).pipe(Effect.provide(testDatabase())),
    240_000
  )

  it.live("removes finished webhook work with its attempts and events, and old dead letters", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const webhookId = yield* newWebhook(appId)
      yield* work(appId, webhookId, OLD, true)
      const kept = [yield* work(appId, webhookId, OLD, false), yield* work(appId, webhookId, YOUNG, true)].sort()
      const letters = [uuidv7(OLD), uuidv7(YOUNG)]
      for (const id of letters) {
        yield* sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts)
          VALUES (${id}, ${appId}, 'webhook', 'timeout', 6)`
      }
      expect(yield* sweep(DAYS, NOON)).toMatchObject({ webhookWork: 1, deadLetters: 1 })
      expect(yield* idsOf("webhook_work_items")).toEqual(kept)
      expect(yield* idsOf("webhook_attempts", "work_item_id")).toEqual(kept)
      expect(yield* idsOf("event_chunks")).toHaveLength(2)
      expect(yield* idsOf("dead_letters")).toEqual([letters[1]])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("removes old webhook work that waits for a webhook which is disabled", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [enabled, disabled] = [yield* newWebhook(appId), yield* newWebhook(appId)]
      yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${disabled}`
      yield* work(appId, disabled, OLD, false)
      const kept = [yield* work(appId, enabled, OLD, false), yield* work(appId, disabled, YOUNG, false)].sort()
      expect(yield* sweep(DAYS, NOON)).toMatchObject({ webhookWork: 1 })
      expect(yield* idsOf("webhook_work_items")).toEqual(kept)
      expect(yield* idsOf("webhook_attempts", "work_item_id")).toEqual(kept)
      expect(yield* idsOf("event_chunks")).toHaveLength(2)
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("removes old replays, unless they are still at work", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const replays = [uuidv7(OLD), uuidv7(OLD), uuidv7(YOUNG)]
      for (const [at, id] of replays.entries()) {
        yield* sql`INSERT INTO replays (id, app_id, filter, status)
          VALUES (${id}, ${appId}, '{}', ${at === 0 ? "running" : "completed"})`
      }
      yield* sweep(DAYS, NOON)
      expect(yield* idsOf("replays")).toEqual([replays[0], replays[2]].toSorted())
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("removes audit entries after the days of their own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const ids = [uuidv7(OLD), uuidv7(YOUNG)]
      for (const id of ids) {
        yield* sql`INSERT INTO audit_log (id, app_id, actor_kind, action, details)
          VALUES (${id}, ${appId}, 'system', 'application.changed', '{}')`
      }
      expect(yield* sweep(DAYS, NOON, 36_500)).toMatchObject({ auditEntries: 0 })
      expect(yield* sweep(DAYS, NOON, DAYS)).toMatchObject({ auditEntries: 1 })
      expect(yield* idsOf("audit_log")).toEqual([ids[1]])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("removes old inbox messages, read or not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const contact = uuidv7()
      yield* sql`INSERT INTO contacts (id, app_id, external_id) VALUES (${contact}, ${appId}, 'reader')`
      const messages = [uuidv7(OLD), uuidv7(OLD), uuidv7(YOUNG)]
      for (const [at, id] of messages.entries()) {
        yield* sql`INSERT INTO inbox_messages (id, app_id, contact_id, read_at)
          VALUES (${id}, ${appId}, ${contact}, ${at === 0 ? new Date(OLD) : null})`
      }
      expect(yield* sweep(DAYS, NOON)).toMatchObject({ inboxMessages: 2 })
      expect(yield* idsOf("inbox_messages")).toEqual([messages[2]])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live(
    "removes executions that ended long ago with what they left, but for the one that says who entered once",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const apps = [yield* newApp, yield* newApp]
        const [workflow, removed, version] = [uuidv7(), uuidv7(), uuidv7()]
        yield* sql`INSERT INTO workflows (id, app_id, name, version_id, trigger_type)
        VALUES (${workflow}, ${apps[0]}, 'x', ${version}, 'api')`
        const kept: Array<string> = []
        const run = Effect.fnUntraced(function* (
          stays: boolean,
          endedAt: number | null,
          { app = apps[0]!, entryKey = null as string | null, of = workflow } = {}
        ) {
          const id = uuidv7(OLD)
          yield* sql`INSERT INTO executions (app_id, id, workflow_id, version_id, contact_id, user_id, status, position, entry_key,
            ended_at, data, steps, sends, history)
          VALUES (${app}, ${id}, ${of}, ${version}, ${id}, ${id}, ${endedAt === null ? "waiting" : "completed"}, 0,
            ${entryKey}, ${endedAt === null ? null : new Date(endedAt)}, '{"a":1}', '{"b":2}', '{"c":"d"}', '{},')`
          yield* sql`INSERT INTO digest_items (app_id, opener_id, step_key, execution_id, data)
          VALUES (${app}, ${id}, 'sum', ${id}, '{}')`
          yield* sql`INSERT INTO execution_events (app_id, user_id, event, execution_id) VALUES (${app}, ${id}, 'e', ${id})`
          if (stays) kept.push(id)
        })
        for (const app of apps) {
          yield* run(false, OLD, { app })
          yield* run(true, YOUNG, { app })
          yield* run(true, null, { app })
        }
        yield* run(true, OLD, { entryKey: "xu" })
        const once = kept.at(-1)!
        yield* run(true, YOUNG, { entryKey: "xv" })
        yield* run(false, OLD, { entryKey: "xu", of: removed })
        expect(yield* sweep(DAYS, NOON)).toMatchObject({ executions: 3 })
        expect(yield* idsOf("executions")).toEqual(kept.toSorted())
        // Nothing is left of what it carried and did; of all others it is.
        const left = yield* sql<{ readonly id: string }>`
          SELECT id FROM executions WHERE data = '{}' AND steps = '{}' AND sends = '{}' AND history = ''`
        expect(left).toEqual([{ id: once }])
        const whole = yield* sql`SELECT 1 FROM executions WHERE data = '{"a":1}' AND history = '{},'`
        expect(whole).toHaveLength(kept.length - 1)
        expect(yield* idsOf("digest_items", "opener_id")).toEqual(kept.toSorted())
        expect(yield* idsOf("execution_events", "execution_id")).toEqual(kept.toSorted())
        expect(yield* sweep(DAYS, NOON)).toMatchObject({ executions: 0 })
      }).pipe(Effect.provide(testDatabase()))
  )

  it.live("removes events of applications' own after a week, and throttles when they are over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [old, open, young] = [uuidv7(NOON - 8 * DAY), uuidv7(NOON - 8 * DAY), uuidv7(NOON - 6 * DAY)]
      for (const id of [old, open, young]) {
        yield* sql`INSERT INTO custom_events (app_id, id, user_id, event, is_done) VALUES (${app}, ${id}, 'u', 'e', ${id !== open})`
      }
      for (const [key, at] of [
        ["over", NOON - 1],
        ["not yet", NOON + 1]
      ] as const) {
        yield* sql`INSERT INTO throttles (app_id, workflow_id, step_key, contact_id, throttle_key, opened_at, over_at, passed, granted)
          VALUES (${app}, ${app}, 'cap', ${app}, ${key}, now(), ${new Date(at)}, 1, 1)`
      }
      yield* sweep(DAYS, NOON)
      expect(yield* idsOf("custom_events")).toEqual([open, young].toSorted())
      expect(yield* idsOf("throttles", "throttle_key")).toEqual(["not yet"])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("keeps versions of templates for as long as a version of a workflow is filled from them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const [used, unused, workflow] = [uuidv7(), uuidv7(), uuidv7()]
      for (const id of [used, unused]) {
        yield* sql`INSERT INTO template_versions (id, app_id, body, retired_at) VALUES (${id}, ${app}, '{}', ${new Date(OLD)})`
      }
      yield* sql`INSERT INTO workflows (id, app_id, name, version_id, trigger_type)
        VALUES (${workflow}, ${app}, 'x', ${workflow}, 'api')`
      yield* sql`INSERT INTO workflow_versions (id, workflow_id, version, definition, templates)
        VALUES (${workflow}, ${workflow}, 1, '{}', ${JSON.stringify({ hello: { version: used, parts: [], asksRun: false } })}::json)`
      yield* sweep(DAYS, NOON)
      expect(yield* idsOf("template_versions")).toEqual([used])
      yield* sql`DELETE FROM workflows WHERE id = ${workflow}`
      yield* sweep(DAYS, NOON)
      expect(yield* idsOf("template_versions")).toEqual([])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live("works through more than one chunk", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const letters = Array.from({ length: 2500 }, () => uuidv7(OLD))
      yield* sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts)
        SELECT id, ${appId}, 'notification', 'expired', 1 FROM unnest(${letters}::uuid[]) AS id`
      expect((yield* sweep(DAYS, NOON))?.deadLetters).toBe(2500)
    }).pipe(Effect.provide(testDatabase()))
  )

  it.live(
    "passes over a day that somebody reads, without making writers wait, and takes it the next time",
    () =>
      Effect.gen(function* () {
        yield* ensure(OLD)
        const sql = yield* SqlClient.SqlClient
        const appId = yield* newApp
        const another = yield* onAnotherNode
        const name = `deliveries_${new Date(OLD).toISOString().slice(0, 10).replaceAll("-", "")}`
        // A reader that stays in its transaction for as long as the sweep lasts.
        const removed = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 FROM ${sql(name)}`
            const sweeping = yield* Effect.forkChild(Effect.provide(sweep(DAYS, NOON), another))
            // What queues behind the waiting sweep goes through while it still tries.
            yield* Effect.provide(
              Effect.forEach(Array.from({ length: 20 }), () => notify(appId, { madeAt: YOUNG, endedAt: YOUNG })),
              another
            )
            return yield* Fiber.join(sweeping)
          })
        )
        expect(removed?.postponed).toContain(name)
        expect(removed?.days).toContain(name.replace("deliveries", "engagements"))
        expect((yield* sweep(DAYS, NOON))?.days).toContain(name)
      }).pipe(Effect.provide(testDatabase())),
    240_000
  )

  it.live("is done by one node at a time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const another = yield* onAnotherNode
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(${RETENTION})`
          expect(yield* Effect.provide(sweep(DAYS, NOON), another)).toBe(null)
        })
      )
      // The lock is given back, on every connection that may be the next one to try.
      for (let i = 0; i < 3; i++) expect(yield* sweep(DAYS, NOON)).not.toBe(null)
      expect(yield* Effect.provide(sweep(DAYS, NOON), another)).not.toBe(null)
    }).pipe(Effect.provide(testDatabase()))
  )
})
