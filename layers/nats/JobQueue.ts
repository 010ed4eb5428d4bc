import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Exit, Layer, Semaphore } from "effect"
import type { Job } from "../../services/domain/operations/Job.ts"
import { aboutJob } from "../../services/domain/operations/Job.ts"
import type { Subscription } from "../../services/ports/operations/JobQueue.ts"
import { JobQueue, QueueUnavailable } from "../../services/ports/operations/JobQueue.ts"
import { NodeQueue } from "../../services/ports/operations/NodeQueue.ts"
import type { NatsAccess } from "../config/NatsAccess.ts"
import { Settings } from "../config/Settings.ts"
import { makeConnection } from "./Connection.ts"
import { StreamProvisioner } from "./StreamProvisioner.ts"
import type { Topic } from "./JetStreamTopics.ts"
import { createdOf, encode, ensureTopic, managerOf, topicOf, TOPICS } from "./JetStreamTopics.ts"
import { StreamPublisher } from "./StreamPublisher.ts"
import { Probe } from "./Probe.ts"
import { isNoRoom, Publisher } from "./Publisher.ts"
import { Puller } from "./Puller.ts"

export interface NatsOptions {
  readonly url: string
  /** Unless given, only what stands in the URL. */
  readonly access?: NatsAccess
  readonly replicas: number
  /** How long a job waits after a failure of its handler. */
  readonly redeliverMs: number
  /** How long the server may take to answer, and how long publishing waits for the very first connection. */
  readonly timeoutMs: number
  /** A job that its worker does not mark as in progress for so long goes to another. */
  readonly ackWaitMs: number
  /** A stream that refuses for so long is made anew. */
  readonly renewMs: number
  /** A subscriber that gets nothing for so long asks whether there is nothing to get. */
  readonly idleMs: number
}

/**
 * JetStream for wake-ups, which are fast and may be lost: it spreads the jobs over the nodes; of what it loses, the
 * sweepers tell again. What it does not take goes to this node's own subscribers.
 */
export const layerOf = (options: NatsOptions): Layer.Layer<JobQueue, never, NodeQueue> =>
  Layer.effect(
    JobQueue,
    Effect.gen(function* () {
      const node = yield* NodeQueue
      const connection = yield* makeConnection(options.url, options.timeoutMs, options.access)

      let publisher: { readonly nc: NatsConnection; readonly it: Publisher } | null = null
      const publisherOf = (nc: NatsConnection): Publisher => {
        if (publisher?.nc !== nc) publisher = { nc, it: new Publisher(nc) }
        return publisher.it
      }
      connection.onDown(() => publisher?.it.giveUp("the connection to NATS was lost"))

      const publishers = new Map<string, StreamPublisher>()
      const streamPublisherOf = (topic: Topic): StreamPublisher => {
        let publisher = publishers.get(topic.stream)
        if (publisher === undefined) {
          const make = (manager: JetStreamManager) => ensureTopic(manager, topic, options)
          const provisioner = new StreamProvisioner({ ...options, stream: topic.stream, make })
          publisher = new StreamPublisher({ ...options, subject: topic.subject, provisioner, connection, publisherOf })
          publishers.set(topic.stream, publisher)
        }
        return publisher
      }
      const probe = new Probe({ ...options, connection, publisherOf, publishers: () => publishers.values() })

      /** The connection when it is up. An outage is told at once: the caller's rows wait better than the caller. */
      const up = Effect.suspend(() => {
        const nc = connection.current()
        return nc !== null && connection.isUp()
          ? Effect.succeed(nc)
          : Effect.fail(new QueueUnavailable({ cause: connection.why() }))
      })

      const spread = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
        yield* connection.started
        const nc = yield* up
        const topics = new Map<string, { readonly topic: Topic; readonly payloads: Array<string> }>()
        for (const job of jobs) {
          const key = `${job.type}.${job.priority}`
          let group = topics.get(key)
          if (group === undefined) topics.set(key, (group = { topic: topicOf(job.type, job.priority), payloads: [] }))
          group.payloads.push(encode(job))
        }
        // A topic that refuses takes nothing from the others: the first failure is told when all have been tried.
        const ends = yield* Effect.promise(() =>
          Promise.allSettled(
            Array.from(topics.values(), ({ topic, payloads }) => streamPublisherOf(topic).publish(nc, payloads))
          )
        )
        const failed = ends.find((end) => end.status === "rejected")
        if (failed !== undefined) return yield* new QueueUnavailable({ cause: failed.reason })
      })

      /**
       * Whether the last publish failed. Then jobs go both ways at once: a server that is frozen takes long to fail.
       */
      let isFailing = false
      const publish = (jobs: ReadonlyArray<Job>): Effect.Effect<void, QueueUnavailable> =>
        jobs.length === 0
          ? Effect.void
          : Effect.suspend(() => {
              const isEarly = isFailing
              return Effect.andThen(isEarly ? node.publish(jobs) : Effect.void, spread(jobs)).pipe(
                Effect.onExit((exit) => {
                  isFailing = Exit.isFailure(exit)
                  return isFailing && !isEarly ? node.publish(jobs) : Effect.void
                })
              )
            })

      const subscribe = Effect.fnUntraced(function* <E>(
        subscription: Subscription,
        handler: (job: Job) => Effect.Effect<void, E>
      ) {
        const topic = topicOf(subscription.type, subscription.priority)
        const run = Effect.runForkWith(yield* Effect.context<never>())
        // Jobs come from two sides, and both together get no more hands than there are.
        const hands = yield* Semaphore.make(subscription.concurrency)
        const handle = (job: Job) => hands.withPermit(Effect.suspend(() => handler(job)))
        yield* node.subscribe(subscription, handle)
        yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new Puller({
                connection,
                topic,
                concurrency: subscription.concurrency,
                redeliverMs: options.redeliverMs,
                ackWaitMs: options.ackWaitMs,
                provisioner: streamPublisherOf(topic).provisioner,
                timeoutMs: options.timeoutMs,
                idleMs: options.idleMs,
                handle: (job) =>
                  new Promise((resolve) => {
                    run(
                      handle(job).pipe(
                        Effect.tapCause((cause) =>
                          Effect.logWarning("A job failed and will be delivered again", cause).pipe(
                            Effect.annotateLogs(aboutJob(job))
                          )
                        )
                      )
                    ).addObserver((exit) => resolve(Exit.isSuccess(exit)))
                  }),
                onGarbage: () => {
                  run(
                    Effect.annotateLogs(Effect.logWarning("A message is no job; dropped"), { subject: topic.subject })
                  )
                }
              })
          ),
          (puller) => Effect.promise(() => puller.stop())
        )
      })

      return {
        publish,
        subscribe,
        wake: node.publish,
        reachesOthers: () => connection.isUp() && !isFailing,
        ping: Effect.gen(function* () {
          yield* connection.started
          const nc = yield* up
          yield* Effect.tryPromise({
            try: () => probe.check(nc),
            catch: (cause) => new QueueUnavailable({ cause: connection.blame(cause), isFull: isNoRoom(cause) })
          })
        })
      }
    })
  )

