import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { SignIn } from "../../../services/engine/people/SignIn.ts"
import { AccountStore } from "../../../services/ports/people/AccountStore.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { follow } from "../http/EventReader.ts"
import type { Tenant, TestServer } from "../http/TestServer.ts"
import { startServer } from "../http/TestServer.ts"

const PATH = "/api/graphql"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())
const open: Array<Awaited<ReturnType<typeof follow>>> = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

const HOOK = "subscription($id: ID!) { hookChanged(id: $id) { name isActive disabledReason } }"
const COUNTS = "subscription($id: ID!) { notificationChanged(id: $id) { status counts { accepted sent opened } } }"

const listen = async (
  authorization: string,
  query: string,
  variables: object,
  headers: Record<string, string> = {},
  of = server
) => {
  const stream = await follow(
    `${of.baseUrl}${PATH}`,
    { authorization, "content-type": "application/json", accept: "text/event-stream", ...headers },
    JSON.stringify({ query, variables })
  )
  open.push(stream)
  return stream
}
const byKey = ({ secretKey }: Tenant) => `ApiKey ${secretKey}`

/** Of a stream that says nothing but that it is refused. */
const refusalsOf = ({ events, response }: Awaited<ReturnType<typeof listen>>) => {
  expect(events.map(({ event }) => event)).toEqual(["next", "complete"])
  expect(events[0]!.data.error).toBeUndefined()
  return [response.status, events[0]!.data.errors[0].extensions.code]
}

const makeHook = async (tenant: Tenant, of = server): Promise<string> => {
  const body = { name: "Live", url: "https://198.18.7.1/hooks" }
  return (await of.call("POST", "/api/v1/webhooks", { key: tenant.secretKey, body })).json.id
}
const rename = (tenant: Tenant, id: string, name: string) =>
  server.call("PATCH", `/api/v1/webhooks/${id}`, { key: tenant.secretKey, body: { name } })

const signedIn = async (email: string, of = server) => {
  const code = await of.run(Effect.flatMap(SignIn, (signIn) => signIn.codeForOperator(email, "sign_in")))
  const query = `mutation($email: String!, $code: String!) { verifyLoginCode(email: $email, code: $code) { token first { organization { id } appId secretKey } } }`
  const { first, token } = (await of.call("POST", PATH, { body: { query, variables: { email, code } } })).json.data
    .verifyLoginCode
  return { token, organizationId: first?.organization.id, appId: first?.appId, secretKey: first?.secretKey } as {
    token: string
    organizationId: string
  } & Tenant
}

