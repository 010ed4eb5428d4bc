import type { WebhookId } from "../../domain/Ids.ts"
import type { MovedRun, Moves, WorkflowMessage, Written } from "./ExecutionStore.ts"

/**
 * What others are told of moves that were written: nothing of what the runs carry, but of those that come to a FETCH. Of
 * many workflows that one event leads to, this is all that is kept until the transaction ends.
 */
export interface Told {
  /** How many runs moved. */
  readonly runs: number
  /** How many came to their first step. */
  readonly entered: number
  /** How many ended, by their status. */
  readonly ended: ReadonlyMap<string, number>
  readonly steps: Moves["steps"]
  readonly messages: ReadonlyArray<Pick<WorkflowMessage, "id" | "priority">>
  readonly webhooks: ReadonlyArray<WebhookId>
  readonly fetching: ReadonlyArray<MovedRun>
  /** Whether any of them waits for what becomes of its message. */
  readonly isAwaiting: boolean
}

export const toldOf = ({
  moves: { counts, messages, moved, steps },
  webhooks
}: Pick<Written, "moves" | "webhooks">): Told => {
  const ended = new Map<string, number>()
  for (const { settled } of moved) {
    if (settled.dueAt === null) ended.set(settled.status, (ended.get(settled.status) ?? 0) + 1)
  }
  return {
    runs: moved.length,
    entered: counts.reduce((sum, one) => sum + (one.stepOrder === 1 ? one.entered : 0), 0),
    ended,
    steps,
    messages: messages.map(({ id, priority }) => ({ id, priority })),
    webhooks,
    fetching: moved.filter(({ fetchUntil }) => fetchUntil !== null),
    isAwaiting: moved.some(({ settled: { wakes } }) => wakes !== null && "send" in wakes)
  }
}
