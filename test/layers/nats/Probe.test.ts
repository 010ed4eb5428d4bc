import { assert, describe, it } from "@effect/vitest"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NatsOptions } from "../../../layers/nats/JobQueue.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { makeDisk } from "../../faults/Disk.ts"
import type { NatsServer } from "../../NatsServer.ts"
import { makeNatsServer, makeNatsServerAt } from "../../NatsServer.ts"
import { client, job, topic, layerOf, options, subscription } from "./Node.ts"

const PROBE = "HELIOGRAPH_PROBE"
/** A stream that refuses is made anew when it has refused twice, so that nobody has to wait to see whether it is. */
const AT_ONCE = 0

/** No server of these tests is silent: a slow machine is no failure. */
const TIMEOUT_MS = 20_000

/** Nobody listens there. */
const NOWHERE = "nats://127.0.0.1:1"

const nodeAt = (server: NatsServer, changed: Partial<NatsOptions> = {}) =>
  Effect.map(
    Layer.build(Layer.fresh(layerOf({ ...options, timeoutMs: TIMEOUT_MS, url: server.url, ...changed }))),
    (context) => Context.get(context, JobQueue)
  )

const refusing = (queue: JobQueue["Service"]) => Effect.retry(Effect.flip(queue.ping), Schedule.spaced(25))
const taking = (queue: JobQueue["Service"]) => Effect.retry(queue.ping, Schedule.spaced(25))

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-probe-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** A server with room for one topic, and what takes all of it but what is reserved: another user's stream. */
const makeSmallServer = Effect.gen(function* () {
  const config = join(yield* directory, "nats.conf")
  yield* Effect.promise(() => writeFile(config, "jetstream { max_file_store: 70MB }\n"))
  const server = yield* makeNatsServerAt(tmpdir(), ["--config", config])
  const { manager, nc } = yield* client(server)
  yield* Effect.promise(() => manager.streams.add({ name: "OTHERS", subjects: ["others"] }))
  const block = new Uint8Array(1_000_000)
  const fill = Effect.promise(async () => {
    while (!(await nc.request("others", block, { timeout: TIMEOUT_MS })).json<{ readonly error?: unknown }>().error);
  })
  return { server, manager, fill, free: Effect.promise(() => manager.streams.purge("OTHERS")) }
})

const created = (manager: JetStreamManager, stream: string) =>
  Effect.promise(async () => (await manager.streams.info(stream)).created)

/** It refuses messages from now on, for ever. */
const seal = (nc: NatsConnection, manager: JetStreamManager, stream: string) =>
  Effect.promise(async () => {
    const { config } = await manager.streams.info(stream)
    await nc.request(`$JS.API.STREAM.UPDATE.${stream}`, JSON.stringify({ ...config, sealed: true }), {
      timeout: TIMEOUT_MS
    })
  })

