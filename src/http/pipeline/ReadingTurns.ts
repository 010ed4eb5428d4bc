import { Effect } from "effect"
import { Turns } from "../../../services/domain/operations/Turns.ts"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"

/*
 * Whose lines and items are read, and whether they are right, next. Each takes microseconds, but a request has a thousand
 * and an import as many as it likes, and there may be a hundred of them: with a turn each beside everything else that a
 * process does, they would be nearly all that it does.
 */

/** How long one reads, ms, before others have their turn. */
const TURN_MS = 10
/** So many are read at once, as a request that is one thing is. */
const FEW = 8

/** Of a process: what is read for one of its requests holds up all others. */
const turns = new Turns()

/** Reads items one after the other, in turns with those of other requests. */
export const readInTurns = Effect.fnUntraced(function* <A, B>(
  owner: string,
  items: ReadonlyArray<A>,
  read: (item: A) => B
) {
  if (items.length <= FEW) return items.map((item) => read(item))
  const results: Array<B> = []
  const some = Effect.sync(() => {
    const until = performance.now() + TURN_MS
    do results.push(read(items[results.length]!))
    while (results.length < items.length && performance.now() < until)
  })
  while (results.length < items.length) yield* inRoom(turns, owner, 1)(some)
  return results
})
