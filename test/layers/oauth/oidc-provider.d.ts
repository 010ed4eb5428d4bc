/** What of it the tests use: the package has no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  interface Interaction {
    readonly prompt: { readonly name: string; readonly details: { readonly missingOIDCScope?: ReadonlyArray<string> } }
    readonly params: Readonly<Record<string, string>>
    readonly session?: { readonly accountId: string }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export default class OidcProvider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (grant: { readonly accountId: string; readonly clientId: string }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { readonly mergeWithLastSubmission: boolean }
    ): Promise<void>
  }
}
