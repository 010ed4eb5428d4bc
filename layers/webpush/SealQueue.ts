import type { Slice } from "./Slice.ts"

/** A slice that waits to be encrypted, or is. */
export interface SealWork {
  readonly slice: Slice
  readonly isUrgent: boolean
  /** Takes the bodies, in one piece. */
  readonly done: (sealed: Uint8Array) => void
  /** Nobody wants it any more. */
  readonly isAbandoned: () => boolean
}

/** Of so many slices begun, one is of the patient, even when the urgent never end. */
const PATIENCE = 8

/** Slices that wait, the urgent ones before the others. */
export class SealQueue {
  readonly #urgent: Array<SealWork> = []
  readonly #patient: Array<SealWork> = []
  #begun = 0

  push(work: SealWork): void {
    const line = work.isUrgent ? this.#urgent : this.#patient
    line.push(work)
  }

  shift(): SealWork | undefined {
    while (true) {
      const isForPatient = ++this.#begun % PATIENCE === 0
      const [first, second] = isForPatient ? [this.#patient, this.#urgent] : [this.#urgent, this.#patient]
      const work = first.shift() ?? second.shift()
      if (work === undefined || !work.isAbandoned()) return work
    }
  }
}
