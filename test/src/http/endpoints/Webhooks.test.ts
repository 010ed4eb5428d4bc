import { Effect, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

// A public address by its digits: nothing is asked of any name server.
const url = "https://93.184.216.34/webhook"
const create = (body: unknown, key = server.ours.secretKey) => server.call("POST", "/api/v1/webhooks", { key, body })

describe("webhooks", () => {
  it("are created with all their fields and never show their secret", async () => {
    const secret = "a secret that nobody sees"
    const answer = await create({ name: "One", url, secret, events: ["NOTIFICATION_SENT"] })
    expect(answer.status).toBe(201)
    expect(answer.json).toMatchObject({
      name: "One",
      url,
      events: ["NOTIFICATION_SENT"],
      is_active: true,
      disabled_reason: null
    })
    const path = answer.headers.get("location")!
    const key = server.ours.secretKey
    const shown = [
      answer,
      await server.call("GET", path, { key }),
      await server.call("GET", "/api/v1/webhooks", { key }),
      await server.call("PATCH", path, { key, body: { secret: "another that nobody sees" } })
    ]
    for (const { text } of shown) {
      expect(text).not.toContain("nobody sees")
      expect(text).not.toContain("secret")
    }
    const kept = await server.run(
      Effect.flatMap(WebhookStore, (store) => store.target(server.ours.appId, answer.json.id))
    )
    expect(Option.getOrThrow(kept).secrets).toEqual(["another that nobody sees"])
  })

  it.each([
    ["no name", { url }, "name"],
    ["a line break in its name", { name: "Orders\r\nX-Fake: 1", url }, "name"],
    ["an escape sequence in its name", { name: "\u001b[2J", url }, "name"],
    ["a name of 121 characters", { name: "n".repeat(121), url }, "name"],
    ["a secret of 257 characters", { name: "n", url, secret: "s".repeat(257) }, "secret"],
    ["an unknown event", { name: "n", url, events: ["NOTIFICATION_SENT", "NOPE"] }, "events[1]"],
    ["no url", { name: "n" }, "url"],
    ["an ftp url", { name: "n", url: "ftp://93.184.216.34/" }, "url"],
    ["a loopback address", { name: "n", url: "http://127.0.0.1/webhook" }, "url"],
    ["a loopback address in other digits", { name: "n", url: "http://0x7f.1/webhook" }, "url"],
    ["a private address", { name: "n", url: "http://10.1.2.3/webhook" }, "url"],
    ["a link-local address", { name: "n", url: "http://169.254.169.254/latest" }, "url"],
    ["an IPv6 loopback address", { name: "n", url: "http://[::1]/webhook" }, "url"],
    ["a url with a password", { name: "n", url: "https://u:p@93.184.216.34/" }, "url"],
    ["is_active as text", { name: "n", url, is_active: "yes" }, "is_active"],
    ["the spelling of webhook bodies", { name: "n", url, isActive: true }, "isActive"]
  ])("are refused with %s", async (_, body, field) => {
    const before = await server.count("webhooks")
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(await server.count("webhooks")).toBe(before)
  })

  it("may point into networks that the operator has opened", async () => {
    expect((await create({ name: "n", url: "http://198.18.7.1/webhook" })).status).toBe(201)
  })

  it("are twenty at most", async () => {
    const tenant = await server.makeTenant()
    for (let i = 0; i < 20; i++) expect((await create({ name: `${i}`, url }, tenant.secretKey)).status).toBe(201)
    const answer = await create({ name: "one more", url }, tenant.secretKey)
    expect(answer.status).toBe(409)
    expect(answer.json.error.code).toBe("conflict")
    expect(answer.json.error.message).toContain("20")
  })

  it("change field by field, their url checked again, and are enabled anew", async () => {
    const key = server.ours.secretKey
    const { id } = (await create({ name: "n", url, events: ["NOTIFICATION_SENT"] })).json
    const path = `/api/v1/webhooks/${id}`
    await server.sql`UPDATE webhooks SET is_active = false, disabled_reason = '50 failures' WHERE id = ${id}`
    expect((await server.call("GET", path, { key })).json).toMatchObject({
      is_active: false,
      disabled_reason: "50 failures"
    })
    const refused = await server.call("PATCH", path, { key, body: { url: "http://192.168.1.1/" } })
    expect(refused.status).toBe(400)
    expect(refused.json.error.details[0].field).toBe("url")
    expect(refused.json.error.details[0].message).toMatch(/^cannot be called: the address is not allowed/)
    const changed = await server.call("PATCH", path, { key, body: { is_active: true, events: [] } })
    expect(changed.json).toMatchObject({ name: "n", url, events: [], is_active: true, disabled_reason: null })
    expect((await server.call("PATCH", path, { key, body: {} })).status).toBe(200)
  })

  it.each([
    ["HTTPS://93.184.216.34:443/a b", "https://93.184.216.34/a%20b"],
    ["http://0x5db8d822", "http://93.184.216.34/"],
    ["http://93.184.216.34/x/../webhook?q=1", "http://93.184.216.34/webhook?q=1"]
  ])("keep %s as it is connected to, when created and when changed", async (given, kept) => {
    const key = (await server.makeTenant()).secretKey
    const created = await create({ name: "n", url: given }, key)
    expect(created.json.url).toBe(kept)
    const other = (await create({ name: "n", url }, key)).json
    const changed = await server.call("PATCH", `/api/v1/webhooks/${other.id}`, { key, body: { url: given } })
    expect(changed.json.url).toBe(kept)
  })

  it("rotate their secret: what was replaced signs no more, or for as long as is said", async () => {
    const key = server.ours.secretKey
    const { id } = (await create({ name: "n", url, secret: "first" })).json
    const path = `/api/v1/webhooks/${id}`
    const patch = (body: unknown) => server.call("PATCH", path, { key, body })
    expect((await server.call("GET", path, { key })).json).toMatchObject({
      is_signed: true,
      signature_overlap_until: null
    })
    expect((await patch({ secret: "second" })).json.signature_overlap_until).toBeNull()
    const overlapping = await patch({ secret: "third", secret_overlap_seconds: 60 })
    const until = Date.parse(overlapping.json.signature_overlap_until) - Date.now()
    expect(until).toBeGreaterThan(0)
    expect(until).toBeLessThanOrEqual(60_000)
    expect((await patch({ secret: "leaked", secret_overlap_seconds: 0 })).json.signature_overlap_until).toBeNull()
    expect((await patch({ secret_overlap_seconds: 60 })).status).toBe(400)
    expect((await patch({ secret: null })).json).toMatchObject({ is_signed: false, signature_overlap_until: null })
    for (const seconds of [-1, 604_801, 1.5]) {
      expect((await patch({ secret: "fourth", secret_overlap_seconds: seconds })).status).toBe(400)
    }
  })

  it("are another application's as if they did not exist", async () => {
    const { id } = (await create({ name: "n", url }, server.theirs.secretKey)).json
    const key = server.ours.secretKey
    const path = `/api/v1/webhooks/${id}`
    for (const method of ["GET", "DELETE"]) expect((await server.call(method, path, { key })).status).toBe(404)
    expect((await server.call("PATCH", path, { key, body: { name: "mine" } })).status).toBe(404)
    // Not even the address of the change is looked at.
    expect((await server.call("PATCH", path, { key, body: { url: "http://10.0.0.1/" } })).status).toBe(404)
    const theirs = { key: server.theirs.secretKey }
    expect((await server.call("DELETE", path, theirs)).json).toEqual({ deleted: true })
    expect((await server.call("DELETE", path, theirs)).status).toBe(404)
  })
})
