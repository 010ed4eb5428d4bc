import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import { access } from "../migrations/0028_schema/access.ts"
import { audience } from "../migrations/0028_schema/audience.ts"
import { engagement } from "../migrations/0028_schema/engagement.ts"
import { inbox } from "../migrations/0028_schema/inbox.ts"
import { messages } from "../migrations/0028_schema/messages.ts"
import { operations } from "../migrations/0028_schema/operations.ts"
import { sending } from "../migrations/0028_schema/sending.ts"
import { webhooks } from "../migrations/0028_schema/webhooks.ts"
import { people } from "../migrations/0029_people.ts"
import { workflows } from "../migrations/0030_workflows.ts"
import { firstLooks } from "../migrations/0031_first_looks.ts"
import { endedRuns } from "../migrations/0032_ended_runs.ts"
import { indexOrder } from "../migrations/0033_index_order.ts"
import { keyProcesses } from "../migrations/0034_key_processes.ts"
import { lookedUp } from "../migrations/0035_looked_up.ts"
import { retryReasons } from "../migrations/0036_retry_reasons.ts"
import { fetchHolders } from "../migrations/0037_fetch_holders.ts"
import { throttledPeople } from "../migrations/0038_throttled_people.ts"
import { asciiDomains, mailboxes } from "../migrations/0039_mailboxes.ts"
import { MIGRATING } from "./advisoryLocks.ts"
import { lockTables } from "./lockTables.ts"

/** The data model by subject, each after those whose tables it names. */
const schema = [access, audience, messages, sending, engagement, inbox, webhooks, operations].join("\n")

/**
 * In order, without gaps; one that was released is never changed. Ids below the first are those of builds before the
 * first release, whose databases are refused.
 */
export const MIGRATIONS: readonly [Migration, ...ReadonlyArray<Migration>] = [
  { id: 28, name: "schema", sql: schema },
  { id: 29, name: "people", sql: people },
  { id: 30, name: "workflows", sql: workflows },
  { id: 31, name: "first_looks", sql: firstLooks },
  { id: 32, name: "ended_runs", sql: endedRuns },
  { id: 33, name: "index_order", sql: indexOrder },
  { id: 34, name: "key_processes", sql: keyProcesses },
  { id: 35, name: "looked_up", sql: lookedUp },
  { id: 36, name: "retry_reasons", sql: retryReasons },
  { id: 37, name: "fetch_holders", sql: fetchHolders },
  { id: 38, name: "throttled_people", sql: throttledPeople },
  { id: 39, name: "mailboxes", sql: mailboxes, given: asciiDomains }
]

/** Other services may have theirs in the same schema. */
const TABLES = MIGRATIONS.flatMap(({ sql }) =>
  [...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, name]) => name!)
)

interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  /** Run before it, in its transaction: leaves in settings what SQL cannot know. */
  readonly given?: (sql: PgClient.PgClient) => Effect.Effect<void, SqlError>
}

/** The database is that of a build before the first release, whose tables had other names. */
export class DatabaseIsOlder extends Schema.TaggedError<DatabaseIsOlder>()("DatabaseIsOlder", {
  found: Schema.Number,
  foundName: Schema.String
}) {
  override get message() {
    return `The database is at migration ${this.found} (${this.foundName}) of a build before the first release, which this release cannot take over. Start with an empty one: name another in DATABASE_URL, or another folder in DATA_DIR.`
  }
}

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

/** The database has a migration of this release with another text: of a build before the release, which changed it since. */
export class DatabaseDiffers extends Schema.TaggedError<DatabaseDiffers>()("DatabaseDiffers", {
  found: Schema.Number,
  foundName: Schema.String
}) {
  override get message() {
    return `The database was made by another build: its migration ${this.found} (${this.foundName}) is not that of this release. Start with an empty one: name another in DATABASE_URL, or another folder in DATA_DIR, or remove the folder if nothing in it is needed. Or restore a backup that this release has made, or run the build that made the database.`
  }
}

/** The role may not make tables there, as PostgreSQL 15 and later have it for whoever does not own the database. */
export class MayNotCreate extends Schema.TaggedError<MayNotCreate>()("MayNotCreate", {
  role: Schema.String,
  database: Schema.String
}) {
  override get message() {
    const { database, role } = this
    return `The role ${role} may not create tables in the database ${database}, which the first start, new releases and each day need. Make it the owner: ALTER DATABASE ${database} OWNER TO ${role}; or let it create them: GRANT CREATE, USAGE ON SCHEMA public TO ${role} (while connected to ${database}).`
  }
}

