import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Exit, Logger, Redacted, Schedule, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { ChildProcess } from "node:child_process"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe } from "vitest"
import { embeddedServer } from "../../../../layers/postgres/server/EmbeddedServer.ts"

/** The path of a data directory that does not exist yet; whatever server is left in it is ended with it. */
const newDataDirectory = (mode = 0o755) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const above = mkdtempSync(join(tmpdir(), "heliograph-embedded-"))
      chmodSync(above, mode)
      return join(above, "data")
    }),
    (dataDir) =>
      Effect.sync(() => {
        if (isRunning(dataDir)) process.kill(postmaster(dataDir), "SIGKILL")
        rmSync(join(dataDir, ".."), { recursive: true, force: true, maxRetries: 50, retryDelay: 20 })
      })
  )

let pattern: string
beforeAll(async () => {
  pattern = join(mkdtempSync(join(tmpdir(), "heliograph-embedded-")), "data")
  await Effect.runPromise(using(pattern, () => Effect.void))
  const access = JSON.parse(readFileSync(join(pattern, "postgres.json"), "utf8")) as { readonly password: string }
  writeFileSync(join(pattern, "postgres.json"), JSON.stringify({ ...access, port: 0 }))
})
afterAll(() => rmSync(join(pattern, ".."), { recursive: true }))

/** A data directory that is initialised already: a copy of one, with a port that is still to be chosen. */
const dataDirectory = () =>
  Effect.tap(newDataDirectory(), (dataDir) =>
    Effect.sync(() => execFileSync("cp", ["-a", pattern, dataDir], { stdio: "inherit" }))
  )

const postmaster = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A server that stops takes its file away. Its process may stay as a zombie where nobody reaps orphans. */
const isRunning = (dataDir: string): boolean =>
  existsSync(join(dataDir, "postgres", "postmaster.pid")) && isAlive(postmaster(dataDir))

/** A server that has just begun may take long to answer on a machine that runs everything else at once. */
const CONNECT_MS = 60_000

const query = (url: string, text: string) =>
  PgClient.makeClient({ url: Redacted.make(url), connectTimeout: CONNECT_MS }).pipe(
    Effect.flatMap((sql) => sql.unsafe(text).unprepared),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, { schedule: Schedule.spaced("20 millis"), times: 1500 })

/** Uses the server for as long as an effect takes. */
const using = <A, E, R>(dataDir: string, work: (url: string) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(embeddedServer(dataDir, { durable: false }), ({ url }) => work(url)))

interface Client {
  readonly process: ChildProcess
  readonly url: string
  readonly leave: Effect.Effect<number | null>
}

/** Another process that uses the server of a data directory. */
const client = (dataDir: string) =>
  Effect.promise(async (): Promise<Client> => {
    const script = join(import.meta.dirname, "embeddedClient.ts")
    const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] })
    const exited = once(child, "exit")
    const [line] = await once(child.stdout, "data")
    return {
      process: child,
      url: String(line).trim(),
      leave: Effect.promise(async () => {
        child.stdin.end()
        return (await exited)[0] as number | null
      })
    }
  })

