import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const hashOf = (user: string, tenant: Tenant = server.ours) => server.keys.hmac(tenant.identitySecret, user)

/** A request of the user's own device, with proof of who they are. */
const asUser = (method: string, path: string, user: string, hash: string | null = hashOf(user), tenant = server.ours) =>
  server.call(
    method,
    `/api/v1/public/inbox${path}${path.includes("?") ? "&" : "?"}user_id=${encodeURIComponent(user)}`,
    {
      key: tenant.publicKey,
      headers: hash === null ? {} : { "x-identity-hash": hash }
    }
  )

const post = (body: unknown, key = server.ours.secretKey) =>
  server.call("POST", "/api/v1/inbox/messages", { key, body })

const OPERATIONS = [
  ["GET", ""],
  ["GET", "/unread_count"],
  ["POST", `/${uuidv7()}/read`],
  ["POST", "/read_all"]
] as const

describe("the inbox", () => {
  it("shows what servers wrote, newest first, page by page", async () => {
    for (let i = 0; i < 5; i++) await post({ user_ids: ["reader", "reader"], title: `m${i}`, data: { i } })
    const first = await asUser("GET", "?limit=3", "reader")
    expect(first.status).toBe(200)
    expect(first.headers.get("access-control-allow-origin")).toBe("*")
    const rest = await asUser("GET", `?limit=3&cursor=${first.json.next_cursor}`, "reader")
    const shown = [...first.json.data, ...rest.json.data]
    const ids = shown.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    expect(shown.map(({ title }) => title).toSorted()).toEqual(["m0", "m1", "m2", "m3", "m4"])
    const m4 = shown.find(({ title }) => title === "m4")
    expect(m4).toMatchObject({ body: null, url: null, data: { i: 4 }, read_at: null })
    expect(rest.json.next_cursor).toBeNull()
  })

  it("counts what is unread, and marks one or all as read", async () => {
    const user = "Zoë Ω"
    for (const title of ["a", "b", "c"]) expect((await post({ user_ids: [user], title })).json).toEqual({ created: 1 })
    const unread = async () => (await asUser("GET", "/unread_count", user)).json
    expect(await unread()).toEqual({ unread_count: 3 })
    const { id } = (await asUser("GET", "", user)).json.data[0]
    const read = await asUser("POST", `/${id}/read`, user)
    expect(read.json).toMatchObject({ id, read_at: expect.stringMatching(/Z$/) })
    expect((await asUser("POST", `/${id}/read`, user)).json).toEqual(read.json)
    expect(await unread()).toEqual({ unread_count: 2 })
    expect((await asUser("POST", "/read_all", user)).json).toEqual({ read: 2 })
    expect((await asUser("POST", "/read_all", user)).json).toEqual({ read: 0 })
    expect(await unread()).toEqual({ unread_count: 0 })
  })

  it("is empty for who is unknown", async () => {
    expect((await asUser("GET", "", "stranger")).json).toEqual({ data: [], next_cursor: null })
    expect((await asUser("GET", "/unread_count", "stranger")).json).toEqual({ unread_count: 0 })
  })

  it.each(OPERATIONS)("asks for proof of the user: %s %s", async (method, path) => {
    const proofs = [null, "", "nonsense", hashOf("another"), hashOf("owner", server.theirs), hashOf("owner").slice(1)]
    for (const proof of proofs) {
      const answer = await asUser(method, path, "owner", proof)
      expect(answer.status).toBe(401)
      expect(answer.json.error.code).toBe("identity_unverified")
    }
    const proven = await asUser(method, path, "owner")
    expect(proven.status).toBe(path.endsWith("/read") ? 404 : 200)
    const query = `user_id=owner`
    const asServer = await server.call(method, `/api/v1/public/inbox${path}?${query}`, { key: server.ours.secretKey })
    expect(asServer.status).toBe(proven.status)
  })

  it.each(OPERATIONS)("wants to know whose it is: %s %s", async (method, path) => {
    const answer = await server.call(method, `/api/v1/public/inbox${path}`, { key: server.ours.publicKey })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([{ field: "user_id", message: "is required in the query" }])
  })

  it("is nobody else's: another user's, or the same user's of another application", async () => {
    await post({ user_ids: ["private"], title: "secret" })
    const { id } = (await asUser("GET", "", "private")).json.data[0]
    expect((await asUser("POST", `/${id}/read`, "other")).status).toBe(404)
    const theirs = hashOf("private", server.theirs)
    expect((await asUser("POST", `/${id}/read`, "private", theirs, server.theirs)).status).toBe(404)
    expect((await asUser("GET", "", "private", theirs, server.theirs)).json.data).toEqual([])
    expect((await asUser("GET", "/unread_count", "private")).json).toEqual({ unread_count: 1 })
  })
})

describe("POST /api/v1/inbox/messages", () => {
  it.each([
    ["nobody to get it", { user_ids: [], title: "t" }, "user_ids"],
    ["more people than allowed", { user_ids: Array.from({ length: 1001 }, (_, i) => `u${i}`), title: "t" }, "user_ids"],
    ["an empty user id", { user_ids: [""], title: "t" }, "user_ids[0]"],
    ["neither title nor body", { user_ids: ["u"], data: {} }, "body"],
    ["a url that is none", { user_ids: ["u"], title: "t", url: "javascript:alert(1)" }, "url"],
    ["data of more than 4 KB", { user_ids: ["u"], title: "t", data: { a: "x".repeat(4096) } }, "data"]
  ])("refuses %s", async (_, body, field) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
  })

  it("is no business of a public key", async () => {
    expect((await post({ user_ids: ["u"], title: "t" }, server.ours.publicKey)).status).toBe(403)
  })
})
