import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import type { Sample } from "../../services/domain/operations/Metrics.ts"
import { lasting, merge } from "../../services/domain/operations/Metrics.ts"
import { Metrics } from "../../services/ports/operations/Metrics.ts"

/*
 * The numbers of a node of several processes. Each worker tells the main process what it has counted, all of it, once a
 * second over the channel of the fork; the main process adds them to its own. What a worker had counted stays when it
 * ends, except for at most its last second.
 *
 *   worker → main   { metrics: [sample, …] }
 */

const REPORT_MS = 1_000
/** How often the event loop's lag is taken. Each time wakes the process, and twenty a second are enough for a percentile. */
const LAG_EVERY_MS = 50
/** How far back the percentile of the event loop's lag looks. */
const LAG_MS = 10_000

/** The far end of a fork's channel: layers/local/ProcessChannel.ts. */
export interface Channel {
  readonly send: (message: unknown) => void
  readonly onMessage: (listener: (message: unknown) => void) => () => void
}

const samplesIn = (message: unknown): ReadonlyArray<Sample> | null =>
  typeof message === "object" && message !== null && "metrics" in message
    ? (message as { metrics: ReadonlyArray<Sample> }).metrics
    : null

export interface WorkerMetrics {
  /** Listens to a worker until the scope closes. */
  readonly attach: (channel: Channel) => Effect.Effect<void, never, Scope.Scope>
  /** What the workers have counted, added up; what belongs to a process bears its number. */
  readonly read: () => ReadonlyArray<Sample>
}

export const makeWorkerMetrics = (): WorkerMetrics => {
  const latest = new Map<number, ReadonlyArray<Sample>>()
  let ended: ReadonlyArray<Sample> = []
  /** Numbers are used again, so that a worker that dies and comes back a thousand times is still one series. */
  const join = () => {
    let number = 1
    while (latest.has(number)) number++
    latest.set(number, [])
    return number
  }
  return {
    attach: (channel) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const number = join()
            const stop = channel.onMessage((message) => {
              const samples = samplesIn(message)
              if (samples !== null) latest.set(number, samples)
            })
            return { number, stop }
          }),
          ({ number, stop }) =>
            Effect.sync(() => {
              stop()
              ended = merge([...ended, ...lasting(latest.get(number)!)])
              latest.delete(number)
            })
        )
      ),
    read: () =>
      merge([
        ...ended,
        ...[...latest].flatMap(([number, samples]) =>
          samples.map((sample) =>
            sample.labels["process"] === undefined
              ? sample
              : { ...sample, labels: { ...sample.labels, process: `worker-${number}` } }
          )
        )
      ])
  }
}

const processSamples = (lag: ReturnType<typeof monitorEventLoopDelay>): ReadonlyArray<Sample> => {
  const { system, user } = process.cpuUsage()
  const { heapUsed, rss } = process.memoryUsage()
  const labels = { process: "main" }
  return [
    { name: "heliograph_process_cpu_seconds_total", labels, value: (system + user) / 1e6 },
    { name: "heliograph_process_resident_bytes", labels, value: rss },
    { name: "heliograph_process_heap_bytes", labels, value: heapUsed },
    { name: "heliograph_process_heap_limit_bytes", labels, value: getHeapStatistics().heap_size_limit },
    {
      name: "heliograph_event_loop_lag_seconds",
      labels,
      value: Math.max(0, lag.percentile(99) / 1e6 - LAG_EVERY_MS) / 1e3
    }
  ]
}

/** Watches the process itself while the layer lives. */
export const processLayer: Layer.Layer<never> = Layer.effectDiscard(
  Effect.gen(function* () {
    const metrics = yield* Metrics
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const lag = monitorEventLoopDelay({ resolution: LAG_EVERY_MS })
        lag.enable()
        const forget = setInterval(() => lag.reset(), LAG_MS).unref()
        const stop = metrics.watch(() => processSamples(lag))
        return () => {
          stop()
          clearInterval(forget)
          lag.disable()
        }
      }),
      (stop) => Effect.sync(stop)
    )
  })
)

/** A worker tells its numbers to the main process while the layer lives, and once more at its end. */
export const reportLayer = (channel: Channel): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const metrics = yield* Metrics
      const tell = () => channel.send({ metrics: metrics.read() })
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(tell, REPORT_MS)),
        (timer) =>
          Effect.sync(() => {
            clearInterval(timer)
            tell()
          })
      )
    })
  )
