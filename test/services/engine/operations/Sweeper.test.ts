import { expect, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import type { AppId, WebhookId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { Duties } from "../../../../services/engine/operations/Sweeper.ts"
import { run, sweep } from "../../../../services/engine/operations/Sweeper.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { HolderStore } from "../../../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { JobQueue } from "../../../../services/ports/operations/JobQueue.ts"
import { QueueLog } from "../../../doubles/operations/JobQueue.ts"
import { everyTurn } from "./EveryTurn.ts"

const JOBS = [
  { type: "PlanV1", id: "plan", priority: "high" },
  { type: "SendV1", id: "app:apns", priority: "bulk" },
  { type: "WebhookV1", id: "webhook", priority: "bulk" }
] as const

/** A node that finds one thing of each kind. `looked` are the questions that it asked. */
const makeNode = () => {
  const queue = new QueueLog()
  const looked: Array<string> = []
  const look = <A>(what: string, answer: A) =>
    Effect.sync(() => {
      looked.push(what)
      return answer
    })
  const batches = Layer.mock(BatchStore, {
    forgotten: () =>
      look("forgotten", {
        plans: [{ id: "plan" as NotificationId, priority: "high" as const }],
        lanes: [{ appId: "app" as AppId, provider: "apns" as const, priority: "bulk" as const }]
      }),
    completeForgotten: look("completeForgotten", 0)
  })
  const webhooks = Layer.mock(WebhookStore, { due: () => look("due", ["webhook" as WebhookId]) })
  const holders = Layer.mock(HolderStore, { release: look("release", 0) })
  const environment = Layer.mergeAll(batches, webhooks, holders, queue.layer, everyTurn, settingsOf({}))
  return {
    queue,
    looked,
    environment,
    sweep: (duties: Duties) => sweep(duties).pipe(Effect.provide(environment))
  }
}

it.effect("tells the node's own workers and those of all nodes what it found", () =>
  Effect.gen(function* () {
    const { looked, queue, sweep } = makeNode()
    expect(yield* sweep({ dispatch: true, webhooks: true })).toBe(3)
    expect(queue.woken).toEqual(JOBS)
    expect(queue.published).toEqual(JOBS)
    expect(looked).toEqual(["forgotten", "due", "completeForgotten"])
  })
)

it.effect("does all of it without a queue, but for telling the other nodes", () =>
  Effect.gen(function* () {
    const { looked, queue, sweep } = makeNode()
    queue.isDown = true
    expect(yield* sweep({ dispatch: true, webhooks: true })).toBe(3)
    expect(queue.woken).toEqual(JOBS)
    expect(looked).toEqual(["forgotten", "due", "completeForgotten"])
  })
)

it.effect("looks only for what the node can do, so that others find the rest", () =>
  Effect.gen(function* () {
    const sender = makeNode()
    yield* sender.sweep({ dispatch: true, webhooks: false })
    expect(sender.looked).toEqual(["forgotten", "completeForgotten"])
    const caller = makeNode()
    yield* caller.sweep({ dispatch: false, webhooks: true })
    expect(caller.looked).toEqual(["due"])
    expect(caller.queue.woken).toEqual([JOBS[2]])
  })
)

/** Seconds in which nothing else happens. */
const seconds = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => TestClock.adjust(1_000), { discard: true })

it.effect("goes on after a queue that broke", () =>
  Effect.gen(function* () {
    const { environment, looked } = makeNode()
    const broken = Layer.mock(JobQueue, {
      wake: () => Effect.die("broken"),
      publish: () => Effect.die("broken"),
      reachesOthers: () => true
    })
    const node = run({ dispatch: false, webhooks: true }).pipe(Effect.provide(Layer.merge(environment, broken)))
    yield* Effect.forkChild(node)
    yield* seconds(10)
    expect(looked.filter((look) => look === "due").length).toBeGreaterThan(1)
  })
)

it.effect("leaves to others what is theirs to sweep, and sweeps for itself while the queue reaches none of them", () =>
  Effect.gen(function* () {
    const { environment, looked, queue } = makeNode()
    const asked = new Set<string>()
    const others = Layer.mock(LeaseHolder, {
      id: () => null,
      presentSince: () => -Infinity,
      turn: (chore) =>
        Effect.andThen(
          Effect.sync(() => void asked.add(chore)),
          Effect.never
        )
    })
    const duties = { dispatch: true, webhooks: false }
    yield* Effect.forkChild(run(duties).pipe(Effect.provide(Layer.merge(environment, others))))
    yield* seconds(10)
    expect([...asked]).toEqual(["release", "sweep_dispatch"])
    expect(looked).toEqual([])
    const cut = makeNode()
    cut.queue.isDown = true
    yield* Effect.forkChild(run(duties).pipe(Effect.provide(Layer.merge(cut.environment, others))))
    yield* seconds(10)
    expect(cut.looked.filter((look) => look === "forgotten").length).toBeGreaterThan(1)
    expect(queue.published).toEqual([])
  })
)

it.effect("sweeps at once when a process has died that held work", () =>
  Effect.gen(function* () {
    const { environment, looked } = makeNode()
    const found = yield* Latch.make()
    const holders = Layer.mock(HolderStore, { release: Effect.as(found.await, 3) })
    const first = Layer.mock(LeaseHolder, {
      id: () => null,
      presentSince: () => -Infinity,
      turn: (chore) => (chore === "release" ? Effect.void : Effect.never)
    })
    const node = run({ dispatch: true, webhooks: true })
    yield* Effect.forkChild(node.pipe(Effect.provide(Layer.mergeAll(environment, first, holders))))
    yield* seconds(10)
    expect(looked).toEqual([])
    yield* found.open
    yield* Effect.repeat(Effect.yieldNow, { until: () => looked.includes("completeForgotten") })
    yield* found.close
  })
)
