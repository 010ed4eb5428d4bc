import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JWTPayload } from "jose"
import { exportJWK, SignJWT, UnsecuredJWT } from "jose"
import { makeCertificates, writeCa } from "../../../simulators/Certificates.ts"

/*
 * Google and GitHub as a sign-in meets them, over HTTPS: they hold clients to what they are registered with, and do what
 * an attacker, or a provider that is not well, would.
 */

export const CLIENT = { id: "heliograph-test", secret: "a-secret-of-the-test" }

/** What Google's stand-in does wrong. */
export interface GoogleMischief {
  /** Claims that take the place of right ones; undefined leaves one out. */
  readonly claims?: JWTPayload
  readonly algorithm?: "none" | "HS256" | "RS256 of a stranger"
  readonly metadata?: object
  /** The token endpoint takes a code again. */
  readonly takesCodesAgain?: boolean
  readonly answers?: Answer
}

/** What an endpoint answers in place of everything. */
export interface Answer {
  readonly path: string
  readonly status: number
  readonly body: string
}

export interface GitHubMischief {
  /** The error that the token endpoint answers with status 200. */
  readonly tokenError?: string
  readonly answers?: Answer
}

export interface GoogleAccount {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: unknown
  readonly hd?: string
}

export interface GitHubAccount {
  readonly id: number
  readonly login: string
  readonly emails: ReadonlyArray<{ readonly email: string; readonly primary: boolean; readonly verified: boolean }>
}

interface Grant<Account> {
  readonly account: Account
  readonly challenge: string
  readonly nonce: string | null
  readonly redirectUri: string
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
const KEY_ID = "of-the-test"

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body
}

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(typeof value === "string" ? value : JSON.stringify(value))
}

/** Whether a client may have what a code stands for, by RFC 6749 and 7636. */
const refusalOf = (form: URLSearchParams, grant: Grant<unknown> | undefined): string | null => {
  if (form.get("client_id") !== CLIENT.id || form.get("client_secret") !== CLIENT.secret) return "invalid_client"
  if (form.get("grant_type") !== "authorization_code") return "unsupported_grant_type"
  const challenge = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url")
  return grant === undefined || grant.redirectUri !== form.get("redirect_uri") || grant.challenge !== challenge
    ? "invalid_grant"
    : null
}

