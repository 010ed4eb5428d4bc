import { Effect } from "effect"
import type { GraphQLOutputType } from "graphql"
import { getNamedType, isObjectType } from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read as readSettings } from "../../../layers/config/Settings.ts"
import { SignIn } from "../../../services/engine/people/SignIn.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { bareSchema } from "../../../src/graphql/Schema.ts"
import type { Answer, TestServer } from "../http/TestServer.ts"
import { startServer } from "../http/TestServer.ts"

const PATH = "/api/graphql"
/** Where our own pages are. */
const ORIGIN = readSettings({}).baseUrl

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

let people = 0
const newAddress = (name = "someone") => `${name}-${++people}@example.com`

const ask = (query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  server.call("POST", PATH, { body: { query, variables }, headers })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const codes = ({ json }: Answer) => json.errors?.map(({ extensions }: any) => extensions.code)

const REQUEST = "mutation($email: String!) { requestLoginCode(email: $email) }"
const VERIFY = `mutation($email: String!, $code: String!) {
  verifyLoginCode(email: $email, code: $code) {
    token expiresAt account { id email name }
    first { organization { id name role } appId secretKey publicKey identitySecret }
  }
}`
const ME = "{ me { id email name } }"

interface Somebody {
  readonly email: string
  readonly token: string
  readonly accountId: string
  readonly organizationId: string
  readonly appId: string
  readonly as: (query: string, variables?: object) => Promise<Answer>
}

/** Somebody new, who has signed in with a code that an operator handed on. */
const somebody = async (email = newAddress()): Promise<Somebody> => {
  const code = await server.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
  const { account, first, token } = (await ask(VERIFY, { email, code })).json.data.verifyLoginCode
  return {
    email,
    token,
    accountId: account.id,
    organizationId: first?.organization.id,
    appId: first?.appId,
    as: (query, variables) => ask(query, variables, bearer(token))
  }
}

/** Somebody with a role in the organization of somebody else. */
const memberOf = async (owner: Somebody, role: string): Promise<Somebody> => {
  const one = await somebody()
  const invited = await owner.as(
    `mutation($id: ID!, $email: String!, $role: Role!) { inviteMember(organizationId: $id, email: $email, role: $role) { id } }`,
    { id: owner.organizationId, email: one.email, role }
  )
  expect(invited.json.errors).toBeUndefined()
  await server.mailedCode(one.email)
  const [, token] = /[#?&/](?:token=)?([A-Za-z0-9_-]{40,})/.exec(
    server.mails.findLast(({ to }) => to === one.email)!.text
  )!
  const joined = await one.as("mutation($token: String!) { acceptInvitation(token: $token) { id role } }", { token })
  expect(joined.json.data?.acceptInvitation).toEqual({ id: owner.organizationId, role })
  return { ...one, organizationId: owner.organizationId, appId: owner.appId }
}

describe("signing in by a code", () => {
  it("makes an account with an organization and an application, and sets the cookie that its pages use", async () => {
    const email = newAddress("Ada.Lovelace")
    expect((await ask(REQUEST, { email })).json).toEqual({ data: { requestLoginCode: true } })
    const code = await server.mailedCode(email.toLowerCase())
    const answer = await ask(VERIFY, { email, code })
    const { account, expiresAt, first, token } = answer.json.data.verifyLoginCode
    expect([answer.status, account.email]).toEqual([200, email.toLowerCase()])
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect(first.organization.role).toBe("OWNER")
    const cookies = answer.headers.getSetCookie()
    expect(cookies[0]).toBe(`service_session=${token}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax`)
    expect(cookies[1]).toMatch(/^service_device=[\x21-\x7e]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/)
    for (const headers of [
      bearer(token),
      { cookie: `service_session=${token}`, "sec-fetch-site": "same-origin" },
      { cookie: `a=b; service_session=${token}; c=d`, origin: ORIGIN },
      { cookie: `service_session=${token}`, origin: server.baseUrl }
    ]) {
      expect((await ask(ME, {}, headers)).json).toEqual({ data: { me: account } })
    }
    // The keys that were shown are good.
    const hooks = await server.call("POST", PATH, {
      key: first.secretKey,
      body: { query: `{ hooks(appId: "${first.appId}") { nodes { id } } }` }
    })
    expect(hooks.json).toEqual({ data: { hooks: { nodes: [] } } })
    expect((await ask(VERIFY, { email, code })).status).toBe(401)
  })

  it("says the same of an address with an account and of one without", async () => {
    const known = await somebody()
    const answers = [await ask(REQUEST, { email: known.email }), await ask(REQUEST, { email: newAddress() })]
    expect(answers.map(({ json, status }) => [status, json])).toEqual(
      Array.from({ length: 2 }, () => [200, { data: { requestLoginCode: true } }])
    )
    const wrong = await ask(REQUEST, { email: "nobody at all" })
    expect([wrong.status, wrong.json.errors[0].extensions.details[0].field]).toEqual([400, "email"])
  })

  it("evaluates five of a hundred wrong codes, and one of two right ones, whatever comes at once", async () => {
    const email = newAddress()
    await ask(REQUEST, { email })
    const code = (await server.mailedCode(email))!
    const wrong = code === "123456" ? "654321" : "123456"
    const guesses = await Promise.all(Array.from({ length: 100 }, () => ask(VERIFY, { email, code: wrong })))
    expect(guesses.filter(({ status }) => status === 200)).toEqual([])
    expect((await ask(VERIFY, { email, code })).status).toBe(401)

    const other = newAddress()
    await ask(REQUEST, { email: other })
    const right = (await server.mailedCode(other))!
    const sessions = await Promise.all(Array.from({ length: 10 }, () => ask(VERIFY, { email: other, code: right })))
    expect(sessions.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it("is one attempt a request, also through aliases and fragments", async () => {
    const guess = (code: string) => `verifyLoginCode(email: "a@example.com", code: "${code}") { token }`
    const change = (code: string) => `changeEmail(code: "123456", newCode: "${code}") { token }`
    for (const query of [
      `mutation { a: ${guess("000000")} b: ${guess("000001")} }`,
      `mutation { a: ${change("000000")} b: ${change("000001")} }`,
      `mutation { requestEmailChange(email: "a@example.com") deleteAccount(code: "123456") }`,
      `mutation { a: confirmExternalSignIn(code: "000000") { id } b: confirmExternalSignIn(code: "000001") { id } }`,
      `mutation { ...F ...G } fragment F on Mutation { a: ${guess("000000")} } fragment G on Mutation { b: ${guess("000001")} }`
    ]) {
      const answer = await ask(query, {}, bearer((await somebody()).token))
      expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringContaining("once")])
    }
  })

  it("sends one code in half a minute, and says when the next can be", async () => {
    const email = newAddress()
    expect((await ask(REQUEST, { email })).status).toBe(200)
    const soon = await ask(REQUEST, { email: email.toUpperCase() })
    expect([soon.status, codes(soon)]).toEqual([429, ["rate_limited"]])
    expect(Number(soon.headers.get("retry-after"))).toBeLessThanOrEqual(30)
  })

  it("lets nobody in whom nobody invited, where registration is closed", async () => {
    const closed = await startServer({ registration: "invite" })
    const email = newAddress()
    const sent = await closed.call("POST", PATH, { body: { query: REQUEST, variables: { email } } })
    expect(sent.json).toEqual({ data: { requestLoginCode: true } })
    const code = await closed.mailedCode(email)
    const answer = await closed.call("POST", PATH, {
      body: { query: VERIFY, variables: { email, code: code ?? "123456" } }
    })
    // No mail went out, so that there is no code to be right.
    expect([code, answer.status, codes(answer)]).toEqual([null, 401, ["unauthorized"]])
    await closed.stop()
  })
})

describe("whoever is signed out", () => {
  it("is told nothing but how to sign in", async () => {
    for (const query of [
      ME,
      "{ __typename }",
      "{ __schema { types { name } } }",
      "{ organizations { id } }",
      "{ nope }",
      "{",
      "mutation { logout }",
      `mutation { verifyLoginCode(email: "a@example.com", code: "123456") { token } logout }`
    ]) {
      const answer = await ask(query)
      expect([query, answer.status, codes(answer)]).toEqual([query, 401, ["unauthorized"]])
      expect(answer.text).not.toContain("Hook")
    }
  })

  it("is counted by the address", async () => {
    const limited = await startServer({ rateLimits: { anonymous: { requests: 3, windowMs: 60_000 } } })
    const statuses: Array<number> = []
    for (let i = 0; i < 4; i++) {
      statuses.push(
        (await limited.call("POST", PATH, { body: { query: REQUEST, variables: { email: newAddress() } } })).status
      )
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    await limited.stop()
  })
})

describe("a session's cookie", () => {
  it("is good for pages of our own alone", async () => {
    const { token } = await somebody()
    const cookie = `service_session=${token}`
    for (const headers of [
      { cookie },
      { cookie, origin: "https://evil.example" },
      { cookie, origin: "null" },
      { cookie, "sec-fetch-site": "same-site", origin: ORIGIN },
      { cookie, "sec-fetch-site": "cross-site" },
      { cookie, "sec-fetch-site": "none" }
    ]) {
      const answer = await ask(ME, {}, headers as never)
      expect([JSON.stringify(headers), answer.status, codes(answer)]).toEqual([
        JSON.stringify(headers),
        403,
        ["forbidden"]
      ])
    }
  })

  it("is a stranger's to a page that shows another account, which has it signed in again", async () => {
    const [ada, bob] = [await somebody(), await somebody()]
    const idOf = async ({ token }: Somebody) => (await ask("{ me { id } }", {}, bearer(token))).json.data.me.id
    const pageOf = async (shown: Somebody) => ({
      cookie: `service_session=${bob.token}`,
      "sec-fetch-site": "same-origin",
      "x-account-id": await idOf(shown)
    })
    expect((await ask(ME, {}, await pageOf(bob))).json.data.me.email).toBe(bob.email)
    const answer = await ask("mutation { logout }", {}, await pageOf(ada))
    // The cookie stays: on other pages it is good.
    expect([answer.status, codes(answer), answer.headers.getSetCookie()]).toEqual([401, ["unauthorized"], []])
    expect((await bob.as(ME)).status).toBe(200)
    await ask(REQUEST, { email: ada.email }, await pageOf(ada))
    const again = await ask(VERIFY, { email: ada.email, code: await server.mailedCode(ada.email) }, await pageOf(ada))
    expect(again.json.data.verifyLoginCode.account.email).toBe(ada.email)
  })

  it("is not looked at beside an Authorization header, and is taken away where it is worth nothing", async () => {
    const [one, other] = [await somebody(), await somebody()]
    const both = await ask(ME, {}, { ...bearer(one.token), cookie: `service_session=${other.token}` })
    expect(both.json.data.me.email).toBe(one.email)
    const key = await ask(
      ME,
      {},
      { authorization: `ApiKey ${server.ours.secretKey}`, cookie: `service_session=${other.token}` }
    )
    expect(key.json.data.me).toBeNull()
    const gone = "service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    const twice = await ask(
      ME,
      {},
      { cookie: `service_session=${one.token}; service_session=x`, "sec-fetch-site": "same-origin" }
    )
    expect([twice.status, twice.headers.getSetCookie()]).toEqual([401, [gone]])
    const wrong = await ask(ME, {}, { cookie: "service_session=x.y.z", "sec-fetch-site": "same-origin" })
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, [gone]])
  })

  it("whose session has ended signs in again with the first request, as a stranger's does", async () => {
    const ada = await somebody()
    const page = { cookie: `service_session=${ada.token}`, "sec-fetch-site": "same-origin" }
    await ada.as("mutation { logout }")
    const told = await ask(ME, {}, page)
    expect([told.status, told.json.errors[0].message]).toEqual([401, "This session has ended. Sign in again."])
    expect((await ask(REQUEST, { email: ada.email }, page)).status).toBe(200)
    const again = await ask(VERIFY, { email: ada.email, code: await server.mailedCode(ada.email) }, page)
    expect([again.status, again.json.data.verifyLoginCode.account.email]).toEqual([200, ada.email])
    const { token } = again.json.data.verifyLoginCode
    // The new cookie comes last: a browser keeps what it was told last.
    const set = again.headers.getSetCookie().filter((cookie) => cookie.startsWith("service_session="))
    expect(set.at(-1)).toContain(token)
    // Nor is what was allowed while the session lasted said to be too long.
    const long = await ask("query($text: String) { __typename }", { text: "x".repeat(100_000) }, page)
    expect([long.status, codes(long)]).toEqual([401, ["unauthorized"]])
    // By its header a session is a script's, which has asked to be it.
    const script = await ask(REQUEST, { email: ada.email }, bearer(ada.token))
    expect(script.status).toBe(401)
  })
})

