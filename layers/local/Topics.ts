import type { Job, JobPriority, JobType } from "../../services/domain/operations/Job.ts"
import type { Subscription } from "../../services/ports/operations/JobQueue.ts"

/**
 * The jobs that wait in one process, by type and priority, and who takes them. Jobs with the same id that wait at the
 * same time are one job: a job only says "look at this row", and one look after the last of them sees everything. It
 * remembers how often it was asked for, though, and goes to as many different takers, if so many are free: the planner
 * asks once for each batch, so that all workers of a node join in a mailing, and only one wakes for a single message.
 */
export interface Topics {
  readonly publish: (jobs: ReadonlyArray<Job>) => void
  /** Hands jobs to `start` from the next microtask on. `end` is to be called once for each, as soon as it likes. */
  readonly join: (subscription: Subscription, start: Start) => Membership
  /** Forgets what waits for another try. */
  readonly close: () => void
}

/** `end(false)` has the job handed out again after a moment. */
export type Start = (job: Job, end: (isDone: boolean) => void) => void

export interface Membership {
  /** Takes no more jobs; calls back when those that were taken have ended. */
  readonly leave: (ended: () => void) => void
}

export interface LocalOptions {
  /** How long a job waits after a failure of its handler. */
  readonly redeliverMs: number
  /**
   * Jobs that wait in one topic, at most; the oldest is forgotten for a new one. What is lost is found by the sweeper.
   */
  readonly capacity: number
  /**
   * Whether a job of this type waits for a taker who comes later; if not, it is forgotten where nobody takes its kind.
   */
  readonly keepsWaiting: (type: JobType) => boolean
}

interface Topic {
  /** By id, oldest first. */
  readonly waiting: Map<string, Waiting>
  /** The next in turn first. */
  readonly takers: Set<Taker>
}

interface Waiting {
  readonly job: Job
  times: number
}

interface Taker {
  readonly hasHands: () => boolean
  readonly start: (job: Job) => void
}

const keyOf = (type: JobType, priority: JobPriority) => `${type}.${priority}`

export const makeTopics = (options: LocalOptions): Topics => {
  const topics = new Map<string, Topic>()
  const timers = new Set<NodeJS.Timeout>()

  const topicOf = (type: JobType, priority: JobPriority): Topic => {
    const key = keyOf(type, priority)
    let topic = topics.get(key)
    if (topic === undefined) topics.set(key, (topic = { waiting: new Map(), takers: new Set() }))
    return topic
  }

  const push = (topic: Topic, job: Job): void => {
    const known = topic.waiting.get(job.id)
    if (known !== undefined) {
      known.times++
      return
    }
    if (topic.waiting.size >= options.capacity) topic.waiting.delete(topic.waiting.keys().next().value!)
    topic.waiting.set(job.id, { job, times: 1 })
  }

  /** Up to `count` takers with a hand free, in turn. */
  const free = (topic: Topic, count: number): Array<Taker> => {
    const found: Array<Taker> = []
    for (const taker of topic.takers) {
      if (found.length >= count) break
      if (taker.hasHands()) found.push(taker)
    }
    return found
  }

  const hand = (topic: Topic): void => {
    for (const [id, { job, times }] of topic.waiting) {
      const takers = free(topic, times)
      if (takers.length === 0) return
      // All before the first start: a handler may end at once, and come back here.
      topic.waiting.delete(id)
      for (const taker of takers) {
        topic.takers.delete(taker)
        topic.takers.add(taker)
      }
      for (const taker of takers) taker.start(job)
    }
  }

  const later = (run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, options.redeliverMs)
    timers.add(timer)
  }

  return {
    publish: (jobs) => {
      const touched = new Set<Topic>()
      for (const job of jobs) {
        const topic = topicOf(job.type, job.priority)
        if (topic.takers.size === 0 && !options.keepsWaiting(job.type)) continue
        push(topic, job)
        touched.add(topic)
      }
      // Not on the publisher's stack: its own work comes first.
      if (touched.size > 0) queueMicrotask(() => touched.forEach(hand))
    },
    join: ({ concurrency, priority, type }, start) => {
      const topic = topicOf(type, priority)
      let active = 0
      let ended: (() => void) | null = null
      const taker: Taker = {
        hasHands: () => active < concurrency,
        start: (job) => {
          active++
          start(job, (isDone) => {
            active--
            if (!isDone) {
              later(() => {
                push(topic, job)
                hand(topic)
              })
            }
            // Not on this stack: a thousand handlers that end at once would be as many calls deep.
            queueMicrotask(() => hand(topic))
            if (active === 0) ended?.()
          })
        }
      }
      topic.takers.add(taker)
      queueMicrotask(() => hand(topic))
      return {
        leave: (done) => {
          topic.takers.delete(taker)
          ended = done
          if (active === 0) done()
        }
      }
    },
    close: () => timers.forEach((timer) => clearTimeout(timer))
  }
}
