import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { HOLDERS } from "../../../layers/postgres/server/advisoryLocks.ts"
import type { Cluster } from "../Cluster.ts"
import { SINKS } from "../Cluster.ts"
import type { Scenario, Under } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

/** Answers of providers take so long: there is always something in flight. */
const DELAY_MS = 60

/** What the faults last, in seconds: several leases of the nodes' settings. */
const READ_ONLY = { short: 8, long: 20 }
const LOCKED = { short: 8, long: 60 }
const SLOW = { short: 10, long: 30 }

/** What the other node has for a dead one's work: the five seconds that are promised, and as much for a busy machine. */
const TAKEOVER_SECONDS = 10

/** One large mailing in batches of the usual size, of which the faults come in the middle. */
const large = (env: NodeJS.ProcessEnv = {}, devices = 10_000): Pick<Under, "cluster" | "isSteady"> => ({
  isSteady: false,
  cluster: {
    devices,
    env: () => ({ BATCH_SIZE: "1000", PLAN_PAGE: "5000", DISPATCH_CONCURRENCY: "16", ...env })
  }
})

const secondsOf = ({ base }: Cluster, { long, short }: { readonly short: number; readonly long: number }) =>
  Effect.sleep((base.isLong ? long : short) * 1000)

/** Sends the mailing, and waits until it is well under way. */
const underWay = Effect.fnUntraced(function* (cluster: Cluster) {
  yield* Effect.promise(async () => {
    for (const sink of SINKS) await cluster.base.fleet.behave(sink, { do: "delay", ms: DELAY_MS })
  })
  yield* cluster.load.post
  yield* cluster.untilReceived(cluster.devices / 10)
})

const locked = (...tables: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    yield* underWay(cluster)
    yield* cluster.database(
      Effect.flatMap(PgClient.PgClient, (sql) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
            yield* sql`LOCK TABLE ${sql.literal(tables.join(", "))} IN EXCLUSIVE MODE`
            yield* secondsOf(cluster, LOCKED)
          })
        )
      )
    )
  })

const readOnly = (cluster: Cluster, value: "on" | "off") =>
  cluster.database(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`ALTER SYSTEM SET default_transaction_read_only = ${sql.literal(value)}`
      yield* sql`SELECT pg_reload_conf()`
    })
  )

/** Seconds that each commit of results waits, once there is the trigger that calls this. */
const commitsTake = (seconds: number) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql`
    CREATE OR REPLACE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql
    AS $body$ BEGIN PERFORM pg_sleep(${sql.literal(String(seconds))}); RETURN NULL; END $body$`
  )

interface Held {
  readonly id: string
  readonly holder: number
}

/** Batches in the hands of processes whose sessions have ended. */
const heldByDead = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Held>`
    SELECT b.id, h.id AS holder FROM holders h JOIN all_batches b ON b.lease_holder = h.id
    WHERE NOT b.done AND b.lease_until > now() AND pg_try_advisory_xact_lock_shared(${HOLDERS}, h.id)`
)

/** How many of them another process has, and how many are still the dead one's. */
const takenOver = (dead: ReadonlyArray<Held>) =>
  Effect.map(
    Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql<{ readonly taken: number; readonly waiting: number }>`
        SELECT count(*) FILTER (WHERE b.done OR b.lease_holder <> ${dead[0]!.holder})::integer AS taken,
          count(*) FILTER (WHERE NOT b.done AND b.lease_holder = ${dead[0]!.holder} AND b.lease_until > now())::integer
            AS waiting
        FROM all_batches b WHERE b.id = ANY(${dead.map(({ id }) => id)}::uuid[])`
    ),
    (rows) => rows[0]!
  )

/**
 * The database answers, and does not take results. Nobody crashes: nothing goes twice, however long it lasts, because
 * nodes begin no more than they could write, keep what they know, and leave each other the time to write it.
 */
export const writes: ReadonlyArray<Scenario> = [
  under(
    {
      ...large(),
      name: "read-only",
      what: `the database is read-only for ${READ_ONLY.short} or ${READ_ONLY.long} s in the middle of a mailing: nothing goes twice`
    },
    Effect.fnUntraced(function* (cluster) {
      yield* underWay(cluster)
      yield* Effect.acquireUseRelease(
        readOnly(cluster, "on"),
        () => secondsOf(cluster, READ_ONLY),
        () => readOnly(cluster, "off")
      )
    })
  ),
  under(
    {
      ...large(),
      name: "locked-batches",
      what: `somebody holds a lock on the batches for ${LOCKED.short} or ${LOCKED.long} s: nothing goes twice`
    },
    locked("batches")
  ),
  under(
    {
      ...large(),
      name: "locked-results",
      what: `somebody holds a lock on the results for ${LOCKED.short} or ${LOCKED.long} s, while batches can be claimed: nothing goes twice`
    },
    locked("deliveries", "packed_deliveries")
  ),
  under(
    {
      ...large(),
      name: "slow-writes",
      what: `every commit of results takes longer than a lease for ${SLOW.short} or ${SLOW.long} s: nothing goes twice`
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.database(commitsTake(0))
      yield* cluster.database(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`
          CREATE CONSTRAINT TRIGGER slowly AFTER INSERT ON packed_deliveries DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION slowly()`
        )
      )
      yield* underWay(cluster)
      yield* cluster.database(commitsTake(4))
      yield* secondsOf(cluster, SLOW)
      yield* cluster.database(commitsTake(0))
    })
  ),
  under(
    {
      ...large({}, 30_000),
      name: "killed-together",
      what: "PostgreSQL is killed, all nodes 4 s later, and all are started: what was in flight then, and a second's sends, may go twice"
    },
    Effect.fnUntraced(function* (cluster) {
      yield* underWay(cluster)
      const before = yield* cluster.received
      yield* Effect.sleep("1 second")
      const second = (yield* cluster.received) - before
      cluster.mayRepeat((yield* cluster.inFlight) + second)
      yield* cluster.postgres.kill
      yield* Effect.sleep("4 seconds")
      yield* Effect.forEach(cluster.engines, ({ kill }) => kill, { concurrency: "unbounded", discard: true })
      yield* cluster.postgres.start
      for (const { launch } of cluster.engines) yield* launch
      for (const { ready } of cluster.engines) yield* ready
    })
  ),
  under(
    {
      ...large({ LEASE_SECONDS: "60" }),
      name: "takeover",
      what: "a node is killed whose leases last a minute: the other has its work within seconds"
    },
    Effect.fnUntraced(function* (cluster) {
      yield* underWay(cluster)
      yield* cluster.crash(cluster.engines[0]!)
      const dead = yield* until("the dead node is missed", cluster.database(heldByDead), ({ length }) => length > 0, 5)
      // Another process has some of it, and the rest waits for nobody who is dead.
      yield* until(
        "the dead node's work goes on",
        cluster.database(takenOver(dead)),
        ({ taken, waiting }) => taken > 0 && waiting === 0,
        TAKEOVER_SECONDS
      )
    })
  )
]
