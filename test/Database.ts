import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
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
const urlOf = (database: string): string => {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${database}`
  return url.href
}

/** A connection of the administrator, for as long as an effect takes. */
const asAdministrator = <A, E, R>(work: (sql: PgClient.PgClient) => Effect.Effect<A, E, R>) =>
  PgClient.makeClient({
    url: Redacted.make(urlOf("postgres")),
    applicationName: "heliograph test",
    connectTimeout: CONNECT_SECONDS * 1000
  }).pipe(Effect.flatMap(work), Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)

/** The schema and the day belong to the name: a template is made once and good for every run that wants the same. */
const templateName = (): string => {
  const schema = createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex").slice(0, 12)
  return `template_${new Date().toISOString().slice(0, 10).replaceAll("-", "")}_${schema}`
}

const template = asAdministrator((sql) =>
  Effect.gen(function* () {
    const name = templateName()
    yield* sql`SELECT pg_advisory_lock(${LOCK})`
    const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
    if (found.length > 0) return name
    // Databases of runs that were killed, and templates of other days.
    const old = yield* sql<{ datname: string }>`
      SELECT datname FROM pg_database d
      WHERE (datname LIKE 'test\\_%' OR (datname LIKE 'template\\_%' AND split_part(datname, '_', 2) <> ${name.split("_")[1]!}))
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
    return name
  })
)

/** A new database, dropped when the scope closes: empty, or with the whole schema. */
export const freshDatabase = (schema: "migrated" | "empty" = "migrated") =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const from = schema === "migrated" ? yield* template : "template0"
      const name = `test_${randomBytes(8).toString("hex")}`
      yield* asAdministrator((sql) => sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(from)}`)
      return { name, url: urlOf(name) }
    }),
    ({ name }) => asAdministrator((sql) => sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`)
  )

/** A migrated database of its own with a pool of connections. Use one per test file. */
export const testDatabase = (
  schema: "migrated" | "empty" = "migrated"
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | TestDatabase> =>
  Layer.unwrap(
    Effect.map(freshDatabase(schema), ({ url }) =>
      Layer.merge(
        PgClient.layerFrom(pool(`${url}?connect_timeout=${CONNECT_SECONDS}`, 8)).pipe(Layer.orDie),
        Layer.succeed(TestDatabase, { url })
      )
    )
  )
