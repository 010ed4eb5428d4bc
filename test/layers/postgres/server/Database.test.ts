import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { CanWait } from "../../../../services/ports/operations/CanWait.ts"
import * as Settings from "../../../../layers/config/Settings.ts"
import { layer, migratedLayer, nodeName, pool } from "../../../../layers/postgres/server/Database.ts"
import { embeddedServer } from "../../../../layers/postgres/server/EmbeddedServer.ts"
import { storeError } from "../../../../layers/postgres/server/storeError.ts"
import { freshDatabase } from "../../../Database.ts"

const dataDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "heliograph-database-"))),
  (dataDir) => Effect.sync(() => rmSync(dataDir, { recursive: true, force: true }))
)

const settings = (env: Readonly<Record<string, string>>) =>
  Settings.layer({ MASTER_KEY: "00".repeat(32), ...env }).pipe(Layer.orDie)

describe("layer", { concurrent: true, timeout: 240_000 }, () => {
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

  it.live("fails as a statement does when its connection is lost within a transaction, so that it is tried again", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const tried = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        let tries = 0
        const work = Effect.suspend(() =>
          ++tries === 1 ? sql`SELECT pg_terminate_backend(pg_backend_pid())` : sql`SELECT 1 AS one`
        )
        yield* sql.withTransaction(work).pipe(Effect.retry({ while: (error) => error._tag === "SqlError", times: 5 }))
        return tries
      }).pipe(Effect.provide(layer.pipe(Layer.provide(settings({ DATABASE_URL: url })))))
      expect(tried).toBeGreaterThan(1)
    })
  )

  it.live("fails so as well where the work within the transaction has an error of its own for what it lost", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const tried = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        let tries = 0
        const work = Effect.suspend(() =>
          ++tries === 1 ? sql`SELECT pg_terminate_backend(pg_backend_pid())` : sql`SELECT 1 AS one`
        ).pipe(storeError("ExecutionStore.ask"))
        const outer = sql.withTransaction(work).pipe(storeError("ExecutionStore.resume"))
        yield* Effect.retry(outer, { while: ({ refused }) => refused !== true, times: 5 })
        return tries
      }).pipe(Effect.provide(layer.pipe(Layer.provide(settings({ DATABASE_URL: url })))))
      expect(tried).toBe(2)
    })
  )
})

describe("nodeName", () => {
  it("tells containers of one deployment apart, whose process has the same number in each", () => {
    const host = (end: string) => `production-notifications-heliograph-worker-7d9c5b8f6d-${end}`
    const names = [host("x2x4z"), host("q8k7m"), "a.node.example", "b.node.example"].map((name) => nodeName(1, name))
    expect(new Set(names).size).toBe(4)
    expect(names.map((name) => name.length <= 63)).toEqual([true, true, true, true])
    expect(names[2]).toBe("heliograph node 1@a.node.example")
  })
})

describe("migratedLayer", { concurrent: true, timeout: 240_000 }, () => {
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

  it.live("comes through a kill of the embedded database under load with every commit that was answered", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory
      const node = migratedLayer.pipe(Layer.provide(settings({ DATA_DIR: dataDir, DATABASE_CONNECTIONS: "4" })))
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`CREATE TABLE kept (id uuid PRIMARY KEY)`
        const answered: Array<string> = []
        let isKilled = false
        const isLoaded = yield* Deferred.make<void>()
        const isBack = yield* Deferred.make<void>()
        const writer = Effect.gen(function* () {
          let afterKill = 0
          while (afterKill < 3) {
            const id = uuidv7()
            const started = isKilled
            const insert = sql`INSERT INTO kept VALUES (${id})`
            // Half of them in transactions: those have a connection to themselves.
            const exit = yield* Effect.exit(answered.length % 2 === 0 ? insert : sql.withTransaction(insert))
            if (Exit.isSuccess(exit)) {
              answered.push(id)
              if (started) afterKill++
              if (answered.length >= 200) yield* Deferred.succeed(isLoaded, undefined)
            } else yield* Deferred.await(isBack)
          }
        })
        const startedAt = Effect.map(
          sql<{ at: string }>`SELECT pg_postmaster_start_time()::text AS at`,
          ([row]) => row!.at
        )
        const killer = Effect.gen(function* () {
          yield* Deferred.await(isLoaded)
          const before = yield* startedAt
          const pid = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])
          process.kill(pid, "SIGKILL")
          // From here on a success is one of the server that was started again: this one's sessions end first.
          yield* Effect.repeat(Effect.eventually(startedAt), { until: (at) => at !== before })
          isKilled = true
          yield* Deferred.succeed(isBack, undefined)
        })
        yield* Effect.all([killer, ...Array.from({ length: 16 }, () => writer)], { concurrency: "unbounded" })
        const rows = yield* sql<{ id: string }>`SELECT id FROM kept`
        const kept = new Set(rows.map(({ id }) => id))
        expect(answered.filter((id) => !kept.has(id))).toEqual([])
      }).pipe(Effect.provide(node))
    })
  )
})

describe("a pool", () => {
  it.live("leaves half of its connections to what cannot wait, whatever is waited for meanwhile", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        // A pool that is connected: the first transactions of one that is not wait for each other.
        yield* sql`SELECT 1`
        const [gate, both] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let begun = 0
        const waits = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provideService(work, CanWait, true)
        const list = waits(
          sql.withTransaction(
            Effect.suspend(() => {
              if (++begun === 2) Deferred.doneUnsafe(both, Effect.void)
              // Those who have a place wait for no further one.
              return Effect.andThen(waits(sql.withTransaction(sql`SELECT 1`)), Deferred.await(gate))
            })
          )
        )
        const lists = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.forkChild(list))
        yield* Deferred.await(both)
        // A message, and one that is given up.
        yield* sql.withTransaction(sql`SELECT 1`)
        yield* Fiber.interrupt(lists.pop()!)
        expect(begun).toBe(2)
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.forEach(lists, Fiber.join)
        expect(begun).toBe(11)
      }).pipe(Effect.provide(PgClient.layerFrom(pool(url, 4))))
    }).pipe(Effect.scoped)
  )
})
