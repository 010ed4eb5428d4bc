import { createHmac } from "node:crypto"
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request } from "node:http"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pack } from "../../../../layers/postgres/webhooks/packedAttempts.ts"
import { EventName } from "../../../../services/domain/webhooks/Event.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { WebhookAttempt } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { eventMistake } from "../../../../simulators/WebhookEvent.ts"
import type { TestServer } from "../TestServer.ts"
import { authorization, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const url = "https://93.184.216.34/webhook"
const make = async (body: object = {}): Promise<string> => {
  const { json } = await server.call("POST", "/api/v1/webhooks", {
    key: server.ours.secretKey,
    body: { name: "n", url, ...body }
  })
  return `/api/v1/webhooks/${json.id}`
}
const call = (method: string, path: string, key = server.ours.secretKey) => server.call(method, path, { key })
/** A test delivery asked for with this very body, in chunks or with its length; `fetch` gives empty ones a length. */
const send = async (path: string, body: string, inChunks: boolean, type: string | null) => {
  const asked = request(`${server.baseUrl}${path}/test`, {
    method: "POST",
    headers: {
      authorization: authorization(server.ours.secretKey),
      ...(type !== null && { "content-type": type }),
      ...(inChunks ? { "transfer-encoding": "chunked" } : { "content-length": Buffer.byteLength(body) })
    }
  })
  asked.end(body)
  const [answer] = (await once(asked, "response")) as [IncomingMessage]
  return (await json(answer)) as { event?: string; error: { code: string } }
}

describe("a test delivery", () => {
  it("sends a sample of the wanted event, signed and marked, and answers what came of it", async () => {
    const path = await make({ secret: "shared", events: ["NOTIFICATION_CLICKED", "NOTIFICATION_SENT"] })
    const { json, status } = await call("POST", `${path}/test`)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      delivered: true,
      response_status: 204,
      reason: null,
      event: "NOTIFICATION_CLICKED",
      latency_ms: expect.any(Number)
    })
    const { body, headers, url: to } = server.receivers.posts.at(-1)!
    expect(to).toBe(url)
    expect(headers.get("x-service-test")).toBe("true")
    const [, t, v1] = /^t=(\d+), v1=([0-9a-f]{64})$/.exec(headers.get("x-service-signature")!)!
    expect(v1).toBe(createHmac("sha256", "shared").update(`${t}.${body}`).digest("hex"))
    expect(JSON.parse(body)).toMatchObject({ id: json.event_id, event: json.event, appId: server.ours.appId })
  })

  it.each(EventName.literals)("of %s has the body that receivers know", async (event) => {
    const { json } = await call("POST", `${await make()}/test?event=${event}`)
    expect(json.event).toBe(event)
    expect(eventMistake(JSON.parse(server.receivers.posts.at(-1)!.body))).toBeUndefined()
  })

  it("is of the event that its body names, or its query, and of none when they differ", async () => {
    const path = await make()
    const test = async (query: string, body?: unknown) => {
      const answer = await server.call("POST", `${path}/test${query}`, { key: server.ours.secretKey, body })
      const { details } = answer.json.error ?? {}
      return [answer.status, answer.json.event ?? details.map(({ field }: { field: string }) => field)]
    }
    expect(await test("", { event: "WORKFLOW_FILTERED" })).toEqual([200, "WORKFLOW_FILTERED"])
    expect(await test("?event=WORKFLOW_FILTERED", {})).toEqual([200, "WORKFLOW_FILTERED"])
    expect(await test("?event=WORKFLOW_FILTERED", { event: "WORKFLOW_FILTERED" })).toEqual([200, "WORKFLOW_FILTERED"])
    expect(await test("", {})).toEqual([200, "NOTIFICATION_SENT"])
    const posts = server.receivers.posts.length
    expect(await test("?event=WORKFLOW_FAILED", { event: "WORKFLOW_FILTERED" })).toEqual([400, ["event"]])
    expect(await test("", { event: "NOPE" })).toEqual([400, ["event"]])
    expect(await test("", { name: "WORKFLOW_FILTERED" })).toEqual([400, ["name"]])
    expect(server.receivers.posts.length).toBe(posts)
  })

  it("may have a body that is empty, also if only the end of its chunks says so", async () => {
    const path = await make({ events: ["NOTIFICATION_CLICKED"] })
    for (const inChunks of [false, true]) {
      for (const type of [null, "application/json", "text/plain"]) {
        expect((await send(path, "", inChunks, type)).event, `${type}, ${inChunks}`).toBe("NOTIFICATION_CLICKED")
      }
    }
  })

  it("has no body without its media type, in chunks as well", async () => {
    const body = JSON.stringify({ event: "WORKFLOW_FILTERED" })
    const path = await make()
    const posts = server.receivers.posts.length
    for (const type of [null, "text/plain"]) {
      expect((await send(path, body, true, type)).error.code).toBe("unsupported_media_type")
    }
    expect(server.receivers.posts.length).toBe(posts)
    expect((await send(path, body, true, "application/json")).event).toBe("WORKFLOW_FILTERED")
  })

  it.each([
    [{ _tag: "Status", status: 302 }, 302, "answered 302"],
    [{ _tag: "NoAnswer", reason: "timeout" }, null, "timeout"]
  ] as const)("that fails (%j) is told, and changes nothing at the webhook", async (answer, responseStatus, reason) => {
    const path = await make()
    const before = (await call("GET", path)).text
    server.receivers.answer = answer
    const { json, status } = await call("POST", `${path}/test`)
    server.receivers.answer = { _tag: "Status", status: 204 }
    expect(status).toBe(200)
    expect(json).toMatchObject({ delivered: false, response_status: responseStatus, reason })
    expect((await call("GET", path)).text).toBe(before)
  })

  it("goes to a disabled webhook too", async () => {
    expect((await call("POST", `${await make({ is_active: false })}/test`)).json.delivered).toBe(true)
  })

  it("is refused for an unknown event and for another application's webhook", async () => {
    const path = await make()
    const posts = server.receivers.posts.length
    expect((await call("POST", `${path}/test?event=NOPE`)).status).toBe(400)
    expect((await call("POST", `${path}/test`, server.theirs.secretKey)).status).toBe(404)
    expect(server.receivers.posts.length).toBe(posts)
  })
})

