import type { AttentionQuery, NowQuery } from "./operations.ts"

/* What Home says of an answer, by when it came: equal ones have something to say as well. Moments are in milliseconds. */

type Going = NowQuery["recent"]["nodes"][number]

/** How many recipients of each notification had come to their end, and when that was answered. */
export interface Standing {
  readonly at: number
  readonly done: ReadonlyMap<string, number>
}

export const standingOf = (going: ReadonlyArray<Going>, at: number): Standing => ({
  at,
  done: new Map(going.map(({ counts, id }) => [id, counts.accepted - counts.pending]))
})

/** Answers that are closer together say too little of a second: those after what somebody has just done. */
export const CLOSE_MS = 500

/** People a second, by what two answers say. */
export const speedBetween = (before: Standing, after: Standing): number => {
  const moved = [...after.done].reduce((sum, [id, n]) => sum + Math.max(0, n - (before.done.get(id) ?? n)), 0)
  return moved / ((after.at - before.at) / 1000)
}

/** For how many seconds the one that has waited longest does; null when nobody waits. */
export const oldestWait = (going: ReadonlyArray<Going>, at: number): number | null => {
  const oldest = going
    .filter(({ counts }) => counts.pending > 0)
    .map(({ createdAt, sendAt }) => (sendAt && sendAt.length > 10 ? sendAt : createdAt))
    .toSorted()[0]
  return oldest === undefined ? null : Math.max(0, (at - Date.parse(oldest)) / 1000)
}

type Letter = AttentionQuery["deadLetters"]["nodes"][number]
const DAY_MS = 86_400_000

/**
 * Whether a dead letter waits for somebody. Of what a webhook missed nothing says whether it was delivered again since: it
 * is told for a day.
 */
export const waits = ({ canReplay, createdAt, kind }: Letter, at: number): boolean =>
  canReplay || (kind === "WEBHOOK" && at - Date.parse(createdAt) < DAY_MS)
