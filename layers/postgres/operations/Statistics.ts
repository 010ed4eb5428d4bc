import { Effect, FiberSet } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Rows after which a process has its tables looked at for the first time, unless told otherwise; then each time that they
 * have doubled.
 */
const FIRST = 10_000

/**
 * Lets PostgreSQL look at tables that this process fills, as they grow. Its own daemon comes a minute later, and a
 * table without statistics is read by plans for a small one: the first mailing after an import of a million devices
 * cost three times as much. Answers what to run with the number of rows that were written; it does not wait.
 *
 * `last` are rows after which there is no more to learn and the daemon is early enough: a look at a large table takes as
 * much of the database as ten thousand small statements.
 */
export const growing = (
  tables: ReadonlyArray<"devices" | "contacts" | "channels" | "notifications" | "batches">,
  first = FIRST,
  last = Infinity
): Effect.Effect<(rows: number) => Effect.Effect<void>, never, SqlClient.SqlClient | Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Not by the connection of a transaction that the rows are written in.
    const fork = yield* FiberSet.makeRuntime<never>()
    let rows = 0
    let due = first
    // A table that somebody else looks at is left to them. Without rights to it there are the plans that there are.
    const look = Effect.ignore(sql`ANALYZE (SKIP_LOCKED) ${sql.literal(tables.join(", "))}`.unprepared)
    return (written) => {
      rows += written
      if (rows < due) return Effect.void
      due = rows * 2 > last ? Infinity : rows * 2
      return Effect.sync(() => void fork(look))
    }
  })
