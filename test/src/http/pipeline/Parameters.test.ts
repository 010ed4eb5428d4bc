import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const message = "is not a known field: nothing is asked in the query here"

describe("a route without a query", () => {
  it("refuses one before it does anything: who asks for a trial sends to nobody", async () => {
    const { publicKey, secretKey } = server.ours
    const device = { platform: "android", token: "t".repeat(140) }
    expect((await server.call("POST", "/api/v1/public/devices", { key: publicKey, body: device })).status).toBe(201)
    const body = { to: { all: true }, content: { title: "Trial" } }
    const refused = await server.call("POST", "/api/v1/notifications?dry_run=true", { key: secretKey, body })
    expect([refused.status, refused.json.error.details]).toEqual([400, [{ field: "dry_run", message }]])
    expect((await server.call("GET", "/api/v1/notifications", { key: secretKey })).json.data).toEqual([])
    expect((await server.call("POST", "/api/v1/notifications?", { key: secretKey, body })).status).toBe(202)
  })

  it("refuses one of what is there by its id, and changes nothing", async () => {
    const key = server.ours.secretKey
    const body = { external_id: "ada", locale: "en" }
    const { id } = (await server.call("POST", "/api/v1/contacts", { key, body })).json
    for (const [method, change] of [["GET"], ["PATCH", { locale: "fr" }], ["DELETE"]] as const) {
      const refused = await server.call(method, `/api/v1/contacts/${id}?force=1`, { key, body: change })
      expect([method, refused.status, refused.json.error.details]).toEqual([method, 400, [{ field: "force", message }]])
    }
    expect((await server.call("GET", `/api/v1/contacts/${id}`, { key })).json.locale).toBe("en")
  })

  it("names ten parameters and says how many more there are", async () => {
    const query = Array.from({ length: 300 }, (_, i) => `p${i}=`).join("&")
    const path = `/api/v1/contacts/${crypto.randomUUID()}?${query}`
    const { error } = (await server.call("GET", path, { key: server.ours.secretKey })).json
    expect(error.details.length).toBe(10)
    expect(error.message).toContain("299 more")
  })

  it("takes what others add to an address on its way, where no secret key is asked for", async () => {
    const { publicKey } = server.ours
    const device = { platform: "android", token: "u".repeat(140) }
    const registered = await server.call("POST", "/api/v1/public/devices?utm_source=app", {
      key: publicKey,
      body: device
    })
    expect(registered.status).toBe(201)
    expect((await server.call("GET", "/healthz?from=lb", {})).status).toBe(200)
  })
})
