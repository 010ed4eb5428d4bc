import { Effect, Exit } from "effect"
import type { AccountId, AppId } from "../../../services/domain/Ids.ts"
import { now } from "../../../services/ports/Now.ts"
import type { Budget, Bucket, RateClass } from "../../../services/domain/access/RateLimit.ts"
import type { Caller } from "../../../services/engine/access/Auth.ts"
import type { Verdict } from "../../../services/engine/access/KeyPermits.ts"
import { RateLimiter } from "../../../services/engine/access/RateLimiter.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { ApiError } from "./ApiError.ts"
import { clientAddress } from "./ClientAddress.ts"
import type { Incoming } from "./Incoming.ts"

/*
 * The door: every request is counted before its handler runs, and every answer says what is left. Which budget counts
 * a request follows from who sends it:
 *
 *   a secret key           its application's secret keys
 *   a session              its person, by all of their sessions
 *   a public key           its application and the client's address (registrations: the same, by themselves), and then
 *                          all public keys of the application
 *   no key, or a bad one   the client's address, also where nothing is served
 *   a link of a mail       the client's address, by itself, when its signature is good
 */

/** Headers of an answer, before they are written. */
export type Headers = Record<string, string>

export const note = (headers: Headers, { limit, remaining, resetAt }: Verdict): void => {
  headers["x-ratelimit-limit"] = String(limit)
  headers["x-ratelimit-remaining"] = String(remaining)
  headers["x-ratelimit-reset"] = String(resetAt)
}

/** Whether a request was counted: its answer's headers say so. */
export const isCounted = (headers: Headers): boolean => headers["x-ratelimit-limit"] !== undefined

/** For answers to what is not counted: nothing of the budget is used by them. */
export const uncounted = ({ requests, windowMs }: Budget): Verdict => ({
  isAllowed: true,
  limit: requests,
  remaining: requests,
  resetAt: Math.ceil((now() + 1) / windowMs) * (windowMs / 1000),
  retryAfter: 1
})

const limited = ({ resetAt, retryAfter }: Verdict) =>
  new ApiError(
    "rate_limited",
    `Too many requests. The next ones are answered from ${new Date(resetAt * 1000).toISOString()} on.`,
    [],
    { "retry-after": String(retryAfter) }
  )

const unavailable = ({ retryAfter }: Verdict) =>
  new ApiError(
    "rate_limiter_unavailable",
    "Requests cannot be counted at the moment, so none is let through. Try again after Retry-After seconds.",
    [],
    { "retry-after": String(retryAfter) }
  )

export type Refused = ApiError<"rate_limited" | "rate_limiter_unavailable">

type Request = Pick<Incoming, "headers" | "source">

export interface Admission {
  /** Counts the request of a good key, and writes into the headers what is left. */
  readonly admit: (
    request: Request,
    caller: Caller,
    isRegistration: boolean,
    headers: Headers
  ) => Effect.Effect<void, Refused>
  /** The same where permits are at hand. False: nothing was counted, and `admit` is to be asked. */
  readonly admitNow: (request: Request, caller: Caller, isRegistration: boolean, headers: Headers) => boolean
  /** The same for somebody who is signed in. */
  readonly admitPerson: (account: AccountId, headers: Headers) => Effect.Effect<void, Refused>
  /** The same for a public key on an endpoint that is not for it. */
  readonly admitPublic: (request: Request, appId: AppId, headers: Headers) => Effect.Effect<void, Refused>
  /** The same for whoever shows no good key. */
  readonly admitAnonymous: (request: Request, headers: Headers) => Effect.Effect<void, Refused>
  /** The same for a link whose signature is good. */
  readonly admitLink: (request: Request, headers: Headers) => Effect.Effect<void, Refused>
  readonly admitPreflight: (request: Request, headers: Headers) => Effect.Effect<void, Refused>
  /** Whose request it is, as far as addresses tell: good for counting only. */
  readonly addressOf: (request: Request) => string
  /** Writes the headers of an answer that is not counted: to supervisors, who must get one in any case. */
  readonly pass: (headers: Headers) => void
  /**
   * The same for whom nobody could count, as the database did not say whose key it is; by the budget of which it would have
   * been, if it is good.
   */
  readonly refuse: (request: Request, isRegistration: boolean, headers: Headers) => Refused
}

