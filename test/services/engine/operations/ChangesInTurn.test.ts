import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeTurns } from "../../../../services/engine/operations/ChangesInTurn.ts"

it.effect("does what concerns one thing one after another, and lets nobody else wait for it", () =>
  Effect.gen(function* () {
    const inTurn = makeTurns()
    const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const seen: Array<string> = []
    const note = (what: string) => Effect.sync(() => void seen.push(what))
    const first = yield* Effect.forkChild(
      inTurn(
        "a",
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(end), note("first")))
      )
    )
    yield* Deferred.await(begun)
    const [second, third] = [
      yield* Effect.forkChild(inTurn("a", note("second"))),
      yield* Effect.forkChild(inTurn("a", note("third")))
    ]
    yield* inTurn("b", note("another"))
    // Who gives up makes nobody wait.
    yield* Fiber.interrupt(second)
    expect(seen).toEqual(["another"])
    yield* Deferred.succeed(end, undefined)
    yield* Effect.forEach([first, third], Fiber.join)
    expect(seen).toEqual(["another", "first", "third"])
  })
)
