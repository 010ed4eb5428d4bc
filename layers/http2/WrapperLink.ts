import http2 from "http2-wrapper"
import type { TLSSocket } from "node:tls"
import type { Http2Answer, Http2Failure, Http2PoolOptions } from "../../services/ports/Http2Client.ts"
import { authorityOf, type Dial } from "./Dial.ts"
import { failure, type Link, type LinkOwner } from "./Link.ts"
import type { Run } from "./Run.ts"

/** A request on the wire. */
interface Stream {
  readonly run: Run
  readonly index: number
  readonly deadline: number
  headers: http2.IncomingHttpHeaders | undefined
  readonly chunks: Array<Buffer>
  size: number
  complete: boolean
}

const REFUSED_STREAM = http2.constants.NGHTTP2_REFUSED_STREAM
/** Bytes that may wait in the socket before no more streams are opened. */
const HIGH_WATER = 1 << 20

/**
 * A connection by `http2-wrapper`, which is Node's own HTTP/2 session.
 * States: connecting (no SETTINGS yet) → open → leaving (no new streams) → closed.
 */
export class WrapperLink implements Link {
  settled = false
  private readonly options: Http2PoolOptions
  private readonly owner: LinkOwner
  private readonly socket: TLSSocket
  private session: http2.ClientHttp2Session | undefined
  private readonly authority: string
  private readonly streams = new Map<http2.ClientHttp2Stream, Stream>()
  /** Streams that the end of the session cut off: whether they were processed is known when it has closed. */
  private readonly cut: Array<readonly [id: number, stream: Stream]> = []
  private state: "connecting" | "open" | "leaving" | "closed" = "connecting"
  private answered = false
  private lastStream = Infinity
  private reason: Http2Failure = failure("closed", "the connection was closed", false)
  private timer: NodeJS.Timeout | undefined
  private connectTimer: NodeJS.Timeout | undefined
  private heard = 0
  private pinging = false

  constructor(options: Http2PoolOptions, owner: LinkOwner, dial: Dial) {
    this.options = options
    this.owner = owner
    this.authority = authorityOf(options.origin)
    this.connectTimer = setTimeout(
      () => this.destroy(failure("connect", "the connection did not come about in time", true)),
      options.connectTimeoutMs
    )
    this.socket = dial(options.origin, (problem) => (problem === undefined ? this.begin() : this.destroy(problem)))
  }

  get free(): number {
    if (this.state !== "open") return 0
    const limit = this.session!.remoteSettings.maxConcurrentStreams ?? Infinity
    const first = this.answered ? Infinity : (this.options.firstStreams ?? Infinity)
    return Math.max(0, Math.min(limit, first, 1 << 16) - this.streams.size)
  }

  get blocked(): boolean {
    return this.socket.writableLength > HIGH_WATER
  }

