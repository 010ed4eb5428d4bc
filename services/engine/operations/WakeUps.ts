import { Effect } from "effect"
import type { Scope } from "effect"
import type { Job } from "../../domain/operations/Job.ts"
import type { JobQueue } from "../../ports/operations/JobQueue.ts"
import { make as makeSignal } from "./Signal.ts"

/** A queue that takes nothing for so long is down: this node's own subscribers get what it was to be told. */
const TIMEOUT = "2 seconds"

/** How long those who stop wait for what is left to tell: a queue that is up takes it in less, and sweepers find it too. */
const LAST = "500 millis"

/**
 * Publishes jobs in the background, for those who have committed their work and must not wait for the queue. What
 * gathers while a publish is under way goes with the next one, and the same job twice is one. When the scope closes,
 * what is left is told still, unless the queue does not take it at once.
 */
export const makeWakeUps = Effect.fnUntraced(function* (
  queue: JobQueue["Service"]
): Effect.fn.Return<(job: Job) => void, never, Scope.Scope> {
  const signal = makeSignal()
  const told = makeSignal()
  let waiting = new Map<string, Job>()
  let isTelling = false
  const publish = Effect.gen(function* () {
    yield* signal.wait
    const jobs = [...waiting.values()]
    waiting = new Map()
    isTelling = true
    yield* queue.publish(jobs).pipe(
      Effect.timeout(TIMEOUT),
      Effect.ignore,
      // The next ones are to be told all the same.
      Effect.catchDefect((defect) => Effect.logError("Jobs could not be published; sweepers find their work", defect))
    )
    isTelling = false
    told.signal()
  })
  yield* Effect.forkScoped(Effect.forever(publish))
  const hasMore = () => isTelling || waiting.size > 0
  const untilTold = Effect.gen(function* () {
    while (hasMore()) yield* told.wait
  })
  yield* Effect.addFinalizer(() => Effect.asVoid(Effect.timeoutOption(untilTold, LAST)))
  return (job) => {
    waiting.set(`${job.type}:${job.priority}:${job.id}`, job)
    signal.signal()
  }
})
