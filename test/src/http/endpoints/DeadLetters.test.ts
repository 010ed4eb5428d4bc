import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WebhookId, NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { ProviderKind } from "../../../../services/domain/sending/Credential.ts"
import type { ReplayRefusal } from "../../../../services/domain/sending/DeadLetter.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"
import { RUNNING } from "../../../../services/ports/operations/TooManyRunning.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const webhookId = uuidv7() as WebhookId
const body = { id: uuidv7(), event: "NOTIFICATION_SENT", appId: uuidv7(), timestamp: "t", payload: { a: "b" } }
let count = 0
/** An id that comes after all before it that were made for the same time. */
const idAt = (at: number) => uuidv7(at + ++count)
/** An event that a webhook did not get. */
const addDeadLetter = async (ofWebhook = webhookId): Promise<string> => {
  const id = idAt(Date.now())
  await server.sql`
    INSERT INTO dead_letters (id, app_id, kind, at, error, attempts, webhook_id, event_id, body)
    VALUES (${id}, ${server.ours.appId}, 'webhook', to_timestamp(1790000000), 'answered 500', 6, ${ofWebhook},
      ${body.id}, ${JSON.stringify(body)})`
  return id
}
interface Failure {
  readonly notificationId: NotificationId
  readonly error: string
  readonly provider: ProviderKind
  readonly refusal: ReplayRefusal
  readonly at: number
}
/** A recipient of a notification that finally failed, and the batch that counts it. */
const fail = async (failure: Partial<Failure> = {}): Promise<string> => {
  const { at = Date.now(), error = "expired: timeout", provider = "apns", refusal = null } = failure
  const notificationId = failure.notificationId ?? (await server.makeNotification(server.ours))
  const [id, batch, device] = [idAt(at), uuidv7(), uuidv7()]
  await server.sql`
    INSERT INTO devices (app_id, id, token_hash, platform, token)
    VALUES (${server.ours.appId}, ${device}, uuid_send(${device}::uuid), 'ios', ${device})`
  await server.sql`
    INSERT INTO batches (id, notification_id, app_id, provider, priority, done, recipients, failed)
    VALUES (${batch}, ${notificationId}, ${server.ours.appId}, ${provider}, 'bulk', true, '{}', 1)`
  await server.sql`
    INSERT INTO dead_letters (id, app_id, kind, at, error, attempts, notification_id, recipient_id, batch_id, provider, refusal)
    VALUES (${id}, ${server.ours.appId}, 'notification', ${new Date(at)}, ${error}, 6, ${notificationId}, ${device},
      ${batch}, ${provider}, ${refusal})`
  return id
}
const post = (path: string, body?: unknown, key = server.ours.secretKey) =>
  server.call("POST", `/api/v1/dead-letters${path}`, { key, ...(body === undefined ? {} : { body }) })
const call = (method: string, path: string, key = server.ours.secretKey) =>
  server.call(method, `/api/v1/dead-letters${path}`, { key })

