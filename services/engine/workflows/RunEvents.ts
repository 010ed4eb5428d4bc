import { uuidv7 } from "../../ports/NewId.ts"
import type { EventChunkId, ExecutionId, WorkflowId } from "../../domain/Ids.ts"
import type { EventChunk, EventName } from "../../domain/webhooks/Event.ts"
import type { CancelReason } from "../../domain/workflows/Execution.ts"
import type { MovedRun } from "../../ports/workflows/ExecutionStore.ts"

/** Events of one chunk, at most: their ids count in 16 bits. */
const MOST = 10_000

/** The events (spec 6) of runs that have ended at a moment (epoch ms): a chunk for each kind. */
export const runEvents = (moved: ReadonlyArray<MovedRun>, at: number): ReadonlyArray<EventChunk> => {
  const ended = moved.filter(({ settled }) => settled.dueAt === null)
  const of = (status: string) => ended.filter(({ settled }) => settled.status === status)
  return [
    ...chunksOf("WORKFLOW_COMPLETED", of("completed"), at, { status: () => "completed" }),
    ...chunksOf("WORKFLOW_FILTERED", of("filtered"), at, {
      status: () => "filtered",
      stepOrder: ({ settled }) => settled.endedAt
    }),
    ...chunksOf("WORKFLOW_FAILED", of("failed"), at, { error: ({ settled }) => settled.error }),
    ...chunksOf("WORKFLOW_CANCELLED", of("cancelled"), at, { reason: ({ settled }) => settled.reason })
  ]
}

type Column = (one: MovedRun) => string | number | null

const chunksOf = (
  event: EventName,
  runs: ReadonlyArray<MovedRun>,
  at: number,
  columns: Readonly<Record<string, Column>>
): ReadonlyArray<EventChunk> => {
  const chunks: Array<EventChunk> = []
  for (let from = 0; from < runs.length; from += MOST) {
    const some = runs.slice(from, from + MOST)
    const values: Record<string, ReadonlyArray<string | number | null>> = {
      executionId: some.map(({ run }) => run.id),
      workflowId: some.map(({ run }) => run.workflowId)
    }
    for (const [name, column] of Object.entries(columns)) values[name] = some.map(column)
    chunks.push({
      id: uuidv7() as EventChunkId,
      appId: some[0]!.run.appId,
      event,
      at,
      size: some.length,
      common: {},
      columns: values
    })
  }
  return chunks
}

/** The events of runs that were cancelled by somebody. */
export const cancelEvents = (
  appId: EventChunk["appId"],
  runs: ReadonlyArray<{ readonly id: ExecutionId; readonly workflowId: WorkflowId }>,
  reason: CancelReason,
  at: number
): ReadonlyArray<EventChunk> => {
  const chunks: Array<EventChunk> = []
  for (let from = 0; from < runs.length; from += MOST) {
    const some = runs.slice(from, from + MOST)
    chunks.push({
      id: uuidv7() as EventChunkId,
      appId,
      event: "WORKFLOW_CANCELLED",
      at,
      size: some.length,
      common: { reason },
      columns: { executionId: some.map(({ id }) => id), workflowId: some.map(({ workflowId }) => workflowId) }
    })
  }
  return chunks
}