/** By the looks of what a request shows. */
const classOf = ({ headers }: Request, isRegistration: boolean): RateClass => {
  const { authorization } = headers
  if (authorization === undefined) return headers["cookie"] === undefined ? "anonymous" : "session"
  const [, kind] = /(?:^|\s)([ps]k)_/.exec(authorization) ?? []
  if (kind === "sk") return "secret"
  if (kind === "pk") return isRegistration ? "devices" : "public"
  return "session"
}

const UNTRUSTED =
  "A request came with X-Forwarded-For, and TRUSTED_PROXIES is not set: if there is a load balancer in front, all of its clients are counted as one"

export const makeAdmission: Effect.Effect<Admission, never, HttpSettings | RateLimiter> = Effect.gen(function* () {
  const { rateLimits, trustedProxies } = yield* HttpSettings
  const limiter = yield* RateLimiter
  const address = clientAddress(trustedProxies)
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let hasWarned = trustedProxies.length > 0
  const addressOf = (request: Request): string => {
    if (!hasWarned && request.headers["x-forwarded-for"] !== undefined) {
      // Once: clients may send the header as often as they like.
      hasWarned = true
      fork(Effect.logWarning(UNTRUSTED))
    }
    return address(request)
  }

  const bucketOf = (name: RateClass, who: string): Bucket => ({
    key: `${name}:${who}`,
    class: name,
    budget: rateLimits[name]
  })

  const take = (bucket: Bucket, headers: Headers, then: Effect.Effect<void, Refused>): Effect.Effect<void, Refused> => {
    const decide = (verdict: Verdict) => {
      note(headers, verdict)
      return verdict.isAllowed ? then : Effect.fail(limited(verdict))
    }
    const answer = limiter.take(bucket)
    // Mostly a permit is at hand, and there is nothing to wait for.
    if (Exit.isExit(answer) && Exit.isSuccess(answer)) return decide(answer.value as Verdict)
    return Effect.matchEffect(answer, {
      onSuccess: decide,
      onFailure: (error) => {
        note(headers, error.verdict)
        return Effect.fail(unavailable(error.verdict))
      }
    })
  }

  /** The narrow budget first: who has used it up takes nothing from the others'. The headers tell of the narrow one. */
  const ofPublicKey = (request: Request, appId: AppId, name: "public" | "devices", headers: Headers) =>
    take(
      bucketOf(name, `${appId}:${addressOf(request)}`),
      headers,
      Effect.suspend(() => {
        const narrow = { ...headers }
        return Effect.map(take(bucketOf("public_total", appId), headers, Effect.void), () => {
          Object.assign(headers, narrow)
        })
      })
    )

  return {
    admit: (request, caller, isRegistration, headers) =>
      caller.kind === "secret"
        ? take(bucketOf("secret", caller.appId), headers, Effect.void)
        : ofPublicKey(request, caller.appId, isRegistration ? "devices" : "public", headers),
    admitNow: (request, { appId, kind }, isRegistration, headers) => {
      const verdict =
        kind === "secret"
          ? limiter.takeNow(bucketOf("secret", appId), null)
          : limiter.takeNow(
              bucketOf(isRegistration ? "devices" : "public", `${appId}:${addressOf(request)}`),
              bucketOf("public_total", appId)
            )
      if (verdict === null) return false
      note(headers, verdict)
      return true
    },
    admitPerson: (account, headers) => take(bucketOf("session", account), headers, Effect.void),
    admitPublic: (request, appId, headers) => ofPublicKey(request, appId, "public", headers),
    admitAnonymous: (request, headers) => take(bucketOf("anonymous", addressOf(request)), headers, Effect.void),
    admitLink: (request, headers) => take(bucketOf("links", addressOf(request)), headers, Effect.void),
    addressOf,
    admitPreflight: (request, headers) => take(bucketOf("preflight", addressOf(request)), headers, Effect.void),
    pass: (headers) => note(headers, uncounted(rateLimits.anonymous)),
    refuse: (request, isRegistration, headers) => {
      const verdict = limiter.uncountable(rateLimits[classOf(request, isRegistration)])
      note(headers, verdict)
      return unavailable(verdict)
    }
  }
})
