/** Something that is in a place among others of its kind, or in none. */
export interface Placed {
  /** -1: it is not one of them. `Places` keeps it. */
  place: number
}

/**
 * What comes and goes all the time, in no order. They are in a list and not in a set: what a set's table held when the table
 * was replaced by the next one stays reachable from it, and table from table. Once the first is old, everything that ever
 * was in the set grows old with it, and only a full collection takes it away: of webhooks, at 30,000 posts a second, that was
 * a fifth of the time.
 */
export class Places<A extends Placed> {
  readonly #all: Array<A> = []

  get size(): number {
    return this.#all.length
  }

  /** Whoever is there already stays where it is. */
  enter(it: A): A {
    if (it.place === -1) it.place = this.#all.push(it) - 1
    return it
  }

  /** A second time it changes nothing. */
  leave(it: A): void {
    if (it.place === -1) return
    const last = this.#all.pop()!
    if (last !== it) {
      this.#all[it.place] = last
      last.place = it.place
    }
    it.place = -1
  }

  /** A copy: what is done with one may take it out, and put others in. */
  all(): ReadonlyArray<A> {
    return [...this.#all]
  }
}
