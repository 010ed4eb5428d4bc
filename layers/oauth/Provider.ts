import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import type { ExternalIdentity } from "../../services/domain/people/ExternalIdentity.ts"
import type {
  IdentityRefused,
  ProviderUnavailable,
  RedirectSecrets
} from "../../services/ports/people/IdentityProviders.ts"

/** One provider's part of `IdentityProviders`. */
export interface Provider {
  readonly authorizationUrl: (
    redirectUri: string,
    secrets: RedirectSecrets
  ) => Effect.Effect<string, ProviderUnavailable>
  readonly identify: (
    redirectUri: string,
    parameters: URLSearchParams,
    secrets: RedirectSecrets
  ) => Effect.Effect<ExternalIdentity, IdentityRefused | ProviderUnavailable>
}

interface Request {
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  readonly state: string
  readonly verifier: string
  readonly more?: Readonly<Record<string, string>>
}

/** The request of RFC 6749, 4.1.1, with the challenge of RFC 7636 by SHA-256. */
export const authorizationUrl = (
  endpoint: string,
  { clientId, more = {}, redirectUri, scope, state, verifier }: Request
): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => oauth.calculatePKCECodeChallenge(verifier)),
    (challenge) => {
      const url = new URL(endpoint)
      const parameters = {
        response_type: "code",
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: challenge,
        code_challenge_method: "S256",
        ...more
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    }
  )

interface Callback {
  readonly clientSecret: string
  readonly redirectUri: string
  readonly parameters: URLSearchParams
  readonly state: string
  readonly verifier: string
}

/** What a provider answers to the code of a callback (RFC 6749, 4.1.3). Rejects a callback that is not one of ours. */
export const tokenResponse = async (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  { clientSecret, parameters, redirectUri, state, verifier }: Callback,
  options: oauth.TokenEndpointRequestOptions
): Promise<Response> =>
  oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost(clientSecret),
    oauth.validateAuthResponse(server, client, parameters, state),
    redirectUri,
    verifier,
    options
  )
