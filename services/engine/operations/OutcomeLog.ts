import { Effect } from "effect"
import type { ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { WebhookResults } from "../../ports/webhooks/WebhookStore.ts"

/*
 * What the log tells of failures: a line for each write of results that holds any, with how many and why, and never a
 * line for each recipient. Attempts that will be repeated are for LOG_LEVEL=debug; what became a dead letter is a warning.
 */

/** Reasons that a line names, the commonest first, and characters of each. */
const MOST_REASONS = 5
const MOST_TEXT = 200

/** What providers and receivers say may name a person's address, which the log is not for. */
export const withoutAddresses = (reason: string): string =>
  reason.replace(/(?<![^\s<>"',;:])[^\s<>"',;:]+@[^\s<>"',;]+/g, "…@…")

const shown = (reason: string): string => withoutAddresses(reason).slice(0, MOST_TEXT)

/** How often each reason was given. */
export const reasonsOf = (reasons: Iterable<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sums = new Map<string, number>()
  for (const [reason, count] of counts) sums.set(shown(reason), (sums.get(shown(reason)) ?? 0) + count)
  return Object.fromEntries([...sums].sort((a, b) => b[1] - a[1]).slice(0, MOST_REASONS))
}

/** Of what was written for a batch. */
export const tellOfSends = (chunk: ResultChunk): Effect.Effect<void> => {
  const failed: Array<string> = []
  chunk.final.statuses.forEach((status, i) => {
    if (status === "failed") failed.push(chunk.final.errors[i] ?? "no reason known")
  })
  if (failed.length === 0 && chunk.retries.length === 0) return Effect.void
  const about = {
    app_id: chunk.appId,
    notification_id: chunk.notificationId,
    batch_id: chunk.batchId,
    provider: chunk.provider,
    attempt: chunk.attempts
  }
  const repeated =
    chunk.retries.length === 0
      ? Effect.void
      : Effect.logDebug("Recipients will be tried again").pipe(
          Effect.annotateLogs({
            recipients: chunk.retries.reduce((sum, { recipients }) => sum + recipients.length, 0),
            suspended: chunk.retries.some(({ suspended }) => suspended),
            delay_ms: Math.min(...chunk.retries.map(({ delayMs }) => delayMs)),
            reasons: reasonsOf(chunk.retries.flatMap(({ reason }) => reason ?? []))
          })
        )
  const lost =
    failed.length === 0
      ? Effect.void
      : Effect.logWarning("Recipients failed for good; each has a dead letter").pipe(
          Effect.annotateLogs({ recipients: failed.length, reasons: reasonsOf(failed) })
        )
  return Effect.andThen(repeated, lost).pipe(Effect.annotateLogs(about))
}

/** Of what is about to be written for a webhook's deliveries. `attempt` counts from 1. */
export const tellOfPosts = (
  attempt: number,
  { exhausted, webhookId, retry, tried }: WebhookResults
): Effect.Effect<void> => {
  if (retry === null && exhausted.length === 0) return Effect.void
  const failures = tried.flatMap(({ outcome }) =>
    typeof outcome === "string" ? [outcome] : outcome >= 200 && outcome < 300 ? [] : [`answered ${outcome}`]
  )
  const posts =
    failures.length === 0
      ? Effect.void
      : Effect.logDebug("Webhook posts failed").pipe(
          Effect.annotateLogs({
            posts: failures.length,
            reasons: reasonsOf(failures),
            ...(retry === null ? {} : { again: retry.positions.length, delay_ms: retry.delayMs })
          })
        )
  const lost =
    exhausted.length === 0
      ? Effect.void
      : Effect.logWarning("Webhook deliveries have used up their attempts; each has a dead letter").pipe(
          Effect.annotateLogs({
            deliveries: exhausted.length,
            reasons: reasonsOf(exhausted.map(({ error }) => error))
          })
        )
  return Effect.andThen(posts, lost).pipe(Effect.annotateLogs({ webhook_id: webhookId, attempt }))
}
