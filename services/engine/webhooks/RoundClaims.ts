import type { Scope } from "effect"
import { Effect, Exit, Option } from "effect"
import type { Tracing } from "../../ports/operations/Tracing.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { WebhookEndpoint, WebhookWork } from "../../ports/webhooks/WebhookStore.ts"
import type { Delivery } from "./Progress.ts"
import type { RoundPosts } from "./RoundPosts.ts"
import { SMALL } from "./RoundPosts.ts"
import type { ClaimAverages, Given, RoundWork, Source } from "./RoundWork.ts"

/** How often small work items are looked for behind large ones, and any when there were none. */
const LOOK_MS = 1_000
/** Events that are claimed ahead of their posts: a quarter of a second's, within the places and this. */
const AHEAD_MS = 250
const MOST_AHEAD = 512
/** Answers of a shorter time say little of the receiver's pace. */
const PACE_MS = 10

/** A round whose posts are under way, and how far its claims are. Moments are of `elapsed`. */
export interface Claiming {
  readonly work: RoundWork
  readonly posts: RoundPosts
  /** Of the posts and spans. */
  readonly scope: Scope.Scope
  hasClaimed: boolean
  claimedAt: number
  /** Posts that were answered by then. */
  answeredBefore: number
}

export const makeClaiming = (work: RoundWork, posts: RoundPosts, scope: Scope.Scope): Claiming => ({
  work,
  posts,
  scope,
  hasClaimed: false,
  claimedAt: posts.elapsed(),
  answeredBefore: 0
})

/**
 * Keeps a round going: claims work items before those at hand are used up, as long as more are wanted. Answers, when all
 * is posted and written, how long to wait before the next look, null when nothing is known; or that it is time to look
 * again, because something has changed.
 */
export const claimAndPost = Effect.fnUntraced(function* (
  round: Claiming,
  source: Source
): Effect.fn.Return<number | null | "again", StoreError> {
  const { posts, work } = round
  let mayBeMore = true
  let wakes = -1
  let lookedAt = posts.elapsed()
  while (true) {
    yield* startPosts(round)
    if (posts.breach !== null) return yield* Effect.failCause(posts.breach)
    if (source._tag === "given" || !posts.takesMore) {
      if (posts.open.length === 0) return "again"
      yield* posts.changed.wait
      continue
    }
    if (source.wakes() !== wakes) mayBeMore = true
    const target = wantedAhead(round)
    const hasEnough = posts.ahead > target / 2
    if (hasEnough && asksForSmall(posts, lookedAt)) {
      lookedAt = posts.elapsed()
      mayBeMore = yield* orLater(round, claimSmall(round, target))
    } else if (!hasEnough && mayBeMore) {
      wakes = source.wakes()
      mayBeMore = yield* orLater(round, claimDue(round, source.averages, target - posts.ahead))
    } else {
      if (posts.open.length === 0) return Option.getOrNull(yield* work.nextDue)
      if (hasEnough) posts.roomAt = target / 2
      const told = Effect.raceFirst(source.mailbox.wait, posts.changed.wait)
      const isLate = Option.isNone(yield* Effect.timeoutOption(told, LOOK_MS))
      posts.roomAt = -1
      mayBeMore ||= isLate
    }
  }
})

/** Uses the places that are free. Those of the posts under way are used again as they come free. */
const startPosts = ({ posts, scope, work }: Claiming): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!posts.hasRoom) return Effect.void
    const posting = Effect.onExit(work.sender.postAll(posts.next, work.concurrency), (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) return
        posts.breach = exit.cause
        posts.changed.signal()
      })
    )
    return Effect.asVoid(Effect.forkIn(posting, scope))
  })

/**
 * How many events are to be ahead: a slow receiver's wait for their turn in the store, where others can take them.
 */
const wantedAhead = ({ answeredBefore, claimedAt, posts, work }: Claiming): number => {
  const share = AHEAD_MS / Math.max(PACE_MS, posts.elapsed() - claimedAt)
  return Math.min(MOST_AHEAD, Math.max(work.concurrency, Math.ceil((posts.answered - answeredBefore) * share)))
}

