import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect } from "effect"
import type { Cluster } from "../Cluster.ts"
import { makeCluster, SINKS } from "../Cluster.ts"
import { untilBack } from "../Engine.ts"
import { makePosting } from "../Load.ts"
import { activated, makeRuns } from "../Runs.ts"
import type { Scenario } from "../Scenario.ts"
import { tell } from "../Scenario.ts"
import { until } from "../Until.ts"

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

const EVENTS = { short: 5_000, long: 100_000 }
const KEYS = 100
/** Short enough for digests to close, and others of the same key to open, while events come. */
const WINDOW_S = 5
const CLIENTS = 32

interface Collected {
  readonly digests: number
  readonly counted: number
  readonly wrong: number
  readonly twice: number
}

/** Many events of few keys, raised at two nodes at once: each is in one digest. */
const digests: Scenario = {
  name: "digests",
  what: `workflows: ${EVENTS.short} or ${EVENTS.long} events of ${KEYS} keys come in at two nodes: each is in one digest`,
  isShort: false,
  needsRoot: false,
  run: Effect.fnUntraced(function* (base) {
    const cluster = yield* makeCluster(base, { devices: KEYS / 10 })
    const events = timesOf(cluster, EVENTS)
    const startedAt = performance.now()
    const id = yield* activated(cluster, {
      name: "Digest",
      reentry: "always",
      trigger: { type: "event", event: "commented" },
      steps: [{ key: "sum", type: "DIGEST", by: "data.thread", seconds: WINDOW_S }]
    })
    const { post } = makePosting(cluster.engines, cluster.secretKey)
    yield* Effect.forEach(
      Array.from({ length: events }, (_, number) => number),
      (number) => {
        const data = { thread: Math.floor((number % KEYS) / 10), number }
        return post("/events/custom", { event: "commented", user_id: `user-${number % 10}`, data })
      },
      { concurrency: CLIENTS, discard: true }
    )
    const open = cluster.database(
      Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<{ readonly open: number; readonly entered: number }>`
          SELECT count(*) FILTER (WHERE ended_at IS NULL)::integer AS open, count(*)::integer AS entered FROM executions`
      )
    )
    const isOver = ([row]: ReadonlyArray<{ readonly open: number; readonly entered: number }>) =>
      row!.open === 0 && row!.entered >= events
    yield* until("every run ends", open, isOver, 300)
    const [row] = yield* cluster.database(
      Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<Collected>`
          WITH runs AS (
            SELECT e.id, e.user_id, e.data::json ->> 'thread' AS thread, e.data::json ->> 'number' AS number,
              (e.steps::json -> 'sum' ->> 'count')::integer AS said,
              substring(e.history from '"mergedInto":"([^"]*)"')::uuid AS opener
            FROM executions e WHERE e.workflow_id = ${id}
          ), merged AS (
            SELECT o.id, count(*)::integer AS count, count(*) FILTER (WHERE (m.user_id, m.thread) <> (o.user_id, o.thread)) AS crossed
            FROM runs m JOIN runs o ON o.id = m.opener GROUP BY o.id
          )
          SELECT count(*) FILTER (WHERE r.opener IS NULL)::integer AS digests, sum(r.said)::integer AS counted,
            count(*) FILTER (WHERE r.opener IS NULL AND (
              r.said IS DISTINCT FROM 1 + coalesce(m.count, 0) OR m.crossed > 0
            ))::integer AS wrong,
            (count(*) - count(DISTINCT r.number))::integer AS twice
          FROM runs r LEFT JOIN merged m ON m.id = r.id`
      )
    )
    const { counted, digests, twice, wrong } = row!
    const problems = [
      ...(wrong === 0 ? [] : [`${wrong} of ${digests} digests count wrongly, or have events of others`]),
      ...(twice === 0 ? [] : [`${twice} events have let somebody in twice`]),
      ...(counted > events ? [`${counted} of ${events} events are in digests`] : []),
      ...(digests > KEYS ? [] : [`${digests} digests: none has opened while events came`])
    ]
    if (problems.length > 0) tell(cluster)
    const seconds = (performance.now() - startedAt) / 1000
    const none = { duplicates: 0, bound: 0, failed: 0, eventsLost: 0 }
    return { accepted: events, received: counted, lost: Math.max(0, events - counted), ...none, seconds, problems }
  })
}

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
  ),
  digests
]
