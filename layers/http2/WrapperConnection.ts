import http2 from "http2-wrapper"
import type { TLSSocket } from "node:tls"
import { bodyOf, type Http2Failure, type Http2PoolOptions } from "../../services/ports/outbound/Http2Client.ts"
import { answerMemory, Holding } from "../../services/ports/outbound/AnswerMemory.ts"
import { Deadline } from "../../services/ports/outbound/Deadline.ts"
import { MOST_INTERIMS, AnswerChunks } from "../../services/ports/outbound/AnswerChunks.ts"
import { FloodGuard } from "./FloodGuard.ts"
import { authorityOf, type Dial } from "./Dial.ts"
import { assertField, assertText } from "./Field.ts"
import { PeerError } from "./Frames.ts"
import { failure, type Http2Connection, type ConnectionOwner } from "./Http2Connection.ts"
import type { BatchRun } from "./BatchRun.ts"
import { CONNECTION_BYTES } from "./Streams.ts"
import { Keepalive } from "./Keepalive.ts"
import { answerOf, hasBegun, sizeOfHeaders, type Stream, tooLarge } from "./WrapperStream.ts"

const END_STREAM = http2.constants.NGHTTP2_FLAG_END_STREAM
const REFUSED_STREAM = http2.constants.NGHTTP2_REFUSED_STREAM
/** Streams at once, however many more a peer allows. */
const MOST_STREAMS = 4096
/** Bytes of bodies that may wait for windows or the socket before no more streams are opened. */
const HIGH_WATER = 1 << 20
/** A chunk of a body of fewer bytes brings next to nothing. */
const SMALL_CHUNK = 64

/**
 * A connection by `http2-wrapper`, which is Node's own HTTP/2 session.
 * States: connecting (no SETTINGS yet) → open → leaving (no new streams) → closed.
 */
export class WrapperConnection implements Http2Connection {
  settled = false
  private readonly options: Http2PoolOptions
  private readonly owner: ConnectionOwner
  private readonly socket: TLSSocket
  private session: http2.ClientHttp2Session | undefined
  private readonly authority: string
  private readonly streams = new Map<http2.ClientHttp2Stream, Stream>()
  /** Streams that the end of the session cut off: whether they were processed is known when it has closed. */
  private readonly cut: Array<readonly [id: number, stream: Stream]> = []
  private state: "connecting" | "open" | "leaving" | "closed" = "connecting"
  private answered = false
  private readonly floodGuard = new FloodGuard()
  private unwritten = 0
  /** What unfinished answers hold. */
  private held = 0
  private lastStream = Infinity
  private reason: Http2Failure = failure("closed", "the connection was closed", false)
  private readonly keepalive: Keepalive
  private readonly connectTimer: Deadline

  constructor(options: Http2PoolOptions, owner: ConnectionOwner, dial: Dial) {
    this.options = options
    this.owner = owner
    this.authority = authorityOf(options.origin)
    this.connectTimer = new Deadline(options.connectTimeoutMs, () =>
      this.destroy(failure("connect", "the connection did not come about in time", true))
    )
    this.socket = dial(options.origin, (problem) => (problem === undefined ? this.begin() : this.destroy(problem)))
    this.keepalive = new Keepalive(
      {
        oldestAt: () => this.streams.values().next().value?.openedAt,
        stuck: () => this.state === "open" && this.streams.size === 0 && this.limit === 0,
        expire: (openedAt) => this.expire(openedAt),
        ping: () => this.session!.ping(() => this.keepalive.heard()),
        destroy: (failure) => this.destroy(failure)
      },
      options
    )
  }

  get free(): number {
    // A session may be on its way out before it says so.
    if (this.state !== "open" || this.session!.destroyed || this.session!.closed) return 0
    const first = this.answered ? Infinity : (this.options.firstStreams ?? Infinity)
    return Math.max(0, Math.min(this.limit, first) - this.streams.size)
  }

  get blocked(): boolean {
    return this.unwritten > HIGH_WATER
  }

  /** Node's session does not tell when the peer took something. */
  get stalled(): boolean {
    return false
  }

