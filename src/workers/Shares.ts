import type { EngineSettings } from "../../services/ports/EngineSettings.ts"

export interface Node {
  readonly engine: Pick<EngineSettings["Service"], "dispatchConcurrency" | "webhookConcurrency">
  /** The main process among them. */
  readonly processes: number
  readonly roles: ReadonlySet<string>
}

export interface Shares {
  readonly workers: number
  /** Posts at once of the main process: none where the node has too few of them. */
  readonly mainPosts: number
  /** Of each worker. */
  readonly dispatchConcurrency: number
  readonly webhookConcurrency: number
}

/** What is meant for a node is shared among its processes. */
export const sharesOf = ({ engine, processes, roles }: Node): Shares => {
  const workers = processes - 1
  /**
   * The main process posts webhooks as well with one worker: half of the node would stand still when a mailing is out
   * and its webhooks follow. So it does without the API: there are no answers that it could delay.
   */
  const isMainFree = roles.has("webhooks") && (workers === 1 || !roles.has("api"))
  const mainPosts = isMainFree ? Math.floor(engine.webhookConcurrency / processes) : 0
  return {
    workers,
    mainPosts,
    dispatchConcurrency: Math.max(2, Math.ceil(engine.dispatchConcurrency / workers)),
    webhookConcurrency: Math.ceil((engine.webhookConcurrency - mainPosts) / workers)
  }
}