const serve = async (handle: (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>) => {
  const certificates = makeCertificates()
  const server = createServer({ cert: certificates.cert, key: certificates.key }, (request, response) => {
    const [path] = request.url!.split("?", 1)
    handle(request, response, path!).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const folder = await mkdtemp(join(tmpdir(), "heliograph-oauth-"))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile: await writeCa(certificates, folder),
    close: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

/** What an authorization request says, where it is one that a provider would take. */
const readRequest = (url: string) => {
  const { searchParams: given } = new URL(url)
  const get = (name: string) => given.get(name) ?? ""
  if (get("client_id") !== CLIENT.id || get("response_type") !== "code") throw new Error("No such client")
  if (get("code_challenge_method") !== "S256" || get("state").length < 40) throw new Error("No PKCE, or no state")
  return {
    state: get("state"),
    scope: get("scope"),
    grant: { challenge: get("code_challenge"), nonce: given.get("nonce"), redirectUri: get("redirect_uri") }
  }
}

const callback = (redirectUri: string, parameters: Readonly<Record<string, string>>): string =>
  `${redirectUri}?${new URLSearchParams(parameters).toString()}`

/** The page at which somebody chooses who they are, or leaves. */
const choice = (
  response: ServerResponse,
  name: string,
  choices: ReadonlyArray<readonly [words: string, url: string]>
): void => {
  const links = choices.map(([words, url]) => `<p><a href="${url.replaceAll("&", "&amp;")}">${words}</a></p>`)
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" })
  response.end(`<!doctype html><html lang="en"><title>${name}</title><h1>${name}</h1>${links.join("")}</html>`)
}

export const startGoogle = async () => {
  let offered: ReadonlyArray<GoogleAccount> = []
  const grants = new Map<string, Grant<GoogleAccount>>()
  const asked: Array<string> = []
  let mischief: GoogleMischief = {}

  const idToken = async ({ account, nonce }: Grant<GoogleAccount>): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: server.url,
      aud: CLIENT.id,
      iat: now,
      exp: now + 3600,
      ...(nonce === null ? {} : { nonce }),
      ...account,
      ...mischief.claims
    }
    switch (mischief.algorithm) {
      case "none":
        return new UnsecuredJWT(claims).encode()
      case "HS256":
        // With the public key for a secret: who trusts the header's word verifies it.
        return new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid: KEY_ID })
          .sign(Buffer.from(publicKey.export({ type: "spki", format: "pem" })))
      default:
        return new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid: KEY_ID })
          .sign(mischief.algorithm === undefined ? privateKey : stranger)
    }
  }

  const server = await serve(async (request, response, path) => {
    asked.push(path)
    if (mischief.answers?.path === path) return json(response, mischief.answers.status, mischief.answers.body)
    switch (path) {
      case "/.well-known/openid-configuration":
        return json(response, 200, {
          issuer: server.url,
          authorization_endpoint: `${server.url}/authorize`,
          token_endpoint: `${server.url}/token`,
          jwks_uri: `${server.url}/certs`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          ...mischief.metadata
        })
      case "/certs":
        return json(response, 200, {
          keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: "RS256", use: "sig" }]
        })
      case "/token": {
        const form = new URLSearchParams(await bodyOf(request))
        const grant = grants.get(form.get("code") ?? "")
        const refusal = refusalOf(form, grant)
        if (refusal !== null) return json(response, 400, { error: refusal })
        if (mischief.takesCodesAgain !== true) grants.delete(form.get("code")!)
        return json(response, 200, {
          access_token: randomUUID(),
          token_type: "Bearer",
          expires_in: 3600,
          id_token: await idToken(grant!)
        })
      }
      case "/authorize": {
        const url = `${server.url}${request.url}`
        const ways = offered.map((account) => [`Go on as ${account.email}`, approve(url, account)] as const)
        return choice(response, "Google", [...ways, ["Cancel", deny(url)]])
      }
      default:
        return json(response, 404, {})
    }
  })

  const approve = (url: string, account: GoogleAccount): string => {
    const { grant, scope, state } = readRequest(url)
    if (scope !== "openid email" || (grant.nonce ?? "").length < 40) throw new Error("No nonce, or another scope")
    const code = randomUUID()
    grants.set(code, { account, ...grant })
    return callback(grant.redirectUri, { state, code })
  }
  const deny = (url: string): string => {
    const { grant, state } = readRequest(url)
    return callback(grant.redirectUri, { state, error: "access_denied" })
  }

  return {
    ...server,
    /** Paths that were asked for. */
    asked,
    /** Who somebody at a browser may say that they are. */
    offer: (...accounts: ReadonlyArray<GoogleAccount>) => {
      offered = accounts
    },
    misbehave: (next: GoogleMischief) => {
      mischief = next
    },
    /** Somebody says yes: where the browser goes then. */
    approve,
    deny,
    settings: {
      OAUTH_GOOGLE_CLIENT_ID: CLIENT.id,
      OAUTH_GOOGLE_CLIENT_SECRET: CLIENT.secret,
      OAUTH_GOOGLE_ISSUER: server.url
    }
  }
}
export type Google = Awaited<ReturnType<typeof startGoogle>>

