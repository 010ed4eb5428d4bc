import type { NatsConnection } from "@nats-io/transport-node"
import { jetstreamManager } from "@nats-io/jetstream"
import { Effect, Exit, Layer } from "effect"
import type { Job } from "../../services/domain/Job.ts"
import { aboutJob } from "../../services/domain/Job.ts"
import type { Subscription } from "../../services/ports/JobQueue.ts"
import { JobQueue, QueueUnavailable } from "../../services/ports/JobQueue.ts"
import { Settings } from "../config/Settings.ts"
import { makeConnection } from "./Connection.ts"
import type { Lane } from "./Lanes.ts"
import { encode, ensureLane, laneOf } from "./Lanes.ts"
import { NoAcknowledgement, Publisher } from "./Publisher.ts"
import { Puller } from "./Puller.ts"

export interface NatsOptions {
  readonly url: string
  readonly replicas: number
  /** How long a job waits after a failure of its handler. */
  readonly redeliverMs: number
  /** How long the server may take to answer, and how long publishing waits for the very first connection. */
  readonly timeoutMs: number
  /** A job that its worker does not mark as in progress for so long goes to another. */
  readonly ackWaitMs: number
}

/** JetStream as a hint that is fast: it spreads the jobs over the nodes; what it loses, the sweeper publishes again. */
export const layerOf = (options: NatsOptions): Layer.Layer<JobQueue> =>
  Layer.effect(
    JobQueue,
    Effect.gen(function* () {
      const connection = yield* makeConnection(options.url, options.timeoutMs)

      /** What is known to exist, within one epoch of the connection. */
      const ensured = new Map<string, { readonly epoch: number; pending: boolean; readonly done: Promise<void> }>()
      const ensure = (nc: NatsConnection, lane: Lane, anew: boolean): Promise<void> => {
        const known = ensured.get(lane.stream)
        // What is under way is shared even by those who want it anew: publisher and puller find out at the same time.
        if (known?.epoch === connection.epoch() && (!anew || known.pending)) return known.done
        const entry = { epoch: connection.epoch(), pending: true, done: ensureLane(nc, lane, options) }
        ensured.set(lane.stream, entry)
        entry.done.then(
          () => (entry.pending = false),
          () => {
            if (ensured.get(lane.stream) === entry) ensured.delete(lane.stream)
          }
        )
        return entry.done
      }

      let publisher: { readonly nc: NatsConnection; readonly it: Publisher } | null = null
      const publisherOf = (nc: NatsConnection): Publisher => {
        if (publisher?.nc !== nc) publisher = { nc, it: new Publisher(nc) }
        return publisher.it
      }
      connection.onDown(() => publisher?.it.giveUp("the connection to NATS was lost"))

      /** The connection when it is up. An outage is told at once: the caller's rows wait better than the caller. */
      const up = Effect.suspend(() => {
        const nc = connection.current()
        return nc !== null && connection.isUp()
          ? Effect.succeed(nc)
          : Effect.fail(new QueueUnavailable({ cause: new Error("NATS is not connected") }))
      })

      const attempt = <A>(run: () => Promise<A>) =>
        Effect.tryPromise({ try: run, catch: (cause) => new QueueUnavailable({ cause }) })

      const publish = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
        if (jobs.length === 0) return
        yield* connection.started
        const nc = yield* up
        const lanes = new Map<string, Lane>()
        const messages = jobs.map((job) => {
          const key = `${job.type}.${job.priority}`
          let lane = lanes.get(key)
          if (lane === undefined) lanes.set(key, (lane = laneOf(job.type, job.priority)))
          return [lane.subject, encode(job)] as const
        })
        const once = (anew: boolean) =>
          attempt(async () => {
            await Promise.all(Array.from(lanes.values(), (lane) => ensure(nc, lane, anew)))
            await publisherOf(nc).publish(messages, options.timeoutMs)
          })
        // A stream that somebody deleted is made anew; two nodes that do so at once may refuse each other once. What was
        // taken already is published twice, which harms nobody.
        const again = Effect.andThen(Effect.sleep(50), Effect.andThen(up, once(true)))
        yield* once(false).pipe(
          Effect.catchIf(isRefusal, () => once(true)),
          Effect.catchIf(isRefusal, () => again)
        )
      })

      const subscribe = Effect.fnUntraced(function* <E>(
        subscription: Subscription,
        handler: (job: Job) => Effect.Effect<void, E>
      ) {
        const lane = laneOf(subscription.type, subscription.priority)
        const run = Effect.runForkWith(yield* Effect.context<never>())
        yield* Effect.acquireRelease(
          Effect.sync(
            () =>
              new Puller({
                connection,
                lane,
                concurrency: subscription.concurrency,
                redeliverMs: options.redeliverMs,
                ackWaitMs: options.ackWaitMs,
                ensure: (nc, anew) => ensure(nc, lane, anew),
                handle: (job) =>
                  new Promise((resolve) => {
                    run(
                      Effect.suspend(() => handler(job)).pipe(
                        Effect.tapCause((cause) =>
                          Effect.logWarning("A job failed and will be delivered again", cause).pipe(
                            Effect.annotateLogs(aboutJob(job))
                          )
                        )
                      )
                    ).addObserver((exit) => resolve(Exit.isSuccess(exit)))
                  }),
                onGarbage: () => {
                  run(Effect.annotateLogs(Effect.logWarning("A message is no job; dropped"), { subject: lane.subject }))
                }
              })
          ),
          (puller) => Effect.promise(() => puller.stop())
        )
      })

      return {
        publish,
        subscribe,
        ping: Effect.gen(function* () {
          yield* connection.started
          const nc = yield* up
          yield* attempt(async () => {
            const manager = await jetstreamManager(nc, { checkAPI: false, timeout: options.timeoutMs })
            return manager.getAccountInfo()
          })
        })
      }
    })
  )

/** Unlike silence, a refusal may be cured by making the stream anew. */
const isRefusal = (error: QueueUnavailable): boolean => !(error.cause instanceof NoAcknowledgement)

/** With NATS_URL and NATS_REPLICAS. */
export const layer: Layer.Layer<JobQueue, never, Settings> = Layer.unwrap(
  Effect.map(Settings, (settings) => {
    if (settings.natsUrl === null) throw new Error("NATS_URL is not set")
    return layerOf({
      url: settings.natsUrl,
      replicas: settings.natsReplicas,
      redeliverMs: 1000,
      timeoutMs: 2000,
      ackWaitMs: 30_000
    })
  })
)
