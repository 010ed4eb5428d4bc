import { hash } from "node:crypto"
import type { Room } from "../../services/domain/operations/Room.ts"

/**
 * Bytes of the last answers of all streams, which stand in memory as long as their clients do not read them; and of an answer
 * that is not counted.
 */
export const HELD = 64 << 20
const SMALL = 65_536

/** What an answer was, to tell another one by. */
export const fingerprintOf = (text: string): string => hash("sha256", text, "base64")

/** What a stream holds: its last answer, whoever reads it. */
export class Held {
  readonly #room: Room
  readonly #owner: string
  #size = 0
  #leave: () => void = () => {}

  constructor(room: Room, owner: string) {
    this.#room = room
    this.#owner = owner
  }

  /** Whether there is room for an answer in place of the last one. */
  takes(answer: string): boolean {
    const size = answer.length <= SMALL ? 0 : answer.length
    if (size <= this.#size) return true
    this.leave()
    const leave = this.#room.enterNow(this.#owner, size)
    if (leave === null) return false
    this.#leave = leave
    this.#size = size
    return true
  }

  leave(): void {
    this.#leave()
    this.#leave = () => {}
    this.#size = 0
  }
}
