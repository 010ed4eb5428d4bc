import type { AppId } from "../../../services/domain/Ids.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"

/*
 * How much a transaction takes of what lets people in. An event, or a change, lets somebody into any number of workflows:
 * what counts is how many entries come of it, and not how many events there are.
 */

/** People who enter a workflow in one transaction, at most, unless one event lets more in. */
export const ENTRIES = 500
/** How long (ms) a transaction may take before the next ones of its application are made smaller. */
const LONGEST_MS = 1000

/** What comes of an event or a change. */
export interface Weight {
  readonly entries: number
  /** What they bring, in all. */
  readonly bytes: number
}

/** How many of these, from the first on, one transaction takes: one at least. */
export const together = (weights: ReadonlyArray<Weight>): number => {
  let [allEntries, allBytes] = [0, 0]
  for (const [i, { bytes, entries }] of weights.entries()) {
    allEntries += entries
    allBytes += bytes
    if (i > 0 && (allEntries > ENTRIES || allBytes > READ_AT_ONCE)) return i
  }
  return weights.length
}

/** A page as it was taken. */
interface Page {
  /** How many were to be locked. */
  readonly asked: number
  /** How many there were: those that are not taken are locked for nothing, and kept from others. */
  readonly found: number
  readonly taken: number
  readonly ms: number
}

/** How much the next transaction of an application locks, by what the last one could take. */
export const makePace = () => {
  const most = new Map<AppId, number>()
  return {
    most: (appId: AppId, limit: number): number => Math.min(limit, most.get(appId) ?? limit),
    note: (appId: AppId, limit: number, { asked, found, ms, taken }: Page): void => {
      const isSlow = ms > LONGEST_MS
      const next = isSlow ? Math.max(1, Math.floor((taken * LONGEST_MS) / ms)) : 2 * taken
      const isLast = taken === found && found < asked
      if (next >= limit || (isLast && !isSlow)) most.delete(appId)
      else most.set(appId, next)
    }
  }
}
