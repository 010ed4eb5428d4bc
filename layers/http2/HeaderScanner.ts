import { ENTRY_OVERHEAD, STATIC, STATIC_LAST } from "./HpackTable.ts"
import { huffmanBound, huffmanInto } from "./Huffman.ts"
import { HeaderCache } from "./HeaderCache.ts"

/*
 * Answers' header blocks that depend on no table, read where they lie. Nearly all answers are alike, and their header is
 * hardly ever asked for: so it is checked without making a text of it, and read when it is wanted. Whatever is unusual is
 * left to the complete decoder and the complete rules, which also find the error if there is one.
 */

/** String lengths from here on take more than one byte. */
const LONG = 127
/** `:status` with the values 200 to 500 (RFC 7541, appendix A): any below are pseudo-fields of requests. */
const FIRST_STATUS = 8
const LAST_STATUS = 14
const CONTENT_LENGTH = 28
const TRANSFER_ENCODING = 57

const SPACE = 0x20
const TAB = 0x09

/** Bytes of which a field's name may consist: those that `ReceivedAnswer.ts` allows. */
const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > SPACE && byte < 0x7f && byte !== 0x3a && !(byte >= 0x41 && byte <= 0x5a) ? 1 : 0
)
/** Lengths of the names that have a meaning of their own: connection, keep-alive, content-length, upgrade, … */
const SUSPECT = new Set([
  "connection".length,
  "upgrade".length,
  "content-length".length,
  "proxy-connection".length,
  "transfer-encoding".length
])
const SUSPECTS = Uint8Array.from({ length: 256 }, (_, length) => (SUSPECT.has(length) ? 1 : 0))
/** How those names begin: c, k, p, t, u. */
const SUSPECT_FIRST = new Set([0x63, 0x6b, 0x70, 0x74, 0x75])

const SIZES = Uint16Array.from(STATIC, ([name, value]) => name.length + value.length + ENTRY_OVERHEAD)
const NAME_LENGTHS = Uint8Array.from(STATIC, ([name]) => name.length)

const scratch = Buffer.allocUnsafe(huffmanBound(LONG))

/** Checks header blocks where they lie; what the last good one says. */
export class HeaderScanner {
  status = 0
  /** -1 without a content-length. */
  length = -1
  private readonly maxList: number
  private readonly cache = new HeaderCache()
  /** Fields may say that they enter the peer's table, as none can. */
  private mayIndex = true

  constructor(maxList: number) {
    this.maxList = maxList
  }

  /** A number for the bytes of the block, the same again only for the same bytes. 0 says nothing. */
  get version(): number {
    return this.cache.version
  }

  /**
   * True: the block is the header section of a final answer, breaks no rule, and leaves the peer's table alone.
   * `stateless`: that table has no room for any entry. False says nothing.
   */
  scan(bytes: Buffer, start: number, end: number, stateless: boolean): boolean {
    if (stateless !== this.mayIndex) {
      // What was good so far may hold fields that enter the table.
      if (!stateless) this.cache.forget()
      this.mayIndex = stateless
    }
    const { cache } = this
    const alike = cache.alike(bytes, start, end)
    if (alike > 0) {
      this.status = cache.status
      this.length = cache.length
    }
    if (alike === 0 || alike < end - start) {
      if (!this.read(bytes, start, end, alike)) {
        cache.drop()
        return false
      }
    }
    cache.keep(bytes, start, end, this.status)
    return true
  }

  /** Reads a block from its start, or behind as many bytes as are known to be good. */
  private read(bytes: Buffer, start: number, end: number, known: number): boolean {
    const { cache } = this
    let at = start + known
    let list: number
    if (known > 0) list = cache.list
    else {
      at = this.readStatus(bytes, start, end)
      if (at < 0) return false
      this.length = -1
      list = SIZES[FIRST_STATUS]!
      cache.note(at - start, list, -1)
    }
    while (at < end) {
      const first = bytes[at++]!
      if (first >= 0x80) {
        const index = first & 0x7f
        // Without a value, neither of the two may stand in an answer.
        if (index <= LAST_STATUS || index > STATIC_LAST) return false
        if (index === CONTENT_LENGTH || index === TRANSFER_ENCODING) return false
        list += SIZES[index]!
        cache.note(at - start, list, this.length)
        continue
      }
      let index: number
      if (first >= 0x40) {
        if (!this.mayIndex) return false
        index = first & 0x3f
      } else if (first >= 0x20) return false
      else {
        index = first & 0x0f
        if (index === 0x0f) {
          if (at >= end || bytes[at]! >= 0x80) return false
          index += bytes[at++]!
        }
      }
      if (index === 0) {
        const length = at < end ? bytes[at++]! : LONG
        const stop = at + (length & 0x7f)
        if ((length & 0x7f) === LONG || stop > end) return false
        const count = nameLength(bytes, at, stop, length >= 0x80)
        if (count < 0) return false
        list += count
        at = stop
      } else {
        if (index <= LAST_STATUS || index > STATIC_LAST || index === TRANSFER_ENCODING) return false
        list += NAME_LENGTHS[index]!
      }
      const length = at < end ? bytes[at++]! : LONG
      const stop = at + (length & 0x7f)
      if ((length & 0x7f) === LONG || stop > end) return false
      const count = valueLength(bytes, at, stop, length >= 0x80)
      if (count < 0) return false
      if (index === CONTENT_LENGTH && !this.readLength(bytes, at, count, length >= 0x80)) return false
      list += count + ENTRY_OVERHEAD
      at = stop
      cache.note(at - start, list, this.length)
    }
    return list <= this.maxList
  }

