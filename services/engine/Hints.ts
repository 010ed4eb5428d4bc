import { Effect } from "effect"
import type { Scope } from "effect"
import type { Job } from "../domain/Job.ts"
import type { JobQueue } from "../ports/JobQueue.ts"
import { make as makeSignal } from "./Signal.ts"

/** A queue that takes nothing for so long is down: this node's own subscribers get what it was to be told. */
const PATIENCE = "2 seconds"

/**
 * Publishes jobs in the background, for those who have committed their work and must not wait for the queue. What
 * gathers while a publish is under way goes with the next one, and the same job twice is one.
 */
export const makeHints = Effect.fnUntraced(function* (
  queue: JobQueue["Service"]
): Effect.fn.Return<(job: Job) => void, never, Scope.Scope> {
  const signal = makeSignal()
  let waiting = new Map<string, Job>()
  const publish = Effect.gen(function* () {
    yield* signal.wait
    const jobs = [...waiting.values()]
    waiting = new Map()
    yield* queue.publish(jobs).pipe(Effect.timeout(PATIENCE), Effect.ignore)
  })
  yield* Effect.forkScoped(Effect.forever(publish))
  return (job) => {
    waiting.set(`${job.type}:${job.priority}:${job.id}`, job)
    signal.signal()
  }
})
