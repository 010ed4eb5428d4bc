import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ChildProcess } from "node:child_process"
import type { HolderId } from "../../../services/ports/operations/HolderStore.ts"
import { HolderStore } from "../../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../../services/ports/operations/LeaseHolder.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { Channel } from "../../../src/workers/Metering.ts"
import { announceLayer, CountBefore, endingOf, make } from "../../../src/workers/WorkerExits.ts"

const KILLED = { exitCode: null, signalCode: "SIGKILL" } as const

it("takes a SIGKILL for the kernel's when a process was killed for its memory just then, and not long before", () => {
  let count = 3
  const kills = new CountBefore(() => count)
  const ending = () => endingOf(KILLED, kills.value, count)
  expect(ending()).toBe("killed")
  count++
  expect(ending()).toBe("crashed")
  kills.note()
  expect(ending()).toBe("crashed")
  // Another program's: the worker went on for a while.
  kills.note()
  expect(ending()).toBe("killed")
})

const HOLDER = 7 as HolderId

it.effect("says which process a worker is before anything of its is done, so that the first thing may end it", () => {
  const sent: Array<unknown> = []
  const channel: Channel = { send: (message) => void sent.push(message), onMessage: () => () => {} }
  const holder = LeaseHolder.of({
    beat: () => Effect.void,
    blame: () => Effect.void,
    id: () => HOLDER,
    presentSince: () => 0,
    turn: () => Effect.never
  })
  return Effect.scoped(
    Effect.gen(function* () {
      yield* Layer.build(announceLayer(channel).pipe(Layer.provide(Layer.succeed(LeaseHolder, holder))))
      expect(sent).toEqual([{ holder: HOLDER }])
    })
  )
})

it.effect(
  "tells how a worker ended once the database is there again, and keeps the next one waiting only so long",
  () =>
    Effect.gen(function* () {
      const told: Array<readonly [HolderId, string]> = []
      let isAway = true
      const store = HolderStore.of({
        release: Effect.succeed(0),
        ended: (id, how) =>
          Effect.suspend(() =>
            isAway
              ? Effect.fail(new StoreError({ operation: "HolderStore.ended", cause: new Error("away") }))
              : Effect.sync(() => void told.push([id, how]))
          )
      })
      const watch = yield* Effect.provideService(make, HolderStore, store)
      const child = { exitCode: null, signalCode: "SIGABRT" } as ChildProcess
      const life = watch(child, {
        send: () => {},
        onMessage: (listener) => {
          listener({ holder: HOLDER })
          return () => {}
        }
      })
      const fiber = yield* Effect.forkChild(Effect.scoped(life))
      yield* TestClock.adjust("3 seconds")
      // The next worker may start.
      yield* Fiber.join(fiber)
      expect(told).toEqual([])
      isAway = false
      yield* TestClock.adjust("1 second")
      expect(told).toEqual([[HOLDER, "crashed"]])
    }).pipe(Effect.scoped)
)
