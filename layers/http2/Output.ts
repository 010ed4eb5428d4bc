import type { Writable } from "node:stream"

const SIZE = 1 << 16
/** Bytes on their way to the socket above which no streams are opened, and below which they are again. */
const HIGH = 1 << 20
const LOW = 1 << 18
const SPARE = 8

interface Page {
  readonly bytes: Buffer
  /** Writes of it that the socket has not finished. */
  busy: number
}

const page = (size: number): Page => ({ bytes: Buffer.allocUnsafeSlow(size), busy: 0 })

/**
 * What goes to the socket: frames are written one after the other into pages, and a page's new part goes out by one
 * write. Pages are used again when the socket is done with them.
 */
export class Output {
  /** The page under the pen, and where the next frame goes. Only after `reserve`. */
  bytes: Buffer
  at = 0
  /** Bytes that the socket has not taken yet. */
  queued = 0
  blocked = false
  private readonly socket: Writable
  private readonly onDrained: () => void
  private page: Page
  private from = 0
  private readonly spare: Array<Page> = []

  constructor(socket: Writable, onDrained: () => void) {
    this.socket = socket
    this.onDrained = onDrained
    this.page = page(SIZE)
    this.bytes = this.page.bytes
  }

  /** Makes room for `size` bytes in one piece. */
  reserve(size: number): void {
    if (this.page.bytes.length - this.at >= size) return
    this.flush()
    if (this.page.busy === 0) this.recycle(this.page)
    this.page = size > SIZE ? page(size) : (this.spare.pop() ?? page(SIZE))
    this.bytes = this.page.bytes
    this.at = this.from = 0
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
    this.from = at
    this.queued += at - from
    this.blocked = this.queued > HIGH
    page.busy++
    this.socket.write(page.bytes.subarray(from, at), () => {
      this.queued -= at - from
      if (--page.busy === 0 && page !== this.page) this.recycle(page)
      if (this.blocked && this.queued < LOW) {
        this.blocked = false
        this.onDrained()
      }
    })
  }

  private recycle(page: Page): void {
    if (page.bytes.length === SIZE && this.spare.length < SPARE) this.spare.push(page)
  }
}
