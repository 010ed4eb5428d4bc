import { expect, layer } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect } from "effect"
import { RateLimitStore } from "../../services/ports/access/RateLimitStore.ts"

/** The beginning of a window of 60 s, epoch seconds. */
export const START = 1_800_000_000

export const claim = (key: string, want: number, requests = 10, windowMs = 60_000) => ({
  key,
  want,
  budget: { requests, windowMs }
})

/** What every store of counts does whose clock stands where `setClock` says, in epoch seconds. */
export const contract = <R, E>(
  name: string,
  live: Layer.Layer<RateLimitStore | R>,
  setClock: (seconds: number) => Effect.Effect<void, E, R>
) =>
  layer(live, { excludeTestServices: true })(name, (it) => {
    it.effect("grants what is left of each budget, in the order of the claims", () =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore
        yield* setClock(START + 12.5)
        expect(yield* store.take([claim("b", 4), claim("a", 12), claim("c", 0)])).toEqual([
          { granted: 4, used: 4, endsAt: START + 60, endsInMs: 47_500 },
          { granted: 10, used: 10, endsAt: START + 60, endsInMs: 47_500 },
          { granted: 0, used: 0, endsAt: START + 60, endsInMs: 47_500 }
        ])
        const again = yield* store.take([claim("a", 1), claim("b", 9)])
        expect(again.map(({ granted, used }) => [granted, used])).toEqual([
          [0, 10],
          [6, 10]
        ])
      })
    )

    it.effect("begins anew at the end of a window, by its clock", () =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore
        const take = Effect.map(store.take([claim("rolls", 7)]), ([grant]) => [grant!.granted, grant!.endsAt])
        yield* setClock(START + 59.999)
        expect(yield* take).toEqual([7, START + 60])
        expect(yield* take).toEqual([3, START + 60])
        yield* setClock(START + 60)
        expect(yield* take).toEqual([7, START + 120])
        // A statement that is late counts in the window that has begun, and takes nothing of the one that is over.
        yield* setClock(START + 59.999)
        expect(yield* take).toEqual([3, START + 120])
        yield* setClock(START + 600)
        expect(yield* take).toEqual([7, START + 660])
      })
    )

    it.effect("begins anew when its clock was set back, however much of the budget was used later", () =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore
        const take = Effect.map(store.take([claim("back", 7)]), ([grant]) => [grant!.granted, grant!.endsAt])
        yield* setClock(START + 130)
        expect(yield* take).toEqual([7, START + 180])
        expect(yield* take).toEqual([3, START + 180])
        yield* setClock(START + 10)
        expect(yield* take).toEqual([7, START + 60])
        expect(yield* take).toEqual([3, START + 60])
      })
    )

    it.effect("keeps windows of different lengths, and a smaller budget, apart from what was granted before", () =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore
        yield* setClock(START + 1)
        yield* store.take([claim("short", 3, 10, 1000), claim("shrinks", 8)])
        const [short, shrinks] = yield* store.take([claim("short", 3, 10, 1000), claim("shrinks", 1, 5)])
        expect(short).toMatchObject({ granted: 3, endsAt: START + 2, endsInMs: 1000 })
        expect(shrinks).toMatchObject({ granted: 0, used: 8 })
      })
    )

    it.effect("never grants more than a budget to those who ask at the same time", () =>
      Effect.gen(function* () {
        const store = yield* RateLimitStore
        yield* setClock(START + 1800)
        const grants = yield* Effect.forEach(
          Array.from({ length: 50 }, () => [claim("shared", 3, 100), claim("apart", 1, 100)]),
          (claims) => store.take(claims),
          { concurrency: "unbounded" }
        )
        const sums = [0, 1].map((at) => grants.reduce((sum, grant) => sum + grant[at]!.granted, 0))
        expect(sums).toEqual([100, 50])
      })
    )
  })
