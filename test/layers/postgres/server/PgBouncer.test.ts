import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { describe } from "vitest"
import * as Settings from "../../../../layers/config/Settings.ts"
import { HOLDERS } from "../../../../layers/postgres/server/advisoryLocks.ts"
import { asCommand, migratedLayer } from "../../../../layers/postgres/server/Database.ts"
import * as Holder from "../../../../layers/postgres/operations/Holder.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"
import { freshDatabase } from "../../../Database.ts"
import { pgBouncer } from "../../../PgBouncer.ts"
import { lastingPort } from "../../../Ports.ts"
import { command } from "../../../src/cli/Command.ts"

const NOTHING = { batches: [], webhookWork: [], leaseMs: 20_000, webhookLeaseMs: 20_000 }

const node = (url: string) =>
  Holder.layer.pipe(
    Layer.provideMerge(migratedLayer),
    Layer.provide(Settings.layer({ MASTER_KEY: "00".repeat(32), DATABASE_URL: url })),
    Layer.provide(asCommand)
  )

describe("behind PgBouncer", () => {
  it.live(
    "in session mode a node migrates, reads and writes, holds its lock, and says that its statements have no limits",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase("empty")
        const bouncer = yield* pgBouncer(url, "session")
        const said: Array<string> = []
        const listener = Logger.make(({ message }) => void said.push(String(message)))
        const found = yield* Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const holder = yield* LeaseHolder
          yield* holder.beat(NOTHING)
          yield* holder.beat(NOTHING)
          const written = yield* sql.withTransaction(sql<{ n: number }>`SELECT count(*)::int AS n FROM notifications`)
          const locks = yield* sql<{ n: number }>`
          SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND classid = ${HOLDERS} AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
          return { written, locks, id: holder.id() }
        }).pipe(Effect.provide(node(bouncer.url)), Effect.provide(Logger.layer([listener])))
        expect(found).toEqual({ written: [{ n: 0 }], locks: [{ n: 1 }], id: expect.any(Number) })
        expect(said.filter((line) => line.includes("connection pooler"))).toEqual([
          expect.stringContaining("docs/operators.md")
        ])
        expect(said.join("\n")).not.toContain("Waiting for the database")
      }).pipe(Effect.scoped)
  )

  it.live("says nothing of limits that the database itself gives its sessions", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const name = new URL(url).pathname.slice(1)
      const own = PgClient.makeClient({ url: Redacted.make(url) }).pipe(
        Effect.flatMap((sql) =>
          Effect.forEach(
            [
              "statement_timeout = '60s'",
              "lock_timeout = '20s'",
              "idle_in_transaction_session_timeout = '30s'",
              "enable_seqscan = off",
              "plan_cache_mode = force_generic_plan",
              "jit = off"
            ],
            (setting) => sql.unsafe(`ALTER DATABASE ${name} SET ${setting}`).unprepared
          )
        ),
        Effect.scoped,
        Effect.provide(Reactivity.layer)
      )
      yield* own
      const bouncer = yield* pgBouncer(url, "session")
      const said: Array<string> = []
      const listener = Logger.make(({ message }) => void said.push(String(message)))
      yield* PgClient.PgClient.pipe(Effect.provide(node(bouncer.url)), Effect.provide(Logger.layer([listener])))
      expect(said.filter((line) => line.includes("connection pooler"))).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("in transaction mode nothing starts, and everybody says why", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase()
      const bouncer = yield* pgBouncer(url, "transaction")
      const started = yield* Effect.flip(PgClient.PgClient.pipe(Effect.provide(node(bouncer.url)), Effect.scoped))
      expect(String((started as Error).message)).toMatch(/shares sessions.*PgBouncer: pool_mode.*session mode/)
      const env = { MASTER_KEY: "00".repeat(32), DATABASE_URL: bouncer.url }
      const doctor = yield* command(["doctor"], env)
      expect(doctor.out).toMatch(/^FAIL +database +DATABASE_URL leads to a connection pooler that shares sessions/m)
      expect(doctor.code).toBe(1)
      const migrated = yield* command(["migrate"], env)
      expect([migrated.code, migrated.err]).toEqual([1, expect.stringContaining("shares sessions among clients")])
      const served = yield* command(["serve"], { ...env, PORT: String(yield* lastingPort) })
      expect([served.code, served.err]).toEqual([1, expect.stringContaining("shares sessions among clients")])
    }).pipe(Effect.scoped)
  )

  it.live("sessions without it have their limits, those of a node's heartbeat closer ones", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      const limits = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return yield* sql`SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
          current_setting('idle_in_transaction_session_timeout') AS idle`
      }).pipe(Effect.provide(node(url)))
      expect(limits).toEqual([{ statement: "1min", lock: "200ms", idle: "30s" }])
    }).pipe(Effect.scoped)
  )
})
