/** Something that ends at a moment of `performance.now()`, unless it has ended before. */
export interface Expiring {
  deadline: number
  readonly end: (reason: string) => void
}

/** How late a deadline may be noticed, so that many that are close together cost one timer. */
const SLACK_MS = 5

/** The deadlines of all posts of a sender, with one timer for all of them. */
export class Deadlines {
  readonly #open = new Set<Expiring>()
  #timer: NodeJS.Timeout | null = null
  #armedFor = Infinity

  /** Also after its deadline was moved. */
  add(it: Expiring): void {
    this.#open.add(it)
    if (it.deadline < this.#armedFor) this.#arm(it.deadline)
  }

  remove(it: Expiring): void {
    this.#open.delete(it)
  }

  endAll(reason: string): void {
    for (const it of this.#open) it.end(reason)
  }

  #arm(deadline: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#armedFor = deadline
    // A timer alone keeps no process alive: the sockets do, as long as there is something to wait for.
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, deadline - performance.now()) + SLACK_MS).unref()
  }

  #fire(): void {
    this.#timer = null
    this.#armedFor = Infinity
    const now = performance.now()
    let next = Infinity
    for (const it of this.#open) {
      if (it.deadline <= now) {
        this.#open.delete(it)
        it.end("timeout")
      } else if (it.deadline < next) next = it.deadline
    }
    if (next < this.#armedFor) this.#arm(next)
  }
}
