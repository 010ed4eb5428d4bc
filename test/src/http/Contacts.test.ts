import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { TestServer } from "./TestServer.ts"
import { startServer } from "./TestServer.ts"

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
    const { secretKey } = server.makeTenant()
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
})
