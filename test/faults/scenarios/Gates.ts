import { Effect } from "effect"
import type { Gate } from "../Gate.ts"
import type { Ground } from "../Ground.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/** Holds a node's connections until everybody's work has gone on without it, then lets them go on, or cuts them. */
const hang = (kind: "database" | "queue", end: "open" | "cut") =>
  Effect.fnUntraced(function* (ground: Ground) {
    const [gate] = ground.gates[kind]
    const [node] = ground.engines
    for (let i = 0; i < (ground.base.isLong ? 3 : 1); i++) {
      yield* ground.untilReceived(ground.devices / 2)
      yield* gate!.set("hung")
      // What it has claimed it goes on to send, and cannot say so.
      if (kind === "database") ground.mayRepeat(yield* ground.inHand)
      yield* until(`${node!.name} notices`, node!.status("/readyz"), (status) => status === 503)
      yield* ground.untilReceived(ground.devices)
      yield* gate!.set("open")
      if (end === "cut") yield* gate!.cut
      yield* node!.ready
    }
  })

const each = (gates: ReadonlyArray<Gate>, run: (gate: Gate) => Effect.Effect<void>) =>
  Effect.forEach(gates, run, { discard: true })

/** Connections that hang and such that are cut, between a node and each of its neighbours. */
export const gates: ReadonlyArray<Scenario> = [
  under(
    {
      name: "database-hangs",
      what: "one node's connections to the database hang, and are cut in the end",
      ground: { gates: ["database"] }
    },
    hang("database", "cut")
  ),
  under(
    {
      name: "database-stalls",
      what: "one node's connections to the database hang, and go on in the end",
      ground: { gates: ["database"] },
      isShort: false
    },
    hang("database", "open")
  ),
  under(
    {
      name: "queue-hangs",
      what: "one node's connection to the queue hangs, and is cut in the end",
      ground: { gates: ["queue"] },
      isShort: false
    },
    hang("queue", "cut")
  ),
  under(
    {
      name: "database-cut",
      what: "every connection to the database is reset, again and again, and new ones come within the leases: nothing goes twice",
      ground: { gates: ["database"], env: () => ({ LEASE_SECONDS: "10" }) }
    },
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < (ground.base.isLong ? 20 : 3); i++) {
        yield* ground.untilReceived(ground.devices / 4)
        yield* each(ground.gates.database, (gate) => gate.cut)
      }
    })
  ),
  under(
    {
      name: "providers-cut",
      what: "connections to the providers hang, are cut, and refused, with messages on them",
      ground: { gates: ["providers"] }
    },
    Effect.fnUntraced(function* (ground) {
      const all = ground.gates.providers
      for (let i = 0; i < (ground.base.isLong ? 10 : 2); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        // Taken and not answered: nobody can know, and so they go again.
        yield* each(all, (gate) => gate.set("deaf"))
        yield* ground.untilReceived(1)
        yield* until("messages are under way without an answer", ground.inFlight, (count) => count > 0)
        ground.mayRepeat(yield* ground.inFlight)
        yield* each(all, (gate) => gate.set("shut"))
        ground.mayRepeat(yield* ground.inFlight)
        yield* each(all, (gate) => gate.set("open"))
      }
    })
  )
]
