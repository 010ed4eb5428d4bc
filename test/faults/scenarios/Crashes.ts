import { Effect } from "effect"
import type { Ground } from "../Ground.ts"
import { SINKS } from "../Ground.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

const KILLS = { short: 4, long: 50 }
const DRAINS = { short: 2, long: 10 }

/** Answers take a moment, so that there is always something in flight. */
const slowly = ({ base: { fleet } }: Ground, ms: number) =>
  Effect.promise(async () => {
    for (const sink of SINKS) await fleet.behave(sink, { do: "delay", ms })
  })

const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(Math.random() * items.length)]!

/** Processes that end without warning, and such that are told to. */
export const crashes: ReadonlyArray<Scenario> = [
  under(
    { name: "kill-9", what: `a random node of two is killed, ${KILLS.short} or ${KILLS.long} times, under load` },
    Effect.fnUntraced(function* (ground) {
      yield* slowly(ground, 20)
      for (let kill = 0; kill < (ground.base.isLong ? KILLS.long : KILLS.short); kill++) {
        const engine = pick(ground.engines)
        yield* ground.untilReceived(ground.devices / 2)
        yield* ground.crash(engine)
        yield* engine.launch
        yield* engine.ready
      }
    })
  ),
  under(
    {
      name: "power-cut",
      what: "all nodes, each of several processes, are killed at once",
      ground: { env: () => ({ PROCESSES: "3" }) },
      isShort: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* slowly(ground, 20)
      for (let cut = 0; cut < 3; cut++) {
        yield* ground.untilReceived(ground.devices)
        yield* Effect.forEach(ground.engines, (engine) => engine.kill, { concurrency: "unbounded", discard: true })
        ground.mayRepeat(yield* ground.inFlight)
        for (const engine of ground.engines) yield* engine.launch
        for (const engine of ground.engines) yield* engine.ready
      }
    })
  ),
  under(
    { name: "drain", what: "nodes are stopped with SIGTERM under load and started again: nothing goes twice" },
    Effect.fnUntraced(function* (ground) {
      yield* slowly(ground, 20)
      for (let drain = 0; drain < (ground.base.isLong ? DRAINS.long : DRAINS.short); drain++) {
        const engine = ground.engines[drain % ground.engines.length]!
        yield* ground.untilReceived(ground.devices / 2)
        const code = yield* engine.stop
        if (code !== 0) return yield* Effect.fail(new Error(`${engine.name} ended with code ${code}`))
        yield* engine.launch
        yield* engine.ready
      }
    })
  ),
  under(
    { name: "stall", what: "a node is frozen until its leases are over and the other has its work, then goes on" },
    Effect.fnUntraced(function* (ground) {
      const [stalled, other] = ground.engines
      yield* slowly(ground, 50)
      for (let stall = 0; stall < (ground.base.isLong ? 5 : 1); stall++) {
        yield* ground.untilReceived(ground.devices / 2)
        yield* stalled!.freeze
        // What the frozen one had on the wire, answered or not, is the other's when the lease is over. Of the rest of
        // what it had claimed it begins nothing when it goes on: by then its lease is over by its own clock too.
        ground.mayRepeat(yield* ground.inFlight)
        const before = ground.load.accepted.map(({ id }) => id)
        // All that was accepted by now is sent by the other one, what the frozen one had in hand included.
        const isEnded = (id: string) =>
          Effect.promise(async () => {
            const response = await fetch(`${other!.url}/api/v1/notifications/${id}`, {
              headers: { authorization: `ApiKey ${ground.secretKey}` }
            })
            return ((await response.json()) as { readonly status: string }).status
          })
        for (const id of before) {
          yield* until(`${id} is completed by the other node`, isEnded(id), (status) => status === "completed")
        }
        yield* stalled!.thaw
        yield* stalled!.ready
      }
    })
  )
]
