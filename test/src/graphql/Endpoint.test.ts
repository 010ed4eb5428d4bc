import { getIntrospectionQuery } from "graphql"
import { request } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Answer, TestServer } from "../http/TestServer.ts"
import { StatementLog } from "../http/StatementLog.ts"
import { BODY_LIMIT, startServer } from "../http/TestServer.ts"

const PATH = "/api/graphql"
const URL_OF_A_RECEIVER = "https://198.18.7.1/hooks"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.outage.isDown = false
})

const ask = (query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  server.call("POST", PATH, { key: server.ours.secretKey, body: { query, variables }, headers })

const codes = ({ json }: Answer) => json.errors?.map(({ extensions }: any) => extensions.code)

const CREATE = `mutation($appId: ID!, $input: HookInput!) {
  createHook(appId: $appId, input: $input) { id name url events isActive disabledReason isSigned }
}`
const hook = (name = "Orders") => ({ appId: server.ours.appId, input: { name, url: URL_OF_A_RECEIVER } })

describe("who may ask", () => {
  it("is whoever shows a secret key; all others are refused with REST's code and status, in both forms", async () => {
    const cases: ReadonlyArray<readonly [string | undefined, number, string]> = [
      [undefined, 401, "unauthorized"],
      [`Bearer ${server.ours.secretKey}`, 401, "unauthorized"],
      ["ApiKey sk_wrong", 401, "unauthorized"],
      [`Public ${server.ours.publicKey}`, 403, "forbidden"],
      [`ApiKey ${server.ours.publicKey}`, 403, "forbidden"]
    ]
    for (const [authorization, status, code] of cases) {
      const answer = await server.call("POST", PATH, {
        body: { query: "{ __typename }" },
        headers: authorization === undefined ? {} : { authorization }
      })
      expect([answer.status, answer.json.error.code, codes(answer)]).toEqual([status, code, [code]])
      expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer, ApiKey" : null)
      expect(answer.json.errors[0].message).toBe(answer.json.error.message)
      expect(answer.json.errors[0].extensions.requestId).toBe(answer.headers.get("x-request-id"))
    }
    expect((await ask("{ __typename }")).json).toEqual({ data: { __typename: "Query" } })
  })

  it("asks by POST of JSON alone, one operation a request", async () => {
    const query = 'mutation { deleteHook(id: "1") }'
    for (const [type, body] of [
      ["application/x-www-form-urlencoded", new URLSearchParams({ query }).toString()],
      ["application/graphql", query],
      ["text/plain", JSON.stringify({ query })],
      ["multipart/form-data; boundary=x", `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--`]
    ] as const) {
      const answer = await server.call("POST", PATH, {
        key: server.ours.secretKey,
        raw: body,
        headers: { "content-type": type }
      })
      expect([type, answer.status, codes(answer)]).toEqual([type, 415, ["unsupported_media_type"]])
    }
    const got = await server.call("GET", `${PATH}?query={__typename}`, { key: server.ours.secretKey })
    expect([got.status, got.headers.get("allow"), codes(got)]).toEqual([405, "POST", ["method_not_allowed"]])
    for (const body of [
      [{ query: "{ __typename }" }],
      { query: 1 },
      {},
      { query: "{ __typename }", variables: [] },
      { doc_id: "1" }
    ]) {
      const answer = await server.call("POST", PATH, { key: server.ours.secretKey, body })
      expect([JSON.stringify(body), answer.status, codes(answer)]).toEqual([
        JSON.stringify(body),
        400,
        ["validation_error"]
      ])
    }
    expect((await server.call("POST", `${PATH}/`, { key: server.ours.secretKey, body: { query } })).status).toBe(404)
  })

  it("says more of an operation than there is to know, and no name of it by an empty text", async () => {
    const body = { query: "query A { __typename }", operationName: "", operationType: "query", id: "1", extensions: {} }
    const answer = await server.call("POST", PATH, { key: server.ours.secretKey, body })
    expect([answer.status, answer.json]).toEqual([200, { data: { __typename: "Query" } }])
  })

  it("is told to send the query where only its hash was sent, in the words that clients know", async () => {
    const persistedQuery = { version: 1, sha256Hash: "0".repeat(64) }
    const body = { operationName: null, variables: {}, extensions: { persistedQuery } }
    const answer = await server.call("POST", PATH, { key: server.ours.secretKey, body })
    const { extensions, message } = answer.json.errors[0]
    expect([answer.status, message, extensions.code]).toEqual([
      400,
      "PersistedQueryNotSupported",
      "PERSISTED_QUERY_NOT_SUPPORTED"
    ])
    const whole = { ...body, query: "{ __typename }" }
    expect((await server.call("POST", PATH, { key: server.ours.secretKey, body: whole })).status).toBe(200)
  })

  it("sees the schema, without suggestions to those who guess", async () => {
    const whole = await ask(getIntrospectionQuery())
    expect(whole.status).toBe(200)
    expect(whole.json.data.__schema.types.map(({ name }: any) => name)).toContain("Hook")
    expect(whole.json.data.__schema.directives.map(({ name }: any) => name)).not.toContain("rest")
    const guess = await ask("{ hoks(appId: 1) { nodes { id } } }")
    expect(guess.json.error.message).toBe('Cannot query field "hoks" on type "Query".')
    // The same list again and again is not what a schema is.
    const wide = await ask(
      "{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }"
    )
    expect([wide.status, codes(wide)?.[0]]).toEqual([400, "validation_error"])
  })
})

describe("an answer", () => {
  it("has the status of its first error where every field was refused, and 200 where any was answered", async () => {
    const id = uuidv7()
    const none = await ask(`{ hook(id: "${id}") { id } }`)
    expect([none.status, none.json.data, codes(none), none.json.errors[0].path]).toEqual([
      404,
      { hook: null },
      ["not_found"],
      ["hook"]
    ])
    // Nobody is signed in: null is the answer.
    const other = await ask(`{ me { id } hook(id: "${id}") { id } }`)
    expect([other.status, other.json.data, codes(other)]).toEqual([200, { me: null, hook: null }, ["not_found"]])
    expect(other.json.error).toBeUndefined()
    const some = await ask(`query($appId: ID!) { hook(id: "${id}") { id } hooks(appId: $appId) { nodes { id } } }`, {
      appId: server.ours.appId
    })
    expect([some.status, some.json.data, codes(some)]).toEqual([
      200,
      { hook: null, hooks: { nodes: [] } },
      ["not_found"]
    ])
    expect(some.json.error).toBeUndefined()
  })

  it("is of the type of GraphQL over HTTP for who takes it, a refusal too, which has REST's error in extensions", async () => {
    const headers = { accept: "application/graphql-response+json, application/json;q=0.9" }
    const type = "application/graphql-response+json; charset=utf-8"
    const asked = async (query: string, key = server.ours.secretKey) => {
      const { headers: shown, json, status } = await server.call("POST", PATH, { key, body: { query }, headers })
      expect([query, shown.get("content-type")]).toEqual([query, type])
      expect(Object.keys(json).filter((name) => !["data", "errors", "extensions"].includes(name))).toEqual([])
      return [status, json.data, json.errors?.[0].extensions.code, json.extensions?.error.code]
    }
    const id = uuidv7()
    expect(await asked("{ __typename }")).toEqual([200, { __typename: "Query" }, undefined, undefined])
    expect(await asked(`{ hook(id: "${id}") { id } }`)).toEqual([200, { hook: null }, "not_found", "not_found"])
    expect(await asked("{")).toEqual([400, undefined, "validation_error", "validation_error"])
    expect(await asked(`mutation { deleteHook(id: "${id}") }`)).toEqual([404, null, "not_found", "not_found"])
    expect(await asked("{ __typename }", "sk_wrong")).toEqual([401, undefined, "unauthorized", "unauthorized"])
    for (const accept of [
      "application/json",
      "*/*",
      "application/*",
      "image/png",
      "application/graphql-response+json;q=0"
    ]) {
      const answer = await ask("{ __typename }", {}, { accept })
      expect([accept, answer.headers.get("content-type")]).toEqual([accept, "application/json"])
    }
    const both = await ask("{", {}, { accept: "application/graphql-response+json;q=0.9, application/json" })
    expect([both.headers.get("content-type"), both.json.error.code]).toEqual(["application/json", "validation_error"])
  })

  it("repeats itself under an Idempotency-Key in the form that is taken each time", async () => {
    const query = `mutation { deleteHook(id: "${uuidv7()}") }`
    const first = await ask(query, {}, { "idempotency-key": "forms" })
    expect([first.status, first.json.error.code]).toEqual([404, "not_found"])
    const accept = "application/graphql-response+json"
    const again = await ask(query, {}, { "idempotency-key": "forms", accept })
    expect([again.status, again.headers.get("content-type"), again.headers.get("idempotent-replayed")]).toEqual([
      404,
      `${accept}; charset=utf-8`,
      "true"
    ])
    const { error, ...map } = first.json
    expect(again.json).toEqual({ ...map, extensions: { error } })
  })

  it("names the field that is wrong, as the schema calls it, and repeats nothing of what may be secret", async () => {
    const secret = "do not repeat this"
    const long = await ask(CREATE, {
      ...hook(),
      input: { name: "x".repeat(121), url: URL_OF_A_RECEIVER, isActive: true }
    })
    expect([long.status, long.json.errors[0].extensions.details]).toEqual([
      400,
      [{ field: "input.name", message: "must have a length of at most 120" }]
    ])
    expect(long.json.error.message).toMatch(/^The request is not valid: input\.name must have/)
    const unknown = await ask(CREATE, { ...hook(), input: { name: "A", url: URL_OF_A_RECEIVER, events: ["NOPE"] } })
    expect(unknown.json.errors[0].extensions.details[0].field).toBe("input.events[0]")
    const missing = await ask(CREATE, { appId: server.ours.appId, input: { name: "A", secret } })
    expect([missing.status, missing.json.errors[0].extensions.details]).toEqual([
      400,
      [{ field: "input.url", message: "is required" }]
    ])
    const typed = await ask(CREATE, {
      appId: server.ours.appId,
      input: { name: "A", url: URL_OF_A_RECEIVER, isActive: secret }
    })
    expect(typed.json.errors[0].extensions.details).toEqual([
      { field: "input.isActive", message: "must be of the type Boolean" }
    ])
    const excess = await ask(CREATE, {
      appId: server.ours.appId,
      input: { name: "A", url: URL_OF_A_RECEIVER, sekret: secret }
    })
    expect(excess.json.errors[0].extensions.details).toEqual([
      { field: "input.sekret", message: "is not a known field" }
    ])
    const nested = await ask(
      `mutation($appId: ID!, $input: SegmentInput!) { createSegment(appId: $appId, input: $input) { id } }`,
      { appId: server.ours.appId, input: { name: "S", filter: { lastSeen: { withinDays: 0 } } } }
    )
    expect(nested.json.errors[0].extensions.details[0].field).toBe("input.filter.lastSeen.withinDays")
    const rule = await ask(
      `mutation($appId: ID!, $input: SegmentInput!) { createSegment(appId: $appId, input: $input) { id } }`,
      { appId: server.ours.appId, input: { name: "S", filter: { lastSeen: {} } } }
    )
    expect(rule.json.errors[0].extensions.details[0].message).toBe("must have withinDays or notWithinDays")
    for (const tags of ["tagsAny", "tagsAll"]) {
      const none = await ask(`query($appId: ID!) { devices(appId: $appId, ${tags}: []) { nodes { id } } }`, {
        appId: server.ours.appId
      })
      expect(none.json.errors?.[0].extensions.details).toEqual([{ field: tags, message: "must not be empty" }])
    }
    for (const answer of [missing, typed, excess]) expect(answer.text).not.toContain(secret)
  })

  it("shows a private address to be refused, as REST does", async () => {
    const answer = await ask(CREATE, { ...hook(), input: { name: "A", url: "http://127.0.0.1:8080/" } })
    expect([answer.status, answer.json.errors[0].extensions.details[0].field]).toEqual([400, "input.url"])
  })

  it("takes attributes that are as deep as REST takes them, however they are given, and none that are deeper", async () => {
    const { appId, secretKey: key } = server.ours
    const json = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)
    const literal = (levels: number) => `${"{a:".repeat(levels)}1${"}".repeat(levels)}`
    const contact = (levels: number) => ({ externalId: "deep", attributes: json(levels) })
    const rest = (path: string, raw: string, type: string) =>
      server.call("POST", `/api/v1/contacts${path}`, { key, raw, headers: { "content-type": type } })
    const body = (levels: number) => ({ external_id: "deep", attributes: json(levels) })
    const upsert = "upsertContact(appId: $appId, input:"
    const ways: Readonly<Record<string, (levels: number) => Promise<Answer>>> = {
      "a body of REST": (levels) => rest("", JSON.stringify(body(levels)), "application/json"),
      "a bulk of REST": (levels) => rest("/bulk", JSON.stringify({ contacts: [body(levels)] }), "application/json"),
      "a line of REST": (levels) => rest("/import", JSON.stringify(body(levels)), "application/x-ndjson"),
      "a literal": (levels) =>
        ask(`mutation($appId: ID!) { ${upsert} { externalId: "deep", attributes: ${literal(levels)} }) { id } }`, {
          appId
        }),
      "a variable": (levels) =>
        ask(`mutation($appId: ID!, $a: JSON) { ${upsert} { externalId: "deep", attributes: $a }) { id } }`, {
          appId,
          a: json(levels)
        }),
      "an input": (levels) =>
        ask(`mutation($appId: ID!, $input: ContactInput!) { ${upsert} $input) { id } }`, {
          appId,
          input: contact(levels)
        }),
      "a bulk": (levels) =>
        ask(
          "mutation($appId: ID!, $input: ContactsInput!) { upsertContacts(appId: $appId, input: $input) { error { message } } }",
          { appId, input: { contacts: [contact(levels)] } }
        ),
      rows: (levels) =>
        ask(
          "mutation($appId: ID!, $importId: ID!, $rows: [ContactInput!]!) { importContacts(appId: $appId, importId: $importId, contacts: $rows) { error { message } } }",
          { appId, importId: uuidv7(), rows: [contact(levels)] }
        )
    }
    for (const [way, write] of Object.entries(ways)) {
      const [taken, refused] = [await write(31), await write(32)]
      expect([way, taken.status, taken.text]).toEqual([
        way,
        expect.toBeOneOf([200, 201]),
        expect.not.stringMatching(/"message"/)
      ])
      expect([way, refused.text]).toEqual([way, expect.stringContaining("must not be nested deeper than 32 levels")])
    }
  })

  it("refuses in literals what the JSON of a body may not say", async () => {
    const upsert = (input: string) =>
      ask(
        `mutation { upsertContact(appId: "${server.ours.appId}", input: { externalId: "u", attributes: ${input} }) { id } }`
      )
    for (const [attributes, field] of [
      [`{ a: "\\u0000" }`, "input.attributes.a"],
      [`{ __proto__: { a: 1 } }`, "input.attributes.__proto__"],
      [`{ a: ${"[".repeat(40)}${"]".repeat(40)} }`, null],
      [`{ a: "\\uD800" }`, null]
    ] as const) {
      const answer = await upsert(attributes)
      expect([attributes, answer.status]).toEqual([attributes, 400])
      if (field !== null) expect(answer.json.errors[0].extensions.details[0].field).toBe(field)
    }
    expect((await upsert(`{ a: "fine" }`)).status).toBe(200)
  })
})