  open(run: Run, index: number): void {
    const { batch } = run
    let headers: http2.OutgoingHttpHeaders, body: Uint8Array | string
    try {
      headers = {
        ":method": "POST",
        ":scheme": "https",
        ":authority": this.authority,
        ":path": batch.path(index)
      }
      for (const [name, value] of [...batch.common, ...batch.credential, ...batch.headers(index)]) {
        const before = headers[name]
        headers[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [String(before)]), value]
      }
      body = batch.body(index)
      this.request(run, index, headers, body)
    } catch (error) {
      run.die(error)
    }
  }

  flush(): void {
    // Node writes by itself.
  }

  cancel(run: Run): void {
    for (const [handle, stream] of this.streams) {
      if (stream.run !== run) continue
      this.streams.delete(handle)
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
    } else this.session.destroy()
  }

  private begin(): void {
    const session = http2.connect(`https://${this.authority}`, {
      createConnection: () => this.socket,
      settings: { enablePush: false, headerTableSize: 0, maxHeaderListSize: 65_536 }
    })
    this.session = session
    session.once("remoteSettings", () => {
      clearTimeout(this.connectTimer)
      this.state = "open"
      this.settled = this.options.firstStreams === undefined
      this.guardZero()
      this.owner.onFree(this)
      session.on("remoteSettings", () => {
        this.guardZero()
        this.owner.onFree(this)
      })
    })
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
    this.socket.on("drain", () => this.owner.onFree(this))
  }

  /** A peer that allows no streams at all would keep what waits for ever. */
  private guardZero(): void {
    clearTimeout(this.connectTimer)
    if (this.session!.remoteSettings.maxConcurrentStreams !== 0 || this.streams.size > 0) return
    this.connectTimer = setTimeout(
      () => this.destroy(failure("closed", "the peer allows no streams", true)),
      this.options.connectTimeoutMs
    )
  }

  private request(run: Run, index: number, headers: http2.OutgoingHttpHeaders, body: Uint8Array | string): void {
    const handle = this.session!.request(headers)
    const deadline = performance.now() + this.options.requestTimeoutMs
    const stream: Stream = { run, index, deadline, headers: undefined, chunks: [], size: 0, complete: false }
    if (this.streams.size === 0) this.heard = performance.now()
    this.streams.set(handle, stream)
    handle.on("response", (headers) => {
      this.heard = performance.now()
      stream.headers = headers
    })
    handle.on("data", (chunk: Buffer) => {
      this.heard = performance.now()
      stream.size += chunk.length
      if (stream.size <= this.options.maxBody) stream.chunks.push(chunk)
      else this.abandon(handle, stream, failure("too_large", "the answer is larger than allowed", false))
    })
    handle.once("end", () => {
      stream.complete = true
    })
    handle.once("aborted", () => {
      stream.complete = false
    })
    // The reason stands in rstCode.
    handle.on("error", () => {})
    handle.once("close", () => this.closed(handle, stream))
    handle.end(body)
    this.arm()
  }

  private closed(handle: http2.ClientHttp2Stream, stream: Stream): void {
    if (!this.streams.delete(handle)) return
    const refused = handle.rstCode === REFUSED_STREAM
    if (stream.headers !== undefined && stream.complete && handle.rstCode === 0 && !this.session!.destroyed) {
      this.answered = this.settled = true
      this.owner.onAnswer(this, stream.run, stream.index, answerOf(stream.headers, stream.chunks))
    } else if (refused) {
      if (this.state === "open") this.owner.onLeaving(this)
      this.owner.onFailure(this, stream.run, stream.index, failure("closed", "the peer refused the stream", true))
    } else if (this.session!.destroyed) {
      this.cut.push([handle.id ?? Infinity, stream])
    } else {
      const message = `the stream ended without an answer (error ${handle.rstCode})`
      this.owner.onFailure(this, stream.run, stream.index, failure("closed", message, false))
    }
    this.owner.onFree(this)
    this.endIfDone()
  }

  private abandon(handle: http2.ClientHttp2Stream, stream: Stream, failure: Http2Failure): void {
    if (!this.streams.delete(handle)) return
    handle.close(http2.constants.NGHTTP2_CANCEL)
    this.owner.onFailure(this, stream.run, stream.index, failure)
    this.owner.onFree(this)
    this.endIfDone()
  }

  private endIfDone(): void {
    if (this.state === "leaving" && this.streams.size === 0) this.session?.close()
  }

  /** One timer for the connection: the oldest stream's deadline, or the moment to ask whether the peer is there. */
  private arm(): void {
    if (this.timer !== undefined) return
    const oldest = this.streams.values().next()
    if (oldest.done === true || this.state === "closed") return
    const ping = this.heard + this.options.pingAfterMs
    const due = (this.pinging ? oldest.value.deadline : Math.min(oldest.value.deadline, ping)) - performance.now()
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        this.check()
        this.arm()
      },
      Math.max(1, Math.ceil(due))
    )
  }

  private check(): void {
    const now = performance.now()
    for (const [handle, stream] of this.streams) {
      if (stream.deadline > now) break
      this.abandon(handle, stream, failure("timeout", "no answer in time", false))
    }
    if (this.streams.size === 0 || this.pinging || now < this.heard + this.options.pingAfterMs) return
    this.pinging = true
    const silence = setTimeout(
      () => this.destroy(failure("closed", "the connection gives no sign of life", false)),
      this.options.pingAfterMs
    )
    this.session!.ping(() => {
      clearTimeout(silence)
      this.pinging = false
      this.heard = performance.now()
    })
  }

  private over(): void {
    if (this.state === "closed") return
    this.state = "closed"
    clearTimeout(this.connectTimer)
    clearTimeout(this.timer)
    this.timer = undefined
    for (const [handle, stream] of this.streams) this.cut.push([handle.id ?? Infinity, stream])
    this.streams.clear()
    for (const [id, stream] of this.cut.splice(0)) {
      this.owner.onFailure(this, stream.run, stream.index, { ...this.reason, unprocessed: id > this.lastStream })
    }
    this.owner.onClosed(this, this.reason)
  }
}

const answerOf = (headers: http2.IncomingHttpHeaders, chunks: ReadonlyArray<Buffer>): Http2Answer => ({
  status: Number(headers[":status"]),
  header: (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  },
  body: chunks.length === 0 ? "" : Buffer.concat(chunks).toString("utf8")
})
