import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (let i = 0; i < 60; i++) {
    const body = { kind: "email", address: `a${i}@example.com` }
    await server.call("POST", "/api/v1/channels", { key: server.ours.secretKey, body })
  }
})
afterAll(() => server.stop())

const list = (query: string, path = "/api/v1/channels") =>
  server.call("GET", `${path}?${query}`, { key: server.ours.secretKey })

describe("lists", () => {
  it("have fifty items a page unless told", async () => {
    expect((await list("")).json.data.length).toBe(50)
    expect((await list("limit=1")).json.data.length).toBe(1)
    expect((await list("limit=100")).json.data.length).toBe(60)
  })

  it("say of a limit with a fraction that it is no whole number", async () => {
    expect((await list("limit=1.5")).json).toMatchObject({
      error: { details: [{ field: "limit", message: "must be an integer" }] }
    })
  })

  it.each([
    ["notifications", "created_from", "created_to"],
    ["devices", "created_from", "created_before"],
    ["devices", "last_seen_from", "last_seen_before"],
    ["devices/export", "created_from", "created_before"],
    ["dead-letters", "from", "to"],
    ["audit-log", "from", "to"]
  ])("%s refuse times of which %s lies behind %s", async (path, from, to) => {
    const between = (begin: string, end: string) => list(`${from}=${begin}&${to}=${end}`, `/api/v1/${path}`)
    const [earlier, later] = ["2026-11-23T10:00:00Z", "2026-11-23T11:00:00Z"] as const
    const refused = await between(later, earlier)
    expect([refused.status, refused.json.error?.details]).toEqual([
      400,
      [{ field: to, message: `must not lie before ${from}` }]
    ])
    for (const end of [later, earlier]) expect((await between(earlier, end)).status).toBe(200)
  })

  it.each(["limit=0", "limit=101", "limit=-1", "limit=1.5", "limit=ten", "limit=", "limit=1&limit=2", "limit=1e1"])(
    "refuse %s",
    async (query) => {
      const answer = await list(query)
      expect(answer.status).toBe(400)
      expect(answer.json.error.details[0].field).toBe("limit")
    }
  )

  it("refuse a parameter that they do not know", async () => {
    const answer = await list("platfrom=ios", "/api/v1/devices")
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([{ field: "platfrom", message: "is not a known field" }])
    expect((await list("platform=tv", "/api/v1/devices")).json.error.details[0].field).toBe("platform")
  })

  it("refuse a cursor that is made up, changed, or of another list", async () => {
    const { next_cursor: cursor } = (await list("limit=1")).json
    const forged = Buffer.from("channels:' OR 1=1").toString("base64url")
    for (const wrong of ["x", "", `${cursor}A`, cursor.slice(0, -2), forged, "%00", "=".repeat(20)]) {
      const answer = await list(`cursor=${wrong}`)
      expect(answer.status, wrong).toBe(400)
      expect(answer.json.error.details[0].field).toBe("cursor")
    }
    expect((await list(`cursor=${cursor}`, "/api/v1/webhooks")).status).toBe(400)
    expect((await list(`cursor=${cursor}`)).status).toBe(200)
  })
})
