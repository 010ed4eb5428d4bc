import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { LockWait, longWait } from "./PooledClient.ts"

/** In a transaction, because that is as long as settings last, and with the usual limit among them. */
const within = <A, E, R>(
  sql: SqlClient.SqlClient,
  settings: Fragment,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.provideService(
    sql.withTransaction(Effect.andThen(sql`SELECT ${settings}, ${longWait(sql)}`, read)),
    LockWait,
    "never"
  )

/**
 * Runs statements that are not prepared (`.unprepared`) with plans for the values that they come with, where the best plan
 * depends on these: how many rows have a tag or a status. Everywhere else a statement has one plan for all values
 * (Database.ts, docs/decisions/0073-plans-for-any-size.md).
 */
export const byValues = <A, E, R>(sql: SqlClient.SqlClient, read: Effect.Effect<A, E, R>) =>
  within(
    sql,
    sql`set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true)`,
    read
  )

/**
 * The same for a page in the order of an index. Told nothing, PostgreSQL takes what its statistics do not know yet for a
 * few rows: it reads all that are left for each page, and sorts them.
 */
export const alongTheKey = <A, E, R>(sql: SqlClient.SqlClient, read: Effect.Effect<A, E, R>) =>
  within(
    sql,
    sql`set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_sort', 'off', true)`,
    read
  )
