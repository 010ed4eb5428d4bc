import type { Http2PoolOptions } from "../../services/ports/Http2Client.ts"
import type { Link } from "./Link.ts"

interface Stay {
  usedAt: number
  /** The end of its life, whatever its use. */
  readonly until: number
}

/** Connections that opened together must not all make way together: each lives up to a tenth less than it may. */
const SPREAD = 0.1

/**
 * How long connections stay: those that nobody needs are closed, and those that live long make way for fresh ones, which
 * resolve the name again. One timer a pool, and none when connections may stay for ever.
 */
export class Tenure {
  private readonly idleMs: number
  private readonly lifeMs: number
  private readonly retire: (link: Link) => void
  private readonly stays = new Map<Link, Stay>()
  private timer: NodeJS.Timeout | undefined

  constructor({ idleMs, lifeMs }: Pick<Http2PoolOptions, "idleMs" | "lifeMs">, retire: (link: Link) => void) {
    this.idleMs = idleMs ?? Infinity
    this.lifeMs = lifeMs ?? Infinity
    this.retire = retire
  }

  began(link: Link): void {
    const now = performance.now()
    this.stays.set(link, { usedAt: now, until: now + this.lifeMs * (1 - SPREAD * Math.random()) })
    this.arm()
  }

  /** The connection took requests. */
  used(link: Link): void {
    const stay = this.stays.get(link)
    if (stay !== undefined) stay.usedAt = performance.now()
  }

  ended(link: Link): void {
    this.stays.delete(link)
    if (this.stays.size > 0 || this.timer === undefined) return
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Sets the timer unless it is set: it comes in time for the first of them; a tenth of a life late for others at most. */
  private arm(): void {
    if (this.timer !== undefined) return
    let due = Infinity
    for (const stay of this.stays.values()) due = Math.min(due, this.endOf(stay))
    if (due === Infinity) return
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        const now = performance.now()
        for (const [link, stay] of this.stays) if (this.endOf(stay) <= now) this.retire(link)
        this.arm()
      },
      Math.max(1, Math.ceil(due - performance.now()))
    ).unref()
  }

  private endOf(stay: Stay): number {
    return Math.min(stay.until, stay.usedAt + this.idleMs)
  }
}
