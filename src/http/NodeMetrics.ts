import { Duration, Effect, Layer, Option } from "effect"
import type { Labels, MetricName, Sample } from "../../services/domain/Metrics.ts"
import { BacklogStore } from "../../services/ports/BacklogStore.ts"
import { JobQueue } from "../../services/ports/JobQueue.ts"
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
const BACKLOG_PATIENCE = "3 seconds"

/** What `/metrics` shows beside what this process has counted: its workers, its database, its queue. */
export const nodeMetrics = (node: NodeState): Layer.Layer<never, never, BacklogStore | JobQueue> =>
  Layer.effect(
    NodeMetrics,
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const backlog = yield* Effect.cachedWithTTL(
        Effect.flatMap(BacklogStore, (store) => store.read).pipe(
          Effect.timeout(BACKLOG_PATIENCE),
          Effect.provideService(BacklogStore, yield* BacklogStore),
          Effect.option
        ),
        BACKLOG_TTL
      )
      const ping = Effect.option(Effect.timed(Effect.timeout(queue.ping, BACKLOG_PATIENCE)))
      return Effect.map(
        Effect.all([backlog, ping], { concurrency: "unbounded" }),
        ([backlog, ping]): ReadonlyArray<Sample> => {
          const gauge = (name: MetricName, value: number, labels: Labels = {}): Sample => ({ name, labels, value })
          const workers = node.workersReady()
          return [
            ...node.numbers(),
            gauge("heliograph_draining", node.isDraining() ? 1 : 0),
            gauge("heliograph_database_connections_max", node.databaseConnections),
            gauge("heliograph_database_up", Option.isSome(backlog) ? 1 : 0),
            gauge("heliograph_queue_up", Option.isSome(ping) ? 1 : 0),
            ...(workers === null ? [] : [gauge("heliograph_workers_ready", workers)]),
            ...(Option.isSome(ping)
              ? [gauge("heliograph_queue_ping_seconds", Duration.toMillis(ping.value[0]) / 1000)]
              : []),
            ...(Option.isSome(backlog)
              ? [
                  ...backlog.value.waiting.flatMap(({ count, kind, oldestMs }) => [
                    gauge("heliograph_waiting", count, { kind }),
                    gauge("heliograph_oldest_due_seconds", oldestMs / 1000, { kind })
                  ]),
                  ...backlog.value.held.map(({ count, provider }) =>
                    gauge("heliograph_held_batches", count, { provider })
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
