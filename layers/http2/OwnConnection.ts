import type { TLSSocket } from "node:tls"
import { bodyOf, type Http2Failure, type Http2PoolOptions } from "../../services/ports/outbound/Http2Client.ts"
import { Deadline } from "../../services/ports/outbound/Deadline.ts"
import { CONNECTION_WINDOW, Http2Session, HEADER_LIST } from "./Http2Session.ts"
import { authorityOf, type Dial } from "./Dial.ts"
import { FrameReader } from "./FrameReader.ts"
import * as F from "./Frames.ts"
import { PeerError } from "./Frames.ts"
import { HpackEncoder } from "./HpackEncoder.ts"
import { failure, type Http2Connection, type ConnectionOwner, STALLED_MS } from "./Http2Connection.ts"
import { Output } from "./Output.ts"
import { RequestWriter } from "./RequestWriter.ts"
import type { BatchRun } from "./BatchRun.ts"
import { Keepalive } from "./Keepalive.ts"

/** Ids are used up at 2³¹: a connection makes way shortly before. */
const LAST_ID = 0x7fff_0000
/**
 * When nearly all streams of a connection are in use and what was read freed less than a 64th of them, it is not
 * read for a millisecond: the next read then brings many answers. Else both ends may wake each other for every few
 * requests, at two or three times the cost.
 */
const FEW = 64
const PAUSE_MS = 1
/** What is still read after the end, and thrown away: what a peer may have had on its way when it was told. */
const MOST_DISCARDED = CONNECTION_WINDOW
/** How long a peer has to read a GOAWAY with ENHANCE_YOUR_CALM. */
const GOAWAY_MS = 1000
/** When the process has stood still for so long over requests that it writes, their batches are asked once more. */
const STILL_MS = 100
/** Streams below which a connection is never made to wait. */
const MANY = 64

/**
 * A connection of the engine's own client: requests of many batches become frames in one write, answers are read where
 * they lie, and no request costs an object of the library, an event or a timer.
 * States: connecting (no SETTINGS yet) → open → leaving (no new streams) → closed.
 */
export class OwnConnection implements Http2Connection {
  private readonly options: Http2PoolOptions
  private readonly owner: ConnectionOwner
  private readonly socket: TLSSocket
  private readonly output: Output
  private readonly session: Http2Session
  private readonly reader: FrameReader
  private readonly writer: RequestWriter
  private readonly keepalive: Keepalive
  private readonly connectTimer: Deadline
  private state: "connecting" | "open" | "leaving" | "closed" = "connecting"
  private reason: Http2Failure = failure("closed", "the connection was closed", false)
  /** The time of the requests that go out with the next flush; 0 before the first of them. */
  private clock = 0
  /** The first of those requests that the socket has not been handed whole. */
  private unsent = 0
  /** They were dropped, and with them what they entered into the encoder's table: no others can be written. */
  private isStale = false
  /** Something was read in this turn of the event loop. */
  private turning = false
  private pause: NodeJS.Timeout | undefined
  private discarded = 0

  constructor(options: Http2PoolOptions, owner: ConnectionOwner, dial: Dial) {
    this.options = options
    this.owner = owner
    this.connectTimer = new Deadline(options.connectTimeoutMs, () =>
      this.destroy(failure("connect", "the connection did not come about in time", true))
    )
    this.socket = dial(
      options.origin,
      (problem) => (problem === undefined ? this.begin() : this.destroy(problem)),
      (bytes, length) => this.read(bytes, length)
    )
    this.output = new Output(this.socket, {
      onDrained: () => {
        // Of a peer that allows no streams it says nothing that it takes the acknowledgements of its PINGs.
        if (this.session.limit > 0) this.keepalive.took()
        this.owner.onFree(this)
      },
      isStale: () => this.looksStale()
    })
    const encoder = new HpackEncoder()
    this.writer = new RequestWriter(authorityOf(options.origin), encoder, this.output)
    this.session = new Http2Session(
      {
        onAnswer: (run, index, answer) => owner.onAnswer(this, run, index, answer),
        onFailure: (run, index, failure) => owner.onFailure(this, run, index, failure),
        onSettings: () => {
          if (this.state !== "connecting") return
          this.connectTimer.clear()
          this.state = "open"
        },
        onLeaving: (reason) => {
          this.reason = reason
          owner.onLeaving(this)
        },
        onGivenUp: () => this.touch()
      },
      this.output,
      encoder,
      options
    )
    this.reader = new FrameReader(this.session, () =>
      this.destroy(failure("protocol", "a header block had to make room for others", false), F.ENHANCE_YOUR_CALM)
    )
    this.keepalive = new Keepalive(
      {
        oldestAt: () => this.session.streams.oldest()?.openedAt,
        stuck: () =>
          this.state === "open" && this.session.streams.count === 0 && (this.session.limit === 0 || this.blocked),
        expire: (openedAt) => this.expire(openedAt),
        ping: () => {
          this.output.append(F.pingFrame(0, new Uint8Array(8), 0))
          this.output.flush()
        },
        destroy: (failure) => this.destroy(failure)
      },
      options
    )
  }