describe("ending sessions", () => {
  it("ends this one by logout, and all of the account by signOutEverywhere, at once", async () => {
    const one = await somebody()
    const other = await somebody(one.email)
    const out = await one.as("mutation { logout }")
    expect([out.json, out.headers.getSetCookie()[0]]).toEqual([
      { data: { logout: true } },
      "service_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
    ])
    expect([(await one.as(ME)).status, (await other.as(ME)).status]).toEqual([401, 200])
    const third = await somebody(one.email)
    const listed = (await third.as("{ sessions { id isCurrent userAgent } }")).json.data.sessions
    expect(listed.map(({ isCurrent }: any) => isCurrent)).toEqual([true, false])
    expect((await other.as("mutation { signOutEverywhere }")).json).toEqual({ data: { signOutEverywhere: true } })
    expect([(await other.as(ME)).status, (await third.as(ME)).status]).toEqual([401, 401])
  })

  it("ends one of one's own by its id, and nobody else's", async () => {
    const [one, stranger] = [await somebody(), await somebody()]
    const other = await somebody(one.email)
    const { id } = (await other.as("{ sessions { id isCurrent } }")).json.data.sessions.find(
      ({ isCurrent }: any) => isCurrent
    )
    const end = "mutation($id: ID!) { endSession(id: $id) }"
    expect((await stranger.as(end, { id })).status).toBe(404)
    expect((await one.as(end, { id })).json).toEqual({ data: { endSession: true } })
    expect((await other.as(ME)).status).toBe(401)
  })
})

