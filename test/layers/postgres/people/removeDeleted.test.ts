import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as OrganizationStores from "../../../../layers/postgres/people/OrganizationStore.ts"
import type {
  AppId,
  ContactId,
  NotificationId,
  OrganizationId,
  WebhookId,
  WorkflowId
} from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { OrganizationStore } from "../../../../services/ports/people/OrganizationStore.ts"
import { TestDatabase } from "../../../Database.ts"
import { crypto, node, peopleStores, person } from "../../../services/engine/people/People.ts"
import type { Place, TableName } from "../Rows.ts"
import { insertOf, TABLES } from "../Rows.ts"

/** More than are removed at once. */
const ROWS = 2_300

/** Tables that hold nothing of applications, or nothing that would have to go with one. */
const OTHERS = new Set([
  "accounts",
  "address_changes",
  "external_sign_ins",
  "holders",
  "invitations",
  "login_codes",
  "master_key_check",
  "members",
  "migrations",
  "oauth_states",
  "organizations",
  "pending_sign_ins",
  // What was deleted, and by whom, stays on record.
  "people_log",
  "rate_limits",
  // What a process has in hand, which goes with it.
  "run_claims",
  "service_mails",
  "sessions",
  "sign_in_attempts"
])

/** How many rows each table has, partitions by their parents. */
const counts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
      AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'ids_%' ORDER BY 1`
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    if (OTHERS.has(name)) continue
    found[name] = (yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql(name)}`)[0]!.n
  }
  return found
})

