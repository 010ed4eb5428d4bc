import { viewOf } from "./HeaderBytes.ts"

/** So much of a block is kept, and so many of its fields. */
const MOST_BYTES = 512
const MOST_FIELDS = 32

/**
 * The last header block that was found good. As far as the next one begins with the same fields, nothing in it needs to
 * be looked at again: mostly an id differs, or nothing at all.
 */
export class HeaderCache {
  /** A number for the block's bytes, the same again only for the same bytes; 0 for a block too long to be kept whole. */
  version = 0
  status = 0
  private versions = 0
  private readonly bytes = Buffer.allocUnsafeSlow(MOST_BYTES)
  private readonly view = new DataView(this.bytes.buffer)
  /** The fields that are kept; of each where it ends, and what the list's size and the content-length are by then. */
  private fields = 0
  private readonly ends = new Uint16Array(MOST_FIELDS)
  private readonly lists = new Uint32Array(MOST_FIELDS)
  private readonly lengths = new Float64Array(MOST_FIELDS)
  /** Fields of the block at hand that are those kept, and those noted too. */
  private same = 0
  private noted = 0

  /** How many bytes a block shares with the one that is kept, to the end of a field. */
  alike(bytes: Buffer, start: number, end: number): number {
    let field = this.fields
    const most = field === 0 ? 0 : Math.min(this.ends[field - 1]!, end - start)
    const view = viewOf(bytes)
    let at = 0
    while (at + 4 <= most && view.getInt32(start + at) === this.view.getInt32(at)) at += 4
    while (at < most && bytes[start + at] === this.bytes[at]) at++
    while (field > 0 && this.ends[field - 1]! > at) field--
    this.same = this.noted = field
    return field === 0 ? 0 : this.ends[field - 1]!
  }

  /** After the fields that are alike; only where there are some. */
  get list(): number {
    return this.lists[this.same - 1]!
  }

  /** After the fields that are alike; only where there are some. */
  get length(): number {
    return this.lengths[this.same - 1]!
  }

  /** Another field of the block at hand ends there, counted from the block's start. */
  note(end: number, list: number, length: number): void {
    const { noted } = this
    if (end > MOST_BYTES || noted === MOST_FIELDS) return
    this.ends[noted] = end
    this.lists[noted] = list
    this.lengths[noted] = length
    this.noted = noted + 1
  }

  /** The block at hand is good to its end: it is what the next is compared with. */
  keep(bytes: Buffer, start: number, end: number, status: number): void {
    const { noted, same } = this
    const to = noted === 0 ? 0 : this.ends[noted - 1]!
    const whole = to === end - start
    if (noted === same && noted === this.fields && whole && this.version !== 0) return
    const from = same === 0 ? 0 : this.ends[same - 1]!
    if (to > from) bytes.copy(this.bytes, from, start + from, start + to)
    this.fields = noted
    this.status = status
    this.version = whole ? ++this.versions : 0
  }

  /** No block is like it from now on, until another is kept. */
  forget(): void {
    this.fields = this.same = this.noted = 0
    this.version = 0
  }

  /** The block at hand is not good: what was noted of it is forgotten. */
  drop(): void {
    this.fields = this.same
    this.version = 0
  }
}
