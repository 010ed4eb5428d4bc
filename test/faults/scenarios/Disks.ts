import { Effect } from "effect"
import { makeNatsServerAt } from "../../NatsServer.ts"
import { makePostgresServer } from "../../PostgresServer.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { untilBack, untilMissed } from "../Engine.ts"
import { makeDisk } from "../Disk.ts"
import type { Cluster } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/** The customer, whose posts are answered 503 and repeated, is the one to notice. */
const untilFull = ({ load }: Cluster) =>
  Effect.suspend(() => {
    const before = load.repeats()
    return until("the API says that it cannot take more", Effect.sync(load.repeats), (now) => now >= before + 5)
  })

/** Disks that are full, and get room again. */
export const disks: ReadonlyArray<Scenario> = [
  under(
    {
      name: "postgres-disk",
      what: "PostgreSQL's disk is full until the API answers 503, then has room again",
      needsRoot: true,
      cluster: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(200)
        return { disk, postgres: yield* makePostgresServer({ below: disk.path }) }
      })
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices)
      const inFlight = yield* cluster.inFlight
      yield* cluster.disk!.fill()
      yield* untilFull(cluster)
      cluster.mayRepeat(inFlight)
      yield* cluster.disk!.free
      // Where it could not even write its log it has given up, and wants to be started.
      yield* Effect.ignore(cluster.postgres.start)
      for (const engine of cluster.engines) yield* engine.ready
    })
  ),
  under(
    {
      name: "nats-disk",
      what: "the disk of NATS is full until every node says so, then has room again, and NATS is started anew",
      needsRoot: true,
      isShort: false,
      cluster: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(16)
        // It promises each stream its most at once, and so has to believe in a larger disk.
        const config = join(disk.path, "nats.conf")
        yield* Effect.promise(() => writeFile(config, "jetstream { max_file_store: 4GB }\n"))
        return { disk, nats: yield* makeNatsServerAt(disk.path, ["--config", config]) }
      })
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices)
      yield* cluster.disk!.fill()
      // nats-server 2.9 then refuses messages, or answers nothing about its store any more, not even with room again.
      yield* untilMissed(cluster.engines)
      // What is accepted meanwhile is found by the sweeper.
      yield* cluster.load.post
      yield* cluster.disk!.free
      yield* cluster.nats.kill
      yield* cluster.nats.start
      yield* untilBack(cluster.engines)
      yield* cluster.untilReceived(cluster.devices)
    })
  ),
  under(
    {
      name: "data-disk",
      what: "the disk under DATA_DIR, with the embedded database, is full until the API answers 503",
      needsRoot: true,
      isShort: false,
      cluster: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(500)
        return { disk, nodes: 1, embeddedBelow: disk.path }
      })
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices)
      const before = yield* cluster.received
      yield* cluster.disk!.fill()
      yield* untilFull(cluster)
      // Nobody but the database knows what was written of what arrived around the moment when it stopped.
      cluster.mayRepeat((yield* cluster.received) - before)
      yield* cluster.disk!.free
      for (const engine of cluster.engines) yield* engine.ready
    })
  )
]
