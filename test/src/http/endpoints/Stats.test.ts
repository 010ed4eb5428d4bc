import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { NOTHING } from "../../../../services/domain/operations/Stats.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const { appId } = server.ours
  const row = (day: string, provider: "apns" | "fcm", sent: number) => ({ ...NOTHING, appId, day, provider, sent })
  server.tables.stats.rows.push(
    row("2026-03-01", "apns", 1),
    row("2026-03-01", "fcm", 2),
    row("2026-03-02", "fcm", 4),
    row("2026-03-03", "fcm", 8),
    { ...row("2026-03-02", "fcm", 100), appId: server.theirs.appId }
  )
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
    const { json } = await stats("", server.makeTenant().secretKey)
    expect((Date.parse(json.to) - Date.parse(json.from)) / 86_400_000).toBe(29)
    expect(json).toMatchObject({ group_by: "day", data: [], total: NOTHING })
  })

  it.each([
    ["?from=2026-03-02&to=2026-03-01", "from"],
    ["?from=2025-01-01&to=2026-03-01", "from"],
    ["?from=2026-02-30", "from"],
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
    server.tables.stats.accounts.set(json.id as NotificationId, [account])
    const path = `/api/v1/notifications/${json.id}/stats`
    const answer = await server.call("GET", path, { key: server.ours.secretKey })
    expect(answer.json).toEqual({ data: [{ ...account, accepted: 15 }] })
    expect((await server.call("GET", path, { key: server.theirs.secretKey })).status).toBe(404)
    const unknown = `/api/v1/notifications/${uuidv7()}/stats`
    expect((await server.call("GET", unknown, { key: server.ours.secretKey })).status).toBe(404)
  })
})
