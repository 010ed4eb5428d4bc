import { Effect } from "effect"
import type { Job } from "../domain/Job.ts"
import { BatchStore } from "../ports/BatchStore.ts"
import { EngineSettings } from "../ports/EngineSettings.ts"
import { HookStore } from "../ports/HookStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { laneId } from "./Lane.ts"

/** Hooks that are woken in one sweep, at most; the others are due in the next one still. */
const HOOKS = 1000

/**
 * Finds what nobody was told of: work whose job was lost, whose worker died (its lease is over), or that has become due.
 * It publishes jobs that point at it; taking it is the workers' business. Every node sweeps, which costs a few small
 * queries and keeps no node special.
 */
export const sweep = Effect.fnUntraced(function* () {
  const batches = yield* BatchStore
  const hooks = yield* HookStore
  const queue = yield* JobQueue
  const settings = yield* EngineSettings
  const { plans, lanes } = yield* batches.forgotten(settings.forgottenMs)
  const due = yield* hooks.due(HOOKS)
  const jobs: ReadonlyArray<Job> = [
    ...plans.map(({ id, priority }) => ({ type: "PlanV1" as const, id, priority })),
    ...lanes.map((lane) => ({ type: "SendV1" as const, id: laneId(lane), priority: lane.priority })),
    ...due.map((id) => ({ type: "HookV1" as const, id, priority: "bulk" as const }))
  ]
  if (jobs.length > 0) yield* queue.publish(jobs)
  yield* batches.completeForgotten
  return jobs.length
})

/** Sweeps for as long as the scope is open. */
export const run = Effect.gen(function* () {
  const settings = yield* EngineSettings
  while (true) {
    yield* Effect.sleep(settings.sweepMs)
    yield* sweep().pipe(Effect.catch((error) => Effect.logWarning("The sweep failed; the next one comes soon", error)))
  }
})
