import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { Cluster } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { untilBack, untilMissed } from "../Engine.ts"

const times = ({ base }: Cluster) => (base.isLong ? 5 : 1)

const purge = ({ nats }: Cluster, isDeleted: boolean) =>
  Effect.promise(async () => {
    const connection = await connect({ servers: nats.url })
    const manager = await jetstreamManager(connection)
    for await (const { config } of manager.streams.list()) {
      if (isDeleted) await manager.streams.delete(config.name)
      else await manager.streams.purge(config.name)
    }
    await connection.close()
  })

/** The job queue forgets, stalls and goes away: a delay, and nothing twice. */
export const queue: ReadonlyArray<Scenario> = [
  under(
    { name: "nats-kill", what: "NATS is killed, and comes back with what its store kept" },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < times(cluster); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.nats.kill
        yield* untilMissed(cluster.engines)
        // What is accepted meanwhile is found by the sweeper.
        yield* cluster.load.post
        yield* cluster.nats.start
        yield* untilBack(cluster.engines)
      }
    })
  ),
  under(
    { name: "nats-wiped", what: "NATS is killed, and comes back with an empty store" },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < times(cluster); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.nats.kill
        yield* cluster.nats.wipe
        yield* cluster.nats.start
        yield* untilBack(cluster.engines)
      }
    })
  ),
  under(
    {
      name: "nats-gone",
      what: "NATS is killed for good: nodes tell their own workers, one of several processes",
      cluster: { env: (node) => (node === 0 ? { PROCESSES: "2" } : {}) }
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices / 2)
      yield* cluster.nats.kill
      yield* untilMissed(cluster.engines)
      // Sent while it is away, and all the rest before totals are reconciled.
      yield* cluster.untilReceived(cluster.devices * 2 * times(cluster))
    })
  ),
  under(
    { name: "nats-purge", what: "all streams are purged, then deleted, under load" },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < times(cluster); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* purge(cluster, false)
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* purge(cluster, true)
        yield* cluster.untilReceived(cluster.devices / 2)
      }
    })
  ),
  under(
    {
      name: "nats-frozen",
      what: "NATS answers nothing any more, with its connections open, and then goes on",
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices / 2)
      yield* cluster.nats.freeze
      yield* untilMissed(cluster.engines)
      yield* cluster.load.post
      // It takes none of the jobs, and the messages go out all the same.
      yield* cluster.untilReceived(cluster.devices * 2)
      yield* cluster.nats.thaw
      yield* untilBack(cluster.engines)
    })
  )
]
