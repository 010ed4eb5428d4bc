import { Effect, Layer } from "effect"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"
import type { NodeQueue } from "../../services/ports/operations/NodeQueue.ts"
import { starting } from "./Handler.ts"
import type { Topics, LocalOptions } from "./Topics.ts"
import { makeTopics } from "./Topics.ts"

/** Topics that end with the scope. */
export const topicsOf = (options: LocalOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => makeTopics(options)),
    (topics) => Effect.sync(topics.close)
  )

/** The ports over the topics of this very process. */
export const queueOf = (topics: Topics): JobQueue["Service"] & NodeQueue["Service"] => ({
  publish: (jobs) => Effect.sync(() => topics.publish(jobs)),
  wake: (jobs) => Effect.sync(() => topics.publish(jobs)),
  subscribe: Effect.fnUntraced(function* (subscription, handler) {
    const start = yield* starting(handler)
    yield* Effect.acquireRelease(
      Effect.sync(() => topics.join(subscription, start)),
      ({ leave }) => Effect.callback<void>((resume) => leave(() => resume(Effect.void)))
    )
  }),
  reachesOthers: () => false,
  ping: Effect.void
})

export const layerWith = (options: LocalOptions): Layer.Layer<JobQueue> =>
  Layer.effect(JobQueue, Effect.map(topicsOf(options), queueOf))

export const DEFAULTS: LocalOptions = { redeliverMs: 1000, capacity: 100_000, keepsWaiting: () => true }

/** The queue of one process. */
export const layer: Layer.Layer<JobQueue> = layerWith(DEFAULTS)
