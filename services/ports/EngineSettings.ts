import { Context } from "effect"

/** The settings that the engine's decisions depend on. layers/config reads and checks them; durations are milliseconds. */
export class EngineSettings extends Context.Service<
  EngineSettings,
  {
    /** Recipients in a batch, at most. */
    readonly batchSize: number
    /** Devices read in one keyset page of the planner. */
    readonly planPage: number
    /** Batches that a node works on at once. */
    readonly dispatchConcurrency: number
    /** How long a claimed row belongs to its worker before another may take it. */
    readonly leaseMs: number
    /** How often the sweeper looks for rows that were forgotten, and after how long a row counts as such. */
    readonly sweepMs: number
    readonly forgottenMs: number
    /** Attempts of a send are repeated with jittered exponential delays from this to that. */
    readonly retryBaseMs: number
    readonly retryMaxMs: number
    /** How long a notification without `ttl` is worth delivering. */
    readonly defaultTtlMs: number
    /** The time zone of recipients of whom none is known, for `local_time`. */
    readonly defaultTimezone: string
    /** Webhook attempts after the first: the delay before each (spec 8). Their number is the number of retries. */
    readonly webhookRetryDelaysMs: ReadonlyArray<number>
    /** The deadline of one webhook attempt, everything included (spec 3.2). */
    readonly webhookTimeoutMs: number
    /** POSTs that one webhook has under way at once on one node. */
    readonly webhookConcurrency: number
    /** Failed deliveries in a row that disable a webhook (spec 3.1). */
    readonly webhookDisableAfter: number
  }
>()("heliograph/ports/EngineSettings") {}
