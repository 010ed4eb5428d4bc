import { expect, layer } from "@effect/vitest"
import { Effect, Latch, Layer, Option } from "effect"
import { layer as settingsOf } from "../../../layers/config/Settings.ts"
import { layer as localQueue } from "../../../layers/local/JobQueue.ts"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { Dispatcher } from "../../../services/engine/sending/Dispatcher.ts"
import { Planner } from "../../../services/engine/sending/Planner.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { dispatch } from "../../../src/workers/Workers.ts"
import { accepted, android, hotStores, newApp, tokens } from "../../layers/postgres/Stores.ts"

layer(Layer.mergeAll(hotStores, localQueue))("the role dispatch", (it) => {
  it.effect("plans for an application whose job comes behind those of another's mailings", () =>
    Effect.gen(function* () {
      const [devices, notifications, queue] = [yield* DeviceStore, yield* NotificationStore, yield* JobQueue]
      const [large, small] = [yield* newApp, yield* newApp]
      yield* devices.register(
        large,
        tokens("large", 20).map((token) => android(token))
      )
      yield* devices.register(small, [android("small")])
      const mailings = yield* Effect.all(Array.from({ length: 6 }, () => accepted(large)))
      const ids = [...mailings, yield* accepted(small)]
      const planned: Array<NotificationId> = []
      /** What was claimed and saved, for the message of a failure: it happened once, and nobody knows why. */
      const steps: Array<string> = []
      const note = (step: string, id: NotificationId) => steps.push(`${step} ${ids.indexOf(id)}`)
      const allPlanned = yield* Latch.make()
      const stores = Layer.succeed(NotificationStore, {
        ...notifications,
        claimNextPlan: (priority, served, leaseMs) =>
          Effect.tap(notifications.claimNextPlan(priority, served, leaseMs), (claimed) =>
            Effect.sync(() => Option.isSome(claimed) && note("claimed", claimed.value.notification.id))
          ),
        savePlan: (step) =>
          Effect.tap(notifications.savePlan(step), () => {
            note(step.done ? "done" : "saved", step.id)
            if (step.done) planned.push(step.id)
            return planned.length < ids.length ? Effect.void : allPlanned.open
          })
      })
      const roles = dispatch.pipe(
        Layer.provide(Planner.layer),
        Layer.provide(stores),
        Layer.provide(settingsOf({ BATCH_SIZE: "1", PLAN_PAGE: "1" })),
        Layer.provide(Layer.mock(Dispatcher, { wake: () => Effect.void, lanes: () => [] }))
      )
      yield* queue.publish(ids.map((id) => ({ type: "PlanV1", id, priority: "bulk" })))
      yield* Effect.provide(allPlanned.await, roles)
      expect(planned[0], steps.join(", ")).toBe(ids.at(-1))
      expect(planned.toSorted()).toEqual(ids.toSorted())
    })
  )
})
