import { Deferred, Effect } from "effect"
import { now } from "../../ports/Now.ts"
import type { Tried } from "../../ports/sending/BatchStore.ts"
import type { Outcome, Refusal, Settled } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { UNTIL_ANSWERED } from "./BatchLease.ts"
import type { Results } from "./Results.ts"
import type { Standing } from "./CredentialProbes.ts"

/** What the outcomes of a batch say of the credential that it is sent with. */
export class CredentialEvidence {
  /** The provider took the credential: it accepted a message, or said that a token is dead. */
  isProved = false
  /** It accepted a message. */
  isAccepted = false
  /** Nothing but refusals came, of all that says something. */
  isAllRefused = true
  /** Some wait whom another credential may reach. */
  awaitsRepair = false
  /** Done when the credential is proved. */
  readonly proof = Deferred.makeUnsafe<void>()

  readonly #standing: Standing
  readonly #results: Results
  /** Whether a dead token proves the credential too: not where strangers choose the services. */
  readonly #isOneService: boolean
  /** Whom the sender was refused for, until it is known what that means. */
  #refused: Array<{ readonly tried: Tried; readonly refusal: Refusal }> = []

  constructor(standing: Standing, results: Results, isOneService: boolean) {
    this.#standing = standing
    this.#results = results
    this.#isOneService = isOneService
  }

  get hasRefused(): boolean {
    return this.#refused.length > 0
  }

  /** What an outcome says. What failed by itself, mostly without being asked, says nothing. */
  learn(outcome: Outcome): void {
    if (outcome._tag === "Suspend") return this.#standing.refused(outcome.reason)
    if (outcome._tag !== "Fail") this.isAllRefused = false
    if (outcome._tag === "Ok" && !this.isAccepted) {
      this.isAccepted = true
      this.#standing.accepted()
    }
    if (this.isProved || !(outcome._tag === "Ok" || (outcome._tag === "Drop" && this.#isOneService))) return
    this.isProved = true
    this.#standing.proved()
    Deferred.doneUnsafe(this.proof, Effect.void)
  }

  refused(tried: Tried, refusal: Refusal): void {
    this.#refused.push({ tried, refusal })
  }

  /**
   * Says what the refusals mean, when all that was asked has ended. `suspend`: marks the credential as refused, unless
   * somebody noted lately that it was accepted; whether it did.
   */
  judge(suspend: (reason: string) => Effect.Effect<boolean, StoreError>): Effect.Effect<void, StoreError> {
    return Effect.suspend(() => {
      const [first] = this.#refused
      if (first === undefined) return Effect.void
      const known = this.isProved ? null : this.#standing.refusal()
      if (known !== null) return Effect.sync(() => this.settle(known))
      const isDoubtful =
        this.isAllRefused &&
        !this.#standing.isAcceptedLately() &&
        this.#refused.every(({ refusal }) => refusal.isEnough === undefined || refusal.isEnough())
      if (!isDoubtful) return Effect.sync(() => this.settle(null))
      const { reason } = first.refusal
      return Effect.map(Effect.retry(suspend(reason), UNTIL_ANSWERED), (is) => this.settle(is ? reason : null))
    })
  }

  /** Gives all who were refused their outcome; `reason`: why the credential is. */
  settle(reason: string | null): void {
    const some = this.#refused
    this.#refused = []
    if (reason !== null) this.#standing.refused(reason)
    for (const { refusal, tried } of some) {
      const outcome: Settled = reason === null ? refusal.otherwise() : { _tag: "Suspend", reason }
      if (outcome._tag === "Slow") this.awaitsRepair = true
      this.#results.add(tried, outcome, now(), true)
    }
  }
}
