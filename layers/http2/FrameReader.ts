import { AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { answerMemory, Holding } from "../../services/ports/outbound/AnswerMemory.ts"
import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"

/** What frames say, once their form is right. Bytes are written over after the call: what is kept must be copied. */
export interface FrameHandler {
  readonly onHeaders: (id: number, last: boolean, bytes: Buffer, start: number, end: number) => void
  /** `flow`: what the frame counts for in the windows, padding included. */
  readonly onData: (id: number, last: boolean, bytes: Buffer, start: number, end: number, flow: number) => void
  readonly onReset: (id: number, code: number) => void
  readonly onSettings: (bytes: Buffer, start: number, end: number) => void
  readonly onSettingsAck: () => void
  readonly onPing: (ack: boolean, bytes: Buffer, at: number) => void
  readonly onGoaway: (last: number, code: number) => void
  /** Stream 0 is the connection. */
  readonly onWindow: (id: number, increment: number) => void
  /** A frame that says nothing here, with so many bytes of payload: PRIORITY, CONTINUATION, unknown types. */
  readonly onOther: (length: number) => void
}

/** A header block in several frames: so many bytes and so many frames, or the peer is up to no good. */
const BLOCK_BYTES = 1 << 16
const BLOCK_FRAMES = 64

/**
 * Takes the peer's bytes in whatever chunks they come, and hands on its frames. Frames that lie whole in a chunk are
 * read where they are. Throws a PeerError at whatever RFC 9113 forbids; nothing is to be read after that.
 */
export class FrameReader {
  private readonly handler: FrameHandler
  /** A frame that has not come whole. */
  private readonly part = Buffer.allocUnsafeSlow(F.FRAME_HEADER + F.FRAME_MAX)
  private have = 0
  /** A header block that waits for CONTINUATION. */
  private block: { readonly id: number; readonly last: boolean; readonly bytes: AnswerChunks } | undefined
  /** What that block holds. */
  private readonly holding: Holding
  private greeted = false
  private stopped = false

  /** `giveUp` ends the connection: an unfinished header block has to make room for other answers. */
  constructor(handler: FrameHandler, giveUp: () => void) {
    this.handler = handler
    this.holding = new Holding(giveUp)
  }

  /** Nothing more is handed on, not even what was read already. */
  stop(): void {
    this.stopped = true
    this.block = undefined
    answerMemory.release(this.holding)
  }

  /** Takes the first `length` bytes of a chunk. */
  read(chunk: Buffer, length = chunk.length): void {
    let at = 0
    while (this.have > 0 && at < length && !this.stopped) at = this.complete(chunk, at, length)
    while (!this.stopped) {
      const left = length - at
      const whole = left < F.FRAME_HEADER ? Infinity : F.FRAME_HEADER + frameLength(chunk, at)
      if (left < whole) {
        if (left > 0) this.have = chunk.copy(this.part, 0, at, length)
        return
      }
      this.frame(chunk, at, at + whole)
      at += whole
    }
  }

  /** Adds to the frame that has begun, and hands it on when it is whole. */
  private complete(chunk: Buffer, at: number, length: number): number {
    const want = this.have < F.FRAME_HEADER ? F.FRAME_HEADER : F.FRAME_HEADER + frameLength(this.part, 0)
    const added = chunk.copy(this.part, this.have, at, Math.min(length, at + want - this.have))
    this.have += added
    if (this.have >= F.FRAME_HEADER && this.have === F.FRAME_HEADER + frameLength(this.part, 0)) {
      const end = this.have
      this.have = 0
      this.frame(this.part, 0, end)
    }
    return at + added
  }

  private frame(bytes: Buffer, from: number, end: number): void {
    const type = bytes[from + 3]!
    const flags = bytes[from + 4]!
    const id = F.readUint32(bytes, from + 5) & F.WINDOW_MAX
    const start = from + F.FRAME_HEADER
    if (this.block !== undefined && (type !== F.CONTINUATION || id !== this.block.id)) {
      throw new PeerError(F.PROTOCOL_ERROR, "a header block was interrupted")
    }
    if (!this.greeted) {
      if (type !== F.SETTINGS || (flags & F.ACK) !== 0) {
        throw new PeerError(F.PROTOCOL_ERROR, "the peer did not begin with SETTINGS")
      }
      this.greeted = true
    }
    switch (type) {
      case F.HEADERS:
        return this.headers(bytes, start, end, flags, id)
      case F.DATA:
        return this.data(bytes, start, end, flags, id)
      case F.RST_STREAM:
        onStream(id, "RST_STREAM")
        sized(end - start === 4, "RST_STREAM")
        return this.handler.onReset(id, F.readUint32(bytes, start))
      case F.WINDOW_UPDATE:
        sized(end - start === 4, "WINDOW_UPDATE")
        return this.handler.onWindow(id, F.readUint32(bytes, start) & F.WINDOW_MAX)
      case F.SETTINGS:
        onConnection(id, "SETTINGS")
        if ((flags & F.ACK) === 0) {
          sized((end - start) % 6 === 0, "SETTINGS")
          return this.handler.onSettings(bytes, start, end)
        }
        sized(end === start, "acknowledgement of SETTINGS")
        return this.handler.onSettingsAck()
      case F.PING:
        onConnection(id, "PING")
        sized(end - start === 8, "PING")
        return this.handler.onPing((flags & F.ACK) !== 0, bytes, start)
      case F.GOAWAY:
        onConnection(id, "GOAWAY")
        sized(end - start >= 8, "GOAWAY")
        return this.handler.onGoaway(F.readUint32(bytes, start) & F.WINDOW_MAX, F.readUint32(bytes, start + 4))
      case F.PRIORITY:
        onStream(id, "PRIORITY")
        sized(end - start === 5, "PRIORITY")
        return this.handler.onOther(end - start)
      case F.PUSH_PROMISE:
        throw new PeerError(F.PROTOCOL_ERROR, "the peer pushes although it may not")
      case F.CONTINUATION:
        return this.continuation(bytes, start, end, flags)
    }
    // Frames of unknown types are to be ignored.
    this.handler.onOther(end - start)
  }

  private headers(bytes: Buffer, start: number, end: number, flags: number, id: number): void {
    onStream(id, "HEADERS")
    if ((flags & F.PADDED) !== 0) {
      end = unpad(bytes, start, end)
      start++
    }
    if ((flags & F.PRIORITISED) !== 0) start += 5
    if (start > end) throw new PeerError(F.FRAME_SIZE_ERROR, "HEADERS is too short for its flags")
    const last = (flags & F.END_STREAM) !== 0
    if ((flags & F.END_HEADERS) !== 0) return this.handler.onHeaders(id, last, bytes, start, end)
    this.block = { id, last, bytes: new AnswerChunks(BLOCK_BYTES) }
    this.chunk(this.block.bytes, bytes, start, end)
  }

  private continuation(bytes: Buffer, start: number, end: number, flags: number): void {
    const { block } = this
    if (block === undefined) throw new PeerError(F.PROTOCOL_ERROR, "CONTINUATION continues nothing")
    this.handler.onOther(end - start)
    this.chunk(block.bytes, bytes, start, end)
    if (this.stopped || (flags & F.END_HEADERS) === 0) return
    this.block = undefined
    answerMemory.release(this.holding)
    const { buffer, byteOffset, length } = block.bytes.bytes()
    this.handler.onHeaders(block.id, block.last, Buffer.from(buffer, byteOffset, length), 0, length)
  }

  private chunk(block: AnswerChunks, bytes: Buffer, start: number, end: number): void {
    if (!block.add(bytes, start, end) || block.chunks > BLOCK_FRAMES) {
      throw new PeerError(F.ENHANCE_YOUR_CALM, "a header block does not end")
    }
    if (block.held > 0) answerMemory.hold(this.holding, block.held)
  }

  private data(bytes: Buffer, start: number, end: number, flags: number, id: number): void {
    onStream(id, "DATA")
    const flow = end - start
    if ((flags & F.PADDED) !== 0) {
      end = unpad(bytes, start, end)
      start++
    }
    this.handler.onData(id, (flags & F.END_STREAM) !== 0, bytes, start, end, flow)
  }
}

const frameLength = (bytes: Buffer, at: number): number => {
  const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
  if (length > F.FRAME_MAX) throw new PeerError(F.FRAME_SIZE_ERROR, "a frame is larger than allowed")
  return length
}

/** Where a padded payload ends; its first byte says how much padding there is. */
const unpad = (bytes: Buffer, start: number, end: number): number => {
  if (start === end) throw new PeerError(F.FRAME_SIZE_ERROR, "a padded frame is empty")
  const padding = bytes[start]!
  if (padding >= end - start) throw new PeerError(F.PROTOCOL_ERROR, "a frame holds more padding than it has room for")
  return end - padding
}

const onStream = (id: number, what: string): void => {
  if (id === 0) throw new PeerError(F.PROTOCOL_ERROR, `${what} belongs to a stream`)
}

const onConnection = (id: number, what: string): void => {
  if (id !== 0) throw new PeerError(F.PROTOCOL_ERROR, `${what} belongs to the connection`)
}

const sized = (right: boolean, what: string): void => {
  if (!right) throw new PeerError(F.FRAME_SIZE_ERROR, `${what} has a wrong size`)
}
