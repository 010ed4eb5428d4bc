import { Clock, Effect, Option, Semaphore } from "effect"
import type { AppId } from "../../../services/domain/Ids.ts"

/** Does work of an application within a time; none: no place came free, and nothing was begun. */
export type FewAtOnce = <A, E, R>(
  appId: AppId,
  withinMs: number,
  work: (leftMs: number) => Effect.Effect<A, E, R>
) => Effect.Effect<Option.Option<A>, E, R>

/**
 * Keeps what reads much from taking the connections that everything else needs: of all such work of a process `most` is
 * under way, and of an application one. `work` is told how much of its time the wait has left.
 */
export const makeFewAtOnce = (most: number): Effect.Effect<FewAtOnce> =>
  Effect.map(Semaphore.make(most), (places) => {
    const own = new Map<AppId, { readonly turn: Semaphore.Semaphore; users: number }>()

    const inTurnOf = <A, E, R>(appId: AppId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const mine = own.get(appId) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
        own.set(appId, mine)
        mine.users++
        return Effect.ensuring(
          mine.turn.withPermits(1)(work),
          Effect.sync(() => {
            if (--mine.users === 0) own.delete(appId)
          })
        )
      })

    return (appId, withinMs, work) =>
      Effect.gen(function* () {
        const until = (yield* Clock.currentTimeMillis) + withinMs
        let hasBegun = false
        const begun = Effect.flatMap(Clock.currentTimeMillis, (now) => {
          hasBegun = true
          return work(until - now)
        })
        const late = Effect.flatMap(Effect.sleep(withinMs), () => (hasBegun ? Effect.never : Effect.succeedNone))
        return yield* Effect.raceFirst(Effect.map(inTurnOf(appId, places.withPermits(1)(begun)), Option.some), late)
      })
  })
