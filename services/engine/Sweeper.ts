import { Effect } from "effect"
import type { Job } from "../domain/Job.ts"
import { BatchStore } from "../ports/BatchStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { HookStore } from "../ports/HookStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { hookLeaseMs } from "./HookActors.ts"
import { laneId } from "./Lane.ts"

/** Hooks that are woken in one sweep, at most; the others are due in the next one still. */
const HOOKS = 1000

/** The work that the node does. It looks for no other: who finds a forgotten plan notes that its workers were told. */
export interface Duties {
  readonly dispatch: boolean
  readonly webhooks: boolean
}

/**
 * Finds what nobody was told of: work whose job was lost, whose worker died (its lease is over), or that has become due.
 * It tells this node's workers first, so that no work depends on the queue, and then those of all nodes, by the queue,
 * so that many hands share what is much. Taking it is the workers' business; who comes second finds nothing. Every node
 * sweeps, which costs a few small queries and keeps no node special.
 */
export const sweep = Effect.fnUntraced(function* ({ dispatch, webhooks }: Duties) {
  const batches = yield* BatchStore
  const hooks = yield* HookStore
  const queue = yield* JobQueue
  const settings = yield* EngineSettings
  const { plans, lanes } = dispatch ? yield* batches.forgotten(settings.forgottenMs) : { plans: [], lanes: [] }
  const due = webhooks ? yield* hooks.due(HOOKS, hookLeaseMs(settings)) : []
  const jobs: ReadonlyArray<Job> = [
    ...plans.map(({ id, priority }) => ({ type: "PlanV1" as const, id, priority })),
    ...lanes.map((lane) => ({ type: "SendV1" as const, id: laneId(lane), priority: lane.priority })),
    ...due.map((id) => ({ type: "HookV1" as const, id, priority: "bulk" as const }))
  ]
  yield* queue.wake(jobs)
  if (dispatch) yield* batches.completeForgotten
  // Last, because a queue that hangs takes long to fail.
  yield* queue
    .publish(jobs)
    .pipe(
      Effect.catch((error) =>
        Effect.logWarning("The queue does not take what the sweep found; this node does it alone", error)
      )
    )
  return jobs.length
})

/** Sweeps for as long as the scope is open. */
export const run = Effect.fnUntraced(function* (duties: Duties) {
  const settings = yield* EngineSettings
  while (true) {
    yield* Effect.sleep(settings.sweepMs)
    yield* sweep(duties).pipe(
      Effect.catch((error) => Effect.logWarning("The sweep failed; the next one comes soon", error)),
      // What others lose is found here: nothing may end it.
      Effect.catchDefect((defect) => Effect.logError("The sweep broke; the next one comes soon", defect))
    )
  }
})
