import { Effect } from "effect"
import type { Cluster } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { untilBack, untilMissed } from "../Engine.ts"

/** What every request is promised. */
const ANSWER_MS = 5_000

/** Every node answers 503 in time, to a key that it does not remember as well, and says that it is alive. */
const allRefused = ({ engines, secretKey }: Cluster) =>
  Effect.forEach(
    engines,
    ({ name, url }) =>
      Effect.forEach(
        ["/healthz", "/api/v1/notifications", "/api/v1/devices/export", "/docs", "/nothing"],
        (path) =>
          Effect.tryPromise(async () => {
            const startedAt = performance.now()
            const headers = { authorization: `ApiKey ${secretKey}` }
            const { status } = await fetch(url + path, { headers, signal: AbortSignal.timeout(4 * ANSWER_MS) })
            const ms = Math.round(performance.now() - startedAt)
            if (status !== (path === "/healthz" ? 200 : 503) || ms > ANSWER_MS)
              throw new Error(`${name} answered ${path} with ${status} after ${ms} ms`)
          }),
        { concurrency: "unbounded", discard: true }
      ),
    { concurrency: "unbounded", discard: true }
  )

/**
 * The database goes away and comes back. What was sent meanwhile is written by who sent it: after its start the server
 * leaves every lease of before to its holder for a while, however long it was away.
 */
export const database: ReadonlyArray<Scenario> = [
  under(
    {
      name: "postgres-kill",
      what: "PostgreSQL is killed with all its processes and started at once, again and again: nothing goes twice"
    },
    Effect.fnUntraced(function* (cluster) {
      for (let i = 0; i < (cluster.base.isLong ? 10 : 2); i++) {
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.postgres.kill
        yield* cluster.postgres.start
        yield* untilBack(cluster.engines)
      }
    })
  ),
  under(
    {
      name: "postgres-away",
      what: "PostgreSQL is killed, and stays away until every node says so, longer than the leases: nothing goes twice"
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices / 2)
      yield* cluster.postgres.kill
      yield* untilMissed(cluster.engines)
      yield* cluster.postgres.start
      yield* untilBack(cluster.engines)
    })
  ),
  under(
    {
      name: "postgres-frozen",
      what: "PostgreSQL answers nothing any more, with its connections open, and then goes on: every request is answered",
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* cluster.untilReceived(cluster.devices / 2)
      const inHand = yield* cluster.inHand
      yield* cluster.postgres.freeze
      cluster.mayRepeat(inHand)
      yield* untilMissed(cluster.engines)
      yield* allRefused(cluster)
      yield* cluster.postgres.thaw
      yield* untilBack(cluster.engines)
    })
  )
]
