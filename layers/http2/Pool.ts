import { Effect } from "effect"
import type { Scope } from "effect"
import type {
  Http2Answer,
  Http2Failure,
  Http2Pool,
  Http2PoolOptions
} from "../../services/ports/outbound/Http2Client.ts"
import { Metrics } from "../../services/ports/operations/Metrics.ts"
import { failure, type Http2Connection, type ConnectionOwner, STALLED_MS } from "./Http2Connection.ts"
import { BatchRun } from "./BatchRun.ts"
import { ConnectionLifetimes } from "./ConnectionLifetimes.ts"

export type OpenConnection = (options: Http2PoolOptions, owner: ConnectionOwner) => Http2Connection

/** Requests of one batch in a row before another batch has its turn: a small one never waits behind a large one. */
const TURN = 32
/** Connections in a row that end without a single answer, before what waits is told so. */
const MOST_UNANSWERED = 3

/**
 * Spreads batches over connections.
 * State: `runs` have requests that wait for a stream; `connections` take streams; `leaving` end what they have.
 */
class ConnectionPool implements ConnectionOwner {
  private readonly options: Http2PoolOptions
  private readonly openConnection: OpenConnection
  private readonly runs: Array<BatchRun> = []
  private readonly connections: Array<Http2Connection> = []
  private readonly leaving = new Set<Http2Connection>()
  private readonly answered = new WeakSet<Http2Connection>()
  private readonly lifetimes: ConnectionLifetimes
  private unanswered = 0
  private pumping = false
  /** When the first run was asked last whether it may begin. */
  private askedAt = 0
  private scheduled = false
  /** Runs while something waits for a connection that is blocked. */
  private again: NodeJS.Timeout | undefined
  private closed: (() => void) | undefined = undefined

  constructor(options: Http2PoolOptions, openConnection: OpenConnection) {
    this.options = options
    this.openConnection = openConnection
    this.lifetimes = new ConnectionLifetimes(options, (connection) => {
      this.retire(connection)
      this.schedule()
    })
  }

  add(run: BatchRun): void {
    if (this.closed !== undefined) return run.failWaiting(failure("closed", "the pool is closed", true))
    this.runs.push(run)
    this.pump()
  }

  remove(run: BatchRun): void {
    run.live = false
    const at = this.runs.indexOf(run)
    if (at !== -1) this.runs.splice(at, 1)
    for (const connection of [...this.connections, ...this.leaving]) connection.cancel(run)
    this.pump()
  }

  /** Connections, those included that only end what they have. */
  get size(): number {
    return this.connections.length + this.leaving.size
  }

  renew(): void {
    this.retireAll()
    this.pump()
  }

  /** Fails what was not written, waits for what was, and closes. */
  close(done: () => void): void {
    this.closed = done
    clearTimeout(this.again)
    for (const run of this.runs.splice(0)) run.failWaiting(failure("closed", "the pool is closed", true))
    this.retireAll()
    this.finish()
  }

  onFree(): void {
    if (this.runs.length > 0) this.schedule()
  }

  onAnswer(connection: Http2Connection, run: BatchRun, index: number, answer: Http2Answer): void {
    this.unanswered = 0
    this.answered.add(connection)
    run.answer(index, answer)
  }

  onFailure(connection: Http2Connection, run: BatchRun, index: number, failure: Http2Failure): void {
    if (failure.reason === "timeout" && !this.answered.has(connection)) this.giveUp(connection, failure)
    if (!run.live) return
    if (failure.unprocessed && this.closed === undefined && run.resend(index)) {
      if (!this.runs.includes(run)) this.runs.push(run)
      this.schedule()
    } else run.fail(index, failure)
  }

  onLeaving(connection: Http2Connection): void {
    this.retire(connection)
    this.schedule()
  }

  onClosed(connection: Http2Connection, reason: Http2Failure): void {
    const at = this.connections.indexOf(connection)
    if (at !== -1) this.connections.splice(at, 1)
    this.leaving.delete(connection)
    this.lifetimes.ended(connection)
    if (!this.answered.has(connection)) this.unanswered++
    // What waits learns of it when nothing else can carry it: at once if no connection came about, else after a few. The
    // next one is open by then where the peer said first that it leaves: it is no better until it has answered.
    const unreachable = reason.reason === "connect" || reason.reason === "not_http2"
    const hopeless =
      (unreachable && this.connections.length === 0) ||
      (this.unanswered >= MOST_UNANSWERED && !this.connections.some((other) => this.answered.has(other)))
    if (hopeless) {
      this.unanswered = 0
      for (const run of this.runs.splice(0)) run.failWaiting({ ...reason, unprocessed: true })
    }
    this.finish()
    this.schedule()
  }

