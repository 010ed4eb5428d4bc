import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HookId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { TestServer } from "./TestServer.ts"
import { startServer } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const delivery = () => {
  const ids = { notification_id: uuidv7(), device_id: uuidv7() }
  server.tables.engagement.deliveries.push({
    appId: server.ours.appId,
    notificationId: ids.notification_id,
    deviceId: ids.device_id
  })
  return ids
}

const report = (body: unknown, key = server.ours.publicKey) => server.call("POST", "/api/v1/events", { key, body })
const track = (body: unknown, key = server.ours.publicKey) => server.call("POST", "/api/v1/track", { key, body })
const kept = () => [...server.tables.engagement.reports.values()]

describe("POST /api/v1/events", () => {
  it.each(["delivered", "opened", "clicked"])("takes %s from either key, and a repetition too", async (type) => {
    const ids = delivery()
    for (const key of [server.ours.publicKey, server.ours.publicKey, server.ours.secretKey]) {
      const answer = await report({ type, ...ids }, key)
      expect(answer.status).toBe(202)
      expect(answer.json).toEqual({ accepted: true })
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    }
    expect(kept().filter(({ deviceId }) => deviceId === ids.device_id)).toMatchObject([{ type, destination: null }])
  })

  it("finds ids that are written in capitals, and keeps where a click led", async () => {
    const ids = delivery()
    const answer = await report({
      type: "clicked",
      notification_id: ids.notification_id.toUpperCase(),
      device_id: ids.device_id.toUpperCase(),
      destination: "app://orders/42"
    })
    expect(answer.status).toBe(202)
    expect(kept().at(-1)).toMatchObject({ deviceId: ids.device_id, destination: "app://orders/42" })
  })

  it("answers 404 when notification, device and application do not belong together", async () => {
    const [one, other] = [delivery(), delivery()]
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
    const answer = await report({ ...delivery(), ...fields })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
  })

  it("wakes the hooks that got work", async () => {
    const hook = uuidv7() as HookId
    server.tables.engagement.hooks = [hook]
    await report({ type: "opened", ...delivery() })
    await expect
      .poll(() => server.tables.queue.published)
      .toContainEqual({ type: "HookV1", id: hook, priority: "bulk" })
    server.tables.engagement.hooks = []
  })

  it("answers 503 while the database is down, so that the client tries again", async () => {
    server.outage.isDown = true
    const answer = await report({ type: "opened", ...delivery() })
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
    const ids = delivery()
    expect((await track(ids)).status).toBe(202)
    expect((await report({ type: "delivered", ...ids })).status).toBe(202)
    expect(kept().filter(({ deviceId }) => deviceId === ids.device_id)).toMatchObject([{ type: "delivered" }])
  })

  it("knows no type", async () => {
    expect((await track({ type: "opened", ...delivery() })).status).toBe(400)
  })
})
