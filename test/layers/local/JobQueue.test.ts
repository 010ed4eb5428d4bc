import { assert, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { layerWith } from "../../../layers/local/JobQueue.ts"
import type { Job } from "../../../services/domain/operations/Job.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { contract } from "../JobQueue.contract.ts"

contract(
  "JobQueue in process",
  Effect.succeed(layerWith({ redeliverMs: 20, capacity: 100_000, keepsWaiting: () => true }))
)

const job = (id: string): Job => ({ type: "WebhookV1", id, priority: "bulk" })
const topic = { type: "WebhookV1", priority: "bulk", concurrency: 1 } as const

it.live("JobQueue in process makes one job of those with the same id that wait together", () =>
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const seen = yield* Queue.unbounded<string>()
    yield* queue.publish(["a", "b", "a", "a"].map(job))
    yield* queue.publish(["b", "c"].map(job))
    yield* queue.subscribe(topic, ({ id }) => Queue.offer(seen, id))
    assert.deepStrictEqual(yield* Queue.takeN(seen, 3), ["a", "b", "c"])
    yield* queue.publish([job("a")])
    assert.strictEqual(yield* Queue.take(seen), "a")
    assert.strictEqual(yield* Queue.size(seen), 0)
  }).pipe(Effect.provide(layerWith({ redeliverMs: 20, capacity: 100, keepsWaiting: () => true })))
)

it.live("JobQueue in process forgets the oldest job when too many wait", () =>
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const seen = yield* Queue.unbounded<string>()
    yield* queue.publish(["a", "b", "c", "d", "e"].map(job))
    yield* queue.subscribe(topic, ({ id }) => Queue.offer(seen, id))
    assert.deepStrictEqual(yield* Queue.takeN(seen, 3), ["c", "d", "e"])
  }).pipe(Effect.provide(layerWith({ redeliverMs: 20, capacity: 3, keepsWaiting: () => true })))
)
