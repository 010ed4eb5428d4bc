import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/*
 * When the database was surely there: it has carried out, and committed, a statement that was sent then. Whoever has to
 * know so need not ask it, where accepted messages and registered devices ask it hundreds of times a second.
 */

/** By client, of `performance.now()`. */
const seen = new WeakMap<SqlClient.SqlClient, number>()

/** A statement that writes, outside of any transaction: once it has, the database is known to have been there when it was sent. */
export const asSignOfLife =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const sentAt = performance.now()
      return Effect.map(statement, (answer) => {
        if (sentAt > (seen.get(sql) ?? -Infinity)) seen.set(sql, sentAt)
        return answer
      })
    })

/** How long ago that was, in milliseconds; Infinity before the first time. */
export const silentForMs = (sql: SqlClient.SqlClient): number => performance.now() - (seen.get(sql) ?? -Infinity)
