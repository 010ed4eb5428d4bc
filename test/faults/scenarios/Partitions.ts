import { Effect } from "effect"
import { tmpdir } from "node:os"
import { forkFleet } from "../../../simulators/FleetProcess.ts"
import { makeNatsServerAt } from "../../NatsServer.ts"
import { makePostgresServer } from "../../PostgresServer.ts"
import type { Network } from "../Network.ts"
import { makeNetwork } from "../Network.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"

/** The network of the scenario at hand, from when its cluster was prepared. */
let network: Network

/** Nodes that nobody reaches for a while, and that reach nobody. */
export const partitions: ReadonlyArray<Scenario> = [
  under(
    {
      name: "partition",
      what: "a node in a network of its own is cut off from everybody, longer than its leases last",
      needsRoot: true,
      isShort: false,
      cluster: Effect.fnUntraced(function* () {
        network = yield* makeNetwork
        const { inside, outside, through } = network
        const fleet = yield* Effect.acquireRelease(
          Effect.promise(() => forkFleet({ host: outside })),
          (fleet) => Effect.promise(() => fleet.stop())
        )
        return {
          fleet,
          postgres: yield* makePostgresServer({ guests: `${outside}/30` }),
          nats: yield* makeNatsServerAt(tmpdir(), ["--addr=0.0.0.0"]),
          address: outside,
          hostOf: (node: number) => (node === 0 ? inside : "127.0.0.1"),
          through: (node: number) => (node === 0 ? through : [])
        }
      })
    },
    Effect.fnUntraced(function* (cluster) {
      const [lonely] = cluster.engines
      for (let i = 0; i < 3; i++) {
        yield* cluster.untilReceived(cluster.devices)
        yield* network.cut
        // What it has in hand may still be on its way when the cable is in again.
        cluster.mayRepeat(yield* cluster.inHand)
        yield* cluster.untilReceived(cluster.devices * 3)
        yield* network.mend
        yield* lonely!.ready
      }
    })
  )
]
