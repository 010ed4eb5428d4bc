import type { KeyObject } from "node:crypto"
import { readPoint } from "./Encryption.ts"

/** Places for marks, for each key that is kept: with fewer, too many of those who fit would push out each other's. */
const MARKS = 2

/**
 * Public keys of subscribers as they were read, the most recently used. A key is kept from its second use on, while
 * the first is still remembered: a mailing to more subscribers than there is room for would otherwise fill the memory
 * with keys that are never met again, and collecting those costs as much as reading them (docs/decisions/0013).
 */
export class Subscribers {
  readonly #keys = new Map<string, KeyObject>()
  readonly #limit: number
  /** 32 bits of the points met lately, each in a place that 32 others of its bits tell. */
  readonly #met: Uint32Array

  constructor(limit: number) {
    this.#limit = limit
    this.#met = new Uint32Array(MARKS * limit)
  }

  get size(): number {
    return this.#keys.size
  }

  /** Null when the point is not on the curve. Nothing is kept of those. */
  read(point: Buffer): KeyObject | null {
    const name = point.toString("latin1", 1)
    const known = this.#keys.get(name)
    if (known !== undefined) {
      // The order of a map is that of insertion: last is most recent.
      this.#keys.delete(name)
      this.#keys.set(name, known)
      return known
    }
    const key = readPoint(point)
    if (key !== null && this.#meetsAgain(point)) {
      if (this.#keys.size >= this.#limit) this.#keys.delete(this.#keys.keys().next().value!)
      this.#keys.set(name, key)
    }
    return key
  }

  #meetsAgain(point: Buffer): boolean {
    const mark = point.readUInt32LE(1)
    const place = point.readUInt32LE(5) % this.#met.length
    if (this.#met[place] === mark) return true
    this.#met[place] = mark
    return false
  }
}
