import type { ServerResponse } from "node:http"

/*
 * Answers that their clients do not read stand in memory, one whole answer for each connection, or of a stream what was
 * written last. What all of them hold together is bounded: beyond it the connection whose answer has waited longest is
 * closed, whoever reads slowest first.
 */

/** Bytes of an answer that are not counted: as many connections as there may be hold them easily. */
const SMALL = 65_536
/** The same of a stream, of which there may be ten times as many. */
const SMALL_IN_STREAM = 8192

export class Unwritten {
  readonly #most: number
  /** With their bytes, oldest first. */
  readonly #waiting = new Map<ServerResponse, number>()
  /** Those that say when they are over. */
  readonly #known = new WeakSet<ServerResponse>()
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
    this.#note(response, SMALL)
  }

  /** The same of a stream that was written to just now. */
  noteStream(response: ServerResponse): void {
    this.#note(response, SMALL_IN_STREAM)
  }

  /** What was written to a stream has gone out, up to here. */
  written(response: ServerResponse): void {
    const before = this.#waiting.get(response)
    if (before === undefined) return
    const bytes = response.writableLength
    if (bytes <= SMALL_IN_STREAM) this.#waiting.delete(response)
    else this.#waiting.set(response, bytes)
    this.#bytes += (bytes <= SMALL_IN_STREAM ? 0 : bytes) - before
  }

  #note(response: ServerResponse, small: number): void {
    const bytes = response.writableLength
    if (bytes <= small || response.destroyed) return
    if (!this.#known.has(response)) {
      this.#known.add(response)
      const release = () => {
        this.#bytes -= this.#waiting.get(response) ?? 0
        this.#waiting.delete(response)
      }
      response.once("finish", release).once("close", release)
    }
    this.#bytes += bytes - (this.#waiting.get(response) ?? 0)
    this.#waiting.set(response, bytes)
    for (const [oldest, size] of this.#waiting) {
      if (this.#bytes <= this.#most) return
      if (oldest === response) continue
      this.#waiting.delete(oldest)
      this.#bytes -= size
      oldest.destroy()
    }
  }
}
