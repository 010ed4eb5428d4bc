import { Effect, Layer } from "effect"
import type { WebhookId, NotificationId } from "../../services/domain/Ids.ts"
import type { JobPriority, JobType } from "../../services/domain/operations/Job.ts"
import { Dispatcher } from "../../services/engine/sending/Dispatcher.ts"
import { WebhookActors } from "../../services/engine/webhooks/WebhookActors.ts"
import { laneKey } from "../../services/engine/sending/Lane.ts"
import { Planner } from "../../services/engine/sending/Planner.ts"
import * as Redeliveries from "../../services/engine/webhooks/Redeliveries.ts"
import * as Replays from "../../services/engine/sending/Replays.ts"
import * as Runner from "../../services/engine/workflows/Runner.ts"
import * as Sweeper from "../../services/engine/operations/Sweeper.ts"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"

const PRIORITIES: ReadonlyArray<JobPriority> = ["high", "bulk"]
/** Wake-ups only touch memory: many at once cost nothing. Those of plans that find no place free do no more. */
const WAKES = 64

/** The types of the jobs that these roles take. */
export const jobsOf = (roles: ReadonlySet<string>): ReadonlySet<JobType> =>
  new Set<JobType>([
    ...(roles.has("dispatch") ? (["PlanV1", "SendV1"] as const) : []),
    ...(roles.has("webhooks") ? (["WebhookV1"] as const) : []),
    ...(roles.has("workflows") ? (["FlowV1"] as const) : [])
  ])

/** The role `dispatch`: plans audiences and sends batches. */
export const dispatch = Layer.effectDiscard(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const planner = yield* Planner
    const dispatcher = yield* Dispatcher
    for (const priority of PRIORITIES) {
      yield* queue.subscribe({ type: "PlanV1", priority, concurrency: WAKES }, (job) =>
        planner.plan(job.id as NotificationId, priority)
      )
      yield* queue.subscribe({ type: "SendV1", priority, concurrency: WAKES }, (job) => {
        const key = laneKey(job.id, priority)
        return key === null ? Effect.void : dispatcher.wake(key)
      })
    }
    // Before the subscriptions wait for those who plan: finalizers run in the reverse order.
    yield* Effect.addFinalizer(() => planner.stop)
  })
)

/** The role `webhooks`: delivers events to the customers' servers. */
export const webhooks = Layer.effectDiscard(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const actors = yield* WebhookActors
    for (const priority of PRIORITIES) {
      yield* queue.subscribe({ type: "WebhookV1", priority, concurrency: WAKES }, (job) =>
        actors.wake(job.id as WebhookId)
      )
    }
  })
)

/** The role `workflows`: moves runs. */
export const workflows = (drainMs: number) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const wake = yield* Runner.make(drainMs)
      for (const priority of PRIORITIES) {
        yield* queue.subscribe({ type: "FlowV1", priority, concurrency: WAKES }, () => wake)
      }
    })
  )

/** Every node that works takes its turns at sweeping. */
export const sweeper = (duties: Sweeper.Duties) => Layer.effectDiscard(Effect.forkScoped(Sweeper.run(duties)))

/** And carries out replays of dead letters. */
export const replays = Layer.effectDiscard(Effect.forkScoped(Replays.run))

/** And what webhooks get once more. */
export const redeliveries = Layer.effectDiscard(Effect.forkScoped(Redeliveries.run))
