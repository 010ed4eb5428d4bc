import { createPublicKey, randomBytes, type KeyObject } from "node:crypto"
import { readJwt } from "./Jwt.ts"
import type { Exchange } from "./SecureServer.ts"

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const SCOPES = ["https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform"]
/** Seconds: the longest life of an assertion. */
const ASSERTION_LIFETIME = 3600
/** Seconds that clocks may differ. */
const SKEW = 60

export interface OAuthOptions {
  readonly clientEmail: string
  /** PEM: the public half of the service account's key. */
  readonly publicKey: string
  /** The service account's private_key_id, when it has one. */
  readonly keyId?: string | undefined
  /** Seconds that an access token lives. */
  readonly lifetime: number
}

/** Google's OAuth token endpoint for service accounts (RFC 7523). */
export class OAuth {
  readonly #options: OAuthOptions
  readonly #key: KeyObject
  /** The access tokens in force, by their authorization header, with their ends in epoch milliseconds. */
  readonly #tokens = new Map<string, number>()
  /** The token endpoint's address, which assertions must be addressed to. */
  audience = ""
  issued = 0

  constructor(options: OAuthOptions) {
    this.#options = options
    this.#key = createPublicKey(options.publicKey)
  }

  /** Whether an authorization header carries a token issued here and not yet expired. */
  admits(authorization: unknown): boolean {
    const end = typeof authorization === "string" ? this.#tokens.get(authorization) : undefined
    return end !== undefined && Date.now() < end
  }

  /** Ends all access tokens, as a rotation of the account's key does. */
  revoke(): void {
    this.#tokens.clear()
  }

  /** Answers POST /token; calls `refused` with the OAuth error when it gives none. */
  token(exchange: Exchange, refused: (error: string) => void): void {
    const failure = this.#failure(exchange)
    const headers = { "content-type": "application/json; charset=utf-8" }
    if (failure !== undefined) {
      const [error, description] = failure
      refused(error)
      exchange.answer(400, headers, JSON.stringify({ error, error_description: description }))
      return
    }
    const token = `ya29.${randomBytes(24).toString("base64url")}`
    this.issued++
    this.#tokens.set(`Bearer ${token}`, Date.now() + this.#options.lifetime * 1000)
    exchange.answer(
      200,
      headers,
      JSON.stringify({ access_token: token, expires_in: this.#options.lifetime, token_type: "Bearer" })
    )
  }

  #failure(exchange: Exchange): readonly [error: string, description: string] | undefined {
    if (!String(exchange.headers["content-type"]).startsWith("application/x-www-form-urlencoded")) {
      return ["invalid_request", "The body must be a form."]
    }
    const form = new URLSearchParams(exchange.body.toString())
    if (form.get("grant_type") !== GRANT) return ["unsupported_grant_type", "Invalid grant_type."]
    const jwt = readJwt(form.get("assertion") ?? "")
    if (jwt === undefined) return ["invalid_grant", "Bad Request"]
    const { claims, header } = jwt
    if (claims["iss"] !== this.#options.clientEmail) return ["invalid_grant", "Invalid grant: account not found"]
    const keyId = this.#options.keyId
    if (keyId !== undefined && header["kid"] !== undefined && header["kid"] !== keyId) {
      return ["invalid_grant", "Invalid grant: key not found"]
    }
    if (!jwt.signedBy(this.#key, "RS256")) return ["invalid_grant", "Invalid JWT Signature."]
    if (claims["aud"] !== this.audience) return ["invalid_grant", "Invalid JWT: Failed audience check."]
    const { exp, iat } = claims
    const now = Date.now() / 1000
    if (typeof iat !== "number" || typeof exp !== "number") {
      return ["invalid_grant", "Invalid JWT: iat and exp must be numbers."]
    }
    if (iat > now + SKEW || exp < now - SKEW || exp - iat > ASSERTION_LIFETIME) {
      return [
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
      ]
    }
    const scope = claims["scope"]
    if (typeof scope !== "string" || !scope.split(" ").some((one) => SCOPES.includes(one))) {
      return ["invalid_scope", "Invalid OAuth scope or ID token audience provided."]
    }
    return undefined
  }
}