describe("webhooks by GraphQL", () => {
  it("are made, changed, listed and removed under the names of the spec, with REST's own rules", async () => {
    const made = await ask(CREATE, {
      ...hook(),
      input: { ...hook().input, secret: "s3cret", events: ["NOTIFICATION_SENT"] }
    })
    expect(made.status).toBe(200)
    const { id, ...rest } = made.json.data.createHook
    expect(rest).toEqual({
      name: "Orders",
      url: URL_OF_A_RECEIVER,
      events: ["NOTIFICATION_SENT"],
      isActive: true,
      disabledReason: null,
      isSigned: true
    })
    const off = await ask(
      `mutation($id: ID!) { updateHook(id: $id, input: { isActive: false }) { id isActive name } }`,
      { id }
    )
    expect(off.json.data.updateHook).toEqual({ id, isActive: false, name: "Orders" })
    const rest1 = await server.call("GET", `/api/v1/webhooks/${id}`, { key: server.ours.secretKey })
    expect([rest1.json.is_active, rest1.json.events]).toEqual([false, ["NOTIFICATION_SENT"]])
    const listed = await ask("query($appId: ID!) { hooks(appId: $appId) { edges { node { id } } } }", {
      appId: server.ours.appId
    })
    expect(listed.json.data.hooks.edges).toEqual([{ node: { id } }])
    expect(listed.text + made.text + off.text).not.toContain("s3cret")
    // Who did it, is written down as it is for REST.
    const log = await ask(
      "query($appId: ID!) { auditLog(appId: $appId, first: 2) { nodes { action target actor { kind actorId } } } }",
      {
        appId: server.ours.appId
      }
    )
    expect(log.json.data.auditLog.nodes.map(({ action, actor, target }: any) => [action, target, actor.kind])).toEqual([
      ["webhook.changed", id, "KEY"],
      ["webhook.created", id, "KEY"]
    ])
    const gone = await ask("mutation($id: ID!) { deleteHook(id: $id) }", { id })
    expect(gone.json).toEqual({ data: { deleteHook: true } })
    expect([(await ask("mutation($id: ID!) { deleteHook(id: $id) }", { id })).status]).toEqual([404])
  })

  it("are twenty at most, however many are made at once", async () => {
    const tenant = await server.makeTenant()
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        server.call("POST", PATH, {
          key: tenant.secretKey,
          body: {
            query: CREATE,
            variables: { appId: tenant.appId, input: { name: `Hook ${i}`, url: URL_OF_A_RECEIVER } }
          }
        })
      )
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(answers.length - refused.length).toBe(20)
    expect(refused.map((answer) => [answer.status, codes(answer)])).toEqual(
      Array.from({ length: 5 }, () => [409, ["conflict"]])
    )
  })

  it("are made one after another where one request makes several, and what was made stays", async () => {
    const tenant = await server.makeTenant()
    const one = (name: string, url: string) =>
      `${name}: createHook(appId: "${tenant.appId}", input: { name: "${name}", url: "${url}" }) { name }`
    const answer = await server.call("POST", PATH, {
      key: tenant.secretKey,
      body: {
        query: `mutation { ${one("a", URL_OF_A_RECEIVER)} ${one("b", "http://127.0.0.1/")} ${one("c", URL_OF_A_RECEIVER)} }`
      }
    })
    // createHook is never null: the whole answer is, and nothing is begun after it. Whoever repeated a refusal would make
    // the first once more.
    expect([answer.status, answer.json.data, answer.json.errors[0].path]).toEqual([200, null, ["b"]])
    expect(answer.json.error).toBeUndefined()
    const listed = await server.call("GET", "/api/v1/webhooks", { key: tenant.secretKey })
    expect(listed.json.data.map(({ name }: any) => name)).toEqual(["a"])
  })
})

