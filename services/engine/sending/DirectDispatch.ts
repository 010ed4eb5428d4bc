import { Cause, Effect, Schedule } from "effect"
import type { AppId, BatchId, NotificationId } from "../../domain/Ids.ts"
import type { Placed } from "../../domain/operations/Places.ts"
import { Places } from "../../domain/operations/Places.ts"
import type { Priority } from "../../domain/sending/Notification.ts"
import { makeForks } from "../../ports/operations/Forks.ts"
import { now } from "../../ports/Now.ts"
import { isSleptOver } from "../../ports/outbound/Deadline.ts"
import type { BatchStore, ClaimedBatch } from "../../ports/sending/BatchStore.ts"
import type { DirectBatch } from "../../ports/sending/DirectSends.ts"
import type { Outcome } from "../../ports/sending/Provider.ts"
import type { BatchSender } from "./BatchSender.ts"
import type { DirectGroup } from "./DirectSending.ts"
import type { Lane } from "./Lane.ts"
import { EXPIRED_UNDER_WAY, sentChunk } from "./Results.ts"

/*
 * Messages to a device each that were claimed as they were accepted, on their way through this process. What came in one
 * turn of the event loop goes to its provider together, lane by lane.
 *
 * States of each   received   waits for the end of the turn
 *                  asked      its provider has it; its lease is prolonged while it is silent
 *                  written    its outcome is on its way to the store
 *                  left       to its lane, which goes on as with any other batch: it was not accepted, or could not begin
 *                  returned   to the store, for whoever claims it next: the lane takes none at the moment
 *
 * A notification to several devices is several of them, its siblings, which end one by one. The statement that writes the
 * last of them completes it, unless another statement is under way: then nobody may have seen the end of all, and whoever
 * is written last asks. Those that were left or returned are not waited for: whoever ends such a batch asks anyway.
 */

/** The ways of messages that may be claimed as they are accepted. */
const PUSHES = ["apns", "fcm", "webpush"] as const
/** Leases that one statement prolongs, at most. */
const TOGETHER = 500
const NONE: ReadonlySet<BatchId> = new Set()
/** How long after a message's expiry the answer to it is waited for. */
const GRACE_MS = 2000

export interface DirectDispatchOptions {
  /** The lane of a batch, started where it does not run; null when nothing starts any more. */
  readonly laneOf: (batch: ClaimedBatch) => Lane | null
  /** The lane that runs, if one does. */
  readonly running: (appId: AppId, provider: (typeof PUSHES)[number], priority: Priority) => Lane | undefined
  /** Has a batch sent by itself from here on, with what its provider has said of it already. */
  readonly leave: (direct: DirectBatch, outcome: Outcome | null) => void
  /** One was given back to the store. Called at once. */
  readonly onReturned: () => void
  readonly sender: BatchSender
  readonly store: BatchStore["Service"]
  readonly leaseMs: number
}

interface Asked extends DirectBatch, Placed {
  readonly lane: Lane
  /** When its lease was known to begin, or to be prolonged (of `performance.now()`). */
  heldSince: number
  isBegun: boolean
}

