import { Clock, Effect, Option } from "effect"
import { eventBodies } from "../domain/Event.ts"
import type { HookId } from "../domain/Ids.ts"
import type { HookAttempt, HookEndpoint, HookResults, HookWork, Streak } from "../ports/HookStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import type { WebhookAnswer, WebhookPost, WebhookSender } from "../ports/WebhookClient.ts"
import type { OpenSpan, Tracing } from "../ports/Tracing.ts"
import { elapsedBy } from "./Elapsed.ts"
import { make as makeSignal } from "./Signal.ts"

/*
 * A hook actor: the deliveries of one hook on one node.
 *
 * States   active   posts with its own concurrency
 *          paused   a run of failures: nothing is posted until a moment, then one delivery probes; pausing uses up no
 *                   attempts
 *
 * Mailbox  "look again": a job of the queue or the sweeper, or a timer for what is due later. Events stay in the store
 *          until they are posted, so a stopped node loses none, and a dead hook holds up nobody else.
 */

/** Failed posts in a row after which the actor pauses, and how long: doubled from probe to probe, at most the last. */
const PAUSE_AFTER = 5
const PAUSE_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const
/**
 * Results are written after so many posts, but no more often than the gap allows, and once a second: what a crash can
 * repeat is at most what came since. Without the gap a fast receiver has them written a hundred times a second, which
 * costs as much as a quarter of the posts.
 */
const SAVE_POSTS = 100
const SAVE_GAP_MS = 25
const SAVE_MS = 1_000
/**
 * Of a large piece, after this part of it: each write holds the positions that are left, so that writing after a fixed
 * number of posts costs the square of the piece's size.
 */
const SAVE_PART = 1 / 16

export interface HookActorWork {
  readonly endpoint: Effect.Effect<Option.Option<HookEndpoint>, StoreError>
  readonly claim: Effect.Effect<ReadonlyArray<HookWork>, StoreError>
  readonly claimMostTried: Effect.Effect<ReadonlyArray<HookWork>, StoreError>
  readonly finish: (results: HookResults) => Effect.Effect<boolean, StoreError>
  readonly nextDue: Effect.Effect<Option.Option<number>, StoreError>
  readonly sender: WebhookSender
  /** Hex HMAC-SHA256 of a text. */
  readonly hmac: (secret: string, text: string) => string
  readonly tracing: Tracing
  readonly onIdle: () => void
  readonly isStopping: () => boolean
  readonly retryDelaysMs: ReadonlyArray<number>
  readonly timeoutMs: number
  readonly leaseMs: number
  readonly concurrency: number
  readonly disableAfter: number
  readonly idleMs: number
}

export interface HookActor {
  readonly id: HookId
  readonly wake: () => void
  readonly isBusy: () => boolean
  readonly run: Effect.Effect<void>
}

const CONTENT_TYPE = ["content-type", "application/json"] as const
const USER_AGENT = ["user-agent", "Heliograph-Webhooks/1"] as const

/**
 * Headers of one attempt (spec 6.1, 6.2): the signature is over the bytes that are sent, its time is the attempt's. While
 * a secret is rotated there is one `v1` for each secret, the current one's first.
 */
export const deliveryHeaders = (
  secrets: ReadonlyArray<string>,
  body: string,
  nowMs: number,
  hmac: (secret: string, text: string) => string
): ReadonlyArray<readonly [string, string]> => {
  const headers: Array<readonly [string, string]> = [CONTENT_TYPE, USER_AGENT]
  if (secrets.length > 0) {
    const t = Math.floor(nowMs / 1000)
    const signed = `${t}.${body}`
    let signature = `t=${t}`
    for (const secret of secrets) signature += `, v1=${hmac(secret, signed)}`
    headers.push(["x-service-signature", signature])
  }
  return headers
}

const NO_STREAK: Streak = { leading: 0, reset: false, longest: 0, trailing: 0, reason: null }

/** One more exhausted delivery. */
const lengthened = (streak: Streak, reason: string): Streak => {
  if (!streak.reset) return { ...streak, leading: streak.leading + 1, reason }
  const trailing = streak.trailing + 1
  return { ...streak, trailing, longest: Math.max(streak.longest, trailing), reason }
}

export const failureOf = (answer: WebhookAnswer): string | null =>
  answer._tag === "NoAnswer"
    ? answer.reason
    : answer.status >= 200 && answer.status < 300
      ? null
      : `answered ${answer.status}`

