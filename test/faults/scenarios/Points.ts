import { Effect, Fiber } from "effect"
import type { Cluster } from "../Cluster.ts"
import { SINKS } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/*
 * Crashes at the points where one thing is done and the next is not. No code of the service knows of these points: gates
 * between the node and its neighbours hold back what would lead beyond them, and the node is killed while they do.
 */

const relaunch = Effect.fnUntraced(function* ({ engines: [engine], gates }: Cluster) {
  for (const gate of [...gates.database, ...gates.queue]) yield* Effect.andThen(gate.set("open"), gate.cut)
  yield* engine!.launch
  yield* engine!.ready
})

/** One mailing, whose answers take a moment; returns when the first message has arrived. */
const sendSlowly = Effect.fnUntraced(function* ({ base: { fleet }, load, untilReceived }: Cluster) {
  for (const sink of SINKS) yield* Effect.promise(() => fleet.behave(sink, { do: "delay", ms: 300 }))
  yield* Effect.all([untilReceived(1), load.post], { concurrency: 2 })
})

const ONE = { nodes: 1, gates: ["database", "queue"] } as const

/** What PostgreSQL's own view shows of statements that the node waits for. */
export const points: ReadonlyArray<Scenario> = [
  under(
    {
      name: "unpublished",
      what: "killed after the commit of the accept, before its job is published",
      cluster: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.gates.queue[0]!.set("hung")
      yield* cluster.load.post
      yield* cluster.engines[0]!.kill
      yield* relaunch(cluster)
    })
  ),
  under(
    {
      name: "unanswered",
      what: "the api is killed after the commit, before its answer; the client repeats with its key",
      cluster: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (cluster) {
      const [engine] = cluster.engines
      // A first one, so that what follows uses connections that are there.
      yield* cluster.load.post
      yield* cluster.gates.database[0]!.set("deaf")
      const posting = yield* Effect.forkChild(cluster.load.post)
      // Answers do not come through any more, and so the post stays open: the node is killed with it.
      yield* until("the client has repeated its post", Effect.sync(cluster.load.repeats), (repeats) => repeats > 0)
      yield* engine!.kill
      yield* relaunch(cluster)
      yield* Fiber.join(posting)
    })
  ),
  under(
    {
      name: "uncommitted",
      what: "the api is killed before the commit of the accept; the client repeats with its key",
      cluster: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.load.post
      yield* cluster.gates.database[0]!.set("hung")
      const posting = yield* Effect.forkChild(cluster.load.post)
      yield* until("the client has repeated its post", Effect.sync(cluster.load.repeats), (repeats) => repeats > 0)
      yield* cluster.engines[0]!.kill
      yield* relaunch(cluster)
      yield* Fiber.join(posting)
    })
  ),
  under(
    {
      name: "unwritten",
      what: "killed between the provider's acceptance and the commit of the results",
      cluster: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* sendSlowly(cluster)
      yield* cluster.gates.database[0]!.set("hung")
      // All that was claimed is accepted by the providers, and nothing of it can be written.
      yield* untilQuiet(cluster)
      yield* cluster.crash(cluster.engines[0]!)
      if (cluster.bound() === 0) return yield* Effect.fail(new Error("nothing was in flight: the point was missed"))
      for (const sink of SINKS) yield* Effect.promise(() => cluster.base.fleet.behave(sink))
      yield* relaunch(cluster)
    })
  ),
  under(
    {
      name: "unacknowledged",
      what: "killed after the commit of the results, before the jobs are acknowledged: nothing goes twice",
      cluster: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* sendSlowly(cluster)
      yield* cluster.gates.queue[0]!.set("hung")
      yield* until("everything is written", cluster.inFlight, (count) => count === 0)
      yield* cluster.engines[0]!.kill
      yield* relaunch(cluster)
    })
  )
]

/** Waits until the sinks have received nothing more for a number of looks. */
const untilQuiet = Effect.fnUntraced(function* ({ received }: Cluster) {
  let [last, looks] = [-1, 0]
  yield* until(
    "the providers have all that is on its way",
    Effect.map(received, (now) => {
      looks = now === last ? looks + 1 : 0
      last = now
      return looks
    }),
    (looks) => looks >= 20
  )
})
