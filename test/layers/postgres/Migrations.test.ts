import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { describe } from "vitest"
import { pool } from "../../../layers/postgres/Database.ts"
import { migrate, MIGRATIONS } from "../../../layers/postgres/Migrations.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import { testDatabase, freshDatabase } from "../../Database.ts"

const names = MIGRATIONS.map(({ name }) => name)

describe("migrate", () => {
  it.effect("applies every migration once when several nodes start at the same moment", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const node = migrate.pipe(Effect.provide(PgClient.layerFrom(pool(url, 2))))
      const applied = yield* Effect.all(
        Array.from({ length: 6 }, () => node),
        { concurrency: "unbounded" }
      )
      expect(applied.filter((list) => list.length > 0)).toEqual([names])
    })
  )

  it.effect("refuses a database that a later release has migrated", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO migrations (id, name) VALUES (999, 'of the future')`
      const error = yield* Effect.flip(migrate)
      expect(error._tag).toBe("DatabaseIsNewer")
      expect(error.message).toContain("999 (of the future)")
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("changes nothing in a database that is up to date", () =>
    Effect.gen(function* () {
      expect(yield* migrate).toEqual([])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect(
    "takes a database of the first release along with all that is in it, which that release can go on with",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        // As that release would: a database that it has migrated, and the statements by which it writes.
        yield* sql`CREATE TABLE migrations (
        id integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
      )`
        const first = MIGRATIONS.filter(({ id }) => id <= 4)
        for (const { id, name, sql: script } of first) {
          yield* sql.unsafe(`DO $do$ BEGIN EXECUTE $script$${script}$script$; END $do$`).unprepared
          yield* sql`INSERT INTO migrations (id, name) VALUES (${id}, ${name})`
        }
        const app = uuidv7()
        const mailing = uuidv7()
        yield* sql`WITH org AS (INSERT INTO organizations (id, name) VALUES (${uuidv7()}, 'o') RETURNING id)
        INSERT INTO applications (id, organization_id, name, identity_secret)
        SELECT ${app}, id, 'a', '\\x00' FROM org`
        yield* sql`INSERT INTO api_keys (id, app_id, kind, hash, hint)
        VALUES (${uuidv7()}, ${app}, 'secret', sha256('k'), 'k')`
        const write = Effect.gen(function* () {
          const [contact, batch, device] = [uuidv7(), uuidv7(), uuidv7()]
          yield* sql`INSERT INTO contacts (id, app_id, external_id, attributes)
          VALUES (${contact}, ${app}, ${contact}, ${'{"plan":"pro","n":[1,{"x":null}]}'}::text::json)`
          yield* sql`INSERT INTO inbox_messages (id, app_id, contact_id, title)
          VALUES (${uuidv7()}, ${app}, ${contact}, 'Hello')`
          yield* sql`INSERT INTO notifications (id, app_id, priority, request, expires_at, status, plan_done)
          VALUES (${mailing}, ${app}, 'bulk', '{}', now(), 'sending', true) ON CONFLICT DO NOTHING`
          yield* sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients)
          VALUES (${batch}, ${mailing}, ${app}, 'apns', 'bulk', ARRAY[${device}::uuid])`
          yield* sql`INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
          VALUES (${mailing}, ${device}, 'a', 's', 1)`
          yield* sql`UPDATE batches SET recipients = '{}', sent = 1, done = true WHERE id = ${batch}`
          yield* sql`INSERT INTO engagements (notification_id, recipient_id, type, at)
          VALUES (${mailing}, ${device}, 'o', now())`
          yield* sql`INSERT INTO engagement_counts AS c (notification_id, opened) VALUES (${mailing}, 1)
          ON CONFLICT (notification_id) DO UPDATE SET opened = c.opened + 1`
          yield* sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts)
          VALUES (${uuidv7()}, ${app}, 'webhook', 'timeout', 6)`
          yield* sql`INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
          VALUES (${uuidv7()}, ${app}, 'NOTIFICATION_SENT', now(), 1, '{}', '{}')`
        })
        yield* write
        const later = MIGRATIONS.filter(({ id }) => id > 4).map(({ name }) => name)
        expect(yield* migrate).toEqual(later)
        yield* write
        const [kept] = yield* sql`SELECT
        (SELECT count(*)::integer FROM contacts WHERE attributes::jsonb @> '{"plan":"pro"}') AS contacts,
        (SELECT count(*)::integer FROM inbox_messages WHERE written_by IS NOT NULL) AS messages,
        (SELECT sum(sent)::integer FROM batches WHERE notification_id = ${mailing} AND expires_at IS NULL) AS sent,
        (SELECT count(*)::integer FROM deliveries) AS deliveries,
        (SELECT count(*)::integer FROM engagements WHERE NOT machine AND link = 0) AS engagements,
        (SELECT opened - machine_opened FROM engagement_counts) AS opened,
        (SELECT count(*)::integer FROM dead_letters WHERE replayed_at IS NULL) AS letters,
        (SELECT count(*)::integer FROM event_chunks WHERE trace IS NULL) AS chunks,
        (SELECT count(*)::integer FROM api_keys WHERE name = '') AS keys`
        expect(kept).toEqual({
          contacts: 2,
          messages: 2,
          sent: 2,
          deliveries: 2,
          engagements: 2,
          opened: 2,
          letters: 2,
          chunks: 2,
          keys: 1
        })
      }).pipe(Effect.provide(testDatabase("empty")))
  )
})
