import { Clock, Effect, Option } from "effect"
import type { WebhookId } from "../../domain/Ids.ts"
import type { WebhookEndpoint, WebhookTurn } from "../../ports/webhooks/WebhookStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { elapsedBy } from "../operations/Elapsed.ts"
import type { RoundWork } from "./RoundWork.ts"
import { postRound } from "./WebhookRound.ts"
import { make as makeSignal } from "../operations/Signal.ts"

/*
 * A webhook actor: the deliveries of one webhook on one node.
 *
 * Mailbox  "look again": a job of the queue or the sweeper, or a timer for what is due later. Events stay in the store
 *          until they are posted, so a stopped node loses none, and a dead webhook holds up nobody else.
 *
 * What is due is posted in rounds (WebhookRound.ts): many work items side by side.
 */

type State =
  /** Posts with its own concurrency. `failures`: posts in a row that failed. */
  | { readonly _tag: "active"; readonly failures: number }
  /**
   * Only the oldest deliveries are posted, each when it is due: as many as have yet to use up their attempts until the
   * webhook is disabled. The others wait and use up nothing. From time to time (`probeAt`, of `elapsedBy`) the first of
   * those is posted all the same, so that a receiver that is back is found before the next of the oldest is due; a
   * failure of such a probe is no attempt. Whatever gets through makes the actor active.
   */
  | { readonly _tag: "failing"; readonly probes: number; readonly probeAt: number }

const ACTIVE: State = { _tag: "active", failures: 0 }

/** Failed posts in a row after which the receiver counts as failing, and the waits from probe to probe. */
const FAILING_AFTER = 5
const PROBE_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

export interface WebhookActorWork extends RoundWork {
  /** Whether deliveries that failed wait for their next attempt. */
  readonly hasRetries: Effect.Effect<boolean, StoreError>
  /** Those of the oldest deliveries that are due. */
  readonly claimOldest: Effect.Effect<ReadonlyArray<WebhookTurn>, StoreError>
  /** The first delivery that has to wait for the oldest, for a probe. */
  readonly claimWaiting: Effect.Effect<ReadonlyArray<WebhookTurn>, StoreError>
  /** Of the oldest deliveries. */
  readonly nextDueOldest: Effect.Effect<Option.Option<number>, StoreError>
  readonly onIdle: () => void
  readonly idleMs: number
}

export interface WebhookActor {
  readonly id: WebhookId
  readonly wake: () => void
  readonly isBusy: () => boolean
  readonly run: Effect.Effect<void>
}

export const makeWebhookActor = (id: WebhookId, work: WebhookActorWork): WebhookActor => {
  const mailbox = makeSignal()
  let isBusy = false
  let state: State = ACTIVE
  let epoch: number | null = null

  /** The wait for the next probe begins. */
  const waitForProbe = (probes: number, now: number): void => {
    state = { _tag: "failing", probes: probes + 1, probeAt: now + PROBE_MS[Math.min(probes, PROBE_MS.length - 1)]! }
  }

  const note = (failure: string | null, now: number): void => {
    if (failure === null) state = ACTIVE
    else if (state._tag === "active") {
      const failures = state.failures + 1
      if (failures < FAILING_AFTER) state = { _tag: "active", failures }
      else waitForProbe(0, now)
    } else if (now >= state.probeAt) waitForProbe(state.probes, now)
  }

  const receiver = { isActive: () => state._tag === "active", note }
  const averages = { itemSize: 1 }
  let wakes = 0
  const wake = () => {
    wakes++
    mailbox.signal()
  }

  const source = { _tag: "claims", mailbox, wakes: () => wakes, averages } as const

  /** Posts what may be posted while the receiver fails. Answers how long to wait; 0 to look again. */
  const lookAtOldest = Effect.fnUntraced(function* (
    endpoint: WebhookEndpoint,
    now: number,
    probes: number,
    at: number
  ) {
    const heldUntil = now + work.leaseMs
    const oldest = yield* work.claimOldest
    if (oldest.length > 0) {
      // All at once, so that each keeps its own schedule, and within the concurrency of the webhook.
      const items = oldest.map(({ positions, work }) => ({ item: work, turn: positions, isProbe: false }))
      yield* postRound(work, endpoint, { _tag: "given", items, heldUntil }, receiver)
      return 0
    }
    if (now >= at) {
      const [waiting] = yield* work.claimWaiting
      if (waiting !== undefined) {
        const items = [{ item: waiting.work, turn: waiting.positions, isProbe: true }]
        yield* postRound(work, endpoint, { _tag: "given", items, heldUntil }, receiver)
        return 0
      }
      waitForProbe(probes, now)
    }
    const due = Option.getOrNull(yield* work.nextDueOldest)
    return due === null || state._tag === "active" ? due : Math.min(due, Math.ceil(state.probeAt - now))
  })

  /** One look: delivers what is due. Answers how long to wait before the next look; null when nothing is known. */
  const look = Effect.gen(function* () {
    while (!work.isStopping()) {
      yield* work.untilOpen
      const endpoint = yield* work.endpoint
      if (Option.isNone(endpoint)) return null
      if (endpoint.value.epoch !== epoch) {
        // Enabled anew: what failed before says nothing about the receiver now. A new actor asks what others found.
        state = epoch === null && (yield* work.hasRetries) ? { _tag: "failing", probes: 0, probeAt: 0 } : ACTIVE
        epoch = endpoint.value.epoch
      }
      const now = elapsedBy(yield* Clock.Clock)
      if (state._tag === "failing") {
        const waitMs = yield* lookAtOldest(endpoint.value, now, state.probes, state.probeAt)
        if (waitMs !== 0) return waitMs
        continue
      }
      const waitMs = yield* postRound(work, endpoint.value, source, receiver)
      if (waitMs !== "again") return waitMs
    }
    return null
  })

  const run = Effect.gen(function* () {
    while (true) {
      isBusy = true
      const waitMs = yield* look.pipe(
        Effect.catch((error) =>
          Effect.logWarning("Webhook deliveries could not be read or written; trying again", error).pipe(
            Effect.annotateLogs({ webhook_id: id }),
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
      // What is due later than the idle time is found by the sweeper, which starts the actor anew; but a new one does
      // not know how the receiver failed.
      const isOver = waitMs === null || (waitMs > work.idleMs && state._tag === "active")
      if (!isWoken && isOver && !mailbox.isSet()) return work.onIdle()
    }
  })

  return { id, wake, isBusy: () => isBusy, run }
}
