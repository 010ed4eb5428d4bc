import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"
import { texts } from "../server/columns.ts"
import { PARTITIONS } from "../server/advisoryLocks.ts"

const DAY_MS = 86_400_000
const DAYS_AHEAD = 7

/** The tables in partitions, each by the day of `notification_id`. */
export const PARENTS = ["deliveries", "packed_deliveries", "engagements"] as const
export type Parent = (typeof PARENTS)[number]

interface Day {
  readonly parent: Parent
  readonly name: string
  readonly from: string
  readonly to: string
}

/** The partition of a table for the UTC day that holds a moment: ids are bounded by the UUIDv7 floors of its ends. */
const dayOf = (parent: Parent, at: number): Day => {
  const begin = Math.floor(at / DAY_MS) * DAY_MS
  return {
    parent,
    name: `${parent}_${new Date(begin).toISOString().slice(0, 10).replaceAll("-", "")}`,
    from: uuidFloor(begin),
    to: uuidFloor(begin + DAY_MS)
  }
}

/**
 * Makes the partitions from yesterday to a week ahead that are missing; answers their names. `at` is of the
 * service's clock, as ids are; yesterday is there for notifications accepted before midnight.
 */
export const ensure = (at: number = now()): Effect.Effect<ReadonlyArray<string>, SqlError, PgClient.PgClient> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const days = PARENTS.flatMap((parent) =>
      Array.from({ length: DAYS_AHEAD + 2 }, (_, i) => dayOf(parent, at + (i - 1) * DAY_MS))
    )
    const made: Array<string> = []
    for (const day of yield* missing(days)) {
      if (yield* sql.withTransaction(add(day))) made.push(day.name)
    }
    return made
  })

/** Makes partitions now, and every hour those that have become due, until the scope closes. */
export const keep: Effect.Effect<void, SqlError, PgClient.PgClient | Scope.Scope> = Effect.gen(function* () {
  yield* ensure()
  yield* Effect.suspend(() => ensure()).pipe(
    Effect.catch((error) => Effect.logWarning("Partitions could not be made; the next try is in an hour", error)),
    Effect.catchDefect((defect) => Effect.logError("Making partitions broke; the next try is in an hour", defect)),
    Effect.schedule(Schedule.spaced("1 hour")),
    Effect.forkScoped
  )
})

const missing = Effect.fnUntraced(function* (days: ReadonlyArray<Day>) {
  const sql = yield* PgClient.PgClient
  const found = yield* sql<{ name: string }>`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = ANY(${texts(PARENTS)}::regclass[])`
  const names = new Set(found.map(({ name }) => name))
  return days.filter(({ name }) => !names.has(name))
})

/**
 * A table of its own that is then attached, because that leaves the parent open for reads and writes. Rows of the day
 * that came before their partition are moved out of the default one; it is locked meanwhile, and normally empty.
 */
const add = Effect.fnUntraced(function* (day: Day) {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_advisory_xact_lock(${PARTITIONS})`
  if ((yield* missing([day])).length === 0) return false
  const { parent, name, from, to } = day
  const [table, other] = [sql(name), sql(`${parent}_other`)]
  yield* sql`CREATE TABLE ${table} (LIKE ${sql(parent)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES
    INCLUDING STORAGE)`
  yield* sql`LOCK TABLE ${other} IN ACCESS EXCLUSIVE MODE`
  yield* sql`
    WITH early AS (
      DELETE FROM ${other} WHERE notification_id >= ${from} AND notification_id < ${to} RETURNING *
    )
    INSERT INTO ${table} SELECT * FROM early`
  yield* sql.unsafe(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES FROM ('${from}') TO ('${to}')`)
    .unprepared
  return true
})
