import { Effect } from "effect"
import type { Job } from "../../domain/operations/Job.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { HolderStore } from "../../ports/operations/HolderStore.ts"
import { WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { webhookLeaseMs } from "../sending/Leases.ts"
import { laneId } from "../sending/Lane.ts"

/** How often it is looked for processes that have died. */
const HOLDERS_MS = 1_000
/** Webhooks that are woken in one sweep, at most; the others are due in the next one still. */
const WEBHOOKS = 1000

/** The work that the node does. It looks for no other: who finds a forgotten plan notes that its workers were told. */
export interface Duties {
  readonly dispatch: boolean
  readonly webhooks: boolean
}

/**
 * Finds what nobody was told of: work whose job was lost, whose worker died (its session or its lease is over), or that has become due.
 * It tells this node's workers first, so that no work depends on the queue, and then those of all nodes, by the queue,
 * so that many hands share what is much. Taking it is the workers' business; who comes second finds nothing. Every node
 * sweeps, which costs a few small queries and keeps no node special.
 */
export const sweep = Effect.fnUntraced(function* ({ dispatch, webhooks }: Duties) {
  const batches = yield* BatchStore
  const endpoints = yield* WebhookStore
  const queue = yield* JobQueue
  const settings = yield* EngineSettings
  const { plans, lanes } = dispatch ? yield* batches.forgotten(settings.forgottenMs) : { plans: [], lanes: [] }
  const due = webhooks ? yield* endpoints.due(WEBHOOKS, webhookLeaseMs(settings)) : []
  const jobs: ReadonlyArray<Job> = [
    ...plans.map(({ id, priority }) => ({ type: "PlanV1" as const, id, priority })),
    ...lanes.map((lane) => ({ type: "SendV1" as const, id: laneId(lane), priority: lane.priority })),
    ...due.map((id) => ({ type: "WebhookV1" as const, id, priority: "bulk" as const }))
  ]
  yield* queue.wake(jobs)
  if (dispatch) yield* batches.completeForgotten
  // Last, because a queue that hangs takes long to fail.
  yield* queue
    .publish(jobs)
    .pipe(
      Effect.catch((error) =>
        Effect.logWarning("The queue does not take what the sweep found; this node does it alone", error)
      )
    )
  return jobs.length
})

/** Sweeps for as long as the scope is open, and at once when a process has died that held work. */
export const run = Effect.fnUntraced(function* (duties: Duties) {
  const { sweepMs } = yield* EngineSettings
  const holders = yield* HolderStore
  const lookMs = Math.min(sweepMs, HOLDERS_MS)
  const release = holders.release.pipe(
    Effect.tap((freed) =>
      freed === 0
        ? Effect.void
        : Effect.logWarning("What processes that have ended had in hand is taken over", { work_items: freed })
    ),
    Effect.catch((error) => Effect.as(Effect.logDebug("Nobody could look who has died", error), 0))
  )
  let waitedMs = 0
  while (true) {
    yield* Effect.sleep(lookMs)
    waitedMs += lookMs
    if ((yield* release) === 0 && waitedMs < sweepMs) continue
    waitedMs = 0
    yield* sweep(duties).pipe(
      Effect.catch((error) => Effect.logWarning("The sweep failed; the next one comes soon", error)),
      // What others lose is found here: nothing may end it.
      Effect.catchDefect((defect) => Effect.logError("The sweep broke; the next one comes soon", defect))
    )
  }
})
