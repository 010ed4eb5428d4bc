import { HEARING_MS, isSleptOver } from "../../services/ports/outbound/Deadline.ts"

/** Something that ends at a moment of `performance.now()`, unless it has ended before. */
export interface Expiring {
  deadline: number
  /** Its place among the others; -1 when it is not one of them. `Deadlines` keeps it. */
  place: number
  readonly end: (reason: string) => void
}

/** How late a deadline may be noticed, so that many that are close together cost one timer. */
const SLACK_MS = 5

/**
 * The deadlines of all posts of a sender, with one timer for all of them. They are in a list without an order and not in
 * a set: what a set's table held when the table was replaced by the next one stays reachable from it, and table from
 * table. Once the first is old, everything that ever was in the set grows old with it, and only a full collection
 * takes it away: at 30,000 posts a second that was a fifth of the time.
 */
export class Deadlines {
  readonly #open: Array<Expiring> = []
  #timer: NodeJS.Timeout | null = null
  #armedFor = Infinity
  /** Until when what came while the process slept is read: before that, nothing is out of time. */
  #hearsUntil = 0

  /** Also after its deadline was moved. */
  add(it: Expiring): void {
    if (it.place === -1) it.place = this.#open.push(it) - 1
    if (Math.max(it.deadline, this.#hearsUntil) < this.#armedFor) this.#arm(it.deadline)
  }

  remove(it: Expiring): void {
    if (it.place === -1) return
    const last = this.#open.pop()!
    if (last !== it) {
      this.#open[it.place] = last
      last.place = it.place
    }
    it.place = -1
  }

  /** A copy: ending one takes it out, and may put others in. */
  all(): ReadonlyArray<Expiring> {
    return [...this.#open]
  }

  #arm(deadline: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#armedFor = Math.max(deadline, this.#hearsUntil)
    // A timer alone keeps no process alive: the sockets do, as long as there is something to wait for.
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, this.#armedFor - performance.now()) + SLACK_MS).unref()
  }

  #fire(): void {
    const now = performance.now()
    const lateMs = now - this.#armedFor - SLACK_MS
    const hasHeard = this.#armedFor === this.#hearsUntil
    this.#timer = null
    this.#armedFor = Infinity
    if (isSleptOver(lateMs) && !hasHeard) {
      this.#hearsUntil = now + HEARING_MS
      return this.#arm(this.#hearsUntil)
    }
    let next = Infinity
    for (const it of this.all()) {
      if (it.place === -1) continue
      if (it.deadline > now) next = Math.min(next, it.deadline)
      else {
        this.remove(it)
        it.end("timeout")
      }
    }
    if (next < this.#armedFor) this.#arm(next)
  }
}