describe("recent deliveries", () => {
  const AT = 1_790_000_000_500
  interface Work {
    readonly attempts: ReadonlyArray<Omit<WebhookAttempt, "position">>
    readonly done: boolean
    readonly dueAt: number
  }
  /** An event that a webhook is to get, or got at its last attempt; `age` in milliseconds, by which they are listed. */
  const deliver = async (
    webhookId: string,
    age: number,
    { attempts = [], done = false, dueAt = AT }: Partial<Work> = {}
  ) => {
    const [chunk, work] = [uuidv7(AT - age), uuidv7(AT - age)]
    await server.sql`
      INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
      VALUES (${chunk}, ${server.ours.appId}, 'NOTIFICATION_SENT', ${new Date(AT)}, 1, '{}', '{}')`
    await server.sql`
      INSERT INTO webhook_work_items (id, webhook_id, chunk_id, done, due_at)
      VALUES (${work}, ${webhookId}, ${chunk}, ${done}, ${new Date(dueAt)})`
    if (attempts.length === 0) return
    const { at, reasons, records } = pack(attempts.map((attempt) => ({ position: 0, ...attempt })))
    await server.sql`
      INSERT INTO webhook_attempts (work_item_id, at, records, reasons)
      VALUES (${work}, ${new Date(at)}, ${records}, ${reasons})`
  }

  it("show status, answer, latency and attempts, page by page", async () => {
    const path = await make()
    const id = path.slice(-36)
    await deliver(id, 0, {
      attempts: [
        { at: AT, latencyMs: 10_000, outcome: "timeout" },
        { at: AT + 30_000, latencyMs: 41, outcome: 503 }
      ],
      dueAt: AT + 90_000
    })
    await deliver(id, 1, { attempts: [{ at: AT, latencyMs: 7, outcome: 204 }], done: true })
    await deliver(id, 2)
    const first = await call("GET", `${path}/deliveries?limit=2`)
    expect(first.json.data).toMatchObject([
      {
        status: "retrying",
        attempts: 2,
        attempted_at: ["2026-09-21T14:13:20.500Z", "2026-09-21T14:13:50.500Z"],
        answers: [
          { response_status: null, reason: "timeout", latency_ms: 10_000 },
          { response_status: 503, reason: "answered 503", latency_ms: 41 }
        ],
        response_status: 503,
        reason: "answered 503",
        latency_ms: 41,
        next_attempt_at: "2026-09-21T14:14:50.500Z",
        is_paused: false
      },
      { status: "delivered", attempts: 1, response_status: 204, reason: null, latency_ms: 7, next_attempt_at: null }
    ])
    // What waits for a webhook that is off is paused.
    await server.call("PATCH", path, { key: server.ours.secretKey, body: { is_active: false } })
    const second = await call("GET", `${path}/deliveries?cursor=${first.json.next_cursor}`)
    expect(second.json).toMatchObject({
      data: [
        { status: "pending", is_paused: true, attempts: 0, attempted_at: [], response_status: null, reason: null }
      ],
      next_cursor: null
    })
    const other = await make()
    expect((await call("GET", `${other}/deliveries?cursor=${first.json.next_cursor}`)).status).toBe(400)
    expect((await call("GET", `${path}/deliveries`, server.theirs.secretKey)).status).toBe(404)
    const retrying = await call("GET", `${path}/deliveries?status=retrying&event=NOTIFICATION_SENT`)
    expect(retrying.json.data.map(({ event_id }: any) => event_id)).toEqual([first.json.data[0].event_id])
    expect((await call("GET", `${path}/deliveries?status=lost`)).json.error.details[0].field).toBe("status")
  })

  it("show the body of one by its event", async () => {
    const path = await make()
    await deliver(path.slice(-36), 0)
    const { event_id } = (await call("GET", `${path}/deliveries`)).json.data[0]
    const { json } = await call("GET", `${path}/delivery?event_id=${event_id}`)
    expect(json).toMatchObject({ event_id, status: "pending", answers: [] })
    expect(json.body).toMatchObject({ id: event_id, event: "NOTIFICATION_SENT", appId: server.ours.appId })
    expect((await call("GET", `${path}/delivery?event_id=${uuidv7()}`)).status).toBe(404)
    expect((await call("GET", `${path}/delivery?event_id=${event_id}`, server.theirs.secretKey)).status).toBe(404)
  })
})
