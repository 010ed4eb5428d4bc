import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DeadLetter } from "../../../services/domain/DeadLetter.ts"
import type { DeadLetterId, HookId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { TestServer } from "./TestServer.ts"
import { startServer } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const hookId = uuidv7() as HookId
const body = { id: uuidv7(), event: "NOTIFICATION_SENT", appId: uuidv7(), timestamp: "t", payload: { a: "b" } }
const bury = (change: Partial<DeadLetter> = {}): string => {
  const id = uuidv7() as DeadLetterId
  server.tables.deadLetters.rows.unshift({
    id,
    appId: server.ours.appId,
    kind: "webhook",
    at: 1_790_000_000_000,
    error: "answered 500",
    attempts: 6,
    notificationId: null,
    recipientId: null,
    hookId,
    eventId: body.id,
    body: JSON.stringify(body),
    ...change
  })
  return id
}
const call = (method: string, path: string, key = server.ours.secretKey) =>
  server.call(method, `/api/v1/dead-letters${path}`, { key })

describe("dead letters", () => {
  it("are listed newest first, by kind and by webhook, and read with their content", async () => {
    const other = bury({ hookId: uuidv7() as HookId })
    const id = bury()
    expect((await call("GET", "?limit=1")).json.data).toEqual([
      {
        id,
        kind: "webhook",
        error: "answered 500",
        attempts: 6,
        can_replay: false,
        notification_id: null,
        recipient_id: null,
        webhook_id: hookId,
        event_id: body.id,
        created_at: "2026-09-21T14:13:20.000Z"
      }
    ])
    expect((await call("GET", `?webhook_id=${hookId}`)).json.data.map((it: { id: string }) => it.id)).toEqual([id])
    expect((await call("GET", "?kind=webhook")).json.data.map((it: { id: string }) => it.id)).toEqual([id, other])
    expect((await call("GET", "?kind=notification")).json.data).toEqual([])
    expect((await call("GET", "?kind=letter")).status).toBe(400)
    expect((await call("GET", `/${id}`)).json).toMatchObject({ id, event: body })
  })

  it("of webhooks cannot be replayed, and say so", async () => {
    const id = bury()
    const answer = await call("POST", `/${id}/replay`)
    expect(answer.status).toBe(409)
    expect(answer.json.error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("cannot be replayed")
    })
    expect((await call("GET", `/${id}`)).status).toBe(200)
  })

  it("are another application's as if they did not exist", async () => {
    const id = bury()
    expect((await call("GET", `/${id}`, server.theirs.secretKey)).status).toBe(404)
    expect((await call("POST", `/${id}/replay`, server.theirs.secretKey)).status).toBe(404)
    expect((await call("GET", "", server.theirs.secretKey)).json.data).toEqual([])
  })
})
