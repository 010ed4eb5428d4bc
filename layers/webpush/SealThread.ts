import { Worker } from "node:worker_threads"
import type { SealWork } from "./SealQueue.ts"

/** Slices that a thread has at a time: one under way, and one that it need not wait for. */
const AT_ONCE = 2

/** What the threads run. */
export const SEAL_WORKER = new URL("./SealWorker.ts", import.meta.url)

/** A worker thread that encrypts. Its answers come in the order of what it was given. */
export class SealThread {
  readonly #worker: Worker
  readonly #given: Array<SealWork> = []
  #hasWorked = false

  /** `onRoom`: it can take more. `onEnd`: it ended by itself, leaving `undone`, and whether it had ever done any. */
  constructor(file: URL, onRoom: () => void, onEnd: (undone: ReadonlyArray<SealWork>, hasWorked: boolean) => void) {
    this.#worker = new Worker(file)
    this.#worker.on("message", (sealed: Uint8Array) => {
      this.#hasWorked = true
      this.#given.shift()!.done(sealed)
      onRoom()
    })
    // What went wrong is followed by the end.
    this.#worker.on("error", () => {})
    this.#worker.on("exit", () => onEnd(this.#given, this.#hasWorked))
  }

  /** How many slices it can take. */
  get room(): number {
    return AT_ONCE - this.#given.length
  }

  give(work: SealWork): void {
    this.#given.push(work)
    // Copied, not handed over: should the thread end, the slice is still here.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(work.slice)
  }

  stop(): Promise<unknown> {
    this.#worker.removeAllListeners("exit")
    return this.#worker.terminate()
  }
}
