import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sql as mainPath } from "./migrations/0001_main_path.ts"
import { sql as webhooks } from "./migrations/0002_webhooks.ts"
import { sql as engagement } from "./migrations/0003_engagement.ts"
import { sql as controls } from "./migrations/0004_controls.ts"
import { sql as slowed } from "./migrations/0005_slowed.ts"
import { sql as inboxes } from "./migrations/0006_inboxes.ts"
import { sql as rateLimits } from "./migrations/0007_rate_limits.ts"
import { sql as packs } from "./migrations/0008_packs.ts"
import { sql as replays } from "./migrations/0009_replays.ts"
import { sql as mailEngagement } from "./migrations/0010_mail_engagement.ts"
import { sql as keysAndAudit } from "./migrations/0011_keys_and_audit.ts"
import { sql as localTime } from "./migrations/0012_local_time.ts"
import { sql as templates } from "./migrations/0013_templates.ts"
import { sql as inboxFeed } from "./migrations/0014_inbox_feed.ts"
import { sql as stats } from "./migrations/0015_stats.ts"
import { sql as traces } from "./migrations/0016_traces.ts"
import { sql as engagedGone } from "./migrations/0017_engaged_gone.ts"
import { sql as batchesFollow } from "./migrations/0018_batches_follow.ts"

/** In order, without gaps; one that was released is never changed. */
export const MIGRATIONS: ReadonlyArray<{ readonly id: number; readonly name: string; readonly sql: string }> = [
  { id: 1, name: "main_path", sql: mainPath },
  { id: 2, name: "webhooks", sql: webhooks },
  { id: 3, name: "engagement", sql: engagement },
  { id: 4, name: "controls", sql: controls },
  { id: 5, name: "slowed", sql: slowed },
  { id: 6, name: "inboxes", sql: inboxes },
  { id: 7, name: "rate_limits", sql: rateLimits },
  { id: 8, name: "packs", sql: packs },
  { id: 9, name: "replays", sql: replays },
  { id: 10, name: "mail_engagement", sql: mailEngagement },
  { id: 11, name: "keys_and_audit", sql: keysAndAudit },
  { id: 12, name: "local_time", sql: localTime },
  { id: 13, name: "templates", sql: templates },
  { id: 14, name: "inbox_feed", sql: inboxFeed },
  { id: 15, name: "stats", sql: stats },
  { id: 16, name: "traces", sql: traces },
  { id: 17, name: "engaged_gone", sql: engagedGone },
  { id: 18, name: "batches_follow", sql: batchesFollow }
]

/** The database was written by a later release: this one would not understand its rows. */
export class DatabaseIsNewer extends Schema.TaggedError<DatabaseIsNewer>()("DatabaseIsNewer", {
  found: Schema.Number,
  foundName: Schema.String,
  known: Schema.Number
}) {
  override get message() {
    return `The database is at migration ${this.found} (${this.foundName}), this release knows only ${this.known}. Run the release that migrated it, or a later one.`
  }
}

/** Any number that nobody else uses for a lock of this database. */
const LOCK = 7_236_418_001

/**
 * Brings the database to this release's schema, in one transaction and under one lock: nodes may start at once, one of
 * them does the work and the others find it done. Answers the names of the migrations that this call applied.
 */
export const migrate: Effect.Effect<ReadonlyArray<string>, DatabaseIsNewer | SqlError, PgClient.PgClient> = Effect.gen(
  function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        // Waiting for another node's migration, or rewriting a table, may take longer than a query of the service.
        yield* sql`SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
        yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
        yield* sql`
          CREATE TABLE IF NOT EXISTS migrations (
            id integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
          )`
        const [last] = yield* sql<{
          id: number
          name: string
        }>`SELECT id, name FROM migrations ORDER BY id DESC LIMIT 1`
        const known = MIGRATIONS.at(-1)!.id
        if (last !== undefined && last.id > known) {
          return yield* new DatabaseIsNewer({ found: last.id, foundName: last.name, known })
        }
        const pending = MIGRATIONS.filter(({ id }) => id > (last?.id ?? 0))
        for (const migration of pending) {
          // The client sends one statement at a time; EXECUTE takes a whole script.
          yield* sql.unsafe(`DO $do$ BEGIN EXECUTE $script$${migration.sql}$script$; END $do$`).unprepared
          yield* sql`INSERT INTO migrations (id, name) VALUES (${migration.id}, ${migration.name})`
        }
        return pending.map(({ name }) => name)
      })
    )
  }
)
