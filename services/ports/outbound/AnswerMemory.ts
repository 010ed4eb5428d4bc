/** What unfinished answers may hold in this process, whoever gives them: some thousands of ordinary ones. */
const PROCESS_BYTES = 32 << 20

/** An answer of which something has come and is kept until the rest has. */
export class Holding {
  bytes = 0
  older: Holding | undefined = undefined
  newer: Holding | undefined = undefined
  /** Must release it: called when others need the room. */
  readonly giveUp: () => void

  constructor(giveUp: () => void) {
    this.giveUp = giveUp
  }
}

/**
 * The memory that all unfinished answers hold, of whichever connection and protocol. Peers are chosen by strangers (push
 * endpoints by whoever has a public key), so one bound a connection is none: thousands of connections may be open. When
 * the bound is reached the oldest give up: a normal answer ends a moment after it began, one that drips does not.
 */
export class AnswerMemory {
  /** Bytes held now. */
  bytes = 0
  private readonly limit: number
  private oldest: Holding | undefined = undefined
  private newest: Holding | undefined = undefined

  constructor(limit: number) {
    this.limit = limit
  }

  /** `holding` holds so many bytes from now on, more than 0. It may have given up itself afterwards. */
  hold(holding: Holding, bytes: number): void {
    if (holding.bytes === 0) {
      holding.older = this.newest
      if (this.newest === undefined) this.oldest = holding
      else this.newest.newer = holding
      this.newest = holding
    }
    this.bytes += bytes - holding.bytes
    holding.bytes = bytes
    while (this.bytes > this.limit && this.oldest !== undefined) {
      const { oldest } = this
      oldest.giveUp()
      // Whatever it does, it is not asked again.
      this.release(oldest)
    }
  }

  release(holding: Holding): void {
    if (holding.bytes === 0) return
    this.bytes -= holding.bytes
    holding.bytes = 0
    const { older, newer } = holding
    if (older === undefined) this.oldest = newer
    else older.newer = newer
    if (newer === undefined) this.newest = older
    else newer.older = older
    holding.older = holding.newer = undefined
  }
}

/** This process's. */
export const answerMemory = new AnswerMemory(PROCESS_BYTES)

/** What a header section costs in memory beyond its text, a field. */
const FIELD_BYTES = 128

export const sizeOfFields = (fields: Iterable<readonly [name: string, value: string]>): number => {
  let bytes = 0
  for (const [name, value] of fields) bytes += name.length + value.length + FIELD_BYTES
  return bytes
}
