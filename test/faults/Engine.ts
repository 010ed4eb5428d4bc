import type { Scope } from "effect"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { NeverCame } from "./Until.ts"
import { until } from "./Until.ts"

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url))
/** Lines of a node's log that are kept for those who want to know what happened. */
const TAIL = 200

/** A node of the service as a process of its own, to be killed, frozen, told to stop, and started again. */
export interface Engine {
  readonly name: string
  readonly url: string
  /** Of the process that runs, or ran last. */
  readonly pid: () => number
  readonly isUp: () => boolean
  readonly log: () => ReadonlyArray<string>
  /** Starts the process, and does not wait for anything. */
  readonly launch: Effect.Effect<void>
  /** Waits until the node says that it is ready. */
  readonly ready: Effect.Effect<void, NeverCame>
  /** Status of an answer; 0 without one. */
  readonly status: (path: string) => Effect.Effect<number>
  /** SIGKILL for the node and its workers. */
  readonly kill: Effect.Effect<void>
  /** SIGTERM, and waits for the end. Answers the exit code. */
  readonly stop: Effect.Effect<number | null>
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
}

export interface EngineOptions {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  /** A command in front of the node's own, such as `ip netns exec one`. */
  readonly through?: ReadonlyArray<string>
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** A node that is not started yet; it is killed with the scope. */
export const makeEngine = ({ env, name, through = [] }: EngineOptions): Effect.Effect<Engine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = env["BASE_URL"]!
    const log: Array<string> = []
    let child: ChildProcess | null = null

    const signal = (signal: NodeJS.Signals) =>
      Effect.promise(async () => {
        const running = child
        if (running === null || hasEnded(running)) return null
        // Listens only for an end that comes, or each freeze would leave a listener behind.
        const ended = signal === "SIGKILL" ? once(running, "exit") : null
        // The leader of a group of its own, in which its workers are.
        process.kill(-running.pid!, signal)
        if (ended === null) return null
        await ended
        return running.exitCode
      })
    const status = (path: string) =>
      Effect.promise(async () =>
        fetch(url + path, { signal: AbortSignal.timeout(10_000) }).then(
          async (response) => {
            await response.arrayBuffer()
            return response.status
          },
          () => 0
        )
      )
    const engine: Engine = {
      name,
      url,
      pid: () => child!.pid!,
      isUp: () => child !== null && !hasEnded(child),
      log: () => log,
      launch: Effect.sync(() => {
        const [command, ...args] = [...through, process.execPath, MAIN, "serve"]
        child = spawn(command!, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
        for (const stream of [child.stdout!, child.stderr!]) {
          createInterface({ input: stream }).on("line", (line) => {
            log.push(line)
            if (log.length > TAIL) log.shift()
          })
        }
      }),
      ready: Effect.asVoid(until(`${name} is ready`, status("/readyz"), (code) => code === 200)),
      status,
      kill: Effect.asVoid(signal("SIGKILL")),
      stop: Effect.promise(async () => {
        const running = child
        if (running === null || hasEnded(running)) return null
        const ended = once(running, "exit")
        running.kill("SIGTERM")
        await ended
        return running.exitCode
      }),
      freeze: Effect.asVoid(signal("SIGSTOP")),
      thaw: Effect.asVoid(signal("SIGCONT"))
    }
    yield* Effect.addFinalizer(() => engine.kill)
    return engine
  })

/** Waits until every node has noticed that it is not ready. */
export const untilMissed = (engines: ReadonlyArray<Engine>) =>
  Effect.forEach(engines, ({ name, status }) => until(`${name} notices`, status("/readyz"), (code) => code === 503), {
    discard: true
  })

/** Waits until every node is ready again. */
export const untilBack = (engines: ReadonlyArray<Engine>) =>
  Effect.forEach(engines, ({ ready }) => ready, { discard: true })