describe("devices that are registered by GraphQL", () => {
  it("move to a new token with the one that they had, as those of an import", async () => {
    const register = async (device: object) => {
      const query = `mutation($appId: ID!, $devices: [RegisterDeviceInput!]!) {
        registerDevices(appId: $appId, devices: $devices) { objectId created error { message } }
      }`
      const { json } = await server.call("POST", PATH, {
        key: server.ours.secretKey,
        body: { query, variables: { appId: server.ours.appId, devices: [{ platform: "ANDROID", ...device }] } }
      })
      return json.data.registerDevices[0]
    }
    const { objectId } = await register({ token: "graphql-before", userId: "moves" })
    const moved = await register({ token: "graphql-after", previousToken: "graphql-before", userId: "moves" })
    expect(moved).toEqual({ objectId, created: false, error: null })
    const { json } = await server.call("GET", "/api/v1/devices?user_id=moves", { key: server.ours.secretKey })
    expect(json.data.map(({ token }: any) => token)).toEqual(["graphql-after"])
    const wrong = await register({ token: "graphql-after", previousToken: "" })
    expect(wrong.error.message).toContain("previousToken")
  })
})

describe("what belongs to the objects of a page", () => {
  it("is looked up for all of them at once, whatever their number", async () => {
    const statements = new StatementLog()
    const counted = await startServer({ statements })
    const tenant = counted.ours
    const asTenant = (query: string, variables: object = {}) =>
      counted.call("POST", PATH, {
        key: tenant.secretKey,
        body: { query, variables: { appId: tenant.appId, ...variables } }
      })
    const people = Array.from({ length: 40 }, (_, i) => ({ externalId: `user-${i}`, email: `user-${i}@example.com` }))
    await asTenant(
      `mutation($appId: ID!, $contacts: [ContactInput!]!) { upsertContacts(appId: $appId, input: { contacts: $contacts }) { objectId } }`,
      { contacts: people }
    )
    const devices = people.flatMap(({ externalId }, i) => [
      { token: `${1000 + i}`.repeat(16), platform: "IOS", userId: externalId },
      { token: `${5000 + i}`.repeat(16), platform: "IOS", userId: externalId }
    ])
    const registered = await asTenant(
      `mutation($appId: ID!, $devices: [RegisterDeviceInput!]!) { registerDevices(appId: $appId, devices: $devices) { objectId created error { message } } }`,
      { devices }
    )
    expect(registered.json.data.registerDevices.every(({ created }: any) => created === true)).toBe(true)
    const query = `query($appId: ID!, $first: Int) {
      contacts(appId: $appId, first: $first) { nodes {
        externalId
        devices(first: 5) { token contact { externalId } }
        one: devices(first: 1) { token }
        channels(first: 3) { address contact { externalId } }
      } }
    }`
    const asked = async (first: number) => {
      await asTenant("{ __typename }")
      const [calledBefore, sentBefore] = [counted.outage.calls.length, statements.texts.length]
      const answer = await asTenant(query, { first })
      expect([answer.status, answer.json.errors]).toEqual([200, undefined])
      const calls = counted.outage.calls.slice(calledBefore).map(({ operation }) => operation)
      const sent = statements.texts.slice(sentBefore)
      return {
        nodes: answer.json.data.contacts.nodes,
        calls: calls.filter((name) => !name.startsWith("ApplicationStore")).sort(),
        // But for the key, and what happens now and then: permits are taken, and what is old is swept away.
        sent: sent.filter((text) => !/AS t \(hash\)|^\s*WITH moment |^\s*DELETE FROM /.test(text)).sort()
      }
    }
    const few = await asked(2)
    const many = await asked(40)
    // Pages of five and of one are two.
    expect(many.calls).toEqual([
      "ChannelStore.ofContacts",
      "ContactStore.findMany",
      "ContactStore.findMany",
      "ContactStore.list",
      "DeviceStore.ofUsers",
      "DeviceStore.ofUsers"
    ])
    expect(few.calls).toEqual(many.calls)
    // Each is one statement, and a list one more, which says how it is to be planned.
    expect(many.sent, many.sent.join("\n")).toHaveLength(many.calls.length + 1)
    expect(few.sent).toEqual(many.sent)
    for (const { channels, devices, externalId, one } of many.nodes) {
      expect(devices.map(({ contact }: any) => contact.externalId)).toEqual([externalId, externalId])
      expect(one.map(({ token }: any) => token)).toEqual([devices[0].token])
      expect(channels).toEqual([{ address: `${externalId}@example.com`, contact: { externalId } }])
    }
    await counted.stop()
  })
})

