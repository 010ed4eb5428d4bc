import { performance } from "node:perf_hooks"
import type { SealQueue, SealWork } from "./SealQueue.ts"
import { bodyBytes, Sealing } from "./Slice.ts"

/** How long a turn keeps the event loop from everything else. */
const TURN_MS = 2

/** Encrypts what a queue holds on this thread, in short turns with one round of the event loop between them. */
export class SealTurns {
  readonly #sealing = new Sealing()
  readonly #queue: SealQueue
  #current: { readonly work: SealWork; readonly sealed: Uint8Array; next: number } | undefined
  #turn: NodeJS.Immediate | undefined

  constructor(queue: SealQueue) {
    this.#queue = queue
  }

  /** There is something in the queue. */
  wake(): void {
    this.#turn ??= setImmediate(() => this.#run())
  }

  /** Makes keys ahead while there is nothing to do. */
  rest(): void {
    this.#sealing.senders.refill()
  }

  #run(): void {
    this.#turn = undefined
    const end = performance.now() + TURN_MS
    do {
      const current = (this.#current ??= this.#begin())
      if (current === undefined) return this.rest()
      const { sealed, work } = current
      const { slice } = work
      while (current.next < slice.count && performance.now() < end) this.#sealing.seal(slice, current.next++, sealed)
      if (current.next === slice.count) {
        this.#current = undefined
        work.done(sealed)
      } else if (work.isAbandoned()) this.#current = undefined
    } while (performance.now() < end)
    this.wake()
  }

  #begin() {
    const work = this.#queue.shift()
    return work && { work, sealed: new Uint8Array(work.slice.count * bodyBytes(work.slice)), next: 0 }
  }

  stop(): void {
    clearImmediate(this.#turn)
    this.#sealing.senders.stop()
  }
}
