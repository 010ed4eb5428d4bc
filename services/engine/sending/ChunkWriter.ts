import { Effect, Option } from "effect"
import type { WebhookId } from "../../domain/Ids.ts"
import type { Registry } from "../../ports/operations/Metrics.ts"
import type { Trace, Tracing } from "../../ports/operations/Tracing.ts"
import type { BatchStore, ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import { tellOfSends } from "../operations/OutcomeLog.ts"
import type { WriteGate } from "../operations/WriteGate.ts"
import { writeResults } from "./Saving.ts"

/** What it takes to write results. */
export interface ChunkWriting {
  readonly store: BatchStore["Service"]
  readonly notifications: NotificationStore["Service"]
  readonly gate: WriteGate["Service"]
  readonly metrics: Registry
  readonly tracing: Tracing
  /** Says that a webhook has events. */
  readonly wakeWebhook: (id: WebhookId) => void
}

/** Writes a chunk of a batch's results, in a span where there is a trace. False when the lease of the batch was lost. */
export const writeChunk = (writing: ChunkWriting, trace: Trace, chunk: ResultChunk) =>
  trace === null
    ? write(writing, chunk)
    : writing.tracing.span(trace, "batch.results", "internal", numbersOf(chunk), () =>
        write(writing, { ...chunk, trace })
      )

const write = Effect.fnUntraced(function* (
  { gate, metrics, notifications, store, wakeWebhook }: ChunkWriting,
  chunk: ResultChunk
) {
  const written = yield* gate.writing("batches", [{ id: chunk.batchId, fence: chunk.fence }], (attempt) =>
    writeResults((part) => attempt(store.finish(part)), chunk)
  )
  if (Option.isNone(written)) return false
  const { chunks, webhooks } = written.value
  for (const each of chunks) {
    count(metrics, each)
    yield* tellOfSends(each)
  }
  for (const id of webhooks) wakeWebhook(id)
  // One that is not completed now is by the sweeper: its results are written.
  if (chunk.remaining.length === 0) yield* Effect.exit(notifications.completeIfDone(chunk.notificationId))
  return true
})

/** Counts batches of one recipient each, who was sent to. */
export const noteWritten = ({ metrics }: Pick<ChunkWriting, "metrics">, sent: ReadonlyArray<ResultChunk>): void => {
  const sums = new Map<ResultChunk["provider"], number>()
  for (const { provider } of sent) sums.set(provider, (sums.get(provider) ?? 0) + 1)
  for (const [provider, by] of sums) metrics.add("heliograph_recipients_total", { provider, outcome: "sent" }, by)
}

/** The results of a chunk that was written. */
const count = (metrics: Registry, { final, provider, retries }: ResultChunk): void => {
  const outcomes: Record<string, number> = { retry: 0 }
  for (const status of final.statuses) outcomes[status] = (outcomes[status] ?? 0) + 1
  for (const { recipients } of retries) outcomes["retry"]! += recipients.length
  for (const [outcome, by] of Object.entries(outcomes)) {
    metrics.add("heliograph_recipients_total", { provider, outcome }, by)
  }
  metrics.add("heliograph_dead_letters_total", { kind: "notification" }, outcomes["failed"] ?? 0)
}

/** What spans tell of results. */
const numbersOf = ({ batchId, final, notificationId, remaining, retries }: ResultChunk) => {
  const numbers = { sent: 0, failed: 0, skipped: 0, cancelled: 0, retried: 0, remaining: remaining.length }
  for (const status of final.statuses) numbers[status]++
  for (const { recipients } of retries) numbers.retried += recipients.length
  return { notification_id: notificationId, batch_id: batchId, ...numbers }
}