  get settled(): boolean {
    return this.state !== "connecting" && (this.session.answered || this.options.firstStreams === undefined)
  }

  get free(): number {
    const { streams } = this.session
    return this.state !== "open" || this.isStale || streams.next > LAST_ID ? 0 : Math.max(0, this.most - streams.count)
  }

  /** Streams that may be open at once. */
  private get most(): number {
    const { limit, answered } = this.session
    return answered ? limit : Math.min(limit, this.options.firstStreams ?? limit)
  }

  /**
   * Requests are written only to a socket that hands them to the kernel at once, and right after their batches were asked:
   * what lies in the process when it is stopped is written when it goes on, and others have sent it by then.
   */
  get blocked(): boolean {
    const { output, session } = this
    // What is no request goes out by itself, and in any case.
    const waits = this.clock === 0 ? output.begun > 0 : output.full
    return waits || output.queued > 0 || session.upload.blocked
  }

  get stalled(): boolean {
    const { queued, waitsSince } = this.output
    return queued > 0 && performance.now() - waitsSince >= STALLED_MS
  }

  open(run: BatchRun, index: number, askedAt: number): void {
    const { batch } = run
    const { streams, upload } = this.session
    if (this.clock === 0) {
      this.clock = askedAt
      this.unsent = streams.next
      this.keepalive.opened(this.clock)
    }
    const { writes } = this.output
    try {
      const template = this.writer.template(run)
      const path = batch.path(index)
      const headers = batch.headers(index)
      const body = batch.body(index)
      const { before, after } = template
      const length = before.length + (typeof body === "string" ? Buffer.byteLength(body) : body.length) + after.length
      const whole = upload.takesWhole(length)
      this.writer.write(template, streams.next, path, headers, length, whole ? length : 0)
      const slot = streams.open(run, index, this.clock, F.DEFAULT_WINDOW)
      if (length > 0) {
        if (whole) upload.whole(slot, body, before, after)
        else upload.begin(slot, Buffer.from(bodyOf(batch.around, body)))
      }
      // A page went out to make room for it, and at least its end lies in the next one.
      if (this.output.writes > writes) this.unsent = slot.id
    } catch (error) {
      run.die(error)
    }
  }

  flush(): boolean {
    this.output.flush()
    this.clock = 0
    this.keepalive.arm()
    return !this.isStale
  }

  takeBack(): void {
    this.session.takeBack(
      this.unsent,
      failure("closed", "the process stood still before the request was written", true)
    )
    this.owner.onLeaving(this)
  }

  cancel(run: BatchRun): void {
    const { streams } = this.session
    if (streams.count === 0) return
    // Of streams that are to be taken back the peer knows nothing.
    const isKnown = (id: number): boolean => !this.isStale || id < this.unsent
    for (const id of streams.ids((slot) => slot.run === run && isKnown(slot.id)))
      this.session.drop(streams.find(id)!, F.CANCEL)
    this.settle()
  }

  leave(): void {
    if (this.state === "connecting") return this.destroy(failure("closed", "the connection was replaced", true))
    if (this.state !== "open") return
    this.state = "leaving"
    this.settle()
  }

