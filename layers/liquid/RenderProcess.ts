import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"
import { deserialize } from "node:v8"
import type { Answer, FromProcess, Order, ProcessData, RenderEnd, ToProcess, Underway } from "./Protocol.ts"
import { NOTES, NOTES_BYTES } from "./Protocol.ts"

const LIQUID_PROCESS = new URL("./LiquidProcess.ts", import.meta.url)
/** What its thread runs. */
export const LIQUID_WORKER = new URL("./LiquidWorker.ts", import.meta.url)

/**
 * Megabytes: of each heap in the process, its thread's among them, whatever the thread's own limits say. A string or a
 * table that does not fit ends the process, and not the thread alone: that is why it has one.
 */
const FLAGS = ["--max-old-space-size=128", "--max-semi-space-size=16"]
/** Where the thread of a process that is watched closely writes what it is about to do: the process' standard output. */
const NOTES_TO = 1
/** How often a process that has something to do is asked whether it is there, and how often in vain. */
const ASK_MS = 1000
const ASKED_IN_VAIN = 15
/** Signals by which Node, or the system, ends what has no memory left. */
const NO_MEMORY: ReadonlySet<string | null> = new Set(["SIGABRT", "SIGTRAP", "SIGILL", "SIGKILL"])

/** A process with the thread in which templates are read and filled. Ended with the thread, and with this process. */
export class RenderProcess {
  /** Undefined: the system does not start any. */
  readonly #child: ChildProcess | undefined
  readonly #isCareful: boolean
  readonly #onEnd: (end: RenderEnd) => void
  #asking: NodeJS.Timeout | undefined
  #askedInVain = 0
  #hasWorked = false
  #isGone = false
  /** The last of the notes, as they came, and what has come of the next. */
  #notes = Buffer.alloc(0)

  /**
   * `file`: what the thread runs. `deadlineMs`: how long it may compute for one recipient, or to read one source, before
   * it is ended; milliseconds of processor time. `isCareful`: the thread says what it is about to do, so that this is
   * known even when the process is no more; it costs a system call for each recipient. `onEnd` is called once, unless
   * `stop` was.
   */
  constructor(
    file: URL,
    reserved: ReadonlyArray<string>,
    deadlineMs: number,
    isCareful: boolean,
    onAnswer: (answer: Answer) => void,
    onEnd: (end: RenderEnd) => void
  ) {
    this.#isCareful = isCareful
    this.#onEnd = onEnd
    const data: ProcessData = { file: file.href, reserved, deadlineMs, notesTo: isCareful ? NOTES_TO : null }
    try {
      // It inherits neither settings and their secrets, nor flags, nor files. What it prints is of no use to anybody.
      this.#child = fork(LIQUID_PROCESS, [JSON.stringify(data)], {
        serialization: "advanced",
        execArgv: FLAGS,
        env: {},
        stdio: ["ignore", isCareful ? "pipe" : "ignore", "ignore", "ipc"]
      })
    } catch (error) {
      queueMicrotask(() => this.#lost("fault", error))
      return
    }
    const child = this.#child
    this.#unref()
    child.on("message", (message: FromProcess) => {
      if (this.#isGone) return
      this.#askedInVain = 0
      if (message instanceof Uint8Array) {
        this.#hasWorked = true
        onAnswer(deserialize(message) as Answer)
      } else if (message._tag === "ended") {
        const error = message.message === null ? undefined : new Error(message.message)
        this.#gone({ ...message.end, isLost: false, error })
      }
    })
    child.stdout?.on("data", (chunk: Buffer) => this.#noted(chunk))
    child.on("error", (error) => this.#lost("fault", error))
    // Not "exit": what it wrote last is read by then.
    child.on("close", (code, signal) =>
      this.#lost(
        NO_MEMORY.has(signal) ? "memory" : "fault",
        new Error(`the process that fills templates ended (${signal ?? `exit code ${code}`})`)
      )
    )
  }

  post(order: Order): void {
    this.#tell(order)
  }

  /** There is something to wait for: this process stays, and the other is asked whether it is there. */
  busy(): void {
    if (this.#asking !== undefined) return
    this.#child?.ref()
    this.#child?.channel?.ref()
    this.#askedInVain = 0
    this.#asking = setInterval(() => this.#ask(), ASK_MS)
  }

  /** There is nothing to wait for: it keeps this process not alive. */
  idle(): void {
    this.#tell({ _tag: "idle" })
    this.#rest()
  }

  /** Ends when it has ended. */
  stop(): Promise<void> {
    this.#isGone = true
    this.#rest()
    const child = this.#child
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => {
      child.ref()
      child.once("exit", () => resolve())
      child.kill("SIGKILL")
    })
  }

  #tell(message: ToProcess): void {
    // That it has ended is said by its end.
    this.#child?.send(message, () => {})
  }

  #unref(): void {
    this.#child?.unref()
    this.#child?.channel?.unref()
    const notes = this.#child?.stdout as { readonly unref?: () => void } | null | undefined
    notes?.unref?.()
  }

  #rest(): void {
    clearInterval(this.#asking)
    this.#asking = undefined
    this.#unref()
  }

  #ask(): void {
    // Counted and not timed: where this process was frozen itself, it has not asked.
    if (++this.#askedInVain > ASKED_IN_VAIN) this.#child?.kill("SIGKILL")
    else this.#tell({ _tag: "ask" })
  }

  #noted(chunk: Buffer): void {
    const all = Buffer.concat([this.#notes, chunk])
    const whole = all.length - (all.length % NOTES_BYTES)
    this.#notes = all.subarray(Math.max(0, whole - NOTES_BYTES))
  }

  #underway(): Underway | null {
    if (this.#notes.length < NOTES_BYTES) return null
    const at = (note: number) => this.#notes.readInt32LE(4 * note)
    const job = at(NOTES.job)
    return job === 0 ? null : { job, recipient: at(NOTES.recipient), source: at(NOTES.source) }
  }

  /** It ended, and did not say how. */
  #lost(cause: RenderEnd["cause"], error: unknown): void {
    const isLost = !this.#isCareful
    const underway = this.#underway()
    this.#gone({ cause, underway, isLost, hasWorked: this.#hasWorked || underway !== null, error })
  }

  #gone(end: RenderEnd): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#rest()
    this.#child?.kill("SIGKILL")
    this.#onEnd(end)
  }
}
