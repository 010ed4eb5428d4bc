import { Effect } from "effect"
import type { StoreError } from "../../ports/StoreError.ts"
import { tellOfPosts } from "../operations/OutcomeLog.ts"
import type { Delivery } from "./Progress.ts"
import type { RoundPosts } from "./RoundPosts.ts"
import { SAVE_MS } from "./RoundPosts.ts"
import type { RoundWork } from "./RoundWork.ts"

/**
 * Results are written no more often than the gap allows, unless nothing is under way. Without the gap a fast receiver
 * has them written a hundred times a second, which costs as much as a quarter of the posts.
 */
const SAVE_GAP_MS = 25

/**
 * Writes what came of a round's posts, of many small work items in one statement, again and again: also when the
 * receiver has fallen silent since. Ends only by a failure or an interruption.
 */
export const saveResults = Effect.fnUntraced(function* (posts: RoundPosts, work: RoundWork) {
  let savedAt = posts.elapsed()
  let refreshedAt = savedAt
  while (true) {
    if (!posts.hasDue) yield* Effect.timeoutOption(posts.saveWanted.wait, SAVE_MS)
    const isSilent = !posts.hasDue
    yield* untilGapOver(posts, savedAt)
    const some = posts.takeDue(isSilent)
    if (some.length === 0) continue
    savedAt = posts.elapsed()
    yield* writeResults(posts, work, some)
    if (savedAt - refreshedAt < SAVE_MS) continue
    refreshedAt = savedAt
    // Without an answer the round goes on as it began: what is posted must not be lost for it.
    yield* Effect.ignore(posts.refresh())
  }
})

/** Writes what came since, and gives back what has not begun: for the end of a round. */
export const saveWhatIsLeft = (posts: RoundPosts, work: RoundWork): Effect.Effect<void> =>
  Effect.suspend(() => {
    const left = posts.takeLeft()
    return left.length === 0 ? Effect.void : Effect.ignore(writeResults(posts, work, left))
  })

const untilGapOver = (posts: RoundPosts, savedAt: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    const gapMs = savedAt + SAVE_GAP_MS - posts.elapsed()
    return gapMs <= 0 || posts.isQuiet
      ? Effect.void
      : Effect.andThen(Effect.timeoutOption(posts.quiet.wait, gapMs), untilGapOver(posts, savedAt))
  })

const writeResults = (
  posts: RoundPosts,
  work: RoundWork,
  some: ReadonlyArray<Delivery>
): Effect.Effect<void, StoreError> =>
  Effect.suspend(() => {
    const askedAt = posts.elapsed()
    const results = some.map((it) => it.take(posts.facts, askedAt))
    // What ends during the write is written once more.
    const areOver = some.map(({ isOver }) => isOver)
    return work.finish(results).pipe(
      Effect.flatMap((ours) =>
        Effect.forEach(
          some,
          (it, i) => {
            it.isOurs = ours[i]!
            if (it.isOurs) it.heldUntil = askedAt + work.leaseMs
            if (areOver[i]!) posts.done(it)
            return it.isOurs ? tellOfPosts(it.item.attempts + 1, results[i]!) : Effect.void
          },
          { discard: true }
        )
      ),
      Effect.uninterruptible
    )
  })
