import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { SignIn } from "../../../../services/engine/people/SignIn.ts"
import { AccountStore } from "../../../../services/ports/people/AccountStore.ts"
import type { AccountId } from "../../../../services/domain/Ids.ts"
import type { GitHub, GitHubAccount, Google, GoogleAccount } from "../../../layers/oauth/StandIns.ts"
import { newAccounts, reachable, startGitHub, startGoogle } from "../../../layers/oauth/StandIns.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let google: Google
let github: GitHub
/** Open to everybody; by invitation; open, reached over TLS, and without Google. */
let server: TestServer
let closed: TestServer
let secure: TestServer
beforeAll(async () => {
  google = await startGoogle()
  github = await startGitHub()
  const both = { ...google.settings, ...github.settings }
  server = await startServer({ env: { ...both, ...reachable(google.caFile, github.caFile) } })
  closed = await startServer({
    registration: "invite",
    env: { ...both, ...reachable(google.caFile, github.caFile) }
  })
  secure = await startServer({
    baseUrl: "https://push.example.com",
    env: { ...github.settings, ...reachable(google.caFile, github.caFile) }
  })
})
afterAll(() => Promise.all([server, closed, secure].map(({ stop }) => stop()).concat([google.close(), github.close()])))
beforeEach(() => {
  google.misbehave({})
  github.misbehave({})
})

const { newEmail, withGitHub, withGoogle } = newAccounts()

interface Went {
  readonly status: number
  readonly location: string
  readonly setCookies: ReadonlyArray<string>
  readonly json: any
}

