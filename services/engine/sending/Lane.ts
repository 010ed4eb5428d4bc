import { Clock, Effect, Exit, Scope } from "effect"
import type { Semaphore } from "effect"
import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { AppId } from "../../domain/Ids.ts"
import type { Priority } from "../../domain/sending/Notification.ts"
import type { ClaimedBatch, LaneKey } from "../../ports/sending/BatchStore.ts"
import { SMALL_BATCH } from "../../ports/sending/BatchStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { elapsedBy } from "../operations/Elapsed.ts"
import type { LaneReport, Progress } from "./Results.ts"
import { make as makeSignal } from "../operations/Signal.ts"

/*
 * A lane: the actor for one application's messages to one provider at one priority, on one node.
 *
 * States   open   claims batches up to its window
 *          slowed over a limit: claims nothing until a moment that the provider named, or until the credential was
 *                 replaced, whose limits are its own; the window is halved
 *          paused the credential was refused: every `pauseMs`, or as soon as it was replaced, one batch goes ahead with
 *                 one recipient; if that one gets through, the lane is open again
 *
 * Mailbox  "look again", from three sides: a job of the queue or the sweeper (there are batches), a batch that ended
 *          (there is room), a timer (the wait is over). It holds nothing: batches stay in the store until the lane has
 *          room for them, so a stopped node loses no work and another node takes what this one leaves.
 */

export const laneId = (key: Pick<LaneKey, "appId" | "provider" | "priority">): string => `${key.appId}:${key.provider}`

export const laneKey = (id: string, priority: Priority): LaneKey | null => {
  const [appId, provider] = id.split(":")
  return appId && provider ? { appId: appId as AppId, provider: provider as ProviderKind, priority } : null
}

interface Waiting {
  /** Of `elapsedBy`. */
  readonly until: number
  readonly reason: string
  /** Of the credential that the provider complained of. */
  readonly version: number | null
}

export type LaneState =
  { readonly _tag: "open" } | (Waiting & { readonly _tag: "slowed" }) | (Waiting & { readonly _tag: "paused" })

export interface LaneWork {
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<ClaimedBatch>, StoreError>
  /** Sends a batch to its end, and notes how far it is. With `probe`, the credential is in doubt. */
  readonly send: (batch: ClaimedBatch, probe: boolean, progress: Progress) => Effect.Effect<LaneReport, StoreError>
  /** Batches under way on this node beside the first of each lane, over all lanes of a priority. */
  readonly permits: Semaphore.Semaphore
  /**
   * How many more may wait for their last answers without a place in their lane's window, over all lanes. A lane has no
   * more than are left to others.
   */
  readonly strays: { left: number }
  /**
   * Whether the reason to wait has gone with the credential. Asked every `repairMs` while the lane is slowed or paused.
   */
  readonly isRepaired: (state: Exclude<LaneState, { readonly _tag: "open" }>) => Effect.Effect<boolean, StoreError>
  /** A batch ended. Called at once, as is `onIdle`, after which the lane takes no more wake-ups. */
  readonly onEnd: () => void
  readonly onIdle: () => void
  /** The node takes no new work. */
  readonly isStopping: () => boolean
  readonly maxWindow: number
  readonly pauseMs: number
  readonly repairMs: number
  readonly idleMs: number
}

export interface Lane {
  readonly key: LaneKey
  readonly wake: () => void
  /**
   * Batches that were claimed as they were accepted take no place in the window: each is a fraction of a batch.
   * `takesDirect`: whether one may begin now. Each that begins ends once, by `endDirect` or by being sent with
   * `sendDirect`, as any other batch is.
   */
  readonly takesDirect: () => boolean
  readonly beginDirect: () => void
  /** The provider took one. */
  readonly noteAnswer: () => void
  readonly endDirect: () => void
  readonly sendDirect: (batch: ClaimedBatch) => Effect.Effect<void>
  readonly state: () => LaneState
  readonly window: () => number
  readonly running: () => number
  /** Runs until the lane has been idle for `idleMs`. Batches under way when it is interrupted are waited for. */
  readonly run: Effect.Effect<void>
}

const OPEN: LaneState = { _tag: "open" }

const elapsed = Effect.map(Clock.Clock, elapsedBy)

type Claimed = readonly [ClaimedBatch, ...ReadonlyArray<ClaimedBatch>]

/**
 * A lane whose last batch was as small as that of a single message takes many at once the next time: they are read,
 * sent and written together. Claims of large batches stay one by one, so that other nodes get theirs.
 */
