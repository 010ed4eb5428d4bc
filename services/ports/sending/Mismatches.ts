import { Effect } from "effect"
import { RefusalRun } from "../../domain/sending/Push.ts"
import type { Outcome, SendBatch, Settled } from "./Provider.ts"

/*
 * A provider that says of a token that it belongs to another app or project may be right, or the credential is the wrong
 * one, and all tokens are the app's own (docs/decisions/0061).
 */

/** How often a wrong credential is worth an operator's time. */
const SAID_MS = 3_600_000
/** What only somebody's repair can change is tried again so late, for as long as the message lives. */
const REPAIR_MS = 15 * 60_000
/** Bounded: a version that is forgotten only has to be refused as often again. */
const MOST_KNOWN = 10_000

/** Mismatches in a row of a credential version, and when they were last worth saying. */
interface Mismatched {
  readonly run: RefusalRun
  saidAt: number
}

/** How a provider says it. */
export interface Words {
  /** The outcome of a recipient, such as `sender_id_mismatch`. */
  readonly reason: string
  /** The provider's name, the status and its code: the reason of a suspended credential. */
  readonly refusal: string
  /** What is logged when all were refused. */
  readonly warning: string
}

/** Who was refused so, of each credential version. */
export class Mismatches {
  readonly #words: Words
  readonly #known = new Map<string, Mismatched>()

  constructor(words: Words) {
    this.#words = words
  }

  /** Those of a batch of `owner`, a credential in its version. */
  ofBatch(owner: string): MismatchesOfBatch {
    let known = this.#known.get(owner)
    if (known === undefined) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear()
      this.#known.set(owner, (known = { run: new RefusalRun(), saidAt: Number.NEGATIVE_INFINITY }))
    }
    return new MismatchesOfBatch(this.#words, known)
  }
}

export class MismatchesOfBatch {
  readonly #words: Words
  readonly #known: Mismatched
  readonly #refused: Array<number> = []
  #hasAccepted = false

  constructor(words: Words, known: Mismatched) {
    this.#words = words
    this.#known = known
  }

  accepted(): void {
    this.#hasAccepted = true
    this.#known.run.accepted()
  }

  refused(index: number): void {
    this.#known.run.refused()
    this.#refused.push(index)
  }

  /**
   * Gives all who were refused their outcome, when all of the batch have been asked. Nobody's token is dropped when it may
   * be the credential that is another one's. It may be a stranger, too, who registered devices of his own project: nobody
   * waits but them.
   */
  judge(batch: SendBatch, now: number, onOutcome: (index: number, outcome: Outcome) => void): Effect.Effect<void> {
    return Effect.suspend(() => {
      const refused = this.#refused
      if (refused.length === 0) return Effect.void
      const { reason, refusal, warning } = this.#words
      const isEnough = () => !this.#hasAccepted && this.#known.run.blamesCredential
      const waits: Settled = { _tag: "Slow", scope: "recipient", reason, afterMs: REPAIR_MS }
      const dropped: Settled = { _tag: "Drop", reason, seenBefore: null }
      const isSaid = isEnough() && now - this.#known.saidAt >= SAID_MS
      if (isSaid) this.#known.saidAt = now
      for (const index of refused) {
        onOutcome(index, {
          _tag: "Refused",
          reason: refusal,
          isEnough,
          otherwise: () => (isEnough() ? waits : dropped)
        })
      }
      if (!isSaid) return Effect.void
      return Effect.annotateLogs(Effect.logWarning(warning), {
        app_id: batch.credential.appId,
        refused: refused.length
      })
    })
  }
}
