import type { Effect, Scope } from "effect"
import { Context } from "effect"

/** Where to connect. `address` pins the connection to one that was checked; the name stays in SNI and :authority. */
export interface Http2Origin {
  readonly host: string
  readonly port: number
  readonly address?: string
  /** Checks `remoteAddress` after connecting; false closes the connection. */
  readonly allows?: (address: string) => boolean
}

export interface Http2PoolOptions {
  readonly origin: Http2Origin
  /**
   * At most so many connections take requests; more than one opens only when the streams of the others are used up.
   * Those that are going away (GOAWAY, refusal, `renew`) end their streams beside them.
   */
  readonly connections: number
  /** Streams on a connection before its first answer: 1 for APNs, else what SETTINGS says. */
  readonly firstStreams?: number
  /** From the beginning of a connection to the peer's SETTINGS. A peer that takes no requests has as much time. */
  readonly connectTimeoutMs: number
  /** One deadline for each request, from its writing to the end of its answer. */
  readonly requestTimeoutMs: number
  /**
   * A connection that has been silent for so long with requests under way is asked by PING, and replaced without an
   * answer.
   */
  readonly pingAfterMs: number
  /** A connection that took no request for so long is closed. Without it, none is. */
  readonly idleMs?: number
  /**
   * A connection makes way for a fresh one, which resolves the name again, after so long at most. Without it, never.
   */
  readonly lifeMs?: number
  /** Bytes of an answer's body that are kept; a longer one is an error. */
  readonly maxBody: number
  /**
   * Whether a status says all that matters. An answer with such a status counts from its header on: should its body
   * never come to its end, be too large, or be cut off, its status and header are given with an empty body. Without
   * this, every answer must come to its end.
   */
  readonly isEnough?: (status: number) => boolean
}

/**
 * A header as name (lower case) and value. Both are printable ASCII, without spaces at either end of the value: one
 * that is not is a defect of the batch, and sends nothing.
 */
export type Header = readonly [name: string, value: string]

/**
 * Many small POSTs that share most of what they say. `common` headers are the same for all; `path`, `headers` and
 * `body` give what differs at an index, and are asked when its frames are written, not before.
 */
export interface Http2Batch {
  readonly count: number
  readonly common: ReadonlyArray<Header>
  /** Headers whose values must not enter a compression context that other credentials share (authorization). */
  readonly credential: ReadonlyArray<Header>
  readonly path: (index: number) => string
  /** What all paths begin with, if they do: `path` then gives the rest. Neither has a space at either end. */
  readonly base?: string
  readonly headers: (index: number) => ReadonlyArray<Header>
  readonly body: (index: number) => Uint8Array | string
  /** What all bodies begin and end with, if they do: `body` then gives what stands between. */
  readonly around?: readonly [before: string, after: string]
  /** `answer` lasts as long as the call: what is kept of it must be read from it. */
  /**
   * Asked whenever requests of the batch are about to be given to a connection. When it says no, none of those that
   * wait is sent any more: they fail as `withheld`.
   */
  readonly mayBegin?: () => boolean
  readonly onAnswer: (index: number, answer: Http2Answer) => void
  readonly onFailure: (index: number, failure: Http2Failure) => void
}

/** A request's whole body: what `body` gave, within what stands around it. */
export const bodyOf = (around: Http2Batch["around"], body: Uint8Array | string): Uint8Array | string => {
  if (around === undefined) return body
  const [before, after] = around
  if (typeof body === "string") return before + body + after
  const encoder = new TextEncoder()
  const [head, tail] = [encoder.encode(before), encoder.encode(after)]
  const whole = new Uint8Array(head.length + body.length + tail.length)
  whole.set(head)
  whole.set(body, head.length)
  whole.set(tail, head.length + body.length)
  return whole
}

export interface Http2Answer {
  readonly status: number
  /** The value of a header by lower-case name, or undefined. */
  readonly header: (name: string) => string | undefined
  readonly body: string
}

export interface Http2Failure {
  readonly reason:
    /** DNS, TCP or TLS did not come about. */
    | "connect"
    /** The peer does not speak HTTP/2 (ALPN). */
    | "not_http2"
    /** No answer in time. */
    | "timeout"
    /** The connection or the stream ended without an answer. */
    | "closed"
    /** The peer broke the protocol; the connection was closed, or takes no more requests if one stream was at fault. */
    | "protocol"
    /**
     * The answer was larger than `maxBody`, came in too many chunks, or had to make room: unfinished answers are
     * bounded.
     */
    | "too_large"
    /** `mayBegin` said no. */
    | "withheld"
  readonly message: string
  /**
   * The peer did not process the request (never written, REFUSED_STREAM, above GOAWAY's last stream): safe to send
   * again.
   */
  readonly unprocessed: boolean
}

export interface Http2Pool {
  /**
   * Sends a batch: for each index exactly one of `onAnswer` and `onFailure` is called. Requests that the peer did not
   * process are sent again by the pool itself on another connection, a few times. Ends when every index has its call;
   * interrupted, it resets the streams under way and calls nothing more. Batches take turns: a small one does not wait
   * for the end of a large one. Dies with what a function of the batch throws; other batches go on.
   */
  readonly send: (batch: Http2Batch) => Effect.Effect<void>
  /** Replaces all connections: streams under way end on the old ones, new ones go to fresh ones. */
  readonly renew: Effect.Effect<void>
}

/** The transport of push: HTTP/2 over TLS to few hosts. It knows nothing of push. */
export class Http2Client extends Context.Service<
  Http2Client,
  {
    /**
     * A pool of connections to one origin, for one credential. Opens lazily. Closing the scope drains it: streams under
     * way end in their time, what was not written fails as `closed` and unprocessed.
     */
    readonly pool: (options: Http2PoolOptions) => Effect.Effect<Http2Pool, never, Scope.Scope>
  }
>()("heliograph/ports/Http2Client") {}
