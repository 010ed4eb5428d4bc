import { Effect, Layer } from "effect"
import { JobQueue } from "../../services/ports/JobQueue.ts"
import type { NodeQueue } from "../../services/ports/NodeQueue.ts"
import { starting } from "./Handler.ts"
import type { Lanes, LocalOptions } from "./Lanes.ts"
import { makeLanes } from "./Lanes.ts"

/** Lanes that end with the scope. */
export const lanesOf = (options: LocalOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => makeLanes(options)),
    (lanes) => Effect.sync(lanes.close)
  )

/** The ports over the lanes of this very process. */
export const queueOf = (lanes: Lanes): JobQueue["Service"] & NodeQueue["Service"] => ({
  publish: (jobs) => Effect.sync(() => lanes.publish(jobs)),
  wake: (jobs) => Effect.sync(() => lanes.publish(jobs)),
  subscribe: Effect.fnUntraced(function* (subscription, handler) {
    const start = yield* starting(handler)
    yield* Effect.acquireRelease(
      Effect.sync(() => lanes.join(subscription, start)),
      ({ leave }) => Effect.callback<void>((resume) => leave(() => resume(Effect.void)))
    )
  }),
  ping: Effect.void
})

export const layerWith = (options: LocalOptions): Layer.Layer<JobQueue> =>
  Layer.effect(JobQueue, Effect.map(lanesOf(options), queueOf))

export const DEFAULTS: LocalOptions = { redeliverMs: 1000, capacity: 100_000, isPatient: true }

/** The queue of one process. */
export const layer: Layer.Layer<JobQueue> = layerWith(DEFAULTS)
