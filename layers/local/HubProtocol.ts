import type { Job } from "../../services/domain/operations/Job.ts"
import type { Subscription } from "../../services/ports/operations/JobQueue.ts"

/*
 * What the hub and its workers say to each other. Other parties talk over the same channel: everything here bears the
 * mark `jobs`, and what does not is nobody's business here. Numbers name things within one channel.
 */

/** From a worker. */
export type Request =
  | { readonly jobs: "publish"; readonly list: ReadonlyArray<Job> }
  | { readonly jobs: "join"; readonly member: number; readonly subscription: Subscription }
  | { readonly jobs: "leave"; readonly member: number }
  /** A job ended. */
  | { readonly jobs: "end"; readonly run: number; readonly isDone: boolean }
  | { readonly jobs: "ping"; readonly call: number }

/** From the hub. */
export type Order =
  | { readonly jobs: "start"; readonly member: number; readonly run: number; readonly job: Job }
  | { readonly jobs: "pong"; readonly call: number }

export const isOurs = (message: unknown): message is Request | Order =>
  typeof message === "object" && message !== null && "jobs" in message
