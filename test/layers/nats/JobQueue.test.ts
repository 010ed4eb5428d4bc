import { assert, describe, it } from "@effect/vitest"
import { AckPolicy } from "@nats-io/jetstream"
import type { Scope } from "effect"
import { Context, Deferred, Effect, Fiber, Latch, Layer, Queue, Schedule } from "effect"
import { CONSUMER } from "../../../layers/nats/JetStreamTopics.ts"
import { besideFor, besideWith } from "../../../layers/local/JobHub.ts"
import type { NatsOptions } from "../../../layers/nats/JobQueue.ts"
import { layerOf as layerBeside } from "../../../layers/nats/JobQueue.ts"
import type { Job } from "../../../services/domain/operations/Job.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import type { NatsServer } from "../../NatsServer.ts"
import { makeNatsServer } from "../../NatsServer.ts"
import { contract } from "../JobQueue.contract.ts"
import { client, job, topic, layerOf, options, subscription } from "./Node.ts"

/** A whole node, as the engine is. */
const nodeOf = (options: NatsOptions) => Layer.provide(layerBeside(options), Layer.fresh(besideFor(new Set())))

contract(
  "JobQueue on NATS",
  Effect.map(makeNatsServer, ({ url }) =>
    Layer.provide(
      layerBeside({ ...options, url }),
      besideWith({ redeliverMs: options.redeliverMs, capacity: 1000, keepsWaiting: () => false })
    )
  )
)

/** Publishes until the queue takes it: what the sweeper does. */
const insist = (queue: JobQueue["Service"], jobs: ReadonlyArray<Job>) =>
  Effect.retry(queue.publish(jobs), Schedule.spaced(50))

const withQueue = (
  body: (server: NatsServer, queue: JobQueue["Service"]) => Effect.Effect<void, unknown, Scope.Scope>,
  changed: Partial<typeof options> = {}
) =>
  Effect.gen(function* () {
    const server = yield* makeNatsServer
    const context = yield* Layer.build(layerOf({ ...options, ...changed, url: server.url }))
    yield* Effect.flatMap(JobQueue, (queue) => body(server, queue)).pipe(Effect.provide(context))
  })

