import type { Http2PoolOptions } from "../../services/ports/outbound/Http2Client.ts"
import type { Http2Connection } from "./Http2Connection.ts"

interface Lifetime {
  usedAt: number
  /** The end of its life, whatever its use. */
  readonly until: number
}

/** Connections that opened together must not all make way together: each lives up to a tenth less than it may. */
const SPREAD = 0.1

/**
 * How long connections live: those that nobody needs are closed, and old ones are replaced by fresh ones, which
 * resolve the name again. One timer a pool, and none when connections may stay for ever.
 */
export class ConnectionLifetimes {
  private readonly idleMs: number
  private readonly lifeMs: number
  private readonly retire: (connection: Http2Connection) => void
  private readonly lifetimes = new Map<Http2Connection, Lifetime>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    { idleMs, lifeMs }: Pick<Http2PoolOptions, "idleMs" | "lifeMs">,
    retire: (connection: Http2Connection) => void
  ) {
    this.idleMs = idleMs ?? Infinity
    this.lifeMs = lifeMs ?? Infinity
    this.retire = retire
  }

  began(connection: Http2Connection): void {
    const now = performance.now()
    this.lifetimes.set(connection, { usedAt: now, until: now + this.lifeMs * (1 - SPREAD * Math.random()) })
    this.arm()
  }

  /** The connection took requests. */
  used(connection: Http2Connection): void {
    const lifetime = this.lifetimes.get(connection)
    if (lifetime !== undefined) lifetime.usedAt = performance.now()
  }

  ended(connection: Http2Connection): void {
    this.lifetimes.delete(connection)
    if (this.lifetimes.size > 0 || this.timer === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Sets the timer unless it is set: it comes in time for the first of them; a tenth of a life late for others at most. */
  private arm(): void {
    if (this.timer !== undefined) return
    let due = Infinity
    for (const lifetime of this.lifetimes.values()) due = Math.min(due, this.endOf(lifetime))
    if (due === Infinity) return
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        const now = performance.now()
        for (const [connection, lifetime] of this.lifetimes) if (this.endOf(lifetime) <= now) this.retire(connection)
        this.arm()
      },
      Math.max(1, Math.ceil(due - performance.now()))
    ).unref()
  }

  private endOf(lifetime: Lifetime): number {
    return Math.min(lifetime.until, lifetime.usedAt + this.idleMs)
  }
}
