import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { AppId, NotificationId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import { uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"
import { forgetNames } from "./forgetNames.ts"

/*
 * What deleted organizations leave behind, removed in parts: each call is one transaction of a few thousand rows, under the
 * organization's lock, so that one node is at it. Where it stands, the rows themselves say: whoever comes next, after a
 * restart too, goes on with what is left.
 */

/** Rows that one statement deletes, at most. */
const CHUNK = 2_000
/** Notifications whose results are removed together. */
const NOTIFICATIONS = 200

/** After so long an organization has another turn that failed: meanwhile it is the others'. */
const AGAIN_MS = 60_000
const LOOK_MS = 5_000

/**
 * An application goes no earlier than so long after its organization, seconds: until then what was under way has ended, an
 * import's last rows for example, and what that wrote is removed too.
 */
const LEFT = 30

/** Tables with an index that begins with the application, and their keys; each before those whose rows it needs. */
const OF_APPLICATION: ReadonlyArray<readonly [table: string, key: string]> = [
  ["devices", "app_id, id"],
  ["channels", "app_id, id"],
  ["contacts", "id"],
  ["last_engaged", "app_id, recipient_id"],
  ["daily_stats", "app_id, day, provider, slot"],
  ["idempotency_keys", "app_id, route, key"],
  ["erased_people", "app_id, person"],
  ["dead_letters", "id"],
  ["audit_log", "id"]
]

/** First of all: nobody enters any more, and what waits goes no farther. Versions and their counts go with workflows. */
const OF_WORKFLOWS: ReadonlyArray<readonly [table: string, key: string]> = [
  ["workflow_entries", "id"],
  ["execution_cancels", "id"],
  ["workflows", "id"],
  ["custom_events", "app_id, id"],
  ["contact_changes", "app_id, id"],
  ["execution_timers", "app_id, execution_id"],
  ["execution_events", "app_id, user_id, event, execution_id"],
  ["digests", "app_id, workflow_id, step_key, contact_id, digest_key"],
  ["digest_items", "app_id, opener_id, step_key, execution_id"],
  ["fetch_hosts", "app_id, host"],
  ["throttles", "app_id, workflow_id, step_key, contact_id, throttle_key"],
  ["executions", "app_id, id"]
]

const RESULTS: ReadonlyArray<readonly [table: string, key: string]> = [
  ["execution_outcomes", "notification_id, execution_id"],
  ["deliveries", "notification_id, recipient_id"],
  ["packed_deliveries", "notification_id, first_id, last_id"],
  ["engagements", "notification_id, recipient_id, type"]
]

/**
 * Deletes rows that a query finds by their keys, each looked up by itself: a plan for all numbers of them takes them for
 * a tenth of the table, and would read all of its keys for every part.
 */
const deleteFound = (sql: SqlClient.SqlClient, table: string, key: string, found: Fragment) => {
  const [first, ...rest] = key.split(", ")
  const isFound = [`x.${first} = ANY(ARRAY[found.${first}])`, ...rest.map((column) => `x.${column} = found.${column}`)]
  return counted(sql`
    DELETE FROM ${sql.literal(table)} x USING (SELECT ${sql.literal(key)} FROM ${sql.literal(table)} WHERE ${found} LIMIT ${CHUNK}) AS found
    WHERE ${sql.literal(isFound.join(" AND "))} RETURNING 1 AS one`)
}

const counted = (statement: Statement<unknown>): Effect.Effect<number, SqlError> =>
  Effect.map(statement, ({ length }) => length)

/*
 * Nothing is asked for in the order of ids: a plan that was made while there were few would walk all ids there are.
 */

/** The first of these that removes anything. */
const firstOf = Effect.fnUntraced(function* (parts: Iterable<Effect.Effect<number, SqlError>>) {
  for (const part of parts) {
    const removed = yield* part
    if (removed > 0) return removed
  }
  return 0
})

const removeNotifications = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, appId: AppId) {
  const rows = yield* sql<{ readonly id: NotificationId }>`
    SELECT id FROM notifications WHERE app_id = ${appId} LIMIT ${NOTIFICATIONS}`
  if (rows.length === 0) return 0
  const ids = uuids(rows.map(({ id }) => id))
  // Whoever plans one of them holds an older fence from now on, and writes no more batches.
  yield* sql`
    UPDATE notifications SET status = 'cancelled', plan_done = true, plan_fence = plan_fence + 1,
      completed_at = coalesce(completed_at, now())
    WHERE id = ANY(${ids}) AND (NOT plan_done OR completed_at IS NULL)`
  const part = (table: string, key: string) => deleteFound(sql, table, key, sql`notification_id = ANY(${ids})`)
  return yield* firstOf([
    // Before their results: who still has one in hand writes its results with it, or not at all.
    part("batches", "id"),
    ...RESULTS.map(([table, key]) => part(table, key)),
    counted(sql`DELETE FROM notifications WHERE id = ANY(${ids}) RETURNING 1 AS one`)
  ])
})

