import type { Effect, Scope } from "effect"
import { Context, Schema } from "effect"
import type { Job, JobPriority, JobType } from "../../domain/operations/Job.ts"

/** The queue took nothing, or it is not known whether it did. Jobs are pointers to rows: publish them again. */
export class QueueUnavailable extends Schema.TaggedError<QueueUnavailable>()("QueueUnavailable", {
  cause: Schema.Defect(),
  /** It answers, and has no room for jobs. */
  isFull: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/** What whoever asks a node for its state is told of a queue that failed: no address, and no secret. */
export const problemOfQueue = (error: unknown): string =>
  error instanceof QueueUnavailable && error.isFull === true
    ? "has no room, and takes no messages: `doctor` says what it needs"
    : "does not answer"

export interface Subscription {
  readonly type: JobType
  readonly priority: JobPriority
  /** Handlers at work at once, at most. */
  readonly concurrency: number
}

/**
 * Spreads jobs over the nodes: each job reaches one subscriber of its type and priority, at least once, in no order.
 * It carries wake-ups, fast and not kept: it may lose or repeat, and everything it says can be read from the stores.
 */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Returns when the queue has all of them. When it fails, or is interrupted, the subscribers of this node have got
     * them instead: work that the database knows of does not wait for a queue to come back.
     */
    readonly publish: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, QueueUnavailable>
    /**
     * Runs the handler for each job until the scope closes; then takes no more and waits for the handlers at work.
     * A handler that succeeds ends its job; one that fails or dies has it delivered again after a moment.
     * Outages of the queue are waited out.
     */
    readonly subscribe: <E>(
      subscription: Subscription,
      handler: (job: Job) => Effect.Effect<void, E>
    ) => Effect.Effect<void, QueueUnavailable, Scope.Scope>
    /**
     * Gives jobs to the subscribers of this node, past whatever spreads them over the others: for those who may not
     * depend on it. What nobody on this node takes may be forgotten.
     */
    readonly wake: (jobs: ReadonlyArray<Job>) => Effect.Effect<void>
    /**
     * Whether what is published reaches other nodes, as far as is known. Where it does not, each has to look for itself.
     */
    readonly reachesOthers: () => boolean
    /** Succeeds when the queue answers and takes jobs, whether or not this node has any for it. */
    readonly ping: Effect.Effect<void, QueueUnavailable>
  }
>()("heliograph/ports/JobQueue") {}
