import { Effect } from "effect"
import type { Job } from "../../domain/operations/Job.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { HolderStore } from "../../ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../ports/operations/LeaseHolder.ts"
import { WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { webhookLeaseMs } from "../sending/Leases.ts"
import { laneId } from "../sending/Lane.ts"
import { make as makeSignal } from "./Signal.ts"

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
 * so that many hands share what is much. Taking it is the workers' business; who comes second finds nothing.
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

/** Nodes with the same duties find the same, so one of them sweeps. */
const choreOf = ({ dispatch, webhooks }: Duties) =>
  dispatch && webhooks ? "sweep" : dispatch ? "sweep_dispatch" : "sweep_webhooks"

/**
 * Sweeps for as long as the scope is open, by turns with all other nodes: none is special, and what it costs does not grow
 * with their number. A node whose queue reaches no others sweeps for itself. Who finds that a process has died that held
 * work sweeps at once.
 */
export const run = Effect.fnUntraced(function* (duties: Duties) {
  const { sweepMs } = yield* EngineSettings
  const holders = yield* HolderStore
  const { turn } = yield* LeaseHolder
  const queue = yield* JobQueue
  const freed = makeSignal()
  const lookMs = Math.min(sweepMs, HOLDERS_MS)
  const release = holders.release.pipe(
    Effect.tap((count) =>
      count === 0
        ? Effect.void
        : Effect.andThen(
            Effect.annotateLogs(Effect.logWarning("What processes that have ended had in hand is taken over"), {
              work_items: count
            }),
            Effect.sync(freed.signal)
          )
    ),
    Effect.catch((error) => Effect.logDebug("Nobody could look who has died", error)),
    Effect.catchDefect((defect) => Effect.logError("The look who has died broke; the next one comes soon", defect))
  )
  const looking = Effect.forever(Effect.andThen(turn("release", lookMs), release))
  const due = Effect.suspend(() => (queue.reachesOthers() ? turn(choreOf(duties), sweepMs) : Effect.sleep(sweepMs)))
  const sweeping = Effect.raceFirst(due, freed.wait).pipe(
    Effect.andThen(sweep(duties)),
    Effect.catch((error) => Effect.logWarning("The sweep failed; the next one comes soon", error)),
    // What others lose is found here: nothing may end it.
    Effect.catchDefect((defect) => Effect.logError("The sweep broke; the next one comes soon", defect)),
    Effect.forever
  )
  return yield* Effect.raceFirst(looking, sweeping)
})
