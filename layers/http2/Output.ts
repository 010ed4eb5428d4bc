import type { Writable } from "node:stream"

/**
 * Pages begin small, as most connections say little, and double when one turn of the event loop fills more than one:
 * a write of one piece costs less than one of several, which Node puts together first.
 */
const SMALLEST = 1 << 15
const LARGEST = 1 << 18
/** Begun in one turn, this is a write's worth: with room in the largest page for one more of any usual size. */
const FULL = (LARGEST * 3) / 4
/** Bytes on their way to the socket above which the peer does not read, and below which it does again. */
const HIGH = 1 << 20
const LOW = 1 << 18
const SPARE = 4

interface Page {
  readonly bytes: Buffer
  /** Writes of it that the socket has not finished. */
  busy: number
}

const page = (size: number): Page => ({ bytes: Buffer.allocUnsafeSlow(size), busy: 0 })

export interface OutputOptions {
  /** The socket has taken all that it was given. */
  readonly onDrained: () => void
  /** Asked before each write: whether what was written into the page must not go out any more. It is dropped then. */
  readonly isStale: () => boolean
}

/**
 * What goes to the socket: frames are written one after the other into pages, and a page's new part goes out by one
 * write. Pages are used again when the socket is done with them.
 */
export class Output {
  /** The page under the pen, and where the next frame goes. Only after `reserve`. */
  bytes: Buffer
  at = 0
  /**
   * Bytes that the socket has not taken yet. What it is given meanwhile it keeps to itself, for a turn of the event loop
   * at least, and writes whenever it goes on.
   */
  queued = 0
  /** Since when (`performance.now()`) the socket has taken nothing of it; only while there is something. */
  waitsSince = 0
  /** The peer does not read. */
  blocked = false
  /** How often something was handed to the socket. */
  writes = 0
  private readonly socket: Writable
  private readonly options: OutputOptions
  private page: Page
  private from = 0
  private size = SMALLEST
  private readonly spare: Array<Page> = []

  constructor(socket: Writable, options: OutputOptions) {
    this.socket = socket
    this.options = options
    this.page = page(SMALLEST)
    this.bytes = this.page.bytes
  }

  /** Bytes that go out with the next flush. */
  get begun(): number {
    return this.at - this.from
  }

  get full(): boolean {
    return this.begun > FULL
  }

  /** Makes room for `size` bytes in one piece. */
  reserve(size: number): void {
    if (this.page.bytes.length - this.at >= size) return
    // What was begun in this turn moves along, so that it stays one write, unless it is as much as a page should be.
    const begun = this.bytes.subarray(this.from, this.at)
    if (begun.length * 2 > this.size && this.size < LARGEST) this.grow()
    const moves = (begun.length * 2 <= this.size || this.size === LARGEST) && begun.length + size <= this.size
    if (!moves) this.flush()
    if (this.page.busy === 0) this.recycle(this.page)
    this.page = size > this.size ? page(size) : (this.spare.pop() ?? page(this.size))
    this.bytes = this.page.bytes
    this.from = 0
    this.at = moves ? begun.length : 0
    // Also right where both are the same page.
    if (moves) this.bytes.set(begun)
  }

  /** Appends a frame that was made elsewhere. */
  append(frame: Uint8Array): void {
    this.reserve(frame.length)
    this.bytes.set(frame, this.at)
    this.at += frame.length
  }

  flush(): void {
    const { page, from, at } = this
    if (at === from) return
    if (this.options.isStale()) {
      this.at = from
      return
    }
    this.from = at
    this.writes++
    if (this.queued === 0) this.waitsSince = performance.now()
    this.queued += at - from
    this.blocked = this.queued > HIGH
    page.busy++
    this.socket.write(page.bytes.subarray(from, at), () => {
      this.queued -= at - from
      if (--page.busy === 0 && page !== this.page) this.recycle(page)
      this.waitsSince = performance.now()
      if (this.queued < LOW) this.blocked = false
      if (this.queued === 0) this.options.onDrained()
    })
  }

  private grow(): void {
    this.size *= 2
    // Smaller ones that are still on their way are dropped when they come back.
    this.spare.length = 0
  }

  private recycle(page: Page): void {
    if (page.bytes.length === this.size && this.spare.length < SPARE) this.spare.push(page)
  }
}
