import { Effect } from "effect"
import type { Scope } from "effect"
import type { Http2Answer, Http2Failure, Http2Pool, Http2PoolOptions } from "../../services/ports/Http2Client.ts"
import { Metrics } from "../../services/ports/Metrics.ts"
import { failure, type Link, type LinkOwner } from "./Link.ts"
import { Run } from "./Run.ts"
import { Tenure } from "./Tenure.ts"

export type OpenLink = (options: Http2PoolOptions, owner: LinkOwner) => Link

/** Requests of one batch in a row before another batch has its turn: a small one never waits behind a large one. */
const TURN = 32
/** Connections in a row that end without a single answer, before what waits is told so. */
const BARREN = 3

/**
 * Spreads batches over connections.
 * State: `runs` have requests that wait for a stream; `links` take streams; `leaving` end what they have.
 */
class LinkPool implements LinkOwner {
  private readonly options: Http2PoolOptions
  private readonly openLink: OpenLink
  private readonly runs: Array<Run> = []
  private readonly links: Array<Link> = []
  private readonly leaving = new Set<Link>()
  private readonly answered = new WeakSet<Link>()
  private readonly tenure: Tenure
  private barren = 0
  private pumping = false
  private scheduled = false
  private closed: (() => void) | undefined = undefined

  constructor(options: Http2PoolOptions, openLink: OpenLink) {
    this.options = options
    this.openLink = openLink
    this.tenure = new Tenure(options, (link) => {
      this.retire(link)
      this.schedule()
    })
  }

  add(run: Run): void {
    if (this.closed !== undefined) return run.failWaiting(failure("closed", "the pool is closed", true))
    this.runs.push(run)
    this.pump()
  }

  remove(run: Run): void {
    run.live = false
    const at = this.runs.indexOf(run)
    if (at !== -1) this.runs.splice(at, 1)
    for (const link of [...this.links, ...this.leaving]) link.cancel(run)
    this.pump()
  }

  /** Connections, those included that only end what they have. */
  get size(): number {
    return this.links.length + this.leaving.size
  }

  renew(): void {
    this.retireAll()
    this.pump()
  }

  /** Fails what was not written, waits for what was, and closes. */
  close(done: () => void): void {
    this.closed = done
    for (const run of this.runs.splice(0)) run.failWaiting(failure("closed", "the pool is closed", true))
    this.retireAll()
    this.finish()
  }

  onFree(): void {
    this.schedule()
  }

  onAnswer(link: Link, run: Run, index: number, answer: Http2Answer): void {
    this.barren = 0
    this.answered.add(link)
    run.answer(index, answer)
  }

  onFailure(link: Link, run: Run, index: number, failure: Http2Failure): void {
    if (failure.reason === "timeout" && !this.answered.has(link)) this.giveUp(link, failure)
    if (!run.live) return
    if (failure.unprocessed && this.closed === undefined && run.resend(index)) {
      if (!this.runs.includes(run)) this.runs.push(run)
      this.schedule()
    } else run.fail(index, failure)
  }

  onLeaving(link: Link): void {
    this.retire(link)
    this.schedule()
  }

  onClosed(link: Link, reason: Http2Failure): void {
    const at = this.links.indexOf(link)
    if (at !== -1) this.links.splice(at, 1)
    this.leaving.delete(link)
    this.tenure.ended(link)
    if (!this.answered.has(link)) this.barren++
    // What waits learns of it when nothing else can carry it: at once if no connection came about, else after a few.
    const hopeless = reason.reason === "connect" || reason.reason === "not_http2" || this.barren >= BARREN
    if (hopeless && this.links.length === 0) {
      this.barren = 0
      for (const run of this.runs.splice(0)) run.failWaiting({ ...reason, unprocessed: true })
    }
    this.finish()
    this.schedule()
  }

  /**
   * A connection whose first request ran out of time without it ever having answered: it takes and stays silent. What
   * waits for it learns so now; one time-out after the other would take hours where a connection begins with one stream.
   */
  private giveUp(link: Link, reason: Http2Failure): void {
    this.retire(link)
    if (this.links.length > 0) return
    this.barren = 0
    for (const run of this.runs.splice(0)) run.failWaiting({ ...reason, unprocessed: true })
  }

  private retire(link: Link): void {
    const at = this.links.indexOf(link)
    if (at === -1) return
    this.links.splice(at, 1)
    this.tenure.ended(link)
    this.leaving.add(link)
    link.leave()
  }

  private retireAll(): void {
    while (this.links.length > 0) this.retire(this.links[0]!)
  }

  private finish(): void {
    if (this.closed !== undefined && this.links.length === 0 && this.leaving.size === 0) this.closed()
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
      const link = this.links.find((link) => link.free > 0 && !link.blocked)
      if (link === undefined) {
        this.openAnother()
        break
      }
      const turn = this.runs.length === 1 ? Infinity : TURN
      for (let n = 0; n < turn && link.free > 0 && !link.blocked && run.waiting > 0; n++) link.open(run, run.take())
      this.tenure.used(link)
      // It may have left meanwhile, by a defect of its own.
      if (this.runs[0] === run) this.runs.push(this.runs.shift()!)
    }
    for (const link of this.links) link.flush()
    this.pumping = false
  }

  /** The first run with requests that wait; those without leave the queue. */
  private nextRun(): Run | undefined {
    while (this.runs.length > 0 && this.runs[0]!.waiting === 0) this.runs.shift()
    return this.runs[0]
  }

  private openAnother(): void {
    if (this.closed !== undefined || this.links.length >= this.options.connections) return
    if (!this.links.every((link) => link.settled && link.free === 0)) return
    const link = this.openLink(this.options, this)
    this.links.push(link)
    this.tenure.began(link)
  }
}

/** A pool over connections of one kind; drains and closes with the scope. */
export const makePool = (options: Http2PoolOptions, open: OpenLink): Effect.Effect<Http2Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Metrics, (metrics) => {
      const pool = new LinkPool(options, open)
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
          const run: Run = new Run(batch, (defect) => {
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
