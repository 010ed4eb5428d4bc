import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statement } from "effect/sql/Statement"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"
import { Settings } from "../../config/Settings.ts"
import { byValues } from "../server/byValues.ts"
import { texts } from "../server/columns.ts"
import { putTogether } from "../engagement/dailyStats.ts"
import { pastTheirTime } from "../people/pastTheirTime.ts"
import { forgetErasures } from "../audience/erasures.ts"
import type { Parent } from "./Partitions.ts"
import { PARENTS } from "./Partitions.ts"
import { regularly } from "./regularly.ts"
import { RETENTION } from "../server/advisoryLocks.ts"
import { appsIn } from "../server/appsIn.ts"

/*
 * What is kept for RETENTION_DAYS, and then goes. Small things go in chunks, each a statement of its own that passes
 * over rows somebody holds. Days of results go whole, which locks their table for the moment in which the catalogue is
 * changed: whoever does it gives up after a fraction of a second, lets pass what waited behind it, and tries again.
 */

const DAY_MS = 86_400_000

/** How long events of applications' own are kept, for runs that ask for those since they entered. */
const CUSTOM_EVENTS_DAYS = 7

/** Rows that one statement deletes, and the pause after it. */
const CHUNK = 1000
const PAUSE = "20 millis"

/** How long the removal of a day may make others wait, and how often it is tried before the next run. */
const LOCK_TIMEOUT = "200ms"
const TRIES = 4
const UNTIL_NEXT_TRY = "500 millis"

export interface Removed {
  /** Names of the partitions that were dropped. */
  readonly days: ReadonlyArray<string>
  readonly notifications: number
  readonly webhookWork: number
  readonly deadLetters: number
  readonly auditEntries: number
  readonly inboxMessages: number
  readonly executions: number
  /** Partitions that were in use at every try. */
  readonly postponed: ReadonlyArray<string>
}

/**
 * Removes what ended more than `days` days before `at` (epoch milliseconds by the service's clock, as ids are). Null when
 * another node is at it.
 */
export const sweep = Effect.fnUntraced(function* (
  days: number,
  at: number = now(),
  auditDays: number = days
): Effect.fn.Return<Removed | null, SqlError, PgClient.PgClient> {
  const sql = yield* PgClient.PgClient
  return yield* Effect.scoped(
    Effect.gen(function* () {
      // The lock belongs to a connection of its own: it goes with it, whatever happens to this node.
      const connection = yield* sql.reserve
      const take = connection.executeUnprepared(`SELECT pg_try_advisory_lock(${RETENTION}) AS taken`, [], undefined)
      const drop = Effect.ignore(connection.executeUnprepared(`SELECT pg_advisory_unlock(${RETENTION})`, [], undefined))
      const [lock] = (yield* Effect.acquireRelease(take, () => drop)) as ReadonlyArray<{ readonly taken: boolean }>
      return lock!.taken ? yield* remove(sql, at, at - days * DAY_MS, Math.max(0, at - auditDays * DAY_MS)) : null
    })
  )
})

/**
 * Repeats a statement that answers the rows of one chunk until there are no more. Answers how many there were. Planned for
 * its values: what is old may be all of a table or nothing, and to look through a table whole may be the shortest way.
 */
const inChunks = Effect.fnUntraced(function* (sql: PgClient.PgClient, statement: Statement<unknown>) {
  let all = 0
  while (true) {
    const { length } = yield* byValues(sql, statement)
    all += length
    if (length === 0) return all
    yield* Effect.sleep(PAUSE)
  }
})

const idsOfAppsIn = (sql: PgClient.PgClient, table: string) =>
  Effect.map(
    sql<{ readonly app_id: string }>`
      WITH RECURSIVE ${appsIn(sql, table)} SELECT app_id FROM apps WHERE app_id IS NOT NULL`,
    (rows) => rows.map(({ app_id }) => app_id)
  )

/** Executions that ended before the cutoff, and what they left behind, of one application after the other. */
const removeExecutions = Effect.fnUntraced(function* (sql: PgClient.PgClient, cutoff: Date, floor: string) {
  let all = 0
  for (const app of yield* idsOfAppsIn(sql, "executions")) {
    // Not from the start each time: those that stay would be looked through again and again.
    for (let after: string | null = uuidFloor(0); after !== null;) {
      const rows: ReadonlyArray<{ readonly id: string; readonly is_gone: boolean }> = yield* byValues(
        sql,
        sql<{ readonly id: string; readonly is_gone: boolean }>`
        WITH page AS MATERIALIZED (
          SELECT id, user_id, ended_at < ${cutoff} AND (
            -- It says that this person has entered once, for as long as there is a workflow to enter.
            coalesce(entry_key NOT LIKE 'x%', true) OR NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = workflow_id)
          ) AS is_gone, ended_at < ${cutoff} AND (data <> '{}' OR history <> '') AS is_over
          FROM executions WHERE app_id = ${app} AND id > ${after} AND id < ${floor} ORDER BY id LIMIT ${CHUNK}
        ), gone AS (
          DELETE FROM executions e USING page WHERE e.app_id = ${app} AND e.id = page.id AND page.is_gone
          RETURNING e.id, e.user_id
        ), emptied AS (
          -- That is all that it goes on saying: what it carried, and what became of it, are as old as the others'.
          UPDATE executions e SET data = '{}', steps = '{}', sends = '{}', history = '' FROM page
          WHERE e.app_id = ${app} AND e.id = page.id AND page.is_over AND NOT page.is_gone
        ), items AS (
          DELETE FROM digest_items i USING gone WHERE i.app_id = ${app} AND i.opener_id = gone.id
        ), opened AS (
          DELETE FROM digests d USING gone WHERE d.execution_id = gone.id
        ), waited AS (
          DELETE FROM execution_events v USING gone
          WHERE v.app_id = ${app} AND v.user_id = gone.user_id AND v.execution_id = gone.id
        )
        SELECT id, coalesce(is_gone, false) AS is_gone FROM page ORDER BY id`.unprepared
      )
      all += rows.filter(({ is_gone }) => is_gone).length
      after = rows.length < CHUNK ? null : rows.at(-1)!.id
      yield* Effect.sleep(PAUSE)
    }
  }
  return all
})

