import { Effect } from "effect"
import type { Gate } from "../Gate.ts"
import type { Cluster } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/** Holds a node's connections until everybody's work has gone on without it, then lets them go on, or cuts them. */
const hang = (kind: "database" | "queue", end: "open" | "cut") =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    const [gate] = cluster.gates[kind]
    const [node] = cluster.engines
    for (let i = 0; i < (cluster.base.isLong ? 3 : 1); i++) {
      yield* cluster.untilReceived(cluster.devices / 2)
      yield* gate!.set("hung")
      // What it has claimed it goes on to send, and cannot say so.
      if (kind === "database") cluster.mayRepeat(yield* cluster.inHand)
      yield* until(`${node!.name} notices`, node!.status("/readyz"), (status) => status === 503)
      yield* cluster.untilReceived(cluster.devices)
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
      cluster: { gates: ["database"] }
    },
    hang("database", "cut")
  ),
  under(
    {
      name: "database-stalls",
      what: "one node's connections to the database hang, and go on in the end",
      cluster: { gates: ["database"] },
      isShort: false
    },
    hang("database", "open")
  ),
  under(
    {
      name: "queue-hangs",
      what: "one node's connection to the queue hangs, and is cut in the end",
      cluster: { gates: ["queue"] },
      isShort: false
    },
    hang("queue", "cut")
  ),
  under(
    {
      name: "database-cut",
      what: "every connection to the database is reset, again and again, and new ones come within the leases: nothing goes twice",
      cluster: { gates: ["database"], env: () => ({ LEASE_SECONDS: "10" }) }
    },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < (cluster.base.isLong ? 20 : 3); i++) {
        yield* cluster.untilReceived(cluster.devices / 4)
        yield* each(cluster.gates.database, (gate) => gate.cut)
      }
    })
  ),
  under(
    {
      name: "providers-cut",
      what: "connections to the providers hang, are cut, and refused, with messages on them",
      cluster: { gates: ["providers"] }
    },
    Effect.fnUntraced(function* (cluster) {
      const all = cluster.gates.providers
      for (let i = 0; i < (cluster.base.isLong ? 10 : 2); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        // Taken and not answered: nobody can know, and so they go again.
        yield* each(all, (gate) => gate.set("deaf"))
        yield* cluster.untilReceived(1)
        yield* until("messages are under way without an answer", cluster.inFlight, (count) => count > 0)
        cluster.mayRepeat(yield* cluster.inFlight)
        yield* each(all, (gate) => gate.set("shut"))
        cluster.mayRepeat(yield* cluster.inFlight)
        yield* each(all, (gate) => gate.set("open"))
      }
    })
  )
]
