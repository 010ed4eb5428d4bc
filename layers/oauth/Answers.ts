import * as oauth from "oauth4webapi"
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

/** What became of a callback that shows nobody. */
export const refusalOf = (error: unknown): IdentityRefused | ProviderUnavailable => {
  if (error instanceof IdentityRefused) return error
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
