import * as oauth from "oauth4webapi"
import { isJsonObject } from "../../services/domain/Json.ts"
import type { ExternalProvider } from "../../services/domain/people/ExternalIdentity.ts"
import { now } from "../../services/ports/Now.ts"
import { IdentityRefused, ProviderUnavailable } from "../../services/ports/people/IdentityProviders.ts"

/** Answers that are none of the protocol: of a provider, or of something before it, that is not well. */
const UNWELL: ReadonlySet<unknown> = new Set([oauth.RESPONSE_IS_NOT_CONFORM, oauth.RESPONSE_IS_NOT_JSON])

/** What went wrong, in the library's words, which name neither codes nor tokens. */
const wordsOf = (error: unknown): string => {
  const { message } = error as Error
  const { error: code } = error as { readonly error?: unknown }
  return typeof code === "string" ? `${message} (${code.slice(0, 100)})` : message
}

/** `setting`: the operator's, that says whom to ask. */
export const unavailableBy = (error: unknown, setting?: string): ProviderUnavailable =>
  new ProviderUnavailable({ reason: setting === undefined ? wordsOf(error) : `${wordsOf(error)} (${setting})` })

/** What a token endpoint says of this service instead of the person: RFC 6749, 5.2, and GitHub's own words. */
const OF_CLIENT: ReadonlySet<unknown> = new Set([
  "invalid_client",
  "unauthorized_client",
  "incorrect_client_credentials"
])
const OF_ADDRESS = "redirect_uri_mismatch"

/** The error that a token endpoint has answered with. GitHub's come with status 200, and are none to the library. */
const tokenError = (error: unknown): unknown => {
  if (error instanceof oauth.ResponseBodyError) return error.error
  const { cause } = error as { readonly cause?: unknown }
  return isJsonObject(cause) && isJsonObject(cause["body"]) ? cause["body"]["error"] : undefined
}

/** Which of the operator's settings a provider refuses; null where it is the person whom it refuses. */
const refusedSettings = (provider: ExternalProvider, said: unknown): string | null => {
  const name = `OAUTH_${provider.toUpperCase()}_CLIENT`
  if (OF_CLIENT.has(said)) return `${String(said)}: look at ${name}_ID and ${name}_SECRET`
  return said === OF_ADDRESS
    ? `${OF_ADDRESS}: the provider has to know BASE_URL with /api/auth/oauth/${provider}/callback`
    : null
}

/** What became of a callback that shows nobody. */
export const refusalOf =
  (provider: ExternalProvider) =>
  (error: unknown): IdentityRefused | ProviderUnavailable => {
    if (error instanceof IdentityRefused) return error
    const settings = refusedSettings(provider, tokenError(error))
    if (settings !== null) return new ProviderUnavailable({ reason: settings })
    const reason = wordsOf(error)
    if (error instanceof oauth.AuthorizationResponseError) {
      return new IdentityRefused({ kind: error.error === "access_denied" ? "cancelled" : "refused", reason })
    }
    const isOfProtocol =
      error instanceof oauth.OperationProcessingError ||
      error instanceof oauth.UnsupportedOperationError ||
      error instanceof oauth.ResponseBodyError ||
      error instanceof oauth.WWWAuthenticateChallengeError
    return isOfProtocol && !UNWELL.has(error.code)
      ? new IdentityRefused({ kind: "refused", reason })
      : new ProviderUnavailable({ reason })
  }

/** The service's clock, beside the machine's, by which the library goes. Seconds. */
export const clockSkew = (): number => Math.round((now() - Date.now()) / 1000)
