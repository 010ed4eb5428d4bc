import { Effect } from "effect"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"
import { waitingFor } from "../../../services/ports/operations/OtherWaits.ts"
import { ApiError } from "./ApiError.ts"
import type { LargeBodies } from "./LargeBodies.ts"
import { NOT_LARGE } from "./LargeBodies.ts"

/*
 * Whose long bodies, lines and items are read, and whether they are right, next. A body of 400 KB takes ten milliseconds, a
 * line microseconds, but an import has as many as it likes, and there may be a hundred of them: with a turn each beside
 * everything else that a process does, they would be nearly all that it does.
 */

type Enter = (leave: () => void) => void

/** How long one reads, ms, before others have their turn. */
const TURN_MS = 10
/** ms. Turns are shorter by far, unless the process slept in one. */
const LONGEST_BREAK = 50
/** So many are read at once, as a request that is one thing is. */
const FEW = 8

/** Bytes of a body that is read at once: in half a millisecond or so. */
const SHORT = 32 << 10

/**
 * Turns at what keeps a process from everything else while it lasts: one at a time, of the owners who wait each in turn,
 * and after each nobody for as long as it took.
 */
export class ReadingTurns {
  /** Who waits, by owner. The first owner is the next. */
  readonly #waiting = new Map<string, Set<Enter>>()
  #isTaken = false

  /** Calls `enter` when it is the owner's turn, which may be at once. Answers how to leave, or to wait no longer: both may be called twice. */
  enter(owner: string, _size: number, enter: Enter): () => void {
    if (!this.#isTaken) return this.#begin(enter)
    let leaveIt = () => {
      if (line.delete(waiting) && line.size === 0) this.#waiting.delete(owner)
    }
    const waiting: Enter = (leave) => enter((leaveIt = leave))
    const line = this.#waiting.get(owner) ?? new Set()
    this.#waiting.set(owner, line.add(waiting))
    return () => leaveIt()
  }

  #begin(enter: Enter): () => void {
    this.#isTaken = true
    const began = performance.now()
    let isIn = true
    const leave = () => {
      if (!isIn) return
      isIn = false
      setTimeout(() => this.#goOn(), Math.min(performance.now() - began, LONGEST_BREAK))
    }
    enter(leave)
    return leave
  }

  #goOn(): void {
    this.#isTaken = false
    const [first] = this.#waiting
    if (first === undefined) return
    const [owner, line] = first
    const [next] = line
    line.delete(next!)
    this.#waiting.delete(owner)
    if (line.size > 0) this.#waiting.set(owner, line)
    this.#begin(next!)
  }
}

/** Of a process: what is read for one of its requests holds up all others. */
const turns = new ReadingTurns()

const inTurn = (owner: string) => {
  const enter = inRoom(turns, owner, 1)
  return <A, E, R>(read: Effect.Effect<A, E, R>) => waitingForTurn(enter(read))
}
const waitingForTurn = waitingFor("turns")

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
  while (results.length < items.length) yield* inTurn(owner)(some)
  return results
})

/**
 * Reads a body, in turns with what else is long, and does work with what it says. It has its room in memory until that is
 * over.
 */
export const withBody = <A, B, E, R>(
  bodies: LargeBodies,
  owner: string,
  body: Buffer,
  read: () => A,
  work: (read: A) => Effect.Effect<B, E, R>
): Effect.Effect<B, E | ApiError<"unavailable">, R> => {
  if (body.length <= SHORT) {
    const leave = bodies.enter(owner, body)
    if (leave instanceof ApiError) return Effect.fail(leave)
    if (leave === NOT_LARGE) return work(read())
    return Effect.ensuring(
      Effect.suspend(() => work(read())),
      Effect.sync(leave)
    )
  }
  const arrived = bodies.arrive(owner, body)
  if (arrived instanceof ApiError) return Effect.fail(arrived)
  let leave = arrived
  const turn = Effect.suspend(() => {
    leave()
    leave = NOT_LARGE
    const room = bodies.enter(owner, body)
    if (room instanceof ApiError) return Effect.fail(room)
    leave = room
    return Effect.succeed(read())
  })
  return Effect.ensuring(
    Effect.flatMap(inTurn(owner)(turn), work),
    Effect.sync(() => leave())
  )
}
