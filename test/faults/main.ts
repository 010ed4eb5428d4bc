import { Cause, Effect, Exit } from "effect"
import { parseArgs } from "node:util"
import { forkFleet } from "../../simulators/FleetProcess.ts"
import { makePostgresServer } from "../PostgresServer.ts"
import type { Totals } from "./Totals.ts"
import type { Base } from "./Cluster.ts"
import { SCENARIOS } from "./Table.ts"
import type { Scenario } from "./Scenario.ts"

/*
 * `npm run test:faults`: every fault of the table against real processes, two scenarios at once (they wait more than they
 * work), each with servers of its own, and a line for each. Exits with 1 when a message is lost, totals do not reconcile, or more went twice than the faults may cost; and,
 * in the long form, when a scenario could not be run on this machine, unless --allow-missing.
 */

const USAGE = `npm run test:faults -- [options]
  --long            every scenario, with more of everything (up to half an hour)
  --only a,b        these scenarios
  --at-once N       scenarios beside each other; 2 unless given
  --allow-missing   in the long form: scenarios that this machine cannot run are no failure
  --list            names them and says what they do
  --json            the results as one line of JSON at the end`

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    only: { type: "string" },
    "at-once": { type: "string", default: "2" },
    "allow-missing": { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})

type Result =
  | { readonly state: "ok" | "failed"; readonly totals: Totals; readonly reasons: ReadonlyArray<string> }
  | { readonly state: "broken"; readonly reasons: ReadonlyArray<string> }
  | { readonly state: "not run"; readonly reasons: ReadonlyArray<string> }

const isRoot = process.getuid?.() === 0

const judge = (totals: Totals): ReadonlyArray<string> => [
  ...totals.problems,
  ...(totals.accepted === 0 ? ["nothing was accepted"] : []),
  ...(totals.lost > 0 ? [`${totals.lost} messages are lost`] : []),
  ...(totals.failed > 0 ? [`${totals.failed} recipients have failed`] : []),
  ...(totals.eventsLost > 0 ? [`${totals.eventsLost} events did not reach their webhook`] : []),
  ...(totals.duplicates > totals.bound
    ? [`${totals.duplicates} messages went twice, and the faults explain ${totals.bound}`]
    : [])
]

const run = (scenario: Scenario, base: Base): Effect.Effect<Result> =>
  scenario.needsRoot && !isRoot
    ? Effect.succeed({ state: "not run", reasons: ["only root may do this"] })
    : Effect.scoped(scenario.run(base)).pipe(
        Effect.exit,
        Effect.map((exit): Result => {
          if (Exit.isFailure(exit)) return { state: "broken", reasons: [Cause.pretty(exit.cause)] }
          const reasons = judge(exit.value)
          return { state: reasons.length === 0 ? "ok" : "failed", totals: exit.value, reasons }
        })
      )

const WIDTHS = [16, 8, 9, 9, 5, 7, 6, 8, 6] as const
const HEADINGS = ["scenario", "result", "accepted", "received", "lost", "twice", "bound", "recovery", "took"]
const row = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, i) => (i < 2 ? cell.padEnd(WIDTHS[i]!) : cell.padStart(WIDTHS[i]!))).join(" ")

const show = (name: string, result: Result, seconds: number): string => {
  const cells = "totals" in result ? numbers(result.totals) : ["", "", "", "", "", ""]
  return [row([name, result.state, ...cells, `${seconds.toFixed(1)} s`]), ...result.reasons.map((r) => `  ${r}`)].join(
    "\n"
  )
}

const numbers = ({ accepted, bound, duplicates, lost, received, seconds }: Totals): ReadonlyArray<string> => [
  ...[accepted, received, lost, duplicates, bound].map(String),
  `${seconds.toFixed(1)} s`
]

const say = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const program = Effect.gen(function* () {
  if (values.help) return yield* say(USAGE)
  const names = values.only?.split(",")
  const unknown = names?.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)) ?? []
  if (unknown.length > 0)
    return yield* Effect.fail(new Error(`There is no scenario ${unknown.join(", ")}; see --list.`))
  const chosen = SCENARIOS.filter(({ isShort, name }) => names?.includes(name) ?? (values.long || isShort))
  if (values.list) {
    for (const { isShort, name, needsRoot, what } of SCENARIOS) {
      yield* say(`${name.padEnd(16)} ${what}${isShort ? "" : " (long form)"}${needsRoot ? " (root)" : ""}`)
    }
    return
  }
  const atOnce = Number(values["at-once"])
  if (!Number.isInteger(atOnce) || atOnce < 1)
    return yield* Effect.fail(new Error("--at-once wants a number from 1 on."))
  yield* say(row(HEADINGS))
  const results: Array<readonly [name: string, result: Result]> = []
  const waiting = [...chosen]
  const worker = Effect.gen(function* () {
    const fleet = yield* Effect.acquireRelease(
      Effect.promise(() => forkFleet()),
      (fleet) => Effect.promise(() => fleet.stop())
    )
    const base: Base = { postgres: yield* makePostgresServer(), fleet, isLong: values.long }
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      const startedAt = performance.now()
      const result = yield* run(scenario, base)
      // It may have left the server as it was in the middle of its fault.
      if (result.state === "broken") yield* Effect.andThen(base.postgres.kill, base.postgres.start)
      results.push([scenario.name, result])
      yield* say(show(scenario.name, result, (performance.now() - startedAt) / 1000))
    }
  })
  const workers = Array.from({ length: Math.min(atOnce, chosen.length) }, () => Effect.scoped(worker))
  yield* Effect.all(workers, { concurrency: "unbounded", discard: true })
  const count = (state: Result["state"]) => results.filter(([, result]) => result.state === state).length
  const missing = count("not run")
  yield* say(
    `${count("ok")} of ${results.length} scenarios are as promised` +
      (missing === 0 ? "" : `; ${missing} COULD NOT BE RUN on this machine`)
  )
  if (values.json) yield* say(JSON.stringify(Object.fromEntries(results)))
  const isBad = count("failed") + count("broken") > 0 || (values.long && missing > 0 && !values["allow-missing"])
  if (isBad) process.exitCode = 1
})

const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
const exit = await Effect.runPromiseExit(Effect.scoped(program), { signal: stop.signal })
if (Exit.isFailure(exit)) {
  process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
  process.exitCode = 1
}
// Whatever somebody forgot to close is no reason to stay.
process.exit()
