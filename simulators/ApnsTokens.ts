import type { KeyObject } from "node:crypto"
import { readJwt } from "./Jwt.ts"

/** Seconds a provider token is good for. */
const LIFETIME = 3600
/** Seconds that clocks may differ. */
const SKEW = 60
/** Milliseconds within which a team's provider tokens are counted. */
const UPDATE_WINDOW = 20 * 60_000
/** Verified tokens kept; a sender that makes one for each request is refused long before. */
const KEPT = 1000

/** Judges provider tokens as Apple does: signature, algorithm, key, team, age, and how often they change. */
export class ApnsTokens {
  readonly #key: KeyObject
  readonly #teamId: string
  readonly #keyId: string
  readonly #updates: number
  /** Verified tokens by their whole header, with `iat` in seconds. */
  readonly #verified = new Map<string, number>()
  /** When the tokens that count were first seen, oldest first. Epoch milliseconds. */
  #seen: ReadonlyArray<number> = []

  constructor(key: KeyObject, teamId: string, keyId: string, updates: number) {
    this.#key = key
    this.#teamId = teamId
    this.#keyId = keyId
    this.#updates = updates
  }

  /** The reason for which an authorization header is refused, or undefined. */
  mistake(authorization: string | ReadonlyArray<string> | undefined): string | undefined {
    if (authorization === undefined) return "MissingProviderToken"
    if (typeof authorization !== "string") return "InvalidProviderToken"
    const known = this.#verified.get(authorization)
    const now = Date.now()
    if (known !== undefined) return now / 1000 - known > LIFETIME ? "ExpiredProviderToken" : undefined
    const token = /^bearer (.+)$/i.exec(authorization)?.[1]
    if (token === undefined) return "MissingProviderToken"
    const jwt = readJwt(token)
    if (jwt === undefined) return "InvalidProviderToken"
    const { claims, header } = jwt
    const iat = claims["iat"]
    if (header["kid"] !== this.#keyId || claims["iss"] !== this.#teamId) return "InvalidProviderToken"
    // Seconds: milliseconds lie in the future.
    if (typeof iat !== "number" || !Number.isInteger(iat) || iat > now / 1000 + SKEW) return "InvalidProviderToken"
    if (!jwt.signedBy(this.#key, "ES256")) return "InvalidProviderToken"
    if (now / 1000 - iat > LIFETIME) return "ExpiredProviderToken"
    this.#seen = this.#seen.filter((at) => now - at < UPDATE_WINDOW)
    if (this.#seen.length >= this.#updates) return "TooManyProviderTokenUpdates"
    this.#seen = [...this.#seen, now]
    if (this.#verified.size >= KEPT) this.#verified.clear()
    this.#verified.set(authorization, iat)
    return undefined
  }
}
