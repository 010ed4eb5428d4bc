import type { Http2Failure, Http2PoolOptions } from "../../services/ports/outbound/Http2Client.ts"
import { Deadline } from "../../services/ports/outbound/Deadline.ts"
import { failure } from "./Http2Connection.ts"

/** What keepalive has to know of a connection, and what it makes it do. Times are those of `performance.now()`. */
export interface Watched {
  /** When the oldest stream under way was opened; undefined without one. */
  readonly oldestAt: () => number | undefined
  /** Nothing is under way, and still no stream could be opened. */
  readonly stuck: () => boolean
  /** Fails the streams that were opened at that time or before. */
  readonly expire: (openedAt: number) => void
  readonly ping: () => void
  readonly destroy: (failure: Http2Failure) => void
}

/**
 * The time-outs of a connection, in one timer: every request has its deadline; a silent peer is asked by PING, and
 * given up without a sign of life; so is one that takes no requests.
 * All requests have the same time, so the oldest stream is always the next to expire.
 */
export class Keepalive {
  private readonly watched: Watched
  private readonly options: Http2PoolOptions
  private timer: Deadline | undefined
  /** Since when an answer is awaited with nothing heard; 0 when none is. */
  private awaiting = 0
  private pingedAt = 0
  private stuckSince = 0
  private over = false

  constructor(watched: Watched, options: Http2PoolOptions) {
    this.watched = watched
    this.options = options
  }

  /** A stream was opened. */
  opened(now: number): void {
    if (this.awaiting === 0) this.awaiting = now
  }

  /** The peer gave a sign of life. */
  heard(): void {
    this.pingedAt = 0
    this.awaiting = this.watched.oldestAt() === undefined ? 0 : performance.now()
  }

  /** The peer took what was written. */
  took(): void {
    this.stuckSince = 0
  }

  /** Sets the timer unless it is set. It never is too late: whatever is due moves only back. */
  arm(): void {
    if (this.timer !== undefined || this.over) return
    const now = performance.now()
    const due = this.due(now)
    if (due === Infinity) return
    this.timer = new Deadline(Math.max(1, Math.ceil(due - now)), () => {
      this.timer = undefined
      this.check(performance.now())
      this.arm()
    })
  }

  stop(): void {
    this.over = true
    this.timer?.clear()
  }

  private due(now: number): number {
    const { requestTimeoutMs, pingAfterMs, connectTimeoutMs } = this.options
    if (!this.watched.stuck()) this.stuckSince = 0
    else if (this.stuckSince === 0) this.stuckSince = now
    return Math.min(
      (this.watched.oldestAt() ?? Infinity) + requestTimeoutMs,
      this.pingedAt !== 0 ? this.pingedAt + pingAfterMs : this.awaiting !== 0 ? this.awaiting + pingAfterMs : Infinity,
      this.stuckSince !== 0 ? this.stuckSince + connectTimeoutMs : Infinity
    )
  }

  private check(now: number): void {
    const { requestTimeoutMs, pingAfterMs, connectTimeoutMs } = this.options
    const oldest = this.watched.oldestAt()
    if (oldest !== undefined && oldest + requestTimeoutMs <= now) this.watched.expire(now - requestTimeoutMs)
    if (this.pingedAt !== 0) {
      if (this.pingedAt + pingAfterMs <= now) {
        this.watched.destroy(failure("closed", "the connection gives no sign of life", false))
      }
    } else if (this.awaiting !== 0 && this.awaiting + pingAfterMs <= now) {
      this.pingedAt = now
      this.watched.ping()
    }
    if (!this.watched.stuck()) this.stuckSince = 0
    else if (this.stuckSince !== 0 && this.stuckSince + connectTimeoutMs <= now) {
      this.watched.destroy(failure("closed", "the peer takes no requests", true))
    }
  }
}
