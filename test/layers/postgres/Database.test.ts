import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import * as Settings from "../../../layers/config/Settings.ts"
import { layer, migratedLayer } from "../../../layers/postgres/Database.ts"
import { embeddedServer } from "../../../layers/postgres/EmbeddedServer.ts"
import { freshDatabase } from "../../Database.ts"

const dataDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heliograph-database-"))),
  (dataDir) => Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))
)

const settings = (env: Readonly<Record<string, string>>) =>
  Settings.layer({ MASTER_KEY: "00".repeat(32), ...env }).pipe(Layer.orDie)

describe("layer", () => {
  it.live("waits for a database that is not there yet, and says so", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory
      const { url } = yield* Effect.scoped(embeddedServer(dataDir, { durable: false }))
      const waiting = yield* Deferred.make<unknown>()
      const listener = Logger.make(({ message }) => {
        if (String(message).includes("Waiting for the database")) Deferred.doneUnsafe(waiting, Effect.succeed(message))
      })
      const node = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* sql`SELECT 1 AS one`
      }).pipe(
        Effect.provide(layer.pipe(Layer.provide(settings({ DATABASE_URL: url })))),
        Effect.provide(Logger.layer([listener])),
        Effect.forkScoped
      )
      yield* Deferred.await(waiting)
      yield* embeddedServer(dataDir, { durable: false })
      expect(yield* Fiber.join(node)).toEqual([{ one: 1 }])
    }).pipe(Effect.scoped)
  )

  it.live("connects again by itself after its sessions were ended by the server", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const lines = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* Effect.exit(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
        return yield* Effect.eventually(sql`SELECT current_setting('application_name') AS name`)
      }).pipe(Effect.provide(layer.pipe(Layer.provide(settings({ DATABASE_URL: url })))))
      expect(lines).toEqual([{ name: "heliograph" }])
    })
  )
})

describe("migratedLayer", () => {
  it.live("starts the embedded database of the data directory, with the schema and its partitions", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory
      const found = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* sql<{ days: number }>`
          SELECT count(*)::int AS days FROM pg_inherits WHERE inhparent = 'deliveries'::regclass`
      }).pipe(Effect.provide(migratedLayer.pipe(Layer.provide(settings({ DATA_DIR: dataDir })))))
      expect(found).toEqual([{ days: 10 }])
    })
  )
})
