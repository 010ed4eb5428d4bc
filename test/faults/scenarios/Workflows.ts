import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect } from "effect"
import type { Cluster } from "../Cluster.ts"
import { makeCluster, SINKS } from "../Cluster.ts"
import { untilBack } from "../Engine.ts"
import { makeRuns } from "../Runs.ts"
import type { Scenario } from "../Scenario.ts"
import { tell } from "../Scenario.ts"

/*
 * Runs of workflows over two nodes: every run ends, no step is in effect twice, and none is left out. What may arrive twice
 * is what was in flight at a provider.
 */

const KILLS = { short: 2, long: 30 }
const RESTARTS = { short: 1, long: 10 }
const READ_ONLY_S = { short: 4, long: 20 }
/** Longer than a transaction outlasts a process that stands still. */
const FROZEN_S = 13

const throughWorkflows = (
  { isShort = true, name, what }: Pick<Scenario, "name" | "what"> & { readonly isShort?: boolean },
  fault: (cluster: Cluster) => Effect.Effect<void, unknown, Scope.Scope>
): Scenario => ({
  name,
  what,
  isShort,
  needsRoot: false,
  run: Effect.fnUntraced(function* (base) {
    const cluster = yield* makeCluster(base, { devices: 100 })
    const runs = yield* makeRuns(cluster)
    yield* Effect.promise(async () => {
      for (const sink of SINKS) await base.fleet.behave(sink, { do: "delay", ms: 20 })
    })
    yield* runs.start
    yield* cluster.untilReceived(cluster.devices)
    yield* fault(cluster).pipe(Effect.tapCause(() => Effect.sync(() => tell(cluster))))
    const totals = yield* runs.settle.pipe(Effect.tapCause(() => Effect.sync(() => tell(cluster))))
    if (totals.problems.length > 0) tell(cluster)
    return totals
  })
})

const timesOf = ({ base }: Cluster, { long, short }: { readonly long: number; readonly short: number }) =>
  base.isLong ? long : short

const readOnly = (cluster: Cluster, value: "on" | "off") =>
  cluster.database(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`ALTER SYSTEM SET default_transaction_read_only = ${sql.literal(value)}`
      yield* sql`SELECT pg_reload_conf()`
    })
  )

export const workflows: ReadonlyArray<Scenario> = [
  throughWorkflows(
    {
      name: "runs-killed",
      what: `workflows: a node of two is killed, ${KILLS.short} or ${KILLS.long} times`
    },
    Effect.fnUntraced(function* (cluster) {
      for (let kill = 0; kill < timesOf(cluster, KILLS); kill++) {
        const engine = cluster.engines[kill % cluster.engines.length]!
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.crash(engine)
        yield* engine.launch
        yield* engine.ready
      }
    })
  ),
  throughWorkflows(
    {
      name: "runs-frozen",
      what: `workflows: a node stands still for ${FROZEN_S} s, and the other has its runs`,
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      const [frozen, other] = cluster.engines
      for (let round = 0; round < (cluster.base.isLong ? 3 : 1); round++) {
        // Both, while it is counted what the one had sent and not written: it goes once more.
        yield* other!.freeze
        yield* frozen!.freeze
        cluster.mayRepeat(yield* cluster.unwrittenOf(frozen!))
        yield* other!.thaw
        yield* Effect.sleep(FROZEN_S * 1000)
        yield* frozen!.thaw
        yield* frozen!.ready
        yield* cluster.untilReceived(cluster.devices / 2)
      }
    })
  ),
  throughWorkflows(
    {
      name: "runs-postgres",
      what: "workflows: PostgreSQL is killed and started at once, again and again: nothing goes twice"
    },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < timesOf(cluster, RESTARTS); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.postgres.kill
        yield* cluster.postgres.start
        yield* untilBack(cluster.engines)
      }
    })
  ),
  throughWorkflows(
    {
      name: "runs-read-only",
      what: `workflows: the database is read-only for ${READ_ONLY_S.short} or ${READ_ONLY_S.long} s: nothing goes twice`
    },
    Effect.fnUntraced(function* (cluster) {
      yield* Effect.acquireUseRelease(
        readOnly(cluster, "on"),
        () => Effect.sleep(timesOf(cluster, READ_ONLY_S) * 1000),
        () => readOnly(cluster, "off")
      )
      yield* cluster.untilReceived(cluster.devices / 2)
    })
  )
]
