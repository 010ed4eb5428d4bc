import { Cause, Effect, Exit, Layer } from "effect"
import type { Job, JobPriority, JobType } from "../../services/domain/Job.ts"
import type { Subscription } from "../../services/ports/JobQueue.ts"
import { JobQueue } from "../../services/ports/JobQueue.ts"

/**
 * The queue of one process. Jobs with the same id that wait at the same time are one job: a job only says "look at
 * this row", and one look after the last of them sees everything.
 */
interface Lane {
  /** Waiting jobs, oldest first, from `head` on. */
  waiting: Array<Job>
  head: number
  readonly ids: Set<string>
  readonly workers: Set<Worker>
}

interface Worker {
  readonly hasHands: () => boolean
  readonly start: (job: Job) => void
}

export interface LocalOptions {
  /** How long a job waits after a failure of its handler. */
  readonly redeliverMs: number
  /** Jobs that wait in one lane, at most; the oldest is forgotten for a new one. What is lost is found by the sweeper. */
  readonly capacity: number
}

const laneKey = (type: JobType, priority: JobPriority) => `${type}.${priority}`

export const layerWith = (options: LocalOptions): Layer.Layer<JobQueue> =>
  Layer.effect(
    JobQueue,
    Effect.gen(function* () {
      const lanes = new Map<string, Lane>()
      const timers = new Set<NodeJS.Timeout>()
      yield* Effect.addFinalizer(() => Effect.sync(() => timers.forEach((timer) => clearTimeout(timer))))

      const laneOf = (key: string): Lane => {
        let lane = lanes.get(key)
        if (lane === undefined) {
          lane = { waiting: [], head: 0, ids: new Set(), workers: new Set() }
          lanes.set(key, lane)
        }
        return lane
      }

      const take = (lane: Lane): void => {
        lane.ids.delete(lane.waiting[lane.head++]!.id)
        // Taken jobs are cut off now and then, not one by one: shifting a long array is not free.
        if (lane.head > 1024 && lane.head * 2 > lane.waiting.length) {
          lane.waiting = lane.waiting.slice(lane.head)
          lane.head = 0
        }
      }

      const push = (lane: Lane, job: Job): void => {
        if (lane.ids.has(job.id)) return
        if (lane.ids.size >= options.capacity) take(lane)
        lane.ids.add(job.id)
        lane.waiting.push(job)
      }

      /** Hands out what waits, each job to the next worker in turn that has a hand free. */
      const hand = (lane: Lane): void => {
        while (lane.head < lane.waiting.length) {
          let taker: Worker | undefined
          for (const worker of lane.workers) {
            if (worker.hasHands()) {
              taker = worker
              break
            }
          }
          if (taker === undefined) return
          const job = lane.waiting[lane.head]!
          // Both before the start: a handler may end at once, and come back here.
          take(lane)
          lane.workers.delete(taker)
          lane.workers.add(taker)
          taker.start(job)
        }
      }

      const later = (ms: number, run: () => void): void => {
        const timer = setTimeout(() => {
          timers.delete(timer)
          run()
        }, ms)
        timers.add(timer)
      }

      const subscribe = Effect.fnUntraced(function* <E>(
        subscription: Subscription,
        handler: (job: Job) => Effect.Effect<void, E>
      ) {
        const lane = laneOf(laneKey(subscription.type, subscription.priority))
        const run = Effect.runForkWith(yield* Effect.context<never>())
        let active = 0
        let emptied = () => {}
        const worker: Worker = {
          hasHands: () => active < subscription.concurrency,
          start: (job) => {
            active++
            // A defect in the handler's own making is a failure of the job too.
            run(Effect.suspend(() => handler(job)).pipe(Effect.tapCause(logFailure(job)))).addObserver((exit) => {
              active--
              if (Exit.isFailure(exit)) {
                later(options.redeliverMs, () => {
                  push(lane, job)
                  hand(lane)
                })
              }
              // Not on this stack: a thousand handlers that end at once would be as many calls deep.
              queueMicrotask(() => hand(lane))
              if (active === 0) emptied()
            })
          }
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            lane.workers.add(worker)
            queueMicrotask(() => hand(lane))
          }),
          () =>
            Effect.callback<void>((resume) => {
              lane.workers.delete(worker)
              emptied = () => resume(Effect.void)
              if (active === 0) emptied()
            })
        )
      })

      return {
        publish: (jobs) =>
          Effect.sync(() => {
            const touched = new Set<Lane>()
            for (const job of jobs) {
              const lane = laneOf(laneKey(job.type, job.priority))
              push(lane, job)
              touched.add(lane)
            }
            // Not on the publisher's stack: its own work comes first.
            queueMicrotask(() => touched.forEach(hand))
          }),
        subscribe,
        ping: Effect.void
      }
    })
  )

const logFailure = (job: Job) => (cause: Cause.Cause<unknown>) =>
  Effect.logWarning("A job failed and will be delivered again", cause).pipe(
    Effect.annotateLogs({ job: job.type, id: job.id })
  )

export const layer: Layer.Layer<JobQueue> = layerWith({ redeliverMs: 1000, capacity: 100_000 })
