import { Effect, Exit } from "effect"
import * as oauth from "oauth4webapi"
import { accountAddress } from "../../services/domain/people/AccountAddress.ts"
import type { ExternalSignInSettings } from "../config/Settings.ts"
import { clockSkew, refusalOf, unavailableBy } from "./Answers.ts"
import type { OutboundFetch } from "./OutboundFetch.ts"
import type { Provider } from "./Provider.ts"
import { authorizationUrl, tokenResponse } from "./Provider.ts"

/** Google signs with it. No other algorithm counts, whatever the token or the provider's metadata say. */
const ALGORITHM = "RS256"
/** Seconds that its clock and ours may differ. */
const TOLERANCE = 60
/** How long what it says of itself is believed: its endpoints, and where its keys are. */
const METADATA = "1 hour"
/** How long nobody asks again when it did not answer. */
const AWAY = "2 seconds"
/** OpenID Connect Core, 2. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/

/** Whether Google hosts the mail of an address, and so knows whose it is: Gmail, and domains of its Workspace. */
const isHosted = (email: string, hostedDomain: unknown): boolean =>
  email.endsWith("@gmail.com") || (typeof hostedDomain === "string" && hostedDomain !== "")

/** OpenID Connect with Google, or with a provider that stands in its place. */
export const makeGoogle = Effect.fnUntraced(function* (
  { asksCode, clientId, clientSecret, issuer: issuerText }: NonNullable<ExternalSignInSettings["google"]>,
  fetch: OutboundFetch
): Effect.fn.Return<Provider> {
  const issuer = new URL(issuerText)
  const options = { [oauth.customFetch]: fetch }
  // One object for as long as it is believed: the provider's keys are remembered by it. Nobody's leaving ends it for
  // others; it has a deadline of its own.
  const metadata = yield* Effect.cachedWithTTL(
    Effect.uninterruptible(
      Effect.tryPromise({
        try: async () => oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options)),
        catch: (error) => unavailableBy(error, `OAUTH_GOOGLE_ISSUER: ${issuerText}`)
      })
    ),
    (exit) => (Exit.isSuccess(exit) ? METADATA : AWAY)
  )

  return {
    authorizationUrl: Effect.fnUntraced(function* (redirectUri, secrets) {
      const { authorization_endpoint } = yield* metadata
      if (authorization_endpoint === undefined || !authorization_endpoint.startsWith("https:")) {
        return yield* Effect.fail(unavailableBy(new Error("the provider names no authorization endpoint")))
      }
      return yield* authorizationUrl(authorization_endpoint, {
        clientId,
        redirectUri,
        scope: "openid email",
        ...secrets,
        more: { nonce: secrets.nonce }
      })
    }),
    identify: Effect.fnUntraced(function* (redirectUri, parameters, { nonce, state, verifier }) {
      const server = yield* metadata
      const claims = yield* Effect.tryPromise({
        try: async (signal) => {
          const client: oauth.Client = {
            client_id: clientId,
            id_token_signed_response_alg: ALGORITHM,
            [oauth.clockSkew]: clockSkew(),
            [oauth.clockTolerance]: TOLERANCE
          }
          const callback = { clientSecret, parameters, redirectUri, state, verifier }
          const answer = await tokenResponse(server, client, callback, { ...options, signal })
          const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
            expectedNonce: nonce,
            requireIdToken: true
          })
          await oauth.validateApplicationLevelSignature(server, answer, { ...options, signal })
          const claims = oauth.getValidatedIdTokenClaims(tokens)!
          if (!SUBJECT.test(claims.sub)) throw new oauth.OperationProcessingError("the subject is not one")
          return claims
        },
        catch: refusalOf("google")
      })
      const { email: text, email_verified, hd, sub: subject } = claims
      const email = email_verified === true && typeof text === "string" ? accountAddress(text) : null
      return {
        provider: "google",
        subject,
        email,
        isConfirmed: email !== null && (!asksCode || isHosted(email, hd))
      }
    })
  }
})
