import type { Placed } from "../../services/domain/operations/Places.ts"
import { Places } from "../../services/domain/operations/Places.ts"
import { HEARING_MS, isSleptOver } from "../../services/ports/outbound/Deadline.ts"

/** Something that ends at a moment of `performance.now()`, unless it has ended before. */
export interface Expiring extends Placed {
  deadline: number
  readonly end: (reason: string) => void
}

/** How late a deadline may be noticed, so that many that are close together cost one timer. */
const SLACK_MS = 5

/**
 * The deadlines of all posts of a sender, with one timer for all of them.
 */
export class Deadlines {
  readonly #open = new Places<Expiring>()
  #timer: NodeJS.Timeout | null = null
  #armedFor = Infinity
  /** Until when what came while the process slept is read: before that, nothing is out of time. */
  #hearsUntil = 0

  /** Also after its deadline was moved. */
  add(it: Expiring): void {
    this.#open.enter(it)
    if (Math.max(it.deadline, this.#hearsUntil) < this.#armedFor) this.#arm(it.deadline)
  }

  remove(it: Expiring): void {
    this.#open.leave(it)
  }

  /** A copy: ending one takes it out, and may put others in. */
  all(): ReadonlyArray<Expiring> {
    return this.#open.all()
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