describe("ping over NATS", () => {
  it.live("fails on every node while messages are refused, and succeeds by itself when they are taken again", () =>
    Effect.gen(function* () {
      const { fill, free, server } = yield* makeSmallServer
      const [publishing, idle] = [yield* nodeAt(server), yield* nodeAt(server)]
      yield* publishing.publish([job("taken")])
      yield* Effect.all([publishing.ping, idle.ping])
      yield* fill
      yield* Effect.flip(publishing.publish([job("refused")]))
      assert.include(String((yield* Effect.flip((yield* nodeAt(server)).ping)).cause), "insufficient resources")
      yield* refusing(idle)
      yield* refusing(publishing)
      yield* free
      yield* taking(idle)
      yield* taking(publishing)
    })
  )

  it.live("says that there is no room when none is left for the stream of a topic, and what the streams need", () =>
    Effect.gen(function* () {
      const { manager, server } = yield* makeSmallServer
      const queue = yield* nodeAt(server)
      yield* queue.publish([job("first")])
      yield* queue.ping
      yield* Effect.flip(queue.publish([{ ...job("urgent"), priority: "high" }]))
      const refused = yield* refusing(queue)
      assert.strictEqual(refused.isFull, true)
      assert.match(
        refused.message,
        /it has no room: insufficient storage resources available\..* 512 MiB for each replica/
      )
      assert.isUndefined(
        (yield* Effect.flip((yield* nodeAt({ ...server, url: NOWHERE }, { timeoutMs: 100 })).ping)).isFull
      )
      yield* Effect.promise(() => manager.streams.delete(topic.stream))
      yield* taking(queue)
    })
  )

  it.live("says so of a topic that a node only pulls from, and no more once there is room", () =>
    Effect.gen(function* () {
      const { manager, server } = yield* makeSmallServer
      const queue = yield* nodeAt(server)
      yield* queue.publish([job("first")])
      yield* queue.ping
      yield* queue.subscribe({ ...subscription, priority: "high" }, () => Effect.void)
      assert.strictEqual((yield* refusing(queue)).isFull, true)
      yield* Effect.promise(() => manager.streams.delete(topic.stream))
      yield* taking(queue)
    })
  )

  it.live("costs no stream that has only no room, nor the jobs in it", () =>
    Effect.gen(function* () {
      const { fill, free, manager, server } = yield* makeSmallServer
      const queue = yield* nodeAt(server, { renewMs: AT_ONCE })
      yield* queue.publish([job("kept")])
      yield* queue.ping
      const before = [yield* created(manager, topic.stream), yield* created(manager, PROBE)]
      yield* fill
      for (let i = 0; i < 3; i++) yield* Effect.flip(queue.publish([job("refused")]))
      yield* refusing(queue)
      yield* free
      yield* taking(queue)
      assert.deepStrictEqual([yield* created(manager, topic.stream), yield* created(manager, PROBE)], before)
      const seen = yield* Queue.unbounded<string>()
      yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
      assert.strictEqual(yield* Queue.take(seen), "kept")
    })
  )

  it.live("fails while one topic refuses, though another took the last job, until its jobs are taken", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const { manager, nc } = yield* client(server)
      const queue = yield* nodeAt(server, { renewMs: 60_000 })
      yield* queue.publish([job("first")])
      yield* seal(nc, manager, topic.stream)
      yield* Effect.flip(queue.publish([job("untaken")]))
      yield* queue.publish([{ ...job("urgent"), priority: "high" }])
      assert.include(String((yield* Effect.flip(queue.ping)).cause), "sealed")
      yield* Effect.promise(() => manager.streams.delete(topic.stream))
      // Nobody publishes: it finds out by itself, with the job that was not taken.
      yield* taking(queue)
      const seen = yield* Queue.unbounded<string>()
      yield* queue.subscribe(subscription, ({ id }) => Queue.offer(seen, id))
      assert.strictEqual(yield* Queue.take(seen), "untaken")
    })
  )

  it.live("makes its own stream anew when that is what refuses", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const { manager, nc } = yield* client(server)
      const queue = yield* nodeAt(server, { renewMs: AT_ONCE })
      yield* queue.ping
      const before = yield* created(manager, PROBE)
      yield* seal(nc, manager, PROBE)
      yield* refusing(queue)
      yield* taking(queue)
      assert.notStrictEqual(yield* created(manager, PROBE), before)
    })
  )

  it.live("publishes one message for all who ask at once", () =>
    Effect.gen(function* () {
      const server = yield* makeNatsServer
      const { manager } = yield* client(server)
      const queue = yield* nodeAt(server)
      yield* Effect.all(
        Array.from({ length: 50 }, () => queue.ping),
        { concurrency: "unbounded" }
      )
      const { state } = yield* Effect.promise(() => manager.streams.info(PROBE))
      assert.strictEqual(state.last_seq, 1)
    })
  )

  // Only root may mount a disk.
  it.live.skipIf(process.getuid?.() !== 0)("fails while the disk is full, though small jobs still fit in", () =>
    Effect.gen(function* () {
      const disk = yield* makeDisk(16)
      const config = join(disk.path, "nats.conf")
      yield* Effect.promise(() => writeFile(config, "jetstream { max_file_store: 1GB }\n"))
      const server = yield* makeNatsServerAt(disk.path, ["--config", config])
      const [publishing, idle] = [yield* nodeAt(server), yield* nodeAt(server)]
      yield* publishing.publish([job("first")])
      yield* Effect.all([publishing.ping, idle.ping])
      yield* disk.fill()
      yield* publishing.publish([job("second")])
      yield* refusing(publishing)
      yield* refusing(idle)
      yield* disk.free
      // The server still answers: it had no room for any part of a message.
      yield* taking(publishing)
      yield* taking(idle)
      yield* publishing.publish([job("third")])
    })
  )
})
