import { Effect } from "effect"
import type { Scope } from "effect"
import type { Template } from "../../services/domain/sending/Push.ts"
import type { SealWork } from "./SealQueue.ts"
import { SealQueue } from "./SealQueue.ts"
import { SEAL_WORKER, SealThread } from "./SealThread.ts"
import { SealTurns } from "./SealTurns.ts"
import type { Subscription } from "./Slice.ts"
import { bodiesOf, packSlice } from "./Slice.ts"

/**
 * Encrypts for all batches of a process: on this thread, or on threads of its own. One queue for all of them, so that
 * many batches together keep the event loop no longer than one does.
 */
export interface Sealer {
  /**
   * The bodies of RFC 8291 in order, each with a key pair and a salt of its own; null where a subscription's keys are
   * unusable: of the wrong length, or no point of the curve. The urgent go first.
   */
  readonly seal: (
    template: Template,
    subscriptions: ReadonlyArray<Subscription>,
    isUrgent: boolean
  ) => Effect.Effect<ReadonlyArray<Uint8Array | null>>
}

/** Who is at work, and what waits for them. */
class WorkerPool {
  readonly #waiting = new SealQueue()
  readonly #threads = new Set<SealThread>()
  /** What this thread does itself: everything when there are no others, else what one of them left. */
  readonly #own = new SealQueue()
  readonly #turns = new SealTurns(this.#own)
  readonly #file: URL
  readonly #onLoss: (left: number) => void

  constructor(threads: number, file: URL, onLoss: (left: number) => void) {
    this.#file = file
    this.#onLoss = onLoss
    for (let n = 0; n < threads; n++) this.#start()
    if (threads === 0) this.#turns.rest()
  }

  add(work: SealWork): void {
    this.#waiting.push(work)
    this.#share()
  }

  #share(): void {
    // Each gets its first before any gets its second.
    for (let room = 2; room > 0; room--) {
      for (const thread of this.#threads) {
        if (thread.room < room) continue
        const work = this.#waiting.shift()
        if (work === undefined) return
        thread.give(work)
      }
    }
    if (this.#threads.size === 0) {
      for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) this.#own.push(work)
      this.#turns.wake()
    }
  }

  #start(): void {
    const thread = new SealThread(
      this.#file,
      () => this.#share(),
      (undone, hasWorked) => {
        this.#threads.delete(thread)
        for (const work of undone) this.#own.push(work)
        this.#turns.wake()
        // One that never did anything would only end again.
        if (hasWorked) this.#start()
        this.#onLoss(this.#threads.size)
        this.#share()
      }
    )
    this.#threads.add(thread)
  }

  async stop(): Promise<void> {
    this.#turns.stop()
    await Promise.all([...this.#threads].map((thread) => thread.stop()))
  }
}

/**
 * `threads`: worker threads that encrypt; they run `file`. With none, or when none can be had, this thread does it in
 * short turns.
 */
export const makeSealer = (threads: number, file: URL = SEAL_WORKER): Effect.Effect<Sealer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const onLoss = (left: number) =>
      run(Effect.logWarning("A thread that encrypts web push messages ended").pipe(Effect.annotateLogs({ left })))
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new WorkerPool(threads, file, onLoss)),
      (made) => Effect.promise(() => made.stop())
    )
    return {
      seal: (template, subscriptions, isUrgent) =>
        Effect.callback((resume, signal) => {
          const slice = packSlice(template, subscriptions)
          pool.add({
            slice,
            isUrgent,
            done: (sealed) => resume(Effect.succeed(bodiesOf(slice, sealed))),
            isAbandoned: () => signal.aborted
          })
        })
    }
  })