/** A browser: it keeps cookies, and follows no redirect by itself. */
const newBrowser = (of: TestServer = server) => {
  const cookies = new Map<string, string>()
  const header = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const keep = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === "") cookies.delete(name!)
      else cookies.set(name!, value!)
    }
  }
  const go = async (url: string, headers: Record<string, string> = {}): Promise<Went> => {
    const { pathname, search } = new URL(url, of.baseUrl)
    const response = await fetch(`${of.baseUrl}${pathname}${search}`, {
      redirect: "manual",
      headers: { cookie: header(), "user-agent": "Browser/1.0", ...headers }
    })
    keep(response)
    const text = await response.text()
    return {
      status: response.status,
      location: response.headers.get("location") ?? "",
      setCookies: response.headers.getSetCookie(),
      json: text.startsWith("{") ? JSON.parse(text) : null
    }
  }
  const ask = async (query: string, variables: object = {}) => {
    const response = await fetch(`${of.baseUrl}/api/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: header(), "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ query, variables })
    })
    keep(response)
    const json = (await response.json()) as any
    return { data: json.data, code: json.errors?.[0].extensions.code as string | undefined }
  }
  return {
    cookies,
    go,
    ask,
    /** Goes to a provider and comes back. */
    google: async (account: GoogleAccount, query = "") =>
      go(google.approve((await go(`/api/auth/oauth/google/start${query}`, OURS)).location, account)),
    github: async (account: GitHubAccount, query = "") =>
      go(github.approve((await go(`/api/auth/oauth/github/start${query}`, OURS)).location, account)),
    me: async () => (await ask("{ me { id email externalSignIns { id provider email } } }")).data?.me,
    /** Signs in with a code, as an operator can. */
    signIn: async (email = newEmail()) => {
      const code = await of.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
      await ask(VERIFY, { email, code })
      return email
    }
  }
}
const OURS = { "sec-fetch-site": "same-origin" }
const VERIFY = `mutation($email: String!, $code: String!) { verifyLoginCode(email: $email, code: $code) { account { id } } }`
const REQUEST = "mutation($email: String!) { requestLoginCode(email: $email) }"
const outcomeOf = ({ location }: Went) => new URL(location, "http://x").searchParams.get("external_sign_in")
const accountsOf = async (of: TestServer, email: string) =>
  (await of.sql`SELECT 1 FROM accounts WHERE email = ${email}`).length
const sessionsOf = async (email: string) =>
  (await server.sql`SELECT 1 FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.email = ${email}`).length
const mailsTo = async (of: TestServer, email: string) => {
  await of.mailedCode(email)
  return of.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
}
const ADDED = (provider: string) => `Sign-in by ${provider} was added to your Heliograph account`

describe("signing in with Google", () => {
  it("makes an account with its organization, begins a session, and leads back to where it began", async () => {
    const browser = newBrowser()
    const ada = withGoogle()
    const back = await browser.google(ada, "?return_to=/settings%3Ftab%3Dkeys")
    expect([back.status, back.location]).toEqual([302, "/settings?tab=keys"])
    const [session] = back.setCookies.filter((line) => line.startsWith("service_session="))
    expect(session).toMatch(/^service_session=[\w.-]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(back.setCookies.some((line) => line.startsWith("service_device="))).toBe(true)
    expect(await browser.me()).toMatchObject({
      email: ada.email,
      externalSignIns: [{ provider: "GOOGLE", email: ada.email }]
    })
    const [organization] = (await browser.ask("{ organizations { id role plan } }")).data.organizations
    expect(organization).toMatchObject({ role: "OWNER", plan: "free" })
    // Nobody would have seen the keys of its first application.
    const [application] = await server.sql`
      SELECT (SELECT count(*)::int FROM api_keys k WHERE k.app_id = a.id) AS keys FROM applications a
      WHERE organization_id = ${organization.id}`
    expect(application).toEqual({ keys: 0 })
    expect(await mailsTo(server, ada.email)).toEqual([ADDED("Google")])
    const { log } = (await browser.ask("{ exportMyAccountData }")).data.exportMyAccountData
    expect(log).toContainEqual(expect.objectContaining({ action: "external_sign_in.bound", byThisAccount: true }))
  })

  it("goes by the subject first: neither address decides, once it is bound", async () => {
    const [browser, ada] = [newBrowser(), withGoogle()]
    await browser.google(ada)
    const { id } = await browser.me()
    const moved = newEmail()
    for (const change of [{ email: moved }, { email: moved, email_verified: false }, { email: undefined }]) {
      const other = newBrowser()
      expect((await other.google({ ...ada, ...change } as GoogleAccount)).location).toBe("/")
      expect((await other.me()).id).toBe(id)
    }
    expect(await accountsOf(server, moved)).toBe(0)
    expect(await mailsTo(server, ada.email)).toHaveLength(1)
  })

  it("binds to the account with the same address at once, where Google has confirmed it", async () => {
    const [owner, browser] = [newBrowser(), newBrowser()]
    const email = await owner.signIn()
    await browser.google(withGoogle(email.toUpperCase()))
    expect((await browser.me()).id).toBe((await owner.me()).id)
    expect(await mailsTo(server, email)).toEqual([ADDED("Google")])
  })

  it("signs nobody in to an address that Google has not confirmed, and makes no account of it", async () => {
    const owner = newBrowser()
    const known = await owner.signIn()
    for (const email of [known, newEmail()]) {
      const browser = newBrowser()
      const back = await browser.google({ ...withGoogle(email), email_verified: false })
      expect([back.location.split("?")[0], outcomeOf(back)]).toEqual(["/sign-in", "address_not_confirmed"])
      expect(await browser.me()).toBeUndefined()
      expect(await accountsOf(server, email)).toBe(email === known ? 1 : 0)
    }
    expect((await owner.me()).externalSignIns).toEqual([])
  })

  it("is good in the browser that began it, and in no other", async () => {
    const [victim, attacker] = [newBrowser(), newBrowser()]
    const mallory = withGoogle()
    const url = google.approve((await attacker.go("/api/auth/oauth/google/start")).location, mallory)
    expect(outcomeOf(await victim.go(url))).toBe("expired")
    await victim.go("/api/auth/oauth/google/start")
    expect(outcomeOf(await victim.go(url))).toBe("expired")
    expect([await victim.me(), await accountsOf(server, mallory.email)]).toEqual([undefined, 0])
    // Nobody has taken it from whom it belongs to.
    expect((await attacker.go(url)).location).toBe("/")
  })

  it("comes back once, whatever comes at the same time", async () => {
    const [browser, ada] = [newBrowser(), withGoogle()]
    google.misbehave({ takesCodesAgain: true })
    const url = google.approve((await browser.go("/api/auth/oauth/google/start")).location, ada)
    const all = await Promise.all(Array.from({ length: 10 }, () => browser.go(url)))
    expect(all.map(outcomeOf).toSorted()).toEqual([...Array.from({ length: 9 }, () => "expired"), null])
    expect(outcomeOf(await browser.go(url))).toBe("expired")
    expect(await sessionsOf(ada.email)).toBe(1)
  })

  it("may be under way in several tabs of a browser", async () => {
    const browser = newBrowser()
    const urls = [
      (await browser.go("/api/auth/oauth/google/start?return_to=/one")).location,
      (await browser.go("/api/auth/oauth/google/start?return_to=/two")).location
    ]
    const ada = withGoogle()
    const backs = [await browser.go(google.approve(urls[0]!, ada)), await browser.go(google.approve(urls[1]!, ada))]
    expect(backs.map(({ location }) => location)).toEqual(["/one", "/two"])
  })

  it("does not last longer than ten minutes", async () => {
    const browser = newBrowser()
    const url = google.approve((await browser.go("/api/auth/oauth/google/start")).location, withGoogle())
    const [row] = await server.sql`
      UPDATE oauth_states SET expires_at = now() RETURNING extract(epoch FROM expires_at - now()) AS left`
    expect(row).toBeDefined()
    expect(outcomeOf(await browser.go(url))).toBe("expired")
  })

  it("keeps neither verifier, nonce nor state as they are", async () => {
    const browser = newBrowser()
    const { searchParams } = new URL((await browser.go("/api/auth/oauth/google/start")).location)
    const [row] = await server.sql`SELECT oauth_states::text AS text FROM oauth_states ORDER BY expires_at DESC LIMIT 1`
    for (const name of ["state", "nonce"]) expect(row.text).not.toContain(searchParams.get(name))
  })

  it("ends at the sign-in page when somebody cancels, or a token does not hold", async () => {
    const browser = newBrowser()
    const url = (await browser.go("/api/auth/oauth/google/start?return_to=/x")).location
    const cancelled = await browser.go(google.deny(url))
    expect(cancelled.location).toBe("/sign-in?external_sign_in=cancelled&provider=google&return_to=%2Fx")
    for (const mischief of [
      { claims: { iss: "https://accounts.example.com" } },
      { claims: { aud: "another" } },
      { claims: { nonce: "another" } },
      { algorithm: "none" },
      { algorithm: "HS256" }
    ] as const) {
      google.misbehave(mischief)
      const ada = withGoogle()
      expect(outcomeOf(await browser.google(ada))).toBe("refused")
      expect([await browser.me(), await accountsOf(server, ada.email)]).toEqual([undefined, 0])
    }
  })

  it("says that Google does not answer, and goes on when it does", async () => {
    const browser = newBrowser()
    google.misbehave({ answers: { path: "/token", status: 503, body: "{}" } })
    expect(outcomeOf(await browser.google(withGoogle()))).toBe("unavailable")
    // It does not know this service: nothing that the person can do.
    google.misbehave({ answers: { path: "/token", status: 401, body: `{"error":"invalid_client"}` } })
    expect(outcomeOf(await browser.google(withGoogle()))).toBe("unavailable")
    google.misbehave({})
    expect((await browser.google(withGoogle())).location).toBe("/")
  })

  it("keeps where to go on when a provider does not even answer at first", async () => {
    google.misbehave({ answers: { path: "/.well-known/openid-configuration", status: 503, body: "{}" } })
    // What Google says of itself is remembered: by this one it was not asked yet.
    const fresh = await startServer({ env: { ...google.settings, ...reachable(google.caFile, github.caFile) } })
    try {
      const { location } = await newBrowser(fresh).go("/api/auth/oauth/google/start?return_to=/x")
      expect(location).toBe("/sign-in?external_sign_in=unavailable&provider=google&return_to=%2Fx")
      const page = await fetch(`${fresh.baseUrl}${location}`)
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Google does not answer")])
    } finally {
      await fresh.stop()
    }
  })

  it("lets nobody in to a disabled account", async () => {
    const [browser, ada] = [newBrowser(), withGoogle()]
    await browser.google(ada)
    const { id } = await browser.me()
    await server.run(Effect.flatMap(AccountStore, (store) => store.disable(id as AccountId)))
    const other = newBrowser()
    expect(outcomeOf(await other.google(ada))).toBe("account_disabled")
    // Neither by the address alone.
    expect(outcomeOf(await other.google(withGoogle(ada.email)))).toBe("account_disabled")
    expect(await sessionsOf(ada.email)).toBe(0)
  })

  it("leads to paths of our own alone", async () => {
    const browser = newBrowser()
    for (const path of [
      "https://elsewhere.example",
      "//elsewhere.example",
      "/\\elsewhere.example",
      "/%2felsewhere",
      "x"
    ]) {
      const went = await browser.go(`/api/auth/oauth/google/start?return_to=${encodeURIComponent(path)}`)
      expect([path, went.status, went.json?.error.details[0].field]).toEqual([path, 400, "return_to"])
    }
    expect((await browser.go("/api/auth/oauth/google/start?mode=admin")).status).toBe(400)
  })
})

describe("signing in with GitHub", () => {
  it("needs a code to the address once, and none from then on", async () => {
    const browser = newBrowser()
    const email = newEmail()
    const grace = withGitHub(email)
    const back = await browser.github(grace, "?return_to=/here")
    expect(back.location).toBe("/sign-in?external_sign_in=code&provider=github&return_to=%2Fhere")
    expect([await browser.me(), await accountsOf(server, email)]).toEqual([undefined, 0])
    const options = "{ signInOptions { registration providers pending { provider email } } }"
    expect((await browser.ask(options)).data.signInOptions).toEqual({
      registration: "OPEN",
      providers: ["GOOGLE", "GITHUB"],
      pending: { provider: "GITHUB", email }
    })
    expect((await newBrowser().ask(options)).data.signInOptions.pending).toBeNull()
    await browser.ask(REQUEST, { email })
    const code = await server.mailedCode(email)
    expect((await browser.ask(VERIFY, { email, code: code === "000000" ? "111111" : "000000" })).code).toBe(
      "unauthorized"
    )
    expect((await browser.ask(VERIFY, { email, code })).code).toBeUndefined()
    expect(await browser.me()).toMatchObject({ email, externalSignIns: [{ provider: "GITHUB", email }] })
    expect([...browser.cookies.keys()]).not.toContain("service_pending_sign_in")
    expect(await mailsTo(server, email)).toContain(ADDED("GitHub"))
    const other = newBrowser()
    expect((await other.github(grace, "?return_to=/here")).location).toBe("/here")
    expect((await other.me()).email).toBe(email)
  })

  it("binds nothing by a code that is given in another browser, or for another address", async () => {
    const [attacker, victim] = [newBrowser(), newBrowser()]
    const email = newEmail()
    await attacker.github(withGitHub(email))
    await victim.ask(REQUEST, { email })
    await victim.ask(VERIFY, { email, code: await server.mailedCode(email) })
    expect((await victim.me()).externalSignIns).toEqual([])
    // With the attacker's own address it is still not theirs to bind.
    await attacker.signIn()
    expect((await attacker.me()).externalSignIns).toEqual([])
  })

  it("takes no address but the primary one, when that is verified", async () => {
    const [browser, owner] = [newBrowser(), newBrowser()]
    const email = await owner.signIn()
    const emails = [
      { email, primary: true, verified: false },
      { email: newEmail(), primary: false, verified: true }
    ]
    expect(outcomeOf(await browser.github({ ...withGitHub(), emails }))).toBe("address_not_confirmed")
    expect(await browser.me()).toBeUndefined()
  })

  it("is refused with status 200, and in another issuer's name", async () => {
    const browser = newBrowser()
    github.misbehave({ tokenError: "bad_verification_code" })
    expect(outcomeOf(await browser.github(withGitHub()))).toBe("refused")
    github.misbehave({ tokenError: "incorrect_client_credentials" })
    expect(outcomeOf(await browser.github(withGitHub()))).toBe("unavailable")
    github.misbehave({})
    const { location } = await browser.go("/api/auth/oauth/github/start")
    expect(outcomeOf(await browser.go(github.approve(location, withGitHub(), google.url)))).toBe("refused")
    // What one provider began, the other does not end.
    const mixed = (await browser.go("/api/auth/oauth/github/start")).location
    const url = github.approve(mixed, withGitHub()).replace("/github/callback", "/google/callback")
    expect(outcomeOf(await browser.go(url))).toBe("expired")
  })
})

describe("where registration is by invitation", () => {
  it("makes no account for whoever was not invited", async () => {
    const browser = newBrowser(closed)
    const ada = withGoogle()
    expect(outcomeOf(await browser.google(ada))).toBe("registration_closed")
    expect(await accountsOf(closed, ada.email)).toBe(0)
    const email = newEmail()
    expect(outcomeOf(await browser.github(withGitHub(email)))).toBe("code")
    await browser.ask(REQUEST, { email })
    expect(await closed.mailedCode(email)).toBeNull()
    expect((await browser.ask("{ signInOptions { registration } }")).data.signInOptions.registration).toBe("INVITE")
  })

  it("lets in who was invited", async () => {
    const [owner, guest] = [newBrowser(closed), newBrowser(closed)]
    await owner.signIn()
    const [{ id }] = (await owner.ask("{ organizations { id } }")).data.organizations
    const ada = withGoogle()
    await owner.ask(
      `mutation($id: ID!, $email: String!) {
      inviteMember(organizationId: $id, email: $email, role: VIEWER) { id } }`,
      { id, email: ada.email }
    )
    expect((await guest.google(ada)).location).toBe("/")
    expect((await guest.me()).email).toBe(ada.email)
  })
})

describe("over TLS, without Google", () => {
  it("has cookies that no other host can set", async () => {
    const { setCookies } = await newBrowser(secure).go("/api/auth/oauth/github/start")
    expect(setCookies).toEqual([
      expect.stringMatching(/^__Host-service_oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    ])
  })

  it("gives and takes the session's cookie for TLS alone", async () => {
    const ask = (query: string, headers: Record<string, string> = {}) =>
      secure.call("POST", "/api/graphql", { body: { query }, headers })
    const email = "tls@example.com"
    await ask(`mutation { requestLoginCode(email: "${email}") }`)
    const code = await secure.mailedCode(email)
    const begun = await ask(`mutation { verifyLoginCode(email: "${email}", code: "${code}") { token } }`)
    const { token } = begun.json.data.verifyLoginCode
    expect(begun.headers.getSetCookie()).toEqual([
      `service_session=${token}; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Lax`,
      expect.stringMatching(
        /^__Host-service_device=[\x21-\x7e]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/
      )
    ])
    // One that another host of the domain has put beside it makes no stranger of the browser.
    const device = /^[^=]+=([^;]+)/.exec(begun.headers.getSetCookie()[1]!)![1]!
    const next = await secure.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
    const again = await ask(`mutation { verifyLoginCode(email: "${email}", code: "${next}") { token } }`, {
      cookie: `service_device=tossed; __Host-service_device=${device}`
    })
    expect(again.headers.getSetCookie()[1]).toContain(`__Host-service_device=${device};`)
    const ended = await ask("mutation { logout }", {
      cookie: `service_session=${token}`,
      origin: "https://push.example.com"
    })
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([
      200,
      ["service_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"]
    ])
  })

  it("offers nothing by Google, wherever one begins", async () => {
    const browser = newBrowser(secure)
    for (const path of ["start", "callback?state=x&code=y", "start?mode=link"]) {
      expect((await browser.go(`/api/auth/oauth/google/${path}`, OURS)).status).toBe(404)
    }
    expect((await browser.ask("{ signInOptions { providers } }")).data.signInOptions.providers).toEqual(["GITHUB"])
    expect((await browser.go("/api/auth/oauth/gitlab/start")).status).toBe(404)
  })
})

describe("adding a sign-in to one's account", () => {
  it("is done at once with Google, for the account's own address", async () => {
    const browser = newBrowser()
    const email = await browser.signIn()
    const back = await browser.google(withGoogle(email), "?mode=link&return_to=/settings/security")
    expect(back.location).toBe("/settings/security?external_sign_in=bound&provider=google")
    expect((await browser.me()).externalSignIns).toMatchObject([{ provider: "GOOGLE", email }])
    expect(await mailsTo(server, email)).toEqual([ADDED("Google")])
  })

  it("needs a code with GitHub, that is good for nothing else", async () => {
    const browser = newBrowser()
    const email = await browser.signIn()
    const back = await browser.github(withGitHub(email), "?mode=link&return_to=/settings")
    expect(back.location).toBe("/settings?external_sign_in=code&provider=github")
    const CONFIRM = "mutation($code: String!) { confirmExternalSignIn(code: $code) { provider email } }"
    expect((await browser.ask("mutation { requestExternalSignInCode }")).data).toEqual({
      requestExternalSignInCode: true
    })
    const code = (await server.mailedCode(email))!
    expect((await browser.ask("mutation($code: String!) { deleteAccount(code: $code) }", { code })).code).toBe(
      "unauthorized"
    )
    expect((await browser.ask(CONFIRM, { code: code === "000000" ? "111111" : "000000" })).code).toBe("unauthorized")
    expect((await browser.ask(CONFIRM, { code })).data.confirmExternalSignIn).toEqual({ provider: "GITHUB", email })
    expect((await browser.ask(CONFIRM, { code })).code).toBe("not_found")
    expect((await browser.ask("mutation { requestExternalSignInCode }")).code).toBe("not_found")
    expect((await browser.me()).externalSignIns).toMatchObject([{ provider: "GITHUB" }])
  })

  it("is for the session that began it, and for its account's address", async () => {
    const browser = newBrowser()
    const email = await browser.signIn()
    const begin = async () => (await browser.go("/api/auth/oauth/google/start?mode=link&return_to=/s", OURS)).location
    // Somebody else signs in to the same browser meanwhile.
    const url = google.approve(await begin(), withGoogle(email))
    await browser.signIn()
    expect(outcomeOf(await browser.go(url))).toBe("session_ended")
    expect((await browser.me()).externalSignIns).toEqual([])
    // The session ends meanwhile.
    const second = google.approve(await begin(), withGoogle(email))
    await browser.ask("mutation { logout }")
    expect(outcomeOf(await browser.go(second))).toBe("expired")
    // Whoever makes the browser sign in to Google as somebody else has bound nothing.
    await browser.signIn(email)
    const other = await browser.google(withGoogle(), "?mode=link&return_to=/s")
    expect(other.location).toBe("/s?external_sign_in=another_address&provider=google")
    const unconfirmed = { ...withGoogle(email), email_verified: false }
    expect(outcomeOf(await browser.google(unconfirmed, "?mode=link"))).toBe("address_not_confirmed")
    expect((await browser.me()).externalSignIns).toEqual([])
  })

  it("takes no identity from another account", async () => {
    const [one, other] = [newBrowser(), newBrowser()]
    const ada = withGoogle()
    await one.google(ada)
    const email = await other.signIn()
    expect(outcomeOf(await other.google({ ...ada, email }, "?mode=link"))).toBe("bound_to_another")
    expect((await other.me()).externalSignIns).toEqual([])
  })

  it("begins on our own pages, signed in", async () => {
    const browser = newBrowser()
    const start = "/api/auth/oauth/google/start?mode=link"
    expect((await browser.go(start, OURS)).status).toBe(401)
    await browser.signIn()
    expect((await browser.go(start, { "sec-fetch-site": "cross-site" })).status).toBe(403)
    expect((await browser.go(start)).status).toBe(403)
    expect((await browser.go(start, OURS)).status).toBe(302)
  })
})

describe("removing a sign-in", () => {
  const UNBIND = "mutation($id: ID!) { unbindExternalSignIn(id: $id) }"

  it("ends it, tells the owner, and leaves the code by mail", async () => {
    const [browser, email] = [newBrowser(), newEmail()]
    const grace = withGitHub(email)
    await browser.github(grace)
    await browser.signIn(email)
    const [{ id }] = (await browser.me()).externalSignIns
    expect((await browser.ask(UNBIND, { id })).data).toEqual({ unbindExternalSignIn: true })
    expect((await browser.ask(UNBIND, { id })).code).toBe("not_found")
    expect((await browser.me()).externalSignIns).toEqual([])
    expect(await mailsTo(server, email)).toContain("Sign-in by GitHub was removed from your Heliograph account")
    expect(outcomeOf(await newBrowser().github(grace))).toBe("code")
    const { log } = (await browser.ask("{ exportMyAccountData }")).data.exportMyAccountData
    expect(log[0]).toMatchObject({ action: "external_sign_in.unbound", byThisAccount: true })
  })

  it("is nobody else's to do", async () => {
    const [owner, other] = [newBrowser(), newBrowser()]
    await owner.google(withGoogle())
    const [{ id }] = (await owner.me()).externalSignIns
    await other.signIn()
    expect((await other.ask(UNBIND, { id })).code).toBe("not_found")
    expect((await newBrowser().ask(UNBIND, { id })).code).toBe("unauthorized")
    expect((await owner.me()).externalSignIns).toHaveLength(1)
  })

  it("comes with the account's end", async () => {
    const [browser, ada] = [newBrowser(), withGoogle()]
    await browser.google(ada)
    const { id } = await browser.me()
    await browser.ask(REQUEST, { email: ada.email })
    const code = await server.mailedCode(ada.email)
    await browser.ask("mutation($code: String!) { deleteAccount(code: $code) }", { code })
    const again = newBrowser()
    await again.google(ada)
    expect((await again.me()).id).not.toBe(id)
  })
})

it("answers 503 while the database is away or hangs, and signs nobody in", async () => {
  const browser = newBrowser()
  const url = google.approve((await browser.go("/api/auth/oauth/google/start")).location, withGoogle())
  const both = () => Promise.all([browser.go("/api/auth/oauth/google/start"), browser.go(url)])
  server.outage.isDown = true
  expect((await both()).map(({ status }) => status)).toEqual([503, 503])
  server.outage.isDown = false
  server.outage.freeze()
  expect((await both()).map(({ status }) => status)).toEqual([503, 503])
  server.outage.thaw()
})
