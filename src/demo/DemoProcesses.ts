import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { lastingPorts } from "../../simulators/LastingPorts.ts"

/** A process of the demo did not do its part. The message says which, and what it printed last. */
export class DemoError extends Schema.TaggedError<DemoError>()("DemoError", { message: Schema.String }) {}

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url))
/** Lines of a child's output that are kept for its error message. */
const TAIL = 20

export interface Child {
  readonly process: ChildProcess
  readonly tail: () => string
  /** SIGKILL, as a crash would, and waits for the end. */
  readonly kill: Effect.Effect<void>
  /** The same for the process and all its workers at once, as if the machine had lost its power. */
  readonly killAll: Effect.Effect<void>
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const end = (child: ChildProcess, kill: () => void): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (hasEnded(child)) return
    const ended = once(child, "exit")
    kill()
    await ended
  })

/** Runs a command of this program as a process of its own; it is told to stop, and waited for, with the scope. */
export const start = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const lines: Array<string> = []
      const keep = (line: string) => {
        lines.push(line)
        if (lines.length > TAIL) lines.shift()
      }
      const child = spawn(process.execPath, [...process.execArgv, MAIN, ...args], {
        env,
        // A group of its own: Ctrl-C is for the demo, which then ends its children in order.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"]
      })
      createInterface({ input: child.stderr }).on("line", keep)
      child.stdout.setEncoding("utf8")
      return {
        process: child,
        tail: () => lines.join("\n"),
        kill: end(child, () => child.kill("SIGKILL")),
        // `detached` made it the leader of a group, in which its workers are.
        killAll: end(child, () => process.kill(-child.pid!, "SIGKILL"))
      }
    }),
    ({ process: child }) =>
      Effect.promise(async () => {
        if (hasEnded(child)) return
        child.kill("SIGTERM")
        const timer = setTimeout(() => child.kill("SIGKILL"), 15_000)
        await once(child, "exit")
        clearTimeout(timer)
      })
  )

/** The first line that a child prints, as JSON. */
export const firstLine = <A>(child: Child, what: string): Effect.Effect<A, DemoError> =>
  Effect.callback<A, DemoError>((resume) => {
    const lines = createInterface({ input: child.process.stdout! })
    lines.once("line", (line) => {
      try {
        resume(Effect.succeed(JSON.parse(line) as A))
      } catch {
        resume(Effect.fail(new DemoError({ message: `${what} printed something else than JSON: ${line}` })))
      }
    })
    child.process.once("exit", (code) =>
      resume(Effect.fail(new DemoError({ message: `${what} ended with code ${code}.\n${child.tail()}` })))
    )
  })

/** Beside those of the tests, who run the demo too. */
const nextPort = lastingPorts(30_000, 1_500)

/** A TCP port of loopback for an engine, which is killed and comes back to it. */
export const lastingPort: Effect.Effect<number> = Effect.promise(nextPort)

/** Waits until an engine says that it is ready; fails when its process ends before that. */
export const ready = (child: Child, url: string, path: "/readyz" | "/healthz"): Effect.Effect<void, DemoError> =>
  Effect.gen(function* () {
    for (let waited = 0; waited < 60_000; waited += 100) {
      if (hasEnded(child.process)) {
        return yield* new DemoError({ message: `The engine ended before it was ready.\n${child.tail()}` })
      }
      const isReady = yield* Effect.promise(async () =>
        fetch(url + path, { signal: AbortSignal.timeout(2000) }).then(
          (response) => response.ok,
          () => false
        )
      )
      if (isReady) return
      yield* Effect.sleep(100)
    }
    return yield* new DemoError({ message: `The engine was not ready after a minute.\n${child.tail()}` })
  })