let places = 0
/** Fills an application with rows of every table that there is. */
const fill = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const ids = `ids_${++places}`
  const place: Place = {
    app,
    webhook: uuidv7() as WebhookId,
    contact: uuidv7() as ContactId,
    notification: uuidv7() as NotificationId,
    workflow: uuidv7() as WorkflowId
  }
  const { contact, notification, webhook, workflow } = place
  yield* sql.unsafe(
    `CREATE TABLE ${ids} AS SELECT i, gen_random_uuid() AS id, now() - i * interval '1 ms' AS at FROM generate_series(1, ${ROWS}) AS i`
  )
  yield* sql`INSERT INTO contacts (app_id, id, external_id) VALUES (${app}, ${contact}, 'reader')`
  yield* sql`
    INSERT INTO workflows (app_id, id, name, version_id, trigger_type) VALUES (${app}, ${workflow}, 'x', ${workflow}, 'api')`
  yield* sql`INSERT INTO webhooks (app_id, id, name, url) VALUES (${app}, ${webhook}, 'x', 'https://example.com/')`
  yield* sql`
    INSERT INTO notifications (app_id, id, status, priority, request, expires_at)
    VALUES (${app}, ${notification}, 'sending', 'bulk', '{}', now())`
  for (const table of Object.keys(TABLES) as ReadonlyArray<TableName>) yield* sql.unsafe(insertOf(table, place, ids))
  for (const statement of [
    `INSERT INTO batches (id, notification_id, app_id, provider, priority, done, recipients)
      SELECT id, '${notification}', '${app}', 'fcm', 'bulk', i % 2 = 0, '{}' FROM ${ids}`,
    `INSERT INTO engagements (notification_id, recipient_id, type, at) SELECT '${notification}', id, 'o', at FROM ${ids}`,
    `INSERT INTO engagement_counts (notification_id, opened) VALUES ('${notification}', 1)`,
    `INSERT INTO last_engaged (app_id, recipient_id, opened_at)
      SELECT '${app}'::uuid, id, at FROM ${ids} UNION ALL SELECT '${app}'::uuid, gen_random_uuid(), now()`,
    `INSERT INTO idempotency_keys (app_id, route, key, fingerprint, holder, lease_until)
      SELECT '${app}', 'POST', id::text, '', id, at FROM ${ids}`,
    `INSERT INTO erased_people (app_id, person, erased_at) SELECT '${app}', sha256(uuid_send(id)), at FROM ${ids} WHERE i < 5`,
    `INSERT INTO credentials (app_id, kind, sealed, settings)
      VALUES ('${app}', 'smtp', '', '{}')`,
    `INSERT INTO webhook_attempts (work_item_id, at, records) SELECT id, at, '' FROM ${ids}`,
    `INSERT INTO redeliveries (id, app_id, webhook_id) SELECT id, '${app}', '${webhook}' FROM ${ids} WHERE i < 5`,
    `INSERT INTO workflow_step_counts (version_id, step_order) SELECT id, 1 FROM ${ids}`,
    `INSERT INTO workflow_entries (id, app_id, workflow_id, audience, until_id)
      SELECT id, '${app}', id, '{}', id FROM ${ids} WHERE i < 5`,
    `INSERT INTO workflow_entry_exclusions (entry_id, user_id) SELECT id, 'u' FROM ${ids} WHERE i < 5`,
    `INSERT INTO execution_cancels (id, app_id, at, until_id, after_id, detail)
      SELECT id, '${app}', at, id, id, '' FROM ${ids} WHERE i < 5`,
    `INSERT INTO fetch_hosts (app_id, host, next_at) SELECT '${app}', id::text, at FROM ${ids}`,
    `INSERT INTO custom_events (app_id, id, user_id, event) SELECT '${app}', id, 'reader', 'x' FROM ${ids}`,
    `INSERT INTO contact_changes (app_id, contact_id) SELECT '${app}', '${contact}' FROM ${ids}`,
    `INSERT INTO execution_events (app_id, user_id, event, execution_id) SELECT '${app}', 'reader', 'x', id FROM ${ids}`,
    `INSERT INTO execution_outcomes (notification_id, app_id, execution_id) SELECT '${notification}', '${app}', id FROM ${ids}`,
    `INSERT INTO digests (app_id, workflow_id, step_key, contact_id, digest_key, execution_id, opened_at, closes_at, size)
      SELECT '${app}', '${workflow}', 'x', id, '', id, at, at, 1 FROM ${ids}`,
    `INSERT INTO digest_items (app_id, opener_id, step_key, execution_id, data) SELECT '${app}', id, 'x', id, '{}' FROM ${ids}`,
    `INSERT INTO throttles (app_id, workflow_id, step_key, contact_id, throttle_key, opened_at, over_at, passed, granted)
      SELECT '${app}', '${workflow}', 'x', id, '', at, at, 1, 1 FROM ${ids}`,
    `INSERT INTO watched_segments (segment_id, app_id, filter, since) SELECT id, '${app}', '{}', at FROM ${ids} WHERE i < 5`,
    `INSERT INTO segment_members (segment_id, contact_id)
      SELECT s.id, c.id FROM ${ids} AS s, ${ids} AS c WHERE s.i = 1`,
    `INSERT INTO early_looks (segment_id, contact_id, since)
      SELECT s.id, c.id, now() FROM ${ids} AS s, ${ids} AS c WHERE s.i = 1`,
    `INSERT INTO daily_stats (app_id, day, provider, slot) SELECT '${app}', current_date - i, 'fcm', 0 FROM ${ids}`
  ])
    yield* sql.unsafe(statement)
  return place
})

/** The store of a node with connections of its own. */
const storeOfNode = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const over = Layer.merge(PgClient.layerFrom(pool(url, 2)).pipe(Layer.orDie), crypto)
  return Context.get(
    yield* Layer.build(Layer.fresh(OrganizationStores.layer.pipe(Layer.provide(over)))),
    OrganizationStore
  )
})

