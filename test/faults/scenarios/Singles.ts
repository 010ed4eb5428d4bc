import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import type { Cluster } from "../Cluster.ts"
import { SINKS } from "../Cluster.ts"
import type { Engine } from "../Engine.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/*
 * Messages to one device each, which are claimed as they are accepted, and sent by the process that accepted them or, when
 * that is busy, by a worker process of the same node (docs/decisions/0076, 0102): what is between the two when one of them
 * ends, stands still or loses its database.
 */

const CLIENTS = 24
/** Longer than a lease lasts. */
const FROZEN_MS = 5_000
/** After a process was missed for so long, others take over what it has in hand. */
const MISSED_MS = 2_000

const TWO_WORKERS = { singles: CLIENTS, env: () => ({ PROCESSES: "3" }) }
const BUSY = new URL("../busyThread.ts", import.meta.url)
/** Those who accept hand all of them over. */
const HANDED = { singles: CLIENTS, env: () => ({ PROCESSES: "3", NODE_OPTIONS: `--import=${BUSY.href}` }) }

const slowly = ({ base: { fleet } }: Cluster) =>
  Effect.promise(async () => {
    for (const sink of SINKS) await fleet.behave(sink, { do: "delay", ms: 20 })
  })

const workersOf = (engine: Engine): ReadonlyArray<number> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((found) => found?.[2] === String(engine.pid()) && !found[3]!.startsWith("Z"))
    .filter((found) => found![4]!.endsWith("main.ts work"))
    .map((found) => Number(found![1]))

/** Ends one process alone, whatever becomes of the others of its node. */
const killAlone = Effect.fnUntraced(function* (cluster: Cluster, pid: number) {
  process.kill(pid, "SIGKILL")
  cluster.mayRepeat(yield* cluster.inFlight)
})

const untilWorkers = (engine: Engine, without: ReadonlyArray<number>) =>
  until(
    `${engine.name} has its workers`,
    Effect.sync(() => workersOf(engine).filter((pid) => !without.includes(pid))),
    (pids) => pids.length === 2
  )

/** Ends workers, main processes and whole nodes. */
const killAll = Effect.fnUntraced(function* (cluster: Cluster) {
  const [first, second] = cluster.engines
  yield* slowly(cluster)
  for (let round = 0; round < (cluster.base.isLong ? 10 : 1); round++) {
    yield* cluster.untilReceived(cluster.devices)
    const [worker] = yield* untilWorkers(first!, [])
    yield* killAlone(cluster, worker!)
    yield* untilWorkers(first!, [worker!])
    yield* cluster.untilReceived(cluster.devices)
    // Its workers end when they notice, and write what they have.
    yield* killAlone(cluster, second!.pid())
    yield* until(
      "it has ended",
      Effect.sync(() => second!.isUp()),
      (isUp) => !isUp
    )
    yield* cluster.untilReceived(cluster.devices)
    yield* second!.launch
    yield* second!.ready
    yield* cluster.crash(first!)
    yield* first!.launch
    yield* first!.ready
  }
})

export const singles: ReadonlyArray<Scenario> = [
  under(
    {
      name: "singles",
      what: "single messages in a closed loop while workers, main processes and whole nodes are killed",
      cluster: TWO_WORKERS,
      isShort: false
    },
    killAll
  ),
  under(
    {
      name: "singles-handed",
      what: "the same, of main processes that are busy and hand them over to their workers",
      cluster: HANDED,
      isShort: false
    },
    killAll
  ),
  under(
    {
      name: "main-frozen",
      what: "a main process that accepts and sends single messages stands still for longer than its leases last",
      cluster: TWO_WORKERS,
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      const [engine] = cluster.engines
      yield* slowly(cluster)
      for (let round = 0; round < (cluster.base.isLong ? 5 : 1); round++) {
        yield* cluster.untilReceived(cluster.devices)
        process.kill(engine!.pid(), "SIGSTOP")
        cluster.mayRepeat(yield* cluster.unwrittenOf(engine!))
        yield* Effect.sleep(FROZEN_MS)
        // The other node goes on meanwhile, with what this one had in hand.
        yield* cluster.untilReceived(cluster.devices)
        process.kill(engine!.pid(), "SIGCONT")
      }
    })
  ),
  under(
    {
      name: "singles-frozen",
      what: "a worker that single messages are handed to stands still for longer than its leases last",
      cluster: { ...HANDED, nodes: 1 },
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      const [engine] = cluster.engines
      yield* slowly(cluster)
      for (let round = 0; round < (cluster.base.isLong ? 5 : 1); round++) {
        yield* cluster.untilReceived(cluster.devices)
        const [worker] = yield* untilWorkers(engine!, [])
        process.kill(worker!, "SIGSTOP")
        cluster.mayRepeat(yield* cluster.unwrittenOf({ pid: () => worker! }))
        yield* Effect.sleep(FROZEN_MS)
        // The other one goes on meanwhile.
        yield* cluster.untilReceived(cluster.devices)
        process.kill(worker!, "SIGCONT")
      }
    })
  ),
  under(
    {
      name: "singles-cut",
      what: "single messages while connections to the database are cut, and refused for a while",
      cluster: { ...TWO_WORKERS, gates: ["database"] },
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* slowly(cluster)
      const [first, second] = cluster.gates.database
      for (let round = 0; round < (cluster.base.isLong ? 10 : 2); round++) {
        yield* cluster.untilReceived(cluster.devices)
        yield* first!.cut
        yield* cluster.untilReceived(cluster.devices)
        const [shutAt, inHand] = [performance.now(), yield* cluster.inHand]
        yield* second!.set("shut")
        // Not so long that others take over; a busy machine may take that long to come back.
        yield* Effect.raceFirst(cluster.untilReceived(cluster.devices / 2), Effect.sleep(MISSED_MS / 2))
        yield* second!.set("open")
        yield* cluster.engines[1]!.ready
        if (performance.now() - shutAt > MISSED_MS) cluster.mayRepeat(inHand)
      }
    })
  )
]
