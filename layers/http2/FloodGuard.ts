import { ENHANCE_YOUR_CALM, PeerError } from "./Frames.ts"

/** So many frames that bring nothing may come within so many milliseconds, beyond what answers make up for. */
const MOST_FRUITLESS = 10_000
const WITHIN_MS = 60_000
/** So many bytes of a payload that brings nothing weigh as much as a frame: 10 MB, if there is nothing else. */
const FRAME_BYTES = 1024
/** An answer makes up for so many frames around it: window updates above all. */
const ANSWER = 16
/** What frames weigh that a peer needs a few times in a connection's life, and that touch every stream. */
const RARE = 100

/**
 * Frames that bring nothing are cheap, and not free: the connection of a peer that sends little else ends with
 * ENHANCE_YOUR_CALM (RFC 9113, 10.5).
 */
export class FloodGuard {
  private fruitless = 0
  private since = performance.now()

  /** A frame that brings nothing, with so many bytes of payload. Throws when it is one too many. */
  note(bytes = 0): void {
    this.add(1 + Math.floor(bytes / FRAME_BYTES))
  }

  /** SETTINGS, GOAWAY. */
  noteRare(): void {
    this.add(RARE)
  }

  answered(): void {
    this.fruitless = this.fruitless < ANSWER ? 0 : this.fruitless - ANSWER
  }

  private add(weight: number): void {
    this.fruitless += weight
    if (this.fruitless <= MOST_FRUITLESS) return
    const now = performance.now()
    if (now - this.since < WITHIN_MS) throw new PeerError(ENHANCE_YOUR_CALM, "the peer sends what brings nothing")
    this.since = now
    this.fruitless = 0
  }
}
