import { Effect, Layer } from "effect"
import { generateRandomCodeVerifier, generateRandomNonce, generateRandomState } from "oauth4webapi"
import type { ExternalProvider } from "../../services/domain/people/ExternalIdentity.ts"
import { EXTERNAL_PROVIDERS } from "../../services/domain/people/ExternalIdentity.ts"
import { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import { IdentityProviders, ProviderUnavailable } from "../../services/ports/people/IdentityProviders.ts"
import { Settings } from "../config/Settings.ts"
import { makeGitHub } from "./GitHub.ts"
import { makeGoogle } from "./Google.ts"
import { makeFetch } from "./OutboundFetch.ts"
import type { Provider } from "./Provider.ts"

/** Of all requests that one redirect needs together; each has 10 seconds of them. */
const DEADLINE = "20 seconds"

export const layer: Layer.Layer<IdentityProviders, never, Settings | SmallRequests> = Layer.effect(
  IdentityProviders,
  Effect.gen(function* () {
    const { externalSignIn } = yield* Settings
    const fetch = makeFetch(yield* SmallRequests)
    const providers: Readonly<Record<ExternalProvider, Provider | null>> = {
      google: externalSignIn.google === null ? null : yield* makeGoogle(externalSignIn.google, fetch),
      github: externalSignIn.github === null ? null : makeGitHub(externalSignIn.github, fetch)
    }

    const of = (name: ExternalProvider): Effect.Effect<Provider> => {
      const provider = providers[name]
      return provider === null ? Effect.die(new Error(`${name} is not offered`)) : Effect.succeed(provider)
    }
    const inTime = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | ProviderUnavailable> =>
      Effect.timeoutOrElse(work, {
        duration: DEADLINE,
        orElse: () => Effect.fail(new ProviderUnavailable({ reason: "no answer in time" }))
      })

    return IdentityProviders.of({
      offered: EXTERNAL_PROVIDERS.filter((name) => providers[name] !== null),
      newSecrets: () => ({
        state: generateRandomState(),
        verifier: generateRandomCodeVerifier(),
        nonce: generateRandomNonce()
      }),
      authorizationUrl: (name, redirectUri, secrets) =>
        Effect.flatMap(of(name), (provider) => inTime(provider.authorizationUrl(redirectUri, secrets))),
      identify: (name, redirectUri, parameters, secrets) =>
        Effect.flatMap(of(name), (provider) => inTime(provider.identify(redirectUri, parameters, secrets)))
    })
  })
)
