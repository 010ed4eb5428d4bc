interface Waiting {
  readonly owner: string
  readonly size: number
  readonly enter: (leave: () => void) => void
}

/** What of the room one owner may have, beside somebody else's. */
const OF_ONE = 1 / 2
/** Who has nothing in it may bring so much at any time, however full it is. */
const LITTLE = 1 / 16

/**
 * Room in memory for what many do at once, each with a size of its own, for owners of whom none takes that of all others.
 * Whoever finds none waits, in order; something larger than the room goes in when nobody else is there.
 */
export class Room {
  readonly #size: number
  readonly #ofOwners = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #taken = 0

  /** `size`: in the unit of those who enter, characters for example. */
  constructor(size: number) {
    this.#size = size
  }

  /** What is in it now. */
  get taken(): number {
    return this.#taken
  }

  /** Calls `enter` as soon as there is room, which may be at once. Answers how to leave, or to wait no longer: both may be called twice. */
  enter(owner: string, size: number, enter: Waiting["enter"]): () => void {
    if (this.#waiting.size === 0 && this.#fits(owner, size)) return this.#letIn({ owner, size, enter })
    const waiting: Waiting = { owner, size, enter: (leave) => enter((leaveIt = leave)) }
    let leaveIt = () => {
      if (this.#waiting.delete(waiting)) this.#goOn()
    }
    this.#waiting.add(waiting)
    this.#goOn()
    return () => leaveIt()
  }

  /** The same for who does not wait: null where there is no room now. */
  enterNow(owner: string, size: number): (() => void) | null {
    return this.#waiting.size === 0 && this.#fits(owner, size) ? this.#letIn({ owner, size, enter: () => {} }) : null
  }

  #fits(owner: string, size: number): boolean {
    if (this.#taken === 0 || this.#isLittle(owner, size)) return true
    return this.#mayHave(owner, size) && this.#taken + size <= this.#size
  }

  #mayHave(owner: string, size: number): boolean {
    const mine = this.#ofOwners.get(owner) ?? 0
    return mine === 0 || mine + size <= this.#size * OF_ONE
  }

  #isLittle(owner: string, size: number): boolean {
    return size <= this.#size * LITTLE && !this.#ofOwners.has(owner)
  }

  #letIn({ enter, owner, size }: Waiting): () => void {
    this.#taken += size
    this.#ofOwners.set(owner, (this.#ofOwners.get(owner) ?? 0) + size)
    let isIn = true
    const leave = () => {
      if (!isIn) return
      isIn = false
      this.#taken -= size
      const left = this.#ofOwners.get(owner)! - size
      if (left === 0) this.#ofOwners.delete(owner)
      else this.#ofOwners.set(owner, left)
      this.#goOn()
    }
    enter(leave)
    return leave
  }

  /** Lets in who waits. What does not fit because of all others is not overtaken by what is smaller, but for a little. */
  #goOn(): void {
    let isHeld = false
    for (const one of this.#waiting) {
      const { owner, size } = one
      if (isHeld ? this.#isLittle(owner, size) : this.#fits(owner, size)) {
        this.#waiting.delete(one)
        this.#letIn(one)
      } else if (this.#mayHave(owner, size)) isHeld = true
    }
  }
}
