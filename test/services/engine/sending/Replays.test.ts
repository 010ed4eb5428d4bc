import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import { replay, run } from "../../../../services/engine/sending/Replays.ts"
import type { AppId, ReplayId } from "../../../../services/domain/Ids.ts"
import type { Replay } from "../../../../services/domain/sending/DeadLetter.ts"
import { everyTurn } from "../operations/EveryTurn.ts"
import { ReplayStore } from "../../../../services/ports/sending/ReplayStore.ts"
import { QueueLog } from "../../../doubles/operations/JobQueue.ts"

it.effect("goes on looking after a look that broke", () =>
  Effect.gen(function* () {
    let looks = 0
    const claim = () =>
      Effect.suspend(() => {
        looks++
        return Effect.die("broken")
      })
    const environment = Layer.mergeAll(
      Layer.mock(ReplayStore, { claim }),
      new QueueLog().layer,
      everyTurn,
      settingsOf({})
    )
    yield* Effect.forkChild(run.pipe(Effect.provide(environment)))
    for (let second = 0; second < 10; second++) yield* TestClock.adjust(1_000)
    expect(looks).toBeGreaterThan(1)
  })
)

it.effect("leaves a large replay after four steps, for that of the application whose turn it is", () =>
  Effect.gen(function* () {
    const replayOf = (name: string): Replay => ({
      id: name as ReplayId,
      appId: `app-of-${name}` as AppId,
      filter: {},
      status: "running",
      replayed: 0,
      skipped: 0,
      createdAt: 0,
      completedAt: null
    })
    const left = new Map([
      ["large", 9],
      ["small", 1]
    ])
    const steps: Array<string> = []
    const store = Layer.mock(ReplayStore, {
      claim: (served) =>
        Effect.sync(() => {
          const names = [...left.keys()]
          const next = names.find((name) => replayOf(name).appId !== served) ?? names[0]
          return next === undefined ? Option.none() : Option.some({ replay: replayOf(next), fence: 1 })
        }),
      step: ({ replay: { id } }, _, leaseMs) =>
        Effect.sync(() => {
          const more = left.get(id)! - 1
          if (more === 0) left.delete(id)
          else left.set(id, more)
          steps.push(leaseMs === null && more > 0 ? `${id}, given back` : id)
          return Option.some({ isDone: more === 0, lanes: [] })
        })
    })
    yield* replay().pipe(Effect.provide(Layer.mergeAll(store, new QueueLog().layer, settingsOf({}))))
    const turn = ["large", "large", "large", "large, given back"]
    expect(steps).toEqual([...turn, "small", ...turn, "large"])
  })
)
