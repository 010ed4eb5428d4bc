import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OpenIdProvider } from "../../../layers/oauth/OpenIdProvider.ts"
import { startOpenIdProvider } from "../../../layers/oauth/OpenIdProvider.ts"
import type { GoogleAccount } from "../../../layers/oauth/StandIns.ts"
import { reachable } from "../../../layers/oauth/StandIns.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

/*
 * Signing in by Google's road with an OpenID provider of others in its place, over HTTPS with an authority of its own: the
 * whole flow, with PKCE demanded there. ExternalSignIn.test.ts has what a provider, or a browser, may do wrong.
 */

const OURS = "https://push.example.com"
const CALLBACK = `${OURS}/api/auth/oauth/google/callback`

let provider: OpenIdProvider
let server: TestServer
beforeAll(async () => {
  provider = await startOpenIdProvider(CALLBACK)
  server = await startServer({ baseUrl: OURS, env: { ...provider.settings, ...reachable(provider.caFile) } })
})
afterAll(() => Promise.all([server.stop(), provider.close()]))

const ADA: GoogleAccount = { sub: "ada-4711", email: "ada@example.com", email_verified: true }

/** A browser that has reached us over TLS. */
const newBrowser = () => {
  const cookies = new Map<string, string>()
  const header = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const go = async (url: string) => {
    const { origin, pathname, search } = new URL(url, OURS)
    if (origin !== OURS) throw new Error(`The browser has left us for ${url}`)
    const response = await fetch(`${server.baseUrl}${pathname}${search}`, {
      redirect: "manual",
      headers: { cookie: header(), "sec-fetch-site": "cross-site" }
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === "") cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return response.headers.get("location") ?? ""
  }
  const me = async () => {
    const response = await fetch(`${server.baseUrl}/api/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: header(), "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ query: "{ me { id email externalSignIns { provider email } } }" })
    })
    return ((await response.json()) as any).data?.me
  }
  return { go, me, begin: (query = "") => go(`/api/auth/oauth/google/start${query}`) }
}

const outcomeOf = (location: string) => new URL(location, OURS).searchParams.get("external_sign_in")
const accountsOf = async (email: string) => (await server.sql`SELECT 1 FROM accounts WHERE email = ${email}`).length

describe("an OpenID provider of others", () => {
  it("is asked for a code with PKCE, state and nonce, and signs in whose address it has verified", async () => {
    const browser = newBrowser()
    const away = await browser.begin("?return_to=/settings")
    const asked = Object.fromEntries(new URL(away).searchParams)
    expect(asked).toMatchObject({
      response_type: "code",
      redirect_uri: CALLBACK,
      scope: "openid email",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/)
    })
    const back = await provider.approve(away, ADA)
    // RFC 9207: whose answer it is, stands in it.
    expect(new URL(back).searchParams.get("iss")).toBe(provider.settings.OAUTH_GOOGLE_ISSUER)
    expect(await browser.go(back)).toBe("/settings")
    const me = await browser.me()
    expect(me).toMatchObject({ email: ADA.email, externalSignIns: [{ provider: "GOOGLE", email: ADA.email }] })
    // The same person another time, whose address is another one by now.
    const other = newBrowser()
    const moved = { ...ADA, email: "elsewhere@example.com" }
    expect(await other.go(await provider.approve(await other.begin(), moved))).toBe("/")
    expect((await other.me()).id).toBe(me.id)
  })

  it("signs nobody in whose address it has not verified, and makes no account", async () => {
    const browser = newBrowser()
    const grace = { sub: "grace", email: "grace@example.com", email_verified: false }
    expect(outcomeOf(await browser.go(await provider.approve(await browser.begin(), grace)))).toBe(
      "address_not_confirmed"
    )
    expect([await browser.me(), await accountsOf(grace.email)]).toEqual([undefined, 0])
  })

  it("gives one session for one callback, however often it comes", async () => {
    const browser = newBrowser()
    const linus = { sub: "linus", email: "linus@example.com", email_verified: true }
    const back = await provider.approve(await browser.begin(), linus)
    const all = await Promise.all([1, 2, 3].map(() => browser.go(back)))
    expect(all.map(outcomeOf).toSorted()).toEqual(["expired", "expired", null])
    expect(outcomeOf(await browser.go(back))).toBe("expired")
    const sessions = await server.sql`
      SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.email = ${linus.email}`
    expect(sessions).toHaveLength(1)
  })

  it("refuses a code in a flow that is not its own: by its PKCE where it is fresh, by itself where it was used", async () => {
    const barbara = { sub: "barbara", email: "barbara@example.com", email_verified: true }
    const [victim, attacker] = [newBrowser(), newBrowser()]
    const fresh = new URL(await provider.approve(await victim.begin(), barbara))
    const injected = async () => {
      const state = new URL(await attacker.begin()).searchParams.get("state")!
      const callback = new URL(fresh)
      callback.searchParams.set("state", state)
      return outcomeOf(await attacker.go(callback.href))
    }
    expect(await injected()).toBe("refused")
    expect([await attacker.me(), await accountsOf(barbara.email)]).toEqual([undefined, 0])
    // A provider that saw its code with a wrong verifier may take it back.
    const again = await provider.approve(await victim.begin(), barbara)
    expect(outcomeOf(await victim.go(again))).toBeNull()
    fresh.search = new URL(again).search
    expect(await injected()).toBe("refused")
    expect(await attacker.me()).toBeUndefined()
  })

  it("has to be the issuer that was configured", async () => {
    const browser = newBrowser()
    const back = new URL(await provider.approve(await browser.begin(), ADA))
    back.searchParams.set("iss", "https://accounts.example.com")
    expect(outcomeOf(await browser.go(back.href))).toBe("refused")
    expect(await browser.me()).toBeUndefined()
  })
})
