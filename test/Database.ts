import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { inject } from "vitest"
import { pool } from "../layers/postgres/server/Database.ts"
import { migrate, MIGRATIONS } from "../layers/postgres/server/Migrations.ts"
import * as Partitions from "../layers/postgres/operations/Partitions.ts"

/** Where a test's own database is, for what connects by itself. */
export class TestDatabase extends Context.Service<TestDatabase, { readonly url: string }>()(
  "heliograph/test/Database"
) {}

/** How long a busy machine may take to open a connection. */
const CONNECT_SECONDS = 60
const LOCK = 7_236_418_003
/** The first number of the locks of databases that are lent; the second is the database's. */
const LENT = 723_641_800
const urlOf = (database: string): string => {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${database}`
  return url.href
}

/** A connection of the administrator that lasts as long as the scope. */
const administrator = (database = "postgres") =>
  PgClient.makeClient({
    url: Redacted.make(urlOf(database)),
    applicationName: "heliograph test",
    connectTimeout: CONNECT_SECONDS * 1000
  }).pipe(Effect.provide(Reactivity.layer))

/** A connection of the administrator, for as long as an effect takes. */
const asAdministrator = <A, E, R>(work: (sql: PgClient.PgClient) => Effect.Effect<A, E, R>) =>
  administrator().pipe(Effect.flatMap(work), Effect.scoped, Effect.orDie)

const APPLYING = readFileSync(new URL("../layers/postgres/server/Migrations.ts", import.meta.url))

/**
 * The schema, how it is applied, and the day belong to the name: a template is made once and good for every run that wants
 * the same.
 */
const templateName = (): string => {
  const schema = createHash("sha256").update(JSON.stringify(MIGRATIONS)).update(APPLYING).digest("hex").slice(0, 12)
  return `template_${new Date().toISOString().slice(0, 10).replaceAll("-", "")}_${schema}`
}

/** Makes the template, and removes what nobody wants any more: databases of runs that were killed, and of other days. */
const makeTemplate = Effect.fnUntraced(function* (sql: PgClient.PgClient, name: string) {
  const day = name.split("_")[1]!
  const old = yield* sql<{ datname: string }>`
    SELECT datname FROM pg_database d
    WHERE (datname LIKE 'test\\_%'
        OR ((datname LIKE 'template\\_%' OR datname LIKE 'lent\\_%') AND split_part(datname, '_', 2) <> ${day}))
      AND NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.datname = d.datname)
      AND (SELECT modification FROM pg_stat_file('base/' || d.oid || '/PG_VERSION', true)) < now() - interval '1 hour'`
  for (const { datname } of old) yield* sql`DROP DATABASE IF EXISTS ${sql(datname)}`
  const unfinished = `${name}_unfinished`
  yield* sql`DROP DATABASE IF EXISTS ${sql(unfinished)} WITH (FORCE)`
  yield* sql`CREATE DATABASE ${sql(unfinished)}`
  yield* Effect.andThen(migrate, Partitions.ensure()).pipe(
    Effect.provide(PgClient.layerFrom(pool(urlOf(unfinished), 1)))
  )
  yield* sql`ALTER DATABASE ${sql(unfinished)} RENAME TO ${sql(name)}`
})

/** The template's name. It is made by whoever needs it first; the others wait. */
const template = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const name = templateName()
  const isThere = Effect.map(sql`SELECT 1 FROM pg_database WHERE datname = ${name}`, (rows) => rows.length > 0)
  if (yield* isThere) return name
  yield* sql`SELECT pg_advisory_lock(${LOCK})`
  if (!(yield* isThere)) yield* makeTemplate(sql, name)
  yield* sql`SELECT pg_advisory_unlock(${LOCK})`
  return name
})

/** A new database, dropped when the scope closes: empty, or with the whole schema. */
export const freshDatabase = (schema: "migrated" | "empty" = "migrated") =>
  Effect.acquireRelease(
    asAdministrator((sql) =>
      Effect.gen(function* () {
        const from = schema === "migrated" ? yield* template(sql) : "template0"
        const name = `test_${randomBytes(8).toString("hex")}`
        yield* sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(from)}`
        return { name, url: urlOf(name) }
      })
    ),
    ({ name }) => asAdministrator((sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`)
  )

/** Empties every table but that of migrations. Small ones row by row: a new file costs more. */
const EMPTY = `DO $$
DECLARE one record;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR one IN SELECT oid::regclass AS name, pg_relation_size(oid) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations'
  LOOP
    IF one.bytes > 1000000 THEN EXECUTE format('TRUNCATE %s CASCADE', one.name);
    ELSIF one.bytes > 0 THEN EXECUTE format('DELETE FROM %s', one.name);
    END IF;
  END LOOP;
END $$`

/**
 * A database with the whole schema and no rows, nobody else's until the scope closes, for those who leave the schema as it
 * is. To make one takes both cores half a second when they are busy, to empty one a few milliseconds: so there are as many
 * as are wanted at a time, and they stay for the next who comes, in this run or another. Whose it is, a lock says, which
 * goes with the session of its holder however that ends.
 */
const borrowed = Effect.gen(function* () {
  const sql = yield* administrator()
  const from = yield* template(sql)
  for (let number = 1; ; number++) {
    const [lock] = yield* sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(${LENT}, ${number}) AS taken`
    if (!lock!.taken) continue
    const name = `${from.replace("template", "lent")}_${number}`
    const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
    if (found.length === 0) yield* sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(from)}`
    else {
      // What its last holder still had under way when it went.
      yield* sql`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = ${name}`
      yield* Effect.scoped(Effect.flatMap(administrator(name), (inside) => inside.unsafe(EMPTY)))
    }
    return { name, url: urlOf(name) }
  }
}).pipe(Effect.orDie)

const over = <R>(database: Effect.Effect<{ readonly url: string }, never, R>) =>
  Layer.unwrap(
    Effect.map(database, ({ url }) =>
      Layer.merge(
        PgClient.layerFrom(pool(`${url}?connect_timeout=${CONNECT_SECONDS}`, 8)).pipe(Layer.orDie),
        Layer.succeed(TestDatabase, { url })
      )
    )
  )

type Connected = Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | TestDatabase>

/** A migrated database of its own with a pool of connections. Use one per test file. */
export const testDatabase = (schema: "migrated" | "empty" = "migrated"): Connected => over(freshDatabase(schema))

/** A migrated database without rows, lent for as long as the layer lasts. Whoever changes the schema takes one of its own. */
export const lentDatabase = (): Connected => over(borrowed)
