import { COMPRESSION_ERROR, ENHANCE_YOUR_CALM, PeerError } from "./Frames.ts"
import { DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC, STATIC_LAST } from "./HpackTable.ts"
import { huffmanDecode } from "./Huffman.ts"

export type Field = readonly [name: string, value: string]

const broken = (message: string): never => {
  throw new PeerError(COMPRESSION_ERROR, message)
}

/** A place in a block of header fields, moved on by the functions that read from it. */
export interface Cursor {
  at: number
}

/** An integer with a prefix of `bits` bits (RFC 7541, 5.1). More than 32 bits of it are nobody's honest length. */
export const readInteger = (bytes: Buffer, end: number, bits: number, cursor: Cursor): number => {
  const most = (1 << bits) - 1
  let value = bytes[cursor.at++]! & most
  if (value < most) return value
  for (let shift = 0; shift <= 28; shift += 7) {
    if (cursor.at >= end) broken("an integer goes beyond the header block")
    const byte = bytes[cursor.at++]!
    value += (byte & 0x7f) * 2 ** shift
    if ((byte & 0x80) === 0) return value
  }
  return broken("an integer is too large")
}

const readString = (bytes: Buffer, end: number, cursor: Cursor): string => {
  if (cursor.at >= end) broken("a string is missing")
  const coded = (bytes[cursor.at]! & 0x80) !== 0
  const length = readInteger(bytes, end, 7, cursor)
  const start = cursor.at
  if (length > end - start) broken("a string goes beyond the header block")
  cursor.at = start + length
  return coded
    ? (huffmanDecode(bytes, start, cursor.at) ?? broken("a Huffman string is not valid"))
    : bytes.toString("latin1", start, cursor.at)
}

/** Fields of a block: each costs more in memory than its bytes say. */
const MOST_FIELDS = 256

/** A complete decoder of header blocks, with its dynamic table. Values are one character a byte. */
export class HpackDecoder {
  /** The newest entry is the last. */
  private readonly table: Array<Field> = []
  private size = 0
  /**
   * What the peer chose. Our SETTINGS ask for no table at all, and a peer that follows them says so; one that uses its
   * table all the same (h2o) is understood, as it costs no more than the default.
   */
  private capacity = DEFAULT_TABLE_SIZE
  private readonly maxList: number

  /** `maxList`: the most that a block may amount to once decoded, counted as by SETTINGS_MAX_HEADER_LIST_SIZE. */
  constructor(maxList: number) {
    this.maxList = maxList
  }

  /** True when blocks depend on nothing but themselves: no entry stands in the table, and none can. */
  get stateless(): boolean {
    return this.capacity === 0
  }

  decode(bytes: Buffer, start: number, end: number): Array<Field> {
    const fields: Array<Field> = []
    const cursor: Cursor = { at: start }
    let list = 0
    while (cursor.at < end) {
      const first = bytes[cursor.at]!
      if ((first & 0xe0) === 0x20) {
        this.update(bytes, end, cursor, fields.length > 0)
        continue
      }
      const field = this.field(bytes, end, cursor, first)
      list += field[0].length + field[1].length + ENTRY_OVERHEAD
      // A few bytes can name a large entry thousands of times: stop before it is held.
      if (list > this.maxList || fields.length === MOST_FIELDS)
        throw new PeerError(ENHANCE_YOUR_CALM, "a header list is larger than announced")
      fields.push(field)
    }
    return fields
  }

  /** Reads one field that is not a size update, and keeps it when it says so. */
  private field(bytes: Buffer, end: number, cursor: Cursor, first: number): Field {
    if ((first & 0x80) !== 0) return this.entry(readInteger(bytes, end, 7, cursor))
    const indexing = (first & 0x40) !== 0
    const index = readInteger(bytes, end, indexing ? 6 : 4, cursor)
    const name = index === 0 ? readString(bytes, end, cursor) : this.entry(index)[0]
    const field: Field = [name, readString(bytes, end, cursor)]
    if (indexing) this.insert(field)
    return field
  }

  private update(bytes: Buffer, end: number, cursor: Cursor, late: boolean): void {
    if (late) broken("a table size update stands after a field")
    const size = readInteger(bytes, end, 5, cursor)
    if (size > DEFAULT_TABLE_SIZE) broken("a table size update goes beyond what every peer may have")
    this.resize(size)
  }

  private entry(index: number): Field {
    if (index === 0) broken("index 0 names nothing")
    if (index <= STATIC_LAST) return STATIC[index]!
    return this.table[this.table.length - (index - STATIC_LAST)] ?? broken("an index names no entry")
  }

  private insert(field: Field): void {
    const size = field[0].length + field[1].length + ENTRY_OVERHEAD
    this.evict(this.capacity - size)
    // An entry larger than the table empties it and is not an error (RFC 7541, 4.4).
    if (size > this.capacity) return
    this.table.push(field)
    this.size += size
  }

  private resize(capacity: number): void {
    this.capacity = capacity
    this.evict(capacity)
  }

  private evict(most: number): void {
    let gone = 0
    while (gone < this.table.length && this.size > most) {
      const [name, value] = this.table[gone++]!
      this.size -= name.length + value.length + ENTRY_OVERHEAD
    }
    if (gone > 0) this.table.splice(0, gone)
  }
}
