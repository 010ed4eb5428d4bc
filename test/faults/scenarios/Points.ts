import { Effect, Fiber } from "effect"
import type { Ground } from "../Ground.ts"
import { SINKS } from "../Ground.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/*
 * Crashes at the points where one thing is done and the next is not. No code of the service knows of these points: gates
 * between the node and its neighbours hold back what would lead beyond them, and the node is killed while they do.
 */

const relaunch = Effect.fnUntraced(function* ({ engines: [engine], gates }: Ground) {
  for (const gate of [...gates.database, ...gates.queue]) yield* Effect.andThen(gate.set("open"), gate.cut)
  yield* engine!.launch
  yield* engine!.ready
})

/** One mailing, whose answers take a moment; returns when the first message has arrived. */
const sendSlowly = Effect.fnUntraced(function* ({ base: { fleet }, load, untilReceived }: Ground) {
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
      ground: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.gates.queue[0]!.set("hung")
      yield* ground.load.post
      yield* ground.engines[0]!.kill
      yield* relaunch(ground)
    })
  ),
  under(
    {
      name: "unanswered",
      what: "the api is killed after the commit, before its answer; the client repeats with its key",
      ground: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (ground) {
      const [engine] = ground.engines
      // A first one, so that what follows uses connections that are there.
      yield* ground.load.post
      yield* ground.gates.database[0]!.set("deaf")
      const posting = yield* Effect.forkChild(ground.load.post)
      // Answers do not come through any more, and so the post stays open: the node is killed with it.
      yield* until("the client has repeated its post", Effect.sync(ground.load.repeats), (repeats) => repeats > 0)
      yield* engine!.kill
      yield* relaunch(ground)
      yield* Fiber.join(posting)
    })
  ),
  under(
    {
      name: "uncommitted",
      what: "the api is killed before the commit of the accept; the client repeats with its key",
      ground: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* ground.load.post
      yield* ground.gates.database[0]!.set("hung")
      const posting = yield* Effect.forkChild(ground.load.post)
      yield* until("the client has repeated its post", Effect.sync(ground.load.repeats), (repeats) => repeats > 0)
      yield* ground.engines[0]!.kill
      yield* relaunch(ground)
      yield* Fiber.join(posting)
    })
  ),
  under(
    {
      name: "unwritten",
      what: "killed between the provider's acceptance and the commit of the results",
      ground: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* sendSlowly(ground)
      yield* ground.gates.database[0]!.set("hung")
      // All that was claimed is accepted by the providers, and nothing of it can be written.
      yield* untilQuiet(ground)
      yield* ground.crash(ground.engines[0]!)
      if (ground.bound() === 0) return yield* Effect.fail(new Error("nothing was in flight: the point was missed"))
      for (const sink of SINKS) yield* Effect.promise(() => ground.base.fleet.behave(sink))
      yield* relaunch(ground)
    })
  ),
  under(
    {
      name: "unacknowledged",
      what: "killed after the commit of the results, before the jobs are acknowledged: nothing goes twice",
      ground: ONE,
      isSteady: false
    },
    Effect.fnUntraced(function* (ground) {
      yield* sendSlowly(ground)
      yield* ground.gates.queue[0]!.set("hung")
      yield* until("everything is written", ground.inFlight, (count) => count === 0)
      yield* ground.engines[0]!.kill
      yield* relaunch(ground)
    })
  )
]

/** Waits until the sinks have received nothing more for a number of looks. */
const untilQuiet = Effect.fnUntraced(function* ({ received }: Ground) {
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
