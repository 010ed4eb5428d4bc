import { assert, describe, it } from "@effect/vitest"
import type { Layer, Scope } from "effect"
import { Deferred, Effect, Exit, Fiber, Latch, Queue, Scope as Scopes } from "effect"
import type { Job, JobPriority, JobType } from "../../services/domain/operations/Job.ts"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"

/** A new, empty queue that delivers failed jobs again soon, within some tens of milliseconds. */
export type MakeQueue = Effect.Effect<Layer.Layer<JobQueue>, never, Scope.Scope>

const bulk = (id: string): Job => ({ type: "SendV1", id, priority: "bulk" })
const ids = (count: number) => Array.from({ length: count }, (_, i) => `job-${i}`)
const lane = (concurrency: number, type: JobType = "SendV1", priority: JobPriority = "bulk") => ({
  type,
  priority,
  concurrency
})

/** What every job queue does, whatever carries its jobs. */
export const contract = (name: string, make: MakeQueue) => {
  const test = (title: string, body: Effect.Effect<void, unknown, JobQueue | Scope.Scope>) =>
    it.live(title, () => Effect.flatMap(make, (layer) => Effect.provide(body, layer)))

  describe(name, () => {
    test(
      "brings every job to a subscriber of its type and priority, once when all goes well",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<Job>()
        const kinds = [
          ["SendV1", "bulk"],
          ["SendV1", "high"],
          ["PlanV1", "bulk"],
          ["WebhookV1", "bulk"]
        ] as const
        for (const [type, priority] of kinds) {
          yield* queue.subscribe(lane(4, type, priority), (job) => {
            assert.strictEqual(job.type, type)
            assert.strictEqual(job.priority, priority)
            return Queue.offer(seen, job)
          })
        }
        const jobs = kinds.flatMap(([type, priority]) =>
          ids(50).map((id): Job => ({ type, priority, id: `${type}-${id}` }))
        )
        yield* queue.publish(jobs)
        const got = yield* Queue.takeN(seen, jobs.length)
        assert.sameDeepMembers(got, jobs)
        // Whatever came twice would have come before this last one is through.
        yield* queue.publish([bulk("last")])
        assert.deepStrictEqual(yield* Queue.take(seen), bulk("last"))
      })
    )

    test(
      "keeps jobs for a subscriber that comes later",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        yield* queue.publish(ids(20).map(bulk))
        yield* queue.subscribe(lane(3), (job) => Queue.offer(seen, job.id))
        assert.sameMembers(yield* Queue.takeN(seen, 20), ids(20))
      })
    )

    test(
      "takes thousands of jobs in one call, and none",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        yield* queue.publish([])
        yield* queue.subscribe(lane(64), (job) => Queue.offer(seen, job.id))
        yield* queue.publish(ids(3000).map(bulk))
        assert.strictEqual(new Set(yield* Queue.takeN(seen, 3000)).size, 3000)
      })
    )

    test(
      "has as many handlers at work as the subscription allows, and never more",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const done = yield* Queue.unbounded<string>()
        const started = yield* Queue.unbounded<string>()
        const gate = yield* Latch.make(false)
        let active = 0
        let most = 0
        yield* queue.subscribe(lane(5), (job) =>
          Effect.gen(function* () {
            most = Math.max(most, ++active)
            yield* Queue.offer(started, job.id)
            yield* gate.await
            active--
            yield* Queue.offer(done, job.id)
          })
        )
        yield* Effect.addFinalizer(() => gate.open)
        yield* queue.publish(ids(40).map(bulk))
        yield* Queue.takeN(started, 5)
        assert.strictEqual(active, 5)
        yield* gate.open
        assert.sameMembers(yield* Queue.takeN(done, 40), ids(40))
        assert.strictEqual(most, 5)
      })
    )

    test(
      "delivers a job again whose handler failed or died, and only that",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        const tries = new Map<string, number>()
        yield* queue.subscribe(lane(2), (job) => {
          const count = (tries.get(job.id) ?? 0) + 1
          tries.set(job.id, count)
          if (job.id === "fails" && count < 3) return Effect.fail("not yet")
          if (job.id === "dies" && count < 2) return Effect.die(new Error("a defect"))
          if (job.id === "throws" && count < 2) throw new Error("before there was an effect")
          return Queue.offer(seen, job.id)
        })
        yield* queue.publish(["fine", "fails", "dies", "throws"].map(bulk))
        assert.sameMembers(yield* Queue.takeN(seen, 4), ["fine", "fails", "dies", "throws"])
        assert.deepStrictEqual(Object.fromEntries(tries), { fine: 1, fails: 3, dies: 2, throws: 2 })
      })
    )

    test(
      "gives each job to one of several subscribers",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<readonly [string, string]>()
        const both = yield* Latch.make(false)
        const started = new Set<string>()
        for (const name of ["left", "right"]) {
          yield* queue.subscribe(lane(1), (job) =>
            Effect.gen(function* () {
              started.add(name)
              // Nobody can do all the work alone: the first job of each waits for that of the other.
              if (started.size === 2) yield* both.open
              yield* both.await
              yield* Queue.offer(seen, [name, job.id] as const)
            })
          )
        }
        yield* Effect.addFinalizer(() => both.open)
        yield* queue.publish(ids(30).map(bulk))
        const got = yield* Queue.takeN(seen, 30)
        assert.sameMembers(
          got.map(([, id]) => id),
          ids(30)
        )
        assert.strictEqual(new Set(got.map(([name]) => name)).size, 2)
      })
    )

    test(
      "looks again when a job is published while one of the same id is at work",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const started = yield* Queue.unbounded<string>()
        const gate = yield* Latch.make(false)
        yield* queue.subscribe(lane(1), (job) => Effect.andThen(Queue.offer(started, job.id), gate.await))
        yield* Effect.addFinalizer(() => gate.open)
        yield* queue.publish([bulk("row")])
        yield* Queue.take(started)
        yield* queue.publish([bulk("row")])
        yield* gate.open
        assert.strictEqual(yield* Queue.take(started), "row")
      })
    )

    test(
      "takes no more when the scope closes, waits for the handlers at work, and leaves the rest to others",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const started = yield* Queue.unbounded<string>()
        const finished: Array<string> = []
        const gate = yield* Deferred.make<void>()
        const scope = yield* Scopes.make()
        yield* queue
          .subscribe(lane(2), (job) =>
            Effect.gen(function* () {
              yield* Queue.offer(started, job.id)
              yield* Deferred.await(gate)
              finished.push(job.id)
            })
          )
          .pipe(Scopes.provide(scope))
        yield* Effect.addFinalizer(() => Deferred.succeed(gate, undefined))
        yield* queue.publish(ids(10).map(bulk))
        const atWork = yield* Queue.takeN(started, 2)
        const closing = yield* Effect.forkChild(Scopes.close(scope, Exit.void), { startImmediately: true })

        const rest = yield* Queue.unbounded<string>()
        yield* queue.subscribe(lane(10), (job) => Queue.offer(rest, job.id))
        const others = yield* Queue.takeN(rest, 8)
        assert.isUndefined(closing.pollUnsafe())
        assert.sameMembers([...atWork, ...others], ids(10))
        assert.deepStrictEqual(finished, [])

        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(closing)
        assert.sameMembers(finished, atWork)
        assert.strictEqual(yield* Queue.size(started), 0)
      })
    )

    test(
      "wakes subscribers of the node",
      Effect.gen(function* () {
        const queue = yield* JobQueue
        const seen = yield* Queue.unbounded<string>()
        yield* queue.subscribe(lane(4), (job) => Queue.offer(seen, job.id))
        yield* queue.subscribe(lane(4, "SendV1", "high"), () => Effect.die("not its lane"))
        // What a worker process said before is heard when it is answered.
        yield* queue.ping
        yield* queue.ping
        yield* queue.wake([])
        yield* queue.wake(ids(20).map(bulk))
        assert.sameMembers(yield* Queue.takeN(seen, 20), ids(20))
      })
    )

    test(
      "says that it is there",
      Effect.flatMap(JobQueue, (queue) => queue.ping)
    )
  })
}
