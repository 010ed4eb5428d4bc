import { Effect, Option } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { LeaseHolder } from "../../ports/operations/LeaseHolder.ts"
import type { ClaimedReplay } from "../../ports/sending/ReplayStore.ts"
import { ReplayStore } from "../../ports/sending/ReplayStore.ts"
import { laneId } from "./Lane.ts"

/** Steps after which a replay is given back: another application's may wait. */
const TURN = 4

/**
 * Carries out replays of many dead letters: a batch of recipients in each step, until there are no more. Applications
 * take turns. One that dies leaves its replay at the last cursor, to whoever comes after its lease.
 */
export const replay = Effect.fnUntraced(function* () {
  const store = yield* ReplayStore
  const queue = yield* JobQueue
  const { batchSize, leaseMs } = yield* EngineSettings
  let served: AppId | null = null
  while (true) {
    const claimed: Option.Option<ClaimedReplay> = yield* store.claim(served, leaseMs)
    if (Option.isNone(claimed)) return
    served = claimed.value.replay.appId
    for (let left = TURN; left > 0; left--) {
      const step = yield* store.step(claimed.value, batchSize, left === 1 ? null : leaseMs).pipe(
        Effect.tapError(() =>
          Effect.annotateLogs(Effect.logWarning("A replay stops here, until its lease is over"), {
            app_id: claimed.value.replay.appId,
            replay_id: claimed.value.replay.id
          })
        )
      )
      if (Option.isNone(step)) break
      const { isDone, lanes } = step.value
      yield* Effect.ignore(
        queue.publish(lanes.map((lane) => ({ type: "SendV1" as const, id: laneId(lane), priority: lane.priority })))
      )
      if (isDone) break
    }
  }
})

/**
 * Looks for as long as the scope is open, by turns with all nodes that are free: who is at a replay leaves the next one to
 * others.
 */
export const run = Effect.gen(function* () {
  const { sweepMs } = yield* EngineSettings
  const { turn } = yield* LeaseHolder
  while (true) {
    yield* turn("replays", sweepMs)
    yield* replay().pipe(
      Effect.catch((error) => Effect.logWarning("A replay was interrupted; it goes on soon", error)),
      Effect.catchDefect((defect) => Effect.logError("A replay broke; it goes on soon", defect))
    )
  }
})
