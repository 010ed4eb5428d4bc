import type { Cause } from "effect"
import { Clock, Effect, Exit, Option } from "effect"
import type { WebhookEndpoint, WebhookResults, WebhookWork } from "../../ports/webhooks/WebhookStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { Tracing } from "../../ports/operations/Tracing.ts"
import type { WebhookAnswer, WebhookPost, WebhookSender } from "../../ports/webhooks/WebhookClient.ts"
import { elapsedBy } from "../operations/Elapsed.ts"
import { Delivery, SAVE_POSTS } from "./Progress.ts"
import { deliveryHeaders, failureOf } from "./Attempt.ts"
import { tellOfPosts } from "../operations/OutcomeLog.ts"
import type { Signal } from "../operations/Signal.ts"
import { make as makeSignal } from "../operations/Signal.ts"

/*
 * A round of a webhook actor: work items whose events are posted side by side, within the places (the concurrency) of
 * the webhook. Three things go on at once:
 *
 *   drive   claims further work items before those at hand are used up, and ends the round
 *   next    gives each place that comes free to a work item: half of them to small ones, half to large ones, in each
 *           half by turns. So neither a slow work item nor a large one keeps others waiting.
 *   save    writes what came of the posts, of many small work items in one statement
 */

/**
 * Results are written no more often than the gap allows, unless nothing is under way; and once a second: what a crash
 * can repeat is at most what came since. Without the gap a fast receiver has them written a hundred times a second,
 * which costs as much as a quarter of the posts.
 */
const SAVE_GAP_MS = 25
const SAVE_MS = 1_000
/** A work item of no more events is small: its results are written once. */
const SMALL = SAVE_POSTS
/** How often small work items are looked for behind large ones, and any when there were none. */
const LOOK_MS = 1_000
/** Events that are claimed ahead of their posts: a quarter of a second's, within the places and this. */
const AHEAD_MS = 250
const MOST_AHEAD = 512
/** Answers of a shorter time say little of the receiver's pace. */
const PACE_MS = 10

/** What a round needs of its webhook. */
export interface RoundWork {
  readonly endpoint: Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>
  /** Up to `limit` work items, and no more than it takes to have so many events. */
  readonly claim: (limit: number, events: number) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
  /** Up to `limit` work items of at most `size` events each, of those that became due last. */
  readonly claimSmall: (limit: number, size: number) => Effect.Effect<ReadonlyArray<WebhookWork>, StoreError>
  /** Waits until what is posted can be written. */
  readonly untilOpen: Effect.Effect<void>
  /** Whether posts of a claimed work item may begin: nobody else can have it, and what was posted can be written. */
  readonly mayBegin: (item: WebhookWork) => boolean
  /** For each work item: false when its lease was lost. */
  readonly finish: (results: ReadonlyArray<WebhookResults>) => Effect.Effect<ReadonlyArray<boolean>, StoreError>
  readonly nextDue: Effect.Effect<Option.Option<number>, StoreError>
  readonly sender: WebhookSender
  /** Hex HMAC-SHA256 of a text. */
  readonly hmac: (secret: string, text: string) => string
  readonly tracing: Tracing
  readonly isStopping: () => boolean
  readonly retryDelaysMs: ReadonlyArray<number>
  readonly timeoutMs: number
  readonly leaseMs: number
  readonly concurrency: number
  readonly disableAfter: number
}

/** What the actor knows of the receiver. */
export interface Receiver {
  readonly isActive: () => boolean
  /** A post's failure, or null, at a moment of `elapsedBy`. */
  readonly note: (failure: string | null, now: number) => void
}

/** A work item, and which of its positions are posted; null: all, as long as the receiver takes them. */
export interface Given {
  readonly item: WebhookWork
  readonly turn: ReadonlyArray<number> | null
  readonly isProbe: boolean
}

/**
 * Where a round gets its work from: work items that were claimed for it, or whatever is due while the receiver is
 * active.
 */
export type Source =
  | { readonly _tag: "given"; readonly items: ReadonlyArray<Given>; readonly heldUntil: number }
  | {
      readonly _tag: "claims"
      readonly mailbox: Signal
      /** How often the mailbox was told. */
      readonly wakes: () => number
      readonly averages: ClaimAverages
    }

