import { Effect, Layer } from "effect"
import type { HookId, NotificationId } from "../../services/domain/Ids.ts"
import type { JobPriority } from "../../services/domain/Job.ts"
import { Dispatcher } from "../../services/engine/Dispatcher.ts"
import { HookActors } from "../../services/engine/HookActors.ts"
import { laneKey } from "../../services/engine/Lane.ts"
import { Planner } from "../../services/engine/Planner.ts"
import * as Replays from "../../services/engine/Replays.ts"
import * as Sweeper from "../../services/engine/Sweeper.ts"
import { JobQueue } from "../../services/ports/JobQueue.ts"

const PRIORITIES: ReadonlyArray<JobPriority> = ["high", "bulk"]
/** Plans under way at once, for each priority. */
const PLANS = 4
/** Wake-ups only touch memory: many at once cost nothing. */
const WAKES = 64

/** The role `dispatch`: plans audiences and sends batches. */
export const dispatch = Layer.effectDiscard(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const planner = yield* Planner
    const dispatcher = yield* Dispatcher
    for (const priority of PRIORITIES) {
      yield* queue.subscribe({ type: "PlanV1", priority, concurrency: PLANS }, (job) =>
        planner.plan(job.id as NotificationId)
      )
      yield* queue.subscribe({ type: "SendV1", priority, concurrency: WAKES }, (job) => {
        const key = laneKey(job.id, priority)
        return key === null ? Effect.void : dispatcher.wake(key)
      })
    }
  })
)

/** The role `webhooks`: delivers events to the customers' servers. */
export const webhooks = Layer.effectDiscard(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const actors = yield* HookActors
    for (const priority of PRIORITIES) {
      yield* queue.subscribe({ type: "HookV1", priority, concurrency: WAKES }, (job) => actors.wake(job.id as HookId))
    }
  })
)

/** Every node that works also sweeps. */
export const sweeper = (duties: Sweeper.Duties) => Layer.effectDiscard(Effect.forkScoped(Sweeper.run(duties)))

/** And carries out replays of dead letters. */
export const replays = Layer.effectDiscard(Effect.forkScoped(Replays.run))
