import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { Ground } from "../Ground.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { untilBack, untilMissed } from "../Engine.ts"

const times = ({ base }: Ground) => (base.isLong ? 5 : 1)

const purge = ({ nats }: Ground, isDeleted: boolean) =>
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
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < times(ground); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        yield* ground.nats.kill
        yield* untilMissed(ground.engines)
        // What is accepted meanwhile is found by the sweeper.
        yield* ground.load.post
        yield* ground.nats.start
        yield* untilBack(ground.engines)
      }
    })
  ),
  under(
    { name: "nats-wiped", what: "NATS is killed, and comes back with an empty store" },
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < times(ground); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        yield* ground.nats.kill
        yield* ground.nats.wipe
        yield* ground.nats.start
        yield* untilBack(ground.engines)
      }
    })
  ),
  under(
    {
      name: "nats-gone",
      what: "NATS is killed for good: nodes tell their own workers, one of several processes",
      ground: { env: (node) => (node === 0 ? { PROCESSES: "2" } : {}) }
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices / 2)
      yield* ground.nats.kill
      yield* untilMissed(ground.engines)
      // Sent while it is away, and all the rest before the account is closed.
      yield* ground.untilReceived(ground.devices * 2 * times(ground))
    })
  ),
  under(
    { name: "nats-purge", what: "all streams are purged, then deleted, under load" },
    Effect.fnUntraced(function* (ground) {
      for (let i = 0; i < times(ground); i++) {
        yield* ground.untilReceived(ground.devices / 2)
        yield* purge(ground, false)
        yield* ground.untilReceived(ground.devices / 2)
        yield* purge(ground, true)
        yield* ground.untilReceived(ground.devices / 2)
      }
    })
  ),
  under(
    {
      name: "nats-frozen",
      what: "NATS answers nothing any more, with its connections open, and then goes on",
      isShort: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices / 2)
      yield* ground.nats.freeze
      yield* untilMissed(ground.engines)
      yield* ground.load.post
      // It takes none of the jobs, and the messages go out all the same.
      yield* ground.untilReceived(ground.devices * 2)
      yield* ground.nats.thaw
      yield* untilBack(ground.engines)
    })
  )
]