/** What is remembered of claims from round to round: how many events a work item had. */
export interface ClaimAverages {
  itemSize: number
}

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

/**
 * Posts until there is nothing more to post, and all is written. Answers how long to wait before the next look, null
 * when nothing is known; or that it is time to look again, because something has changed.
 */
export const postRound = Effect.fnUntraced(function* (
  work: RoundWork,
  first: WebhookEndpoint,
  source: Source,
  receiver: Receiver
): Effect.fn.Return<number | null | "again", StoreError> {
  const clock = yield* Clock.Clock
  const elapsed = () => elapsedBy(clock)
  const facts = {
    webhookId: first.id,
    epoch: first.epoch,
    leaseMs: work.leaseMs,
    disableAfter: work.disableAfter
  }
  let endpoint = first
  /** Not when the webhook is disabled, removed, or of a new epoch. */
  let isWanted = true
  let breach: Cause.Cause<never> | null = null

  /** Not written to their end. A list without an order: see `Deadlines` for why it is no set. */
  const open: Array<Delivery> = []
  /** With events ahead, the next one first. */
  const small: Array<Delivery> = []
  const large: Array<Delivery> = []
  let isLargesTurn = false
  let ahead = 0
  let underWay = 0
  let answered = 0
  /** Whether a work item may have a run of exhausted deliveries, which any success ends. */
  let hasRuns = false
  /** Whether the claims wait for events to be used up, down to so many. */
  let roomAt = -1
  /** Whether there may be more small work items behind the large ones: the last look found some. */
  let hasMoreSmall = false
  let due: Array<Delivery> = []
  const saveWanted = makeSignal()
  const quiet = makeSignal()
  const changed = makeSignal()

  const isQuiet = (): boolean => underWay === 0 && ahead === 0
  const wantSave = (it: Delivery): void => {
    if (it.isDue) return
    it.isDue = true
    due.push(it)
    saveWanted.signal()
  }
  const close = (it: Delivery): void => {
    const last = open.pop()!
    if (last !== it) {
      open[it.place] = last
      last.place = it.place
    }
    if (open.length === 0) changed.signal()
  }
  /** Nothing of it is left to write. */
  const done = (it: Delivery): void => {
    it.isDone = true
    if (it.spanOver === null) close(it)
    else it.spanOver.signal()
  }
  const end = (it: Delivery): void => {
    it.isOver = true
    if (it.isOurs) wantSave(it)
    else done(it)
    if (isQuiet()) quiet.signal()
  }

  /** `at`: epoch milliseconds; `begunAt`: of `elapsed`. */
  const settle = (it: Delivery, position: number, at: number, begunAt: number, answer: WebhookAnswer): void => {
    const now = elapsed()
    answered++
    underWay--
    it.underWay--
    const failure = failureOf(answer)
    receiver.note(failure, now)
    if (!receiver.isActive()) changed.signal()
    if (failure === null || !it.isProbe) {
      const outcome = answer._tag === "Status" ? answer.status : answer.reason
      it.took({ position, at, latencyMs: now - begunAt, outcome }, failure)
      if (failure !== null) hasRuns = true
      else if (hasRuns) {
        hasRuns = false
        for (const other of open) if (other.hasRun) other.breakRun()
      }
    }
    if (it.underWay === 0 && it.ahead.length === 0) end(it)
    else if (it.unsaved >= it.saveAfter || (it.unsaved > 0 && now - it.savedAt >= SAVE_MS)) wantSave(it)
  }

  const orderOf = (it: Delivery, position: number, begunAt: number): WebhookPost => {
    const text = it.body(position)
    const at = clock.currentTimeMillisUnsafe()
    return {
      url: endpoint.url,
      headers: deliveryHeaders(endpoint.secrets, text, at, work.hmac),
      body: text,
      timeoutMs: work.timeoutMs,
      settle: (answer) => settle(it, position, at, begunAt, answer)
    }
  }

  /**
   * Not when the receiver has begun to fail, the lease of the work was lost, or the webhook wants no more. Nor when the
   * lease may be over (the node slept): others may be posting it. Nor while the database takes no results.
   */
  const mayBegin = (it: Delivery, now: number): boolean =>
    it.isOurs &&
    isWanted &&
    now < it.heldUntil &&
    (it.isTurn || receiver.isActive()) &&
    !work.isStopping() &&
    work.mayBegin(it.item)

  /** The next post, if a place is free. What may not begin is given back with its results, and taken again. */
  const next = (): WebhookPost | null => {
    while (underWay < work.concurrency) {
      const line = large.length > 0 && (isLargesTurn || small.length === 0) ? large : small
      const it = line[0]
      if (it === undefined) return null
      const now = elapsed()
      if (!mayBegin(it, now)) {
        line.shift()
        ahead -= it.ahead.length
        it.ahead.length = 0
        if (it.underWay === 0) end(it)
        continue
      }
      isLargesTurn = line === small
      const position = it.ahead.pop()!
      if (it.ahead.length === 0) line.shift()
      else if (line.length > 1) line.push(line.shift()!)
      ahead--
      underWay++
      it.underWay++
      if (ahead <= roomAt || (hasMoreSmall && small.length === 0)) changed.signal()
      return orderOf(it, position, now)
    }
    return null
  }

  const write = (some: ReadonlyArray<Delivery>) =>
    Effect.suspend(() => {
      const askedAt = elapsed()
      const results = some.map((it) => it.take(facts, askedAt))
      // What ends during the write is written once more.
      const areOver = some.map(({ isOver }) => isOver)
      return work.finish(results).pipe(
        Effect.flatMap((ours) =>
          Effect.forEach(
            some,
            (it, i) => {
              it.isOurs = ours[i]!
              if (it.isOurs) it.heldUntil = askedAt + work.leaseMs
              if (areOver[i]!) done(it)
              return it.isOurs ? tellOfPosts(it.item.attempts + 1, results[i]!) : Effect.void
            },
            { discard: true }
          )
        ),
        Effect.uninterruptible
      )
    })

  /**
   * The round may take long: a new address or secret counts from the next attempt, and a webhook that is disabled,
   * removed or of a new epoch gets nothing more. What was posted counts for the old epoch.
   */
  const refresh = Effect.map(work.endpoint, (now) => {
    if (Option.isSome(now) && now.value.epoch === facts.epoch) endpoint = now.value
    else {
      isWanted = false
      changed.signal()
    }
  })

  /** Writes what has come, again and again: also when the receiver has fallen silent since. */
  const save = Effect.gen(function* () {
    let savedAt = elapsed()
    let refreshedAt = savedAt
    const gap: Effect.Effect<void> = Effect.suspend(() => {
      const gapMs = savedAt + SAVE_GAP_MS - elapsed()
      return gapMs <= 0 || isQuiet() ? Effect.void : Effect.andThen(Effect.timeoutOption(quiet.wait, gapMs), gap)
    })
    while (true) {
      if (due.length === 0) yield* Effect.timeoutOption(saveWanted.wait, SAVE_MS)
      const isSilent = due.length === 0
      yield* gap
      const asked = isSilent ? open.filter((it) => it.unsaved > 0 || it.isDue) : due
      due = []
      const some = asked.filter((it) => it.isOurs && !it.isDone)
      for (const it of asked) if (!it.isOurs && it.isOver && !it.isDone) done(it)
      if (some.length === 0) continue
      const now = elapsed()
      savedAt = now
      yield* write(some)
      if (now - refreshedAt < SAVE_MS) continue
      refreshedAt = now
      // Without an answer the round goes on as it began: what is posted must not be lost for it.
      yield* Effect.ignore(refresh)
    }
  })

  return yield* Effect.scoped(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      // Comes after the posts, which are interrupted first.
      yield* Effect.addFinalizer(() => {
        const left = open.filter(({ isDone, isOurs }) => isOurs && !isDone)
        for (const it of left) it.isOver = true
        return left.length === 0 ? Effect.void : Effect.ignore(write(left))
      })

      const add = Effect.fnUntraced(function* (some: ReadonlyArray<Given>, heldUntil: number) {
        const now = elapsed()
        for (const { isProbe, item, turn } of some) {
          const it = new Delivery(item, turn, isProbe, heldUntil, now, work.retryDelaysMs[item.attempts])
          it.place = open.push(it) - 1
          ahead += it.ahead.length
          const line = it.ahead.length > SMALL ? large : small
          line.push(it)
          const over = it.spanOver
          if (over === null) continue
          yield* Effect.forkIn(
            Effect.ensuring(
              traced(work.tracing, facts.webhookId, it, over.wait),
              Effect.sync(() => close(it))
            ),
            scope
          )
        }
      })

      /** Uses the places that are free. Those of the posts under way are used again as they come free. */
      const fill = Effect.suspend(() => {
        if (underWay >= work.concurrency || (small.length === 0 && large.length === 0)) return Effect.void
        const posting = Effect.onExit(work.sender.postAll(next, work.concurrency), (exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) return
            breach = exit.cause
            changed.signal()
          })
        )
        return Effect.asVoid(Effect.forkIn(posting, scope))
      })

      let hasClaimed = false
      let claimedAt = elapsed()
      let answeredBefore = 0
      /**
       * How many events are to be ahead: a slow receiver's wait for their turn in the store, where others can take
       * them.
       */
      const wanted = (): number => {
        const share = AHEAD_MS / Math.max(PACE_MS, elapsed() - claimedAt)
        return Math.min(MOST_AHEAD, Math.max(work.concurrency, Math.ceil((answered - answeredBefore) * share)))
      }

      /** Takes small work items from behind the large ones, or whatever is due. Answers whether there may be more. */
      const claim = Effect.fnUntraced(function* (averages: ClaimAverages, events: number, isSmall: boolean) {
        if (hasClaimed) {
          yield* work.untilOpen
          yield* refresh
          if (!isWanted) return true
        }
        hasClaimed = true
        claimedAt = elapsed()
        answeredBefore = answered
        if (isSmall) {
          const items = yield* work.claimSmall(events, SMALL)
          hasMoreSmall = items.length > 0
          yield* add(items.map(whole), claimedAt + work.leaseMs)
          return true
        }
        const limit = Math.max(1, Math.ceil(events / averages.itemSize))
        const items = yield* work.claim(limit, events)
        let size = 0
        for (const { positions } of items) size += positions.length
        averages.itemSize = items.length === 0 ? 1 : size / items.length
        yield* add(items.map(whole), claimedAt + work.leaseMs)
        return items.length >= limit || size >= events
      })

      const drive = Effect.gen(function* () {
        let mayBeMore = true
        let wakes = -1
        let lookedAt = elapsed()
        while (true) {
          yield* fill
          if (breach !== null) return yield* Effect.failCause(breach)
          if (source._tag === "given" || !isWanted || !receiver.isActive() || work.isStopping()) {
            if (open.length === 0) return "again" as const
            yield* changed.wait
            continue
          }
          if (source.wakes() !== wakes) mayBeMore = true
          const target = wanted()
          const hasEnough = ahead > target / 2
          const isSmall =
            hasEnough && large.length > 0 && small.length === 0 && (hasMoreSmall || elapsed() - lookedAt >= LOOK_MS)
          if (!isSmall && (hasEnough || !mayBeMore)) {
            if (open.length === 0) return Option.getOrNull(yield* work.nextDue)
            if (hasEnough) roomAt = target / 2
            const told = Effect.raceFirst(source.mailbox.wait, changed.wait)
            const isLate = Option.isNone(yield* Effect.timeoutOption(told, LOOK_MS))
            roomAt = -1
            mayBeMore ||= isLate
            continue
          }
          if (isSmall) lookedAt = elapsed()
          else wakes = source.wakes()
          const claimed = claim(source.averages, isSmall ? target : target - ahead, isSmall)
          mayBeMore = yield* Effect.catch(claimed, (error) =>
            // What is under way comes to its end all the same.
            open.length === 0
              ? Effect.fail(error)
              : Effect.logWarning("Webhook deliveries could not be read; trying again", error).pipe(
                  Effect.annotateLogs({ webhook_id: facts.webhookId }),
                  Effect.andThen(Effect.timeoutOption(changed.wait, LOOK_MS)),
                  Effect.as(true)
                )
          )
        }
      })

      if (source._tag === "given") yield* add(source.items, source.heldUntil)
      return yield* Effect.raceFirst(drive, save)
    })
  )
})

const whole = (item: WebhookWork): Given => ({ item, turn: null, isProbe: false })
