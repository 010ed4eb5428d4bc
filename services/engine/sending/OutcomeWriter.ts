import { Deferred, Effect, Exit } from "effect"
import type { Cause, Scope } from "effect"
import { makeForks } from "../../ports/operations/Forks.ts"
import type { Claimed } from "../../ports/operations/LeaseHolder.ts"
import type { ResultChunk } from "../../ports/sending/BatchStore.ts"
import type { ChunkWriting } from "./ChunkWriter.ts"
import { noteWritten, writeChunk } from "./ChunkWriter.ts"

/*
 * Writes what became of messages to a device each that were sent: all that came in one turn of the event loop, of
 * whichever lanes, go in one statement, which completes their notifications as well. The first goes at once; what follows
 * within a moment goes together, as a commit costs as much as a few messages. Whatever does not go smoothly is written chunk by chunk, as any other batch's.
 */

/** Chunks in a statement, and statements under way at once, at most. */
const MOST_CHUNKS = 256
const AT_ONCE = 2
/**
 * Between the beginnings of statements, unless one is full. What a crash repeats is what came within it, and during a
 * write.
 */
const GAP_MS = 100
/** So many chunks are worth a statement of their own at once. */
const ENOUGH = 64

/** What is to be written. */
export interface SentOne {
  /** Of a batch of one recipient, who was sent to. */
  readonly chunk: ResultChunk
  /**
   * Whether its notification waits for nobody else who would ask whether it is done. Asked once, when it is written or is
   * to be written by itself.
   */
  readonly isLast: () => boolean
  /** Called when it is written, or cannot be. */
  readonly ended: () => void
}

export interface OutcomeWriter {
  readonly write: (sent: SentOne) => void
}

/** What goes in one statement, and waits for it to begin. It grows until then. */
interface Group {
  readonly sent: Array<SentOne>
  readonly items: Array<Claimed>
  readonly begun: Deferred.Deferred<void>
  hasBegun: boolean
}

export const makeOutcomeWriter = Effect.fnUntraced(function* (
  writing: ChunkWriting
): Effect.fn.Return<OutcomeWriter, never, Scope.Scope> {
  const fork = yield* makeForks
  /** Those that wait: all but the last are full. */
  const waiting: Array<Group> = []
  let statements = 0
  let isSoon = false
  let startedAt = -Infinity
  let later: NodeJS.Timeout | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(later)))

  const start = (): void => {
    isSoon = false
    clearTimeout(later)
    later = undefined
    startedAt = performance.now()
    while (waiting.length > 0 && statements < AT_ONCE) {
      const group = waiting.shift()!
      statements++
      group.hasBegun = true
      Deferred.doneUnsafe(group.begun, Exit.void)
    }
  }
  const soon = (): void => {
    if (isSoon || waiting.length === 0 || statements === AT_ONCE) return
    const gapMs = startedAt + GAP_MS - performance.now()
    if (gapMs > 0 && waiting[0]!.sent.length < ENOUGH) {
      later ??= setTimeout(start, gapMs)
      return
    }
    isSoon = true
    setImmediate(start)
  }
  const newGroup = (): Group => {
    const group: Group = { sent: [], items: [], begun: Deferred.makeUnsafe(), hasBegun: false }
    waiting.push(group)
    fork(writeAll(writing, group)).addObserver(() => {
      if (group.hasBegun) statements--
      for (const { ended } of group.sent) ended()
      soon()
    })
    return group
  }
  return {
    write: (sent) => {
      const last = waiting.at(-1)
      const group = last === undefined || last.sent.length === MOST_CHUNKS ? newGroup() : last
      group.sent.push(sent)
      group.items.push({ id: sent.chunk.batchId, fence: sent.chunk.fence })
      soon()
    }
  }
})

const writeAll = Effect.fnUntraced(function* (writing: ChunkWriting, { begun, items, sent }: Group) {
  const { gate, notifications, store, wakeWebhook } = writing
  // Noted from the first result on: while statements hang, what waits behind them keeps its lease as they do. A defect is
  // mostly one chunk's: the others are written.
  const written = yield* Effect.exit(
    gate.writing("batches", items, (attempt) =>
      Effect.andThen(
        Deferred.await(begun),
        attempt(Effect.suspend(() => store.finishSent(sent.map(({ chunk }) => chunk))))
      )
    )
  )
  const found = Exit.isSuccess(written) ? written.value : []
  const others: Array<ResultChunk> = []
  const done: Array<ResultChunk> = []
  const open: Array<ResultChunk> = []
  sent.forEach(({ chunk, isLast }, i) => {
    const finished = found[i] ?? null
    const asks = isLast()
    if (finished === null) return void others.push(chunk)
    done.push(chunk)
    for (const id of finished.webhooks) wakeWebhook(id)
    if (asks && !finished.isCompleted) open.push(chunk)
  })
  noteWritten(writing, done)
  // Refused, or somebody else's by now: each for itself.
  yield* Effect.forEach(others, (chunk) => Effect.catchCause(writeChunk(writing, null, chunk), leftOf(chunk)), {
    concurrency: "unbounded",
    discard: true
  })
  // One that is not completed now is by the sweeper.
  yield* Effect.forEach(open, ({ notificationId }) => Effect.exit(notifications.completeIfDone(notificationId)), {
    concurrency: "unbounded",
    discard: true
  })
})

const leftOf =
  ({ appId, batchId, notificationId, provider }: ResultChunk) =>
  (cause: Cause.Cause<unknown>) =>
    Effect.logError("A batch was left to its lease", cause).pipe(
      Effect.annotateLogs({ app_id: appId, notification_id: notificationId, batch_id: batchId, provider })
    )
