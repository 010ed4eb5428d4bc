/**
 * The numbers of a running service: a small registry that counts by name and labels, plain values that processes can
 * send each other, and the text that Prometheus reads. Whoever counts does so for a batch, a chunk or a write, never for
 * a recipient.
 */

/** Everything that is measured. Durations are seconds. docs/operators.md says what each means for an operator. */
export const CATALOGUE = {
  heliograph_recipients_total: ["counter", "Results written for recipients, by provider and outcome."],
  heliograph_batch_seconds: ["histogram", "From the claim of a batch to its last result, by provider and outcome."],
  heliograph_lanes: ["gauge", "Lanes at work, by provider and state: open, slow, held."],
  heliograph_lane_batches: ["gauge", "Batches under way, by provider."],
  heliograph_webhook_posts_total: ["counter", "Webhook attempts, by outcome."],
  heliograph_webhook_post_seconds: ["histogram", "Webhook attempts, from the connection to the answer, by outcome."],
  heliograph_hook_actors: ["gauge", "Hooks whose events are delivered here now."],
  heliograph_http_requests_total: ["counter", "Requests answered, by method, route and status."],
  heliograph_http_request_seconds: ["histogram", "From a request's headers to its answer, by method and route."],
  heliograph_push_connections: ["gauge", "Connections to push providers."],
  heliograph_inbox_streams: ["gauge", "Live readers of inboxes on this node."],
  heliograph_rate_limited_total: ["counter", "Requests refused because a budget was used up, by class."],
  heliograph_rate_limiter_unavailable_total: ["counter", "Requests refused because the limiter's store was away."],
  heliograph_rate_limiter_statements_total: ["counter", "Statements by which the limiter took permits."],
  heliograph_rate_limiter_claims_total: ["counter", "Budgets that those statements asked for."],
  heliograph_waiting: ["gauge", "Pieces of work that are due and that nobody has, by kind."],
  heliograph_oldest_due_seconds: ["gauge", "How long the oldest of them has been due, by kind."],
  heliograph_held_batches: ["gauge", "Batches that wait for a renewed credential, by provider."],
  heliograph_database_up: ["gauge", "Whether the database answers."],
  heliograph_database_connections: ["gauge", "Connections of all nodes to the database, by state."],
  heliograph_database_connections_max: ["gauge", "Connections that each process of this node may open."],
  heliograph_queue_up: ["gauge", "Whether the job queue answers."],
  heliograph_queue_ping_seconds: ["gauge", "How long the job queue took to answer."],
  heliograph_workers_ready: ["gauge", "Worker processes of this node that are ready."],
  heliograph_draining: ["gauge", "Whether the node is stopping."],
  heliograph_process_cpu_seconds_total: ["counter", "Processor time, by process."],
  heliograph_process_resident_bytes: ["gauge", "Memory, by process."],
  heliograph_process_heap_bytes: ["gauge", "Used heap of JavaScript, by process."],
  heliograph_event_loop_lag_seconds: ["gauge", "99th percentile of the last seconds, by process."]
} as const satisfies Readonly<Record<string, readonly [kind: "counter" | "gauge" | "histogram", help: string]>>

export type MetricName = keyof typeof CATALOGUE
export type Labels = Readonly<Record<string, string>>

/** Upper bounds of the histograms' buckets; what is above the last one counts in the total alone. */
export const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

export interface Sample {
  readonly name: MetricName
  readonly labels: Labels
  /** The sum of what was observed, where `buckets` are given. */
  readonly value: number
  /** How many observations fell into each bucket (not cumulated); the last one is everything beyond the bounds. */
  readonly buckets?: ReadonlyArray<number>
}