const removeCustomEvents = Effect.fnUntraced(function* (sql: PgClient.PgClient, floor: string) {
  for (const app of yield* idsOfAppsIn(sql, "custom_events")) {
    yield* inChunks(
      sql,
      sql`
      DELETE FROM custom_events WHERE app_id = ${app} AND id IN (
        SELECT id FROM custom_events WHERE app_id = ${app} AND id < ${floor} AND is_done
        ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS one`
    )
  }
})

const remove = Effect.fnUntraced(function* (sql: PgClient.PgClient, at: number, before: number, auditBefore: number) {
  const cutoff = new Date(before)
  // Whatever ended before the cutoff was also made before it: the primary keys lead to it.
  const floor = uuidFloor(before)

  const ended = sql`
    n.id < ${floor} AND n.status IN ('completed', 'cancelled') AND coalesce(n.completed_at, n.created_at) < ${cutoff}
    AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.notification_id = n.id AND NOT b.done)`
  // A mailing to millions has thousands of batches: they go first, so that no single row takes them all along.
  yield* inChunks(
    sql,
    sql`
    DELETE FROM batches WHERE id IN (
      SELECT b.id FROM batches b JOIN notifications n ON n.id = b.notification_id
      WHERE ${ended} LIMIT ${CHUNK} FOR UPDATE OF b SKIP LOCKED
    ) RETURNING 1 AS one`
  )
  const notifications = yield* inChunks(
    sql,
    sql`
    DELETE FROM notifications WHERE id IN (
      SELECT n.id FROM notifications n WHERE ${ended}
        AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.notification_id = n.id)
      ORDER BY n.id LIMIT ${CHUNK} FOR UPDATE OF n SKIP LOCKED
    ) RETURNING 1 AS one`
  )

  // The attempts of the work go with it. What waits for a webhook that is disabled is as old as it ever is: enabled again, it
  // would be told of what nobody knows any more.
  let webhookWork = 0
  for (const isOver of [
    sql`w.done AND coalesce(w.finished_at, w.due_at) < ${cutoff}`,
    sql`NOT w.done AND w.webhook_id IN (SELECT id FROM webhooks WHERE NOT is_active)`
  ]) {
    webhookWork += yield* inChunks(
      sql,
      sql`
      DELETE FROM webhook_work_items WHERE id IN (
        SELECT w.id FROM webhook_work_items w WHERE w.id < ${floor} AND ${isOver}
        ORDER BY w.id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS one`
    )
  }
  yield* inChunks(
    sql,
    sql`
    DELETE FROM event_chunks WHERE id IN (
      SELECT c.id FROM event_chunks c
      WHERE c.id < ${floor} AND NOT EXISTS (SELECT 1 FROM webhook_work_items w WHERE w.chunk_id = c.id)
      ORDER BY c.id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    ) RETURNING 1 AS one`
  )
  const deadLetters = yield* inChunks(
    sql,
    sql`
    DELETE FROM dead_letters WHERE id IN (
      SELECT id FROM dead_letters WHERE id < ${floor} ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    ) RETURNING 1 AS one`
  )
  for (const table of ["replays", "redeliveries"]) {
    yield* inChunks(
      sql,
      sql`
      DELETE FROM ${sql(table)} WHERE id IN (
        SELECT id FROM ${sql(table)} WHERE id < ${floor} AND status = 'completed'
        ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS one`
    )
  }
  const executions = yield* removeExecutions(sql, cutoff, floor)
  yield* removeCustomEvents(sql, uuidFloor(at - CUSTOM_EVENTS_DAYS * DAY_MS))
  yield* inChunks(
    sql,
    sql`
    DELETE FROM throttles WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM throttles WHERE over_at < ${new Date(at)} ORDER BY over_at LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )) RETURNING 1 AS one`
  )
  yield* inChunks(
    sql,
    sql`
    DELETE FROM fetch_hosts WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM fetch_hosts WHERE next_at < ${new Date(at - DAY_MS)} ORDER BY next_at LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )) RETURNING 1 AS one`
  )
  // Versions that no template has any more, no workflow, and no notification that is kept.
  yield* inChunks(
    sql,
    sql`
    DELETE FROM template_versions WHERE id IN (
      SELECT v.id FROM template_versions v
      WHERE v.retired_at < ${cutoff} AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.template_version = v.id)
        AND v.id NOT IN (
          SELECT (t.value ->> 'version')::uuid FROM workflow_versions w CROSS JOIN json_each(w.templates) AS t
        )
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    ) RETURNING 1 AS one`
  )
  yield* inChunks(sql, forgetErasures(sql, cutoff, CHUNK))
  // Read or not: an inbox shows what is current, and its unread count follows its messages.
  const inboxMessages = yield* inChunks(
    sql,
    sql`
    DELETE FROM inbox_messages WHERE id IN (
      SELECT id FROM inbox_messages WHERE id < ${floor} ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    ) RETURNING 1 AS one`
  )

  let auditEntries = 0
  for (const log of ["audit_log", "people_log"]) {
    auditEntries += yield* inChunks(
      sql,
      sql`
      DELETE FROM ${sql(log)} WHERE id IN (
        SELECT id FROM ${sql(log)} WHERE id < ${uuidFloor(auditBefore)} ORDER BY id LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS one`
    )
  }
  for (const statement of pastTheirTime(sql, CHUNK)) yield* inChunks(sql, statement)

  // Sums outlive what they add up: they stay, a row for each application, day and provider.
  yield* inChunks(sql, putTogether(sql, CHUNK))

  for (const parent of PARENTS) yield* removeStrays(sql, parent, floor)
  const { dropped, postponed } = yield* removeDays(sql, before)
  return { days: dropped, notifications, webhookWork, deadLetters, auditEntries, inboxMessages, executions, postponed }
})

