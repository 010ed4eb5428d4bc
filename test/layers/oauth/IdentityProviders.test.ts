import { Effect, Layer, Result } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { layer as settingsOf } from "../../../layers/config/Settings.ts"
import { layer } from "../../../layers/oauth/IdentityProviders.ts"
import { layer as outbound } from "../../../layers/outbound/OutboundPolicy.ts"
import { layer as smallRequests } from "../../../layers/outbound/SmallRequests.ts"
import type { ExternalProvider } from "../../../services/domain/people/ExternalIdentity.ts"
import type { IdentityRefused } from "../../../services/ports/people/IdentityProviders.ts"
import { IdentityProviders } from "../../../services/ports/people/IdentityProviders.ts"
import type { GitHub, GitHubAccount, Google, GoogleAccount, GoogleMischief } from "./StandIns.ts"
import { reachable, startGitHub, startGoogle } from "./StandIns.ts"

let google: Google
let github: GitHub
beforeAll(async () => {
  google = await startGoogle()
  github = await startGitHub()
})
afterAll(() => Promise.all([google.close(), github.close()]))
beforeEach(() => {
  google.misbehave({})
  github.misbehave({})
})

const REDIRECT = "https://push.example.com/api/auth/oauth/google/callback"
const ADA: GoogleAccount = { sub: "1084", email: "Ada@Example.com", email_verified: true }
const GRACE: GitHubAccount = {
  id: 583_231,
  login: "grace",
  emails: [
    { email: "old@example.com", primary: false, verified: true },
    { email: "grace@example.com", primary: true, verified: true }
  ]
}

const providers = (env: Readonly<Record<string, string>>) => {
  const settings = settingsOf(env)
  return layer.pipe(Layer.provide(smallRequests), Layer.provide(outbound), Layer.provide(settings))
}
const withGoogle = (more: Readonly<Record<string, string>> = {}) =>
  providers({ ...google.settings, ...reachable(google.caFile), ...more })
const withGitHub = () => providers({ ...github.settings, ...reachable(github.caFile) })

/** A whole way there and back. `goThere`: what happens at the provider, which answers where the browser goes. */
const travel = (name: ExternalProvider, goThere: (url: string) => string) =>
  Effect.gen(function* () {
    const them = yield* IdentityProviders
    const secrets = them.newSecrets()
    const back = goThere(yield* them.authorizationUrl(name, REDIRECT, secrets))
    return yield* them.identify(name, REDIRECT, new URL(back).searchParams, secrets)
  })

const through = (account: GoogleAccount, mischief: GoogleMischief = {}, more = {}) => {
  google.misbehave(mischief)
  return Effect.runPromise(
    Effect.result(travel("google", (url) => google.approve(url, account)).pipe(Effect.provide(withGoogle(more))))
  )
}
const refusal = async (mischief: GoogleMischief) => {
  const result = await through(ADA, mischief)
  if (Result.isSuccess(result)) throw new Error("It was believed")
  const { _tag, reason } = result.failure as IdentityRefused
  return [_tag, reason]
}

const throughGitHub = (account: GitHubAccount, iss?: string | null) =>
  Effect.runPromise(
    Effect.result(travel("github", (url) => github.approve(url, account, iss)).pipe(Effect.provide(withGitHub())))
  )

