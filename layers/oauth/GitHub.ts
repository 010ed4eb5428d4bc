import { Effect } from "effect"
import * as oauth from "oauth4webapi"
import { isJsonObject } from "../../services/domain/Json.ts"
import type { AccountAddress } from "../../services/domain/people/AccountAddress.ts"
import { accountAddress } from "../../services/domain/people/AccountAddress.ts"
import type { ExternalSignInSettings } from "../config/Settings.ts"
import { refusalOf } from "./Answers.ts"
import type { OutboundFetch } from "./OutboundFetch.ts"
import type { Provider } from "./Provider.ts"
import { authorizationUrl, tokenResponse } from "./Provider.ts"

const JSON_OF_GITHUB = "application/vnd.github+json"

/** The address that GitHub writes to, where its owner has confirmed it. Others in the list may be anybody's. */
const primaryIn = (emails: unknown): AccountAddress | null => {
  if (!Array.isArray(emails)) return null
  const primary = emails.find((entry) => isJsonObject(entry) && entry["primary"] === true && entry["verified"] === true)
  const text: unknown = primary?.email
  return typeof text === "string" ? accountAddress(text) : null
}

/** OAuth with GitHub, which knows no OpenID Connect: who somebody is, its API says. */
export const makeGitHub = (
  { apiUrl, baseUrl, clientId, clientSecret }: NonNullable<ExternalSignInSettings["github"]>,
  fetch: OutboundFetch
): Provider => {
  const server: oauth.AuthorizationServer = {
    // Callbacks name it, those of older GitHub Enterprise Servers do not.
    issuer: `${baseUrl}/login/oauth`,
    authorization_endpoint: `${baseUrl}/login/oauth/authorize`,
    token_endpoint: `${baseUrl}/login/oauth/access_token`
  }
  const client: oauth.Client = { client_id: clientId }

  const ask = async (path: string, token: string, signal: AbortSignal): Promise<unknown> => {
    const answer = await oauth.protectedResourceRequest(
      token,
      "GET",
      new URL(`${apiUrl}${path}`),
      new Headers({ accept: JSON_OF_GITHUB }),
      null,
      { [oauth.customFetch]: fetch, signal }
    )
    if (answer.status !== 200) throw new Error(`GitHub's API answers ${answer.status}`)
    return answer.json()
  }

  return {
    authorizationUrl: (redirectUri, secrets) =>
      authorizationUrl(server.authorization_endpoint!, { clientId, redirectUri, scope: "user:email", ...secrets }),
    identify: (redirectUri, parameters, { state, verifier }) =>
      Effect.tryPromise({
        try: async (signal) => {
          const callback = { clientSecret, parameters, redirectUri, state, verifier }
          const answer = await tokenResponse(server, client, callback, { [oauth.customFetch]: fetch, signal })
          // GitHub's refusals come with status 200: they have no access token, which is an error of the protocol.
          const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, answer)
          const [user, emails] = await Promise.all([
            ask("/user", access_token, signal),
            ask("/user/emails?per_page=100", access_token, signal)
          ])
          const id = isJsonObject(user) ? user["id"] : undefined
          if (typeof id !== "number" || !Number.isSafeInteger(id) || id <= 0) {
            throw new oauth.OperationProcessingError("GitHub's API names no id of the user")
          }
          return { provider: "github", subject: String(id), email: primaryIn(emails), isConfirmed: false } as const
        },
        catch: refusalOf("github")
      })
  }
}
