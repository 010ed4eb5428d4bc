import { Effect } from "effect"
import type { AppId } from "../../domain/Ids.ts"

/*
 * Kinds of work that take turns, a page each: however much there is of one of them, and of one application, all others wait
 * for a page of it and no longer.
 */

export interface Done {
  /** The application whose page it was: another one is next. */
  readonly served: AppId | null
  /** How much was done. Nothing, where others have it. */
  readonly count: number
}

/** A page of a kind of work, of the application that comes after `served`. Null: there is none. */
export type Page<E> = (served: AppId | null) => Effect.Effect<Done | null, E>

/** While there is other work, a kind of which there was none is asked for so often. */
const LULL_MS = 250

/** Does what there is of each kind. Ends when there is none of any. */
export const inTurns = <E>(pages: ReadonlyArray<Page<E>>): Effect.Effect<void, E> => {
  const kinds = pages.map((page) => ({ page, served: null as AppId | null, emptyAt: -Infinity }))
  return Effect.gen(function* () {
    // Whether those of which there was none lately are left out.
    for (let isHurried = false; ;) {
      let isBusy = false
      for (const kind of kinds) {
        if (isHurried && performance.now() - kind.emptyAt < LULL_MS) continue
        const done = yield* kind.page(kind.served)
        kind.served = done?.served ?? null
        const isEmpty = done === null || done.count === 0
        kind.emptyAt = isEmpty ? performance.now() : -Infinity
        if (!isEmpty) isBusy = true
      }
      if (!isBusy && !isHurried) return
      isHurried = isBusy
    }
  })
}