/** Texts of people are of all of Unicode, which no other encoding holds. */
export class DatabaseIsNotUtf8 extends Schema.TaggedError<DatabaseIsNotUtf8>()("DatabaseIsNotUtf8", {
  encoding: Schema.String,
  database: Schema.String,
  /** A name for another. */
  other: Schema.String
}) {
  override get message() {
    const { database, encoding, other } = this
    return `The encoding of the database ${database} is ${encoding}, and names and messages need UTF8. Make another and name it in DATABASE_URL: CREATE DATABASE ${other} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';`
  }
}

export type MigrationError =
  DatabaseDiffers | DatabaseIsNewer | DatabaseIsNotUtf8 | DatabaseIsOlder | MayNotCreate | SqlError

/** Whether the service can live in the database at all. */
const isFit = Effect.fnUntraced(function* (
  sql: PgClient.PgClient
): Effect.fn.Return<void, DatabaseIsNotUtf8 | MayNotCreate | SqlError> {
  const [row] = yield* sql<{
    readonly may: boolean
    readonly role: string
    readonly database: string
    readonly encoding: string
    readonly other: string
  }>`
    SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may, quote_ident(current_user) AS role,
      quote_ident(current_database()) AS database, current_setting('server_encoding') AS encoding,
      quote_ident(current_database() || '_utf8') AS other`
  const { database, encoding, may, other, role } = row!
  if (encoding !== "UTF8") return yield* new DatabaseIsNotUtf8({ encoding, database, other })
  if (!may) return yield* new MayNotCreate({ role, database })
})

/** Hexadecimal SHA-256 of a migration's text without comments and line breaks, which change nothing in a database. */
const fingerprintOf = ({ sql }: Migration): string =>
  createHash("sha256").update(sql.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim()).digest("hex")

/**
 * Brings the database to this release's schema, in one transaction and under one lock: nodes may start at once, one of
 * them does the work and the others find it done. Answers the names of the migrations that this call applied.
 */
export const migrate: Effect.Effect<ReadonlyArray<string>, MigrationError, PgClient.PgClient> = Effect.gen(
  function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        // Waiting for another node's migration, or rewriting a table, may take longer than a query of the service.
        yield* sql`SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
        yield* isFit(sql)
        yield* sql`SELECT pg_advisory_xact_lock(${MIGRATING})`
        yield* sql`
          CREATE TABLE IF NOT EXISTS migrations (
            id integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), fingerprint text
          )`
        const pending = yield* compared(sql)
        if (pending.length > 0) yield* sql.unsafe(lockTables(TABLES)).unprepared
        for (const migration of pending) {
          if (migration.given !== undefined) yield* migration.given(sql)
          // The client sends one statement at a time; EXECUTE takes a whole script.
          yield* sql.unsafe(`DO $do$ BEGIN EXECUTE $script$${migration.sql}$script$; END $do$`).unprepared
          yield* sql`
            INSERT INTO migrations (id, name, fingerprint)
            VALUES (${migration.id}, ${migration.name}, ${fingerprintOf(migration)})`
        }
        return pending.map(({ name }) => name)
      })
    )
  }
)

/** The migrations of this release that a database with a table of them lacks, if it can be taken over. */
const compared = Effect.fnUntraced(function* (
  sql: PgClient.PgClient
): Effect.fn.Return<ReadonlyArray<Migration>, MigrationError> {
  // By way of JSON: the column came later than the table. Builds without it had other texts.
  const rows = yield* sql<{ readonly id: number; readonly name: string; readonly fingerprint: string | null }>`
    SELECT id, name, to_jsonb(m) ->> 'fingerprint' AS fingerprint FROM migrations m ORDER BY id`
  const last = rows.at(-1)
  if (last === undefined) return MIGRATIONS
  const known = MIGRATIONS.at(-1)!.id
  if (last.id > known) return yield* new DatabaseIsNewer({ found: last.id, foundName: last.name, known })
  if (last.id < MIGRATIONS[0].id) return yield* new DatabaseIsOlder({ found: last.id, foundName: last.name })
  const applied = new Map(rows.map((row) => [row.id, row]))
  for (const migration of MIGRATIONS) {
    const row = applied.get(migration.id)
    if (row !== undefined && row.fingerprint !== fingerprintOf(migration)) {
      return yield* new DatabaseDiffers({ found: row.id, foundName: row.name })
    }
  }
  return MIGRATIONS.filter(({ id }) => id > last.id)
})

/** How many of this release's migrations a database has, and how many it lacks. */
export interface Standing {
  readonly applied: number
  readonly missing: number
}

/** Looks, and changes nothing. */
export const standing: Effect.Effect<Standing, MigrationError, PgClient.PgClient> = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* isFit(sql)
  const [table] = yield* sql<{ readonly isThere: boolean }>`SELECT to_regclass('migrations') IS NOT NULL AS "isThere"`
  const { length } = table!.isThere ? yield* compared(sql) : MIGRATIONS
  return { applied: MIGRATIONS.length - length, missing: length }
})
