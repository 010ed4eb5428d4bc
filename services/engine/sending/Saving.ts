import { Effect, Option, Schedule } from "effect"
import type { BatchId, WebhookId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import type { BatchStore, ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { eventsOf } from "./Results.ts"

/*
 * Writes the results of a chunk, whatever the database says. One that is away is asked again until it is back: what was
 * sent must not be sent again for it. One that refuses the chunk for what it says would refuse it for ever, and the
 * batch would never end: the chunk is written in halves, down to the recipients whose results cannot be written. Those
 * end with as much of theirs as can be.
 */

/**
 * A database that is away for a moment must not turn what was sent into what is sent again. The pauses are short: when
 * it is back, what was sent has to be written before somebody else takes what looks abandoned.
 */
const untilWritten = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("500 millis")])

/** What a recipient failed for whose result the database refuses. */
export const UNWRITABLE = "unwritable_result"

export interface Written {
  readonly webhooks: ReadonlyArray<WebhookId>
  /** What was written, in the end. */
  readonly chunks: ReadonlyArray<ResultChunk>
}

type Finish = BatchStore["Service"]["finish"]

/** None when the lease of the batch was lost. Fails only where not even a recipient's failure can be written. */
export const writeResults = (finish: Finish, chunk: ResultChunk): Effect.Effect<Option.Option<Written>, StoreError> =>
  write(finish, chunk).pipe(
    Effect.map(Option.map((webhooks): Written => ({ webhooks, chunks: [chunk] }))),
    Effect.catchIf(isRefused, (error) => writeApart(finish, chunk, error))
  )

const isRefused = (error: StoreError): boolean => error.refused === true

const write = (finish: Finish, chunk: ResultChunk) =>
  Effect.retry(finish(chunk), { schedule: untilWritten, while: (error) => !isRefused(error) })

const recipientsOf = ({ final, retries }: ResultChunk): ReadonlyArray<string> => [
  ...final.recipients,
  ...retries.flatMap((retry) => retry.recipients)
]

const writeApart = Effect.fnUntraced(function* (
  finish: Finish,
  chunk: ResultChunk,
  error: StoreError
): Effect.fn.Return<Option.Option<Written>, StoreError> {
  const all = recipientsOf(chunk)
  if (all.length <= 1) return yield* writeLess(finish, chunk, error)
  const half = all.length >> 1
  const [first, second] = [all.slice(0, half), all.slice(half)]
  // What the second half writes is still in hand while the first one is written.
  const before = yield* writeResults(finish, partOf(chunk, first, [...second, ...chunk.remaining]))
  if (Option.isNone(before)) return before
  const after = yield* writeResults(finish, partOf(chunk, second, chunk.remaining))
  return Option.map(after, ({ chunks, webhooks }) => ({
    webhooks: [...new Set([...before.value.webhooks, ...webhooks])],
    chunks: [...before.value.chunks, ...chunks]
  }))
})

/** One recipient, or none, with less and less of what is known. The first try is the very same once more. */
const writeLess = Effect.fnUntraced(function* (finish: Finish, chunk: ResultChunk, error: StoreError) {
  let last = error
  for (const less of [chunk, ...reduced(chunk)]) {
    const written = yield* Effect.result(write(finish, less))
    if (written._tag === "Success") {
      if (less !== chunk) {
        yield* Effect.logError("A result was refused by the database, and is written without what it said", error).pipe(
          Effect.annotateLogs({
            app_id: chunk.appId,
            notification_id: chunk.notificationId,
            batch_id: chunk.batchId,
            recipient_id: recipientsOf(chunk)[0] ?? "",
            status: less.final.statuses[0] ?? ""
          })
        )
      }
      return Option.map(written.success, (webhooks): Written => ({ webhooks, chunks: [less] }))
    }
    last = written.failure
  }
  return yield* last
})

const reduced = (chunk: ResultChunk): ReadonlyArray<ResultChunk> => {
  const [recipient] = recipientsOf(chunk)
  if (recipient === undefined) return []
  const bare = { ...chunk, retries: [], dead: [], environments: [], inbox: null, events: [] }
  const failed = {
    ...bare,
    final: { recipients: [recipient], statuses: ["failed" as const], messageIds: [null], errors: [UNWRITABLE] }
  }
  const sent = { ...bare, final: { ...failed.final, statuses: ["sent" as const], errors: [null] } }
  return [
    // A message of an inbox that cannot be written was not sent.
    ...(chunk.final.statuses[0] === "sent" && chunk.inbox === null ? [withEvents(sent, momentOf(chunk)), sent] : []),
    withEvents(failed, momentOf(chunk)),
    failed
  ]
}

const momentOf = ({ events }: ResultChunk): number => events[0]?.at ?? now()

const withEvents = (chunk: ResultChunk, at: number): ResultChunk => ({
  ...chunk,
  events: eventsOf(chunk, chunk.final, at)
})

/** The results of some of the chunk's recipients; `remaining` of the others. */
const partOf = (chunk: ResultChunk, some: ReadonlyArray<string>, remaining: ReadonlyArray<string>): ResultChunk => {
  const wanted = new Set(some)
  const { final, inbox } = chunk
  const kept = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
    values.filter((_, i) => wanted.has(final.recipients[i]!))
  const part: ResultChunk = {
    ...chunk,
    final: {
      recipients: kept(final.recipients),
      statuses: kept(final.statuses),
      messageIds: kept(final.messageIds),
      errors: kept(final.errors)
    },
    // Batches of their own, with ids of their own: the refused chunk has written none.
    retries: chunk.retries.flatMap((retry) => {
      const recipients = retry.recipients.filter((recipient) => wanted.has(recipient))
      return recipients.length === 0 ? [] : [{ ...retry, id: uuidv7() as BatchId, recipients }]
    }),
    dead: chunk.dead.filter(({ id }) => wanted.has(id)),
    environments: chunk.environments.filter(({ id }) => wanted.has(id)),
    inbox: Array.isArray(inbox) ? kept(inbox) : inbox,
    remaining
  }
  return withEvents(part, momentOf(chunk))
}
