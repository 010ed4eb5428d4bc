import type { Effect } from "effect"
import { Context } from "effect"
import { Room } from "../../domain/operations/Room.ts"
import { READ_AT_ONCE } from "../../ports/workflows/ExecutionStore.ts"
import { inRoom } from "../../ports/operations/InRoom.ts"

/*
 * What the messages of a process hold in memory, whoever sends them: there may be hundreds of batches under way, and each
 * message may be half a megabyte.
 */

/** Characters of long contents, filled ones among them, that are on their way to providers. */
const CONTENTS = 32_000_000
/** The same of contents on their way to the database. */
const ACCEPTS = 16_000_000
/** Characters that a template makes at once, at most, unless that is for one recipient. */
const FILLED = 2_000_000
/** Less than that is not counted. */
export const LITTLE = 16_384

export interface Rooms {
  /** For what is read as JSON, which takes twenty times as much memory where it is many small pieces. */
  readonly reading: Room
  readonly contents: Room
  /** For contents that are filled as their message is accepted, which waits for no provider. */
  readonly accepts: Room
}

/** One for a process: it has one memory. */
export class MessageRooms extends Context.Reference<Rooms>("heliograph/engine/MessageRooms", {
  defaultValue: () => ({
    reading: new Room(READ_AT_ONCE),
    contents: new Room(CONTENTS),
    accepts: new Room(ACCEPTS)
  })
}) {}

/** Does what it does for the contents of so many recipients, of so many characters each, when there is room for them. */
export const withContents =
  (room: Room, owner: string, characters: number, recipients: number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const size = Math.max(characters, Math.min(FILLED, characters * recipients))
    return size <= LITTLE ? work : inRoom(room, owner, size)(work)
  }
