import { Effect } from "effect"
import type { Scope } from "effect"
import type { KeptAnswer, KeyClaim } from "../../../services/ports/access/IdempotencyStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { makeForks } from "../../../services/ports/operations/Forks.ts"

/*
 * Keys of requests that have ended while the database could not be told. Nobody else does their work, and who repeats them
 * would be told for the length of a lease that somebody does.
 */

/** What is to be said of a key: its answer, or with null that it is free. */
interface Owed {
  readonly claim: KeyClaim
  readonly answer: KeptAnswer | null
  /** Of `performance.now()`. */
  readonly since: number
}

const EVERY = "250 millis"
/** A statement whose client has lost sight of it may take a key after that was given back: so long nobody is sure. */
const SURE_MS = 2_000
/** Leases are over by then. */
const MOST_MS = 90_000
/** More are left to their leases: some megabytes. */
const MOST = 10_000

export interface Ways {
  /** Whether there was a key to give back. */
  readonly free: (claim: KeyClaim) => Effect.Effect<boolean, StoreError>
  readonly settle: (claim: KeyClaim, answer: KeptAnswer) => Effect.Effect<void, StoreError>
}

/** Says it when it can be said, until the scope closes. */
export const makeOwedKeys = ({
  free,
  settle
}: Ways): Effect.Effect<(claim: KeyClaim, answer: KeptAnswer | null) => void, never, Scope.Scope> =>
  Effect.map(makeForks, (fork) => {
    /** By request. */
    const owed = new Map<string, Owed>()
    let isPaying = false

    const pay = Effect.fnUntraced(function* ({ answer, claim, since }: Owed) {
      const age = performance.now() - since
      if (age > MOST_MS) return true
      if (answer === null) return (yield* free(claim)) || age > SURE_MS
      yield* settle(claim, answer)
      return true
    })

    const payAll = Effect.gen(function* () {
      for (;;) {
        // Said in the same moment, so that whoever comes next begins anew.
        if (owed.size === 0) return void (isPaying = false)
        yield* Effect.sleep(EVERY)
        // The first failure ends the round: the others would fail as well, each after a while.
        yield* Effect.ignore(
          Effect.forEach(
            [...owed],
            ([holder, one]) => Effect.map(pay(one), (isPaid) => void (isPaid && owed.delete(holder))),
            { discard: true }
          )
        )
      }
    })

    return (claim, answer) => {
      if (owed.size >= MOST) return
      owed.set(claim.holder, { claim, answer, since: performance.now() })
      if (isPaying) return
      isPaying = true
      fork(
        Effect.ensuring(
          payAll,
          Effect.sync(() => (isPaying = false))
        )
      )
    }
  })