/** Rows that no day's partition was made for in time. */
const removeStrays = (sql: PgClient.PgClient, parent: Parent, floor: string) =>
  inChunks(
    sql,
    sql`
    DELETE FROM ${sql(`${parent}_other`)} WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM ${sql(`${parent}_other`)} d
      WHERE d.notification_id < ${floor} AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.id = d.notification_id)
      LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
    )) RETURNING 1 AS one`
  )

/**
 * Drops the days before the cutoff whose notifications are gone. One that was accepted on such a day and is still
 * sending, or has only just ended, keeps its day: docs/decisions/0003-delivery-partitions-by-id.md
 */
const removeDays = Effect.fnUntraced(function* (sql: PgClient.PgClient, before: number) {
  const partitions = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = ANY(${texts(PARENTS)}::regclass[]) ORDER BY 1`
  const dropped: Array<string> = []
  const postponed: Array<string> = []
  for (const { name } of partitions) {
    const [, year, month, day] = /^(?:deliveries|packed_deliveries|engagements)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? []
    if (year === undefined) continue
    const begin = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
    if (begin + DAY_MS > before) continue
    const left = yield* sql`
      SELECT 1 AS one FROM notifications WHERE id >= ${uuidFloor(begin)} AND id < ${uuidFloor(begin + DAY_MS)} LIMIT 1`
    if (left.length > 0) continue
    // Files are deleted after the locks are released: what others may wait for is a change of the catalogue.
    const drop = sql.withTransaction(
      Effect.andThen(
        sql`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`,
        sql.unsafe(`DROP TABLE IF EXISTS ${name}`).unprepared
      )
    )
    const isDropped = yield* drop.pipe(
      Effect.as(true),
      Effect.retry({ times: TRIES - 1, schedule: Schedule.spaced(UNTIL_NEXT_TRY), while: isBusy }),
      Effect.catchIf(isBusy, () => Effect.succeed(false))
    )
    if (isDropped) dropped.push(name)
    else postponed.push(name)
  }
  return { dropped, postponed }
})

const isBusy = (error: SqlError): boolean => ["LockTimeoutError", "DeadlockError"].includes(error.reason._tag)

/**
 * Looks soon after the start, and about every hour while the layer lives. Nothing waits for it. A look that found
 * another node at it is repeated a minute later: the other may be one that has just ended, in the middle.
 */
export const layer: Layer.Layer<never, never, PgClient.PgClient | Settings> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { auditRetentionDays, retentionDays } = yield* Settings
    const look = Effect.gen(function* () {
      const removed = yield* sweep(retentionDays, now(), auditRetentionDays)
      if (removed === null) return false
      const { days, postponed, ...counts } = removed
      const isWorthALine = days.length + postponed.length > 0 || Object.values(counts).some((count) => count > 0)
      if (isWorthALine) {
        yield* Effect.logInfo("What is past its retention was removed").pipe(
          Effect.annotateLogs({ ...counts, days: days.join(" "), postponed: postponed.join(" ") })
        )
      }
      return true
    })
    const untilDone = look.pipe(
      Effect.tapError((error) => Effect.logWarning("What is past its retention stays for a minute more", error)),
      Effect.repeat({ schedule: Schedule.spaced("1 minute"), until: (isDone) => isDone })
    )
    yield* regularly(untilDone, "1 hour")
  })
)
