import { Effect, Schedule } from "effect"
import type { WebhookResults, WebhookStore } from "../../ports/webhooks/WebhookStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { UNWRITABLE } from "../sending/Saving.ts"
import type { WriteGate } from "../operations/WriteGate.ts"

/*
 * Writes what came of posts, whatever the database says. One that is away is asked again until it is back: what was
 * posted must not be posted again for it. One that refuses the results for what they say would refuse them for ever,
 * and the webhook's actor would never go on: they are written without what others said, which is all that can be at
 * fault.
 */

const untilWritten = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")])

type Finish = WebhookStore["Service"]["finish"]

/** Work items whose results are written at the same time, where each needs a transaction of its own. */
const AT_ONCE = 8

/** Delivered as a whole, or given back untouched: many such work items take one statement. */
const isPlain = ({ delivered, exhausted, releaseAfterMs, remaining, retry, tried }: WebhookResults): boolean =>
  retry === null &&
  exhausted.length === 0 &&
  (delivered.length === 0 ? tried.length === 0 && releaseAfterMs === 0 : remaining.length === 0)

/**
 * Writes the results of some work items of one webhook, each noted at the gate; answers for each of them as
 * `writeWebhookResults` does.
 */
export const writeAllWebhookResults = (
  store: Pick<WebhookStore["Service"], "finish" | "finishPlain">,
  gate: Pick<WriteGate["Service"], "writing">,
  all: ReadonlyArray<WebhookResults>
): Effect.Effect<ReadonlyArray<boolean>> =>
  Effect.gen(function* () {
    const plain = all.filter(isPlain)
    const written = new Set<string>()
    if (plain.length > 1) {
      const items = plain.map(({ fence, workId }) => ({ id: workId, fence }))
      const some = gate.writing("webhookWork", items, (attempt) =>
        untilSaid(Effect.suspend(() => attempt(store.finishPlain(plain))))
      )
      // What is refused is looked at one by one, like what needs a closer look.
      for (const id of yield* Effect.catch(some, () => Effect.succeed([]))) written.add(id)
    }
    return yield* Effect.forEach(
      all,
      (results) =>
        written.has(results.workId)
          ? Effect.succeed(true)
          : gate.writing("webhookWork", [{ id: results.workId, fence: results.fence }], (attempt) =>
              writeWebhookResults((part) => attempt(store.finish(part)), results)
            ),
      { concurrency: AT_ONCE }
    )
  })

/**
 * False when the lease of the work was lost; or when nothing at all can be written, so that it becomes another's when
 * its lease is over.
 */
export const writeWebhookResults = (finish: Finish, results: WebhookResults): Effect.Effect<boolean> =>
  Effect.catch(write(finish, results), (refusal) =>
    write(finish, bare(results)).pipe(
      Effect.tap((isOurs) =>
        isOurs
          ? Effect.logError("Webhook results were refused by the database, and are written without their log", refusal)
          : Effect.void
      ),
      Effect.catch((error) =>
        Effect.as(Effect.logError("The database refuses all webhook results of a work item; it is left", error), false)
      ),
      Effect.annotateLogs({ webhook_id: results.webhookId, work_item_id: results.workId })
    )
  )

/** Fails only when it is refused. */
const write = (finish: Finish, results: WebhookResults): Effect.Effect<boolean, StoreError> =>
  untilSaid(finish(results))

const untilSaid = <A>(writing: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
  Effect.retry(writing, { schedule: untilWritten, while: ({ refused }) => refused !== true })

/** What became of each delivery, and nothing of what receivers and connections said. */
const bare = (results: WebhookResults): WebhookResults => ({
  ...results,
  tried: [],
  exhausted: results.exhausted.map(({ position }) => ({ position, error: UNWRITABLE })),
  streak: { ...results.streak, reason: results.streak.reason === null ? null : UNWRITABLE }
})
