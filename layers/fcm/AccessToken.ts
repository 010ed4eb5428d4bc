import { Cache, Clock, Data, Duration, Effect, Equal, Exit, Hash } from "effect"
import { SignJWT } from "jose/jwt/sign"
import { createPrivateKey, hash } from "node:crypto"
import type { FcmCredential } from "../../services/domain/sending/Credential.ts"
import { isJsonObject } from "../../services/domain/Json.ts"
import { pauseOf, retryAfterMs, shownLine } from "../../services/domain/sending/Push.ts"
import { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import type { Outcome } from "../../services/ports/sending/Provider.ts"

type ServiceAccount = FcmCredential["service_account"]

const GOOGLE = "https://oauth2.googleapis.com/token"
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const DEADLINE_MS = 20_000
/** A token is renewed so long before its end that no request under way outlives it. */
const MARGIN_MS = 5 * 60_000
/**
 * A token is kept for no less, so that nobody has an assertion signed for each batch, and for no longer, whatever its
 * server says: one that has expired is found out when FCM refuses it, and Google's last an hour.
 */
const SHORTEST_MS = 60_000
const LONGEST_MS = 24 * 3_600_000
/** What a header can hold, and what is sent with each message. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/
const ACCOUNTS = 10_000

/** There is no access token: what that means for the messages that need one. */
export class NoToken extends Data.TaggedError("NoToken")<{ readonly outcome: Outcome }> {}

interface Token {
  readonly text: string
  readonly lifetimeMs: number
}

/** An account by what it signs with: applications and versions that share one share its token. */
class Account implements Equal.Equal {
  readonly account: ServiceAccount
  readonly id: string
  constructor(account: ServiceAccount) {
    this.account = account
    const { client_email, private_key, token_uri } = account
    this.id = hash("sha256", JSON.stringify([client_email, private_key, token_uri]))
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Account && that.id === this.id
  }
  [Hash.symbol](): number {
    return Hash.string(this.id)
  }
}

/**
 * The assertion of RFC 7523: signed by the account, addressed to its token endpoint, good for an hour. Web Crypto does not
 * sign on this thread: it takes milliseconds, and the key is a customer's.
 */
const assertionOf = async (account: ServiceAccount, audience: string, now: number): Promise<string> => {
  const keyId = account["private_key_id"]
  const iat = Math.floor(now / 1000)
  return new SignJWT({ iss: account.client_email, scope: SCOPE, aud: audience, iat, exp: iat + 3600 })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(typeof keyId === "string" && { kid: keyId }) })
    .sign(createPrivateKey(account.private_key))
}

const hold = (reason: string) => new NoToken({ outcome: { _tag: "Suspend", reason } })
const retry = (reason: string, afterMs: number | null = null) =>
  new NoToken({ outcome: { _tag: "Retry", reason, afterMs } })

/** Reads the token endpoint's answer. An error that only a repaired credential can end holds it. */
export const tokenOf = (status: number, body: string, retryAfter: string | undefined, now: number): Token | NoToken => {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    parsed = undefined
  }
  const answer = isJsonObject(parsed) ? parsed : {}
  const { access_token, expires_in, error, error_description } = answer
  if (status === 200 && typeof access_token === "string" && access_token !== "") {
    if (!TOKEN.test(access_token)) return hold("the token_uri of the service account gives what is no access token")
    const lifetime = typeof expires_in === "number" && expires_in > 0 ? expires_in * 1000 : 3_600_000
    const kept = Math.max(lifetime / 2, lifetime - MARGIN_MS)
    return { text: access_token, lifetimeMs: Math.min(LONGEST_MS, Math.max(SHORTEST_MS, kept)) }
  }
  const wait = retryAfterMs(retryAfter, now)
  if (status === 429) {
    return new NoToken({
      outcome: { _tag: "Slow", scope: "project", reason: "oauth_quota", afterMs: pauseOf(wait, 60_000) }
    })
  }
  if (typeof error === "string" && status >= 400 && status < 500) {
    const more = typeof error_description === "string" ? `: ${error_description}` : ""
    return hold(`Google refuses the service account (${shownLine(`${error}${more}`)})`)
  }
  return retry(`oauth_status_${status}`, wait)
}

export interface AccessTokens {
  /** The account's token: cached for its lifetime, fetched once however many ask. */
  readonly get: (account: ServiceAccount) => Effect.Effect<string, NoToken>
  /** FCM does not accept this token: the next `get` fetches another, unless somebody has already. */
  readonly refused: (account: ServiceAccount, token: string) => Effect.Effect<void>
}

export const makeAccessTokens: Effect.Effect<AccessTokens, never, SmallRequests> = Effect.gen(function* () {
  const { send } = yield* SmallRequests

  const fetchToken = Effect.fnUntraced(function* ({ account }: Account) {
    const uri = account.token_uri ?? GOOGLE
    const now = yield* Clock.currentTimeMillis
    const assertion = yield* Effect.tryPromise({
      try: () => assertionOf(account, uri, now),
      catch: () => hold("the private key of the service account cannot be read as an RSA key")
    })
    const request = {
      url: uri,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
      deadlineMs: DEADLINE_MS,
      isOurs: uri === GOOGLE
    }
    const answer = yield* send(request).pipe(
      Effect.catchTags({
        NoAnswer: ({ tlsFault }) => Effect.fail(retry(`oauth_${tlsFault ?? "unreachable"}`)),
        OutboundRefused: (refused) =>
          Effect.fail(
            refused.transient
              ? retry("oauth_unresolved")
              : hold(`the token_uri of the service account may not be called: ${refused.words}`)
          )
      })
    )
    const after = answer.headers["retry-after"]
    const token = tokenOf(answer.status, answer.body, typeof after === "string" ? after : undefined, now)
    return token instanceof NoToken ? yield* token : token
  })

  const cache = yield* Cache.makeWith(fetchToken, {
    capacity: ACCOUNTS,
    // A failure is nobody's but those who waited for it: the engine decides when to try again.
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(exit.value.lifetimeMs) : Duration.zero)
  })

  return {
    get: (account) => Effect.map(Cache.get(cache, new Account(account)), (token) => token.text),
    refused: (account, token) =>
      Effect.asVoid(Cache.invalidateWhen(cache, new Account(account), (current) => current.text === token))
  }
})
