import { Effect, Layer } from "effect"
import type { Job } from "../../../services/domain/operations/Job.ts"
import { JobQueue, QueueUnavailable } from "../../../services/ports/operations/JobQueue.ts"

/**
 * A queue that keeps what was published, and can be told to be down, or to be stuck in a ping that nobody can end. It does
 * nothing with a job, so there is nothing in which it could drift from queues that carry it (test/layers/JobQueue.contract.ts).
 */
export class QueueLog {
  readonly published: Array<Job> = []
  readonly woken: Array<Job> = []
  isDown = false
  isStuck = false
  /** Why it is down: it has no room. */
  isFull = false

  readonly layer: Layer.Layer<JobQueue> = Layer.mock(JobQueue, {
    wake: (jobs) => Effect.sync(() => void this.woken.push(...jobs)),
    publish: (jobs) => this.#answer(() => void this.published.push(...jobs)),
    reachesOthers: () => !this.isDown,
    ping: Effect.suspend(() => (this.isStuck ? Effect.uninterruptible(Effect.never) : this.#answer(() => undefined)))
  })

  #answer(work: () => void): Effect.Effect<void, QueueUnavailable> {
    return Effect.suspend(() =>
      this.isDown
        ? Effect.fail(new QueueUnavailable({ cause: new Error("no server"), isFull: this.isFull }))
        : Effect.sync(work)
    )
  }
}