describe("dead letters", () => {
  it("are listed newest first, by kind and by webhook, and read with their content", async () => {
    const other = await addDeadLetter(uuidv7() as WebhookId)
    const id = await addDeadLetter()
    expect((await call("GET", "?limit=1")).json.data).toEqual([
      {
        id,
        kind: "webhook",
        error: "answered 500",
        attempts: 6,
        can_replay: false,
        cannot_replay_because: "webhook",
        notification_id: null,
        recipient_id: null,
        provider: null,
        webhook_id: webhookId,
        event_id: body.id,
        created_at: "2026-09-21T14:13:20.000Z",
        replayed_at: null
      }
    ])
    expect((await call("GET", `?webhook_id=${webhookId}`)).json.data.map((it: { id: string }) => it.id)).toEqual([id])
    expect((await call("GET", "?kind=webhook")).json.data.map((it: { id: string }) => it.id)).toEqual([id, other])
    expect((await call("GET", "?kind=notification")).json.data).toEqual([])
    expect((await call("GET", "?kind=letter")).status).toBe(400)
    expect((await call("GET", `/${id}`)).json).toMatchObject({ id, event: body })
  })

  it("of webhooks cannot be replayed, and say so", async () => {
    const id = await addDeadLetter()
    const answer = await call("POST", `/${id}/replay`)
    expect(answer.status).toBe(409)
    expect(answer.json.error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("cannot be replayed")
    })
    expect((await call("GET", `/${id}`)).status).toBe(200)
  })

  it("are another application's as if they did not exist", async () => {
    const id = await addDeadLetter()
    expect((await call("GET", `/${id}`, server.theirs.secretKey)).status).toBe(404)
    expect((await call("POST", `/${id}/replay`, server.theirs.secretKey)).status).toBe(404)
    expect((await call("GET", "", server.theirs.secretKey)).json.data).toEqual([])
  })

  it("of notifications are filtered by notification, provider, reason and time, and read with their content", async () => {
    const notificationId = await server.makeNotification(server.ours)
    const id = await fail({ notificationId, provider: "fcm", error: "quota", at: Date.parse("2026-01-02T00:00:00Z") })
    const listed = async (query: string) =>
      (await call("GET", `?kind=notification&${query}`)).json.data.map((it: { id: string }) => it.id)
    expect(await listed(`notification_id=${notificationId}`)).toEqual([id])
    expect(await listed(`notification_id=${uuidv7()}`)).toEqual([])
    expect(await listed("provider=fcm")).toEqual([id])
    expect(await listed("error=quota")).toEqual([id])
    expect(await listed("from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00.001Z")).toEqual([id])
    expect(await listed("to=2026-01-02T00:00:00Z")).toEqual([])
    expect((await call("GET", "?from=yesterday")).status).toBe(400)
    expect((await call("GET", `/${id}`)).json).toMatchObject({
      can_replay: true,
      cannot_replay_because: null,
      event: null,
      content: { title: "Hello" }
    })
  })

  it("of notifications are replayed once: a second replay is a conflict that says so", async () => {
    const notificationId = await server.makeNotification(server.ours)
    const id = await fail({ notificationId })
    const first = await post(`/${id}/replay`)
    expect([first.status, first.json]).toEqual([202, { id, notification_id: notificationId }])
    expect(first.headers.get("location")).toBe(`/api/v1/notifications/${notificationId}`)
    const second = await post(`/${id}/replay`)
    expect([second.status, second.json.error.message]).toEqual([409, expect.stringContaining("replayed already")])
    expect((await call("GET", `/${id}`)).json).toMatchObject({
      can_replay: false,
      cannot_replay_because: "replayed",
      replayed_at: expect.stringMatching(/Z$/)
    })
  })

  it("that another attempt cannot save are not replayed, and say why", async () => {
    const gone = await fail({ refusal: "recipient_gone", error: "unregistered" })
    expect((await call("GET", `/${gone}`)).json.cannot_replay_because).toBe("recipient_gone")
    expect((await post(`/${gone}/replay`)).json.error.message).toContain("is dead")
    const deleted = await fail()
    await server.sql`DELETE FROM devices WHERE id = (SELECT recipient_id FROM dead_letters WHERE id = ${deleted})`
    expect((await call("GET", `/${deleted}`)).json).toMatchObject({
      can_replay: false,
      cannot_replay_because: "recipient_gone"
    })
    expect((await post(`/${deleted}/replay`)).json.error.message).toContain("has been deleted")
    const large = await fail({ refusal: "content_refused", error: "payload_too_large" })
    expect((await post(`/${large}/replay`)).json.error.message).toContain("content")
    const notificationId = await server.makeNotification(server.ours, "cancelled")
    const late = await post(`/${await fail({ notificationId })}/replay`)
    expect([late.status, late.json.error.message]).toEqual([409, expect.stringContaining("cancelled")])
  })

  it("are replayed by filter, which is followed at its own address", async () => {
    const filter = { notification_id: uuidv7(), error: "quota", from: "2026-01-01T00:00:00Z" }
    const begun = await post("/replay", filter)
    expect([begun.status, begun.json]).toMatchObject([202, { status: "running", filter, replayed: 0, skipped: 0 }])
    const location = begun.headers.get("location")!
    expect(location).toBe(`/api/v1/dead-letters/replays/${begun.json.id}`)
    expect((await call("GET", `/replays/${begun.json.id}`)).json).toEqual(begun.json)
    expect((await call("GET", "/replays?limit=1")).json.data).toEqual([begun.json])
    expect((await call("GET", `/replays/${begun.json.id}`, server.theirs.secretKey)).status).toBe(404)
    expect((await call("GET", "/replays", server.theirs.secretKey)).json.data).toEqual([])
  })

  it("are not replayed by more filters at once than an application may have running", async () => {
    await server.sql`UPDATE replays SET status = 'completed', completed_at = now()`
    const answers = []
    for (let i = 0; i <= RUNNING; i++) answers.push(await post("/replay", { error: "quota" }))
    const last = answers.pop()!
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: RUNNING }, () => 202))
    expect([last.status, last.json.error]).toMatchObject([
      429,
      { code: "rate_limited", message: expect.stringContaining(`has ${RUNNING} replays running already`) }
    ])
    expect(last.headers.get("retry-after")).toBe("2")
  })

  it("are not replayed by a filter that asks for webhooks, for everything by mistake, or for what is unknown", async () => {
    const before = await server.count("replays")
    expect((await post("/replay", { kind: "webhook" })).status).toBe(409)
    expect((await post("/replay", { webhook_id: uuidv7() })).status).toBe(409)
    expect((await post("/replay", {})).status).toBe(400)
    expect((await post("/replay", { reason: "x" })).status).toBe(400)
    expect((await post("/replay", { provider: "sms" })).status).toBe(400)
    expect(await server.count("replays")).toBe(before)
  })
})
