import type { Http2Answer, Http2Failure } from "../../services/ports/outbound/Http2Client.ts"
import type { BatchRun } from "./BatchRun.ts"

/** A peer that takes nothing for so long (ms) gets no more than it has, and what waits goes by other connections. */
export const STALLED_MS = 100

/** One connection as the pool sees it. It starts to connect when it is made and ends with exactly one `onClosed`. */
export interface Http2Connection {
  /** Streams that may be opened now; 0 while it connects and after `leave`. */
  readonly free: number
  /** Whether the peer's limits are known: before that, a second connection says nothing about need. */
  readonly settled: boolean
  /** Whether so much waits to be written that opening streams would only fill memory. */
  readonly blocked: boolean
  /** Whether it has been for so long that others should not wait for it: `STALLED_MS`. */
  readonly stalled: boolean
  /**
   * Opens a stream for a request. Only when `free` is positive and `blocked` is false.
   * `askedAt`: of `performance.now()`, before the batch was asked whether it may begin.
   */
  readonly open: (run: BatchRun, index: number, askedAt: number) => void
  /**
   * Everything opened since the last flush goes to the socket. False: it must not any more, because the process stood
   * still meanwhile; `takeBack` is to be called.
   */
  readonly flush: () => boolean
  /** Fails, as unprocessed, what was opened and did not go out, and leaves. */
  readonly takeBack: () => void
  /** Resets the streams of a run and forgets them. */
  readonly cancel: (run: BatchRun) => void
  /** Opens no more streams, and closes when the last one has ended. */
  readonly leave: () => void
  /** Closes now; streams under way fail. */
  readonly destroy: (failure: Http2Failure) => void
}

/** What a connection tells its pool. None of these is called from inside `open`, `flush` or `cancel`. */
export interface ConnectionOwner {
  /** There may be free streams where there were none. */
  readonly onFree: (connection: Http2Connection) => void
  readonly onAnswer: (connection: Http2Connection, run: BatchRun, index: number, answer: Http2Answer) => void
  readonly onFailure: (connection: Http2Connection, run: BatchRun, index: number, failure: Http2Failure) => void
  /** The peer takes no new streams (GOAWAY, refusal): those under way go on. */
  readonly onLeaving: (connection: Http2Connection) => void
  /** The connection is over; every stream of it has had its failure before. */
  readonly onClosed: (connection: Http2Connection, failure: Http2Failure) => void
}

export const failure = (reason: Http2Failure["reason"], message: string, unprocessed: boolean): Http2Failure => ({
  reason,
  message,
  unprocessed
})
