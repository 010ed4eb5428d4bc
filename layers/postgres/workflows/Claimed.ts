import type { AppId } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"

/** A place among the timers of an application, in the order in which they are due. */
export interface TimerPlace {
  readonly at: Date
  readonly id: string
}

/** A bound is gone by for so long (milliseconds), at least. */
const SHORTEST_MS = 1000
/** Looks without a bound take one part in so many of the time, at most, however much they pass by. */
const SHARE = 20

/** How long to go by a bound when it took so long (milliseconds) to look without one. */
const lastsFor = (tookMs: number): number => Math.max(SHORTEST_MS, SHARE * tookMs)

interface Span {
  readonly from: number
  readonly until: number
}

const isOver = ({ from, until }: Span, at: number): boolean => at < from || at >= until

interface Bound extends Span {
  readonly place: TimerPlace
}

/**
 * Up to where this process has claimed the timers of applications that have more due. Rows that are gone stay in the index
 * for as long as anybody reads who may see them: whoever begins at the first passes all of them by, again and again.
 *
 * A timer may come to stand before its bound: somebody gives back what they had claimed, commits late, or sets it by a clock
 * that is behind. So a bound only says what to claim next while there is more. It is forgotten when there is not, or when a
 * claim fails, and after a while in any case.
 */
export class Claimed {
  readonly #bounds = new Map<AppId, Bound>()
  #apps: (Span & { readonly ids: ReadonlyArray<AppId> }) | null = null

  /** Null: begin at the first. */
  after(appId: AppId): TimerPlace | null {
    const bound = this.#bounds.get(appId)
    if (bound === undefined) return null
    if (!isOver(bound, now())) return bound.place
    this.#bounds.delete(appId)
    return null
  }

  /** Everything up to a place was claimed, in so long (milliseconds), and more may be due. */
  upTo(appId: AppId, place: TimerPlace, tookMs: number): void {
    const at = now()
    const span = this.#bounds.get(appId) ?? { from: at, until: at + lastsFor(tookMs) }
    this.#bounds.set(appId, { from: span.from, until: span.until, place })
  }

  forget(appId: AppId): void {
    this.#bounds.delete(appId)
  }

  /** All applications that had timers, by a look that took so long (milliseconds). */
  found(ids: ReadonlyArray<AppId>, tookMs: number): void {
    const at = now()
    this.#apps = { ids, from: at, until: at + lastsFor(tookMs) }
  }

  /** Where to look for what is due next in each application; null: look for applications as well. */
  get places(): ReadonlyArray<{ readonly appId: AppId; readonly after: TimerPlace | null }> | null {
    const apps = this.#apps
    if (apps === null || isOver(apps, now())) return null
    const places = apps.ids.map((appId) => ({ appId, after: this.after(appId) }))
    return places.some(({ after }) => after !== null) ? places : null
  }
}
