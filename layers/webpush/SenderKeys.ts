import { createECDH } from "node:crypto"
import { performance } from "node:perf_hooks"
import type { SenderKey } from "./Encryption.ts"

export const makeSenderKey = (pair = createECDH("prime256v1")): SenderKey => ({ pair, publicKey: pair.generateKeys() })

/** How long a turn of making keys ahead may keep a thread from other work. */
const TURN_MS = 0.5

/**
 * Key pairs that are made while there is nothing else to do, so that a few messages need not wait for theirs. A long
 * mailing outruns them and makes its own as it goes. Each is given out once.
 */
export class SenderKeys {
  readonly #ready: Array<SenderKey> = []
  readonly #limit: number
  /** Holds one pair after the other, once those made ahead are gone: an object for each costs a message a twentieth. */
  readonly #own = createECDH("prime256v1")
  #turn: NodeJS.Immediate | undefined
  #taken = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get ready(): number {
    return this.#ready.length
  }

  /** A pair that nobody had before, to be used before the next one is taken. */
  take(): SenderKey {
    this.#taken++
    return this.#ready.pop() ?? makeSenderKey(this.#own)
  }

  /** Makes keys ahead, in turns between other events, until there are enough or one is taken. */
  refill(): void {
    if (this.#turn !== undefined || this.#ready.length >= this.#limit) return
    const taken = this.#taken
    const turn = (): void => {
      this.#turn = undefined
      if (this.#taken !== taken) return
      const end = performance.now() + TURN_MS
      while (this.#ready.length < this.#limit && performance.now() < end) this.#ready.push(makeSenderKey())
      if (this.#ready.length < this.#limit) this.#schedule(turn)
    }
    this.#schedule(turn)
  }

  /** Keys that are not used are no reason for a process to live on. */
  #schedule(turn: () => void): void {
    this.#turn = setImmediate(turn)
    this.#turn.unref()
  }

  stop(): void {
    clearImmediate(this.#turn)
    this.#turn = undefined
  }
}
