import type { Job } from "../../domain/operations/Job.ts"
import type { Written } from "../../ports/workflows/ExecutionStore.ts"

/** Tells those who plan messages, and those who post events, of what was written. Whom nobody told, the sweeper finds. */
export const tell = (wakeUp: (job: Job) => void, { moves, webhooks }: Pick<Written, "moves" | "webhooks">): void => {
  for (const { id, priority } of moves.messages) wakeUp({ type: "PlanV1", id, priority })
  for (const id of webhooks) wakeUp({ type: "WebhookV1", id, priority: "bulk" })
}
