/** Beats further apart than this say nothing of the time between them, nor do those between which the clock was set. */
const STEADY_MS = 3_000
/** How long the database has to take writes before this process takes over what others did not prolong meanwhile: at least. */
const GRACE_MS = 5_000
/** Of a lease: no holder lets more of it go by before it prolongs it (DirectDispatch.ts, Sending.ts). */
const UNPROLONGED = 1 / 2
/** What a write that prolongs one takes, and the look before it, on a busy node. */
const LATE_MS = 2_000
/** How long one beat speaks for the time after it. */
const LASTS_MS = 2_000

/** Until when leases may be taken over, as PostgreSQL reads it, where none may. */
export const NEVER = "-infinity"

/**
 * What the database has said of its taking writes. For how long it has done so is measured by this process's own clock,
 * which nobody sets: the database's, by which leases end, may be set forward, and all leases are over at once then, of
 * holders that live and had no time to prolong them.
 */
export class Writable {
  /** By `performance.now()`; null: it takes none, as far as is known. */
  #since: number | null = null
  #heardAt = 0
  /** By the database's clock. */
  #last = 0

  /** `at`: when the database took a write, by its clock in epoch milliseconds; `now` of `performance.now()`. */
  took(at: number, now: number): void {
    const passed = now - this.#heardAt
    if (this.#since === null || passed > STEADY_MS || at - this.#last - passed > STEADY_MS) this.#since = now
    this.#last = at
    this.#heardAt = now
  }

  refused(): void {
    this.#since = null
  }

  /** Until when, by the database's clock, leases of that length which are over may be taken over, as PostgreSQL reads it. */
  takesOverUntil(leaseMs: number): string {
    const graceMs = Math.max(GRACE_MS, leaseMs * UNPROLONGED + LATE_MS)
    if (this.#since === null || this.#heardAt - this.#since < graceMs) return NEVER
    return new Date(this.#last + LASTS_MS).toISOString()
  }
}
