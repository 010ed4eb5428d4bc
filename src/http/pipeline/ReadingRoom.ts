import { Effect } from "effect"
import { Room } from "../../../services/domain/operations/Room.ts"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"
import type { ApiError } from "./ApiError.ts"
import { unavailable } from "./ApiError.ts"

/*
 * How much the requests of a process have in memory together while they are executed. An answer of 8 MB may be made of more
 * than is in it: everything that was read stands there until all of it has been.
 */

/** Bytes of a request that takes no room: of such, as many as there may be are held easily. */
export const SMALL = 1 << 20
/** How long a request waits for room. */
const WAIT_MS = 3000

export interface ReadingRoom {
  /**
   * Does work that reads so many bytes at most, when there is room for it: half of it for one owner. One that needs all of
   * it is alone.
   */
  readonly hold: <A, E, R>(
    owner: string,
    bytes: number,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ApiError<"unavailable">, R>
}

/** `size`: bytes of all that is read at once. */
export const makeReadingRoom = (size = 64 << 20): ReadingRoom => {
  const room = new Room(size)
  return {
    hold: (owner, bytes, work) => {
      if (bytes < SMALL) return work
      return Effect.suspend(() => {
        let hasBegun = false
        const held = inRoom(
          room,
          owner,
          bytes
        )(
          Effect.suspend(() => {
            hasBegun = true
            return work
          })
        )
        const late = Effect.flatMap(Effect.sleep(WAIT_MS), () => (hasBegun ? Effect.never : Effect.fail(unavailable())))
        return Effect.raceFirst(held, late)
      })
    }
  }
}
