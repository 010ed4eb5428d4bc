/** What is measured of a running service, and its values: plain, so that processes can send them to each other. */

/** Everything that is measured. Durations are seconds. docs/operators.md says what each means for an operator. */
export const CATALOGUE = {
  heliograph_recipients_total: ["counter", "Results written for recipients, by provider and outcome."],
  heliograph_batch_seconds: ["histogram", "From the claim of a batch to its last result, by provider and outcome."],
  heliograph_lanes: ["gauge", "Lanes at work, by provider and state: open, slowed, paused."],
  heliograph_lane_batches: ["gauge", "Batches under way, by provider."],
  heliograph_batches_set_aside_total: [
    "counter",
    "Batches that ended the processes that sent them, and are sent no more, by provider."
  ],
  heliograph_gates_closed: ["gauge", "Processes that send nothing because results cannot be written."],
  heliograph_webhook_posts_total: ["counter", "Webhook attempts, by outcome."],
  heliograph_webhook_post_seconds: ["histogram", "Webhook attempts, from the connection to the answer, by outcome."],
  heliograph_webhook_actors: ["gauge", "Webhooks whose events are delivered here now."],
  heliograph_workflow_runs_entered_total: ["counter", "Runs that have entered a workflow."],
  heliograph_workflow_runs_ended_total: [
    "counter",
    "Runs that have ended, by outcome: completed, filtered, failed, cancelled."
  ],
  heliograph_workflow_steps_total: ["counter", "Steps of runs, by type and outcome."],
  heliograph_http_requests_total: ["counter", "Requests answered, by method, route and status."],
  heliograph_http_request_seconds: ["histogram", "From a request's headers to its answer, by method and route."],
  heliograph_push_connections: ["gauge", "Connections to push providers."],
  heliograph_inbox_streams: ["gauge", "Live readers of inboxes on this node."],
  heliograph_rate_limited_total: ["counter", "Requests refused because a budget was used up, by class."],
  heliograph_rate_limiter_unavailable_total: ["counter", "Requests refused because the limiter's store was away."],
  heliograph_rate_limiter_statements_total: ["counter", "Statements by which the limiter took permits."],
  heliograph_rate_limiter_claims_total: ["counter", "Budgets that those statements asked for."],
  heliograph_waiting: ["gauge", "Work items that are due and that nobody has, by kind."],
  heliograph_oldest_due_seconds: ["gauge", "How long the oldest of them has been due, by kind."],
  heliograph_suspended_batches: ["gauge", "Batches that wait for a renewed credential, by provider."],
  heliograph_suspended_credentials: ["gauge", "Credentials that their provider refuses, by provider."],
  heliograph_disabled_webhooks: ["gauge", "Webhooks that the service disabled because their deliveries failed."],
  heliograph_dead_letters_total: ["counter", "Dead letters written, by kind: notification, webhook."],
  heliograph_unreconciled_notifications: ["gauge", "New notifications whose totals do not reconcile."],
  heliograph_database_bytes: ["gauge", "Size of the database on its disk."],
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
  heliograph_process_heap_limit_bytes: ["gauge", "What the heap may grow to, by process."],
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

/** A series by its name and labels, whatever their order. */
export const seriesOf = (name: MetricName, labels: Labels): string =>
  `${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`

/** The bucket that an observation falls into. */
export const bucketOf = (seconds: number): number => {
  const at = BOUNDS.findIndex((bound) => seconds <= bound)
  return at < 0 ? BOUNDS.length : at
}

export const emptyBuckets = (): Array<number> => Array.from({ length: BOUNDS.length + 1 }, () => 0)

/** Adds up what bears the same name and labels. */
export const merge = (samples: ReadonlyArray<Sample>): ReadonlyArray<Sample> => {
  const sums = new Map<string, Sample>()
  for (const sample of samples) {
    const key = seriesOf(sample.name, sample.labels)
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
