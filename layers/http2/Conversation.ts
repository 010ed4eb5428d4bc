import type { Http2Answer, Http2Failure } from "../../services/ports/Http2Client.ts"
import { Answer, checkTrailers, contentLength, Malformed, statusOf } from "./Answer.ts"
import type { FrameHandler } from "./FrameReader.ts"
import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"
import { Glance } from "./Glance.ts"
import { type Field, HpackDecoder } from "./HpackDecoder.ts"
import type { HpackEncoder } from "./HpackEncoder.ts"
import { failure } from "./Link.ts"
import type { Output } from "./Output.ts"
import type { Run } from "./Run.ts"
import { type Slot, Streams } from "./Streams.ts"
import { Upload } from "./Upload.ts"

/** What a conversation tells its connection. */
export interface Listener {
  readonly onAnswer: (run: Run, index: number, answer: Http2Answer) => void
  readonly onFailure: (run: Run, index: number, failure: Http2Failure) => void
  /** The peer's SETTINGS have come: it is there, and its limits are known. */
  readonly onSettings: () => void
  /** The connection takes no more requests. */
  readonly onLeaving: (reason: Http2Failure) => void
}

/** Streams at once, however many more a peer allows. */
const MOST_STREAMS = 4096
/**
 * What the peer may send on the connection before we take note. A stream keeps the default, which needs no word. What
 * comes is taken in at once, so the windows never run out: it is `maxBody` that bounds what is held.
 */
export const CONNECTION_WINDOW = 1 << 20
/** The most that an answer's fields may amount to. */
export const HEADER_LIST = 1 << 16
/** Streams that were reset and of which the peer may still speak. */
const MOST_RESETS = 1 << 16
/** Acknowledgements that pile up while the peer does not read. */
const MOST_ACKNOWLEDGEMENTS = 1000

/** What is said on a connection: the streams under way, and what each of the peer's frames means for them. */
export class Conversation implements FrameHandler {
  readonly streams = new Streams()
  readonly upload: Upload
  /** Streams that the peer allows. */
  limit = MOST_STREAMS
  /** Streams above it the peer has not processed. */
  lastStream = Infinity
  answered = false
  private readonly listener: Listener
  private readonly output: Output
  private readonly encoder: HpackEncoder
  private readonly decoder = new HpackDecoder(HEADER_LIST)
  private readonly glance = new Glance(HEADER_LIST)
  private readonly maxBody: number
  private readonly resets = new Set<number>()
  private allowance = CONNECTION_WINDOW
  private acknowledgements = 0

  constructor(listener: Listener, output: Output, encoder: HpackEncoder, maxBody: number) {
    this.listener = listener
    this.output = output
    this.encoder = encoder
    this.maxBody = maxBody
    this.upload = new Upload(output)
  }

  /** Takes note of what came, when half of the connection's window is used up. */
  takeNote(): void {
    if (this.allowance * 2 >= CONNECTION_WINDOW) return
    this.output.append(F.numbersFrame(F.WINDOW_UPDATE, 0, CONNECTION_WINDOW - this.allowance))
    this.allowance = CONNECTION_WINDOW
  }

  /** Resets a stream and fails its request. */
  fail(slot: Slot, code: number, failure: Http2Failure): void {
    const { run, index } = slot
    this.drop(slot, code)
    this.listener.onFailure(run, index, failure)
  }

  /** Resets a stream; nobody is told. */
  drop(slot: Slot, code: number): void {
    this.output.append(F.numbersFrame(F.RST_STREAM, slot.id, code))
    this.resets.add(slot.id)
    if (this.resets.size > MOST_RESETS) this.resets.delete(this.resets.values().next().value!)
    this.forget(slot)
  }

  /** Fails the streams that `wanted` picks, which nobody resets. */
  end(wanted: (slot: Slot) => boolean, reason: (id: number) => Http2Failure): void {
    for (const id of this.streams.ids(wanted)) {
      // The call for another may have ended this one.
      const slot = this.streams.find(id)
      if (slot === undefined) continue
      const { run, index } = slot
      this.forget(slot)
      this.listener.onFailure(run, index, reason(id))
    }
  }

