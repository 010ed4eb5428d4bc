import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"
import type { Output } from "./Output.ts"
import type { Slot } from "./Streams.ts"
import { put } from "./HeaderBytes.ts"

/**
 * Writes the bodies of requests, as far as the peer's windows allow (RFC 9113, 5.2). Frames stay at the size that every
 * peer takes: larger ones would gain nothing.
 */
export class Upload {
  private readonly output: Output
  private window = F.DEFAULT_WINDOW
  private initial = F.DEFAULT_WINDOW
  /** Bodies that wait for their own stream's window, and those that wait for the connection's alone, by stream. */
  private readonly stalled = new Map<number, Slot>()
  private readonly ready = new Map<number, Slot>()

  constructor(output: Output) {
    this.output = output
  }

  /** The connection's window is used up: more streams would only wait with their bodies in memory. */
  get blocked(): boolean {
    return this.window <= 0 && this.ready.size + this.stalled.size > 0
  }

  /** Whether a body of so many bytes can be written at once. */
  takesWhole(bytes: number): boolean {
    return bytes <= this.window && bytes <= this.initial && bytes <= F.FRAME_MAX
  }

  /** Writes a body that `takesWhole` allowed, between what all bodies of its batch share, where room was made for it. */
  whole(slot: Slot, body: Uint8Array | string, before: Uint8Array, after: Uint8Array): void {
    const { output } = this
    const { bytes } = output
    const start = output.at + F.FRAME_HEADER
    let at = put(bytes, start, before)
    at = typeof body === "string" ? at + bytes.write(body, at, "utf8") : put(bytes, at, body)
    at = put(bytes, at, after)
    const length = at - start
    F.frameHeader(bytes, output.at, length, F.DATA, F.END_STREAM, slot.id)
    output.at = at
    this.window -= length
    slot.credit -= length
  }

  /** Writes what the windows allow of a body, and the rest as they open. */
  begin(slot: Slot, body: Uint8Array): void {
    slot.rest = body
    slot.offset = 0
    this.push(slot)
  }

  /** Must be called for a stream that ends with bytes left. */
  forget(slot: Slot): void {
    this.stalled.delete(slot.id)
    this.ready.delete(slot.id)
  }

  /** The peer's WINDOW_UPDATE for the connection. */
  widen(increment: number): void {
    this.window += increment
    if (this.window > F.WINDOW_MAX) throw new PeerError(F.FLOW_CONTROL_ERROR, "the connection's window is too large")
    this.resume()
  }

  /** The peer's WINDOW_UPDATE for a stream. False: the window became too large. */
  widenStream(slot: Slot, increment: number): boolean {
    slot.credit += increment
    if (this.initial + slot.credit > F.WINDOW_MAX) return false
    if (slot.rest !== undefined && this.stalled.has(slot.id)) this.push(slot)
    return true
  }

  /**
   * The peer's SETTINGS_INITIAL_WINDOW_SIZE, which also moves the windows of open streams: the only thing that makes
   * all bodies that wait be looked at.
   */
  setInitial(size: number): void {
    if (size === this.initial) return
    this.initial = size
    for (const waiting of [this.stalled, this.ready]) {
      for (const slot of waiting.values()) {
        if (size + slot.credit > F.WINDOW_MAX) throw new PeerError(F.FLOW_CONTROL_ERROR, "a window became too large")
      }
    }
    for (const slot of this.stalled.values()) if (size + slot.credit > 0) this.push(slot)
  }

  /** Goes on with what waits for the connection's window alone, as long as there is any. */
  private resume(): void {
    for (const slot of this.ready.values()) {
      if (this.window <= 0) return
      this.push(slot)
    }
  }

  /** Writes what may be written; what is left waits where it can go on without being looked at before. */
  private push(slot: Slot): void {
    const { output } = this
    const body = slot.rest!
    while (slot.offset < body.length) {
      const own = this.initial + slot.credit
      const length = Math.min(body.length - slot.offset, this.window, own, F.FRAME_MAX)
      if (length <= 0) return this.wait(slot, own > 0)
      output.reserve(F.FRAME_HEADER + length)
      const last = slot.offset + length === body.length
      const at = F.frameHeader(output.bytes, output.at, length, F.DATA, last ? F.END_STREAM : 0, slot.id)
      output.bytes.set(body.subarray(slot.offset, slot.offset + length), at)
      output.at = at + length
      slot.offset += length
      slot.credit -= length
      this.window -= length
    }
    slot.rest = undefined
    this.forget(slot)
  }

  private wait(slot: Slot, isReady: boolean): void {
    const [to, from] = isReady ? [this.ready, this.stalled] : [this.stalled, this.ready]
    from.delete(slot.id)
    to.set(slot.id, slot)
  }
}
