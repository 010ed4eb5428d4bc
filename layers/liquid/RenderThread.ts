import { Worker } from "node:worker_threads"
import type { EndCause, Order, ThreadData, ThreadEnd } from "./Protocol.ts"
import { NOTES, NOTES_BYTES } from "./Protocol.ts"

/** How often it is looked at what the thread has under way. */
const LOOK_MS = 50
/** What reading all sources of a template may take, in deadlines of one. */
const READING = 4
/** The same by the clock, for a thread that does not even say what it has computed. */
const WALL_MS = 15_000
/** How long the end of a thread that was ended is waited for. */
const GONE_MS = 5000

/** Megabytes. What rendering makes for one recipient is bounded in the thread; this is for what no count has seen. */
const RESOURCES = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/**
 * A thread in which templates are read and filled, and which is ended when one of them takes too long. It stands in a
 * process of its own: RenderProcess.ts.
 */
export class RenderThread {
  readonly #worker: Worker
  readonly #notes = new Int32Array(new SharedArrayBuffer(NOTES_BYTES))
  readonly #onEnd: (end: ThreadEnd) => void
  #look: NodeJS.Timeout | undefined
  #isLooking = false
  /** The turn that was under way at the last look, since when, and what the thread had computed then. */
  #turn = 0
  #since = 0
  #computed: number | null = null
  #cause: EndCause = "fault"
  #error: unknown
  #hasWorked = false
  #isGone = false
  readonly #deadlineMs: number

  /**
   * `deadlineMs`: how long it may compute for one recipient, or to read one source, before it is ended; milliseconds of
   * processor time. `notesTo`: the file descriptor to which it writes what it is about to do. `onEnd` is called once.
   */
  constructor(
    file: URL,
    reserved: ReadonlyArray<string>,
    deadlineMs: number,
    notesTo: number | null,
    onAnswer: (answer: Uint8Array) => void,
    onEnd: (end: ThreadEnd) => void
  ) {
    this.#onEnd = onEnd
    this.#deadlineMs = deadlineMs
    const workerData: ThreadData = { notes: this.#notes.buffer, notesTo, reserved, readingMs: READING * deadlineMs }
    this.#worker = new Worker(file, { workerData, resourceLimits: RESOURCES, execArgv: [] })
    this.#worker.on("message", (answer: Uint8Array) => {
      if (this.#isGone) return
      this.#hasWorked = true
      onAnswer(answer)
    })
    this.#worker.on("error", (error: Error & { readonly code?: string }) => {
      this.#error = error
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") this.#cause = "memory"
    })
    this.#worker.on("exit", () => this.#gone())
  }

  post(order: Order): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(order)
  }

  /** There is something to wait for: the thread is looked at. */
  busy(): void {
    if (this.#look !== undefined) return
    this.#since = performance.now()
    this.#computed = null
    this.#look = setInterval(() => void this.#lookAtIt(), LOOK_MS)
  }

  /** There is nothing to wait for. */
  idle(): void {
    clearInterval(this.#look)
    this.#look = undefined
  }

  async #lookAtIt(): Promise<void> {
    const turn = Atomics.load(this.#notes, NOTES.turn)
    if (turn !== this.#turn) {
      this.#turn = turn
      this.#since = performance.now()
      this.#computed = null
    }
    if (performance.now() - this.#since >= WALL_MS) return this.#end()
    // Nothing under way, or the last look's question is not answered yet.
    if (this.#isLooking || Atomics.load(this.#notes, NOTES.job) === 0) return
    this.#isLooking = true
    try {
      const { system, user } = await this.#worker.cpuUsage()
      const computed = (user + system) / 1000
      if (turn !== this.#turn || turn !== Atomics.load(this.#notes, NOTES.turn)) return
      this.#computed ??= computed
      if (computed - this.#computed >= this.#deadlineMs) this.#end()
    } catch {
      // It has just ended.
    } finally {
      this.#isLooking = false
    }
  }

  #end(): void {
    if (this.#isGone || this.#cause === "time") return
    this.#cause = "time"
    // One that cannot even be ended must not keep the others waiting.
    const late = setTimeout(() => this.#gone(), GONE_MS)
    void this.#worker.terminate().then(() => clearTimeout(late))
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.idle()
    const [job, recipient, source] = [NOTES.job, NOTES.recipient, NOTES.source].map((at) =>
      Atomics.load(this.#notes, at)
    )
    const underway = job === 0 ? null : { job: job!, recipient: recipient!, source: source! }
    this.#onEnd({ cause: this.#cause, underway, hasWorked: this.#hasWorked, error: this.#error })
  }
}
