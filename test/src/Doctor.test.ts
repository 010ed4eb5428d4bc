import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { asNode, ConnectionName, NODE, pool } from "../../layers/postgres/server/Database.ts"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { CredentialStore } from "../../services/ports/sending/CredentialStore.ts"
import { commands } from "../../src/app.ts"
import { diagnose } from "../../src/cli/Diagnosis.ts"
import { freshDatabase } from "../Database.ts"
import { query } from "./cli/Command.ts"

describe("diagnose", () => {
  it.live(
    "warns of several nodes on one database when there is nothing between them",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString("hex") }
        const nodes = Effect.map(diagnose(env), (findings) => findings.find(({ check }) => check === "nodes"))
        const start = (name: Layer.Layer<never>) => Layer.build(Layer.fresh(commands(env)).pipe(Layer.provide(name)))
        expect(yield* nodes).toMatchObject({
          isOk: true,
          isWarning: false,
          message: "none at the moment"
        })
        yield* start(asNode)
        expect(yield* nodes).toMatchObject({ isOk: true, isWarning: false, message: "one at the moment" })
        yield* start(Layer.succeed(ConnectionName, `${NODE}17@elsewhere`))
        expect(yield* nodes).toMatchObject({
          isOk: true,
          isWarning: true,
          message: expect.stringContaining("2 nodes share this database, and NATS_URL is not set")
        })
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "warns of recipients who were set aside, until they are replayed, and of runs of workflows that nobody moves",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString("hex") }
        const found = Effect.map(diagnose(env), (findings) => findings.find(({ check }) => check === "set aside"))
        const inDatabase = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
          Effect.provide(work, PgClient.layerFrom(pool(url, 1)))
        const { appId } = yield* Effect.provide(createApplication("Test"), commands(env))
        expect(yield* found).toMatchObject({ isOk: true, isWarning: false, message: "nothing is set aside" })
        const sql = SqlClient.SqlClient
        yield* inDatabase(
          Effect.flatMap(
            sql,
            (sql) => sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts)
            VALUES (gen_random_uuid(), ${appId}, 'notification', 'worker_ended', 1)`
          )
        )
        expect(yield* found).toMatchObject({
          isWarning: true,
          message: expect.stringContaining("1 recipient was set aside")
        })
        yield* inDatabase(Effect.flatMap(sql, (sql) => sql`UPDATE dead_letters SET replayed_at = now()`))
        expect(yield* found).toMatchObject({ isOk: true, isWarning: false })

        const late = Effect.map(diagnose(env), (findings) => findings.find(({ check }) => check === "workflows"))
        expect(yield* late).toMatchObject({ isOk: true, isWarning: false })
        yield* inDatabase(
          Effect.flatMap(
            sql,
            (sql) => sql`INSERT INTO execution_timers (app_id, execution_id, due_at)
            VALUES (${appId}, gen_random_uuid(), now() - interval '61 s'), (${appId}, gen_random_uuid(), now() + interval '1 h')`
          )
        )
        expect(yield* late).toMatchObject({
          isWarning: true,
          message: expect.stringContaining("1 run of a workflow is due")
        })
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "names the webhooks whose latest deliveries fail, and those that were disabled for it",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString("hex") }
        const found = Effect.map(diagnose(env), (findings) => findings.find(({ check }) => check === "webhooks"))
        const { appId } = yield* Effect.provide(createApplication("Test"), commands(env))
        const add = Effect.fnUntraced(function* (name: string) {
          const [row] = yield* query(
            url,
            `INSERT INTO webhooks (id, app_id, name, url) VALUES (gen_random_uuid(), '${appId}', '${name}', 'https://x.example') RETURNING id`
          )
          return String(row!["id"])
        })
        const [, failed, tried, disabled, closed] = yield* Effect.forEach(
          ["fine", "failed", "tried", "disabled", "closed"],
          add
        )
        const tries = (attempts: number) =>
          query(
            url,
            `WITH c AS (INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
               VALUES (gen_random_uuid(), '${appId}', 'x', now(), 1, '{}', '[]') RETURNING id)
             INSERT INTO webhook_work_items (id, webhook_id, chunk_id, attempts)
             SELECT gen_random_uuid(), '${tried}', id, ${attempts} FROM c`
          )
        yield* tries(1)
        yield* query(url, `UPDATE webhooks SET is_active = false WHERE id = '${closed}'`)
        expect(yield* found).toMatchObject({ isOk: true, isWarning: false, message: "none fails" })
        yield* query(url, `UPDATE webhooks SET failures = 7, failing_since = now() WHERE id = '${failed}'`)
        yield* tries(3)
        yield* query(
          url,
          `UPDATE webhooks SET is_active = false, disabled_reason = '50 deliveries in a row failed' WHERE id = '${disabled}'`
        )
        const { isWarning, message } = (yield* found)!
        expect(isWarning).toBe(true)
        expect(message).toContain(`${failed} of ${appId} failed in its last 7 deliveries`)
        expect(message).toContain(`${tried} of ${appId} has deliveries after 3 attempts`)
        expect(message).toContain(`${disabled} of ${appId} is disabled: 50 deliveries in a row failed`)
        expect(message).not.toContain(closed!)
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "names the credentials that a provider refuses, and those that this master key does not open",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const dataDir = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-doctor-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
        )
        const keyed = () => ({ DATABASE_URL: url, DATA_DIR: dataDir, MASTER_KEY: randomBytes(32).toString("hex") })
        const env = keyed()
        const credentials = (environment: ReturnType<typeof keyed>) =>
          Effect.map(diagnose(environment), (findings) => findings.find(({ check }) => check === "credentials"))

        const app = yield* Effect.gen(function* () {
          const { appId } = yield* createApplication("Test")
          const value = { url: "smtp://mail.example:25", from: "a@mail.example" }
          yield* (yield* CredentialStore).put(appId, { kind: "smtp", value })
          return appId
        }).pipe(Effect.provide(commands(env)))
        expect(yield* credentials(env)).toMatchObject({ isOk: true, message: "1 can be read, none is refused" })

        expect(yield* credentials(keyed())).toMatchObject({
          isOk: false,
          message: `smtp of ${app} cannot be read with this MASTER_KEY`
        })
        yield* Effect.flatMap(CredentialStore, (store) => store.suspend(app, "smtp", 1, "authentication failed")).pipe(
          Effect.provide(commands(env))
        )
        expect(yield* credentials(env)).toMatchObject({
          isOk: false,
          message: `smtp of ${app} is refused: authentication failed`
        })
      }).pipe(Effect.scoped),
    240_000
  )
})
