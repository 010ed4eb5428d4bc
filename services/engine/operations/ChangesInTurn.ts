import { Effect, Semaphore } from "effect"

/*
 * Changes that read a thing, work out what it is to be, and write it where it is still what was read: each that comes
 * second has to begin again. Of twenty at once one would begin twenty times. So a process makes those of one thing one
 * after another; only those of other processes still come between them.
 */

/** Has work for one thing, by its key, wait until what was asked for before it has ended. */
export const makeTurns = () => {
  const all = new Map<string, { readonly place: Semaphore.Semaphore; users: number }>()

  return <A, E, R>(key: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const turn = all.get(key) ?? { place: Semaphore.makeUnsafe(1), users: 0 }
        turn.users++
        all.set(key, turn)
        return turn
      }),
      ({ place }) => place.withPermit(work),
      (turn) =>
        Effect.sync(() => {
          turn.users--
          if (turn.users === 0) all.delete(key)
        })
    )
}
