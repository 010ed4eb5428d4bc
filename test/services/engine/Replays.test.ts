import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as settingsOf } from "../../../layers/config/Settings.ts"
import { run } from "../../../services/engine/Replays.ts"
import { ReplayStore } from "../../../services/ports/ReplayStore.ts"
import { QueueLog } from "../../doubles/JobQueue.ts"

it.effect("goes on looking after a look that broke", () =>
  Effect.gen(function* () {
    let looks = 0
    const claim = () =>
      Effect.suspend(() => {
        looks++
        return Effect.die("broken")
      })
    const environment = Layer.mergeAll(Layer.mock(ReplayStore, { claim }), new QueueLog().layer, settingsOf({}))
    yield* Effect.forkChild(run.pipe(Effect.provide(environment)))
    for (let second = 0; second < 10; second++) yield* TestClock.adjust(1_000)
    expect(looks).toBeGreaterThan(1)
  })
)