const TOGETHER = 128

/**
 * Batches that were claimed as they were accepted and are under way at once, at most: about what a process sends in a
 * second, so that one that accepts faster than another sends does not pile up more than its lease lasts for.
 */
const MOST_DIRECT = 5000

/**
 * How often it is looked whether what a place is taken for waits for a few answers only. While a provider takes
 * thousands in that time and leaves one request in a thousand without an answer, for seconds or until it is given up,
 * that one must not decide how fast the others go.
 */
const STRAY_MS = 250
/** The share of its recipients that a few are at most, and their number where others of the lane are answered. */
const FEW_OF = 8
const FEW = TOGETHER / FEW_OF
/**
 * After so many looks without another answer, half of them are few enough where the provider has taken others: no more
 * will come soon, and what the window learns of its limits does not concern what it leaves without an answer.
 */
const SILENT_LOOKS = 4
const SILENT_OF = 2

/** Where the credential is in doubt, each batch tries it once: many would be many refusals at once. */
const goesTogether = ({ credential, recipients }: ClaimedBatch): boolean =>
  recipients.length <= SMALL_BATCH && (credential?.suspendedReason ?? null) === null

const progressOf = ({ recipients }: ClaimedBatch): Progress => ({ left: recipients.length, isTaken: false })

const leftOf = (each: ReadonlyArray<{ readonly progress: Progress }>): number =>
  each.reduce((sum, { progress }) => sum + progress.left, 0)

