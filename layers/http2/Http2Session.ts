import { MOST_INTERIMS, AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { ReceivedAnswer, type BodyText, checkTrailers, contentLength, Malformed, statusOf } from "./ReceivedAnswer.ts"
import { type AnswerOptions, Endings, hasBegun, type Listener } from "./Endings.ts"
import type { FrameHandler } from "./FrameReader.ts"
import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"
import { HeaderScanner } from "./HeaderScanner.ts"
import { type Field, HpackDecoder } from "./HpackDecoder.ts"
import type { HpackEncoder } from "./HpackEncoder.ts"
import type { Http2Failure } from "../../services/ports/outbound/Http2Client.ts"
import { failure } from "./Http2Connection.ts"
import type { Output } from "./Output.ts"
import { readSettings } from "./PeerSettings.ts"
import type { Slot } from "./Streams.ts"

/** Streams at once, however many more a peer allows. */
const MOST_STREAMS = 4096
/**
 * What the peer may send on the connection before we take note. A stream keeps the default, which needs no word. What
 * comes is taken in at once, so the windows never run out: it is `maxBody` that bounds what is held.
 */
export const CONNECTION_WINDOW = 1 << 20
/** The most that an answer's fields may amount to. */
export const HEADER_LIST = 1 << 16
/** A body's frame of fewer bytes that does not end it brings next to nothing. */
const SMALL_FRAME = 64
/** Acknowledgements that pile up while the peer does not read. */
const MOST_ACKNOWLEDGEMENTS = 1000

/** What is said on a connection: the streams under way, and what each of the peer's frames means for them. */
export class Http2Session extends Endings implements FrameHandler {
  /** Streams that the peer allows. */
  limit = MOST_STREAMS
  private readonly encoder: HpackEncoder
  private readonly decoder = new HpackDecoder(HEADER_LIST)
  private readonly scanner = new HeaderScanner(HEADER_LIST)
  private allowance = CONNECTION_WINDOW
  private acknowledgements = 0

  constructor(listener: Listener, output: Output, encoder: HpackEncoder, options: AnswerOptions) {
    super(listener, output, options)
    this.encoder = encoder
  }

  /** Takes note of what came, when half of the connection's window is used up. */
  takeNote(): void {
    if (this.allowance * 2 >= CONNECTION_WINDOW) return
    this.output.append(F.numbersFrame(F.WINDOW_UPDATE, 0, CONNECTION_WINDOW - this.allowance))
    this.allowance = CONNECTION_WINDOW
  }

  onHeaders(id: number, last: boolean, bytes: Buffer, start: number, end: number): void {
    const slot = this.streams.find(id)
    if (slot !== undefined && slot.status === 0 && this.scanner.scan(bytes, start, end, this.decoder.stateless)) {
      slot.status = this.scanner.status
      slot.expected = this.scanner.length
      if (last) this.finish(slot, bytes, start, end)
      else {
        this.streams.keepBlock(slot, bytes, start, end, this.scanner.version)
        this.hold(slot)
      }
      return
    }
    // Also for streams that are gone: the block may change the decoder's table.
    const fields = this.decoder.decode(bytes, start, end)
    if (slot === undefined) return this.stray(id, last, end - start)
    try {
      if (slot.status === 0) this.head(slot, last, fields, end - start)
      else {
        checkTrailers(fields)
        if (!last) throw new Malformed("trailers do not end the answer")
      }
    } catch (error) {
      return this.malformed(slot, error)
    }
    if (last) this.finish(slot)
    else if (slot.status !== 0) this.hold(slot)
  }

  onData(id: number, last: boolean, bytes: Buffer, start: number, end: number, flow: number): void {
    this.allowance -= flow
    if (this.allowance < 0) throw new PeerError(F.FLOW_CONTROL_ERROR, "the peer sends more than the connection takes")
    const slot = this.streams.find(id)
    if (slot === undefined) return this.stray(id, last, flow)
    slot.allowance -= flow
    if (slot.allowance < 0) return this.offence(slot, F.FLOW_CONTROL_ERROR, "the peer sends more than the stream takes")
    if (slot.status === 0) return this.offence(slot, F.PROTOCOL_ERROR, "a body comes before its header")
    if (!last && end - start < SMALL_FRAME) this.floodGuard.note()
    slot.size += end - start
    const { maxBody } = this.options
    if (last && slot.content === undefined && slot.size <= maxBody) {
      // The body lies in one chunk where it came, and is read there.
      return this.finish(slot, slot.block, 0, slot.blockLength, {
        text: () => bytes.toString("utf8", start, end)
      })
    }
    if (!(slot.content ??= new AnswerChunks(maxBody)).add(bytes, start, end)) {
      return this.fail(
        slot,
        F.CANCEL,
        failure("too_large", "the answer is larger than allowed, or comes in crumbs", false)
      )
    }
    if (last) return this.finish(slot)
    if (slot.allowance * 2 < F.DEFAULT_WINDOW) {
      this.output.append(F.numbersFrame(F.WINDOW_UPDATE, id, F.DEFAULT_WINDOW - slot.allowance))
      slot.allowance = F.DEFAULT_WINDOW
    }
    this.hold(slot)
  }

  onReset(id: number, code: number): void {
    const slot = this.streams.find(id)
    if (slot === undefined) return this.gone(id)
    if (code !== F.REFUSED_STREAM) {
      return this.conclude(slot, failure("closed", `the peer reset the stream: ${F.codeName(code)}`, false))
    }
    // What it has begun to answer, it has processed, whatever it says now.
    const refused = failure("closed", "the peer refused the stream", !hasBegun(slot))
    this.conclude(slot, refused)
    this.listener.onLeaving(refused)
  }

  onSettings(bytes: Buffer, start: number, end: number): void {
    this.floodGuard.noteRare()
    const { tableSize, streams, window } = readSettings(bytes, start, end)
    if (tableSize !== undefined) this.encoder.setLimit(tableSize)
    if (streams !== undefined) this.limit = Math.min(streams, MOST_STREAMS)
    if (window !== undefined) this.upload.setInitial(window)
    this.acknowledge(F.settingsAck())
    this.listener.onSettings()
  }

  onSettingsAck(): void {
    this.floodGuard.note()
  }

  onPing(ack: boolean, bytes: Buffer, at: number): void {
    this.floodGuard.note()
    if (!ack) this.acknowledge(F.pingFrame(F.ACK, bytes, at))
  }

  onGoaway(last: number, code: number): void {
    this.floodGuard.noteRare()
    this.lastStream = Math.min(this.lastStream, last)
    const message = `the peer is closing the connection: ${F.codeName(code)}`
    this.listener.onLeaving(failure("closed", message, false))
    this.end(
      (slot) => slot.id > last && !hasBegun(slot),
      () => failure("closed", message, true)
    )
  }

  onOther(length: number): void {
    this.floodGuard.note(length)
  }

  onWindow(id: number, increment: number): void {
    this.floodGuard.note()
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

  /** Fails the streams from this one on, of which the peer knows nothing or not all. */
  takeBack(from: number, reason: Http2Failure): void {
    this.end(
      ({ id }) => id >= from,
      () => reason
    )
  }

  private head(slot: Slot, last: boolean, fields: ReadonlyArray<Field>, length: number): void {
    const status = statusOf(fields)
    if (status < 200) {
      if (last) throw new Malformed("an interim answer ends the stream")
      this.floodGuard.note(length)
      if (++slot.interims > MOST_INTERIMS) throw new Malformed("there are too many interim answers")
      return
    }
    slot.status = status
    slot.fields = fields
    slot.expected = contentLength(fields)
  }

  /** The answer is whole. Its header section is `slot.fields`, or without these the block from `start` to `end`. */
  private finish(
    slot: Slot,
    block = slot.block,
    start = 0,
    end = slot.blockLength,
    content: BodyText | undefined = slot.content
  ): void {
    if (slot.expected !== -1 && slot.expected !== slot.size) {
      if (block !== slot.block) this.streams.keepBlock(slot, block, start, end, 0)
      return this.offence(slot, F.PROTOCOL_ERROR, "the body is not as long as announced")
    }
    this.give(slot, new ReceivedAnswer(slot.status, slot.fields, block, start, end, content))
  }

  private malformed(slot: Slot, error: unknown): void {
    if (!(error instanceof Malformed)) throw error
    this.offence(slot, F.PROTOCOL_ERROR, error.message)
  }

  private acknowledge(frame: Uint8Array): void {
    this.acknowledgements = this.output.blocked ? this.acknowledgements + 1 : 0
    if (this.acknowledgements > MOST_ACKNOWLEDGEMENTS) {
      throw new PeerError(F.ENHANCE_YOUR_CALM, "the peer asks and does not read")
    }
    this.output.append(frame)
  }
}