describe("a session", () => {
  const HOOKS = "query($appId: ID!) { hooks(appId: $appId) { nodes { id } } }"
  const CREATE = `mutation($appId: ID!) { createHook(appId: $appId, input: { name: "A", url: "https://198.18.7.1/" }) { id } }`

  it("works on the applications of its organizations, as its role lets it, and the log says who", async () => {
    const owner = await somebody()
    const made = await owner.as(CREATE, { appId: owner.appId })
    const { id } = made.json.data.createHook
    const [admin, member, viewer, stranger] = [
      await memberOf(owner, "ADMIN"),
      await memberOf(owner, "MEMBER"),
      await memberOf(owner, "VIEWER"),
      await somebody()
    ]
    for (const one of [admin, member, viewer]) {
      expect((await one.as(HOOKS, { appId: owner.appId })).json.data.hooks.nodes).toEqual([{ id }])
      expect((await one.as("query($id: ID!) { hook(id: $id) { id } }", { id })).json.data.hook).toEqual({ id })
    }
    const update = `mutation($id: ID!) { updateHook(id: $id, input: { name: "B" }) { id name } }`
    const contact = `mutation($appId: ID!) { upsertContact(appId: $appId, input: { externalId: "u-1" }) { created } }`
    const statuses = async (one: Somebody) => [
      (await one.as(CREATE, { appId: owner.appId })).status,
      (await one.as(update, { id })).status,
      (await one.as(contact, { appId: owner.appId })).status
    ]
    expect(await statuses(viewer)).toEqual([403, 403, 403])
    expect(await statuses(member)).toEqual([403, 403, 200])
    expect(await statuses(admin)).toEqual([200, 200, 200])
    expect(await statuses(stranger)).toEqual([404, 404, 404])
    const nothing = await stranger.as(update, { id: uuidv7() })
    expect((await stranger.as(update, { id })).json.error.message).toBe(nothing.json.error.message)
    const log = await owner.as(
      `query($appId: ID!) { auditLog(appId: $appId) { nodes { action target actor { kind actorId } } } }`,
      { appId: owner.appId }
    )
    expect(log.json.data.auditLog.nodes.find(({ action }: any) => action === "webhook.changed")).toEqual({
      action: "webhook.changed",
      target: id,
      actor: { kind: "USER", actorId: admin.accountId }
    })
  })

  it("sees what belongs to the objects of each application there alone", async () => {
    const owner = await somebody()
    const second = (
      await owner.as(
        `mutation($id: ID!) { createApplication(organizationId: $id, name: "Second") { application { id } } }`,
        {
          id: owner.organizationId
        }
      )
    ).json.data.createApplication.application.id
    for (const [appId, email] of [
      [owner.appId, "one@example.com"],
      [second, "two@example.com"]
    ]) {
      await owner.as(
        `mutation($appId: ID!, $email: String!) { upsertContact(appId: $appId, input: { externalId: "same", email: $email }) { id } }`,
        { appId, email }
      )
    }
    const query = `query($a: ID!, $b: ID!) { a: contacts(appId: $a) { nodes { channels { address } } } b: contacts(appId: $b) { nodes { channels { address contact { email } } } } }`
    const { a, b } = (await owner.as(query, { a: owner.appId, b: second })).json.data
    expect([a.nodes, b.nodes]).toEqual([
      [{ channels: [{ address: "one@example.com" }] }],
      [{ channels: [{ address: "two@example.com", contact: { email: "two@example.com" } }] }]
    ])
  })

  it("has a rate limit of its person's own, over all of their sessions", async () => {
    const limited = await startServer({ rateLimits: { session: { requests: 4, windowMs: 60_000 } } })
    const signIn = async (email: string): Promise<string> => {
      const code = await limited.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
      const answer = await limited.call("POST", PATH, { body: { query: VERIFY, variables: { email, code } } })
      return answer.json.data.verifyLoginCode.token
    }
    const email = newAddress()
    const tokens = [await signIn(email), await signIn(email)]
    const left: Array<unknown> = []
    for (const i of [0, 1, 0, 1, 0]) {
      const answer = await limited.call("POST", PATH, { body: { query: ME }, headers: bearer(tokens[i]!) })
      left.push([answer.status, answer.headers.get("x-ratelimit-limit"), answer.headers.get("x-ratelimit-remaining")])
    }
    expect(left).toEqual([
      [200, "4", "3"],
      [200, "4", "2"],
      [200, "4", "1"],
      [200, "4", "0"],
      [429, "4", "0"]
    ])
    const other = await limited.call("POST", PATH, { body: { query: ME }, headers: bearer(await signIn(newAddress())) })
    expect(other.status).toBe(200)
    await limited.stop()
  })

  it("is refused when the database cannot say whether it is still good", async () => {
    const { as } = await somebody()
    server.outage.isDown = true
    const answer = await as(ME)
    server.outage.isDown = false
    expect([answer.status, codes(answer)]).toEqual([503, ["rate_limiter_unavailable"]])
  })

  it("does not wait for ever to learn whose a thing is", async () => {
    const { as } = await somebody()
    server.outage.before = (operation) => (operation === "OwnershipStore.applicationOf" ? Effect.never : Effect.void)
    const answer = await as(`{ hook(id: "${uuidv7()}") { id } }`)
    server.outage.before = () => Effect.void
    expect([answer.status, codes(answer)]).toEqual([503, ["unavailable"]])
  })
})

