import type { Field } from "./HpackDecoder.ts"
import type { Run } from "./Run.ts"

/** A request on the wire. Slots are used again: read what is needed of one before it is closed. */
export interface Slot {
  /** 0 while the slot is free. */
  id: number
  run: Run
  index: number
  openedAt: number
  /** Body bytes that wait for a window, from `offset`; undefined once all are written. */
  rest: Uint8Array | undefined
  offset: number
  /** What WINDOW_UPDATE gave this stream, less what was sent on it; the initial window comes on top. */
  credit: number
  /** What the peer may still send on this stream. */
  allowance: number
  /** 0 until the answer's header section has come. */
  status: number
  /** That section decoded, or undefined: then it stands in `block`, as it came. */
  fields: ReadonlyArray<Field> | undefined
  block: Buffer
  blockLength: number
  /** The version of `block`, where it has one. */
  blockVersion: number
  chunks: Array<Buffer> | undefined
  size: number
  /** The answer's content-length, -1 without one. */
  expected: number
}

const NO_BLOCK = Buffer.alloc(0)
/** Header blocks up to so many bytes are kept in memory that a slot has for good. */
const SMALL_BLOCK = 1 << 10
const FIRST_RING = 256

/**
 * The streams of one connection, found by id. Ids only grow and most streams live about as long as their neighbours,
 * so a ring holds them; those that its next round finds still open move to a map.
 */
export class Streams {
  count = 0
  /** The id that the next stream gets. */
  next = 1
  private ring: Array<Slot | undefined> = Array.from({ length: FIRST_RING }, () => undefined)
  private mask = FIRST_RING - 1
  private readonly late = new Map<number, Slot>()
  private low = 1

  open(run: Run, index: number, openedAt: number, allowance: number): Slot {
    if (this.count * 2 >= this.ring.length) this.grow()
    const id = this.next
    this.next += 2
    this.count++
    const at = (id >> 1) & this.mask
    let slot = this.ring[at]
    if (slot !== undefined && slot.id !== 0) {
      this.late.set(slot.id, slot)
      slot = undefined
    }
    if (slot === undefined) {
      const fresh: Slot = {
        id,
        run,
        index,
        openedAt,
        rest: undefined,
        offset: 0,
        credit: 0,
        allowance,
        status: 0,
        fields: undefined,
        block: NO_BLOCK,
        blockLength: 0,
        blockVersion: 0,
        chunks: undefined,
        size: 0,
        expected: -1
      }
      this.ring[at] = fresh
      return fresh
    }
    slot.id = id
    slot.run = run
    slot.index = index
    slot.openedAt = openedAt
    slot.credit = 0
    slot.allowance = allowance
    slot.status = 0
    slot.size = 0
    slot.expected = -1
    return slot
  }

  find(id: number): Slot | undefined {
    const slot = this.ring[(id >> 1) & this.mask]
    if (slot !== undefined && slot.id === id) return slot
    return this.late.size === 0 ? undefined : this.late.get(id)
  }

  close(slot: Slot): void {
    if (this.late.size > 0) this.late.delete(slot.id)
    slot.id = 0
    slot.rest = undefined
    slot.chunks = undefined
    slot.fields = undefined
    if (slot.block.length > SMALL_BLOCK) {
      slot.block = NO_BLOCK
      slot.blockVersion = 0
    }
    this.count--
  }

  /** The stream that was opened first of those still open. */
  oldest(): Slot | undefined {
    if (this.count === 0) return undefined
    let slot = this.find(this.low)
    while (slot === undefined) slot = this.find((this.low += 2))
    return slot
  }

  /** Ids of the open streams that `wanted` picks, oldest first. */
  ids(wanted: (slot: Slot) => boolean): Array<number> {
    const ids: Array<number> = []
    if (this.oldest() === undefined) return ids
    for (let id = this.low; id < this.next; id += 2) {
      const slot = this.find(id)
      if (slot !== undefined && wanted(slot)) ids.push(id)
    }
    return ids
  }

  private grow(): void {
    const old = this.ring
    this.ring = Array.from({ length: old.length * 2 }, () => undefined)
    this.mask = this.ring.length - 1
    for (const slot of old) if (slot !== undefined && slot.id !== 0) this.ring[(slot.id >> 1) & this.mask] = slot
  }
}
