/** One line of a stream of lines: its number, from 1, and its bytes; null when it was longer than allowed. */
export interface Line {
  readonly number: number
  readonly bytes: Buffer | null
}

const LINE_FEED = 10
/** The UTF-8 byte order mark, which some programs put in front of a file. */
const MARK = Buffer.from("\ufeff")

/**
 * Cuts chunks of bytes into lines. It holds one unfinished line at most, and of one that is too long nothing at all.
 * Blank lines count but are left out, as is a byte order mark in front of the first one.
 */
export class LineSplitter {
  readonly #limit: number
  #number = 0
  #parts: Array<Buffer> = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The lines that end in this chunk. Their bytes may be parts of it. */
  push(chunk: Uint8Array): Array<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const lines: Array<Line> = []
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#keep(bytes.subarray(start, end))
      this.#end(lines)
      start = end + 1
    }
    this.#keep(bytes.subarray(start))
    return lines
  }

  /** The last line, if the stream did not end with a line feed. */
  end(): Array<Line> {
    const lines: Array<Line> = []
    if (this.#size > 0) this.#end(lines)
    return lines
  }

  /** The number of the line that is being read. */
  get next(): number {
    return this.#number + 1
  }

  #keep(part: Buffer) {
    this.#size += part.length
    if (this.#size > this.#limit) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  #end(lines: Array<Line>) {
    this.#number++
    let bytes =
      this.#size > this.#limit ? null : this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    if (this.#number === 1 && bytes?.indexOf(MARK) === 0) bytes = bytes.subarray(MARK.length)
    if (bytes === null || !isBlank(bytes)) lines.push({ number: this.#number, bytes })
    this.#parts = []
    this.#size = 0
  }
}

/** Puts lines together that are read and stored in one go: so many at most, and so many bytes unless one has more. */
export class LineGroups {
  readonly #most: number
  readonly #bytes: number
  #group: Array<Line> = []
  #size = 0

  constructor(most: number, bytes: number) {
    this.#most = most
    this.#bytes = bytes
  }

  /** The groups that are full. */
  push(lines: ReadonlyArray<Line>): Array<ReadonlyArray<Line>> {
    const full: Array<ReadonlyArray<Line>> = []
    for (const line of lines) {
      const size = line.bytes?.length ?? 0
      if (this.#group.length > 0 && this.#size + size > this.#bytes) full.push(this.#take())
      this.#group.push(line)
      this.#size += size
      if (this.#group.length === this.#most) full.push(this.#take())
    }
    return full
  }

  /** What is left. */
  end(): Array<ReadonlyArray<Line>> {
    return this.#group.length === 0 ? [] : [this.#take()]
  }

  #take(): ReadonlyArray<Line> {
    const group = this.#group
    this.#group = []
    this.#size = 0
    return group
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)
