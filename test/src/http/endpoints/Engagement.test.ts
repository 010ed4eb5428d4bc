import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // Where a click led is told to webhooks.
  await makeWebhook()
})
afterAll(() => server.stop())

const makeWebhook = async (): Promise<string> => {
  const body = { name: "n", url: "https://93.184.216.34/webhook" }
  return (await server.call("POST", "/api/v1/webhooks", { key: server.ours.secretKey, body })).json.id
}
const delivery = () => server.makeDelivery(server.ours)

const report = (body: unknown, key = server.ours.publicKey) => server.call("POST", "/api/v1/events", { key, body })
const track = (body: unknown, key = server.ours.publicKey) => server.call("POST", "/api/v1/track", { key, body })
const kept = () => server.reports()

describe("POST /api/v1/events", () => {
  it.each(["delivered", "opened", "clicked"])("takes %s from either key, and a repetition too", async (type) => {
    const ids = await delivery()
    for (const key of [server.ours.publicKey, server.ours.publicKey, server.ours.secretKey]) {
      const answer = await report({ type, ...ids }, key)
      expect(answer.status).toBe(202)
      expect(answer.json).toEqual({ accepted: true })
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    }
    // A click whose notification leads nowhere is told with no text.
    const destination = type === "clicked" ? "" : null
    const mine = (await kept()).filter(({ recipientId }) => recipientId === ids.device_id)
    expect(mine).toMatchObject([{ type, destination }])
  })

  it("finds ids that are written in capitals, and keeps where a click led", async () => {
    const ids = await delivery()
    const answer = await report({
      type: "clicked",
      notification_id: ids.notification_id.toUpperCase(),
      device_id: ids.device_id.toUpperCase(),
      destination: "app://orders/42"
    })
    expect(answer.status).toBe(202)
    expect((await kept()).at(-1)).toMatchObject({ recipientId: ids.device_id, destination: "app://orders/42" })
  })

  it("answers 404 when notification, device and application do not belong together", async () => {
    const [one, other] = [await delivery(), await delivery()]
    const strangers = [
      { notification_id: one.notification_id, device_id: other.device_id },
      { notification_id: uuidv7(), device_id: one.device_id },
      { notification_id: one.notification_id, device_id: uuidv7() }
    ]
    for (const ids of strangers) expect((await report({ type: "opened", ...ids })).status).toBe(404)
    for (const key of [server.theirs.publicKey, server.theirs.secretKey]) {
      expect((await report({ type: "opened", ...one }, key)).json.error.code).toBe("not_found")
      expect((await track(one, key)).json.error.code).toBe("not_found")
    }
  })

  it.each([
    ["no type", {}, "type"],
    ["another type", { type: "seen" }, "type"],
    ["an id that is none", { type: "opened", device_id: "7" }, "device_id"],
    ["a destination of an open", { type: "opened", destination: "https://example.com" }, "destination"],
    ["a destination without end", { type: "clicked", destination: "x".repeat(2049) }, "destination"]
  ])("refuses %s", async (_, fields, field) => {
    const answer = await report({ ...(await delivery()), ...fields })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
  })

  it.each([
    "https://example.com/a?b=c#d",
    "http://example.com/",
    "HTTPS://EXAMPLE.COM",
    "myapp://orders/42",
    "com.example.app:/oauth",
    "tel:+4930123456",
    "mailto:ann@example.com"
  ])("takes %s for a destination", async (destination) => {
    expect((await report({ type: "clicked", ...(await delivery()), destination })).status).toBe(202)
    expect((await kept()).at(-1)).toMatchObject({ destination })
  })

  it.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "blob:https://example.com/9115d58c",
    "filesystem:https://example.com/temporary/a",
    "view-source:javascript:alert(1)",
    "about:blank",
    "intent://x#Intent;scheme=https;S.browser_fallback_url=javascript%3Aalert(1);end",
    "content://com.example/secret",
    "https://",
    "https://example.com/\r\nset-cookie: a=b",
    "/orders/42",
    "orders",
    ""
  ])("refuses %j as a destination", async (destination) => {
    const before = (await kept()).length
    const answer = await report({ type: "clicked", ...(await delivery()), destination })
    expect([answer.status, answer.json.error?.details[0].field]).toEqual([400, "destination"])
    expect(await kept()).toHaveLength(before)
  })

  it("takes reports on a delivery that failed, and ignores them", async () => {
    const ids = await server.makeDelivery(server.ours, "failed")
    const before = (await kept()).length
    for (const type of ["delivered", "opened", "clicked"]) expect((await report({ type, ...ids })).status).toBe(202)
    expect((await track(ids)).status).toBe(202)
    expect(await kept()).toHaveLength(before)
  })

  it("wakes the webhooks that got work", async () => {
    const webhook = await makeWebhook()
    await report({ type: "opened", ...(await delivery()) })
    await expect.poll(() => server.queue.published).toContainEqual({ type: "WebhookV1", id: webhook, priority: "bulk" })
  })

  it("answers 503 while the database is down, so that the client tries again", async () => {
    server.outage.isDown = true
    const answer = await report({ type: "opened", ...(await delivery()) })
    server.outage.isDown = false
    expect(answer.status).toBe(503)
    expect(answer.headers.get("retry-after")).not.toBeNull()
  })

  it("lets a page of any origin ask before it sends", async () => {
    for (const path of ["/api/v1/events", "/api/v1/track"]) {
      const answer = await server.call("OPTIONS", path, { headers: { origin: "https://shop.example" } })
      expect(answer.status).toBe(204)
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      expect(answer.headers.get("access-control-allow-methods")).toContain("POST")
      const wrong = await server.call("GET", path, { key: server.ours.publicKey })
      expect(wrong.status).toBe(405)
      expect(wrong.headers.get("access-control-allow-origin")).toBe("*")
    }
  })
})

describe("POST /api/v1/track", () => {
  it("is a report of type delivered", async () => {
    const ids = await delivery()
    expect((await track(ids)).status).toBe(202)
    expect((await report({ type: "delivered", ...ids })).status).toBe(202)
    const mine = (await kept()).filter(({ recipientId }) => recipientId === ids.device_id)
    expect(mine).toMatchObject([{ type: "delivered" }])
  })

  it("knows no type", async () => {
    expect((await track({ type: "opened", ...(await delivery()) })).status).toBe(400)
  })
})