  onHeaders(id: number, last: boolean, bytes: Buffer, start: number, end: number): void {
    const slot = this.streams.find(id)
    if (slot !== undefined && slot.status === 0 && this.decoder.stateless && this.glance.at(bytes, start, end)) {
      slot.status = this.glance.status
      slot.expected = this.glance.length
      if (last) this.finish(slot, bytes, start, end)
      else keepBlock(slot, bytes, start, end, this.glance.version)
      return
    }
    // Also for streams that are gone: the block may change the decoder's table.
    const fields = this.decoder.decode(bytes, start, end)
    if (slot === undefined) return this.stray(id, last)
    try {
      if (slot.status === 0) this.head(slot, last, fields)
      else {
        checkTrailers(fields)
        if (!last) throw new Malformed("trailers do not end the answer")
      }
    } catch (error) {
      return this.malformed(slot, error)
    }
    if (last) this.finish(slot)
  }

  onData(id: number, last: boolean, bytes: Buffer, start: number, end: number, flow: number): void {
    this.allowance -= flow
    const slot = this.streams.find(id)
    if (slot === undefined) return this.stray(id, last)
    slot.allowance -= flow
    if (slot.status === 0) return this.offence(slot, F.PROTOCOL_ERROR, "a body comes before its header")
    if (end > start) {
      slot.size += end - start
      if (slot.size > this.maxBody) {
        return this.fail(slot, F.CANCEL, failure("too_large", "the answer is larger than allowed", false))
      }
      const piece = Buffer.from(bytes.subarray(start, end))
      if (slot.chunks === undefined) slot.chunks = [piece]
      else slot.chunks.push(piece)
    }
    if (last) this.finish(slot)
    else if (slot.allowance * 2 < F.DEFAULT_WINDOW) {
      this.output.append(F.numbersFrame(F.WINDOW_UPDATE, id, F.DEFAULT_WINDOW - slot.allowance))
      slot.allowance = F.DEFAULT_WINDOW
    }
  }

  onReset(id: number, code: number): void {
    const slot = this.streams.find(id)
    if (slot === undefined) return this.gone(id)
    const { run, index } = slot
    this.forget(slot)
    if (code !== F.REFUSED_STREAM) {
      const message = `the peer reset the stream: ${F.codeName(code)}`
      return this.listener.onFailure(run, index, failure("closed", message, false))
    }
    const refused = failure("closed", "the peer refused the stream", true)
    this.listener.onFailure(run, index, refused)
    this.listener.onLeaving(refused)
  }