describe("a database that is away", () => {
  it("is answered 503 with Retry-After, and told of by the code", async () => {
    await ask("{ __typename }")
    server.outage.isDown = true
    const answer = await ask("query($appId: ID!) { contacts(appId: $appId) { nodes { id } } }", {
      appId: server.ours.appId
    })
    expect([answer.status, codes(answer), answer.headers.get("retry-after")]).toEqual([503, ["unavailable"], "2"])
    expect(answer.json.errors[0].extensions.retryAfter).toBe(2)
  })

  it("is not waited for longer than by REST, however many fields wait for it", async () => {
    await ask("{ __typename }")
    server.outage.freeze()
    const answer = await ask(
      `query($appId: ID!) { a: contacts(appId: $appId) { nodes { id } } b: devices(appId: $appId) { nodes { id } } c: hooks(appId: $appId) { nodes { id } } }`,
      { appId: server.ours.appId }
    )
    server.outage.thaw()
    expect([answer.status, codes(answer)[0]]).toEqual([503, "unavailable"])
  })
})

describe("an Idempotency-Key", () => {
  it("does a mutation once, and repeats its answer", async () => {
    const key = { "idempotency-key": uuidv7() }
    const first = await ask(CREATE, hook("Once"), key)
    const again = await ask(CREATE, hook("Once"), key)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
    const other = await ask(CREATE, hook("Twice"), key)
    expect([other.status, codes(other)]).toEqual([422, ["idempotency_key_reused"]])
  })

  it("keeps no secret that is shown once", async () => {
    const key = { "idempotency-key": uuidv7() }
    const query = `mutation($appId: ID!) { createApiKey(appId: $appId, input: { kind: SECRET, name: "Second" }) { id name again: key key } }`
    const first = await ask(query, { appId: server.ours.appId }, key)
    const { key: text } = first.json.data.createApiKey
    expect(text).toMatch(/^sk_/)
    const again = await ask(query, { appId: server.ours.appId }, key)
    expect(again.json.data.createApiKey).toEqual({ ...first.json.data.createApiKey, again: null, key: null })
    const kept =
      await server.sql`SELECT answer::text AS body FROM (SELECT to_jsonb(k) AS answer FROM idempotency_keys k) AS t`
    expect(kept.length).toBeGreaterThan(0)
    expect(JSON.stringify(kept)).not.toContain(text)
  })
})