export const makeLane = (key: LaneKey, work: LaneWork): Lane => {
  const mailbox = makeSignal()
  let state: LaneState = OPEN
  let window = work.maxWindow
  let running = 0
  /** Places given to others while their last answers are waited for. */
  let strays = 0
  /** Batches of which the provider took something: one that answers nobody, or puts off everybody, makes none. */
  let answered = 0
  /** Batches to claim at once. */
  let limit = 1
  /** When the lane last looked whether its credential was repaired. */
  let lookedAt = 0
  /** Batches may wait in the store: somebody said so, and no claim has come back empty since. */
  let isDue = true
  /** Batches under way that were claimed as they were accepted. */
  let direct = 0

  /** Additive increase, multiplicative decrease: the window finds what the provider takes. */
  const learn = (report: LaneReport, version: number | null, now: number): void => {
    if (report.isProved === true) answered++
    // What is put off waits in the store.
    if (report.suspend !== null || report.slow !== null) isDue = true
    if (report.suspend !== null) {
      state = { _tag: "paused", until: now + work.pauseMs, reason: report.suspend, version }
    } else if (report.slow !== null) {
      const until = now + report.slow.ms
      if (state._tag === "open" || now >= state.until || state.version !== version) {
        window = Math.max(1, Math.floor(window / 2))
      } else if (state._tag === "paused" || until <= state.until) {
        // Of messages that were under way together, one halves the window and the longest wait counts; a refusal of the
        // credential is not taken back by a limit.
        return
      }
      state = { _tag: "slowed", until, reason: report.slow.reason, version }
    } else {
      // A batch that was under way when the state changed says nothing against the change.
      if (state._tag !== "open" && now >= state.until) state = OPEN
      window = Math.min(work.maxWindow, window + 1)
    }
  }

  const sendOne = (batch: ClaimedBatch, probe: boolean, progress: Progress) =>
    work.send(batch, probe, progress).pipe(
      Effect.flatMap((report) => Effect.map(elapsed, (now) => learn(report, batch.credential?.version ?? null, now))),
      Effect.catchCause((cause) =>
        Effect.logError("A batch was left to its lease", cause).pipe(
          Effect.annotateLogs({
            app_id: batch.appId,
            notification_id: batch.notificationId,
            batch_id: batch.id,
            provider: batch.provider
          })
        )
      ),
      Effect.ensuring(Effect.sync(() => void (progress.left = 0)))
    )

  const takesDirect = (): boolean => state._tag === "open" && direct < MOST_DIRECT

  const endDirect = (): void => {
    direct--
    if (isDue) mailbox.signal()
    work.onEnd()
  }

  /** What was claimed together has one place in the window, until a few of it are left, or the last has ended. */
  const send = (claimed: Claimed, probe: boolean, isShared: boolean) => {
    const each = claimed.map((batch) => ({ batch, progress: progressOf(batch) }))
    let isStray = false
    const leavePlace = Effect.suspend(() => {
      running--
      mailbox.signal()
      return isShared ? work.permits.release(1) : Effect.void
    })
    const size = leftOf(each)
    const before = answered
    let least = size
    let silent = 0
    const look = Effect.suspend(() => {
      const left = leftOf(each)
      silent = left < least ? 0 : silent + 1
      least = left
      const isTaking = answered > before || each.some(({ progress }) => progress.isTaken)
      const isFew =
        left * FEW_OF <= size ||
        (left <= FEW && answered > before) ||
        (left * SILENT_OF <= size && silent >= SILENT_LOOKS && isTaking)
      if (!isFew || strays >= work.strays.left) return Effect.succeed(false)
      work.strays.left--
      strays++
      isStray = true
      return Effect.as(leavePlace, true)
    })
    const looks = Effect.andThen(Effect.sleep(STRAY_MS), Effect.uninterruptible(look))
    const stray = Effect.andThen(Effect.repeat(looks, { until: (isGiven) => isGiven }), Effect.never)
    const all = Effect.forEach(each, ({ batch, progress }) => sendOne(batch, probe, progress), {
      concurrency: "unbounded",
      discard: true
    })
    return (probe ? all : Effect.raceFirst(all, stray)).pipe(
      Effect.ensuring(
        Effect.suspend(() => {
          if (!isStray) return leavePlace
          work.strays.left++
          strays--
          mailbox.signal()
          return Effect.void
        })
      ),
      Effect.ensuring(Effect.sync(work.onEnd))
    )
  }

  /** Claims and starts batches while there are any and there is room. Answers how long to wait before looking again. */
  const fill = Effect.fnUntraced(function* (scope: Scope.Scope) {
    while (isDue && !work.isStopping()) {
      const now = yield* elapsed
      if (state._tag !== "open" && now < state.until && now - lookedAt >= work.repairMs) {
        lookedAt = now
        const doubted = state
        if (yield* work.isRepaired(doubted)) state = doubted._tag === "paused" ? { ...doubted, until: now } : OPEN
      }
      if (state._tag !== "open" && now < state.until) {
        return Math.ceil(Math.min(lookedAt + work.repairMs, state.until) - now)
      }
      const isProbe = state._tag === "paused"
      if (running >= (isProbe ? 1 : window)) return null
      // A lane's first batch waits for nobody: lanes whose providers hang must not stop the others by what they share.
      // Without a permit for more, the end of the first one is when to look again.
      const isShared = running > 0
      if (isShared && !(yield* work.permits.takeIfAvailable(1))) return null
      isDue = false
      const claimed = yield* work.claim(isProbe ? 1 : limit).pipe(
        Effect.onExit((exit) => {
          const isEmpty = Exit.isSuccess(exit) && exit.value.length === 0
          if (!isEmpty) isDue = true
          return isShared && (isEmpty || Exit.isFailure(exit)) ? work.permits.release(1) : Effect.void
        })
      )
      const [first, ...others] = claimed
      if (first === undefined) return null
      limit = claimed.every(goesTogether) ? TOGETHER : 1
      running++
      yield* Effect.forkIn(send([first, ...others], isProbe, isShared), scope)
    }
    return null
  })

  /** Says what went wrong, and looks again after a second. */
  const again = (message: string) => (error: unknown) =>
    Effect.logWarning(message, error).pipe(
      Effect.annotateLogs({ app_id: key.appId, provider: key.provider }),
      Effect.as(1000)
    )

  const run = Effect.scopedWith((scope) =>
    Effect.gen(function* () {
      while (true) {
        const waitMs = yield* fill(scope).pipe(
          Effect.catch(again("Batches could not be claimed; trying again")),
          // A lane that ended here would be woken in vain ever after, and drop what is under way.
          Effect.catchDefect(again("A lane broke; trying again"))
        )
        const isWoken = yield* Effect.raceFirst(
          Effect.as(mailbox.wait, true),
          Effect.as(Effect.sleep(waitMs ?? work.idleMs), false)
        )
        // Checked and told in one synchronous step: no wake-up can fall between the two.
        if (!isWoken && waitMs === null && running + strays + direct === 0 && !mailbox.isSet()) return work.onIdle()
      }
    })
  )

  return {
    key,
    wake: () => {
      isDue = true
      mailbox.signal()
    },
    takesDirect,
    beginDirect: () => void direct++,
    noteAnswer: () => void answered++,
    endDirect,
    sendDirect: (batch) => Effect.ensuring(sendOne(batch, false, progressOf(batch)), Effect.sync(endDirect)),
    state: () => state,
    window: () => window,
    running: () => running + strays + direct,
    run
  }
}
