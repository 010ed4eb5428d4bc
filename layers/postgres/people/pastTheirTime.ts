import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"

/** What has a time of its own, and is good for nothing when that is over: its table, its key, and when it is. */
const TABLES: ReadonlyArray<readonly [table: string, key: string, isOver: string]> = [
  ["login_codes", "email, purpose", "expires_at < now()"],
  ["address_changes", "account_id", "expires_at < now()"],
  // Spans end after a day.
  ["sign_in_attempts", "key", "last_at < now() - interval '1 day'"],
  ["sessions", "id", "expires_at < now()"],
  ["invitations", "id", "expires_at < now()"],
  ["oauth_states", "state_hash", "expires_at < now()"],
  // Whoever sends them drops them too, when they fall due.
  ["service_mails", "id", "expires_at < now()"],
  ["pending_sign_ins", "token_hash", "expires_at < now()"]
]

/** Removes those up to `limit` at a time, whatever RETENTION_DAYS says: they name people. */
export const pastTheirTime = (sql: SqlClient.SqlClient, limit: number): ReadonlyArray<Statement<unknown>> =>
  TABLES.map(
    ([table, key, isOver]) => sql`
      DELETE FROM ${sql(table)} WHERE (${sql.literal(key)}) IN (
        SELECT ${sql.literal(key)} FROM ${sql(table)} WHERE ${sql.literal(isOver)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS one`
  )
