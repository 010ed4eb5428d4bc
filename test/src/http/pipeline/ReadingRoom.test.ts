import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeReadingRoom } from "../../../../src/http/pipeline/ReadingRoom.ts"

const MEGABYTE = 1 << 20

it.effect("executes at once only what there is room for, and small requests in any case", () =>
  Effect.gen(function* () {
    const room = makeReadingRoom(10 * MEGABYTE)
    const [end, begun] = [yield* Deferred.make<void>(), [] as Array<string>]
    const request = (name: string, bytes: number) =>
      room.hold(
        "a",
        bytes,
        Effect.suspend(() => {
          begun.push(name)
          return Deferred.await(end)
        })
      )
    const fibers = []
    for (const [name, megabytes] of [
      ["first", 6],
      ["second", 6],
      ["small", 0.5]
    ] as const) {
      fibers.push(yield* Effect.forkChild(request(name, megabytes * MEGABYTE), { startImmediately: true }))
    }
    expect(begun).toEqual(["first", "small"])
    yield* Deferred.succeed(end, undefined)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    expect(begun).toEqual(["first", "small", "second"])
    // As much as there is and more: alone.
    yield* room.hold("a", 1000 * MEGABYTE, Effect.void)
  })
)

it.effect("refuses a request that waits too long for room, and never one that is executed", () =>
  Effect.gen(function* () {
    const room = makeReadingRoom(10 * MEGABYTE)
    const end = yield* Deferred.make<string>()
    const first = yield* Effect.forkChild(room.hold("a", 10 * MEGABYTE, Deferred.await(end)), {
      startImmediately: true
    })
    const second = yield* Effect.forkChild(Effect.exit(room.hold("a", 2 * MEGABYTE, Effect.void)), {
      startImmediately: true
    })
    yield* TestClock.adjust("3 seconds")
    expect(yield* Fiber.join(second)).toEqual(Exit.fail(expect.objectContaining({ code: "unavailable" })))
    yield* TestClock.adjust("1 minute")
    yield* Deferred.succeed(end, "done")
    expect(yield* Fiber.join(first)).toBe("done")
    // Nobody holds a place any more.
    yield* room.hold("a", 10 * MEGABYTE, Effect.void)
  })
)
