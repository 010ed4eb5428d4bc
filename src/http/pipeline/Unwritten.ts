import type { ServerResponse } from "node:http"

/*
 * Answers that their clients do not read stand in memory, one whole answer for each connection, or of a stream what was
 * written last. What all of them hold together is bounded: beyond it the connection whose answer has waited longest is closed, whoever reads slowest first.
 */

/** Bytes of an answer that are not counted: as many connections as there may be hold them easily. */
const SMALL = 65_536

export class Unwritten {
  readonly #most: number
  /** With their bytes, oldest first. */
  readonly #waiting = new Map<ServerResponse, number>()
  #bytes = 0

  /** `most`: bytes of all of them. */
  constructor(most = 64 << 20) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Of an answer that was ended just now, or a stream that was written to: counts what of it has not gone out, until it
   * has.
   */
  note(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes <= SMALL || response.destroyed) return
    const before = this.#waiting.get(response)
    this.#waiting.set(response, bytes)
    this.#bytes += bytes - (before ?? 0)
    if (before === undefined) this.#releaseWhenWritten(response)
    for (const [oldest, size] of this.#waiting) {
      if (this.#bytes <= this.#most) return
      if (oldest === response) continue
      this.#waiting.delete(oldest)
      this.#bytes -= size
      oldest.destroy()
    }
  }

  #releaseWhenWritten(response: ServerResponse): void {
    // Of more than `SMALL`, Node says when it has gone out.
    const events = ["drain", "finish", "close"] as const
    const release = () => {
      for (const event of events) response.off(event, release)
      this.#bytes -= this.#waiting.get(response) ?? 0
      this.#waiting.delete(response)
    }
    for (const event of events) response.on(event, release)
  }
}
