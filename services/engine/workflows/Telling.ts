import type { Job } from "../../domain/operations/Job.ts"
import type { WebhookId } from "../../domain/Ids.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import type { Told } from "../../ports/workflows/Told.ts"

type WakeUp = (job: Job) => void

/** Counts what was committed. Each run that has entered comes to its first step, once. */
const count = (metrics: Registry, { ended, entered, steps }: Told): void => {
  if (entered > 0) metrics.add("heliograph_workflow_runs_entered_total", {}, entered)
  for (const [outcome, runs] of ended) metrics.add("heliograph_workflow_runs_ended_total", { outcome }, runs)
  for (const { count, outcome, type } of steps) metrics.add("heliograph_workflow_steps_total", { type, outcome }, count)
}

/** Tells those who plan messages, and those who post events, of what was written. Whom nobody told, the sweeper finds. */
export const tell = (wakeUp: WakeUp, metrics: Registry, told: Told): void => {
  count(metrics, told)
  for (const { id, priority } of told.messages) wakeUp({ type: "PlanV1", id, priority })
  for (const id of told.webhooks) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
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
