import { generateKeyPairSync, randomBytes } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, request as ask } from "node:https"
import type { AddressInfo } from "node:net"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exportJWK } from "jose"
import OidcProvider from "oidc-provider"
import { makeCertificates, writeCa } from "../../../simulators/Certificates.ts"
import type { GoogleAccount } from "./StandIns.ts"
import { CLIENT } from "./StandIns.ts"

/*
 * An OpenID provider that others have written and had certified (npm's `oidc-provider`), over HTTPS. It does nothing wrong,
 * as the stand-ins do, and owes nothing to how we read the specifications.
 */

/** Where people are asked: each path has its interaction's id behind it. */
const ASKED = "/interaction/"

/** The browser of somebody at the provider: it keeps its cookies there. */
const makeVisitor = (ca: string) => {
  const cookies = new Map<string, string>()
  const visit = (url: string): Promise<{ readonly status: number; readonly location: string; readonly body: string }> =>
    new Promise((resolve, reject) => {
      const header = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      ask(url, { ca, headers: { cookie: header } }, (response) => {
        for (const line of response.headers["set-cookie"] ?? []) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
          if (value === "") cookies.delete(name!)
          else cookies.set(name!, value!)
        }
        let body = ""
        response.setEncoding("utf8").on("data", (text) => (body += text))
        const { location = "" } = response.headers
        response.on("end", () => resolve({ status: response.statusCode!, location, body }))
      })
        .on("error", reject)
        .end()
    })
  return visit
}

export const startOpenIdProvider = async (redirectUri: string) => {
  const certificates = makeCertificates()
  const folder = await mkdtemp(join(tmpdir(), "heliograph-openid-"))
  const accounts = new Map<string, GoogleAccount>()
  /** Who is at the browser. */
  let somebody = ""

  let handle: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer({ cert: certificates.cert, key: certificates.key }, (request, response) =>
    handle(request, response)
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const provider = new OidcProvider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "client_secret_post",
        id_token_signed_response_alg: "RS256"
      }
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "one", alg: "RS256", use: "sig" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    // As Google does it: what the scopes ask for stands in the id token.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `${ASKED}${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => accounts.get(sub) })
  })
  const serve = provider.callback()

  /** Whoever is asked signs in, and agrees. */
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { params, prompt, session } = await provider.interactionDetails(request, response)
    if (prompt.name === "login") {
      const result = { login: { accountId: somebody } }
      return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params["client_id"]! })
    grant.addOIDCScope((prompt.details.missingOIDCScope ?? []).join(" "))
    const result = { consent: { grantId: await grant.save() } }
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  }
  handle = (request, response) => {
    if (!request.url!.startsWith(ASKED)) return serve(request, response)
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  }

  return {
    caFile: await writeCa(certificates, folder),
    settings: {
      OAUTH_GOOGLE_CLIENT_ID: CLIENT.id,
      OAUTH_GOOGLE_CLIENT_SECRET: CLIENT.secret,
      OAUTH_GOOGLE_ISSUER: url
    },
    /** Somebody signs in there, in a browser of their own, and agrees. Answers where the browser goes then. */
    approve: async (from: string, account: GoogleAccount): Promise<string> => {
      accounts.set(account.sub, account)
      somebody = account.sub
      const visit = makeVisitor(certificates.ca)
      let at = from
      while (new URL(at).origin === url) {
        const { body, location, status } = await visit(at)
        if (location === "") throw new Error(`The provider answered ${status} to ${at}: ${body}`)
        at = new URL(location, at).href
      }
      return at
    },
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await rm(folder, { recursive: true, force: true })
    }
  }
}
export type OpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>
