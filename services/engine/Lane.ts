import { Clock, Effect, Exit, Scope } from "effect"
import type { Semaphore } from "effect"
import type { ProviderKind } from "../domain/Credential.ts"
import type { AppId } from "../domain/Ids.ts"
import type { Priority } from "../domain/Notification.ts"
import type { ClaimedBatch, LaneKey } from "../ports/BatchStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import type { LaneNews } from "./Results.ts"
import { make as makeSignal } from "./Signal.ts"

/*
 * A lane: the actor for one application's messages to one provider at one priority, on one node.
 *
 * States   open   claims batches up to its window
 *          slow   over a limit: claims nothing until a moment that the provider named; the window is halved
 *          held   the credential was refused: every `holdMs`, or as soon as it was replaced, one batch goes ahead with
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

export type LaneState =
  | { readonly _tag: "open" }
  | { readonly _tag: "slow"; readonly until: number; readonly reason: string }
  | { readonly _tag: "held"; readonly until: number; readonly reason: string }

export interface LaneWork {
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<ClaimedBatch>, StoreError>
  /** Sends a batch to its end. With `probe`, the credential is in doubt. */
  readonly send: (batch: ClaimedBatch, probe: boolean) => Effect.Effect<LaneNews, StoreError>
  /** Batches under way on this node beside the first of each lane, over all lanes of a priority. */
  readonly permits: Semaphore.Semaphore
  /** Whether the credential is no longer the one that was refused. Asked every `repairMs` while the lane is held. */
  readonly isRepaired: Effect.Effect<boolean, StoreError>
  /** A batch ended. Called at once, as is `onIdle`, after which the lane takes no more wake-ups. */
  readonly onEnd: () => void
  readonly onIdle: () => void
  /** The node takes no new work. */
  readonly isStopping: () => boolean
  readonly maxWindow: number
  readonly holdMs: number
  readonly repairMs: number
  readonly idleMs: number
}

export interface Lane {
  readonly key: LaneKey
  readonly wake: () => void
  readonly state: () => LaneState
  readonly window: () => number
  readonly running: () => number
  /** Runs until the lane has been idle for `idleMs`. Batches under way when it is interrupted are waited for. */
  readonly run: Effect.Effect<void>
}

const OPEN: LaneState = { _tag: "open" }

export const makeLane = (key: LaneKey, work: LaneWork): Lane => {
  const mailbox = makeSignal()
  let state: LaneState = OPEN
  let window = work.maxWindow
  let running = 0

  /** Additive increase, multiplicative decrease: the window finds what the provider takes. */
  const learn = (news: LaneNews, now: number): void => {
    if (news.hold !== null) {
      state = { _tag: "held", until: now + work.holdMs, reason: news.hold }
    } else if (news.slow !== null) {
      state = { _tag: "slow", until: now + news.slow.ms, reason: news.slow.reason }
      window = Math.max(1, Math.floor(window / 2))
    } else {
      // A batch that was under way when the state changed says nothing against the change.
      if (state._tag !== "open" && now >= state.until) state = OPEN
      window = Math.min(work.maxWindow, window + 1)
    }
  }

  const send = (batch: ClaimedBatch, probe: boolean, isShared: boolean) =>
    work.send(batch, probe).pipe(
      Effect.flatMap((news) => Effect.map(Clock.currentTimeMillis, (now) => learn(news, now))),
      Effect.catchCause((cause) =>
        Effect.logError("A batch was left to its lease", cause).pipe(
          Effect.annotateLogs({ batch: batch.id, notification: batch.notificationId, provider: batch.provider })
        )
      ),
      Effect.ensuring(
        Effect.sync(() => {
          running--
          mailbox.signal()
          work.onEnd()
        })
      ),
      Effect.ensuring(isShared ? work.permits.release(1) : Effect.void)
    )

  /** Claims and starts batches while there are any and there is room. Answers how long to wait before looking again. */
  const fill = Effect.fnUntraced(function* (scope: Scope.Scope) {
    while (!work.isStopping()) {
      const now = yield* Clock.currentTimeMillis
      if (state._tag === "held" && now < state.until && (yield* work.isRepaired)) state = { ...state, until: now }
      if (state._tag !== "open" && now < state.until) {
        return state._tag === "held" ? Math.min(work.repairMs, state.until - now) : state.until - now
      }
      const isProbe = state._tag === "held"
      if (running >= (isProbe ? 1 : window)) return null
      // A lane's first batch waits for nobody: lanes whose providers hang must not stop the others by what they share.
      // Without a permit for more, the end of the first one is when to look again.
      const isShared = running > 0
      if (isShared && !(yield* work.permits.takeIfAvailable(1))) return null
      const claimed = yield* work
        .claim(1)
        .pipe(
          Effect.onExit((exit) =>
            !isShared || (Exit.isSuccess(exit) && exit.value.length > 0) ? Effect.void : work.permits.release(1)
          )
        )
      const batch = claimed[0]
      if (batch === undefined) return null
      running++
      yield* Effect.forkIn(send(batch, isProbe, isShared), scope)
    }
    return null
  })

  const run = Effect.scopedWith((scope) =>
    Effect.gen(function* () {
      while (true) {
        const waitMs = yield* fill(scope).pipe(
          Effect.catch((error) =>
            Effect.logWarning("Batches could not be claimed; trying again", error).pipe(Effect.as(1000))
          )
        )
        const isWoken = yield* Effect.raceFirst(
          Effect.as(mailbox.wait, true),
          Effect.as(Effect.sleep(waitMs ?? work.idleMs), false)
        )
        // Checked and told in one synchronous step: no wake-up can fall between the two.
        if (!isWoken && waitMs === null && running === 0 && !mailbox.isSet()) return work.onIdle()
      }
    })
  )

  return {
    key,
    wake: mailbox.signal,
    state: () => state,
    window: () => window,
    running: () => running,
    run
  }
}