export const makeDirectDispatch = Effect.fnUntraced(function* ({
  laneOf,
  leave,
  leaseMs,
  onReturned,
  running,
  sender,
  store
}: DirectDispatchOptions) {
  const fork = yield* makeForks
  const asked = new Places<Asked>()
  let received = new Map<string, [DirectBatch, ...Array<DirectBatch>]>()
  /** Those that no lane has: received, or on their way back to the store. */
  let waiting = 0
  /** Siblings that are neither written, nor left, nor returned. */
  const siblings = new Map<NotificationId, number>()

  /** Whether it was the last of its siblings, or has none. */
  const depart = ({ batch: { notificationId }, siblings: others }: DirectBatch): boolean => {
    if (others === 0) return true
    const left = (siblings.get(notificationId) ?? 1) - 1
    if (left > 0) siblings.set(notificationId, left)
    else siblings.delete(notificationId)
    return left <= 0
  }

  const giveBack = (direct: DirectBatch, lane: Lane | null) => {
    const { appId, fence, id, provider } = direct.batch
    depart(direct)
    return store.release(id, fence, 0, false).pipe(
      Effect.catch((error) =>
        Effect.annotateLogs(Effect.logWarning("A batch was left to its lease", error), { app_id: appId, provider })
      ),
      Effect.ensuring(
        Effect.sync(() => {
          waiting--
          lane?.wake()
          onReturned()
        })
      )
    )
  }

  const isAsked = ({ place }: Asked): boolean => place !== -1

  const other = (direct: Asked, outcome: Outcome | null): void => {
    if (!isAsked(direct)) return
    asked.leave(direct)
    depart(direct)
    leave(direct, outcome)
    fork(direct.lane.sendDirect(direct.batch))
  }

  const begun = (direct: Asked): void => {
    direct.isBegun = true
  }

  const sent = (direct: Asked, messageId: string | null): void => {
    if (!isAsked(direct)) return
    asked.leave(direct)
    direct.lane.noteAnswer()
    const chunk = sentChunk(direct.batch, messageId, leaseMs, now())
    sender.writer.write({ chunk, isLast: () => depart(direct), ended: direct.lane.endDirect })
  }

  const begin = (group: DirectGroup): void => {
    const lane = laneOf(group[0].batch)
    const taken: Array<Asked> = []
    for (const direct of group) {
      if (lane === null || !lane.takesDirect()) {
        fork(giveBack(direct, lane))
        continue
      }
      waiting--
      lane.beginDirect()
      taken.push(asked.enter({ ...direct, lane, heldSince: direct.askedAt, isBegun: false, place: -1 }))
    }
    const [first, ...others] = taken
    if (first === undefined) return
    fork(
      Effect.onExit(sender.sendTogether([first, ...others], { begun, sent, other }), (exit) =>
        Effect.suspend(() => {
          // Who has no answer now gets none any more.
          const left = taken.filter(isAsked)
          for (const direct of left) {
            depart(direct)
            asked.leave(direct)
            direct.lane.endDirect()
          }
          if (exit._tag === "Success" || left.length === 0) return Effect.void
          const told =
            left.length === 1 ? "1 batch was left to its lease" : `${left.length} batches were left to their leases`
          // No fault: it is how a stop ends that has waited long enough.
          return Cause.hasInterruptsOnly(exit.cause)
            ? Effect.logWarning(`${told}: the process stops, and no answer of a provider came within DRAIN_TIMEOUT`)
            : Effect.logError(told, Cause.squash(exit.cause))
        })
      )
    )
  }

  const beginAll = (): void => {
    const groups = received
    received = new Map()
    for (const group of groups.values()) begin(group)
  }

  const receive = (direct: DirectBatch): void => {
    const { appId, credential, notificationId, priority, provider } = direct.batch
    const key = `${appId}:${provider}:${priority}:${credential!.version}`
    waiting++
    if (direct.siblings > 0) siblings.set(notificationId, (siblings.get(notificationId) ?? 0) + 1)
    if (received.size === 0) setImmediate(beginAll)
    const group = received.get(key)
    if (group === undefined) received.set(key, [direct])
    else group.push(direct)
  }

  /** Prolongs the leases of those whose providers are silent, and ends those whose time is over. */
  const look = Effect.fnUntraced(function* (lateMs: number) {
    const silent: Array<Asked> = []
    for (const direct of asked.all()) {
      // What came while the process slept is read first.
      if (now() >= direct.message.expiresAt + GRACE_MS && !isSleptOver(lateMs)) {
        other(direct, { _tag: "Fail", reason: direct.isBegun ? EXPIRED_UNDER_WAY : "expired" })
      } else if (performance.now() - direct.heldSince > leaseMs / 3) silent.push(direct)
    }
    // A provider that says nothing for a while has many: one by one, they would take longer than their leases.
    for (let from = 0; from < silent.length; from += TOGETHER) {
      const some = silent.slice(from, from + TOGETHER).filter(isAsked)
      if (some.length === 0) continue
      const at = performance.now()
      const batches = some.map(({ batch }) => batch)
      const ours = yield* Effect.catch(store.extendAll(batches, leaseMs), () => Effect.succeed(NONE))
      for (const direct of some) if (ours.has(direct.batch.id)) direct.heldSince = at
    }
  })
  const everyMs = leaseMs / 6
  yield* Effect.forkScoped(
    Effect.suspend(() => {
      const before = performance.now()
      return Effect.andThen(
        Effect.sleep(everyMs),
        Effect.suspend(() => look(performance.now() - before - everyMs))
      )
    }).pipe(
      Effect.catchDefect((defect) => Effect.logError("Leases of direct sends were not looked at", defect)),
      Effect.repeat(Schedule.forever)
    )
  )

  return {
    receive,
    /** How many have come that no lane has, and are not given back yet. */
    waiting: () => waiting,
    /** Whether messages of the application may come at the moment. */
    isFree: (appId: AppId, priority: Priority): boolean =>
      PUSHES.every((provider) => running(appId, provider, priority)?.takesDirect() !== false)
  }
})
