import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Job } from "../../../../services/domain/operations/Job.ts"
import { makeWakeUps } from "../../../../services/engine/operations/WakeUps.ts"
import type { JobQueue } from "../../../../services/ports/operations/JobQueue.ts"
import { QueueUnavailable } from "../../../../services/ports/operations/JobQueue.ts"

const plan = (id: string): Job => ({ type: "PlanV1", id, priority: "bulk" })

/** A queue that holds each publish until it is told how it ends. */
const makeQueue = () => {
  const published: Array<ReadonlyArray<Job>> = []
  const gates: Array<Deferred.Deferred<void, QueueUnavailable>> = []
  let onPublish = () => {}
  const queue = {
    publish: Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
      const gate = yield* Deferred.make<void, QueueUnavailable>()
      published.push(jobs)
      gates.push(gate)
      onPublish()
      return yield* Deferred.await(gate)
    })
  } as unknown as JobQueue["Service"]
  const until = (count: number) =>
    Effect.callback<void>((resume) => {
      onPublish = () => {
        if (published.length >= count) resume(Effect.void)
      }
      onPublish()
    })
  return { queue, published, gates, until }
}

it.effect("publishes in the background, and what gathers meanwhile together, each job once", () =>
  Effect.gen(function* () {
    const { queue, published, gates, until } = makeQueue()
    const wakeUp = yield* makeWakeUps(queue)
    wakeUp(plan("a"))
    yield* until(1)
    for (const id of ["b", "c", "b"]) wakeUp(plan(id))
    wakeUp({ type: "SendV1", id: "b", priority: "bulk" })
    wakeUp({ type: "SendV1", id: "b", priority: "high" })
    yield* Deferred.succeed(gates[0]!, undefined)
    yield* until(2)
    yield* Deferred.succeed(gates[1]!, undefined)
    expect(published).toEqual([
      [plan("a")],
      [
        plan("b"),
        plan("c"),
        { type: "SendV1", id: "b", priority: "bulk" },
        { type: "SendV1", id: "b", priority: "high" }
      ]
    ])
  })
)

it.effect("goes on after a queue that refused", () =>
  Effect.gen(function* () {
    const { queue, published, gates, until } = makeQueue()
    const wakeUp = yield* makeWakeUps(queue)
    wakeUp(plan("lost"))
    yield* until(1)
    yield* Deferred.fail(gates[0]!, new QueueUnavailable({ cause: "down" }))
    wakeUp(plan("told"))
    yield* until(2)
    yield* Deferred.succeed(gates[1]!, undefined)
    expect(published[1]).toEqual([plan("told")])
  })
)

it.effect("tells what is left when its scope closes", () =>
  Effect.gen(function* () {
    const { queue, published, gates, until } = makeQueue()
    const scope = yield* Scope.make()
    const wakeUp = yield* Scope.provide(makeWakeUps(queue), scope)
    wakeUp(plan("under way"))
    yield* until(1)
    wakeUp(plan("left"))
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* Effect.yieldNow
    yield* Deferred.succeed(gates[0]!, undefined)
    yield* until(2)
    yield* Deferred.succeed(gates[1]!, undefined)
    yield* Fiber.join(closing)
    expect(published).toEqual([[plan("under way")], [plan("left")]])
  })
)

it.effect("closes without a queue that takes nothing, which then hands over what it has", () =>
  Effect.gen(function* () {
    const handedOver: Array<Job> = []
    const asked = yield* Deferred.make<void>()
    const queue = {
      publish: (jobs: ReadonlyArray<Job>) =>
        Effect.andThen(Deferred.succeed(asked, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => handedOver.push(...jobs)))
        )
    } as unknown as JobQueue["Service"]
    const scope = yield* Scope.make()
    const wakeUp = yield* Scope.provide(makeWakeUps(queue), scope)
    wakeUp(plan("a"))
    yield* Deferred.await(asked)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    while (closing.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
    expect(handedOver).toEqual([plan("a")])
  })
)

it.effect("tells what comes after a publish that broke", () =>
  Effect.gen(function* () {
    const { queue, published, gates, until } = makeQueue()
    const wakeUp = yield* makeWakeUps(queue)
    wakeUp(plan("a"))
    yield* until(1)
    yield* Deferred.die(gates[0]!, new Error("broken"))
    wakeUp(plan("b"))
    yield* until(2)
    yield* Deferred.succeed(gates[1]!, undefined)
    expect(published).toEqual([[plan("a")], [plan("b")]])
  })
)
