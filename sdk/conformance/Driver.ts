/*
 * The small command that every SDK has for this suite: a request on each line of its standard input, an answer on each
 * line of its standard output, both JSON.
 */

import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

export interface Client {
  readonly api_key?: string
  readonly base_url: string
  readonly timeout_ms?: number
  readonly deadline_ms?: number
  readonly max_retries?: number
}

export interface Request {
  readonly client?: Client
  /** `devices.list` as in the Node SDK, or `verify`, or `parse`. */
  readonly call: string
  readonly ids?: ReadonlyArray<unknown>
  /**
   * Here, in ids, and in the query some objects stand for values of the language's own, where it is `untyped`:
   * `{"$time": "2026-01-15T09:30:00.250Z"}` for a time; `{"$odd": "nan"}`, `"infinity"`, `"text"` (no Unicode), and
   * `"other"` for what JSON has no form for; `{"$latin": "é"}` for a text in ISO 8859-1, where it has `encodings`.
   */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  readonly options?: {
    readonly idempotency_key?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly timeout_ms?: number
    readonly deadline_ms?: number
    readonly max_retries?: number
  }
  /** What is to be done with the answer: kept; each item, or page, collected; or only counted. `value` unless given. */
  readonly as?: "value" | "items" | "pages" | "count"
  /** Stop after so many items. */
  readonly take?: number
  /** What an import is given: these, or so many that are made one by one. */
  readonly lines?: ReadonlyArray<unknown>
  readonly generate?: number
  readonly cancel_after_ms?: number
  /** The same client asks, then in a child that this process forks, then here again: `items` has the three answers. */
  readonly fork?: boolean
  /** The same client asks, then in two event loops of another thread, one after the other, then here again: `items`. */
  readonly loops?: boolean
  /** Of `verify` and `parse`. */
  readonly secrets?: ReadonlyArray<string>
  readonly header?: string
  readonly body_base64?: string
  readonly now?: number
  readonly tolerance_seconds?: number
}

export interface Failure {
  readonly kind: "api" | "connection" | "timeout" | "cancelled" | "usage" | "webhook" | "other"
  readonly status?: number
  readonly code?: string
  readonly message?: string
  readonly details?: ReadonlyArray<unknown>
  readonly request_id?: string | null
  readonly retry_after_ms?: number | null
}

export interface Answer {
  readonly value?: any
  readonly items?: ReadonlyArray<any>
  readonly count?: number
  readonly errors?: number
  readonly error?: Failure
}

export interface Driver {
  readonly ask: (request: Request) => Promise<Answer>
  /** The most memory that it has had so far, in MB. */
  readonly peak: () => number
  readonly stop: () => void
}

/** The tree's own process that works: wrappers such as a shell's are not meant. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

export const startDriver = (command: ReadonlyArray<string>, directory: string, env: NodeJS.ProcessEnv): Driver => {
  const [program, ...args] = command
  const child: ChildProcess = spawn(program!, args, { cwd: directory, env, stdio: ["pipe", "pipe", "pipe"] })
  let said = ""
  child.stderr!.on("data", (text) => (said = (said + String(text)).slice(-4000)))
  const waiting: Array<{ resolve: (answer: Answer) => void; reject: (error: Error) => void }> = []
  createInterface({ input: child.stdout! }).on("line", (line) => {
    if (line.startsWith("{")) waiting.shift()?.resolve(JSON.parse(line) as Answer)
    else said += `${line}\n`
  })
  const end = (reason: string) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${command.join(" ")} ${reason}\n${said}`))
  }
  child.on("error", (error) => end(String(error)))
  child.on("exit", (code) => end(`ended with ${code}`))
  child.stdin!.on("error", () => {})
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`No answer to ${request.call} in two minutes\n${said}`)),
          120_000
        )
        waiting.push({
          resolve: (answer) => (clearTimeout(timer), resolve(answer)),
          reject: (error) => (clearTimeout(timer), reject(error))
        })
        child.stdin!.write(`${JSON.stringify(request)}\n`)
      }),
    peak: () => peakOf(child.pid!),
    stop: () => void child.kill("SIGKILL")
  }
}