  onSettings(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end; at += 6) {
      const value = F.readUint32(bytes, at + 2)
      switch ((bytes[at]! << 8) | bytes[at + 1]!) {
        case F.HEADER_TABLE_SIZE:
          this.encoder.setLimit(value)
          break
        case F.ENABLE_PUSH:
          if (value !== 0) throw new PeerError(F.PROTOCOL_ERROR, "a server announces that it takes pushes")
          break
        case F.MAX_CONCURRENT_STREAMS:
          this.limit = Math.min(value, MOST_STREAMS)
          break
        case F.INITIAL_WINDOW_SIZE:
          this.upload.setInitial(value)
          break
        case F.MAX_FRAME_SIZE:
          if (value < F.FRAME_MAX || value > 0xff_ffff) {
            throw new PeerError(F.PROTOCOL_ERROR, "the peer's frame size is out of bounds")
          }
          break
      }
    }
    this.acknowledge(F.settingsAck())
    this.listener.onSettings()
  }

  onSettingsAck(): void {
    this.decoder.setLimit(0)
  }

  onPing(ack: boolean, bytes: Buffer, at: number): void {
    if (!ack) this.acknowledge(F.pingFrame(F.ACK, bytes, at))
  }

  onGoaway(last: number, code: number): void {
    this.lastStream = Math.min(this.lastStream, last)
    const message = `the peer is closing the connection: ${F.codeName(code)}`
    this.listener.onLeaving(failure("closed", message, false))
    this.end(
      (slot) => slot.id > last,
      () => failure("closed", message, true)
    )
  }

  onWindow(id: number, increment: number): void {
    if (id === 0) {
      if (increment === 0) throw new PeerError(F.PROTOCOL_ERROR, "a window grows by nothing")
      return this.upload.widen(increment)
    }
    const slot = this.streams.find(id)
    // The peer may still be taking note of a request whose answer is complete.
    if (slot === undefined) return this.gone(id)
    if (increment === 0) return this.offence(slot, F.PROTOCOL_ERROR, "a window grows by nothing")
    if (!this.upload.widenStream(slot, increment)) {
      this.offence(slot, F.FLOW_CONTROL_ERROR, "a stream's window is too large")
    }
  }

  private head(slot: Slot, last: boolean, fields: ReadonlyArray<Field>): void {
    const status = statusOf(fields)
    if (status < 200) {
      if (last) throw new Malformed("an interim answer ends the stream")
      return
    }
    slot.status = status
    slot.fields = fields
    slot.expected = contentLength(fields)
  }

  /** The answer is whole. Its header section is `slot.fields`, or without these the block from `start` to `end`. */
  private finish(slot: Slot, block = slot.block, start = 0, end = slot.blockLength): void {
    if (slot.expected !== -1 && slot.expected !== slot.size) {
      return this.offence(slot, F.PROTOCOL_ERROR, "the body is not as long as announced")
    }
    const answer = new Answer(slot.status, slot.fields, block, start, end, slot.chunks)
    const { run, index } = slot
    // An answer may come before the whole request is written; the rest of it is then of no use.
    if (slot.rest !== undefined) this.output.append(F.numbersFrame(F.RST_STREAM, slot.id, F.NO_ERROR))
    this.forget(slot)
    this.answered = true
    this.listener.onAnswer(run, index, answer)
  }

  private malformed(slot: Slot, error: unknown): void {
    if (!(error instanceof Malformed)) throw error
    this.offence(slot, F.PROTOCOL_ERROR, error.message)
  }

  /** The peer breaks a rule on one stream: that one fails, and the connection takes no more requests. */
  private offence(slot: Slot, code: number, message: string): void {
    const reason = failure("protocol", message, false)
    this.listener.onLeaving(reason)
    this.fail(slot, code, reason)
  }

  /** HEADERS or DATA of a stream that is not open: an offence, unless we reset it and the peer cannot know yet. */
  private stray(id: number, last: boolean): void {
    if (!this.resets.has(id)) {
      this.gone(id)
      throw new PeerError(F.STREAM_CLOSED, "the peer speaks on a stream that is over")
    }
    if (last) this.resets.delete(id)
  }

  /** What the peer may say on a stream that is over, it may not say on one that never was. */
  private gone(id: number): void {
    if (id >= this.streams.next || id % 2 === 0) throw new PeerError(F.PROTOCOL_ERROR, "the stream is idle")
  }

  private acknowledge(frame: Uint8Array): void {
    this.acknowledgements = this.output.blocked ? this.acknowledgements + 1 : 0
    if (this.acknowledgements > MOST_ACKNOWLEDGEMENTS) {
      throw new PeerError(F.ENHANCE_YOUR_CALM, "the peer asks and does not read")
    }
    this.output.append(frame)
  }

  private forget(slot: Slot): void {
    if (slot.rest !== undefined) this.upload.forget(slot)
    this.streams.close(slot)
  }
}

/**
 * Copies a header block whose answer goes on: what it lies in is written over by what comes next. One with the version of
 * the slot's last one is there already.
 */
const keepBlock = (slot: Slot, bytes: Buffer, start: number, end: number, version: number): void => {
  if (version !== 0 && slot.blockVersion === version) return
  const length = end - start
  if (slot.block.length < length) slot.block = Buffer.allocUnsafeSlow(Math.max(length, 128))
  bytes.copy(slot.block, 0, start, end)
  slot.blockLength = length
  slot.blockVersion = version
}
