import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Queue, Scope } from "effect"
import { MessageChannel } from "node:worker_threads"
import { ofPort } from "../../../layers/local/ProcessChannel.ts"
import { besideFor, besideWith, JobHub, layerWith } from "../../../layers/local/JobHub.ts"
import { besideOf, layerOf } from "../../../layers/local/WorkerJobQueue.ts"
import type { Job } from "../../../services/domain/operations/Job.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { NodeQueue } from "../../../services/ports/operations/NodeQueue.ts"
import { contract } from "../JobQueue.contract.ts"

const OPTIONS = { redeliverMs: 20, capacity: 100_000, keepsWaiting: () => true }

/** A hub, and workers that reach it over channels of their own. */
const makeNode = Effect.fnUntraced(function* (count: number) {
  const context = yield* Layer.build(layerWith(OPTIONS))
  const hub = Context.get(context, JobHub)
  const workers = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function* () {
      const { port1, port2 } = new MessageChannel()
      yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
      yield* hub.attach(ofPort(port1))
      const queue = Context.get(yield* Layer.build(layerOf(ofPort(port2))), JobQueue)
      return { queue, cut: Effect.sync(() => port2.close()) }
    })
  )
  return { queue: Context.get(context, JobQueue), workers }
})

/** The port as if it were one queue: everything said to it is said by another process in turn. */
const inTurn = (queues: ReadonlyArray<JobQueue["Service"]>): JobQueue["Service"] => {
  let turn = 0
  const next = () => queues[turn++ % queues.length]!
  return {
    publish: (jobs) => next().publish(jobs),
    wake: (jobs) => next().wake(jobs),
    subscribe: (subscription, handler) => next().subscribe(subscription, handler),
    reachesOthers: () => next().reachesOthers(),
    ping: Effect.suspend(() => next().ping)
  }
}

contract(
  "JobQueue over several processes, asked by workers",
  Effect.map(makeNode(2), ({ workers }) => Layer.succeed(JobQueue, inTurn(workers.map(({ queue }) => queue))))
)

contract(
  "JobQueue over several processes, asked by the hub's own and by a worker",
  Effect.map(makeNode(1), ({ queue, workers }) => Layer.succeed(JobQueue, inTurn([queue, workers[0]!.queue])))
)

const job = (id: string, type: Job["type"] = "SendV1"): Job => ({ type, id, priority: "bulk" })
const topic = (concurrency: number, type: Job["type"] = "SendV1") => ({ type, priority: "bulk", concurrency }) as const

it.live("JobHub wakes every worker for a topic that was asked for as often, and one for a single job", () =>
  Effect.gen(function* () {
    const { queue, workers } = yield* makeNode(3)
    const seen = yield* Queue.unbounded<readonly [number, string]>()
    for (const [name, worker] of workers.entries()) {
      yield* worker.queue.subscribe(topic(64), ({ id }) => Queue.offer(seen, [name, id] as const))
      // What a worker said before is heard when it is answered.
      yield* worker.queue.ping
    }
    yield* queue.publish(["apns", "fcm", "apns", "fcm", "apns", "fcm", "apns"].map((id) => job(id)))
    const woken = yield* Queue.takeN(seen, 6)
    assert.sameDeepMembers(
      woken,
      [0, 1, 2].flatMap((name) => [[name, "apns"] as const, [name, "fcm"] as const])
    )
    yield* queue.publish([job("one")])
    assert.strictEqual((yield* Queue.take(seen))[1], "one")
    yield* Effect.forEach(workers, (worker) => worker.queue.ping)
    assert.strictEqual(yield* Queue.size(seen), 0)
  })
)

it.live("JobHub gives what a lost process had at work to another", () =>
  Effect.gen(function* () {
    const { queue, workers } = yield* makeNode(2)
    const [lost, other] = workers
    const started = yield* Queue.unbounded<string>()
    const scope = yield* Scope.make()
    yield* lost!.queue
      .subscribe(topic(2, "PlanV1"), ({ id }) => Effect.andThen(Queue.offer(started, id), Effect.never))
      .pipe(Scope.provide(scope))
    yield* queue.publish(["a", "b", "c"].map((id) => job(id, "PlanV1")))
    assert.sameMembers(yield* Queue.takeN(started, 2), ["a", "b"])
    const rest = yield* Queue.unbounded<string>()
    yield* lost!.cut
    yield* other!.queue.subscribe(topic(2, "PlanV1"), ({ id }) => Queue.offer(rest, id))
    assert.sameMembers(yield* Queue.takeN(rest, 3), ["a", "b", "c"])
  })
)

it.live("NodeQueue reaches the processes of its node, and forgets what none of them takes", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(besideWith({ ...OPTIONS, keepsWaiting: () => false }))
    const { port1, port2 } = new MessageChannel()
    yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
    yield* Context.get(context, JobHub).attach(ofPort(port1))
    const near = Context.get(context, NodeQueue)
    const far = Context.get(yield* Layer.build(besideOf(ofPort(port2))), NodeQueue)
    const seen = yield* Queue.unbounded<string>()
    yield* near.subscribe(topic(1), ({ id }) => Queue.offer(seen, `near ${id}`))
    yield* near.publish([job("nobody's", "PlanV1")])
    // From the worker to the hub's own, which has heard of the worker's subscription by then.
    yield* far.subscribe(topic(1, "PlanV1"), ({ id }) => Queue.offer(seen, `far ${id}`))
    yield* far.publish([job("one")])
    assert.strictEqual(yield* Queue.take(seen), "near one")
    yield* near.publish([job("two", "PlanV1")])
    assert.strictEqual(yield* Queue.take(seen), "far two")
    yield* Effect.sync(() => port2.close())
    yield* far.publish([job("three")])
  })
)

it.live("NodeQueue keeps what its node's workers take for those that come later, and forgets the rest", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(besideFor(new Set(["PlanV1"])))
    const { port1, port2 } = new MessageChannel()
    yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
    yield* Context.get(context, JobHub).attach(ofPort(port1))
    yield* Context.get(context, NodeQueue).publish([job("forgotten"), job("kept", "PlanV1")])
    const far = Context.get(yield* Layer.build(besideOf(ofPort(port2))), NodeQueue)
    const seen = yield* Queue.unbounded<string>()
    yield* far.subscribe(topic(1), ({ id }) => Queue.offer(seen, id))
    yield* far.subscribe(topic(1, "PlanV1"), ({ id }) => Queue.offer(seen, id))
    assert.strictEqual(yield* Queue.take(seen), "kept")
    yield* far.publish([job("last")])
    assert.strictEqual(yield* Queue.take(seen), "last")
  })
)

it.live("JobHub's workers are told when the hub is gone", () =>
  Effect.gen(function* () {
    const { workers } = yield* makeNode(1)
    yield* workers[0]!.cut
    const exit = yield* Effect.exit(Effect.repeat(workers[0]!.queue.publish([job("x")]), { times: 100 }))
    assert.isTrue(Exit.isFailure(exit))
    assert.isTrue(Exit.isFailure(yield* Effect.exit(workers[0]!.queue.ping)))
  })
)
