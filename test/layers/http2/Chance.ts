/** Numbers that look random and are the same in every run, so that what a fuzzer finds can be found again. */
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = seed
  }

  /** A whole number below `limit` (mulberry32). */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.below(values.length)]!
  }

  /** Changes, drops or doubles a few bytes. */
  mutate(bytes: Buffer): Buffer {
    let out = Buffer.from(bytes)
    for (let n = 1 + this.below(4); n > 0 && out.length > 0; n--) {
      const at = this.below(out.length)
      const kind = this.below(4)
      if (kind < 2) out[at] = kind === 0 ? this.below(256) : out[at]! ^ (1 << this.below(8))
      else if (kind === 2) out = Buffer.concat([out.subarray(0, at), out.subarray(at + 1 + this.below(8))])
      else out = Buffer.concat([out.subarray(0, at), out.subarray(Math.max(0, at - 8)), out.subarray(at)])
    }
    return out
  }

  /** The same bytes in chunks of at most `most` bytes. */
  chunks(bytes: Buffer, most: number): Array<Buffer> {
    const chunks: Array<Buffer> = []
    for (let at = 0; at < bytes.length;) {
      const length = 1 + this.below(most)
      chunks.push(Buffer.from(bytes.subarray(at, at + length)))
      at += length
    }
    return chunks
  }
}