describe("an Idempotency-Key of a client that sends hashes of queries first", () => {
  it("is not used up by the hash, and is the same request with it and without", async () => {
    const key = { "idempotency-key": uuidv7() }
    const extensions = { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } }
    const send = (body: object) => server.call("POST", PATH, { key: server.ours.secretKey, body, headers: key })
    const variables = hook("Hashed")
    const hashed = await send({ operationName: null, variables, extensions })
    expect([hashed.status, codes(hashed)]).toEqual([400, ["PERSISTED_QUERY_NOT_SUPPORTED"]])
    const first = await send({ operationName: null, variables, extensions, query: CREATE })
    expect([first.status, first.json.data.createHook.name]).toEqual([200, "Hashed"])
    const again = await send({ operationName: null, variables, query: CREATE })
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
    const other = await send({ operationName: null, variables: hook("Other"), query: CREATE })
    expect([other.status, codes(other)]).toEqual([422, ["idempotency_key_reused"]])
  })
})

describe("an Idempotency-Key of a long answer", () => {
  const HTML = "x".repeat(90_000)
  const aliases = Array.from({ length: 14 }, (_, i) => `a${i}: html`).join(" ")
  const stored = async (name: string): Promise<string> => {
    const made = await server.call("POST", "/api/v1/templates", {
      key: server.ours.secretKey,
      body: { name, content: { html: HTML } }
    })
    return made.json.id
  }
  const keptBytes = async () => {
    const [row] = await server.sql`SELECT coalesce(sum(octet_length(body)), 0)::int AS bytes FROM idempotency_keys`
    return row!["bytes"] as number
  }

  it("is refused with a query, of which nothing is kept", async () => {
    const id = await stored("Asked for")
    const before = await keptBytes()
    const query = `query($id: ID!) { template(id: $id) { content { html ${aliases} } } }`
    const refused = await ask(query, { id }, { "idempotency-key": uuidv7() })
    expect([refused.status, codes(refused)]).toEqual([400, ["validation_error"]])
    expect((await ask(query, { id })).text.length).toBeGreaterThan(1_300_000)
    expect((await keptBytes()) - before).toBeLessThan(1000)
  })

  it("keeps the work of a mutation from being done again, without the answer", async () => {
    const id = await stored("Changed")
    const before = await keptBytes()
    const query = `mutation($id: ID!) { updateTemplate(id: $id, input: { name: "New" }) { version content { html ${aliases} } } }`
    const key = { "idempotency-key": uuidv7() }
    const first = await ask(query, { id }, key)
    expect([first.status, first.json.data.updateTemplate.version]).toEqual([200, 2])
    const again = await ask(query, { id }, key)
    expect([again.status, codes(again), again.headers.get("idempotent-replayed")]).toEqual([409, ["conflict"], "true"])
    expect((await ask("query($id: ID!) { template(id: $id) { version } }", { id })).json.data.template.version).toBe(2)
    expect((await keptBytes()) - before).toBeLessThan(1000)
  })
})

