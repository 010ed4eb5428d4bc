import type { Http2Answer, Http2Failure, Http2PoolOptions } from "../../services/ports/outbound/Http2Client.ts"
import { ReceivedAnswer } from "./ReceivedAnswer.ts"
import { FloodGuard } from "./FloodGuard.ts"
import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"
import { failure } from "./Http2Connection.ts"
import type { Output } from "./Output.ts"
import type { BatchRun } from "./BatchRun.ts"
import { type Slot, Streams } from "./Streams.ts"
import { Upload } from "./Upload.ts"

/** What a session tells its connection. */
export interface Listener {
  readonly onAnswer: (run: BatchRun, index: number, answer: Http2Answer) => void
  readonly onFailure: (run: BatchRun, index: number, failure: Http2Failure) => void
  /** The peer's SETTINGS have come: it is there, and its limits are known. */
  readonly onSettings: () => void
  /** The connection takes no more requests. */
  readonly onLeaving: (reason: Http2Failure) => void
  /** A stream ended although nothing was read: its answer had to make room for others. */
  readonly onGivenUp: () => void
}

/** How much of an answer is kept, and how much of it must come. */
export type AnswerOptions = Pick<Http2PoolOptions, "maxBody" | "isEnough">

/** Streams that were reset and of which the peer may still speak. */
const MOST_RESETS = 1 << 16

/** How the streams of a connection end: with an answer, with as much of one as is needed, or with a failure. */
export class Endings {
  readonly streams = new Streams((slot) => {
    this.fail(slot, F.CANCEL, failure("too_large", "the answer had to make room for others", false))
    this.listener.onGivenUp()
  })
  readonly upload: Upload
  /** Streams above it the peer has not processed. */
  lastStream = Infinity
  answered = false
  protected readonly listener: Listener
  protected readonly output: Output
  protected readonly options: AnswerOptions
  protected readonly floodGuard = new FloodGuard()
  private readonly resets = new Set<number>()

  constructor(listener: Listener, output: Output, options: AnswerOptions) {
    this.listener = listener
    this.output = output
    this.options = options
    this.upload = new Upload(output)
  }

  /** Resets a stream whose answer does not come to its end. */
  fail(slot: Slot, code: number, failure: Http2Failure): void {
    this.reset(slot, code)
    this.conclude(slot, failure)
  }

  /** Resets a stream; nobody is told. */
  drop(slot: Slot, code: number): void {
    this.reset(slot, code)
    this.forget(slot)
  }

  /** Ends the streams that `wanted` picks, which nobody resets. */
  protected end(wanted: (slot: Slot) => boolean, reason: (id: number) => Http2Failure): void {
    for (const id of this.streams.ids(wanted)) {
      // The call for another may have ended this one.
      const slot = this.streams.find(id)
      if (slot !== undefined) this.conclude(slot, reason(id))
    }
  }

  /** The connection has ended, and all streams with it. */
  over(reason: Http2Failure): void {
    this.end(hasBegun, () => ({ ...reason, unprocessed: false }))
    this.end(
      () => true,
      (id) => ({ ...reason, unprocessed: id > this.lastStream })
    )
    this.streams.dispose()
  }

  /** The stream is over and its answer is not whole: the status may be enough, else the request fails. */
  protected conclude(slot: Slot, reason: Http2Failure): void {
    const { run, index, status } = slot
    if (status !== 0 && this.options.isEnough?.(status) === true) {
      return this.give(slot, new ReceivedAnswer(status, slot.fields, slot.block, 0, slot.blockLength, undefined))
    }
    this.forget(slot)
    this.listener.onFailure(run, index, reason)
  }

  protected give(slot: Slot, answer: ReceivedAnswer): void {
    const { run, index } = slot
    // An answer may come before the whole request is written; the rest of it is then of no use.
    if (slot.rest !== undefined) this.output.append(F.numbersFrame(F.RST_STREAM, slot.id, F.NO_ERROR))
    this.forget(slot)
    this.answered = true
    this.floodGuard.answered()
    this.listener.onAnswer(run, index, answer)
  }

  /** Counts what the unfinished answer holds. */
  protected hold(slot: Slot): void {
    if (!this.streams.hold(slot) && slot.id !== 0) {
      this.fail(slot, F.CANCEL, failure("too_large", "the unfinished answers of the connection are too large", false))
    }
  }

  private reset(slot: Slot, code: number): void {
    this.output.append(F.numbersFrame(F.RST_STREAM, slot.id, code))
    this.resets.add(slot.id)
    if (this.resets.size > MOST_RESETS) this.resets.delete(this.resets.values().next().value!)
    if (slot.rest !== undefined) this.upload.forget(slot)
    slot.rest = undefined
  }

  /** The peer breaks a rule on one stream: that one fails, and the connection takes no more requests. */
  protected offence(slot: Slot, code: number, message: string): void {
    const reason = failure("protocol", message, false)
    this.listener.onLeaving(reason)
    this.fail(slot, code, reason)
  }

  /** HEADERS or DATA of a stream that is not open: an offence, unless we reset it and the peer cannot know yet. */
  protected stray(id: number, last: boolean, length: number): void {
    this.floodGuard.note(length)
    if (!this.resets.has(id)) {
      this.gone(id)
      throw new PeerError(F.STREAM_CLOSED, "the peer speaks on a stream that is over")
    }
    if (last) this.resets.delete(id)
  }

  /** What the peer may say on a stream that is over, it may not say on one that never was. */
  protected gone(id: number): void {
    this.floodGuard.note()
    if (id >= this.streams.next || id % 2 === 0) throw new PeerError(F.PROTOCOL_ERROR, "the stream is idle")
  }

  protected forget(slot: Slot): void {
    if (slot.rest !== undefined) this.upload.forget(slot)
    this.streams.close(slot)
  }
}

/** The peer has begun to answer, so that the request was processed. */
export const hasBegun = ({ status, interims }: Slot): boolean => status !== 0 || interims > 0