/** Organizations that are deleted now were deleted a minute ago: what was under way then has ended. */
const aged = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE organizations SET deleted_at = deleted_at - interval '1 minute' WHERE deleted_at IS NOT NULL`
)

layer(peopleStores())("what deleted organizations leave behind", (it) => {
  it.effect("goes from every table, in parts, by any node, and nothing of others goes with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* node()
      yield* fill((yield* person(one)).first!.application.appId)
      const alone = yield* counts
      const gone = yield* person(one)
      const { application: second } = yield* one.organizations.createApplication(
        gone.person,
        gone.organization,
        "Second"
      )
      yield* fill(gone.first!.application.appId)
      yield* fill(second.id)
      const filled = yield* counts
      // A table that nobody thought of shows itself here.
      expect(Object.keys(filled).filter((table) => filled[table]! <= alone[table]!)).toEqual([])

      yield* one.organizations.remove(gone.person, gone.organization)
      yield* aged
      const isLeft = (id: OrganizationId) => sql`SELECT 1 FROM organizations WHERE id = ${id}`
      expect(yield* isLeft(gone.organization)).toHaveLength(1)
      const stores = [yield* storeOfNode, yield* storeOfNode]
      let parts = 0
      let rows = 0
      while ((yield* isLeft(gone.organization)).length > 0) {
        if (parts === 10) {
          // Nodes that end in the middle leave the rest to those that start.
          stores.splice(0, 2, yield* storeOfNode, yield* storeOfNode)
        }
        const removed = yield* Effect.forEach(stores, (store) => store.removeDeleted, { concurrency: "unbounded" })
        for (const count of removed) {
          expect(count).toBeLessThanOrEqual(2_000)
          rows += count
          parts++
        }
      }
      expect(rows).toBeGreaterThan(2 * 10 * ROWS)
      expect(yield* stores[0]!.removeDeleted).toBe(0)

      expect(yield* counts).toEqual(alone)
    })
  )

  it.effect("goes also where it is written later by what was under way then, and keeps no other waiting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* node()
      const [first, second] = [yield* person(one), yield* person(one)]
      const [store, app] = [yield* storeOfNode, first.first!.application.appId]
      const devices = sql`SELECT 1 FROM devices WHERE app_id = ${app}`
      const write = sql`INSERT INTO devices (app_id, id, token_hash, platform, token)
        VALUES (${app}, ${uuidv7()}, '\\x01', 'ios', 'a')`
      const removeAll = Effect.gen(function* () {
        while ((yield* store.removeDeleted) > 0);
      })
      yield* one.organizations.remove(second.person, second.organization)
      yield* aged
      yield* one.organizations.remove(first.person, first.organization)
      yield* write
      yield* removeAll
      expect(yield* devices).toHaveLength(0)
      const left = sql<{ id: OrganizationId }>`SELECT id FROM organizations WHERE deleted_at IS NOT NULL`
      expect((yield* left).map(({ id }) => id)).toEqual([first.organization])
      yield* write
      // Not looked through again while nobody can be done with it: of many that were deleted that took a node a quarter of a core.
      yield* TestClock.adjust("20 seconds")
      yield* removeAll
      expect(yield* devices).toHaveLength(1)
      yield* aged
      yield* TestClock.adjust("11 seconds")
      yield* removeAll
      expect(yield* devices).toHaveLength(0)
      expect(yield* left).toHaveLength(0)
    })
  )

  it.effect("goes although that of another organization cannot be removed, which is tried again a minute later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* node()
      const [stuck, other] = [yield* person(one), yield* person(one)]
      expect(stuck.organization < other.organization).toBe(true)
      for (const { organization, person } of [stuck, other]) yield* one.organizations.remove(person, organization)
      yield* aged
      yield* sql`
        CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF OLD.organization_id = TG_ARGV[0]::uuid THEN RAISE 'it cannot be removed'; END IF;
          RETURN OLD;
        END $$`
      yield* sql.unsafe(`CREATE TRIGGER refuse_removal BEFORE DELETE ON applications
        FOR EACH ROW EXECUTE FUNCTION refuse_removal('${stuck.organization}')`)
      const store = yield* storeOfNode
      /** Removes until nothing goes any more; how often it failed. */
      const removed = Effect.gen(function* () {
        let failures = 0
        for (let parts = 1; parts < 50; parts++) {
          const part = yield* Effect.result(store.removeDeleted)
          if (part._tag === "Failure") failures++
          else if (part.success === 0) break
        }
        return failures
      })
      const left = Effect.map(
        sql<{ id: OrganizationId }>`SELECT id FROM organizations WHERE deleted_at IS NOT NULL`,
        (rows) => rows.map(({ id }) => id)
      )
      expect(yield* removed).toBe(1)
      expect(yield* left).toEqual([stuck.organization])
      yield* TestClock.adjust("61 seconds")
      expect(yield* removed).toBe(1)
      yield* sql`DROP TRIGGER refuse_removal ON applications`
      yield* TestClock.adjust("61 seconds")
      expect(yield* removed).toBe(0)
      expect(yield* left).toEqual([])
    })
  )
})
