import { Clock, Effect, Scope } from "effect"
import type { StoreError } from "../../ports/StoreError.ts"
import type { WebhookEndpoint } from "../../ports/webhooks/WebhookStore.ts"
import { claimAndPost, makeClaiming, takeIn } from "./RoundClaims.ts"
import { RoundPosts } from "./RoundPosts.ts"
import { saveResults, saveWhatIsLeft } from "./RoundSaves.ts"
import type { Receiver, RoundWork, Source } from "./RoundWork.ts"

/*
 * A round of a webhook actor: work items whose events are posted side by side, within the places (the concurrency) of
 * the webhook. Three things go on at once:
 *
 *   RoundClaims  claims further work items before those at hand are used up, and ends the round
 *   RoundPosts   gives each place that comes free to a work item: half of them to small ones, half to large ones, in
 *                each half by turns. So neither a slow work item nor a large one keeps others waiting.
 *   RoundSaves   writes what came of the posts, of many small work items in one statement
 */

/**
 * Posts until there is nothing more to post, and all is written. Answers how long to wait before the next look, null
 * when nothing is known; or that it is time to look again, because something has changed.
 */
export const postRound = Effect.fnUntraced(function* (
  work: RoundWork,
  endpoint: WebhookEndpoint,
  source: Source,
  receiver: Receiver
): Effect.fn.Return<number | null | "again", StoreError> {
  const posts = new RoundPosts(work, endpoint, receiver, yield* Clock.Clock)
  return yield* Effect.scopedWith((scope) => postWithin(scope, posts, work, source))
})

const postWithin = Effect.fnUntraced(function* (
  scope: Scope.Scope,
  posts: RoundPosts,
  work: RoundWork,
  source: Source
) {
  // Comes after the posts, which are interrupted first.
  yield* Scope.addFinalizer(scope, saveWhatIsLeft(posts, work))
  const round = makeClaiming(work, posts, scope)
  if (source._tag === "given") yield* takeIn(round, source.items, source.heldUntil)
  return yield* Effect.raceFirst(claimAndPost(round, source), saveResults(posts, work))
})