describe("JobQueue on NATS", () => {
  it.live("may start before NATS does", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      yield* server.kill
      const context = yield* Layer.build(layerOf({ ...options, timeoutMs: 100, url: server.url }))
      yield* Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        assert.strictEqual((yield* Effect.flip(queue.publish([job("early")])))._tag, "QueueUnavailable")
        assert.strictEqual((yield* Effect.flip(queue.ping))._tag, "QueueUnavailable")
        yield* server.start
        yield* insist(queue, [job("late")])
        assert.strictEqual(yield* Queue.take(seen), "late")
        yield* queue.ping
      }).pipe(Effect.provide(context))
    })
  )

  it.live("goes on after NATS was killed, with the jobs that its store kept", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const seen = yield* Queue.unbounded<string>()
        yield* queue.publish([job("before")])
        yield* server.kill
        // The outage is noticed, and told, instead of waited for.
        yield* Effect.repeat(Effect.exit(queue.publish([job("during")])), { until: (exit) => exit._tag === "Failure" })
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* server.start
        assert.strictEqual(yield* Queue.take(seen), "before")
        yield* insist(queue, [job("after")])
        assert.strictEqual(yield* Queue.take(seen), "after")
      })
    )
  )

  it.live("makes its streams anew when NATS lost its store", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* queue.publish([job("before")])
        assert.strictEqual(yield* Queue.take(seen), "before")
        yield* Effect.andThen(server.kill, server.wipe)
        yield* server.start
        yield* insist(queue, [job("after")])
        assert.strictEqual(yield* Queue.take(seen), "after")
      })
    )
  )

  it.live("makes a stream or a consumer anew that somebody deleted", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const { manager } = yield* client(server)
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* queue.publish([job("one")])
        assert.strictEqual(yield* Queue.take(seen), "one")

        // The acknowledgement of the job before may be lost with the consumer, so that it comes once more.
        const seeing = (id: string) => Effect.repeat(Queue.take(seen), { until: (it) => it === id })
        yield* Effect.promise(() => manager.consumers.delete(topic.stream, CONSUMER))
        yield* queue.publish([job("two")])
        yield* seeing("two")

        yield* Effect.promise(() => manager.streams.delete(topic.stream))
        yield* queue.publish([job("three")])
        yield* seeing("three")
      })
    )
  )

  it.live("makes a stream anew that is listed, but has lost its files", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        yield* queue.publish([job("lost")])
        yield* server.lose(topic.stream)
        const { manager } = yield* client(server)
        // The server does not know: it lists the stream, and refuses to write its consumer's file.
        const { created } = yield* Effect.promise(() => manager.streams.info(topic.stream))
        const seen = yield* Queue.unbounded<string>()
        const another = yield* Layer.build(Layer.fresh(layerOf({ ...options, url: server.url })))
        for (const node of [queue, Context.get(another, JobQueue)]) {
          yield* node.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        }
        yield* insist(Context.get(another, JobQueue), [job("found")])
        yield* Effect.repeat(Queue.take(seen), { until: (id) => id === "found" })
        assert.notStrictEqual((yield* Effect.promise(() => manager.streams.info(topic.stream))).created, created)
      })
    )
  )

  it.live("makes a stream anew that refuses for ever, and publishes the jobs of the others meanwhile", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const { manager, nc } = yield* client(server)
        const urgent = { ...job("urgent"), priority: "high" } as const
        const seen = yield* Queue.unbounded<string>()
        for (const priority of ["high", "bulk"] as const) {
          yield* queue.subscribe({ ...subscription, priority }, ({ id }) => Queue.offer(seen, id))
        }
        yield* queue.publish([job("first")])
        assert.strictEqual(yield* Queue.take(seen), "first")
        yield* Effect.promise(async () => {
          const { config } = await manager.streams.info(topic.stream)
          await nc.request(`$JS.API.STREAM.UPDATE.${topic.stream}`, JSON.stringify({ ...config, sealed: true }))
        })
        assert.include(String((yield* Effect.flip(queue.publish([job("refused"), urgent]))).cause), "sealed")
        assert.strictEqual(yield* Queue.take(seen), "urgent")
        yield* insist(queue, [job("taken")])
        yield* Effect.repeat(Queue.take(seen), { until: (id) => id === "taken" })
      })
    )
  )

  it.live("notices that its pulls bring nothing though jobs wait", () =>
    withQueue(
      (server, queue) =>
        Effect.gen(function* () {
          const { manager, nc } = yield* client(server)
          yield* queue.publish([job("hogged"), job("kept back")])
          const seen = yield* Queue.unbounded<string>()
          yield* Effect.promise(async () => {
            const next = `$JS.API.CONSUMER.MSG.NEXT.${topic.stream}.${CONSUMER}`
            await nc.request(next, JSON.stringify({ batch: 1 }), { timeout: 5000, noMux: true })
          })
          yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
          assert.strictEqual(yield* Queue.take(seen), "kept back")
          // One job is at work, and no more may be.
          yield* Effect.promise(async () => {
            const { config } = await manager.consumers.info(topic.stream, CONSUMER)
            await manager.consumers.update(topic.stream, CONSUMER, { ...config, max_ack_pending: 1 })
          })
          yield* queue.publish([job("stuck")])
          assert.strictEqual(yield* Queue.take(seen), "stuck")
        }),
      // A long time-out: a machine that is slow to bring the job must not lose it with the stream.
      { idleMs: 300, renewMs: 60_000 }
    )
  )

  it.live("gives what NATS does not take to the node's own subscribers", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const queue = Context.get(yield* Layer.build(nodeOf({ ...options, timeoutMs: 300, url: server.url })), JobQueue)
      const seen = yield* Queue.unbounded<string>()
      yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
      const seeing = (id: string) => Effect.repeat(Queue.take(seen), { until: (it) => it === id })
      yield* queue.publish([job("spread")])
      yield* seeing("spread")

      yield* server.freeze
      // The signal takes a moment to arrive.
      yield* Effect.repeat(Effect.exit(queue.publish([job("frozen")])), { until: (exit) => exit._tag === "Failure" })
      yield* seeing("frozen")
      // From now on nobody waits for it to fail, nor loses what he gave up.
      const given = yield* Effect.forkChild(queue.publish([job("hanging")]), { startImmediately: true })
      yield* seeing("hanging")
      yield* Fiber.interrupt(given)
      yield* server.thaw

      yield* server.kill
      yield* Effect.repeat(Effect.exit(queue.publish([job("gone")])), { until: (exit) => exit._tag === "Failure" })
      yield* seeing("gone")
    })
  )

  it.live("gives a job whose publisher gave up to the node's own subscribers", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const queue = Context.get(
        yield* Layer.build(nodeOf({ ...options, timeoutMs: 60_000, url: server.url })),
        JobQueue
      )
      const seen = yield* Queue.unbounded<string>()
      yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
      yield* queue.publish([job("first")])
      yield* Queue.take(seen)
      yield* server.freeze
      yield* Effect.repeat(Effect.timeoutOption(queue.publish([job("given up")]), "100 millis"), {
        until: (done) => done._tag === "None"
      })
      assert.strictEqual(yield* Queue.take(seen), "given up")
      yield* server.thaw
    })
  )

  it.live("wakes the node's own subscribers without NATS, and has no more of them at work than they allow", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const queue = Context.get(yield* Layer.build(nodeOf({ ...options, url: server.url })), JobQueue)
      const gate = yield* Latch.make(false)
      const started = yield* Queue.unbounded<string>()
      let active = 0
      let most = 0
      yield* queue.subscribe({ ...subscription, concurrency: 2 }, ({ id }) =>
        Effect.gen(function* () {
          most = Math.max(most, ++active)
          yield* Queue.offer(started, id)
          yield* gate.await
          active--
        })
      )
      yield* Effect.addFinalizer(() => gate.open)
      yield* queue.publish([job("far 1"), job("far 2")])
      yield* queue.wake([job("near 1"), job("near 2")])
      yield* Queue.takeN(started, 2)
      yield* gate.open
      yield* Queue.takeN(started, 2)
      assert.strictEqual(most, 2)
      yield* server.kill
      yield* queue.wake([job("alone")])
      yield* Effect.repeat(Queue.take(started), { until: (id) => id === "alone" })
    })
  )

  it.live("brings streams and consumers of an earlier release up to date", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const { manager } = yield* client(server)
        yield* Effect.promise(async () => {
          await manager.streams.add({
            name: topic.stream,
            subjects: [topic.subject],
            retention: "workqueue",
            max_msgs: 7
          })
          await manager.consumers.add(topic.stream, {
            durable_name: CONSUMER,
            ack_policy: AckPolicy.Explicit,
            max_ack_pending: 3
          })
        })
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* queue.publish([job("one")])
        assert.strictEqual(yield* Queue.take(seen), "one")
        const { config } = yield* Effect.promise(() => manager.streams.info(topic.stream))
        assert.deepInclude(config, { retention: "workqueue", storage: "file", discard: "old", num_replicas: 1 })
        assert.isAbove(config.max_msgs, 100_000)
        assert.isAbove(config.max_bytes, 1_000_000)
        const consumer = yield* Effect.promise(() => manager.consumers.info(topic.stream, CONSUMER))
        assert.isAbove(consumer.config.max_ack_pending!, 1000)
        assert.strictEqual(consumer.config.max_deliver, -1)
      })
    )
  )

  it.live("keeps a job with its worker for as long as the handler works", () =>
    withQueue(
      (server, queue) =>
        Effect.gen(function* () {
          const { nc } = yield* client(server)
          const marks = yield* Queue.unbounded<string>()
          nc.subscribe("$JS.ACK.>", { callback: (_, msg) => void Queue.offerUnsafe(marks, msg.string()) })
          yield* Effect.promise(() => nc.flush())
          const gate = yield* Deferred.make<void>()
          const started = yield* Queue.unbounded<string>()
          yield* queue.subscribe(subscription, ({ id }) =>
            Effect.andThen(Queue.offer(started, id), id === "long" ? Deferred.await(gate) : Effect.void)
          )
          yield* queue.publish([job("long")])
          // Three marks are one ack_wait: without them the job would have come again by now.
          assert.deepStrictEqual(new Set(yield* Queue.takeN(marks, 4)), new Set(["+WPI"]))
          yield* Deferred.succeed(gate, undefined)
          while ((yield* Queue.take(marks)) !== "+ACK");
          yield* queue.publish([job("next")])
          assert.deepStrictEqual(yield* Queue.takeN(started, 2), ["long", "next"])
          assert.strictEqual(yield* Queue.size(started), 0)
        }),
      // A process that stands still for two thirds of it has its job given to another, as it should be.
      { ackWaitMs: 3000 }
    )
  )

  it.live("gives a job to another worker when the first one vanished without a word", () =>
    withQueue(
      (server, queue) =>
        Effect.gen(function* () {
          const { nc } = yield* client(server)
          yield* queue.publish([job("orphan")])
          const taken = yield* Effect.promise(() =>
            nc.request(`$JS.API.CONSUMER.MSG.NEXT.${topic.stream}.${CONSUMER}`, JSON.stringify({ batch: 1 }), {
              timeout: 5000,
              noMux: true
            })
          )
          assert.include(taken.string(), "orphan")
          yield* Effect.promise(() => nc.close())
          const seen = yield* Queue.unbounded<string>()
          yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
          assert.strictEqual(yield* Queue.take(seen), "orphan")
        }),
      { ackWaitMs: 300 }
    )
  )

  it.live("drops a message that is no job, and goes on", () =>
    withQueue((server, queue) =>
      Effect.gen(function* () {
        const { nc, manager } = yield* client(server)
        const seen = yield* Queue.unbounded<string>()
        yield* queue.publish([job("first")])
        for (const text of ["", "{", "null", "[]", '{"type":"SendV2","id":"x"}', '{"type":"SendV1","id":7}']) {
          yield* Effect.promise(() => nc.request(topic.subject, text))
        }
        yield* queue.publish([job("last")])
        yield* queue.subscribe({ ...subscription, concurrency: 1 }, ({ id }) => Queue.offer(seen, id))
        assert.deepStrictEqual(yield* Queue.takeN(seen, 2), ["first", "last"])
        // The server takes each away some time after it has read that it is done.
        const info = Effect.promise(() => manager.streams.info(topic.stream))
        yield* Effect.repeat(info, { until: ({ state }) => state.messages === 0 })
      })
    )
  )

  it.live("leaves nothing unacknowledged behind when it closes", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const { manager } = yield* client(server)
      const layer = layerOf({ ...options, url: server.url })
      yield* Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* queue.publish(Array.from({ length: 200 }, (_, i) => job(`job-${i}`)))
        yield* Queue.takeN(seen, 50)
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer)))
      const consumer = yield* Effect.promise(() => manager.consumers.info(topic.stream, CONSUMER))
      const { state } = yield* Effect.promise(() => manager.streams.info(topic.stream))
      // What was given back waits for redelivery and counts as unacknowledged; it comes at once.
      const seen = yield* Queue.unbounded<string>()
      yield* Effect.gen(function* () {
        const queue = yield* JobQueue
        yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
        yield* Queue.takeN(seen, state.messages)
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layer)))
      assert.isAtMost(consumer.num_ack_pending, 4)
      assert.strictEqual((yield* Effect.promise(() => manager.streams.info(topic.stream))).state.messages, 0)
    })
  )

  it.live("tells that it is unavailable when NATS is there but does not answer", () =>
    withQueue(
      (server, queue) =>
        Effect.gen(function* () {
          yield* queue.publish([job("one")])
          yield* server.freeze
          yield* Effect.gen(function* () {
            // The signal takes a moment to arrive.
            yield* Effect.repeat(Effect.exit(queue.publish([job("two")])), { until: (exit) => exit._tag === "Failure" })
            assert.strictEqual((yield* Effect.flip(queue.ping))._tag, "QueueUnavailable")
          }).pipe(Effect.ensuring(server.thaw))
          yield* insist(queue, [job("three")])
        }),
      { timeoutMs: 300 }
    )
  )
})