describe("a query or mutation", () => {
  it("is answered by a stream of one event where events are wanted most: nobody does it again", async () => {
    const tenant = await server.makeTenant()
    const create = `mutation($id: ID!, $name: String!) {
      createHook(appId: $id, input: { name: $name, url: "https://198.18.7.1/hooks" }) { name }
    }`
    for (const accept of ["text/event-stream", "application/json;q=0.5, Text/Event-Stream", "text/event-stream, */*"]) {
      const made = await listen(byKey(tenant), create, { id: tenant.appId, name: accept }, { accept })
      await made.ended
      expect([made.response.status, made.response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
      expect(made.response.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/)
      expect(made.response.headers.get("cache-control")).toBe("no-store, no-transform")
      expect(made.events.map(({ event, data }) => [event, data])).toEqual([
        ["next", { data: { createHook: { name: accept } } }],
        ["complete", null]
      ])
    }
    const listed = await server.call("GET", "/api/v1/webhooks", { key: tenant.secretKey })
    expect(listed.json.data).toHaveLength(3)
  })

  it("is refused by one as well, unless it was refused before it was read", async () => {
    const tenant = await server.makeTenant()
    for (const [query, code] of [
      ["{", "validation_error"],
      ["{ nope }", "validation_error"],
      [`mutation { deleteHook(id: "${uuidv7()}") }`, "not_found"]
    ] as const) {
      const stream = await listen(byKey(tenant), query, {})
      await stream.ended
      expect([query, ...refusalsOf(stream)]).toEqual([query, 200, code])
    }
    const repeated = { "idempotency-key": "one" }
    for (let i = 0; i < 2; i++) {
      const stream = await listen(byKey(tenant), `mutation { deleteHook(id: "${uuidv7()}") }`, {}, repeated)
      await stream.ended
      expect(refusalsOf(stream)).toEqual([200, i === 0 ? "not_found" : "idempotency_key_reused"])
    }
    const stranger = await listen("ApiKey sk_wrong", "{ __typename }", {})
    expect([stranger.response.status, stranger.response.headers.get("content-type")]).toEqual([401, "application/json"])
  })

  it("is answered by JSON where that is wanted as much and named first", async () => {
    const tenant = await server.makeTenant()
    for (const accept of [
      "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed",
      "application/json, text/event-stream",
      "text/event-stream;q=0, */*",
      "text/event-stream;q=0.1, */*",
      "text/event-stream;q=0",
      "*/*"
    ]) {
      const answer = await listen(byKey(tenant), "{ __typename }", {}, { accept })
      expect([accept, await answer.response.json()]).toEqual([accept, { data: { __typename: "Query" } }])
    }
  })
})

// Each test has an application of its own: the places of streams that were closed are given back a moment later.
describe("a subscription", () => {
  it("tells the answer now, and again whenever it is another one", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const stream = await listen(byKey(tenant), HOOK, { id })
    expect([stream.response.status, stream.response.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    expect(stream.response.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/)
    // What stands between may neither compress events, and keep them back for that, nor collect them.
    expect(stream.response.headers.get("cache-control")).toBe("no-store, no-transform")
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no")
    await stream.until(() => stream.events.length === 1)
    await rename(tenant, id, "Other")
    await stream.until(() => stream.events.length === 2)
    // Nothing is said while nothing changes, but that the stream is alive.
    await stream.until(() => stream.comments.length >= 2)
    expect(stream.events).toEqual([
      {
        event: "next",
        id: null,
        data: { data: { hookChanged: { name: "Live", isActive: true, disabledReason: null } } }
      },
      {
        event: "next",
        id: null,
        data: { data: { hookChanged: { name: "Other", isActive: true, disabledReason: null } } }
      }
    ])
    await server.call("DELETE", `/api/v1/webhooks/${id}`, { key: tenant.secretKey })
    await stream.until(() => stream.events.at(-1)?.event === "complete")
    expect(stream.events.at(-2)!.data.errors[0].extensions.code).toBe("not_found")
    await stream.ended
  })

  it("follows what a notification comes to, also after it has ended", async () => {
    const tenant = await server.makeTenant()
    const { device_id, notification_id } = await server.makeDelivery(tenant)
    const stream = await listen(byKey(tenant), COUNTS, { id: notification_id })
    await stream.until(() => stream.events.length === 1)
    expect(stream.events[0]!.data.data.notificationChanged).toMatchObject({
      status: "COMPLETED",
      counts: { opened: 0 }
    })
    const report = { type: "opened", notification_id, device_id }
    expect((await server.call("POST", "/api/v1/events", { key: tenant.publicKey, body: report })).status).toBe(202)
    await stream.until(() => stream.events.length === 2)
    expect(stream.events[1]!.data.data.notificationChanged.counts.opened).toBe(1)
  })

  it("follows a run of a workflow to its end", async () => {
    const tenant = await server.makeTenant()
    const post = async (path: string, body?: object) =>
      (await server.call("POST", `/api/v1${path}`, { key: tenant.secretKey, body })).json
    const steps = [{ key: "wait", type: "WAIT_FOR", event: "bought", seconds: 3600 }]
    const { id } = await post("/workflows", { name: "Live", trigger: { type: "api" }, steps })
    await post(`/workflows/${id}/activate`)
    await post("/contacts", { external_id: "ann" })
    const { execution_id } = await post(`/workflows/${id}/trigger`, { to: { user_ids: ["ann"] } })
    const query = "subscription($id: ID!) { executionChanged(id: $id) { id status } }"
    const stream = await listen(byKey(tenant), query, { id: execution_id })
    await stream.until(() => stream.events.length >= 1)
    await post(`/executions/${execution_id}/cancel`)
    await stream.until(() => stream.events.at(-1)?.data.data.executionChanged.status === "CANCELLED")
    expect(stream.events.at(-1)!.data).toEqual({
      data: { executionChanged: { id: execution_id, status: "CANCELLED" } }
    })
  })

  it("is asked for by its media type, of what is one's own, one at a time", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const plain = await server.call("POST", PATH, {
      key: tenant.secretKey,
      body: { query: HOOK, variables: { id } }
    })
    expect([plain.status, plain.json.error.message]).toEqual([
      400,
      "A subscription is sent with `Accept: text/event-stream`."
    ])
    const foreign = await listen(byKey(server.theirs), HOOK, { id })
    await foreign.ended
    expect(refusalsOf(foreign)).toEqual([200, "not_found"])
    const none = await listen(byKey(tenant), HOOK, { id: uuidv7() })
    await none.ended
    expect(refusalsOf(none)).toEqual([200, "not_found"])
    const two = await listen(
      byKey(tenant),
      `subscription { a: hookChanged(id: "${id}") { id } b: hookChanged(id: "${id}") { id } }`,
      {}
    )
    await two.ended
    expect(refusalsOf(two)).toEqual([200, "validation_error"])
    const keyed = await listen(byKey(tenant), HOOK, { id }, { "idempotency-key": "once" })
    await keyed.ended
    expect(refusalsOf(keyed)).toEqual([200, "validation_error"])
    const json = await listen(byKey(tenant), HOOK, { id }, { accept: "application/json, text/event-stream;q=0" })
    expect([json.response.status, json.response.headers.get("content-type")]).toEqual([400, "application/json"])
    const stranger = await listen("Bearer nothing", HOOK, { id })
    expect(stranger.response.status).toBe(401)
  })

  it("is followed too by who names events after JSON, whose refusals are JSON then", async () => {
    const tenant = await server.makeTenant()
    const accept = "application/json, text/event-stream"
    const stream = await listen(byKey(tenant), HOOK, { id: await makeHook(tenant) }, { accept })
    await stream.until(() => stream.events.length === 1)
    const none = await listen(byKey(tenant), HOOK, { id: uuidv7() }, { accept })
    expect([none.response.status, none.response.headers.get("content-type")]).toEqual([404, "application/json"])
  })

  it("ends with its key", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const made = await server.call("POST", "/api/v1/api-keys", {
      key: tenant.secretKey,
      body: { kind: "secret", name: "Second" }
    })
    const stream = await listen(`ApiKey ${made.json.key}`, HOOK, { id })
    await stream.until(() => stream.events.length === 1)
    await server.call("DELETE", `/api/v1/api-keys/${made.json.id}`, { key: tenant.secretKey })
    await stream.until(() => stream.events.at(-1)?.event === "complete")
    expect(stream.events.at(-2)!.data.errors[0].extensions.code).toBe("unauthorized")
  })

  it("ends with its session, and with the role that let it see", async () => {
    const one = await signedIn("live@example.com")
    const id = await makeHook(one)
    const stream = await listen(`Bearer ${one.token}`, HOOK, { id })
    await stream.until(() => stream.events.length === 1)
    const out = await server.call("POST", PATH, {
      body: { query: "mutation { signOutEverywhere }" },
      headers: { authorization: `Bearer ${one.token}` }
    })
    expect(out.json.data).toEqual({ signOutEverywhere: true })
    await stream.until(() => stream.events.at(-1)?.event === "complete")
    expect(stream.events.at(-2)!.data.errors[0].extensions.code).toBe("unauthorized")

    const { token } = await signedIn("live@example.com")
    const again = await listen(`Bearer ${token}`, HOOK, { id })
    await again.until(() => again.events.length === 1)
    await server.sql`DELETE FROM members WHERE account_id = (SELECT id FROM accounts WHERE email = 'live@example.com')`
    await again.until(() => again.events.at(-1)?.event === "complete")
    expect(again.events.at(-2)!.data.errors[0].extensions.code).toBe("not_found")
  })

  it("ends at once when its session has ended, or may no longer see it: nobody waits for the next look", async () => {
    const quiet = await startServer({ ticksOfCheck: 1_000_000_000 })
    const account = (token: string) =>
      quiet.sql`SELECT account_id FROM sessions WHERE id = ${
        JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).jti
      }`
    const ends: Readonly<Record<string, (token: string) => Promise<unknown>>> = {
      "a session that is gone": async (token) => {
        const query = "mutation { logout }"
        return quiet.call("POST", PATH, { body: { query }, headers: { authorization: `Bearer ${token}` } })
      },
      "an account that was disabled": async (token) => {
        const [row] = await account(token)
        return quiet.run(Effect.flatMap(AccountStore, (store) => store.disable(row.account_id)))
      },
      "an account that was deleted": async (token) => {
        const [row] = await account(token)
        return quiet.sql`DELETE FROM accounts WHERE id = ${row.account_id}`
      },
      "a member that is none any more": async (token) => {
        const [row] = await account(token)
        return quiet.sql`DELETE FROM members WHERE account_id = ${row.account_id}`
      }
    }
    for (const [name, end] of Object.entries(ends)) {
      const one = await signedIn(`${name.replaceAll(" ", ".")}@example.com`, quiet)
      const id = await makeHook(one, quiet)
      const stream = await listen(`Bearer ${one.token}`, HOOK, { id }, {}, quiet)
      await stream.until(() => stream.events.length === 1)
      // It has looked once when it tells of something new.
      await quiet.sql`UPDATE webhooks SET name = 'New' WHERE id = ${id}`
      await stream.until(() => stream.events.length === 2)
      await end(one.token)
      await stream.until(() => stream.events.at(-1)?.event === "complete")
      const code = name.startsWith("a member") ? "not_found" : "unauthorized"
      expect([name, stream.events.at(-2)!.data.errors[0].extensions.code]).toEqual([name, code])
    }
    // Another's, and what a role still sees, go on.
    const one = await signedIn("goes.on@example.com", quiet)
    const id = await makeHook(one, quiet)
    const stream = await listen(`Bearer ${one.token}`, HOOK, { id }, {}, quiet)
    await stream.until(() => stream.events.length === 1)
    const [row] = await account(one.token)
    await quiet.sql`UPDATE members SET role = 'viewer' WHERE account_id = ${row.account_id}`
    await quiet.sql`UPDATE webhooks SET name = 'After' WHERE id = ${id}`
    await stream.until(() => stream.events.length === 2)
    expect(stream.events[1]!.data.data.hookChanged.name).toBe("After")
    stream.close()
    await quiet.stop()
  })

  it("outlives a database that is away for a while", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const stream = await listen(byKey(tenant), HOOK, { id })
    await stream.until(() => stream.events.length === 1)
    server.outage.isDown = true
    await stream.until(() => stream.comments.length >= 2)
    server.outage.isDown = false
    await rename(tenant, id, "After")
    await stream.until(() => stream.events.length === 2)
    expect(stream.events[1]!.data.data.hookChanged.name).toBe("After")
  })

  it("is asked less often where the answer takes long, the more so the more streams there are", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const streams = await Promise.all([1, 2, 3].map(() => listen(byKey(tenant), HOOK, { id })))
    await Promise.all(streams.map(({ events, until }) => until(() => events.length === 1)))
    const asked = () => server.outage.count("WebhookStore.find")
    const takenBy = async (count: number) => {
      const [from, began] = [asked(), performance.now()]
      while (asked() < from + count) await new Promise((resolve) => setTimeout(resolve, 5))
      return performance.now() - began
    }
    await takenBy(3)
    server.outage.before = (operation) => (operation === "WebhookStore.find" ? Effect.sleep(30) : Effect.void)
    await takenBy(6)
    // Of thirty, one stream has ten, with nine waits between them: each answer is a twelfth of the time, at most, and half of
    // that by chance.
    const slow = await takenBy(30)
    server.outage.before = () => Effect.void
    expect(slow).toBeGreaterThan((9 * 30 * 12) / 2)
    // A change is told all the same.
    await rename(tenant, id, "Renamed")
    for (const { events, until } of streams) {
      await until(() => events.at(-1)!.data.data?.hookChanged.name === "Renamed")
    }
  })

  it("has room for so many of one application and one person, and gives it back", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const streams = [
      await listen(byKey(tenant), HOOK, { id }),
      await listen(byKey(tenant), HOOK, { id }),
      await listen(byKey(tenant), HOOK, { id })
    ]
    for (const stream of streams) await stream.until(() => stream.events.length === 1)
    const more = await listen(byKey(tenant), HOOK, { id })
    expect([more.response.status, more.response.headers.get("retry-after")]).toEqual([429, "5"])
    streams[0]!.close()
    await expect.poll(async () => (await listen(byKey(tenant), HOOK, { id })).response.status).toBe(200)
  })

  it("ends when the node stops, and is not complete: its client asks another node", async () => {
    const tenant = await server.makeTenant()
    const id = await makeHook(tenant)
    const stream = await listen(byKey(tenant), HOOK, { id })
    await stream.until(() => stream.events.length === 1)
    server.node.isStopping = true
    await stream.ended
    server.node.isStopping = false
    expect(stream.events.map(({ event }) => event)).toEqual(["next"])
  })
})

