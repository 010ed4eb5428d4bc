import { Effect } from "effect"
import { makeNatsServerAt } from "../../NatsServer.ts"
import { makePostgresServer } from "../../PostgresServer.ts"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { untilBack, untilMissed } from "../Engine.ts"
import { makeDisk } from "../Disk.ts"
import type { Ground } from "../Ground.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/** The customer, whose posts are answered 503 and repeated, is the one to notice. */
const untilFull = ({ load }: Ground) =>
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
      ground: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(200)
        return { disk, postgres: yield* makePostgresServer({ below: disk.path }) }
      })
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices)
      const inFlight = yield* ground.inFlight
      yield* ground.disk!.fill()
      yield* untilFull(ground)
      ground.mayRepeat(inFlight)
      yield* ground.disk!.free
      // Where it could not even write its log it has given up, and wants to be started.
      yield* Effect.ignore(ground.postgres.start)
      for (const engine of ground.engines) yield* engine.ready
    })
  ),
  under(
    {
      name: "nats-disk",
      what: "the disk of NATS is full until every node says so, then has room again, and NATS is started anew",
      needsRoot: true,
      isShort: false,
      ground: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(16)
        // It promises each stream its most at once, and so has to believe in a larger disk.
        const config = join(disk.path, "nats.conf")
        yield* Effect.promise(() => writeFile(config, "jetstream { max_file_store: 4GB }\n"))
        return { disk, nats: yield* makeNatsServerAt(disk.path, ["--config", config]) }
      })
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices)
      yield* ground.disk!.fill()
      // nats-server 2.9 then refuses messages, or answers nothing about its store any more, not even with room again.
      yield* untilMissed(ground.engines)
      // What is accepted meanwhile is found by the sweeper.
      yield* ground.load.post
      yield* ground.disk!.free
      yield* ground.nats.kill
      yield* ground.nats.start
      yield* untilBack(ground.engines)
      yield* ground.untilReceived(ground.devices)
    })
  ),
  under(
    {
      name: "data-disk",
      what: "the disk under DATA_DIR, with the embedded database, is full until the API answers 503",
      needsRoot: true,
      isShort: false,
      ground: Effect.fnUntraced(function* () {
        const disk = yield* makeDisk(500)
        return { disk, nodes: 1, embeddedBelow: disk.path }
      })
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.untilReceived(ground.devices)
      const before = yield* ground.received
      yield* ground.disk!.fill()
      yield* untilFull(ground)
      // Nobody but the database knows what was written of what arrived around the moment when it stopped.
      ground.mayRepeat((yield* ground.received) - before)
      yield* ground.disk!.free
      for (const engine of ground.engines) yield* engine.ready
    })
  )
]
