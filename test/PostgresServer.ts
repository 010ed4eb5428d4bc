import type { Scope } from "effect"
import { Effect, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { locate } from "../layers/postgres/server/EmbeddedBinaries.ts"
import { lastingPort } from "./Ports.ts"

/** A PostgreSQL server of a test's own, to be killed and started again; durable, unlike the one that tests share. */
export interface PostgresServer {
  readonly url: string
  readonly port: number
  /** Starts it, again on the same port, with what its directory holds. Fails when it does not come up. */
  readonly start: Effect.Effect<void, Error>
  /** SIGKILL for the server and every process of it, as if the machine had gone; resolves when they have ended. */
  readonly kill: Effect.Effect<void>
  /** SIGSTOP and SIGCONT: connections stay open, but nobody answers. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
}

export interface PostgresOptions {
  /** Where its directory is made; the system's temporary directory unless given. */
  readonly below?: string
  /** A network that may connect as well, and whose host is listened at: `10.0.0.1/30`. */
  readonly guests?: string
  /** Further settings, `name=value`. */
  readonly settings?: ReadonlyArray<string>
}

/** Processes that run, by their parents. Those that have ended and that nobody has asked about do not count. */
const running = (): ReadonlyMap<number, number> =>
  new Map(
    execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" })
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , state]) => state !== undefined && !state.startsWith("Z"))
      .map(([pid, parent]) => [Number(pid), Number(parent)] as const)
  )

const answers = (port: number, host: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = createConnection(port, host)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

/** Makes a cluster, and starts it unless told otherwise; it ends with the scope, and its directory with it. */
export const makePostgresServer = Effect.fnUntraced(function* (
  options: PostgresOptions = {},
  isStarted = true
): Effect.fn.Return<PostgresServer, Error, Scope.Scope> {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(options.below ?? tmpdir(), "heliograph-postgres-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  // PostgreSQL runs as another user when the tests run as root.
  yield* Effect.promise(() => chmod(directory, 0o711))
  const data = join(directory, "data")
  const binaries = yield* locate(directory)
  const port = yield* lastingPort
  const run = (program: "initdb" | "pg_ctl", args: ReadonlyArray<string>) =>
    Effect.flatMap(binaries.run(program, args), ({ code, output }) =>
      code === 0 ? Effect.void : Effect.fail(new Error(`${program} ended with ${code}: ${output.trim()}`))
    )
  yield* Effect.promise(() => mkdir(data, { mode: 0o700 }))
  binaries.own(data)
  yield* run("initdb", [
    `--pgdata=${data}`,
    "--username=heliograph",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-locale",
    "--no-instructions",
    // Small segments: a disk that a test fills need not be large.
    "--wal-segsize=4"
  ])
  if (options.guests !== undefined) {
    const rule = `host all all ${options.guests} trust\n`
    yield* Effect.promise(() => appendFile(join(data, "pg_hba.conf"), rule))
  }
  const settings = [
    `port=${port}`,
    `listen_addresses=${["127.0.0.1", ...(options.guests === undefined ? [] : [options.guests.split("/")[0]!])].join(",")}`,
    "unix_socket_directories=''",
    "max_connections=200",
    "min_wal_size=8MB",
    "max_wal_size=256MB",
    "jit=off",
    ...(options.settings ?? [])
  ]
  const start = run("pg_ctl", [
    "start",
    `--pgdata=${data}`,
    "--wait",
    "--timeout=60",
    `--log=${join(data, "server.log")}`,
    `--options=${settings.map((setting) => `-c ${setting}`).join(" ")}`
  ]).pipe(
    // The processes of a server that was killed need a moment to notice.
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 25 })
  )
  const postmaster = Effect.promise(async () => {
    const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")
    return Number(text.split("\n")[0])
  })
  const signal = (name: NodeJS.Signals) =>
    Effect.map(postmaster, (pid) => {
      if (!running().has(pid)) return []
      // Stopped first, so that it starts no further one which nobody here knows of.
      process.kill(pid, "SIGSTOP")
      const processes = running()
      const pids = [pid, ...[...processes].flatMap(([child, parent]) => (parent === pid ? [child] : []))]
      for (const each of pids) {
        try {
          process.kill(each, name)
        } catch (error) {
          // It has ended by itself meanwhile.
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
        }
      }
      return pids
    })
  const kill = Effect.flatMap(signal("SIGKILL"), (pids) =>
    Effect.repeat(
      Effect.sync(() => {
        const processes = running()
        return pids.some((pid) => processes.has(pid))
      }),
      { while: (some) => some, schedule: Schedule.spaced("20 millis") }
    )
  ).pipe(Effect.asVoid)
  yield* Effect.addFinalizer(() => kill)
  if (isStarted) {
    yield* start
    yield* Effect.repeat(answers(port, "127.0.0.1"), { until: (up) => up, schedule: Schedule.spaced("20 millis") })
  }
  return {
    url: `postgres://heliograph@127.0.0.1:${port}/postgres`,
    port,
    start,
    kill,
    freeze: Effect.asVoid(signal("SIGSTOP")),
    thaw: Effect.asVoid(signal("SIGCONT"))
  }
})
