import { Room } from "../../../services/domain/operations/Room.ts"
import { ApiError } from "./ApiError.ts"

/*
 * What the bodies of requests take in memory that wait to be read, or are read and wait for their work. Each is within its
 * limit, and a process may have ten thousand requests: what is large is let in as long as there is room for it.
 */

/** Bytes of memory for all of them. */
const ROOM = 96 << 20
/** Bodies of so many bytes are not looked at, and what takes so much memory is not counted. */
const SHORT = 1024
const LITTLE = 32 << 10
/** Bytes that a brace, a bracket or a comma stands for: an object with nothing in it, and its place in a list, are two. */
const PIECE = 32

const [COMMA, BRACE, BRACKET] = Buffer.from(",{[")

/** Bytes that a JSON takes when it is read, about: `[{},{}` take twenty times as much as they are long. */
const memoryOf = (json: Buffer): number => {
  let pieces = 0
  for (const byte of json) if (byte === COMMA || byte === BRACE || byte === BRACKET) pieces++
  return json.length + PIECE * pieces
}

const crowded = () =>
  new ApiError(
    "unavailable",
    "Too many large requests are under way. Send fewer at once, or smaller ones; try again after Retry-After seconds.",
    [],
    { "retry-after": "1" }
  )

/** How one leaves that was not counted. */
export const NOT_LARGE = () => {}

export class LargeBodies {
  readonly #room = new Room(ROOM)

  /** Makes room for a body until what this answers is called; `owner` has half of all there is, at most. */
  enter(owner: string, body: Buffer): (() => void) | ApiError<"unavailable"> {
    if (body.length <= SHORT) return NOT_LARGE
    const memory = memoryOf(body)
    if (memory <= LITTLE) return NOT_LARGE
    return this.#room.enterNow(owner, memory) ?? crowded()
  }

  /** The same for a body that waits to be read: it takes as much as it is long. */
  arrive(owner: string, body: Buffer): (() => void) | ApiError<"unavailable"> {
    return this.#room.enterNow(owner, body.length) ?? crowded()
  }
}
