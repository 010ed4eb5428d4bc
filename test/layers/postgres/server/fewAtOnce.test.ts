import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { makeFewAtOnce } from "../../../../layers/postgres/server/fewAtOnce.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"

const [ONE, OTHER, THIRD] = ["one", "other", "third"] as ReadonlyArray<string> as readonly [AppId, AppId, AppId]

/** Work that lasts until it is let go, and notes that it has begun. */
const held = Effect.gen(function* () {
  const begun: Array<AppId> = []
  const end = yield* Deferred.make<void>()
  const of = (app: AppId) =>
    Effect.suspend(() => {
      begun.push(app)
      return Deferred.await(end)
    })
  return { begun, of, end }
})

it.effect("has one of an application under way and few of all, and goes on in the order in which they came", () =>
  Effect.gen(function* () {
    const { begun, end, of } = yield* held
    const few = yield* makeFewAtOnce(2)
    const fibers = yield* Effect.forEach([ONE, ONE, ONE, OTHER, THIRD], (app) =>
      Effect.forkChild(few(app, 1000, () => of(app)))
    )
    yield* TestClock.adjust(10)
    expect(begun).toEqual([ONE, OTHER])
    yield* Deferred.succeed(end, undefined)
    expect((yield* Effect.forEach(fibers, Fiber.join)).every(Option.isSome)).toBe(true)
    expect(begun.toSorted()).toEqual([ONE, ONE, ONE, OTHER, THIRD])
  })
)

it.effect("answers none after the time of a wait, begins nothing then, and lets what has begun end", () =>
  Effect.gen(function* () {
    const { begun, end, of } = yield* held
    const few = yield* makeFewAtOnce(1)
    const first = yield* Effect.forkChild(few(ONE, 100, () => of(ONE)))
    const late = yield* Effect.forkChild(few(OTHER, 100, () => of(OTHER)))
    yield* TestClock.adjust(500)
    expect(yield* Fiber.join(late)).toEqual(Option.none())
    yield* Deferred.succeed(end, undefined)
    expect(yield* Fiber.join(first)).toEqual(Option.some(undefined))
    expect(begun).toEqual([ONE])
    expect(yield* few(OTHER, 100, () => Effect.succeed(1))).toEqual(Option.some(1))
  })
)

it.effect("tells work how much of its time is left, and gives a place back whatever becomes of who had it", () =>
  Effect.gen(function* () {
    const few = yield* makeFewAtOnce(1)
    const away = yield* Effect.forkChild(few(ONE, 100, () => Effect.never))
    const waiting = yield* Effect.forkChild(few(ONE, 100, (leftMs) => Effect.succeed(leftMs)))
    yield* TestClock.adjust(40)
    yield* Fiber.interrupt(away)
    expect(yield* Fiber.join(waiting)).toEqual(Option.some(60))
    expect(yield* Effect.flip(few(ONE, 100, () => Effect.fail("broken")))).toBe("broken")
    expect(yield* few(ONE, 100, () => Effect.succeed(1))).toEqual(Option.some(1))
  })
)
