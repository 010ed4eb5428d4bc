/**
 * Every accepted message, by its two ids, so that losses and duplicates can be told exactly. Two levels, because the
 * recipients of one mailing share the first id: a million entries then cost one string each, not one joined pair.
 */
export class Ledger {
  readonly #counts = new Map<string, Map<string, number>>()
  #accepted = 0
  #duplicates = 0

  /** Notes one acceptance and answers how often this message has been accepted now. */
  add(first: string, second: string): number {
    let inner = this.#counts.get(first)
    if (inner === undefined) this.#counts.set(first, (inner = new Map()))
    const count = (inner.get(second) ?? 0) + 1
    inner.set(second, count)
    this.#accepted++
    if (count > 1) this.#duplicates++
    return count
  }

  get accepted(): number {
    return this.#accepted
  }

  /** Acceptances beyond the first of each message. */
  get duplicates(): number {
    return this.#duplicates
  }

  /** How many different messages were accepted under `first`. */
  distinct(first: string): number {
    return this.#counts.get(first)?.size ?? 0
  }

  /** Each message's key, `first:second`, or `second` alone where everything shares one first id, with its count. */
  *entries(): Generator<readonly [key: string, count: number]> {
    for (const [first, inner] of this.#counts) {
      for (const [second, count] of inner) yield [first === "" ? second : `${first}:${second}`, count]
    }
  }

  clear(): void {
    this.#counts.clear()
    this.#accepted = 0
    this.#duplicates = 0
  }
}
