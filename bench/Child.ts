import type { ChildProcess, StdioOptions } from "node:child_process"
import { execFileSync, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { lastingPorts } from "../simulators/LastingPorts.ts"

/*
 * The processes of a benchmark, and how each of them ends: whatever is opened here is closed in reverse order by `close`,
 * also when the benchmark fails or is interrupted.
 */

const PLACES = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/usr/local/go/bin"]

/** A program's path: from the usual places, else out of Debian's package when this runs as root. */
export const program = (name: string, debian: string): string => {
  const find = () =>
    [...(process.env["PATH"] ?? "").split(":"), ...PLACES].map((p) => join(p, name)).find((p) => existsSync(p))
  const found = find()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore", env })
    execFileSync(
      "apt-get",
      ["-o", "DPkg::Lock::Timeout=120", "install", "-y", "-qq", "--no-install-recommends", debian],
      { stdio: "ignore", env }
    )
  }
  const installed = find()
  if (installed === undefined) throw new Error(`${name} is missing: install it, on Debian by apt-get install ${debian}`)
  return installed
}

/** A port of loopback for a server that is started in a moment. */
export const lastingPort = lastingPorts(20_000, 10_000)

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits until something listens on a port of loopback. */
export const listening = async (port: number, child: ChildProcess): Promise<void> => {
  for (;;) {
    if (hasEnded(child)) throw new Error(`the server on port ${port} ended with ${child.exitCode}`)
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy()
        resolve(true)
      }).on("error", () => resolve(false))
    })
    if (isUp) return
    await pause(20)
  }
}

/** A script in a process of its own that takes orders and answers each, one at a time. */
export interface Servant<Order, Answer> {
  readonly pid: number
  readonly ask: (order: Order) => Promise<Answer>
  readonly stop: () => Promise<void>
}

export class Stage {
  readonly #closing: Array<() => Promise<void> | void> = []
  #closed: Promise<void> | undefined

  onClose(close: () => Promise<void> | void): void {
    this.#closing.push(close)
  }

  /** Whoever asks waits until all is closed: what fails because an interrupt closed it must not end the process before. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (let close = this.#closing.pop(); close !== undefined; close = this.#closing.pop()) await close()
    })()
    return this.#closed
  }

  folder(): string {
    const path = mkdtempSync(join(tmpdir(), "heliograph-bench-"))
    this.onClose(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  #keep(child: ChildProcess, graceMs: number): () => Promise<void> {
    const stop = async () => {
      if (hasEnded(child)) return
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs)
      await ended
      clearTimeout(timer)
    }
    this.onClose(stop)
    return stop
  }

  spawn(
    command: string,
    args: ReadonlyArray<string>,
    options: { readonly env?: NodeJS.ProcessEnv; readonly stdio?: StdioOptions; readonly graceMs?: number } = {}
  ): { readonly child: ChildProcess; readonly stop: () => Promise<void> } {
    const child = spawn(command, args, {
      env: options.env ?? process.env,
      stdio: options.stdio ?? ["ignore", "ignore", "inherit"]
    })
    return { child, stop: this.#keep(child, options.graceMs ?? 15_000) }
  }

  /** Forks a script; it says "ready" once it can take orders. */
  async servant<Order, Answer>(
    script: URL,
    args: ReadonlyArray<string>,
    env: NodeJS.ProcessEnv = process.env,
    execArgv: ReadonlyArray<string> = []
  ): Promise<Servant<Order, Answer>> {
    const child = fork(script, args, { env, execArgv: [...execArgv], stdio: ["ignore", "inherit", "inherit", "ipc"] })
    const stop = this.#keep(child, 5000)
    const next = () =>
      new Promise<any>((resolve, reject) => {
        const fail = (code: number | null) => reject(new Error(`${script.pathname} ${args[0] ?? ""} ended: ${code}`))
        child.once("exit", fail)
        child.once("message", (message) => {
          child.off("exit", fail)
          resolve(message)
        })
      })
    await next()
    return {
      pid: child.pid!,
      ask: (order) => {
        const answer = next()
        child.send(order as object)
        return answer as Promise<Answer>
      },
      stop
    }
  }

  /** A program of any language that takes orders and answers them as lines of JSON; its first line says that it can. */
  async lineServant<Order, Answer>(command: string, args: ReadonlyArray<string>): Promise<Servant<Order, Answer>> {
    const { child, stop } = this.spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
    const lines = linesOf(child)
    const next = async () => {
      const { done, value } = await lines.next()
      if (done) throw new Error(`${command} has ended`)
      return JSON.parse(value) as Answer
    }
    await next()
    return {
      pid: child.pid!,
      ask: (order) => {
        child.stdin!.write(`${JSON.stringify(order)}\n`)
        return next()
      },
      stop
    }
  }
}

/** The other side of `servant`. */
export const serveOrders = <Order, Answer>(work: (order: Order) => Promise<Answer>): void => {
  process.on("message", (order) => {
    void work(order as Order).then(
      (answer) => process.send!(answer as object),
      (error: unknown) => {
        process.stderr.write(`${(error as Error).stack}\n`)
        process.exit(1)
      }
    )
  })
  process.on("disconnect", () => process.exit(0))
  process.send!("ready")
}

/** The lines that a child prints. */
export const linesOf = (child: ChildProcess) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]()

/** Runs `work` on a stage of its own, which is cleared at the end, also by Ctrl-C. */
export const onStage = async <A>(work: (stage: Stage) => Promise<A>): Promise<A> => {
  const stage = new Stage()
  const interrupted = () => void stage.close().then(() => process.exit(130))
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  try {
    return await work(stage)
  } finally {
    process.off("SIGINT", interrupted)
    process.off("SIGTERM", interrupted)
    await stage.close()
  }
}