const natsOf = (settings: Settings["Service"]) => {
  if (settings.natsUrl === null) throw new Error("NATS_URL is not set")
  return {
    url: settings.natsUrl,
    access: settings.natsAccess,
    replicas: settings.natsReplicas,
    timeoutMs: 2000,
    ackWaitMs: 30_000
  }
}

export interface Streams {
  readonly made: number
  readonly all: number
  /** Whether NATS_REPLICAS asks a server for several that belongs to no cluster. */
  readonly isAlone: boolean
}

/**
 * Makes the streams that nodes make when they first need them, as far as they are missing, and says how many were, of how many. Those that
 * are there are left as they are: whoever looks may have other settings than the nodes.
 */
export const makeStreams: Effect.Effect<Streams, QueueUnavailable, Settings> = Effect.gen(function* () {
  const options = natsOf(yield* Settings)
  const connection = yield* makeConnection(options.url, options.timeoutMs, options.access)
  yield* connection.started
  const nc = connection.current()
  if (nc === null || !connection.isUp()) return yield* new QueueUnavailable({ cause: connection.why() })
  return yield* Effect.tryPromise({
    try: async () => {
      const manager = await managerOf(nc, options.timeoutMs)
      let made = 0
      for (const topic of TOPICS) {
        if ((await createdOf(manager, topic.stream)) !== null) continue
        await ensureTopic(manager, topic, options)
        made++
      }
      return { made, all: TOPICS.length, isAlone: options.replicas > 1 && nc.info?.cluster === undefined }
    },
    catch: (cause) => new QueueUnavailable({ cause: connection.blame(cause), isFull: isNoRoom(cause) })
  })
}).pipe(Effect.scoped)

/** With NATS_URL, the settings of how to sign in there, and NATS_REPLICAS. */
export const layer: Layer.Layer<JobQueue, never, Settings | NodeQueue> = Layer.unwrap(
  Effect.map(Settings, (settings) => {
    return layerOf({
      ...natsOf(settings),
      redeliverMs: 1000,
      // An election among replicas takes up to nine seconds.
      renewMs: settings.natsReplicas > 1 ? 20_000 : 2000,
      idleMs: 10_000
    })
  })
)