/** Whether only large work items are at hand, and it is time to look for small ones behind them. */
const asksForSmall = (posts: RoundPosts, lookedAt: number): boolean =>
  posts.large.length > 0 && posts.small.length === 0 && (posts.hasMoreSmall || posts.elapsed() - lookedAt >= LOOK_MS)

/** Takes small work items from behind the large ones. Answers whether more may be due. */
const claimSmall = Effect.fnUntraced(function* (round: Claiming, events: number) {
  if (!(yield* beginClaim(round))) return true
  const items = yield* round.work.claimSmall(events, SMALL)
  round.posts.hasMoreSmall = items.length > 0
  yield* takeIn(round, items.map(whole), round.claimedAt + round.work.leaseMs)
  return true
})

/** Takes whatever is due. Answers whether there may be more. */
const claimDue = Effect.fnUntraced(function* (round: Claiming, averages: ClaimAverages, events: number) {
  if (!(yield* beginClaim(round))) return true
  const limit = Math.max(1, Math.ceil(events / averages.itemSize))
  const items = yield* round.work.claim(limit, events)
  let size = 0
  for (const { positions } of items) size += positions.length
  averages.itemSize = items.length === 0 ? 1 : size / items.length
  yield* takeIn(round, items.map(whole), round.claimedAt + round.work.leaseMs)
  return items.length >= limit || size >= events
})

/** Answers whether the webhook still wants its events: a round's first claim knows, later ones look again. */
const beginClaim = Effect.fnUntraced(function* (round: Claiming) {
  const { posts, work } = round
  if (round.hasClaimed) {
    yield* work.untilOpen
    yield* posts.refresh()
    if (!posts.isWanted) return false
  }
  round.hasClaimed = true
  round.claimedAt = posts.elapsed()
  round.answeredBefore = posts.answered
  return true
})

const whole = (item: WebhookWork): Given => ({ item, turn: null, isProbe: false })

/** Puts work items among those that are posted. `heldUntil`: of `elapsed`. */
export const takeIn = Effect.fnUntraced(function* (
  { posts, scope, work }: Claiming,
  items: ReadonlyArray<Given>,
  heldUntil: number
) {
  const now = posts.elapsed()
  for (const given of items) {
    const it = posts.add(given, heldUntil, now)
    const over = it.spanOver
    if (over === null) continue
    yield* Effect.forkIn(
      Effect.ensuring(
        traced(work.tracing, posts.facts.webhookId, it, over.wait),
        Effect.sync(() => posts.close(it))
      ),
      scope
    )
  }
})

/** A span over the posts of a work item, from now until `ended`. */
const traced = (
  tracing: Tracing,
  webhookId: WebhookEndpoint["id"],
  { ahead, item, tally }: Delivery,
  ended: Effect.Effect<void>
): Effect.Effect<void> => {
  const { appId, common, event, id: chunkId, trace = null } = item.chunk
  const about = {
    app_id: appId,
    webhook_id: webhookId,
    notification_id: common["notificationId"] ?? "",
    event,
    chunk_id: chunkId,
    events: ahead.length,
    attempt: item.attempts + 1
  }
  return tracing.span(trace, "webhook.attempt", "client", about, (span) =>
    Effect.ensuring(
      ended,
      Effect.sync(() => span?.note(tally))
    )
  )
}

/** A claim; one that fails is left for later while something is under way, which comes to its end all the same. */
const orLater = ({ posts }: Claiming, claim: Effect.Effect<boolean, StoreError>): Effect.Effect<boolean, StoreError> =>
  Effect.catch(claim, (error) =>
    posts.open.length === 0
      ? Effect.fail(error)
      : Effect.logWarning("Webhook deliveries could not be read; trying again", error).pipe(
          Effect.annotateLogs({ webhook_id: posts.facts.webhookId }),
          Effect.andThen(Effect.timeoutOption(posts.changed.wait, LOOK_MS)),
          Effect.as(true)
        )
  )
