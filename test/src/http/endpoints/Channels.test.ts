import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const create = (body: unknown, key = server.ours.secretKey) => server.call("POST", "/api/v1/channels", { key, body })

describe("channels", () => {
  it("are created once per address", async () => {
    const first = await create({ kind: "email", address: "Ada@example.com", user_id: "u1" })
    expect(first.status).toBe(201)
    expect(first.json.created).toBe(true)
    expect(first.headers.get("location")).toBe(`/api/v1/channels/${first.json.id}`)
    const second = await create({ kind: "email", address: "ada@EXAMPLE.com" })
    expect(second.json).toEqual({ id: first.json.id, created: false })
    const read = await server.call("GET", first.headers.get("location")!, { key: server.ours.secretKey })
    expect(read.json).toMatchObject({ kind: "email", address: "Ada@example.com", status: "active" })
    expect(read.json.contact_id).not.toBeNull()
  })

  it("are one for all spellings of a domain, by which they are found", async () => {
    const { secretKey: key } = await server.makeTenant()
    const spellings = ["eva@exämple.com", "eva@xn--exmple-cua.com", "eva@ｅxämple。com"]
    const ids = await Promise.all(
      spellings.map(async (address) => (await create({ kind: "email", address }, key)).json.id)
    )
    expect(new Set(ids).size).toBe(1)
    for (const address of spellings) {
      const path = `/api/v1/channels?address=${encodeURIComponent(address)}`
      expect((await server.call("GET", path, { key })).json.data).toMatchObject([{ id: ids[0] }])
    }
  })

  it.each([
    ["no address", { kind: "email" }, "address"],
    ["another kind", { kind: "inbox", address: "a@b.example" }, "kind"],
    ["an address without a host", { kind: "email", address: "ada" }, "address"],
    ["an address with a line break", { kind: "email", address: "a@b.example\r\nBcc: c@d.example" }, "address"],
    ["an empty user id", { kind: "email", address: "a@b.example", user_id: "" }, "user_id"],
    ["a field that is misspelt", { kind: "email", address: "a@b.example", userid: "u" }, "userid"]
  ])("are refused with %s", async (_, body, field) => {
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
  })

  it("are listed page by page and removed, each application's apart", async () => {
    const tenant = await server.makeTenant()
    for (let i = 0; i < 5; i++) await create({ kind: "email", address: `p${i}@example.com` }, tenant.secretKey)
    const key = tenant.secretKey
    const first = await server.call("GET", "/api/v1/channels?limit=3", { key })
    expect(first.json.data.length).toBe(3)
    const rest = await server.call("GET", `/api/v1/channels?limit=3&cursor=${first.json.next_cursor}`, { key })
    expect(rest.json.data.length).toBe(2)
    expect(rest.json.next_cursor).toBeNull()
    const path = `/api/v1/channels/${first.json.data[0].id}`
    for (const method of ["GET", "DELETE"]) {
      expect((await server.call(method, path, { key: server.ours.secretKey })).status).toBe(404)
    }
    expect((await server.call("DELETE", path, { key })).json).toEqual({ deleted: true })
    expect((await server.call("DELETE", path, { key })).status).toBe(404)
  })

  it("are unsubscribed and subscribed again, but for inboxes and for what bounced", async () => {
    const { appId, secretKey: key } = await server.makeTenant()
    const { id } = (await create({ kind: "email", address: "ann@example.com", user_id: "ann" }, key)).json
    const change = (path: string, body: unknown, as = key) =>
      server.call("PATCH", `/api/v1/channels/${path}`, { key: as, body })
    for (const status of ["unsubscribed", "unsubscribed", "active"]) {
      const answer = await change(id, { status })
      expect([answer.status, answer.json.status]).toEqual([200, status])
    }
    expect((await change(id, { status: "unsubscribed" }, server.ours.secretKey)).status).toBe(404)
    expect((await change(id, { status: "suppressed" })).json.error.details[0].field).toBe("status")
    expect((await change(id, {})).status).toBe(400)

    await server.sql`UPDATE channels SET status = 'suppressed' WHERE app_id = ${appId} AND id = ${id}`
    expect((await change(id, { status: "active" })).json.error.code).toBe("conflict")
    expect((await server.call("GET", `/api/v1/channels/${id}`, { key })).json.status).toBe("suppressed")

    const inbox = (await create({ kind: "inbox", user_id: "ann" }, key)).json
    expect((await change(inbox.id, { status: "unsubscribed" })).json.error.code).toBe("conflict")
    expect((await change(crypto.randomUUID(), { status: "active" })).status).toBe(404)
  })

  it("are listed by address, contact and status", async () => {
    const key = (await server.makeTenant()).secretKey
    const ann = (await create({ kind: "email", address: "Ann@example.com", user_id: "ann" }, key)).json
    await create({ kind: "email", address: "bob@example.com" }, key)
    const ids = async (query: string) =>
      (await server.call("GET", `/api/v1/channels?${query}`, { key })).json.data.map(({ id }: { id: string }) => id)
    const { contact_id } = (await server.call("GET", `/api/v1/channels/${ann.id}`, { key })).json
    expect(await ids("address=ann@EXAMPLE.com")).toEqual([ann.id])
    expect(await ids(`contact_id=${contact_id}`)).toEqual([ann.id])
    expect(await ids("status=active")).toHaveLength(2)
    expect(await ids("status=suppressed")).toEqual([])
    expect((await server.call("GET", "/api/v1/channels?contact_id=1", { key })).status).toBe(400)
  })
})
