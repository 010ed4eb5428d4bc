import { Duration, Effect, Layer, Option } from "effect"
import type { Labels, MetricName, Sample } from "../../../services/domain/operations/Metrics.ts"
import { BacklogStore } from "../../../services/ports/operations/BacklogStore.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { NodeMetrics } from "./Metrics.ts"

/** What a node knows of itself. */
export interface NodeState {
  /** Worker processes that are ready; null where the work is done in the node's own. */
  readonly workersReady: () => number | null
  readonly isDraining: () => boolean
  /** What its worker processes have counted. */
  readonly numbers: () => ReadonlyArray<Sample>
  readonly databaseConnections: number
}

/** Counting what waits reads the database: scrapers that come more often get the same answer again. */
const BACKLOG_TTL = "5 seconds"
/** Comparing totals reads results. */
const TOTALS_TTL = "1 minute"
const BACKLOG_TIMEOUT = "3 seconds"

/** Counters of what is rare: a series that begins with its first event hides that one from `increase`. */
const RARE: ReadonlyArray<Sample> = [
  { name: "heliograph_dead_letters_total", labels: { kind: "notification" }, value: 0 },
  { name: "heliograph_dead_letters_total", labels: { kind: "webhook" }, value: 0 },
  { name: "heliograph_rate_limiter_unavailable_total", labels: {}, value: 0 }
]

/** What `/metrics` shows beside what this process has counted: its workers, its database, its queue. */
export const nodeMetrics = (node: NodeState): Layer.Layer<never, never, BacklogStore | JobQueue> =>
  Layer.effect(
    NodeMetrics,
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const backlog = yield* Effect.cachedWithTTL(
        Effect.flatMap(BacklogStore, (store) => store.read).pipe(
          Effect.timeout(BACKLOG_TIMEOUT),
          Effect.provideService(BacklogStore, yield* BacklogStore),
          Effect.option
        ),
        BACKLOG_TTL
      )
      const unreconciled = yield* Effect.cachedWithTTL(
        Effect.flatMap(BacklogStore, (store) => store.unreconciled).pipe(
          Effect.timeout(BACKLOG_TIMEOUT),
          Effect.provideService(BacklogStore, yield* BacklogStore),
          Effect.option
        ),
        TOTALS_TTL
      )
      const ping = Effect.option(Effect.timed(Effect.timeout(queue.ping, BACKLOG_TIMEOUT)))
      return Effect.map(
        Effect.all([backlog, ping, unreconciled], { concurrency: "unbounded" }),
        ([backlog, ping, unreconciled]): ReadonlyArray<Sample> => {
          const gauge = (name: MetricName, value: number, labels: Labels = {}): Sample => ({ name, labels, value })
          const workers = node.workersReady()
          return [
            ...RARE,
            ...node.numbers(),
            gauge("heliograph_draining", node.isDraining() ? 1 : 0),
            gauge("heliograph_database_connections_max", node.databaseConnections),
            gauge("heliograph_database_up", Option.isSome(backlog) ? 1 : 0),
            gauge("heliograph_queue_up", Option.isSome(ping) ? 1 : 0),
            ...(workers === null ? [] : [gauge("heliograph_workers_ready", workers)]),
            ...(Option.isSome(ping)
              ? [gauge("heliograph_queue_ping_seconds", Duration.toMillis(ping.value[0]) / 1000)]
              : []),
            ...(Option.isSome(unreconciled)
              ? [gauge("heliograph_unreconciled_notifications", unreconciled.value.length)]
              : []),
            ...(Option.isSome(backlog)
              ? [
                  gauge("heliograph_disabled_webhooks", backlog.value.disabledWebhooks),
                  gauge("heliograph_database_bytes", backlog.value.bytes),
                  ...backlog.value.suspended.map(({ count, provider }) =>
                    gauge("heliograph_suspended_credentials", count, { provider })
                  ),
                  ...backlog.value.waiting.flatMap(({ count, kind, oldestMs }) => [
                    gauge("heliograph_waiting", count, { kind }),
                    gauge("heliograph_oldest_due_seconds", oldestMs / 1000, { kind })
                  ]),
                  ...backlog.value.suspendedBatches.map(({ count, provider }) =>
                    gauge("heliograph_suspended_batches", count, { provider })
                  ),
                  ...backlog.value.connections.map(({ count, state }) =>
                    gauge("heliograph_database_connections", count, { state })
                  )
                ]
              : [])
          ]
        }
      )
    })
  )
