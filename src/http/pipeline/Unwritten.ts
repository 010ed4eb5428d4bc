import type { ServerResponse } from "node:http"

/*
 * Answers that their clients do not read stand in memory, one whole answer for each connection. What all of them hold
 * together is bounded: beyond it the connection whose answer has waited longest is closed, whoever reads slowest first.
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

  /** Of an answer that was ended just now: counts what of it has not gone out, until it has. */
  note(response: ServerResponse): void {
    const bytes = response.writableLength
    if (bytes <= SMALL || response.destroyed || this.#waiting.has(response)) return
    this.#waiting.set(response, bytes)
    this.#bytes += bytes
    const release = () => {
      if (this.#waiting.delete(response)) this.#bytes -= bytes
    }
    response.once("finish", release).once("close", release)
    for (const oldest of this.#waiting.keys()) {
      if (this.#bytes <= this.#most || oldest === response) return
      const size = this.#waiting.get(oldest)!
      this.#waiting.delete(oldest)
      this.#bytes -= size
      oldest.destroy()
    }
  }
}
