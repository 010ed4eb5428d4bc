import type { Scope } from "effect"
import { Effect } from "effect"
import type { Totals } from "./Totals.ts"
import { settle } from "./Totals.ts"
import type { Base, Cluster, ClusterOptions } from "./Cluster.ts"
import { makeCluster } from "./Cluster.ts"

/** One kind of fault: what is done, to what, and what it may cost. */
export interface Scenario {
  readonly name: string
  /** What is done, in a few words. */
  readonly what: string
  /** Whether it belongs to the short form as well. */
  readonly isShort: boolean
  /** Only root may do it: mount a file system, make a network. */
  readonly needsRoot: boolean
  readonly run: (base: Base) => Effect.Effect<Totals, unknown, Scope.Scope>
}

export interface Under {
  readonly name: string
  readonly what: string
  readonly isShort?: boolean
  readonly needsRoot?: boolean
  /** A customer who sends all the time; unless false. */
  readonly isSteady?: boolean
  /** May prepare servers and disks of its own. */
  readonly cluster?: ClusterOptions | ((base: Base) => Effect.Effect<ClusterOptions, unknown, Scope.Scope>)
}

/** A scenario: a cluster with a customer who sends, a fault, and the totals. */
export const under = (
  { cluster: options, isShort = true, isSteady = true, name, needsRoot = false, what }: Under,
  fault: (cluster: Cluster) => Effect.Effect<void, unknown, Scope.Scope>
): Scenario => ({
  name,
  what,
  isShort,
  needsRoot,
  run: Effect.fnUntraced(function* (base) {
    const cluster = yield* makeCluster(base, typeof options === "function" ? yield* options(base) : options)
    if (isSteady) {
      yield* cluster.load.start
      yield* cluster.untilReceived(cluster.devices)
    }
    yield* fault(cluster).pipe(Effect.tapCause(() => Effect.sync(() => tell(cluster))))
    if (isSteady) yield* cluster.load.stop
    const totals = yield* settle(cluster)
    if (totals.problems.length > 0) tell(cluster)
    return totals
  })
})

/** What the nodes said, for whoever looks for the reason. */
export const tell = ({ engines }: Cluster): void => {
  for (const { log, name } of engines)
    for (const line of log().slice(-8)) process.stderr.write(`  ${name}: ${line.slice(0, 240)}\n`)
}
