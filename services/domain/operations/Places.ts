/** Where something stands among the others. */
export interface Place<A> {
  readonly value: A
  /** -1: it has left. */
  at: number
}

/**
 * What comes and goes all the time, in no order. A `Set` or `Map` would keep it alive: each makes a new table every few
 * steps, and a table of old knows the next one. Once one of them has outlived two collections of young objects, all that was
 * in those after it stays until everything is collected: requests and statements with all that they had in hand.
 */
export class Places<A> {
  readonly #all: Array<Place<A>> = []

  get size(): number {
    return this.#all.length
  }

  enter(value: A): Place<A> {
    const place = { value, at: this.#all.length }
    this.#all.push(place)
    return place
  }

  /** A second time it changes nothing. */
  leave(place: Place<A>): void {
    if (place.at === -1) return
    const last = this.#all.pop()!
    if (last !== place) {
      this.#all[place.at] = last
      last.at = place.at
    }
    place.at = -1
  }

  /** Those that are there now. */
  values(): ReadonlyArray<A> {
    return this.#all.map(({ value }) => value)
  }
}
