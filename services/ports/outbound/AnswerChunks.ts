/** So many chunks an answer's body may come in: a frame, an HTTP chunk or a read each. A normal one of 16 KB needs a few. */
const MOST_CHUNKS = 1024
/** So many interim answers (1xx) may come before the answer. */
export const MOST_INTERIMS = 32
const FIRST_BYTES = 256

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/**
 * Gathers what a peer sends in chunks, in one block of memory: a buffer for each would cost a hundred bytes for every
 * byte. Both the bytes and the chunks are bounded.
 */
export class AnswerChunks {
  size = 0
  chunks = 0
  private readonly limit: number
  private memory: Uint8Array | undefined = undefined

  /** `limit`: the most bytes that are kept. */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Bytes of memory in use. */
  get held(): number {
    return this.memory === undefined ? 0 : this.memory.length
  }

  /** Copies a chunk. False: the whole is longer than allowed, or comes in more chunks. */
  add(from: Uint8Array, start = 0, end = from.length): boolean {
    const size = this.size + end - start
    if (++this.chunks > MOST_CHUNKS || size > this.limit) return false
    if (size === this.size) return true
    if (this.memory === undefined || this.memory.length < size) {
      const larger = new Uint8Array(Math.min(this.limit, Math.max(FIRST_BYTES, size, 2 * this.size)))
      if (this.memory !== undefined) larger.set(this.bytes())
      this.memory = larger
    }
    this.memory.set(from.subarray(start, end), this.size)
    this.size = size
    return true
  }

  /** What has come, as long as nothing is added. */
  bytes(): Uint8Array {
    return this.memory === undefined ? new Uint8Array(0) : this.memory.subarray(0, this.size)
  }

  text(): string {
    return decoder.decode(this.bytes())
  }
}
