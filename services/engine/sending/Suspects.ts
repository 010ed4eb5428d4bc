import { Effect, Semaphore } from "effect"
import { ALONE } from "../../domain/sending/Suspicion.ts"
import type { ClaimedBatch } from "../../ports/sending/BatchStore.ts"
import type { WriteGate } from "../operations/WriteGate.ts"

/*
 * Batches that were in the hands of processes which crashed: one of them may be why. Each is sent alone, so that the next
 * crash tells which. While it is, nothing else of this process begins; it waits until what the others had under way has
 * ended. All others wait some moments for it, which is rare: it takes a crash.
 */

/** How often a lane with other work looks for them. */
export const LOOK_MS = 2_000
/** How long what was under way is waited for. What lasts longer stays beside it, and then no one of them is blamed alone. */
const QUIET_MS = 10_000
/** After so long alone a batch is as likely to be slow as to be guilty: others go on beside it. */
const MOST_ALONE_MS = 10_000
const POLL = "20 millis"

/** `underWay`: whether any request to a provider is. */
export const makeSuspects = (gate: WriteGate["Service"], underWay: () => number) => {
  const turn = Semaphore.makeUnsafe(1)
  const join = Effect.suspend(() => {
    gate.only(null)
    return gate.blame(null)
  })
  const quiet = Effect.repeat(Effect.sleep(POLL), { until: () => underWay() === 0 })

  const alone = <A, E, R>({ id }: ClaimedBatch, send: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      gate.only(id)
      const isQuiet = (yield* Effect.timeoutOption(quiet, QUIET_MS))._tag === "Some"
      if (isQuiet) yield* gate.blame(id)
      const others = yield* Effect.forkChild(Effect.andThen(Effect.sleep(MOST_ALONE_MS), join))
      return yield* Effect.ensuring(
        send,
        Effect.sync(() => others.interruptUnsafe())
      )
    }).pipe(Effect.ensuring(join), turn.withPermits(1))

  return {
    /** Sends a batch, by itself where it has to be. */
    send: <A, E, R>(batch: ClaimedBatch, send: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      batch.suspicion < ALONE ? send : alone(batch, send)
  }
}