describe("a long answer", () => {
  const aliases = (count: number, prefix = "a") =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}: html`).join(" ")
  const QUERY = (count: number) =>
    `query($appId: ID!) { templates(appId: $appId, first: 100) {
      nodes { id content { html ${aliases(count)} } }
    } }`
  const ofTheirs = (query: string) =>
    server.call("POST", PATH, {
      key: server.theirs.secretKey,
      body: { query, variables: query.includes("$appId") ? { appId: server.theirs.appId } : {} }
    })
  beforeAll(async () => {
    for (let i = 0; i < 20; i++) {
      await server.call("POST", "/api/v1/templates", {
        key: server.theirs.secretKey,
        body: { name: `${i}`, content: { html: "x".repeat(90_000) } }
      })
    }
  })

  it("is refused from 8 MB on, before it is written, in words that say what to do", async () => {
    const refused = await ofTheirs(QUERY(14))
    expect([refused.status, codes(refused), refused.json.error.message]).toEqual([
      400,
      ["validation_error"],
      "The answer would be longer than 8 MB. Ask for smaller pages (first), fewer fields or fewer aliases."
    ])
    const both = await ofTheirs(`query($appId: ID!) { templates(appId: $appId, first: 100) {
      nodes { content { html ${aliases(7)} } } edges { node { content { html ${aliases(8, "b")} } } }
    } }`)
    expect(both.status).toBe(400)
  })

  it("says that a mutation was carried out all the same", async () => {
    const { json } = await ofTheirs(QUERY(0))
    const { id } = json.data.templates.nodes[0]
    await server.sql`UPDATE template_versions v SET body = json_build_object('content', json_build_object(
      'html', repeat('x', 600000))) FROM templates t WHERE t.version_id = v.id AND t.id = ${id}`
    const query = `mutation { updateTemplate(id: "${id}", input: { name: "Changed" }) { content { html ${aliases(15)} } } }`
    const headers = { "idempotency-key": uuidv7() }
    const change = () => server.call("POST", PATH, { key: server.theirs.secretKey, body: { query }, headers })
    const answer = await change()
    // No refusal: a client repeats those.
    expect([answer.status, answer.json.data, codes(answer), answer.json.error]).toEqual([
      200,
      null,
      ["answer_too_long"],
      undefined
    ])
    expect(answer.json.errors[0].message).toContain("The work is done: do not repeat it")
    const again = await change()
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, answer.text, "true"])
    expect((await ofTheirs(`{ template(id: "${id}") { name } }`)).json.data.template.name).toBe("Changed")
  })

  it("counts for a permit for each hundred kilobytes", async () => {
    const left = async () => Number((await ofTheirs("{ __typename }")).headers.get("x-ratelimit-remaining"))
    const before = await left()
    const answer = await ofTheirs(QUERY(2))
    expect(answer.status).toBe(200)
    expect(before - (await left())).toBe(Math.ceil(answer.text.length / 100_000) + 1)
  })
})

describe("a hostile query", () => {
  const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)
  const hostile = (): Record<string, string | object> => ({
    "a depth of 10,000": `{ ${nested("a{", "}", 10_000)} }`,
    "a depth of 400 that parses": `{ ${"a{".repeat(400)}b${"}".repeat(400)} }`,
    "10,000 aliases": `{ ${Array.from({ length: 10_000 }, (_, i) => `a${i}:__typename`).join(" ")} }`,
    "300 aliases that parse": `{ ${Array.from({ length: 300 }, (_, i) => `a${i}:__typename`).join(" ")} }`,
    "circular fragments": "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
    "fragments that double": `{ ...F0 } ${Array.from({ length: 90 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(" ")} fragment F90 on Query { x: __typename }`,
    "fields that have to be compared with each other": `{ ${"hooks(appId: 1) { nodes { id nope } } ".repeat(80)} }`,
    "a huge literal": `{ hook(id: "${"x".repeat(60_000)}") { id } __nope }`,
    "a block string of 60,000 lines": `{ hook(id: """${"\n".repeat(60_000)}""") { id } __nope }`,
    "a huge number": `{ contacts(appId: 1, first: ${"9".repeat(50_000)}) { nodes { id } } }`,
    "deep lists": `mutation { upsertContact(appId: 1, input: { externalId: "1", attributes: ${nested("[", "]", 450)} }) { id } }`,
    "lists without end": `{ a(b: ${"[".repeat(60_000)}`,
    "objects without end": `{ a(b: ${"{a:".repeat(20_000)}`,
    "unknown directives": `{ __typename ${"@nope ".repeat(450)} }`,
    "directives with arguments": `{ __typename ${"@skip(if: false) ".repeat(140)} }`,
    "500 variables": `query(${Array.from({ length: 190 }, (_, i) => `$v${i}: Nope!`).join(" ")}) { __typename }`,
    "60,000 comments": `${"#\n".repeat(30_000)}{ nope }`,
    "unknown types": `{ ${"... on Nope { a } ".repeat(150)} }`,
    "introspection in circles": `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    "deep variables": { query: "query($a: JSON) { __typename }", variables: { a: JSON.parse(nested("[", "]", 200)) } },
    "nothing but braces": "{".repeat(60_000),
    "broken text": "{ \u0000 }",
    nothing: ""
  })

  it("is answered with an error, quickly, and nothing of it stays", async () => {
    const cases = Object.entries(hostile())
    const before = server.outage.calls.length
    /** Milliseconds of the processor's time that each took at best, client and server: whatever else a machine does. */
    const took = new Map<string, number>()
    for (let round = 0; round < 4; round++) {
      for (const [name, query] of cases) {
        const beganAt = process.threadCpuUsage()
        const body = typeof query === "string" ? { query } : query
        const answer = await server.call("POST", PATH, { key: server.ours.secretKey, body })
        // What is longer than 64 KB is not even read.
        const said = answer.status === 413 ? "payload_too_large" : "validation_error"
        expect([name, answer.status < 500, codes(answer)?.[0]]).toEqual([name, true, said])
        expect(answer.text.length, name).toBeLessThan(40_000)
        expect(answer.json.errors.length, name).toBeLessThanOrEqual(21)
        const { system, user } = process.threadCpuUsage(beganAt)
        took.set(name, Math.min(took.get(name) ?? Infinity, (user + system) / 1000))
      }
    }
    expect([...took].filter(([, ms]) => ms >= 100)).toEqual([])
    expect(
      server.outage.calls.slice(before).filter(({ operation }) => !operation.startsWith("ApplicationStore"))
    ).toEqual([])
  })

  it("leaves no memory taken, however many different ones come", async () => {
    const cases = Object.values(hostile()).filter((query) => typeof query === "string")
    let sent = 0
    const send = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        for (const query of cases) {
          // One that nobody has sent before: what is remembered of queries is full after a while.
          const body = { query: `#${++sent}${"x".repeat(2_000)}\n${query}` }
          const { status } = await server.call("POST", PATH, { key: server.ours.secretKey, body })
          expect([400, 413]).toContain(status)
        }
      }
    }
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as () => void
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    await send(60)
    const before = heap()
    await send(60)
    // Their texts alone are ten times as long.
    expect(heap() - before).toBeLessThan(2 << 20)
  })

  it("has as much for its variables as a REST body where it is known who asks, and 64 KB for its own text", async () => {
    const key = server.ours.secretKey
    const html = "<p>{{ name }}</p>".padEnd(80_000, "x")
    const query =
      "mutation($id: ID!, $input: TemplateInput!) { createTemplate(appId: $id, input: $input) { content { html } } }"
    const body = { query, variables: { id: server.ours.appId, input: { name: "Long", content: { html } } } }
    expect((await server.call("POST", PATH, { key, body })).json.data.createTemplate.content.html).toBe(html)
    const ask = async (options: object) => {
      const answer = await server.call("POST", PATH, options)
      return [answer.status, codes(answer)]
    }
    const refused = [413, ["payload_too_large"]]
    expect(await ask({ body })).toEqual(refused)
    expect(await ask({ key, body: { query: `{ __typename } # ${"x".repeat(64 * 1024)}` } })).toEqual(refused)
    expect(await ask({ key, body: { query: "{ __typename }", variables: { x: "x".repeat(BODY_LIMIT) } } })).toEqual(
      refused
    )
  })

  it("is refused by its size before it is read", async () => {
    const answer = await server.call("POST", PATH, {
      key: server.ours.secretKey,
      body: { query: `{ __typename } # ${"x".repeat(64 * 1024)}` }
    })
    expect([answer.status, codes(answer)]).toEqual([413, ["payload_too_large"]])
  })

  it("does not keep others waiting: a small one is answered while a hundred hostile ones are", async () => {
    const bodies = Object.values(hostile()).filter((query) => typeof query === "string")
    const flood = Array.from({ length: 100 }, (_, i) =>
      server.call("POST", PATH, { key: server.ours.secretKey, body: { query: bodies[i % bodies.length] } })
    )
    const answer = await ask("{ __typename }")
    expect(answer.status).toBe(200)
    for (const { status } of await Promise.all(flood)) expect([400, 413]).toContain(status)
  })
})

describe("the rate limit", () => {
  it("counts what a request does as REST would have counted it, and says so on every answer", async () => {
    const limited = await startServer({ rateLimits: { secret: { requests: 30, windowMs: 60_000 } } })
    const left = async (query: string, variables: object = { appId: limited.ours.appId }) => {
      const answer = await limited.call("POST", PATH, { key: limited.ours.secretKey, body: { query, variables } })
      return [answer.status, Number(answer.headers.get("x-ratelimit-remaining"))]
    }
    expect(await left("{ __typename }")).toEqual([200, 29])
    expect(await left("{ nope }")).toEqual([400, 28])
    expect(
      await left(
        "query($appId: ID!) { a: hooks(appId: $appId) { nodes { id } } b: hooks(appId: $appId) { nodes { id } } }"
      )
    ).toEqual([200, 26])
    expect(
      await left("query($appId: ID!) { contacts(appId: $appId, first: 100) { nodes { devices { id } } } }")
    ).toEqual([200, 15])
    // More than is left: not one of its fields is asked for.
    const before = limited.outage.count("WebhookStore.list")
    const wide = `query($appId: ID!) { ${Array.from({ length: 15 }, (_, i) => `a${i}: hooks(appId: $appId) { nodes { id } }`).join(" ")} }`
    expect(await left(wide)).toEqual([200, 0])
    const answer = await limited.call("POST", PATH, {
      key: limited.ours.secretKey,
      body: { query: wide, variables: { appId: limited.ours.appId } }
    })
    expect([answer.status, codes(answer), limited.outage.count("WebhookStore.list") - before]).toEqual([
      429,
      ["rate_limited"],
      15
    ])
    // An application's budget is its own, and the same by REST.
    expect((await limited.call("GET", "/api/v1/webhooks", { key: limited.ours.secretKey })).status).toBe(429)
    expect(
      (await limited.call("POST", PATH, { key: limited.theirs.secretKey, body: { query: "{ __typename }" } })).status
    ).toBe(200)
    await limited.stop()
  })

  it("lets nothing through that it cannot count", async () => {
    server.limiterOutage.isDown = true
    const tenant = await server.makeTenant()
    const answer = await server.call("POST", PATH, { key: tenant.secretKey, body: { query: "{ __typename }" } })
    server.limiterOutage.isDown = false
    expect([answer.status, codes(answer)]).toEqual([503, ["rate_limiter_unavailable"]])
  })
})

describe("a client that hangs up", () => {
  it("leaves nothing running", async () => {
    await ask("{ __typename }")
    server.outage.freeze()
    const body = JSON.stringify({ query: `{ contacts(appId: "${server.ours.appId}") { nodes { id } } }` })
    const sent = request(`${server.baseUrl}${PATH}`, {
      method: "POST",
      headers: {
        authorization: `ApiKey ${server.ours.secretKey}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body)
      }
    })
    sent.on("error", () => {})
    sent.end(body)
    await expect.poll(() => server.outage.waiting).toBe(1)
    sent.destroy()
    await expect.poll(() => server.outage.waiting).toBe(0)
    server.outage.thaw()
  })
})