  /**
   * A connection whose first request ran out of time without it ever having answered: it takes and stays silent. What
   * waits for it learns so now; one time-out after the other would take hours where a connection begins with one
   * stream.
   */
  private giveUp(connection: Http2Connection, reason: Http2Failure): void {
    this.retire(connection)
    if (this.connections.length > 0) return
    this.unanswered = 0
    for (const run of this.runs.splice(0)) run.failWaiting({ ...reason, unprocessed: true })
  }

  private retire(connection: Http2Connection): void {
    const at = this.connections.indexOf(connection)
    if (at === -1) return
    this.connections.splice(at, 1)
    this.lifetimes.ended(connection)
    this.leaving.add(connection)
    connection.leave()
  }

  private retireAll(): void {
    while (this.connections.length > 0) this.retire(this.connections[0]!)
  }

  private finish(): void {
    if (this.closed !== undefined && this.connections.length === 0 && this.leaving.size === 0) this.closed()
  }

  /** What becomes free in one turn of the event loop is given out together, in one write. */
  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.pump()
    })
  }

  private pump(): void {
    if (this.pumping) return
    this.pumping = true
    for (let run = this.nextRun(); run !== undefined; run = this.nextRun()) {
      const connection = this.connections.find((connection) => connection.free > 0 && !connection.blocked)
      if (connection === undefined) {
        this.openAnother()
        break
      }
      const turn = this.runs.length === 1 ? Infinity : TURN
      for (let n = 0; n < turn && connection.free > 0 && !connection.blocked && run.waiting > 0; n++)
        connection.open(run, run.take(), this.askedAt)
      this.lifetimes.used(connection)
      // It may have left meanwhile, by a defect of its own.
      if (this.runs[0] === run) this.runs.push(this.runs.shift()!)
    }
    const stale = this.connections.filter((connection) => !connection.flush())
    this.pumping = false
    for (const connection of stale) connection.takeBack()
  }

  /** The first run with requests that wait and may begin; others leave the queue. */
  private nextRun(): BatchRun | undefined {
    // A process that stands still after that, and before the request is written, asks once more.
    this.askedAt = performance.now()
    for (let run = this.runs[0]; run !== undefined; run = this.runs[0]) {
      if (run.waiting > 0 && run.mayBegin) return run
      this.runs.shift()
      run.failWaiting(failure("withheld", "the sender begins no more", true))
    }
    return undefined
  }

  /** Nobody tells when a connection has been blocked for too long. */
  private lookAgain(): void {
    this.again ??= setTimeout(() => {
      this.again = undefined
      this.pump()
    }, STALLED_MS)
  }

  private openAnother(): void {
    if (this.closed !== undefined || this.connections.length >= this.options.connections) return
    const isTaken = (connection: Http2Connection): boolean =>
      connection.settled && (connection.free === 0 || connection.stalled)
    if (!this.connections.every(isTaken)) {
      if (this.connections.some((connection) => connection.blocked)) this.lookAgain()
      return
    }
    const connection = this.openConnection(this.options, this)
    this.connections.push(connection)
    this.lifetimes.began(connection)
  }
}

/** A pool over connections of one kind; drains and closes with the scope. */
export const makePool = (
  options: Http2PoolOptions,
  open: OpenConnection
): Effect.Effect<Http2Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Metrics, (metrics) => {
      const pool = new ConnectionPool(options, open)
      const stop = metrics.watch(() => [{ name: "heliograph_push_connections", labels: {}, value: pool.size }])
      return { pool, stop }
    }),
    ({ pool, stop }) =>
      Effect.callback<void>((resume) => {
        stop()
        pool.close(() => resume(Effect.void))
      })
  ).pipe(
    Effect.map(({ pool }) => ({
      send: (batch) =>
        Effect.callback<void>((resume) => {
          if (batch.count === 0) return resume(Effect.void)
          const run: BatchRun = new BatchRun(batch, (defect) => {
            if (defect === undefined) return resume(Effect.void)
            pool.remove(run)
            resume(Effect.die(defect))
          })
          pool.add(run)
          return Effect.sync(() => pool.remove(run))
        }),
      renew: Effect.sync(() => pool.renew())
    }))
  )