  destroy(reason: Http2Failure, code = F.NO_ERROR): void {
    if (this.state === "closed") return
    const { socket } = this
    if (this.state !== "connecting" && socket.writable) {
      this.output.append(F.numbersFrame(F.GOAWAY, 0, 0, code))
      this.output.flush()
      socket.end()
      // Nothing more is read of a peer that says too much: even that costs.
      if (code === F.ENHANCE_YOUR_CALM) socket.pause()
      // A peer that does not read would keep the socket for ever.
      const timeoutMs = code === F.ENHANCE_YOUR_CALM ? GOAWAY_MS : this.options.connectTimeoutMs
      setTimeout(() => socket.destroy(), timeoutMs).unref()
    } else socket.destroy()
    this.over(reason)
  }

  private begin(): void {
    const { output, socket } = this
    output.append(F.PREFACE)
    output.append(
      F.settingsFrame([
        // Answers without compression state: cheaper to read than to compress.
        [F.HEADER_TABLE_SIZE, 0],
        [F.ENABLE_PUSH, 0],
        [F.MAX_HEADER_LIST_SIZE, HEADER_LIST]
      ])
    )
    output.append(F.numbersFrame(F.WINDOW_UPDATE, 0, CONNECTION_WINDOW - F.DEFAULT_WINDOW))
    output.flush()
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.reason = failure("closed", error.code ?? error.message, false)
    })
    socket.once("close", () => this.over(this.reason))
  }

  private read(bytes: Buffer, length: number): void {
    if (this.state === "closed") {
      this.discarded += length
      if (this.discarded > MOST_DISCARDED) this.socket.destroy()
      return
    }
    try {
      this.reader.read(bytes, length)
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      return this.destroy(failure("protocol", error.message, false), error.code)
    }
    this.touch()
  }

  /**
   * A process may be stopped, or its machine asleep, between a batch's word that requests may begin and their write, for
   * longer than the batch is its own: others have sent it by then.
   */
  private looksStale(): boolean {
    if (this.clock === 0 || this.isStale) return this.clock !== 0
    if (performance.now() - this.clock < STILL_MS) return false
    const { streams } = this.session
    this.isStale = streams.ids(({ id, run }) => id >= this.unsent && !run.mayBegin).length > 0
    return this.isStale
  }

  /** Something may have changed in this turn of the event loop. */
  private touch(): void {
    if (this.turning) return
    this.turning = true
    // Peers often put each answer in a record of its own: what follows from them is done once all that came is read.
    // A microtask would not wait for that, as it runs between records.
    setImmediate(this.endTurn)
  }

  private readonly endTurn = (): void => {
    this.turning = false
    this.session.takeNote()
    this.keepalive.heard()
    this.pace()
    this.settle()
  }

  private pace(): void {
    const { most, output, session } = this
    if (this.state !== "open" || most < MANY || this.free * FEW >= most) return
    if (output.blocked || session.upload.blocked) return
    this.socket.pause()
    this.pause = setTimeout(this.endPause, PAUSE_MS)
  }

  private readonly endPause = (): void => {
    this.pause = undefined
    this.socket.resume()
  }

  /** After anything that may have ended streams: tells the pool once, however many there were. */
  private settle(): void {
    if (this.state === "closed") return
    if (this.state === "leaving" && this.session.streams.count === 0) return this.destroy(this.reason)
    if (this.free > 0 && !this.blocked) this.owner.onFree(this)
    else if (this.state === "open" && this.session.streams.next > LAST_ID) this.owner.onLeaving(this)
    this.output.flush()
    this.keepalive.arm()
  }

  private expire(openedAt: number): void {
    const { streams } = this.session
    const timeout = failure("timeout", "no answer in time", false)
    for (let slot = streams.oldest(); slot !== undefined && slot.openedAt <= openedAt; slot = streams.oldest()) {
      this.session.fail(slot, F.CANCEL, timeout)
    }
    this.settle()
  }

  private over(reason: Http2Failure): void {
    if (this.state === "closed") return
    this.state = "closed"
    this.connectTimer.clear()
    if (this.pause !== undefined) {
      clearTimeout(this.pause)
      this.endPause()
    }
    this.keepalive.stop()
    this.reader.stop()
    this.session.over(reason)
    this.owner.onClosed(this, reason)
  }
}
