import type { Effect } from "effect"
import { Schema } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { Signal } from "../operations/Signal.ts"

/** As many readers as may be are there already: on the process, or of somebody among them. */
export class TooManyReaders extends Schema.TaggedError<TooManyReaders>()("TooManyReaders", {
  of: Schema.Literals(["process", "application", "user", "address"])
}) {}

/** Who wants to read. Room is counted for each of them. */
export interface InboxSeat {
  readonly appId: AppId
  readonly userId: string
  /** Of the client, as text that is good for counting only; null for servers, which read for many. */
  readonly address: string | null
}

/** What lets readers read, by a name that many share. Asked every second, once for all of them. */
export interface InboxPass {
  readonly name: string
  readonly isGood: Effect.Effect<boolean>
}

/** An open reader, as those see it who have something to tell it. */
export interface Entry {
  /** Of its inbox, for notices. */
  readonly key: string
  readonly seat: InboxSeat
  readonly pass: InboxPass
  readonly signal: Signal
  isDirty: boolean
  isBeaten: boolean
  isEnded: boolean
}

export interface InboxRoom {
  /** Readers on this process, and of one application, user or address among them, at most. */
  readonly max: number
  readonly maxOfApp: number
  readonly maxOfUser: number
  readonly maxOfAddress: number
}

/** Counts by name; what is not counted any more is forgotten. */
const makeTally = () => {
  const counts = new Map<string, number>()
  const of = (name: string) => counts.get(name) ?? 0
  return {
    of,
    add: (name: string, change: number) => {
      const now = of(name) + change
      if (now === 0) counts.delete(name)
      else counts.set(name, now)
    }
  }
}

/** The readers of a process, and how many there may be. */
export class InboxReaders {
  readonly #room: InboxRoom
  readonly #byKey = new Map<string, Set<Entry>>()
  readonly #ofApp = makeTally()
  readonly #ofUser = makeTally()
  readonly #ofAddress = makeTally()
  #count = 0

  constructor(room: InboxRoom) {
    this.#room = room
  }

  get count(): number {
    return this.#count
  }

  all(): ReadonlyArray<Entry> {
    return [...this.#byKey.values()].flatMap((set) => [...set])
  }

  /** Those of an inbox. */
  of(key: string): Iterable<Entry> {
    return this.#byKey.get(key) ?? []
  }

  /**
   * Whose room is used up; null when there is room for one more. The newest is the one to go: an older one that was ended
   * would come back at once, and end another.
   */
  fullFor(seat: InboxSeat): TooManyReaders["of"] | null {
    const { max, maxOfAddress, maxOfApp, maxOfUser } = this.#room
    if (this.#count >= max) return "process"
    if (this.#ofApp.of(seat.appId) >= maxOfApp) return "application"
    if (this.#ofUser.of(userOf(seat)) >= maxOfUser) return "user"
    return seat.address !== null && this.#ofAddress.of(seat.address) >= maxOfAddress ? "address" : null
  }

  add(entry: Entry): void {
    this.#tally(entry.seat, 1)
    const set = this.#byKey.get(entry.key) ?? new Set()
    this.#byKey.set(entry.key, set.add(entry))
  }

  remove(entry: Entry): void {
    const set = this.#byKey.get(entry.key)
    if (set?.delete(entry) !== true) return
    if (set.size === 0) this.#byKey.delete(entry.key)
    this.#tally(entry.seat, -1)
  }

  #tally(seat: InboxSeat, change: 1 | -1): void {
    this.#count += change
    this.#ofApp.add(seat.appId, change)
    this.#ofUser.add(userOf(seat), change)
    if (seat.address !== null) this.#ofAddress.add(seat.address, change)
  }
}

const userOf = ({ appId, userId }: InboxSeat): string => `${appId}:${userId}`