export const makeHookActor = (id: HookId, work: HookActorWork): HookActor => {
  const mailbox = makeSignal()
  let isBusy = false
  let failuresInRow = 0
  let pauses = 0
  let pausedUntil = 0
  let epoch = 0

  const note = (failure: string | null, now: number): void => {
    if (failure === null) {
      failuresInRow = 0
      pauses = 0
      pausedUntil = 0
      return
    }
    failuresInRow++
    // A post that was under way when the actor paused is no probe: it does not prolong the pause.
    if (failuresInRow >= PAUSE_AFTER && now >= pausedUntil) {
      pausedUntil = now + PAUSE_MS[Math.min(pauses, PAUSE_MS.length - 1)]!
      pauses++
    }
  }

  const isOpen = (now: number): boolean => failuresInRow < PAUSE_AFTER || now >= pausedUntil

  /**
   * Posts the events of one piece of work and writes what came of them. `heldUntil` (of `elapsedBy`): nobody else can
   * have the piece before.
   */
  const deliver = Effect.fnUntraced(function* (
    first: HookEndpoint,
    piece: HookWork,
    heldUntil: number,
    span: OpenSpan | null
  ) {
    const clock = yield* Clock.Clock
    const elapsed = () => elapsedBy(clock)
    let endpoint = first
    const body = eventBodies(piece.chunk)
    const delayMs = work.retryDelaysMs[piece.attempts]
    const ahead = [...piece.positions]
    const remaining = new Set(piece.positions)
    let delivered: Array<number> = []
    let retry: Array<number> = []
    let exhausted: Array<{ position: number; error: string }> = []
    let tried: Array<HookAttempt> = []
    let streak = NO_STREAK
    let savedAt = elapsed()
    let refreshedAt = savedAt
    const tally = { delivered: 0, retried: 0, exhausted: 0 }
    const lease = { isOurs: true, isWanted: true, heldUntil }
    // One write at a time: an older list of what remains must not overwrite a newer one. True from the signal on.
    let isSaving = false
    const saveWanted = makeSignal()
    const saveAfter = Math.max(SAVE_POSTS, Math.ceil(piece.positions.length * SAVE_PART))

    const save = (releaseAfterMs: number | null) =>
      Effect.suspend(() => {
        isSaving = true
        const askedAt = elapsed()
        const results: HookResults = {
          workId: piece.id,
          fence: piece.fence,
          hookId: id,
          epoch: endpoint.epoch,
          delivered,
          tried,
          retry: retry.length > 0 ? { positions: retry, delayMs: delayMs! } : null,
          exhausted,
          remaining: [...remaining],
          releaseAfterMs,
          leaseMs: work.leaseMs,
          streak,
          disableAfter: work.disableAfter
        }
        delivered = []
        retry = []
        exhausted = []
        tried = []
        streak = NO_STREAK
        return work.finish(results).pipe(
          Effect.map((ours) => {
            lease.isOurs = ours
            if (ours) lease.heldUntil = askedAt + work.leaseMs
          }),
          Effect.ensuring(Effect.sync(() => (isSaving = false))),
          Effect.uninterruptible
        )
      })
    const unsaved = () => delivered.length + retry.length + exhausted.length
    const saveIfDue = (now: number): void => {
      if (unsaved() < saveAfter && now - savedAt < SAVE_MS) return
      isSaving = true
      saveWanted.signal()
    }

    /** `at`: epoch milliseconds; `begunAt`: of `elapsed`. */
    const settle = (position: number, at: number, begunAt: number, answer: WebhookAnswer): void => {
      const failure = failureOf(answer)
      const after = elapsed()
      const outcome = answer._tag === "Status" ? answer.status : answer.reason
      tried.push({ position, at, latencyMs: after - begunAt, outcome })
      remaining.delete(position)
      if (failure === null) {
        tally.delivered++
        delivered.push(position)
        if (!streak.reset || streak.trailing > 0) streak = { ...streak, reset: true, trailing: 0 }
      } else if (delayMs !== undefined) {
        tally.retried++
        retry.push(position)
      } else {
        tally.exhausted++
        exhausted.push({ position, error: failure })
        streak = lengthened(streak, failure)
      }
      note(failure, after)
      if (!isSaving && remaining.size > 0) saveIfDue(after)
    }

    const orderOf = (position: number, begunAt: number): WebhookPost => {
      const text = body(position)
      const at = clock.currentTimeMillisUnsafe()
      return {
        url: endpoint.url,
        headers: deliveryHeaders(endpoint.secrets, text, at, work.hmac),
        body: text,
        timeoutMs: work.timeoutMs,
        settle: (answer) => settle(position, at, begunAt, answer)
      }
    }

    /**
     * The piece may take minutes at a slow receiver: a new address or secret counts from the next attempt, and a hook
     * that is disabled, removed or of a new epoch gets nothing more of it. What was posted counts for the old epoch.
     */
    const refresh = Effect.gen(function* () {
      const now = yield* work.endpoint
      if (Option.isSome(now) && now.value.epoch === endpoint.epoch) endpoint = now.value
      else lease.isWanted = false
    })

    /**
     * The next post; none when the actor pauses, the work is another's, or the hook wants no more. Nor when the lease may
     * be over (the node slept, or the database does not take results): others may be posting it. What is left is given
     * back with the results, and taken again.
     */
    const next = (): WebhookPost | null => {
      if (!lease.isOurs || !lease.isWanted || ahead.length === 0 || work.isStopping()) return null
      const now = elapsed()
      return now < lease.heldUntil && isOpen(now) ? orderOf(ahead.pop()!, now) : null
    }

    /** Writes what has come in the meantime, again and again: also when the receiver has fallen silent since. */
    const keepSaving = Effect.gen(function* () {
      while (true) {
        yield* Effect.timeoutOption(saveWanted.wait, SAVE_MS)
        if (unsaved() === 0) continue
        const gapMs = savedAt + SAVE_GAP_MS - elapsed()
        if (gapMs > 0) yield* Effect.sleep(gapMs)
        const now = elapsed()
        savedAt = now
        yield* save(null)
        if (unsaved() > 0) saveIfDue(elapsed())
        if (now - refreshedAt < SAVE_MS) continue
        refreshedAt = now
        // Without an answer the piece goes on as it began: what is posted must not be lost for it.
        yield* Effect.ignore(refresh)
      }
    })

    /** The first alone: of a hook that failed, one at a time until one gets through. */
    const probe = Effect.suspend(() => {
      const order = next()
      if (order === null) return Effect.void
      const { body: text, headers, settle, timeoutMs, url } = order
      return Effect.map(work.sender.post(url, headers, text, timeoutMs), settle)
    })
    const postAll = work.sender.postAll(next, work.concurrency)
    const posts = failuresInRow >= PAUSE_AFTER ? Effect.andThen(probe, postAll) : postAll
    yield* Effect.raceFirst(posts, keepSaving).pipe(
      Effect.ensuring(
        Effect.suspend(() => {
          span?.note(tally)
          return lease.isOurs ? Effect.ignore(save(Math.max(0, pausedUntil - elapsed()))) : Effect.void
        })
      )
    )
  })

  /** One look: delivers what is due. Answers how long to wait before the next look; null when nothing is known. */
  const look = Effect.gen(function* () {
    while (!work.isStopping()) {
      const endpoint = yield* work.endpoint
      if (Option.isNone(endpoint)) return null
      // Enabled anew: what failed before says nothing about the receiver now.
      if (endpoint.value.epoch !== epoch) {
        epoch = endpoint.value.epoch
        note(null, 0)
      }
      const now = elapsedBy(yield* Clock.Clock)
      if (!isOpen(now)) return Math.ceil(pausedUntil - now)
      const heldUntil = now + work.leaseMs
      const pieces = yield* failuresInRow >= PAUSE_AFTER ? work.claimMostTried : work.claim
      if (pieces.length === 0) {
        return Option.getOrNull(yield* work.nextDue)
      }
      for (const piece of pieces) {
        const { appId, common, event, id: chunkId, trace = null } = piece.chunk
        const about = {
          app_id: appId,
          hook_id: id,
          notification_id: common["notificationId"] ?? "",
          event,
          chunk_id: chunkId,
          events: piece.positions.length,
          attempt: piece.attempts + 1
        }
        yield* work.tracing.span(trace, "webhook.attempt", "client", about, (span) =>
          deliver(endpoint.value, piece, heldUntil, span)
        )
      }
    }
    return null
  })

  const run = Effect.gen(function* () {
    while (true) {
      isBusy = true
      const waitMs = yield* look.pipe(
        Effect.catch((error) =>
          Effect.logWarning("Webhook deliveries could not be read or written; trying again", error).pipe(
            Effect.annotateLogs({ hook_id: id }),
            Effect.as(1000)
          )
        ),
        Effect.ensuring(Effect.sync(() => (isBusy = false)))
      )
      if (work.isStopping()) return work.onIdle()
      const isWoken = yield* Effect.raceFirst(
        Effect.as(mailbox.wait, true),
        Effect.as(Effect.sleep(Math.min(waitMs ?? work.idleMs, work.idleMs)), false)
      )
      // What is due later than the idle time is found by the sweeper, which starts the actor anew.
      if (!isWoken && (waitMs === null || waitMs > work.idleMs) && !mailbox.isSet()) return work.onIdle()
    }
  })

  return { id, wake: mailbox.signal, isBusy: () => isBusy, run }
}
