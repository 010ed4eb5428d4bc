import type { AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { answerMemory, Holding, sizeOfFields } from "../../services/ports/outbound/AnswerMemory.ts"
import type { Field } from "./HpackDecoder.ts"
import { BatchRun } from "./BatchRun.ts"
import { freeSpare, takeSpare } from "./SpareBlocks.ts"

/** A request on the wire. Slots are used again: read what is needed of one before it is closed. */
export interface Slot {
  /** 0 while the slot is free. */
  id: number
  run: BatchRun
  index: number
  openedAt: number
  /** Body bytes that wait for a window, from `offset`; undefined once all are written. */
  rest: Uint8Array | undefined
  offset: number
  /** What WINDOW_UPDATE gave this stream, less what was sent on it; the initial window comes on top. */
  credit: number
  /** What the peer may still send on this stream. */
  allowance: number
  /** Interim answers that have come. */
  interims: number
  /** 0 until the answer's header section has come. */
  status: number
  /** That section decoded, or undefined: then it stands in `block`, as it came. */
  fields: ReadonlyArray<Field> | undefined
  block: Buffer
  blockLength: number
  /** The version of `block`, where it has one. */
  blockVersion: number
  /** `block` is the slot's for good. */
  isSpare: boolean
  /** What has come of the body, where more is to come. */
  content: AnswerChunks | undefined
  /** Bytes of the body that have come. */
  size: number
  /** The answer's content-length, -1 without one. */
  expected: number
  /** What the unfinished answer holds. */
  readonly holding: Holding
}

const NO_BLOCK = Buffer.alloc(0)
/** Of slots that are free: one that kept its last run would keep all that this sent, until it is used again. */
const NO_RUN = new BatchRun(
  {
    count: 0,
    common: [],
    credential: [],
    path: () => "",
    headers: () => [],
    body: () => "",
    onAnswer: () => {},
    onFailure: () => {}
  },
  () => {}
)
const FIRST_RING = 256
/** What the unfinished answers of one connection may hold. */
export const CONNECTION_BYTES = 8 << 20

/**
 * The streams of one connection, found by id. Ids only grow and most streams live about as long as their neighbours,
 * so a ring holds them; those that its next round finds still open move to a map.
 */
export class Streams {
  count = 0
  /** The id that the next stream gets. */
  next = 1
  /** What their unfinished answers hold. */
  private held = 0
  private ring: Array<Slot | undefined> = Array.from({ length: FIRST_RING }, () => undefined)
  private mask = FIRST_RING - 1
  private readonly late = new Map<number, Slot>()
  private low = 1
  private readonly giveUp: (slot: Slot) => void

  /** `giveUp` ends a stream whose answer has to make room for others: it must close the slot. */
  constructor(giveUp: (slot: Slot) => void) {
    this.giveUp = giveUp
  }

  open(run: BatchRun, index: number, openedAt: number, allowance: number): Slot {
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
        interims: 0,
        status: 0,
        fields: undefined,
        block: NO_BLOCK,
        blockLength: 0,
        blockVersion: 0,
        isSpare: false,
        content: undefined,
        size: 0,
        expected: -1,
        holding: new Holding(() => this.giveUp(fresh))
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
    slot.interims = 0
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

  /**
   * Copies a header block whose answer goes on: what it lies in is written over by what comes next. One with the version
   * of the slot's last one is there already.
   */
  keepBlock(slot: Slot, bytes: Buffer, start: number, end: number, version: number): void {
    if (version !== 0 && slot.blockVersion === version) return
    const length = end - start
    if (slot.block.length < length) {
      this.dropBlock(slot)
      const spare = takeSpare(length)
      slot.isSpare = spare > 0
      slot.block = Buffer.allocUnsafeSlow(spare > 0 ? spare : length)
    }
    bytes.copy(slot.block, 0, start, end)
    slot.blockLength = length
    slot.blockVersion = version
  }

  /**
   * Counts what an unfinished answer holds. False: its connection holds too much. The answer may have been given up to
   * make room, its own or another: see `slot.id`.
   */
  hold(slot: Slot): boolean {
    const { holding, fields } = slot
    const header = fields !== undefined ? sizeOfFields(fields) : slot.isSpare ? 0 : slot.blockLength
    const bytes = header + (slot.content === undefined ? 0 : slot.content.held)
    if (bytes === holding.bytes) return true
    this.held += bytes - holding.bytes
    answerMemory.hold(holding, bytes)
    return this.held <= CONNECTION_BYTES
  }

  close(slot: Slot): void {
    const isLate = this.late.size > 0 && this.late.delete(slot.id)
    slot.id = 0
    slot.run = NO_RUN
    slot.rest = undefined
    slot.content = undefined
    slot.fields = undefined
    if (slot.holding.bytes > 0) {
      this.held -= slot.holding.bytes
      answerMemory.release(slot.holding)
    }
    if (isLate || !slot.isSpare) this.dropBlock(slot)
    this.count--
  }

  /** No stream is opened any more, and none is open. */
  dispose(): void {
    for (const slot of this.ring) if (slot !== undefined) this.dropBlock(slot)
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
    if (this.count === 0) return ids
    for (const slot of this.late.values()) if (wanted(slot)) ids.push(slot.id)
    for (const slot of this.ring) if (slot !== undefined && slot.id !== 0 && wanted(slot)) ids.push(slot.id)
    return ids.sort((a, b) => a - b)
  }

  private dropBlock(slot: Slot): void {
    if (slot.isSpare) freeSpare(slot.block.length)
    slot.isSpare = false
    slot.block = NO_BLOCK
    slot.blockVersion = 0
  }

  private grow(): void {
    const old = this.ring
    this.ring = Array.from({ length: old.length * 2 }, () => undefined)
    this.mask = this.ring.length - 1
    for (const slot of old) {
      if (slot === undefined) continue
      if (slot.id === 0) this.dropBlock(slot)
      else this.ring[(slot.id >> 1) & this.mask] = slot
    }
  }
}
