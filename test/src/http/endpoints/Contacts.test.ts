import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const call = (method: string, path: string, body?: unknown, key = server.ours.secretKey) =>
  server.call(method, `/api/v1/contacts${path}`, { key, ...(body === undefined ? {} : { body }) })

const ADA = {
  external_id: "ada",
  email: "Ada@example.com",
  attributes: { plan: "pro", seats: [1, 2] },
  tags: ["news"],
  locale: "en-GB",
  timezone: "Europe/London"
}

describe("contacts", () => {
  it("are one for each external id, keep what an update leaves out, and lose what it nulls", async () => {
    const first = await call("POST", "", ADA)
    expect(first.status).toBe(201)
    expect(first.json.created).toBe(true)
    const path = first.headers.get("location")!.replace("/api/v1/contacts", "")
    expect((await call("GET", path)).json).toMatchObject(ADA)
    const second = await call("POST", "", { external_id: "ada", tags: ["beta"], locale: null })
    expect(second.json).toEqual({ id: first.json.id, created: false })
    const changed = { ...ADA, tags: ["beta"], locale: null }
    expect((await call("GET", path)).json).toMatchObject(changed)
    const patched = await call("PATCH", path, { timezone: null, attributes: {} })
    expect(patched.json).toMatchObject({ ...changed, timezone: null, attributes: {} })
  })

  it.each([
    ["no external id", { tags: [] }, "external_id"],
    ["an empty external id", { external_id: "" }, "external_id"],
    ["an address that is none", { external_id: "u", email: "ada" }, "email"],
    ["a time zone that is none", { external_id: "u", timezone: "Berlin" }, "timezone"],
    ["a locale that is none", { external_id: "u", locale: "german please" }, "locale"],
    ["attributes that are a list", { external_id: "u", attributes: [1] }, "attributes"],
    ["attributes of more than 4 KB", { external_id: "u", attributes: { a: "x".repeat(4096) } }, "attributes"],
    ["a tag that is too long", { external_id: "u", tags: ["x".repeat(65)] }, "tags[0]"],
    ["a field that is misspelt", { external_id: "u", mail: "a@b.example" }, "mail"]
  ])("are refused with %s", async (_, body, field) => {
    const answer = await call("POST", "", body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
  })

  it.each([
    "team/42",
    "a b?c#d&e=f",
    "%2F%",
    "Zoë 😀 Ω",
    "ann@example.com",
    "a.b..c",
    "...",
    ".hidden",
    "+1;x=y,:z",
    "preferences",
    "tags",
    "bulk",
    "by-external-id",
    "😀".repeat(128)
  ])("are found, changed and removed by their external id, such as %s", async (external_id) => {
    const path = `/by-external-id/${encodeURIComponent(external_id)}`
    expect((await call("GET", path)).status).toBe(404)
    const { id } = (await call("POST", "", { external_id, tags: ["a"] })).json
    expect((await call("GET", path)).json).toMatchObject({ id, external_id, tags: ["a"] })
    expect((await call("PATCH", path, { locale: "de" })).json).toMatchObject({ id, locale: "de", tags: ["a"] })
    expect((await call("POST", `${path}/tags`, { add: ["b"] })).json.tags).toEqual(["a", "b"])
    expect((await call("PATCH", `${path}/preferences`, { all: false, inbox: true })).json).toEqual({
      push: false,
      email: false,
      inbox: true
    })
    expect((await call("GET", `${path}/preferences`)).json).toMatchObject({ push: false })
    const wrong = await call("PATCH", path, { locale: 5 })
    expect([wrong.status, wrong.json.error.details[0].field]).toEqual([400, "locale"])

    const theirs = server.theirs.secretKey
    for (const [method, sub, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { tags: [] }],
      ["POST", "/tags", { add: ["x"] }],
      ["GET", "/preferences", undefined],
      ["PATCH", "/preferences", { all: true }],
      ["DELETE", "", undefined]
    ] as const) {
      const answer = await call(method, path + sub, body, theirs)
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"])
    }
    expect((await call("GET", `/${id}`)).json).toMatchObject({ locale: "de", tags: ["a", "b"] })
    expect((await call("DELETE", path)).json).toEqual({ deleted: true })
    expect((await call("DELETE", path)).status).toBe(404)
    expect((await call("GET", `/${id}`)).status).toBe(404)
  })

  it.each(["x".repeat(257), "%00", "%F0%9F", "%ff", "a/b", ""])(
    "are not found by what is no external id: %s",
    async (raw) => {
      const answer = await call("GET", `/by-external-id/${raw}`)
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"])
    }
  )

  it.each([".", ".."])("are not made with an id that no path can hold: %j", async (id) => {
    const { publicKey, secretKey: key } = server.ours
    const to = { user_ids: ["ada", id] }
    const wrong: ReadonlyArray<readonly [path: string, field: string, body: object]> = [
      ["contacts", "external_id", { external_id: id }],
      ["channels", "user_id", { kind: "inbox", user_id: id }],
      ["public/devices", "user_id", { token: "a".repeat(32), platform: "android", user_id: id }],
      ["notifications", "to.user_ids[1]", { to, content: { title: "t" } }],
      ["inbox/messages", "user_ids[1]", { ...to, title: "t" }],
      ["events/custom", "user_id", { event: "ordered", user_id: id }],
      [`workflows/${uuidv7()}/trigger`, "to.user_ids[1]", { to }]
    ]
    const refusal = (field: string) => [{ field, message: "must not be . or .., which no path can hold" }]
    for (const [path, field, body] of wrong) {
      const by = path.startsWith("public/") ? publicKey : key
      const { json, status } = await server.call("POST", `/api/v1/${path}`, { key: by, body })
      expect([path, status, json.error?.details]).toEqual([path, 400, refusal(field)])
    }
    const bulk = await call("POST", "/bulk", { contacts: [{ external_id: id }] })
    expect(bulk.json.data).toMatchObject([{ index: 0, error: { details: refusal("external_id") } }])
    const lines = await server.call("POST", "/api/v1/contacts/import", {
      key,
      raw: JSON.stringify({ external_id: id }),
      headers: { "content-type": "application/x-ndjson" }
    })
    expect(JSON.parse(lines.text)).toMatchObject({ line: 1, error: { details: refusal("external_id") } })
    const query = "mutation($input: ContactInput!, $appId: ID!) { upsertContact(appId: $appId, input: $input) { id } }"
    const variables = { appId: server.ours.appId, input: { externalId: id } }
    const answer = await server.call("POST", "/api/graphql", { key, body: { query, variables } })
    expect(answer.json.errors[0].extensions.details).toEqual(refusal("input.externalId"))
  })

  it.each([".", ".."])(
    "that have an id from before which no path can hold are found by it, and erased: %j",
    async (id) => {
      const { json: made } = await call("POST", "", { external_id: `before${id}` })
      await server.sql`UPDATE contacts SET external_id = ${id} WHERE id = ${made.id}`
      expect((await call("GET", `?external_id=${id}`)).json.data).toMatchObject([{ id: made.id, external_id: id }])
      expect((await call("PATCH", `/${made.id}`, { tags: ["news"] })).json).toMatchObject({ external_id: id })
      expect((await call("DELETE", `/${made.id}`)).status).toBe(200)
    }
  )

  it("keep their external id", async () => {
    const { json } = await call("POST", "", { external_id: "fixed" })
    expect((await call("PATCH", `/${json.id}`, { external_id: "other" })).status).toBe(400)
  })

  it("come as lines, each with its result", async () => {
    const lines = [
      { external_id: "l1", tags: ["lines"] },
      { external_id: "" },
      { external_id: "l1" },
      { external_id: "l2" }
    ]
    const answer = await server.call("POST", "/api/v1/contacts/import", {
      key: server.ours.secretKey,
      raw: lines.map((line) => JSON.stringify(line)).join("\n"),
      headers: { "content-type": "application/x-ndjson" }
    })
    expect(answer.status).toBe(200)
    const results = answer.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(results).toMatchObject([
      { line: 1, created: true },
      { line: 2, error: { code: "validation_error" } },
      { line: 3, created: false, id: results[0].id },
      { line: 4, created: true }
    ])
  })

  it("are found by external id and by tag, and listed page by page", async () => {
    const { secretKey } = await server.makeTenant()
    for (let i = 0; i < 5; i++)
      await call("POST", "", { external_id: `p${i}`, tags: [i % 2 ? "odd" : "even"] }, secretKey)
    const names = (answer: { json: { data: Array<{ external_id: string }> } }) =>
      answer.json.data.map(({ external_id }) => external_id)
    expect(names(await call("GET", "?external_id=p3", undefined, secretKey))).toEqual(["p3"])
    expect(names(await call("GET", "?tag=odd", undefined, secretKey))).toEqual(["p1", "p3"])
    const first = await call("GET", "?limit=3", undefined, secretKey)
    const rest = await call("GET", `?limit=3&cursor=${first.json.next_cursor}`, undefined, secretKey)
    expect([...names(first), ...names(rest)]).toEqual(["p0", "p1", "p2", "p3", "p4"])
    expect(rest.json.next_cursor).toBeNull()
  })

  it("say what they want to get", async () => {
    const { json } = await call("POST", "", { external_id: "choosy" })
    const path = `/${json.id}/preferences`
    expect((await call("GET", path)).json).toEqual({ push: true, email: true, inbox: true })
    expect((await call("PATCH", path, { email: false })).json).toEqual({ push: true, email: false, inbox: true })
    expect((await call("PATCH", path, { email: true, push: false })).json).toEqual({
      push: false,
      email: true,
      inbox: true
    })
    expect((await call("PATCH", path, { sms: false })).status).toBe(400)
  })

  it("are gone when they are deleted, and never another application's", async () => {
    const { json } = await call("POST", "", { external_id: "gone" })
    const requests = [
      ["GET", `/${json.id}`],
      ["PATCH", `/${json.id}`, { tags: [] }],
      ["GET", `/${json.id}/preferences`],
      ["PATCH", `/${json.id}/preferences`, { push: false }],
      ["DELETE", `/${json.id}`]
    ] as const
    for (const [method, path, body] of requests)
      expect((await call(method, path, body, server.theirs.secretKey)).status).toBe(404)
    expect((await call("DELETE", `/${json.id}`)).json).toEqual({ deleted: true })
    for (const [method, path, body] of requests) expect((await call(method, path, body)).status).toBe(404)
    expect((await call("GET", `/${uuidv7()}`)).status).toBe(404)
  })

  it("are no business of a public key", async () => {
    expect((await call("POST", "", ADA, server.ours.publicKey)).status).toBe(403)
    expect((await call("GET", "", undefined, server.ours.publicKey)).status).toBe(403)
  })

  it("come up to a thousand at once, each with its result", async () => {
    const { secretKey } = await server.makeTenant()
    const contacts = [{ external_id: "b1", tags: ["x"] }, { external_id: "" }, { external_id: "b1" }, { nothing: 1 }]
    const { json, status } = await call("POST", "/bulk", { contacts }, secretKey)
    expect(status).toBe(200)
    expect(json.data).toMatchObject([
      { index: 0, created: true },
      { index: 1, error: { code: "validation_error", details: [{ field: "external_id" }] } },
      { index: 2, created: false, id: json.data[0].id },
      { index: 3, error: { code: "validation_error" } }
    ])
    expect((await call("POST", "/bulk", { contacts: [] }, secretKey)).status).toBe(400)
    const many = Array.from({ length: 1001 }, (_, i) => ({ external_id: `m${i}` }))
    expect((await call("POST", "/bulk", { contacts: many }, secretKey)).status).toBe(400)
    expect((await call("GET", "", undefined, secretKey)).json.data).toHaveLength(1)
  })

  it("gain and lose tags, one by one and many at once", async () => {
    const { secretKey } = await server.makeTenant()
    const { json } = await call("POST", "", { external_id: "t1", tags: ["a", "b"] }, secretKey)
    const tags = (body: unknown) => call("POST", `/${json.id}/tags`, body, secretKey)
    expect((await tags({ add: ["c", "a"], remove: ["b", "z"] })).json.tags).toEqual(["a", "c"])
    const full = Array.from({ length: 99 }, (_, i) => `n${i}`)
    const refused = await tags({ add: full })
    expect([refused.status, refused.json.error.details[0].field]).toEqual([400, "add"])
    await call("POST", "", { external_id: "t2", tags: full }, secretKey)
    const change = { external_ids: ["t1", "t2", "t3", "t3"], add: ["d", "e"] }
    expect((await call("POST", "/tags", change, secretKey)).json).toEqual({ updated: 1, unknown: ["t3"], full: ["t2"] })
    expect((await call("GET", `/${json.id}`, undefined, secretKey)).json.tags).toEqual(["a", "c", "d", "e"])
    for (const wrong of [{}, { add: [] }, { add: ["a"], remove: ["a"] }]) expect((await tags(wrong)).status).toBe(400)
    expect((await call("POST", `/${json.id}/tags`, { add: ["x"] }, server.theirs.secretKey)).status).toBe(404)
  })

  it("leave everything at once, and come back to some of it", async () => {
    const { json } = await call("POST", "", { external_id: "leaver" })
    const prefer = async (body: unknown) => (await call("PATCH", `/${json.id}/preferences`, body)).json
    expect(await prefer({ all: false })).toEqual({ push: false, email: false, inbox: false })
    expect(await prefer({ all: true, email: false })).toEqual({ push: true, email: false, inbox: true })
  })
})