/** Events go with their work items. What is due, and what was done at the first attempt, an index leads to. */
const removeWebhooks = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, appId: AppId) {
  const rows = yield* sql<{ readonly id: string }>`SELECT id FROM webhooks WHERE app_id = ${appId} LIMIT 20`
  if (rows.length === 0) return 0
  const ids = uuids(rows.map(({ id }) => id))
  const part = (condition: string) =>
    counted(sql`
      DELETE FROM event_chunks WHERE id = ANY(ARRAY(
        SELECT DISTINCT chunk_id FROM webhook_work_items
        WHERE webhook_id = ANY(${ids}) AND ${sql.literal(condition)} LIMIT ${CHUNK}
      )) RETURNING 1 AS one`)
  return yield* firstOf([
    part("NOT done"),
    part("attempts = 0 AND NOT redelivers"),
    part("true"),
    counted(sql`DELETE FROM webhooks WHERE id = ANY(${ids}) RETURNING 1 AS one`)
  ])
})

const removeApplication = (sql: SqlClient.SqlClient, appId: AppId, isOver: boolean) => {
  const all = (tables: typeof OF_APPLICATION) =>
    tables.map(([table, key]) => deleteFound(sql, table, key, sql`app_id = ${appId}`))
  return firstOf([
    ...all(OF_WORKFLOWS),
    removeNotifications(sql, appId),
    removeWebhooks(sql, appId),
    ...all(OF_APPLICATION),
    isOver ? counted(sql`DELETE FROM applications WHERE id = ${appId} RETURNING 1 AS one`) : Effect.succeed(0)
  ])
}

/** `isOver`: what was under way when it was deleted has ended. */
const removeOrganization = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: OrganizationId, isOver: boolean) {
  const forgotten = yield* forgetNames(sql, id)
  if (forgotten > 0) return forgotten
  const [application] = yield* sql<{ readonly id: AppId }>`
    SELECT id FROM applications WHERE organization_id = ${id} LIMIT 1`
  return application === undefined
    ? yield* counted(sql`DELETE FROM organizations WHERE id = ${id} RETURNING 1 AS one`)
    : yield* removeApplication(sql, application.id, isOver)
})

/** One part of what is left. Answers how many rows went. */
export const removeDeleted = (sql: SqlClient.SqlClient): OrganizationStore["Service"]["removeDeleted"] => {
  /** Organizations of which this process could remove nothing, and when it tries them again. */
  const later = new Map<OrganizationId, number>()
  const removeNext = (now: number): Effect.Effect<number, SqlError> =>
    Effect.gen(function* () {
      const [organization] = yield* sql<{ readonly id: OrganizationId; readonly age: number }>`
        SELECT id, extract(epoch FROM now() - deleted_at)::float8 AS age
        FROM organizations WHERE deleted_at IS NOT NULL AND NOT (id = ANY(${uuids([...later.keys()])}))
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`
      if (organization === undefined) return 0
      const { age, id } = organization
      const removed = yield* Effect.onError(removeOrganization(sql, id, age > LEFT), () =>
        Effect.sync(() => later.set(id, now + AGAIN_MS))
      )
      if (removed > 0) return removed
      // Nothing is left but what those write who were under way: it is looked at again when they have ended.
      later.set(id, now + Math.max(1000 * (LEFT - age), LOOK_MS))
      return yield* removeNext(now)
    })
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [id, at] of later) if (at <= now) later.delete(id)
    return yield* removeNext(now)
  }).pipe((part) => sql.withTransaction(part), storeError("OrganizationStore.removeDeleted"))
}
