import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { makeForks } from "../../../../services/ports/operations/Forks.ts"

const run = Effect.runPromise

describe("forks", () => {
  it("run what they are given, and interrupt what is left when their scope closes, and nothing that has ended", () =>
    run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const fork = yield* Scope.provide(makeForks, scope)
        const gate = yield* Deferred.make<number>()
        const awaited = Array.from({ length: 20 }, (_, i) => fork(Effect.as(Deferred.await(gate), i)))
        yield* Deferred.succeed(gate, 0)
        expect(yield* Effect.forEach(awaited, Fiber.join)).toEqual(Array.from({ length: 20 }, (_, i) => i))
        const failed = yield* Fiber.await(fork(Effect.fail("no")))
        expect(Exit.isFailure(failed)).toBe(true)

        let interrupted = 0
        const silent = Array.from({ length: 3 }, () =>
          fork(Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++)))
        )
        yield* Scope.close(scope, Exit.void)
        expect(interrupted).toBe(3)
        for (const fiber of silent) expect(fiber.pollUnsafe()).toBeDefined()
      })
    ))

  it("start nothing after that: what comes then is interrupted at once", () =>
    run(
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const fork = yield* Scope.provide(makeForks, scope)
        yield* Scope.close(scope, Exit.void)
        let hasRun = false
        const exit = yield* Fiber.await(fork(Effect.sync(() => (hasRun = true))))
        expect(hasRun).toBe(false)
        expect(Exit.isFailure(exit)).toBe(true)
      })
    ))
})
