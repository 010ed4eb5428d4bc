import { Effect, Exit, Result } from "effect"
import type { Cause } from "effect"
import { createHash } from "node:crypto"
import type {
  IdempotencyStore,
  KeptAnswer,
  KeyClaim,
  Settlement
} from "../../../services/ports/access/IdempotencyStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { ApiError, invalid } from "./ApiError.ts"
import { canonicalJson } from "../../../services/domain/Json.ts"
import type { KeptAnswers } from "./KeptAnswers.ts"
import type { Reply } from "./Reply.ts"
import { wasNotBegun } from "./WaitLimiter.ts"

/**
 * `Idempotency-Key`: a client that got no answer repeats its request with the same key, and the work is done once. Final
 * answers (2xx and 4xx) are kept and replayed; after a failure on our side the next try does the work.
 */

/**
 * How long a request that died keeps others from doing its work, unless its process is known to have ended. Longer than any
 * handler takes (a check of a credential: 25 s, and what the database takes before and after).
 */
const LEASE_MS = 60_000

const KEY = /^[\x21-\x7e]{1,255}$/

export const checkKey = (key: string): ApiError<"validation_error"> | null =>
  KEY.test(key)
    ? null
    : invalid([{ field: "Idempotency-Key", message: "must be 1 to 255 printable ASCII characters without spaces" }])

/**
 * A hash of everything that a request says: two requests with one key have to say the same. White space and the order of
 * keys say nothing, so JSON is hashed as it was read; what is none is hashed as it came. Nor does an empty query.
 */
export const fingerprintOf = (
  url: string,
  bytes: Uint8Array | null,
  json: Result.Result<unknown, unknown> | null
): Uint8Array => {
  const hash = createHash("sha256").update(url.replace(/\?$/, "")).update("\0")
  if (json !== null && Result.isSuccess(json)) return hash.update(canonicalJson(json.success)).digest()
  return (bytes === null ? hash : hash.update(bytes)).digest()
}

/** Work that takes so long may have lost its process, which is found out some seconds later. */
const LONG_MS = 1_000

/** The client is told that another request does the work. */
const inFlight = (forMs: number) =>
  new ApiError(
    "conflict",
    "The first request with this Idempotency-Key is still at work. Repeat this one in a moment.",
    [],
    { "retry-after": forMs < LONG_MS ? "1" : "3" }
  )

const mismatch = new ApiError(
  "idempotency_key_reused",
  "This Idempotency-Key was used for a request that said something else. Use a new key for each new request, and for one that was refused and then corrected."
)

export interface Once<A> {
  readonly store: IdempotencyStore["Service"]
  readonly claim: KeyClaim
  readonly fingerprint: Uint8Array
  readonly headers: Record<string, string>
  /** How the store is waited for. */
  readonly wait: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreError>
  /** Does the work. It may keep the answer itself, in its own transaction: with what `settle` makes of a value. */
  readonly work: (settle: (value: A) => Settlement) => Effect.Effect<A, unknown>
  readonly answerOf: (value: A) => KeptAnswer
  /** What is kept of a value for repetitions: all of it, unless it must not be kept. */
  readonly kept: (value: A) => A
  /** What is kept of an answer: all of it, unless it is too large. */
  readonly bounded: KeptAnswers["bounded"]
  /** The answer to a failure, or null for what is worth another try. */
  readonly refusalOf: (cause: Cause.Cause<unknown>) => KeptAnswer | null
}

const respond = ({ body, location, status }: KeptAnswer, headers: Record<string, string>): Reply => ({
  status,
  body,
  headers: location === null ? headers : { ...headers, location }
})

/** A database that is away for a moment must not make an answer forgotten whose work is done, or a key stay taken. */
const keep = <A>({ claim, store, wait }: Once<A>, answer: KeptAnswer | null) =>
  Effect.catch(wait(answer === null ? store.abandon(claim) : store.settle({ claim, answer })), (error) =>
    Effect.andThen(
      Effect.sync(() => store.later(claim, answer)),
      Effect.annotateLogs(Effect.logDebug("What becomes of an idempotency key is said later", error.cause), {
        request_id: claim.holder,
        app_id: claim.appId
      })
    )
  )

/** Does the work of a request with a key, or answers as the first request with this key was answered. */
export const once = Effect.fnUntraced(function* <A>(request: Once<A>) {
  const { claim, headers, store, wait } = request
  const begun = yield* Effect.tapError(wait(store.begin(claim, request.fingerprint, LEASE_MS)), (error) =>
    // Else nobody knows whether the key was taken.
    wasNotBegun(error) ? Effect.void : Effect.sync(() => store.later(claim, null))
  )
  if (begun._tag === "Answered") {
    // The whole first answer, the id of its request included: errors name it in their bodies.
    return respond(begun.answer, { ...headers, "x-request-id": begun.holder, "idempotent-replayed": "true" })
  }
  if (begun._tag === "InFlight") return yield* Effect.fail(inFlight(begun.forMs))
  if (begun._tag === "Mismatch") return yield* Effect.fail(mismatch)
  let isSettled = false
  const bounded = (answer: KeptAnswer): KeptAnswer => request.bounded(claim.appId, claim.holder, answer)
  const settle = (value: A): Settlement => {
    isSettled = true
    return { claim, answer: bounded(request.answerOf(request.kept(value))) }
  }
  const exit = yield* Effect.exit(request.work(settle))
  if (Exit.isSuccess(exit)) {
    const answer = request.answerOf(exit.value)
    if (!isSettled) {
      const kept = request.kept(exit.value)
      yield* keep(request, bounded(kept === exit.value ? answer : request.answerOf(kept)))
    }
    return respond(answer, headers)
  }
  const refused = request.refusalOf(exit.cause)
  yield* keep(request, refused === null ? null : bounded(refused))
  return yield* Effect.failCause(exit.cause)
  // Once begun, the work is ended even when the client hangs up: its next try wants the answer.
}, Effect.uninterruptible)