describe("embeddedServer", { concurrent: true, timeout: 240_000 }, () => {
  it.live("initialises its data at the first start and finds it again at the second", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory()
      const first = yield* using(dataDir, (url) =>
        Effect.as(query(url, "CREATE TABLE kept AS SELECT 42 AS answer"), url)
      )
      expect(isRunning(dataDir)).toBe(false)
      const rows = yield* using(dataDir, (url) => {
        expect(url).toBe(first)
        return query(url, "SELECT answer FROM kept")
      })
      expect(rows).toEqual([{ answer: 42 }])
    })
  )

  it.live("is asked by its Unix socket, and by TCP where the path of that would be too long", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory()
      const address = "SELECT inet_server_addr()::text AS address"
      yield* using(dataDir, (url) =>
        Effect.gen(function* () {
          expect(yield* query(url, address)).toEqual([{ address: null }])
          expect(yield* query(url.replace(/\?.*/, ""), address)).toEqual([{ address: "127.0.0.1/32" }])
        })
      )
      const long = join(yield* newDataDirectory(), "a-long-name-".repeat(8))
      yield* using(long, (url) =>
        Effect.map(query(url, address), (rows) => expect(rows).toEqual([{ address: "127.0.0.1/32" }]))
      )
    })
  )

  it.live("listens on the loopback address only, with a password that only its owner can read", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory()
      yield* using(dataDir, (url) =>
        Effect.gen(function* () {
          expect(yield* query(url, "SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
          expect(statSync(join(dataDir, "postgres.json")).mode & 0o777).toBe(0o600)
          expect(new URL(url).password).toHaveLength(48)
          const wrong = new URL(url)
          wrong.password = "guessed"
          expect((yield* Effect.flip(query(wrong.href, "SELECT 1"))).reason._tag).toBe("AuthenticationError")
        })
      )
    })
  )

  it.live("keeps what it commits through a power cut by default", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const { url } = yield* embeddedServer(dataDir)
      const settings = yield* query(
        url,
        "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('full_page_writes') AS pages"
      )
      expect(settings).toEqual([{ fsync: "on", commit: "on", pages: "on" }])
    }).pipe(Effect.scoped)
  )

  it.live("works below a directory that only its owner may enter", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory(0o700)
      expect(yield* using(dataDir, (url) => query(url, "SELECT 1 AS one"))).toEqual([{ one: 1 }])
    })
  )

  it.live("begins anew after an initialisation that was cut short", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory()
      mkdirSync(join(dataDir, "postgres.new", "base"), { recursive: true })
      expect(yield* using(dataDir, (url) => query(url, "SELECT 1 AS one"))).toEqual([{ one: 1 }])
    })
  )

  it.live("leaves no server behind when its start is broken off", () =>
    Effect.gen(function* () {
      const dataDir = yield* newDataDirectory()
      yield* using(dataDir, (url) => query(url, "SELECT 1"))
      const starting = yield* Effect.forkChild(using(dataDir, () => Effect.never))
      const pid = yield* eventually(Effect.try(() => postmaster(dataDir)))
      yield* Fiber.interrupt(starting)
      expect([isRunning(dataDir), existsSync(join(dataDir, "postgres.lock"))]).toEqual([false, false])
      // Nor later, when what starts it has come so far.
      yield* eventually(Effect.try(() => expect(isAlive(pid)).toBe(false)))
    })
  )

  it.live("is shared by processes that start at the same moment, and stopped by the last of them", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const clients = yield* Effect.all([client(dataDir), client(dataDir), client(dataDir)], { concurrency: 3 })
      const pid = postmaster(dataDir)
      expect(new Set(clients.map(({ url }) => url)).size).toBe(1)
      const [first, ...others] = clients
      expect(yield* first!.leave).toBe(0)
      expect(isAlive(pid)).toBe(true)
      expect(yield* query(first!.url, "SELECT 1 AS one")).toEqual([{ one: 1 }])
      yield* Effect.forEach(others, ({ leave }) => leave, { concurrency: 2 })
      expect(isRunning(dataDir)).toBe(false)
    })
  )

  it.live("adopts the server that a killed process left behind", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const dead = yield* client(dataDir)
      yield* query(dead.url, "CREATE TABLE kept AS SELECT 42 AS answer")
      const pid = postmaster(dataDir)
      dead.process.kill("SIGKILL")
      yield* dead.leave
      expect(isAlive(pid)).toBe(true)
      yield* using(dataDir, (url) => {
        expect(postmaster(dataDir)).toBe(pid)
        return query(url, "SELECT answer FROM kept")
      })
      expect(isRunning(dataDir)).toBe(false)
    })
  )

  it.live("is started again under the same URL when it is killed, with everything that was committed", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const { url } = yield* embeddedServer(dataDir)
      yield* query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
      const killed = postmaster(dataDir)
      process.kill(killed, "SIGKILL")
      expect(yield* eventually(query(url, "SELECT answer FROM kept"))).toEqual([{ answer: 42 }])
      expect(postmaster(dataDir)).not.toBe(killed)
    }).pipe(Effect.scoped)
  )

  it.live("is started again also where it could not be at first, as on a full disk", () => {
    const logs: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logs.push(line))])
    return Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const { url } = yield* embeddedServer(dataDir)
      // No file can be written there: the lock cannot be taken.
      const obstacle = join(dataDir, `postgres.lock.${process.pid}`)
      mkdirSync(obstacle)
      process.kill(postmaster(dataDir), "SIGKILL")
      const failures = () => logs.filter((line) => line.includes("does not start"))
      yield* eventually(Effect.suspend(() => (failures().length > 1 ? Effect.void : Effect.fail("not tried again"))))
      expect(failures()[0]).toContain("postgres.lock cannot be taken")
      rmdirSync(obstacle)
      expect(yield* eventually(query(url, "SELECT 1 AS one"))).toEqual([{ one: 1 }])
    }).pipe(Effect.scoped, Effect.provide(logger))
  })

  it.live("is waited for while it recovers from the end of one of its processes", () => {
    const logs: Array<string> = []
    const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logs.push(line))])
    return Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const { url } = yield* embeddedServer(dataDir)
      // So much that it takes a moment to be replayed.
      yield* query(
        url,
        "CREATE TABLE kept AS SELECT n, repeat('x', 100) AS text FROM generate_series(1, 500000) AS t (n)"
      )
      const server = postmaster(dataDir)
      const [one] = yield* query(url, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'")
      process.kill((one as { readonly pid: number }).pid, "SIGKILL")
      yield* eventually(Effect.suspend(() => (logs.length > 0 ? Effect.void : Effect.fail("not seen yet"))))
      expect(yield* eventually(query(url, "SELECT count(*)::int AS count FROM kept"))).toEqual([{ count: 500_000 }])
      expect(postmaster(dataDir)).toBe(server)
      expect(logs.filter((line) => line.includes("does not start"))).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(logger))
  })

  it.live("starts although its process id file names another program by now", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const dead = yield* client(dataDir)
      dead.process.kill("SIGKILL")
      yield* dead.leave
      const file = join(dataDir, "postgres", "postmaster.pid")
      const left = readFileSync(file, "utf8")
      process.kill(postmaster(dataDir), "SIGKILL")
      writeFileSync(file, left.replace(/^\d+/, String(process.pid)))
      expect(yield* using(dataDir, (url) => query(url, "SELECT 1 AS one"))).toEqual([{ one: 1 }])
    })
  )

  it.live("moves to another port when a stranger listens on its own", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const before = yield* using(dataDir, (url) => Effect.succeed(url))
      const stranger = createServer().listen(Number(new URL(before).port), "127.0.0.1")
      yield* Effect.promise(() => once(stranger, "listening"))
      yield* Effect.addFinalizer(() =>
        Effect.promise(() => new Promise<void>((done) => void stranger.close(() => done())))
      )
      const after = yield* using(dataDir, (url) => Effect.as(query(url, "SELECT 1"), url))
      expect(after).not.toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("takes over the lock of a dead process", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const child = spawn(process.execPath, ["-e", ""])
      yield* Effect.promise(() => once(child, "exit"))
      writeFileSync(join(dataDir, "postgres.lock"), `${child.pid} 1`)
      expect(yield* using(dataDir, (url) => query(url, "SELECT 1 AS one"))).toEqual([{ one: 1 }])
      expect(existsSync(join(dataDir, "postgres.lock"))).toBe(false)
    })
  )

  it.live("says what is missing when its password is gone, and touches nothing", () =>
    Effect.gen(function* () {
      const dataDir = yield* dataDirectory()
      const scope = yield* Scope.make()
      yield* Scope.provide(embeddedServer(dataDir, { durable: false }), scope)
      yield* Scope.close(scope, Exit.void)
      rmSync(join(dataDir, "postgres.json"))
      const error = yield* Effect.flip(using(dataDir, () => Effect.void))
      expect(error._tag).toBe("EmbeddedServerError")
      expect(error.message).toContain("postgres.json with the database's password is missing")
      expect(existsSync(join(dataDir, "postgres", "PG_VERSION"))).toBe(true)
    })
  )
})
