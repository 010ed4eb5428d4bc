import { DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC_LAST, staticFields, staticNames } from "./HpackTable.ts"
import { writePrintable } from "./HeaderBytes.ts"

/** Writes an integer with a prefix of `bits` bits, the bits above it from `first`; answers where the next byte goes. */
export const writeInteger = (out: Uint8Array, at: number, first: number, bits: number, value: number): number => {
  const most = (1 << bits) - 1
  if (value < most) {
    out[at] = first | value
    return at + 1
  }
  out[at++] = first | most
  let left = value - most
  while (left >= 0x80) {
    out[at++] = (left & 0x7f) | 0x80
    left = Math.floor(left / 0x80)
  }
  out[at++] = left
  return at
}

/** Writes a text as a string literal. Throws where `writePrintable` does. */
export const writeString = (out: Buffer, at: number, text: string): number =>
  writePrintable(out, writeInteger(out, at, 0, 7, text.length), text)

/** Bytes that a field takes at most, whichever way it is written. */
export const fieldBound = (name: string, value: string): number => name.length + value.length + 16

interface Entry {
  readonly key: string
  readonly size: number
}

/**
 * Writes header blocks. What repeats is entered into the peer's dynamic table and costs a byte from then on; what
 * does not is written without indexing and leaves the table alone.
 */
export class HpackEncoder {
  /** Grows when the table changes: bytes written before stay valid while it stands still. */
  generation = 0
  private inserted = 0
  private readonly ordinals = new Map<string, number>()
  /** The oldest entry first. */
  private readonly entries: Array<Entry> = []
  private size = 0
  private capacity = DEFAULT_TABLE_SIZE
  /** The smallest capacity since the last block, when the peer has to be told (RFC 7541, 4.2). */
  private lowest: number | undefined = undefined

  /** Room for entries that are meant to stay together. */
  get room(): number {
    return this.capacity
  }

  /** Follows the peer's SETTINGS_HEADER_TABLE_SIZE; more than the default is not used. */
  setLimit(limit: number): void {
    const capacity = Math.min(limit, DEFAULT_TABLE_SIZE)
    if (capacity === this.capacity) return
    this.lowest = Math.min(this.lowest ?? Infinity, capacity)
    this.capacity = capacity
    this.evict(capacity)
    this.generation++
  }

  /** Must begin every block: tells the peer of changes of the table's size. */
  begin(out: Buffer, at: number): number {
    if (this.lowest === undefined) return at
    if (this.lowest < this.capacity) at = writeInteger(out, at, 0x20, 5, this.lowest)
    at = writeInteger(out, at, 0x20, 5, this.capacity)
    this.lowest = undefined
    return at
  }

  /** A field that will be sent again: an index if it is known, else a literal that enters the table. */
  repeated(out: Buffer, at: number, name: string, value: string): number {
    const key = `${name}\0${value}`
    const known = this.known(key)
    if (known !== undefined) return writeInteger(out, at, 0x80, 7, known)
    const size = name.length + value.length + ENTRY_OVERHEAD
    if (size > this.capacity) return this.literal(out, at, name, value)
    at = this.named(out, at, 0x40, 6, name)
    at = writeString(out, at, value)
    this.evict(this.capacity - size)
    this.entries.push({ key, size })
    this.size += size
    this.ordinals.set(key, ++this.inserted)
    this.generation++
    return at
  }

  /** A field that may never come again: an index if it is known, else a literal without indexing. */
  occasional(out: Buffer, at: number, name: string, value: string): number {
    const known = this.known(`${name}\0${value}`)
    return known === undefined ? this.literal(out, at, name, value) : writeInteger(out, at, 0x80, 7, known)
  }

  /** A literal without indexing. */
  literal(out: Buffer, at: number, name: string, value: string): number {
    return writeString(out, this.named(out, at, 0x00, 4, name), value)
  }

  private named(out: Buffer, at: number, first: number, bits: number, name: string): number {
    const known = staticNames.get(name)
    if (known !== undefined) return writeInteger(out, at, first, bits, known)
    out[at++] = first
    return writeString(out, at, name)
  }

  private known(key: string): number | undefined {
    const ordinal = this.ordinals.get(key)
    return ordinal === undefined ? staticFields.get(key) : STATIC_LAST + 1 + this.inserted - ordinal
  }

  private evict(most: number): void {
    while (this.size > most) {
      const entry = this.entries.shift()!
      this.size -= entry.size
      this.ordinals.delete(entry.key)
    }
  }
}