describe("the places of a process", () => {
  it("are shared: by address, by organization whatever its applications, and some are left for people", async () => {
    const live = { max: 8, maxByKeys: 6, maxOfOrganization: 3, maxOfOne: 2, maxOfAddress: 2 }
    const small = await startServer({ live, trustedProxies: "127.0.0.1" })
    try {
      const [a, b, c, d] = [
        await signedIn("a@example.com", small),
        await signedIn("b@example.com", small),
        await signedIn("c@example.com", small),
        await signedIn("d@example.com", small)
      ]
      const made = await small.call("POST", PATH, {
        headers: { authorization: `Bearer ${a.token}` },
        body: {
          query: `mutation($id: ID!) { createApplication(organizationId: $id, name: "Second") { secretKey } }`,
          variables: { id: a.organizationId }
        }
      })
      const second = { ...a, secretKey: made.json.data.createApplication.secretKey }
      let addresses = 0
      const statusOf = async (authorization: string, tenant: Tenant, address = `198.18.0.${++addresses}`) => {
        const id = await makeHook(tenant, small)
        const stream = await listen(authorization, HOOK, { id }, { "x-forwarded-for": address }, small)
        if (stream.response.status === 200) await stream.until(() => stream.events.length === 1)
        return stream.response.status
      }
      const byKeyOf = (tenant: Tenant, address?: string) => statusOf(byKey(tenant), tenant, address)
      const bySessionOf = (one: typeof a) => statusOf(`Bearer ${one.token}`, one)

      const theSame = "198.18.1.1"
      expect([await byKeyOf(a, theSame), await byKeyOf(b, theSame), await byKeyOf(a, theSame)]).toEqual([200, 200, 429])
      expect([await byKeyOf(a), await byKeyOf(second), await byKeyOf(second)]).toEqual([200, 200, 429])
      expect([await byKeyOf(b), await byKeyOf(c), await byKeyOf(c)]).toEqual([200, 200, 429])
      expect([await bySessionOf(c), await bySessionOf(d), await bySessionOf(b)]).toEqual([200, 200, 429])
    } finally {
      for (const stream of open.splice(0)) stream.close()
      await small.stop()
    }
  })
})
