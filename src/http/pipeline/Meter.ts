import type { Sample } from "../../../services/domain/operations/Metrics.ts"
import { bucketOf, emptyBuckets } from "../../../services/domain/operations/Metrics.ts"
import type { Registry } from "../../../services/ports/operations/Metrics.ts"

/** Counts the answers of one route: plain numbers on the way of a request, samples when somebody reads them. */
export interface Meter {
  /** `startedAt`: of `performance.now()`, when the request came. */
  readonly note: (status: number, startedAt: number) => void
}

/** For as long as the process lives, as the routes do. */
export const makeMeter = (metrics: Registry, method: string, route: string): Meter => {
  const byStatus = new Map<number, number>()
  const buckets = emptyBuckets()
  let seconds = 0
  metrics.watch((): ReadonlyArray<Sample> => {
    if (byStatus.size === 0) return []
    return [
      ...[...byStatus].map(([status, value]): Sample => ({
        name: "heliograph_http_requests_total",
        labels: { method, route, status: String(status) },
        value
      })),
      { name: "heliograph_http_request_seconds", labels: { method, route }, value: seconds, buckets: [...buckets] }
    ]
  })
  return {
    note: (status, startedAt) => {
      const took = (performance.now() - startedAt) / 1000
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      seconds += took
      buckets[bucketOf(took)]!++
    }
  }
}
