import { Effect } from "effect"
import type { Chore } from "../../../services/ports/operations/LeaseHolder.ts"
import { TURNS } from "../server/advisoryLocks.ts"

/*
 * Chores that one process does for all. Time is divided into spans, and each span of a chore is an advisory lock: the first
 * process that asks for it has the turn. It is asked for with the beat, so it costs no statement, and kept until the span
 * is over, so nobody else has it. Spans to come are free whatever becomes of whoever had this one: a process that dies,
 * hangs or is frozen costs the rest of a span.
 */

/** What a beat asks for, chore by chore. */
export interface Asked {
  /** Keys of the chores' locks. */
  readonly keys: ReadonlyArray<number>
  readonly spansMs: ReadonlyArray<number>
  /** Spans whose locks the session has; `NONE` without one. */
  readonly held: ReadonlyArray<number>
}

/** What it is answered: nothing of a chore whose span is held already, or somebody else's as it was. */
export interface Answered {
  readonly key: number
  readonly span: number
  readonly has: boolean
}

export const NONE = -1

export const NOTHING: Asked = { keys: [], spansMs: [], held: [] }

interface Waiter {
  readonly spanMs: number
  /** Of `performance.now()`. */
  readonly since: number
  readonly go: () => void
}

/** The turns of a process. It asks for those alone that somebody waits for: who is at a chore still leaves it to others. */
export class Turns {
  readonly #waiters = new Map<number, Waiter>()
  readonly #held = new Map<number, number>()

  /** Waits for this process's turn. One waiter for each chore. */
  readonly wait = (chore: Chore, spanMs: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const key = TURNS[chore]
      const waiter = { spanMs, since: performance.now(), go: () => resume(Effect.void) }
      this.#waiters.set(key, waiter)
      return Effect.sync(() => {
        if (this.#waiters.get(key) === waiter) this.#waiters.delete(key)
      })
    })

  ask(): Asked {
    const waiters = [...this.#waiters]
    return {
      keys: waiters.map(([key]) => key),
      spansMs: waiters.map(([, { spanMs }]) => spanMs),
      held: waiters.map(([key]) => this.#held.get(key) ?? NONE)
    }
  }

  answered(answers: ReadonlyArray<Answered>): void {
    for (const { has, key, span } of answers) {
      if (!has) {
        this.#held.delete(key)
        continue
      }
      this.#held.set(key, span)
      this.#go(key)
    }
  }

  /** Nobody can be asked: whoever has waited for a span goes ahead, as all others do. */
  alone(): void {
    const now = performance.now()
    for (const [key, { since, spanMs }] of this.#waiters) if (now - since >= spanMs) this.#go(key)
  }

  /** The session has ended, and its locks with it. */
  forget(): void {
    this.#held.clear()
  }

  #go(key: number): void {
    const waiter = this.#waiters.get(key)
    this.#waiters.delete(key)
    waiter?.go()
  }
}
