import { Effect } from "effect"
import type { Rule } from "../../../simulators/Behaviour.ts"
import type { FleetProcess } from "../../../simulators/FleetProcess.ts"
import { SINKS } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

const SHIFT = new URL("../shiftClock.ts", import.meta.url)
const MINUTES = { short: 4, long: 60 }
/** Shorter than the clocks are wrong, and than providers tolerate in tokens (a minute). */
const TTL_SECONDS = 180

const clockOf = (minutes: number): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${SHIFT.href}`,
  CLOCK_SHIFT_MS: String(minutes * 60_000)
})

/** Everything that a provider can say instead of yes, a share of each. None of it leaves a doubt: nothing goes twice. */
const BAD: ReadonlyArray<Rule> = [
  { do: "refuse", status: 500, reason: "InternalServerError", every: 7 },
  { do: "throttle", retryAfter: 1, every: 53 },
  { do: "reset", every: 29 },
  { do: "goaway", every: 71 },
  { do: "refuse", status: 502, reason: "<html><h1>502 Bad Gateway</h1>\u0000\u0007", every: 11 },
  { do: "delay", ms: 200, every: 5 }
]
/** Leaves a doubt about one message each time: it was taken, and nobody was told. */
const UNTOLD: Rule = { do: "close", orderly: true, every: 31 }

const enacted = (fleet: FleetProcess, sink: string, rule: Rule["do"]) =>
  Effect.promise(async () => (await fleet.stats())[sink]!.enacted[rule] ?? 0)

/** Neighbours that misbehave, and clocks that are wrong. */
export const surroundings: ReadonlyArray<Scenario> = [
  under(
    {
      name: "bad-answers",
      what: "providers answer 500, 502 with HTML, 429, reset streams and say GOAWAY: nothing goes twice; in the long form they also accept without an answer: only those do"
    },
    Effect.fnUntraced(function* ({ base: { fleet, isLong }, devices, mayRepeat, untilReceived }) {
      const rules = isLong ? [...BAD, UNTOLD] : BAD
      for (const sink of SINKS) yield* Effect.promise(() => fleet.behave(sink, ...rules))
      yield* untilReceived(devices * (isLong ? 50 : 4))
      for (const sink of SINKS) yield* Effect.promise(() => fleet.behave(sink))
      // Each was taken and never answered, so that nobody can know: it goes once more.
      for (const sink of SINKS) mayRepeat(yield* enacted(fleet, sink, "close"))
    })
  ),
  under(
    {
      name: "hang-up",
      what: "a provider accepts a message and cuts the connection, with whatever else is on it"
    },
    Effect.fnUntraced(function* ({ base: { fleet, isLong }, devices, inHand, mayRepeat, untilReceived }) {
      for (let i = 0; i < (isLong ? 10 : 1); i++) {
        for (const sink of ["apns", "fcm", "webpush"] as const) {
          const before = yield* enacted(fleet, sink, "close")
          yield* untilReceived(devices / 4)
          yield* Effect.promise(() => fleet.behave(sink, { do: "close", first: 1 }))
          yield* until(`${sink} hangs up`, enacted(fleet, sink, "close"), (count) => count > before)
          mayRepeat(Math.max(1, yield* inHand))
        }
      }
    })
  ),
  under(
    {
      name: "clock-shift",
      what: `one node's clock is ${MINUTES.short} or ${MINUTES.long} minutes ahead, the other's behind; both take over from each other`,
      cluster: ({ isLong }) => {
        const minutes = isLong ? MINUTES.long : MINUTES.short
        return Effect.succeed({ ttl: TTL_SECONDS, env: (node) => clockOf(node === 0 ? minutes : -minutes) })
      }
    },
    Effect.fnUntraced(function* (cluster) {
      for (const engine of cluster.engines) {
        yield* cluster.untilReceived(cluster.devices)
        yield* cluster.crash(engine)
        // The other one takes over by the database's clock, which alone counts: for leases, what is expired, and tokens.
        yield* cluster.untilReceived(cluster.devices)
        yield* engine.launch
        yield* engine.ready
      }
    })
  )
]
