import { Context } from "effect"
import type { Effect } from "effect"
import type { Job } from "../../domain/operations/Job.ts"
import type { JobQueue } from "./JobQueue.ts"

/**
 * The jobs of one node alone, beside a queue that spreads jobs over many: it is there for as long as the node is, and
 * reaches all of the node's processes.
 */
export class NodeQueue extends Context.Service<
  NodeQueue,
  {
    /** Jobs that nobody on this node takes may be forgotten. */
    readonly publish: (jobs: ReadonlyArray<Job>) => Effect.Effect<void>
    readonly subscribe: JobQueue["Service"]["subscribe"]
  }
>()("heliograph/ports/NodeQueue") {}