  /** Where the next field begins, -1 when it is not the plain status of a final answer. */
  private readStatus(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return -1
    const first = bytes[start]!
    if (first === (0x80 | FIRST_STATUS)) {
      this.status = 200
      return start + 1
    }
    if (first > (0x80 | FIRST_STATUS) && first <= (0x80 | LAST_STATUS)) {
      this.status = Number(STATIC[first & 0x7f]![1])
      return start + 1
    }
    // A literal by the name's index, with, without or never with indexing.
    if (((first !== 0x48 || !this.mayIndex) && first !== 0x08 && first !== 0x18) || start + 2 > end) return -1
    const length = bytes[start + 1]!
    const stop = start + 2 + (length & 0x7f)
    if ((length & 0x7f) > 4 || stop > end) return -1
    this.status = number(bytes, start + 2, stop, length >= 0x80, 3)
    return this.status < 200 || this.status > 999 ? -1 : stop
  }

  private readLength(bytes: Buffer, at: number, count: number, coded: boolean): boolean {
    if (this.length !== -1) return false
    this.length = digits(coded ? scratch : bytes, coded ? 0 : at, count, 15)
    return this.length !== -1
  }
}

/** A number of at most `most` digits, -1 for anything else. */
const digits = (bytes: Uint8Array, at: number, count: number, most: number): number => {
  if (count === 0 || count > most) return -1
  let value = 0
  for (let i = 0; i < count; i++) {
    const digit = bytes[at + i]! - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

const number = (bytes: Buffer, start: number, end: number, coded: boolean, exactly: number): number => {
  const count = coded ? huffmanInto(bytes, start, end, scratch, true) : end - start
  return count === exactly ? digits(coded ? scratch : bytes, coded ? 0 : start, count, exactly) : -1
}

/** The length of a name that may stand in an answer, -1 for others and for those with a meaning of their own. */
const nameLength = (bytes: Buffer, start: number, end: number, coded: boolean): number => {
  const count = coded ? huffmanInto(bytes, start, end, scratch, true) : end - start
  if (count <= 0) return -1
  const text = coded ? scratch : bytes
  const from = coded ? 0 : start
  if (SUSPECTS[count] === 1 && SUSPECT_FIRST.has(text[from]!)) return -1
  for (let i = from; i < from + count; i++) if (NAME_BYTES[text[i]!] === 0) return -1
  return count
}

/** The length of a value that may stand in an answer, -1 for others. One that is coded lies in `scratch` then. */
const valueLength = (bytes: Buffer, start: number, end: number, coded: boolean): number => {
  const count = coded ? huffmanInto(bytes, start, end, scratch, true) : end - start
  if (count <= 0) return count
  const text = coded ? scratch : bytes
  const from = coded ? 0 : start
  if (!coded) {
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!
      if (byte < SPACE && (byte === 0 || byte === 0x0a || byte === 0x0d)) return -1
    }
  }
  return isSpace(text[from]!) || isSpace(text[from + count - 1]!) ? -1 : count
}

const isSpace = (byte: number): boolean => byte === SPACE || byte === TAB

/** The value of a header by lower-case name in a block that was found good; several are joined by commas. */
export const headerOf = (bytes: Buffer, start: number, end: number, name: string): string | undefined => {
  let found: string | undefined = undefined
  let at = start
  while (at < end) {
    const first = bytes[at++]!
    let value: string
    if (first >= 0x80) {
      const [known, text] = STATIC[first & 0x7f]!
      if (known !== name) continue
      value = text
    } else {
      let index = first >= 0x40 ? first & 0x3f : first & 0x0f
      if (index === 0x0f && first < 0x40) index += bytes[at++]!
      let same: boolean
      if (index === 0) {
        const length = bytes[at++]!
        const stop = at + (length & 0x7f)
        same = isText(bytes, at, stop, length >= 0x80, name)
        at = stop
      } else same = STATIC[index]![0] === name
      const length = bytes[at++]!
      const stop = at + (length & 0x7f)
      const from = at
      at = stop
      if (!same) continue
      value =
        length >= 0x80
          ? scratch.toString("latin1", 0, huffmanInto(bytes, from, stop, scratch, false))
          : bytes.toString("latin1", from, stop)
    }
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}

const isText = (bytes: Buffer, start: number, end: number, coded: boolean, text: string): boolean => {
  const count = coded ? huffmanInto(bytes, start, end, scratch, false) : end - start
  if (count !== text.length) return false
  const from = coded ? 0 : start
  const said = coded ? scratch : bytes
  for (let i = 0; i < count; i++) if (said[from + i] !== text.charCodeAt(i)) return false
  return true
}
