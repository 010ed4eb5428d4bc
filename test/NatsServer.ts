import type { Scope } from "effect"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lastingPort } from "./Ports.ts"

/** A real nats-server with JetStream on loopback, its store in a directory of its own. */
export interface NatsServer {
  readonly url: string
  /** Starts it again, on the same port, with what its store holds. */
  readonly start: Effect.Effect<void>
  /** SIGKILL; resolves when the process is gone. */
  readonly kill: Effect.Effect<void>
  /** SIGSTOP and SIGCONT: the sockets stay open, but nobody answers. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** Deletes the store; the server must not be running. */
  readonly wipe: Effect.Effect<void>
  /** Deletes the files of a stream under the running server, as it does itself when a stream is deleted and made at once. */
  readonly lose: (stream: string) => Effect.Effect<void>
}

const HOW = [
  "These tests need nats-server on the PATH.",
  "Debian and Ubuntu: apt-get install nats-server (done by the tests themselves when they run as root).",
  "macOS: brew install nats-server. Elsewhere: https://github.com/nats-io/nats-server/releases"
].join("\n")

const find = (): string | null => {
  for (const directory of [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"]) {
    const path = join(directory, "nats-server")
    if (directory !== "" && existsSync(path)) return path
  }
  return null
}

/** From the PATH, else Debian's package when root. The lock makes several test processes install it once. */
const executable = (): string => {
  const found = find()
  if (found !== null) return found
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const install =
      "command -v nats-server >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends nats-server; }"
    const lock = join(tmpdir(), "heliograph-apt.lock")
    const done = spawnSync("flock", [lock, "sh", "-c", install], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      encoding: "utf8"
    })
    const installed = find()
    if (installed !== null) return installed
    throw new Error(`${HOW}\napt-get said: ${done.stderr || done.stdout || String(done.error)}`)
  }
  throw new Error(HOW)
}

/** `below`: where its directory is made. `more`: further arguments of the server. */
export const makeNatsServerAt = Effect.fnUntraced(function* (
  below: string,
  more: ReadonlyArray<string> = []
): Effect.fn.Return<NatsServer, never, Scope.Scope> {
  const path = executable()
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(below, "heliograph-nats-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const store = join(directory, "store")
  let child: ChildProcess | null = null
  const port = yield* lastingPort

  const start = Effect.callback<void>((resume) => {
    const args = ["--addr", "127.0.0.1", "--port", String(port), "--jetstream", "--store_dir", store, ...more]
    const started = spawn(path, args, { stdio: ["ignore", "ignore", "pipe"] })
    child = started
    let log = ""
    started.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (log.endsWith("ready\n")) return
      log += text
      if (log.includes("Server is ready")) {
        log = "ready\n"
        resume(Effect.void)
      }
    })
    started.once("exit", (code) => resume(Effect.die(new Error(`nats-server ended with ${code}:\n${log}`))))
    started.once("error", (error) => resume(Effect.die(error)))
  })

  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))

  const kill = Effect.promise(async () => {
    const running = child
    child = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, "exit")
    running.kill("SIGKILL")
    await gone
  })

  yield* Effect.acquireRelease(start, () => kill)
  return {
    url: `nats://127.0.0.1:${port}`,
    start,
    kill,
    freeze: signal("SIGSTOP"),
    thaw: signal("SIGCONT"),
    wipe: Effect.promise(() => rm(store, { recursive: true, force: true })),
    // Must be there: a layout of another version would make the tests pass without a look.
    lose: (stream) =>
      Effect.promise(() => rm(join(store, "jetstream", "$G", "streams", stream), { recursive: true, maxRetries: 5 }))
  }
})

export const makeNatsServer: Effect.Effect<NatsServer, never, Scope.Scope> = Effect.suspend(() =>
  makeNatsServerAt(tmpdir())
)

/** Three servers that replicate each other's streams; any of them may fail. */
export const makeNatsCluster = Effect.gen(function* () {
  const ports = [yield* lastingPort, yield* lastingPort, yield* lastingPort]
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`)
  return yield* Effect.forEach(
    routes,
    (route, at) =>
      makeNatsServerAt(tmpdir(), [
        `--server_name=server-${at + 1}`,
        "--cluster_name=heliograph",
        `--cluster=${route}`,
        `--routes=${routes.filter((other) => other !== route).join(",")}`
      ]),
    { concurrency: "unbounded" }
  )
})
