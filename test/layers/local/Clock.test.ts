import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { layer } from "../../../layers/local/Clock.ts"
import { goBy } from "../../../services/ports/Now.ts"

it.live("tells effects the time that the process goes by, and waits as before", () =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => goBy(() => 1_234_567_890_123.5)),
      (back) => Effect.sync(back)
    )
    yield* Effect.gen(function* () {
      const clock = yield* Clock.Clock
      expect(yield* Clock.currentTimeMillis).toBe(1_234_567_890_123)
      expect(clock.currentTimeMillisUnsafe()).toBe(1_234_567_890_123)
      expect(yield* Clock.currentTimeNanos).toBe(1_234_567_890_123_500_000n)
      expect(clock.currentTimeNanosUnsafe()).toBe(1_234_567_890_123_500_000n)
      const before = clock.monotonicTimeNanosUnsafe()
      yield* Effect.sleep(1)
      expect(clock.monotonicTimeNanosUnsafe()).toBeGreaterThan(before)
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)
)
