type Enter = (leave: () => void) => void

/** ms. Turns are shorter by far, unless the process slept in one. */
const LONGEST_BREAK = 50

/**
 * Turns at what keeps a process from everything else while it lasts: one at a time, of the owners who wait each in turn,
 * and after each nobody for as long as it took.
 */
export class Turns {
  /** Who waits, by owner. The first owner is the next. */
  readonly #waiting = new Map<string, Set<Enter>>()
  #isTaken = false

  /** Calls `enter` when it is the owner's turn, which may be at once. Answers how to leave, or to wait no longer: both may be called twice. */
  enter(owner: string, _size: number, enter: Enter): () => void {
    if (!this.#isTaken) return this.#begin(enter)
    let leaveIt = () => {
      if (line.delete(waiting) && line.size === 0) this.#waiting.delete(owner)
    }
    const waiting: Enter = (leave) => enter((leaveIt = leave))
    const line = this.#waiting.get(owner) ?? new Set()
    this.#waiting.set(owner, line.add(waiting))
    return () => leaveIt()
  }

  #begin(enter: Enter): () => void {
    this.#isTaken = true
    const began = performance.now()
    let isIn = true
    const leave = () => {
      if (!isIn) return
      isIn = false
      setTimeout(() => this.#goOn(), Math.min(performance.now() - began, LONGEST_BREAK))
    }
    enter(leave)
    return leave
  }

  #goOn(): void {
    this.#isTaken = false
    const [first] = this.#waiting
    if (first === undefined) return
    const [owner, line] = first
    const [next] = line
    line.delete(next!)
    this.#waiting.delete(owner)
    if (line.size > 0) this.#waiting.set(owner, line)
    this.#begin(next!)
  }
}
