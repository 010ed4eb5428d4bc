import type { Job } from "../../domain/operations/Job.ts"
import type { WebhookId } from "../../domain/Ids.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import type { Moves, Written } from "../../ports/workflows/ExecutionStore.ts"

type WakeUp = (job: Job) => void

/** Counts what was committed. Each run that has entered comes to its first step, once. */
const count = (metrics: Registry, { counts, moved, steps }: Moves): void => {
  const entered = counts.reduce((sum, one) => sum + (one.stepOrder === 1 ? one.entered : 0), 0)
  if (entered > 0) metrics.add("heliograph_workflow_runs_entered_total", {}, entered)
  const ended = new Map<string, number>()
  for (const { settled } of moved) {
    if (settled.dueAt === null) ended.set(settled.status, (ended.get(settled.status) ?? 0) + 1)
  }
  for (const [outcome, runs] of ended) metrics.add("heliograph_workflow_runs_ended_total", { outcome }, runs)
  for (const { count, outcome, type } of steps) metrics.add("heliograph_workflow_steps_total", { type, outcome }, count)
}

/** Tells those who plan messages, and those who post events, of what was written. Whom nobody told, the sweeper finds. */
export const tell = (
  wakeUp: WakeUp,
  metrics: Registry,
  { moves, webhooks }: Pick<Written, "moves" | "webhooks">
): void => {
  count(metrics, moves)
  for (const { id, priority } of moves.messages) wakeUp({ type: "PlanV1", id, priority })
  for (const id of webhooks) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
}

/** The same of runs that somebody has cancelled. */
export const tellCancelled = (
  wakeUp: WakeUp,
  metrics: Registry,
  { cancelled, webhooks }: { readonly cancelled: ReadonlyArray<unknown>; readonly webhooks: ReadonlyArray<WebhookId> }
): void => {
  if (cancelled.length > 0) {
    metrics.add("heliograph_workflow_runs_ended_total", { outcome: "cancelled" }, cancelled.length)
  }
  for (const id of webhooks) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
}