describe("organizations", () => {
  it("are made, renamed and left under the roles that their members have", async () => {
    const owner = await somebody()
    const made = await owner.as(`mutation { createOrganization(name: "Second") { id name role plan } }`)
    expect(made.json.data.createOrganization).toMatchObject({ name: "Second", role: "OWNER", plan: "free" })
    const listed = await owner.as("{ organizations { id name role } }")
    expect(listed.json.data.organizations.map(({ role }: any) => role)).toEqual(["OWNER", "OWNER"])
    const admin = await memberOf(owner, "ADMIN")
    const rename = 'mutation($id: ID!) { renameOrganization(id: $id, name: "Third") { name } }'
    expect((await admin.as(rename, { id: owner.organizationId })).status).toBe(403)
    expect((await owner.as(rename, { id: owner.organizationId })).json.data.renameOrganization.name).toBe("Third")
    const members = await admin.as(
      "query($id: ID!) { members(organizationId: $id, first: 1) { nodes { email role } pageInfo { hasNextPage endCursor } } }",
      { id: owner.organizationId }
    )
    expect([members.json.data.members.nodes.length, members.json.data.members.pageInfo.hasNextPage]).toEqual([1, true])
    const next = await admin.as(
      "query($id: ID!, $after: String) { members(organizationId: $id, first: 1, after: $after) { nodes { email } pageInfo { hasNextPage } } }",
      { id: owner.organizationId, after: members.json.data.members.pageInfo.endCursor }
    )
    expect([next.json.data.members.nodes.length, next.json.data.members.pageInfo.hasNextPage]).toEqual([1, false])
    expect(next.json.data.members.nodes[0].email).not.toBe(members.json.data.members.nodes[0].email)
    const leave = "mutation($id: ID!) { leaveOrganization(organizationId: $id) }"
    const last = await owner.as(leave, { id: owner.organizationId })
    expect([last.status, codes(last)]).toEqual([409, ["transfer_ownership_first"]])
    expect((await admin.as(leave, { id: owner.organizationId })).json.data).toEqual({ leaveOrganization: true })
    expect(
      (
        await admin.as("query($id: ID!) { members(organizationId: $id) { nodes { email } } }", {
          id: owner.organizationId
        })
      ).status
    ).toBe(404)
  })

  it("keep an owner, whatever two owners do at once", async () => {
    const owner = await somebody()
    const second = await memberOf(owner, "OWNER")
    const demote =
      "mutation($id: ID!, $a: ID!) { changeRole(organizationId: $id, accountId: $a, role: VIEWER) { role } }"
    const answers = await Promise.all([
      owner.as(demote, { id: owner.organizationId, a: second.accountId }),
      second.as(demote, { id: owner.organizationId, a: owner.accountId })
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { nodes } = (
      await owner.as("query($id: ID!) { members(organizationId: $id) { nodes { role } } }", {
        id: owner.organizationId
      })
    ).json.data.members
    expect(nodes.map(({ role }: any) => role).sort()).toEqual(["OWNER", "VIEWER"])
  })

  it("are closed to secret keys and to strangers, in every field about people", async () => {
    const owner = await somebody()
    const id = owner.organizationId
    const a = owner.accountId
    const fields: ReadonlyArray<readonly [kind: string, field: string, foreign: number]> = [
      ["query", "sessions { id }", 0],
      ["query", "exportMyAccountData", 0],
      ["query", "organizations { id }", 0],
      ["query", `organization(id: "${id}") { id }`, 404],
      ["query", `applications(organizationId: "${id}") { nodes { id } }`, 404],
      ["query", `members(organizationId: "${id}") { nodes { email } }`, 404],
      ["query", `invitations(organizationId: "${id}") { id }`, 404],
      ["query", `organizationLog(organizationId: "${id}") { nodes { id } }`, 404],
      ["mutation", "logout", 0],
      ["mutation", "signOutEverywhere", 0],
      ["mutation", `endSession(id: "${uuidv7()}")`, 404],
      ["mutation", `renameAccount(name: "A") { id }`, 0],
      ["mutation", `deleteAccount(code: "123456")`, 0],
      ["mutation", `requestEmailChange(email: "a@example.com")`, 0],
      ["mutation", `changeEmail(code: "123456", newCode: "123456") { token }`, 0],
      ["mutation", `createOrganization(name: "A") { id }`, 0],
      ["mutation", `renameOrganization(id: "${id}", name: "A") { id }`, 404],
      ["mutation", `deleteOrganization(id: "${id}")`, 404],
      ["mutation", `createApplication(organizationId: "${id}", name: "A") { secretKey }`, 404],
      ["mutation", `deleteApplication(id: "${id}")`, 404],
      ["mutation", `inviteMember(organizationId: "${id}", email: "a@example.com", role: VIEWER) { id }`, 404],
      ["mutation", `revokeInvitation(id: "${uuidv7()}")`, 404],
      ["mutation", `acceptInvitation(token: "nothing") { id }`, 404],
      ["mutation", `changeRole(organizationId: "${id}", accountId: "${a}", role: VIEWER) { role }`, 404],
      ["mutation", `removeMember(organizationId: "${id}", accountId: "${a}")`, 404],
      ["mutation", `leaveOrganization(organizationId: "${id}")`, 404],
      ["mutation", `transferOwnership(organizationId: "${id}", accountId: "${a}") { role }`, 404]
    ]
    for (const [kind, field, foreign] of fields) {
      const key = await server.call("POST", PATH, {
        key: server.ours.secretKey,
        body: { query: `${kind} { ${field} }` }
      })
      expect([field, key.status, codes(key)]).toEqual([field, 403, ["forbidden"]])
      if (foreign === 0) continue
      const stranger = await (await somebody()).as(`${kind} { ${field} }`)
      expect([field, stranger.status, codes(stranger)]).toEqual([field, 404, ["not_found"]])
    }
    expect((await owner.as("{ organizations { id role } }")).json.data.organizations).toEqual([{ id, role: "OWNER" }])
  })

  it("invite by mail: the token opens it to the invited address alone, once", async () => {
    const owner = await somebody()
    const email = newAddress("invited")
    const invited = await owner.as(
      "mutation($id: ID!, $email: String!) { inviteMember(organizationId: $id, email: $email, role: MEMBER) { id email role invitedBy } }",
      { id: owner.organizationId, email }
    )
    expect(invited.json.data.inviteMember).toMatchObject({ email, role: "MEMBER", invitedBy: owner.accountId })
    await server.mailedCode(email)
    const [, token] = /[#?&/](?:token=)?([A-Za-z0-9_-]{40,})/.exec(
      server.mails.findLast(({ to }) => to === email)!.text
    )!
    const shown = await ask("query($token: String!) { invitation(token: $token) { organizationName email role } }", {
      token
    })
    expect(shown.json.data.invitation).toMatchObject({ email, role: "MEMBER" })
    const accept = "mutation($token: String!) { acceptInvitation(token: $token) { id role } }"
    expect((await (await somebody()).as(accept, { token })).status).toBe(403)
    const one = await somebody(email)
    expect((await one.as(accept, { token })).json.data.acceptInvitation).toEqual({
      id: owner.organizationId,
      role: "MEMBER"
    })
    expect((await one.as(accept, { token })).status).toBe(404)
    expect((await ask("query($token: String!) { invitation(token: $token) { email } }", { token })).status).toBe(404)
  })
})

describe("an account", () => {
  it("is exported with everything about it, and no secret", async () => {
    const one = await somebody()
    await one.as(`mutation { renameAccount(name: "Ada") { name } }`)
    const { exportMyAccountData: data } = (await one.as("{ exportMyAccountData }")).json.data
    expect(data.account).toMatchObject({ email: one.email, name: "Ada", id: one.accountId })
    expect(data.account.createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(data.memberships).toMatchObject([{ organizationId: one.organizationId, role: "owner" }])
    expect(data.externalSignIns).toEqual([])
    expect(JSON.stringify(data)).not.toContain(one.token)
  })

  it("changes its address by a code from each, ends its other sessions, and says nothing of who has which", async () => {
    const [one, owner, known] = [await somebody(), await somebody(), await somebody()]
    const other = await somebody(one.email)
    const request = "mutation($email: String!) { requestEmailChange(email: $email) }"
    const change = `mutation($code: String!, $newCode: String!) {
      changeEmail(code: $code, newCode: $newCode) { token account { id email } first { appId } }
    }`
    const email = newAddress("New")
    const asked = [await one.as(request, { email }), await owner.as(request, { email: known.email })]
    expect(asked.map(({ json, status }) => [status, json])).toEqual(
      Array.from({ length: 2 }, () => [200, { data: { requestEmailChange: true } }])
    )
    const soon = await one.as(request, { email: newAddress() })
    expect([soon.status, codes(soon)]).toEqual([429, ["rate_limited"]])
    const same = await other.as(request, { email: one.email.toUpperCase() })
    expect([same.status, same.json.errors[0].extensions.details[0].field]).toEqual([400, "email"])
    const codeOf = { code: await server.mailedCode(one.email), newCode: await server.mailedCode(email.toLowerCase()) }
    const wrong = await one.as(change, { code: codeOf.newCode, newCode: codeOf.code })
    expect([wrong.status, codes(wrong)]).toEqual([401, ["unauthorized"]])
    const changed = await one.as(change, codeOf)
    const { account, first, token } = changed.json.data.changeEmail
    expect([account, first]).toEqual([{ id: one.accountId, email: email.toLowerCase() }, null])
    expect(changed.headers.getSetCookie()[0]).toBe(
      `service_session=${token}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax`
    )
    expect([(await one.as(ME)).status, (await other.as(ME)).status]).toEqual([401, 401])
    expect((await ask(ME, {}, bearer(token))).json.data.me.email).toBe(email.toLowerCase())
    // What it is called in the organization, the organization sees.
    const members = await ask(
      "query($id: ID!) { members(organizationId: $id) { nodes { email } } }",
      { id: one.organizationId },
      bearer(token)
    )
    expect(members.json.data.members.nodes).toEqual([{ email: email.toLowerCase() }])

    // Whoever reads the mail of an address gets to know that an account has it.
    const taken = await owner.as(change, {
      code: await server.mailedCode(owner.email),
      newCode: await server.mailedCode(known.email)
    })
    expect([taken.status, codes(taken)]).toEqual([409, ["conflict"]])
    expect((await known.as(ME)).json.data.me.email).toBe(known.email)
  })

  it("is deleted by a code for just that, which goes to its own address", async () => {
    const one = await somebody()
    expect((await one.as(REQUEST, { email: "somebody.else@example.com" })).status).toBe(400)
    expect((await one.as(REQUEST, { email: one.email })).json).toEqual({
      data: { requestLoginCode: true }
    })
    const code = await server.mailedCode(one.email)
    expect(server.mails.some(({ to }) => to === "somebody.else@example.com")).toBe(false)
    expect((await ask(VERIFY, { email: one.email, code })).status).toBe(401)
    const make = 'mutation { createOrganization(name: "Kept for repetitions") { id } }'
    await ask(make, {}, { "idempotency-key": uuidv7(), ...bearer(one.token) })
    const kept = async () => (await server.sql`SELECT FROM idempotency_keys WHERE app_id = ${one.accountId}`).length
    expect(await kept()).toBe(1)
    const remove = "mutation($code: String!) { deleteAccount(code: $code) }"
    const wrong = await one.as(remove, { code: code === "000000" ? "000001" : "000000" })
    expect([wrong.status, codes(wrong)]).toEqual([401, ["unauthorized"]])
    const gone = await one.as(remove, { code })
    expect([gone.json, gone.headers.getSetCookie().length]).toEqual([{ data: { deleteAccount: true } }, 1])
    expect(await kept()).toBe(0)
    expect((await one.as(ME)).status).toBe(401)
  })

  it("is not deleted while an organization with others would be left without an owner", async () => {
    const owner = await somebody()
    const member = await memberOf(owner, "MEMBER")
    await owner.as(REQUEST, { email: owner.email })
    const code = await server.mailedCode(owner.email)
    const remove = "mutation($code: String!) { deleteAccount(code: $code) }"
    const refused = await owner.as(remove, { code })
    expect([refused.status, codes(refused)]).toEqual([409, ["transfer_ownership_first"]])
    const handed = await owner.as(
      "mutation($id: ID!, $a: ID!) { transferOwnership(organizationId: $id, accountId: $a) { role } }",
      {
        id: owner.organizationId,
        a: member.accountId
      }
    )
    expect(handed.json.data.transferOwnership.role).toBe("OWNER")
    expect((await owner.as(remove, { code })).json).toEqual({ data: { deleteAccount: true } })
    expect((await member.as("{ organizations { role } }")).json.data.organizations).toContainEqual({ role: "OWNER" })
  })
})

describe("what is said to whoever gets it wrong", () => {
  it("tells where the Authorization header of a session is not one", async () => {
    const { token } = await somebody()
    for (const [authorization, words] of [
      [`ApiKey ${token}`, "The token of a session is sent with the scheme word Bearer"],
      [`Token ${token}`, "The token of a session is sent with the scheme word Bearer"],
      ["Bearer", "has no token after the word Bearer"]
    ] as const) {
      const answer = await ask(ME, {}, { authorization })
      expect([answer.status, answer.json.error.message]).toEqual([401, expect.stringContaining(words)])
    }
  })

  it("does work once for repetitions with an Idempotency-Key of whoever is signed in, in any session of theirs", async () => {
    const [one, other] = [await somebody(), await somebody()]
    const again = (await somebody(one.email)).token
    const query = 'mutation { createOrganization(name: "Twice") { id } }'
    const key = { "idempotency-key": uuidv7() }
    const first = await ask(query, {}, { ...key, ...bearer(one.token) })
    const second = await ask(query, {}, { ...key, ...bearer(again) })
    expect([first.status, second.json]).toEqual([200, first.json])
    expect((await one.as("{ organizations { name } }")).json.data.organizations).toHaveLength(2)
    const another = await ask(query.replace("Twice", "Once"), {}, { ...key, ...bearer(one.token) })
    expect([another.status, codes(another)]).toEqual([422, ["idempotency_key_reused"]])
    // A key is nobody else's.
    const theirs = await ask(query, {}, { ...key, ...bearer(other.token) })
    expect(theirs.json.data.createOrganization.id).not.toBe(first.json.data.createOrganization.id)
  })

  it("refuses an Idempotency-Key of a query, and of strangers, and does no work", async () => {
    const one = await somebody()
    for (const [text, headers, words] of [
      [ME, bearer(one.token), "Only a mutation takes an Idempotency-Key"],
      [`mutation { requestLoginCode(email: "${newAddress()}") }`, {}, "or the account of a session"]
    ] as const) {
      const answer = await ask(text, {}, { "idempotency-key": uuidv7(), ...headers })
      expect([answer.status, codes(answer)]).toEqual([400, ["validation_error"]])
      expect(answer.json.error.message).toContain(words)
    }
  })

  it("sends no code for another address than the own to whoever is signed in", async () => {
    const [one, other] = [await somebody(), newAddress()]
    const refused = await one.as(REQUEST, { email: other })
    expect([refused.status, refused.json.error.details[0].field]).toEqual([400, "email"])
    expect((await one.as(REQUEST, { email: ` ${one.email.toUpperCase()}` })).json).toEqual({
      data: { requestLoginCode: true }
    })
  })

  it("leads the only member of an organization to its deletion", async () => {
    const one = await somebody()
    const left = await one.as("mutation($id: ID!) { leaveOrganization(organizationId: $id) }", {
      id: one.organizationId
    })
    expect([left.status, codes(left)]).toEqual([409, ["transfer_ownership_first"]])
    expect(left.json.error.message).toContain("deleteOrganization")
  })

  it("says in an organization's log who was invited, as long as the invitation is there", async () => {
    const [one, email] = [await somebody(), newAddress()]
    const invited = await one.as(
      "mutation($id: ID!, $email: String!) { inviteMember(organizationId: $id, email: $email, role: VIEWER) { id } }",
      { id: one.organizationId, email }
    )
    const { id } = invited.json.data.inviteMember
    const log = async () =>
      (
        await one.as(
          "query($id: ID!) { organizationLog(organizationId: $id) { nodes { action target email accountId } } }",
          { id: one.organizationId }
        )
      ).json.data.organizationLog.nodes
    const sent = { action: "invitation.sent", target: id, accountId: null }
    expect(await log()).toContainEqual({ ...sent, email })
    await one.as("mutation($id: ID!) { revokeInvitation(id: $id) }", { id })
    expect(await log()).toContainEqual({ ...sent, email: null })
  })

  it("knows the actions of an organization's log, and what ends its pages", async () => {
    const one = await somebody()
    const log = (args: string) =>
      one.as(`query($id: ID!) { organizationLog(organizationId: $id, ${args}) { nodes { action } } }`, {
        id: one.organizationId
      })
    expect((await log('action: "organization.created"')).json.data.organizationLog.nodes).toHaveLength(1)
    const unknown = await log('action: "organization.painted"')
    expect([unknown.status, unknown.json.error.details[0]]).toEqual([
      400,
      { field: "action", message: expect.stringContaining('"invitation.sent"') }
    ])
    const moment = "must be an ISO 8601 time with an offset, such as 2026-12-24T18:00:00Z"
    for (const [args, field, message] of [
      ['from: "2026-02-30T00:00:00Z"', "from", moment],
      ['to: "2026-11-23T10:00:00"', "to", moment],
      ['from: "2026-11-23T11:00:00Z", to: "2026-11-23T10:00:00Z"', "to", "must not lie before from"],
      ['target: ""', "target", "must not be empty"]
    ] as const) {
      const refused = await log(args)
      expect([refused.status, refused.json.error?.details], args).toEqual([400, [{ field, message }]])
    }
    const cursor = await log('after: "nothing"')
    expect([cursor.status, cursor.json.error.details]).toEqual([
      400,
      [{ field: "after", message: "must be the endCursor of a page of this list" }]
    ])
    const action = await one.as('query($id: ID!) { auditLog(appId: $id, action: "x") { nodes { id } } }', {
      id: one.appId
    })
    expect(action.json.error.message).toContain('"identity_secret.issued"')
    const after = await one.as('query($id: ID!) { contacts(appId: $id, after: "x") { nodes { id } } }', {
      id: one.appId
    })
    expect(after.json.error.details).toEqual([
      { field: "after", message: "must be the endCursor of a page of this list" }
    ])
  })
})

describe("the sessions of an account", () => {
  it("are a hundred at most: one more ends the oldest", async () => {
    const one = await somebody()
    const oldest = await one.as("{ sessions { id } }")
    await server.sql`
      INSERT INTO sessions (id, account_id, epoch, user_agent, expires_at)
      SELECT ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, id, epoch, 'test', now() + interval '1 day'
      FROM accounts, generate_series(1, 150) AS i WHERE id = ${one.accountId}`
    const latest = await somebody(one.email)
    const listed = await latest.as("{ sessions { id isCurrent } }")
    const ids = listed.json.data.sessions.map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(100)
    expect(listed.json.data.sessions[0].isCurrent).toBe(true)
    expect(ids).toContain(oldest.json.data.sessions[0].id)
    expect(ids.at(-1)).toBe("00000000-0000-7000-8000-000000000053")
    const ended = await server.sql`
      SELECT count(*)::int AS count FROM people_log WHERE account_id = ${one.accountId} AND action = 'session.ended'`
    expect(ended).toEqual([{ count: 52 }])
  })
})

describe("what is shown once", () => {
  const SHOWN_ONCE = new Set(["token", "key", "secret", "secretKey", "publicKey", "identitySecret"])
  const schema = bareSchema()
  /** Whether something of this type shows what nobody will see again. */
  const shows = (type: GraphQLOutputType, seen = new Set<string>()): boolean => {
    const named = getNamedType(type)
    // A device's token is what the application sent, and is shown wherever the device is.
    if (!isObjectType(named) || named.name === "Device" || seen.has(named.name)) return false
    seen.add(named.name)
    return Object.values(named.getFields()).some(({ name, type }) => SHOWN_ONCE.has(name) || shows(type, seen))
  }
  /** Every mutation that does, with what it takes; sent with a secret key, or by somebody who is signed in. */
  const tried: Readonly<Record<string, () => Promise<readonly [query: string, headers: Record<string, string>]>>> = {
    verifyLoginCode: async () => {
      const email = newAddress()
      const code = await server.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
      return [
        `verifyLoginCode(email: "${email}", code: "${code}") {
          token first { appId secretKey publicKey identitySecret } account { email }
        }`,
        byKey()
      ]
    },
    createApiKey: async () => [
      `createApiKey(appId: "${server.ours.appId}", input: { kind: SECRET, name: "A" }) { key }`,
      byKey()
    ],
    reissueIdentitySecret: async () => [
      `reissueIdentitySecret(appId: "${server.theirs.appId}", input: {}) { identitySecret }`,
      byKey(server.theirs.secretKey)
    ],
    changeEmail: async () => {
      const [one, email] = [await somebody(), newAddress()]
      await one.as("mutation($email: String!) { requestEmailChange(email: $email) }", { email })
      const [code, newCode] = [await server.mailedCode(one.email), await server.mailedCode(email)]
      return [`changeEmail(code: "${code}", newCode: "${newCode}") { token }`, bearer(one.token)]
    },
    createApplication: async () => {
      const one = await somebody()
      return [
        `createApplication(organizationId: "${one.organizationId}", name: "A") { secretKey publicKey identitySecret }`,
        bearer(one.token)
      ]
    }
  }
  const byKey = (key = server.ours.secretKey) => ({ authorization: `ApiKey ${key}` })
  const textsIn = (value: unknown): ReadonlyArray<string> =>
    typeof value !== "object" || value === null
      ? []
      : Object.entries(value).flatMap(([name, one]) =>
          SHOWN_ONCE.has(name) && typeof one === "string" ? [one] : textsIn(one)
        )

  it("is tried of every mutation that shows such a thing", () => {
    const mutations = Object.values(schema.getMutationType()!.getFields()).filter(({ type }) => shows(type))
    expect(mutations.map(({ name }) => name).sort()).toEqual(Object.keys(tried).sort())
  })

  it.each(Object.keys(tried))("is not kept for repetitions: %s", async (name) => {
    const [field, headers] = await tried[name]!()
    const key = { "idempotency-key": uuidv7(), ...headers }
    const first = await ask(`mutation { ${field} }`, {}, key)
    const shown = textsIn(first.json.data)
    expect(shown.length).toBeGreaterThan(0)
    const again = await ask(`mutation { ${field} }`, {}, key)
    const kept = JSON.stringify(await server.sql`SELECT body FROM idempotency_keys`)
    for (const text of shown) {
      expect(kept).not.toContain(text)
      expect(again.text).not.toContain(text)
    }
  })

  it("leaves the rest of a repeated answer as it was", async () => {
    const [field, headers] = await tried["verifyLoginCode"]!()
    const key = { "idempotency-key": uuidv7(), ...headers }
    const [first, again] = [await ask(`mutation { ${field} }`, {}, key), await ask(`mutation { ${field} }`, {}, key)]
    const { account, first: made } = first.json.data.verifyLoginCode
    expect(again.json.data.verifyLoginCode).toEqual({
      token: null,
      first: { appId: made.appId, secretKey: null, publicKey: null, identitySecret: null },
      account
    })
    expect(again.headers.getSetCookie()).toEqual([])
  })
})
