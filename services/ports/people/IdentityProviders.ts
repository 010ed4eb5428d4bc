import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { ExternalIdentity, ExternalProvider } from "../../domain/people/ExternalIdentity.ts"

/** The provider says no, or what it says does not hold. `reason` is for the log: it has no code and no token in it. */
export class IdentityRefused extends Schema.TaggedError<IdentityRefused>()("IdentityRefused", {
  /** `cancelled`: the person did not want to, or may not. */
  kind: Schema.Literals(["cancelled", "refused"]),
  reason: Schema.String
}) {}

/** The provider does not answer, not as it should, or nothing to this service. `reason` names the settings to look at. */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  reason: Schema.String
}) {}

/** What one redirect is recognized by when it comes back. Nobody but the browser sees `state`, and nobody the others. */
export interface RedirectSecrets {
  readonly state: string
  /** PKCE's (RFC 7636). */
  readonly verifier: string
  /** OpenID Connect's, which comes back in the id token. */
  readonly nonce: string
}

/** Sign-in with other services: authorization code with PKCE, by redirects of the browser. */
export class IdentityProviders extends Context.Service<
  IdentityProviders,
  {
    /** Those that the operator has registered this service with. */
    readonly offered: ReadonlyArray<ExternalProvider>
    /** New secrets for one redirect. */
    readonly newSecrets: () => RedirectSecrets
    /** Where the browser goes. `redirectUri` is where it comes back to, as it is registered. */
    readonly authorizationUrl: (
      provider: ExternalProvider,
      redirectUri: string,
      secrets: RedirectSecrets
    ) => Effect.Effect<string, ProviderUnavailable>
    /** Who came back. `parameters` are those of the callback, `secrets` those that the redirect began with. */
    readonly identify: (
      provider: ExternalProvider,
      redirectUri: string,
      parameters: URLSearchParams,
      secrets: RedirectSecrets
    ) => Effect.Effect<ExternalIdentity, IdentityRefused | ProviderUnavailable>
  }
>()("heliograph/ports/IdentityProviders") {}
