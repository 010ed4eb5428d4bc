import type { Slice } from "./Slice.ts"

/** A slice that waits to be encrypted, or is. */
export interface SealWork {
  readonly slice: Slice
  readonly isUrgent: boolean
  /** Takes the bodies, as one buffer. */
  readonly done: (sealed: Uint8Array) => void
  /** Nobody wants it any more. */
  readonly isAbandoned: () => boolean
}

/** Of so many slices begun, one is not urgent, even when the urgent never end. */
const ONE_IN = 8

/** Slices that wait, the urgent ones before the others. */
export class SealQueue {
  readonly #urgent: Array<SealWork> = []
  readonly #others: Array<SealWork> = []
  #begun = 0

  push(work: SealWork): void {
    const line = work.isUrgent ? this.#urgent : this.#others
    line.push(work)
  }

  shift(): SealWork | undefined {
    while (true) {
      const isForOthers = ++this.#begun % ONE_IN === 0
      const [first, second] = isForOthers ? [this.#others, this.#urgent] : [this.#urgent, this.#others]
      const work = first.shift() ?? second.shift()
      if (work === undefined || !work.isAbandoned()) return work
    }
  }
}