export interface Registry {
  readonly add: (name: MetricName, labels: Labels, by: number) => void
  readonly observe: (name: MetricName, labels: Labels, seconds: number) => void
  /** Many that bear the same name and labels: finding those costs more than counting. */
  readonly observeAll: (name: MetricName, labels: Labels, seconds: ReadonlyArray<number>) => void
  /** Asks for values when they are read. Answers how to stop. */
  readonly watch: (source: () => ReadonlyArray<Sample>) => () => void
  readonly read: () => ReadonlyArray<Sample>
}

const keyOf = (name: string, labels: Labels): string => `${name}{${render(labels)}}`

const escape = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const render = (labels: Labels): string =>
  Object.keys(labels)
    .sort()
    .map((label) => `${label}="${escape(labels[label]!)}"`)
    .join(",")

/** The bucket that an observation falls into. */
export const bucketOf = (seconds: number): number => {
  const at = BOUNDS.findIndex((bound) => seconds <= bound)
  return at < 0 ? BOUNDS.length : at
}

export const emptyBuckets = (): Array<number> => Array.from({ length: BOUNDS.length + 1 }, () => 0)

export const makeRegistry = (): Registry => {
  const counts = new Map<string, { name: MetricName; labels: Labels; value: number; buckets?: Array<number> }>()
  const sources = new Set<() => ReadonlyArray<Sample>>()
  const entry = (name: MetricName, labels: Labels) => {
    const key = keyOf(name, labels)
    let found = counts.get(key)
    if (found === undefined) {
      found = { name, labels, value: 0 }
      counts.set(key, found)
    }
    return found
  }
  const observeAll: Registry["observeAll"] = (name, labels, all) => {
    if (all.length === 0) return
    const histogram = entry(name, labels)
    histogram.buckets ??= emptyBuckets()
    for (const seconds of all) {
      histogram.value += seconds
      histogram.buckets[bucketOf(seconds)]!++
    }
  }
  return {
    add: (name, labels, by) => {
      if (by > 0) entry(name, labels).value += by
    },
    observe: (name, labels, seconds) => observeAll(name, labels, [seconds]),
    observeAll,
    watch: (source) => {
      sources.add(source)
      return () => void sources.delete(source)
    },
    read: () => merge([...counts.values(), ...[...sources].flatMap((source) => source())])
  }
}

/** Adds up what bears the same name and labels. */
export const merge = (samples: ReadonlyArray<Sample>): ReadonlyArray<Sample> => {
  const sums = new Map<string, Sample>()
  for (const sample of samples) {
    const key = keyOf(sample.name, sample.labels)
    const sum = sums.get(key)
    sums.set(key, {
      ...sample,
      value: (sum?.value ?? 0) + sample.value,
      ...(sample.buckets === undefined
        ? {}
        : { buckets: sample.buckets.map((count, i) => count + (sum?.buckets?.[i] ?? 0)) })
    })
  }
  return [...sums.values()]
}

/** Those that only ever grow: what remains true of a process that has ended. */
export const lasting = (samples: ReadonlyArray<Sample>): ReadonlyArray<Sample> =>
  samples.filter(({ labels, name }) => CATALOGUE[name][0] !== "gauge" && labels["process"] === undefined)

/** The text format of Prometheus, version 0.0.4. */
export const toText = (samples: ReadonlyArray<Sample>): string => {
  const lines: Array<string> = []
  for (const [name, [kind, help]] of Object.entries(CATALOGUE)) {
    const own = samples.filter((sample) => sample.name === name)
    if (own.length === 0) continue
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`)
    for (const { buckets, labels, value } of own) {
      const text = render(labels)
      const braced = text === "" ? "" : `{${text}}`
      if (buckets === undefined) {
        lines.push(`${name}${braced} ${value}`)
        continue
      }
      let count = 0
      buckets.forEach((more, i) => {
        count += more
        lines.push(`${name}_bucket{${text === "" ? "" : `${text},`}le="${BOUNDS[i] ?? "+Inf"}"} ${count}`)
      })
      lines.push(`${name}_sum${braced} ${value}`, `${name}_count${braced} ${count}`)
    }
  }
  return `${lines.join("\n")}\n`
}
