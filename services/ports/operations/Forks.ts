import { Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { Placed } from "../../domain/operations/Places.ts"
import { Places } from "../../domain/operations/Places.ts"

interface Fork extends Placed {
  readonly fiber: Fiber.Fiber<any, any>
}

/**
 * Runs effects in fibers of their own with what is at hand here, and interrupts those that are left when the scope closes;
 * after that it starts none. A `FiberSet` does as much, and keeps them in a set: see `Places`.
 */
export const makeForks: Effect.Effect<<A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>, never, Scope.Scope> =
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const underWay = new Places<Fork>()
    let isClosed = false
    yield* Effect.addFinalizer(() => {
      isClosed = true
      return Fiber.interruptAll(underWay.all().map(({ fiber }) => fiber))
    })
    return (effect) => {
      if (isClosed) return run(Effect.interrupt)
      const fiber = run(effect)
      const fork: Fork = { fiber, place: -1 }
      if (fiber.pollUnsafe() !== undefined) return fiber
      underWay.enter(fork)
      fiber.addObserver(() => underWay.leave(fork))
      return fiber
    }
  })
