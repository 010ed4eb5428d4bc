import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { NOTHING } from "../../../../services/domain/operations/Stats.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const [ours, theirs] = [server.ours.appId, server.theirs.appId]
  await server.sql`INSERT INTO daily_stats (app_id, day, provider, slot, sent) VALUES
    (${ours}, '2026-03-01', 'a', 0, 1), (${ours}, '2026-03-01', 'f', 0, 2), (${ours}, '2026-03-02', 'f', 0, 3),
    (${ours}, '2026-03-02', 'f', 1, 1), (${ours}, '2026-03-03', 'f', 0, 8), (${theirs}, '2026-03-02', 'f', 0, 100)`
})
afterAll(() => server.stop())

const stats = (query: string, key = server.ours.secretKey) => server.call("GET", `/api/v1/stats${query}`, { key })
const RANGE = "?from=2026-03-01&to=2026-03-02"

describe("GET /api/v1/stats", () => {
  it.each([
    [
      "",
      [
        { day: "2026-03-01", sent: 3 },
        { day: "2026-03-02", sent: 4 }
      ]
    ],
    [
      "&group_by=provider",
      [
        { provider: "apns", sent: 1 },
        { provider: "fcm", sent: 6 }
      ]
    ],
    ["&group_by=application", [{ sent: 7 }]],
    [
      "&group_by=day_provider",
      [
        { day: "2026-03-01", provider: "apns", sent: 1 },
        { day: "2026-03-01", provider: "fcm", sent: 2 },
        { day: "2026-03-02", provider: "fcm", sent: 4 }
      ]
    ]
  ])("adds up the days of the range as it is asked to: %s", async (group, expected) => {
    const { json, status } = await stats(RANGE + group)
    expect(status).toBe(200)
    expect(json.data).toEqual(expected.map((row) => ({ ...NOTHING, ...row })))
    expect(json.total).toEqual({ ...NOTHING, sent: 7 })
  })

  it("shows the last 30 days unless told otherwise, and nothing of others", async () => {
    const { json } = await stats("", (await server.makeTenant()).secretKey)
    expect((Date.parse(json.to) - Date.parse(json.from)) / 86_400_000).toBe(29)
    expect(json).toMatchObject({ group_by: "day", data: [], total: NOTHING })
  })

  it.each([
    ["?from=2026-03-02&to=2026-03-01", "from"],
    ["?from=2025-01-01&to=2026-03-01", "from"],
    ["?from=2026-02-30", "from"],
    ["?from=0000-01-01&to=0000-01-02", "from"],
    ["?to=0001-01-01", "to"],
    ["?to=yesterday", "to"],
    ["?group_by=hour", "group_by"]
  ])("refuses %s", async (query, field) => {
    const { json, status } = await stats(query)
    expect(status).toBe(400)
    expect(json.error.details[0].field).toBe(field)
  })
})

describe("GET /api/v1/notifications/:id/stats", () => {
  it("shows the account by provider, to its application alone", async () => {
    const body = { to: { all: true }, content: { title: "Hello" } }
    const { json } = await server.call("POST", "/api/v1/notifications", { key: server.ours.secretKey, body })
    const account = { provider: "fcm" as const, pending: 1, sent: 2, failed: 3, skipped: 4, cancelled: 5 }
    await server.sql`
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients, sent, failed, skipped, cancelled)
      VALUES (${uuidv7()}, ${json.id}, ${server.ours.appId}, 'fcm', 'bulk', ARRAY[${uuidv7()}::uuid], 2, 3, 4, 5)`
    const path = `/api/v1/notifications/${json.id}/stats`
    const answer = await server.call("GET", path, { key: server.ours.secretKey })
    expect(answer.json).toEqual({ data: [{ ...account, accepted: 15 }] })
    expect((await server.call("GET", path, { key: server.theirs.secretKey })).status).toBe(404)
    const unknown = `/api/v1/notifications/${uuidv7()}/stats`
    expect((await server.call("GET", unknown, { key: server.ours.secretKey })).status).toBe(404)
  })
})