  open(run: BatchRun, index: number): void {
    const { batch } = run
    try {
      const [base, rest] = [batch.base ?? "", batch.path(index)]
      assertText(":path", base)
      assertText(":path", rest)
      const headers: http2.OutgoingHttpHeaders = {
        ":method": "POST",
        ":scheme": "https",
        ":authority": this.authority,
        ":path": base + rest
      }
      for (const [name, value] of [...batch.common, ...batch.credential, ...batch.headers(index)]) {
        assertField(name, value)
        const before = headers[name]
        headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [String(before)]), value]
      }
      const body = bodyOf(batch.around, batch.body(index))
      headers["content-length"] = Buffer.byteLength(body)
      this.request(run, index, headers, body)
    } catch (error) {
      run.die(error)
    }
  }

  flush(): boolean {
    this.keepalive.arm()
    return true
  }

  /** The library writes by itself: nothing of what was opened can be taken back. */
  takeBack(): void {}

  cancel(run: BatchRun): void {
    for (const [handle, stream] of this.streams) {
      if (stream.run !== run) continue
      this.streams.delete(handle)
      this.release(stream)
      handle.close(http2.constants.NGHTTP2_CANCEL)
    }
    this.endIfDone()
  }

  leave(): void {
    if (this.state === "connecting") return this.destroy(failure("closed", "the connection was replaced", true))
    if (this.state !== "open") return
    this.state = "leaving"
    this.endIfDone()
  }

  destroy(reason: Http2Failure): void {
    if (this.state === "closed") return
    this.reason = reason
    if (this.session === undefined) {
      this.socket.destroy()
      this.over()
    } else {
      this.session.destroy()
      // What a peer does not read would keep both for ever.
      this.socket.destroy()
    }
  }

  private begin(): void {
    const session = http2.connect(`https://${this.authority}`, {
      createConnection: () => this.socket,
      settings: { enablePush: false, maxHeaderListSize: 65_536 }
    })
    this.session = session
    session.once("remoteSettings", () => {
      this.connectTimer.clear()
      this.state = "open"
      this.settled = this.options.firstStreams === undefined
      this.keepalive.arm()
      this.owner.onFree(this)
      session.on("remoteSettings", () => this.owner.onFree(this))
    })
    session.on("ping", () => this.note())
    session.on("goaway", (code, lastStream) => {
      this.lastStream = lastStream
      if (code !== http2.constants.NGHTTP2_NO_ERROR) {
        this.reason = failure("closed", `the peer closed the connection with error ${code}`, false)
      }
      if (this.state === "open") this.owner.onLeaving(this)
    })
    session.on("error", (error: NodeJS.ErrnoException) => {
      const protocol = error.code === "ERR_HTTP2_ERROR"
      if (protocol) this.reason = failure("protocol", error.message, false)
      else if (this.state === "connecting") this.reason = failure("connect", error.code ?? error.message, true)
    })
    session.once("close", () => this.over())
  }

  /** A frame that brings nothing. */
  private note(): void {
    try {
      this.floodGuard.note()
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      this.destroy(failure("protocol", error.message, false))
    }
  }

  private get limit(): number {
    return Math.min(MOST_STREAMS, this.session!.remoteSettings.maxConcurrentStreams ?? Infinity)
  }

  private request(run: BatchRun, index: number, headers: http2.OutgoingHttpHeaders, body: Uint8Array | string): void {
    const handle = this.session!.request(headers)
    const openedAt = performance.now()
    const stream: Stream = {
      run,
      index,
      openedAt,
      headers: undefined,
      interims: 0,
      content: new AnswerChunks(this.options.maxBody),
      complete: false,
      holding: new Holding(() => this.abandon(handle, stream, tooLarge("the answer had to make room for others")))
    }
    const hold = (more: number) => {
      // What was abandoned may still be told of an answer that was read before.
      if (more <= 0 || !this.streams.has(handle)) return
      this.held += more
      answerMemory.hold(stream.holding, stream.holding.bytes + more)
      if (this.held > CONNECTION_BYTES) {
        this.abandon(handle, stream, tooLarge("the unfinished answers of the connection are too large"))
      }
    }
    let unwritten = body.length
    this.unwritten += unwritten
    const written = () => {
      this.unwritten -= unwritten
      unwritten = 0
    }
    this.keepalive.opened(openedAt)
    this.streams.set(handle, stream)
    handle.on("response", (headers, flags) => {
      this.keepalive.heard()
      stream.headers = headers
      stream.complete = (flags & END_STREAM) !== 0
      if (!stream.complete) hold(sizeOfHeaders(headers))
    })
    handle.on("headers", () => {
      this.note()
      if (++stream.interims > MOST_INTERIMS) {
        this.abandon(handle, stream, failure("protocol", "there are too many interim answers", false))
      }
    })
    handle.on("trailers", (_, flags) => {
      stream.complete = (flags & END_STREAM) !== 0
    })
    handle.on("data", (chunk: Buffer) => {
      this.keepalive.heard()
      if (chunk.length < SMALL_CHUNK) this.note()
      if (!this.streams.has(handle)) return
      const had = stream.content.held
      if (!stream.content.add(chunk)) {
        this.abandon(handle, stream, tooLarge("the answer is larger than allowed, or comes in crumbs"))
      } else hold(stream.content.held - had)
    })
    // Node ends the body of an answer that was reset too; what the peer ended itself is not closed by then.
    handle.once("end", () => {
      stream.complete ||= !handle.closed || Number(stream.headers?.["content-length"]) === stream.content.size
    })
    handle.once("finish", () => {
      written()
      this.owner.onFree(this)
    })
    // The reason stands in rstCode.
    handle.on("error", () => {})
    handle.once("close", () => {
      written()
      this.closed(handle, stream)
    })
    handle.end(body)
  }

  private closed(handle: http2.ClientHttp2Stream, stream: Stream): void {
    if (!this.streams.delete(handle)) return
    this.release(stream)
    const refused = handle.rstCode === REFUSED_STREAM
    if (stream.headers !== undefined && stream.complete && handle.rstCode === 0 && !this.session!.destroyed) {
      this.give(stream, stream.headers, stream.content.text())
    } else if (refused) {
      if (this.state === "open") this.owner.onLeaving(this)
      // What the peer has begun to answer, it has processed, whatever it says now.
      this.conclude(stream, failure("closed", "the peer refused the stream", !hasBegun(stream)))
    } else if (this.session!.destroyed) {
      this.cut.push([handle.id ?? Infinity, stream])
    } else {
      const message = `the stream ended without an answer (error ${handle.rstCode})`
      this.conclude(stream, failure("closed", message, false))
    }
    this.owner.onFree(this)
    this.keepalive.arm()
    this.endIfDone()
  }

  private give(stream: Stream, headers: http2.IncomingHttpHeaders, body: string): void {
    this.answered = this.settled = true
    this.floodGuard.answered()
    this.owner.onAnswer(this, stream.run, stream.index, answerOf(headers, body))
  }

  /** The stream is over and its answer is not whole: the status may be enough, else the request fails. */
  private conclude(stream: Stream, reason: Http2Failure): void {
    const { headers } = stream
    if (headers !== undefined && this.options.isEnough?.(Number(headers[":status"])) === true) {
      this.give(stream, headers, "")
    } else this.owner.onFailure(this, stream.run, stream.index, reason)
  }

  private abandon(handle: http2.ClientHttp2Stream, stream: Stream, failure: Http2Failure): void {
    if (!this.streams.delete(handle)) return
    this.release(stream)
    handle.close(http2.constants.NGHTTP2_CANCEL)
    this.conclude(stream, failure)
    this.owner.onFree(this)
    this.endIfDone()
  }

  private release({ holding }: Stream): void {
    this.held -= holding.bytes
    answerMemory.release(holding)
  }

  private endIfDone(): void {
    if (this.state === "leaving" && this.streams.size === 0) this.session?.close()
  }

  private expire(openedAt: number): void {
    for (const [handle, stream] of this.streams) {
      if (stream.openedAt > openedAt) break
      this.abandon(handle, stream, failure("timeout", "no answer in time", false))
    }
  }

  private over(): void {
    if (this.state === "closed") return
    this.state = "closed"
    this.connectTimer.clear()
    this.keepalive.stop()
    for (const [handle, stream] of this.streams) {
      this.release(stream)
      this.cut.push([handle.id ?? Infinity, stream])
    }
    this.streams.clear()
    for (const [id, stream] of this.cut.splice(0)) {
      this.conclude(stream, { ...this.reason, unprocessed: id > this.lastStream && !hasBegun(stream) })
    }
    this.owner.onClosed(this, this.reason)
  }
}