export const startGitHub = async () => {
  let offered: ReadonlyArray<GitHubAccount> = []
  const grants = new Map<string, Grant<GitHubAccount>>()
  const tokens = new Map<string, GitHubAccount>()
  let mischief: GitHubMischief = {}

  const server = await serve(async (request, response, path) => {
    if (mischief.answers?.path === path) return json(response, mischief.answers.status, mischief.answers.body)
    const account = tokens.get(/^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "")
    switch (path) {
      case "/login/oauth/access_token": {
        const form = new URLSearchParams(await bodyOf(request))
        // Without it GitHub answers a form.
        if (request.headers.accept !== "application/json") return json(response, 200, "access_token=form")
        const grant = grants.get(form.get("code") ?? "")
        const refusal = mischief.tokenError ?? refusalOf(form, grant)
        // GitHub says so with status 200.
        if (refusal !== null) return json(response, 200, { error: refusal, error_description: "No.", error_uri: "x" })
        grants.delete(form.get("code")!)
        const access_token = `gho_${randomUUID()}`
        tokens.set(access_token, grant!.account)
        return json(response, 200, { access_token, token_type: "bearer", scope: "user:email" })
      }
      case "/api/v3/user":
        if (account === undefined || request.headers["user-agent"] === undefined) return json(response, 401, {})
        return json(response, 200, { id: account.id, login: account.login, email: "shown@elsewhere.example" })
      case "/api/v3/user/emails":
        return account === undefined ? json(response, 401, {}) : json(response, 200, account.emails)
      case "/login/oauth/authorize": {
        const url = `${server.url}${request.url}`
        const ways = offered.map((account) => [`Go on as ${account.login}`, approve(url, account)] as const)
        return choice(response, "GitHub", [...ways, ["Cancel", deny(url)]])
      }
      default:
        return json(response, 404, {})
    }
  })

  const approve = (url: string, account: GitHubAccount, iss: string | null = `${server.url}/login/oauth`): string => {
    const { grant, scope, state } = readRequest(url)
    if (scope !== "user:email") throw new Error("Another scope")
    const code = randomUUID()
    grants.set(code, { account, ...grant })
    return callback(grant.redirectUri, { code, state, ...(iss === null ? {} : { iss }) })
  }
  const deny = (url: string): string => {
    const { grant, state } = readRequest(url)
    return callback(grant.redirectUri, { state, error: "access_denied", iss: `${server.url}/login/oauth` })
  }

  return {
    ...server,
    /** Who somebody at a browser may say that they are. */
    offer: (...accounts: ReadonlyArray<GitHubAccount>) => {
      offered = accounts
    },
    misbehave: (next: GitHubMischief) => {
      mischief = next
    },
    /** `iss`: as GitHub names itself in callbacks since April 2026, unless it is another's; null as it did before. */
    approve,
    settings: {
      OAUTH_GITHUB_CLIENT_ID: CLIENT.id,
      OAUTH_GITHUB_CLIENT_SECRET: CLIENT.secret,
      OAUTH_GITHUB_BASE_URL: server.url,
      OAUTH_GITHUB_API_URL: `${server.url}/api/v3`
    }
  }
}
export type GitHub = Awaited<ReturnType<typeof startGitHub>>

/** Settings by which an engine can reach what listens here, and trusts whoever these files name beside the others. */
export const reachable = (...caFiles: ReadonlyArray<string>) => {
  const all = join(mkdtempSync(join(tmpdir(), "heliograph-oauth-")), "ca.pem")
  writeFileSync(all, caFiles.map((file) => readFileSync(file, "utf8")).join("\n"))
  return { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,198.18.7.0/24", OUTBOUND_CA_FILE: all }
}

/** People who have not been here before, each with an address that nobody else has. */
export const newAccounts = () => {
  let people = 0
  const newEmail = () => `person-${++people}@example.com`
  return {
    newEmail,
    withGoogle: (email = newEmail()): GoogleAccount & { readonly email: string } => ({
      sub: `google-${++people}`,
      email,
      email_verified: true
    }),
    withGitHub: (email = newEmail()): GitHubAccount => ({
      id: ++people,
      login: `octo-${people}`,
      emails: [
        { email: "elsewhere@example.com", primary: false, verified: true },
        { email, primary: true, verified: true }
      ]
    })
  }
}
