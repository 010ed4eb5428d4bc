/*
 * How much of what a process accepts it sends itself, although it has workers who could: all of it, while its thread has
 * time to spare. To hand a message over costs both sides more than to send it, but the thread that accepts is the one
 * that every request has to pass.
 *
 * The share falls by a STEP each time that the thread was nearly full since the last look, and grows by one each time
 * that it had time left.
 */

const LOOK_MS = 50
const STEP = 0.1
/** Of a thread's time. */
const FULL = 0.96
const SPARE = 0.9

export class OwnShare {
  readonly #cpuMs: () => number
  readonly #now: () => number
  #share = 1
  #due = 0
  #lookedAt: number
  #cpuAt: number

  /** `cpuMs`: what the thread has computed, in milliseconds; `now`: a clock of the same unit that nobody sets. */
  constructor(cpuMs: () => number, now: () => number) {
    this.#cpuMs = cpuMs
    this.#now = now
    this.#lookedAt = now()
    this.#cpuAt = cpuMs()
  }

  /** Whether what comes in this turn of the event loop is the process' own. */
  isNext(): boolean {
    const now = this.#now()
    if (now - this.#lookedAt >= LOOK_MS) this.#look(now)
    this.#due += this.#share
    if (this.#due < 1) return false
    this.#due -= 1
    return true
  }

  #look(now: number): void {
    const cpu = this.#cpuMs()
    const load = (cpu - this.#cpuAt) / (now - this.#lookedAt)
    this.#lookedAt = now
    this.#cpuAt = cpu
    if (load > FULL) this.#share = Math.max(0, this.#share - STEP)
    else if (load < SPARE) this.#share = Math.min(1, this.#share + STEP)
  }
}

/** By the time of this thread. */
export const ownShare = (): OwnShare =>
  new OwnShare(
    () => {
      const { system, user } = process.threadCpuUsage()
      return (system + user) / 1000
    },
    () => performance.now()
  )