describe("Google", () => {
  it("is believed who somebody is, and their address where it has verified it", async () => {
    expect(await through(ADA)).toEqual(
      Result.succeed({ provider: "google", subject: "1084", email: "ada@example.com", isConfirmed: true })
    )
    for (const email_verified of [false, "true", 1, undefined]) {
      expect(await through({ ...ADA, email_verified })).toEqual(
        Result.succeed({ provider: "google", subject: "1084", email: null, isConfirmed: false })
      )
    }
    // No address that an account here can have.
    expect(await through({ ...ADA, email: "\u212aate@example.com" })).toMatchObject({ success: { email: null } })
  })

  it("confirms only addresses whose mail it hosts, where operators want a code of others", async () => {
    const asks = { OAUTH_GOOGLE_CODE: "on" }
    const confirmed = async (account: GoogleAccount) => {
      const result = await through(account, {}, asks)
      return Result.isSuccess(result) && [result.success.email, result.success.isConfirmed]
    }
    expect(await confirmed(ADA)).toEqual(["ada@example.com", false])
    expect(await confirmed({ ...ADA, hd: "example.com" })).toEqual(["ada@example.com", true])
    expect(await confirmed({ ...ADA, email: "ada@gmail.com" })).toEqual(["ada@gmail.com", true])
    expect(await confirmed({ ...ADA, email: "ada@notgmail.com" })).toEqual(["ada@notgmail.com", false])
  })

  it.each<[string, GoogleMischief, RegExp]>([
    ["another issuer", { claims: { iss: "https://accounts.example.com" } }, /"iss"/],
    ["another audience", { claims: { aud: "another-client" } }, /"aud"/],
    ["another nonce", { claims: { nonce: "x".repeat(43) } }, /"nonce"/],
    ["no nonce", { claims: { nonce: undefined } as never }, /"nonce"/],
    ["a time that is over", { claims: { exp: Math.floor(Date.now() / 1000) - 61 } }, /"exp"/],
    ["a subject that is none", { claims: { sub: "a b" } }, /subject/],
    ["no signature", { algorithm: "none" }, /"alg"/],
    ["a signature by the public key as a secret", { algorithm: "HS256" }, /"alg"/],
    ["a stranger's signature", { algorithm: "RS256 of a stranger" }, /signature/]
  ])("is not believed an id token with %s", async (_, mischief, reason) => {
    const [tag, words] = await refusal(mischief)
    expect([tag, words]).toEqual(["IdentityRefused", expect.stringMatching(reason)])
  })

  it("may be a minute ahead or behind", async () => {
    const now = Math.floor(Date.now() / 1000)
    expect(Result.isSuccess(await through(ADA, { claims: { exp: now - 30 } }))).toBe(true)
  })

  it("takes a code once, with the verifier that its redirect began with", async () => {
    const twice = Effect.gen(function* () {
      const them = yield* IdentityProviders
      const secrets = them.newSecrets()
      const url = yield* them.authorizationUrl("google", REDIRECT, secrets)
      const back = new URL(google.approve(url, ADA)).searchParams
      const other = { ...secrets, verifier: them.newSecrets().verifier }
      const stolen = yield* Effect.flip(them.identify("google", REDIRECT, back, other))
      const first = yield* them.identify("google", REDIRECT, back, secrets)
      const second = yield* Effect.flip(them.identify("google", REDIRECT, back, secrets))
      return [stolen._tag, first.subject, second._tag]
    })
    expect(await Effect.runPromise(twice.pipe(Effect.provide(withGoogle())))).toEqual([
      "IdentityRefused",
      "1084",
      "IdentityRefused"
    ])
  })

  it("is not asked for what a callback with another state, a foreign issuer, or no code stands for", async () => {
    const changed = (change: (back: URLSearchParams) => void) =>
      Effect.runPromise(
        Effect.flip(
          travel("google", (url) => {
            const back = new URL(google.approve(url, ADA))
            change(back.searchParams)
            return back.href
          })
        ).pipe(Effect.provide(withGoogle()))
      )
    google.asked.length = 0
    for (const change of [
      (back: URLSearchParams) => back.set("state", "x".repeat(43)),
      (back: URLSearchParams) => back.append("state", back.get("state")!),
      (back: URLSearchParams) => back.set("iss", "https://accounts.example.com"),
      (back: URLSearchParams) => back.delete("code")
    ]) {
      expect((await changed(change))._tag).toBe("IdentityRefused")
    }
    expect(google.asked).not.toContain("/token")
  })

  it("says that somebody did not want to", async () => {
    const denied = travel("google", google.deny).pipe(Effect.flip, Effect.provide(withGoogle()))
    expect(await Effect.runPromise(denied)).toMatchObject({ _tag: "IdentityRefused", kind: "cancelled" })
  })

  it.each<[string, GoogleMischief]>([
    ["names another issuer", { metadata: { issuer: "https://accounts.example.com" } }],
    ["has its authorization endpoint without TLS", { metadata: { authorization_endpoint: "http://localhost/a" } }],
    ["answers 500", { answers: { path: "/.well-known/openid-configuration", status: 500, body: "{}" } }],
    ["answers no JSON", { answers: { path: "/token", status: 200, body: "<html>" } }],
    ["answers without end", { answers: { path: "/token", status: 200, body: `"${"x".repeat(70_000)}"` } }],
    ["has its keys without TLS", { metadata: { jwks_uri: "http://localhost:1/certs" } }],
    ["has its keys where nobody may call", { metadata: { jwks_uri: "https://169.254.169.254/certs" } }]
  ])("signs nobody in when it %s", async (_, mischief) => {
    expect(Result.isFailure(await through(ADA, mischief))).toBe(true)
  })

  it("is not called where the outbound rules do not let it, or its certificate is not trusted", async () => {
    const strict = travel("google", google.deny).pipe(Effect.flip, Effect.provide(providers(google.settings)))
    expect(await Effect.runPromise(strict)).toMatchObject({
      _tag: "ProviderUnavailable",
      reason: expect.stringMatching(
        /^localhost:\d+ cannot be called: .*OUTBOUND_ALLOW_CIDRS.*OAUTH_GOOGLE_ISSUER: https:/
      )
    })
    const untrusting = providers({ ...google.settings, OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" })
    const other = travel("google", google.deny).pipe(Effect.flip, Effect.provide(untrusting))
    expect(await Effect.runPromise(other)).toMatchObject({
      _tag: "ProviderUnavailable",
      reason: expect.stringMatching(/^localhost:\d+ does not answer: .*OUTBOUND_CA_FILE/)
    })
  })

  it("is asked once for its metadata and its keys, however many sign in", async () => {
    google.asked.length = 0
    const one = travel("google", (url) => google.approve(url, ADA))
    await Effect.runPromise(
      Effect.andThen(one, Effect.all([one, one, one], { concurrency: 3 })).pipe(Effect.provide(withGoogle()))
    )
    expect(google.asked.filter((path) => path !== "/token")).toEqual(["/.well-known/openid-configuration", "/certs"])
  })
})

describe("a provider that does not know this service", () => {
  const refusalBy = async (name: "google" | "github", error: string) => {
    github.misbehave({ tokenError: error })
    const result = await (name === "google"
      ? through(ADA, { answers: { path: "/token", status: 401, body: JSON.stringify({ error }) } })
      : throughGitHub(GRACE))
    if (Result.isSuccess(result)) throw new Error("It was believed")
    const { _tag, reason } = result.failure as IdentityRefused
    return [_tag, reason]
  }

  it("is one that the operator has to look at: the reason names the settings, and no secret", async () => {
    for (const [name, error, settings] of [
      ["google", "invalid_client", /^invalid_client: .*OAUTH_GOOGLE_CLIENT_ID and OAUTH_GOOGLE_CLIENT_SECRET$/],
      ["google", "unauthorized_client", /OAUTH_GOOGLE_CLIENT_ID/],
      ["github", "incorrect_client_credentials", /OAUTH_GITHUB_CLIENT_ID and OAUTH_GITHUB_CLIENT_SECRET$/],
      ["github", "redirect_uri_mismatch", /BASE_URL with \/api\/auth\/oauth\/github\/callback$/]
    ] as const) {
      expect(await refusalBy(name, error)).toEqual(["ProviderUnavailable", expect.stringMatching(settings)])
    }
    for (const name of ["google", "github"] as const) {
      expect((await refusalBy(name, "invalid_grant"))[0]).toBe("IdentityRefused")
    }
    const wrong = { ...google.settings, ...reachable(google.caFile), OAUTH_GOOGLE_CLIENT_SECRET: "not-the-secret" }
    google.misbehave({})
    const asked = travel("google", (url) => google.approve(url, ADA))
    const failure = await Effect.runPromise(Effect.flip(asked).pipe(Effect.provide(providers(wrong))))
    expect(failure).toMatchObject({ _tag: "ProviderUnavailable", reason: expect.stringMatching(/invalid_client/) })
    expect(JSON.stringify(failure)).not.toContain("not-the-secret")
  })
})

describe("GitHub", () => {
  it("is known by the id of its user, with the primary address, which a code has to prove", async () => {
    const grace = { provider: "github", subject: "583231", email: "grace@example.com", isConfirmed: false }
    expect(await throughGitHub(GRACE)).toEqual(Result.succeed(grace))
    // As before April 2026, and as an Enterprise Server.
    expect(await throughGitHub(GRACE, null)).toEqual(Result.succeed(grace))
  })

  it("has no address where the primary one is not verified, whatever others are", async () => {
    const emails = [
      { email: "grace@example.com", primary: true, verified: false },
      { email: "victim@example.com", primary: false, verified: true }
    ]
    expect(await throughGitHub({ ...GRACE, emails })).toMatchObject({ success: { subject: "583231", email: null } })
    expect(await throughGitHub({ ...GRACE, emails: [] })).toMatchObject({ success: { email: null } })
  })

  it("refuses with status 200, and in another's name", async () => {
    github.misbehave({ tokenError: "bad_verification_code" })
    expect(await throughGitHub(GRACE)).toMatchObject({ failure: { _tag: "IdentityRefused" } })
    github.misbehave({})
    expect(await throughGitHub(GRACE, "https://github.com/login/oauth")).toMatchObject({
      failure: { _tag: "IdentityRefused" }
    })
  })

  it("signs nobody in when its API does not say who they are", async () => {
    for (const [status, body] of [
      [200, `{"login":"grace"}`],
      [200, `{"id":"583231"}`],
      [200, "[]"],
      [403, "{}"]
    ] as const) {
      github.misbehave({ answers: { path: "/api/v3/user", status, body } })
      expect(Result.isFailure(await throughGitHub(GRACE))).toBe(true)
    }
  })
})

it("offers those with a client id alone", async () => {
  const offered = (env: Readonly<Record<string, string>>) =>
    Effect.runPromise(Effect.map(IdentityProviders, ({ offered }) => offered).pipe(Effect.provide(providers(env))))
  expect(await offered({})).toEqual([])
  expect(await offered(github.settings)).toEqual(["github"])
  expect(await offered({ ...github.settings, ...google.settings })).toEqual(["google", "github"])
})
