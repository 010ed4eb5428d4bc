import http2 from "http2-wrapper"
import type { TLSSocket } from "node:tls"
import { bodyOf, type Http2Answer, type Http2Failure, type Http2PoolOptions } from "../../services/ports/Http2Client.ts"
import { authorityOf, type Dial } from "./Dial.ts"
import { assertField, assertText } from "./Field.ts"
import { failure, type Link, type LinkOwner } from "./Link.ts"
import type { Run } from "./Run.ts"
import { Vigil } from "./Vigil.ts"

/** A request on the wire. */
interface Stream {
  readonly run: Run
  readonly index: number
  readonly openedAt: number
  headers: http2.IncomingHttpHeaders | undefined
  readonly chunks: Array<Buffer>
  size: number
  complete: boolean
}

const END_STREAM = http2.constants.NGHTTP2_FLAG_END_STREAM
const REFUSED_STREAM = http2.constants.NGHTTP2_REFUSED_STREAM
/** Streams at once, however many more a peer allows. */
const MOST_STREAMS = 4096
/** Bytes of bodies that may wait for windows or the socket before no more streams are opened. */
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
  private unwritten = 0
  private lastStream = Infinity
  private reason: Http2Failure = failure("closed", "the connection was closed", false)
  private readonly vigil: Vigil
  private readonly connectTimer: NodeJS.Timeout

  constructor(options: Http2PoolOptions, owner: LinkOwner, dial: Dial) {
    this.options = options
    this.owner = owner
    this.authority = authorityOf(options.origin)
    this.connectTimer = setTimeout(
      () => this.destroy(failure("connect", "the connection did not come about in time", true)),
      options.connectTimeoutMs
    )
    this.socket = dial(options.origin, (problem) => (problem === undefined ? this.begin() : this.destroy(problem)))
    this.vigil = new Vigil(
      {
        oldestAt: () => this.streams.values().next().value?.openedAt,
        stuck: () => this.state === "open" && this.streams.size === 0 && this.limit === 0,
        expire: (openedAt) => this.expire(openedAt),
        ping: () => this.session!.ping(() => this.vigil.heard()),
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

  open(run: Run, index: number): void {
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
      this.request(run, index, headers, bodyOf(batch.around, batch.body(index)))
    } catch (error) {
      run.die(error)
    }
  }

  flush(): void {
    this.vigil.arm()
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
      clearTimeout(this.connectTimer)
      this.state = "open"
      this.settled = this.options.firstStreams === undefined
      this.vigil.arm()
      this.owner.onFree(this)
      session.on("remoteSettings", () => this.owner.onFree(this))
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
  }

  private get limit(): number {
    return Math.min(MOST_STREAMS, this.session!.remoteSettings.maxConcurrentStreams ?? Infinity)
  }

  private request(run: Run, index: number, headers: http2.OutgoingHttpHeaders, body: Uint8Array | string): void {
    const handle = this.session!.request(headers)
    const openedAt = performance.now()
    const stream: Stream = { run, index, openedAt, headers: undefined, chunks: [], size: 0, complete: false }
    let unwritten = body.length
    this.unwritten += unwritten
    const written = () => {
      this.unwritten -= unwritten
      unwritten = 0
    }
    this.vigil.opened(openedAt)
    this.streams.set(handle, stream)
    handle.on("response", (headers, flags) => {
      this.vigil.heard()
      stream.headers = headers
      stream.complete = (flags & END_STREAM) !== 0
    })
    handle.on("trailers", (_, flags) => {
      stream.complete = (flags & END_STREAM) !== 0
    })
    handle.on("data", (chunk: Buffer) => {
      this.vigil.heard()
      stream.size += chunk.length
      if (stream.size <= this.options.maxBody) stream.chunks.push(chunk)
      else this.abandon(handle, stream, failure("too_large", "the answer is larger than allowed", false))
    })
    // Node ends the body of an answer that was reset too; what the peer ended itself is not closed by then.
    handle.once("end", () => {
      stream.complete ||= !handle.closed || Number(stream.headers?.["content-length"]) === stream.size
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
    this.vigil.arm()
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

  private expire(openedAt: number): void {
    for (const [handle, stream] of this.streams) {
      if (stream.openedAt > openedAt) break
      this.abandon(handle, stream, failure("timeout", "no answer in time", false))
    }
  }

  private over(): void {
    if (this.state === "closed") return
    this.state = "closed"
    clearTimeout(this.connectTimer)
    this.vigil.stop()
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
