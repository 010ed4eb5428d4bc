import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { DeliveryId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import { PUSH_CONTENT_BYTES } from "../../../services/engine/Accept.ts"
import type { TestServer } from "./TestServer.ts"
import { startServer } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const send = (body: unknown, key = server.ours.secretKey) => server.call("POST", "/api/v1/notifications", { key, body })
const content = { title: "Hello", body: "World" }
const device = async (key: string): Promise<string> => {
  const body = { token: crypto.randomUUID().replaceAll("-", ""), platform: "ios" }
  return (await server.call("POST", "/api/v1/public/devices", { key, body })).json.id
}

describe("POST /api/v1/notifications", () => {
  it("accepts, names where to follow, and publishes the plan", async () => {
    const answer = await send({ to: { all: true }, content, priority: "high", ttl: 60, collapse_key: "k" })
    expect(answer.status).toBe(202)
    expect(answer.json).toEqual({ id: answer.json.id, status: "queued" })
    await vi.waitFor(() =>
      expect(server.tables.queue.published).toContainEqual({ type: "PlanV1", id: answer.json.id, priority: "high" })
    )
    const followed = await server.call("GET", answer.headers.get("location")!, { key: server.ours.secretKey })
    expect(followed.json).toMatchObject({ id: answer.json.id, status: "queued", priority: "high", started_at: null })
    expect(followed.json.counts.accepted).toBe(0)
  })

  it("plans a few named recipients at once and wakes their lane, without a planner", async () => {
    const { appId, publicKey, secretKey } = server.makeTenant()
    const [a, b] = [await device(publicKey), await device(publicKey)]
    const answer = await send({ to: { device_ids: [b, a, b] }, content, priority: "high" }, secretKey)
    expect(answer.json).toEqual({ id: answer.json.id, status: "queued" })
    const { batches } = server.tables.notifications.arrivals.at(-1)!
    expect(batches).toMatchObject([{ provider: "apns", recipients: [a, b].sort() }])
    const wake = { type: "SendV1", id: `${appId}:apns`, priority: "high" }
    await vi.waitFor(() => expect(server.tables.queue.published).toContainEqual(wake))
    expect(server.tables.queue.published.map(({ id }) => id)).not.toContain(answer.json.id)
  })

  it("leaves larger audiences, and those whose devices are all gone, to the planner", async () => {
    const { publicKey, secretKey } = server.makeTenant()
    const ids: Array<string> = []
    for (let i = 0; i < 101; i++) ids.push(await device(publicKey))
    const { json: many } = await send({ to: { device_ids: ids }, content }, secretKey)
    expect(server.tables.notifications.arrivals.at(-1)!.batches).toBeNull()
    server.tables.devices.invalidate(ids[0]!)
    const { json: gone } = await send({ to: { device_ids: ids.slice(0, 1) }, content }, secretKey)
    expect(server.tables.notifications.arrivals.at(-1)!.batches).toBeNull()
    await vi.waitFor(() => {
      for (const { id } of [many, gone]) {
        expect(server.tables.queue.published).toContainEqual({ type: "PlanV1", id, priority: "bulk" })
      }
    })
    await send({ to: { device_ids: ids.slice(0, 2) }, content }, secretKey)
    expect(server.tables.notifications.arrivals.at(-1)!.batches).toMatchObject([{ recipients: [ids[1]] }])
  })

  it("accepts while the queue is down: what is committed will be found", async () => {
    server.tables.queue.isDown = true
    const answer = await send({ to: { all: true }, content })
    server.tables.queue.isDown = false
    expect(answer.status).toBe(202)
  })

  it("names the ids that are no devices or channels of the application, by their place", async () => {
    const ours = await device(server.ours.publicKey)
    const theirs = await device(server.theirs.publicKey)
    const stored = server.tables.notifications.rows.length
    const answer = await send({ to: { device_ids: [ours, theirs, uuidv7()] }, content })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([
      { field: "to.device_ids[1]", message: "is no device of this application" },
      { field: "to.device_ids[2]", message: "is no device of this application" }
    ])
    const channels = await send({ to: { channel_ids: Array.from({ length: 50 }, () => uuidv7()) }, content })
    expect(channels.json.error.details.length).toBe(20)
    expect(channels.json.error.message).toContain("and 49 more")
    expect(server.tables.notifications.rows.length).toBe(stored)
    expect((await send({ to: { device_ids: [ours.toUpperCase()] }, content })).status).toBe(202)
  })

  it.each([
    ["nobody", { to: {}, content }, "to"],
    ["two kinds of recipients", { to: { all: true, user_ids: ["u"] }, content }, "to"],
    ["an empty list", { to: { user_ids: [] }, content }, "to.user_ids"],
    ["an id that is none", { to: { device_ids: ["abc"] }, content }, "to.device_ids[0]"],
    ["an unknown platform", { to: { platforms: ["ios", "tv"] }, content }, "to.platforms[1]"],
    ["an unknown selector", { to: { segment: "x" }, content }, "to.segment"],
    ["no content", { to: { all: true } }, "content"],
    ["empty content", { to: { all: true }, content: {} }, "content"],
    ["a title of another type", { to: { all: true }, content: { title: 5 } }, "content.title"],
    ["a link that runs", { to: { all: true }, content: { ...content, url: "javascript:alert(1)" } }, "content.url"],
    ["a subject of two lines", { to: { all: true }, content: { subject: "a\r\nBcc: x@y.z" } }, "content.subject"],
    ["a negative ttl", { to: { all: true }, content, ttl: -1 }, "ttl"],
    ["a ttl beyond 28 days", { to: { all: true }, content, ttl: 2_419_201 }, "ttl"],
    ["an unknown priority", { to: { all: true }, content, priority: "urgent" }, "priority"],
    [
      "content too large for a push",
      { to: { all: true }, content: { body: "x".repeat(PUSH_CONTENT_BYTES) } },
      "content"
    ],
    ["ways beside recipients that have one", { to: { emails: ["a@b.org"] }, channels: ["inbox"], content }, "channels"],
    ["an unknown way", { to: { all: true }, channels: ["sms"], content }, "channels[0]"],
    ["nothing to read for an inbox", { to: { all: true }, channels: ["inbox"], content: { data: {} } }, "content"],
    [
      "more data than an inbox takes",
      { to: { all: true }, channels: ["inbox"], content: { ...content, data: { x: "x".repeat(4096) } } },
      "content.data"
    ],
    ["no text for devices", { to: { all: true }, content, prioritty: "high" }, "prioritty"]
  ])("refuses %s and stores nothing", async (_, body, field) => {
    const before = server.tables.notifications.rows.length
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe("validation_error")
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(server.tables.notifications.rows.length).toBe(before)
  })
})

describe("reading notifications", () => {
  it("shows the account, newest first, each application its own", async () => {
    const tenant = server.makeTenant()
    const ids: Array<string> = []
    for (let i = 0; i < 5; i++) ids.push((await send({ to: { all: true }, content }, tenant.secretKey)).json.id)
    const counts = {
      accepted: 10,
      pending: 1,
      sent: 6,
      failed: 2,
      skipped: 1,
      cancelled: 0,
      delivered: 3,
      opened: 2,
      clicked: 1,
      machine_opened: 1,
      machine_clicked: 0
    }
    server.tables.notifications.counts.set(ids[4] as NotificationId, counts)
    const key = tenant.secretKey
    const first = await server.call("GET", "/api/v1/notifications?limit=2", { key })
    expect(first.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[4], ids[3]])
    expect(first.json.data[0].counts).toEqual(counts)
    const next = await server.call("GET", `/api/v1/notifications?limit=2&cursor=${first.json.next_cursor}`, { key })
    expect(next.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]])
    for (const path of [`/api/v1/notifications/${ids[4]}`, `/api/v1/notifications/${ids[4]}/deliveries`]) {
      expect((await server.call("GET", path, { key })).status).toBe(200)
      expect((await server.call("GET", path, { key: server.ours.secretKey })).status).toBe(404)
    }
  })

  it("lists what became of each recipient, by device or channel", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    const at = Date.now()
    const [a, b] = [uuidv7(), uuidv7()].sort() as [string, string]
    server.tables.notifications.deliveries.push(
      {
        id: uuidv7() as DeliveryId,
        notificationId: id,
        recipientId: a,
        provider: "apns",
        status: "sent",
        messageId: "m1",
        error: null,
        attempts: 1,
        at
      },
      {
        id: uuidv7() as DeliveryId,
        notificationId: id,
        recipientId: b,
        provider: "smtp",
        status: "failed",
        messageId: null,
        error: "mailbox_unknown",
        attempts: 3,
        at
      }
    )
    const path = `/api/v1/notifications/${id}/deliveries`
    const first = await server.call("GET", `${path}?limit=1`, { key: server.ours.secretKey })
    expect(first.json.data).toMatchObject([{ device_id: a, channel_id: null, status: "sent", message_id: "m1" }])
    const cursor = first.json.next_cursor
    const second = await server.call("GET", `${path}?limit=1&cursor=${cursor}`, { key: server.ours.secretKey })
    expect(second.json.data).toMatchObject([{ device_id: null, channel_id: b, error: "mailbox_unknown", attempts: 3 }])
    expect(second.json.data[0].completed_at).toBe(new Date(at).toISOString())
    expect(second.json.next_cursor).toBeNull()
  })
})

describe("POST /api/v1/notifications/:id/cancel, pause and resume", () => {
  const steer = (id: string, command: string, key = server.ours.secretKey) =>
    server.call("POST", `/api/v1/notifications/${id}/${command}`, { key })

  it("answers with the notification as it is now, and wakes those who go on", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    expect((await steer(id, "pause")).json).toMatchObject({ id, status: "paused", counts: { accepted: 0 } })
    expect((await steer(id, "resume")).json).toMatchObject({ id, status: "sending" })
    await vi.waitFor(() =>
      expect(server.tables.queue.published).toContainEqual({
        type: "SendV1",
        id: `${server.ours.appId}:apns`,
        priority: "bulk"
      })
    )
    expect((await steer(id, "cancel")).json).toMatchObject({ id, status: "cancelled" })
    expect((await steer(id, "cancel")).status).toBe(200)
  })

  it("answers 409 with the reason where there is nothing left to do it to", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    await steer(id, "cancel")
    const answer = await steer(id, "resume")
    expect([answer.status, answer.json.error.code]).toEqual([409, "conflict"])
    expect(answer.json.error.message).toBe("The notification is cancelled: there is nothing left to resume.")
  })

  it("does not know the notifications of others", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    for (const command of ["cancel", "pause", "resume"]) {
      expect((await steer(id, command, server.theirs.secretKey)).status).toBe(404)
      expect((await steer(uuidv7(), command)).status).toBe(404)
    }
    expect(server.tables.notifications.rows.find((row) => row.id === id)!.status).toBe("queued")
  })
})

describe("send_at", () => {
  it("schedules, and leaves the queue alone until then", async () => {
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const answer = await send({ to: { device_ids: [await device(server.ours.publicKey)] }, content, send_at })
    expect(answer.json).toEqual({ id: answer.json.id, status: "scheduled" })
    const arrival = server.tables.notifications.arrivals.at(-1)!
    expect(arrival).toMatchObject({ sendAt: Date.parse(send_at), batches: null })
    const shown = await server.call("GET", answer.headers.get("location")!, { key: server.ours.secretKey })
    expect(shown.json).toMatchObject({ status: "scheduled", send_at })
    expect(server.tables.queue.published.some(({ id }) => id === answer.json.id)).toBe(false)
  })

  it.each([
    ["the past", "2020-01-01T00:00:00Z", "future"],
    ["more than a year ahead", new Date(Date.now() + 400 * 86_400_000).toISOString(), "within a year"],
    ["a time without an offset", "2099-01-01T00:00:00", "offset"],
    ["a day that is not", "2099-02-30T00:00:00Z", "ISO 8601"],
    ["no time at all", "tomorrow", "ISO 8601"]
  ])("refuses %s", async (_, send_at, message) => {
    const answer = await send({ to: { all: true }, content, send_at })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([{ field: "send_at", message: expect.stringContaining(message) }])
  })
})

describe("local_time", () => {
  it("schedules on a day or from a moment on, and says so", async () => {
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
    for (const send_at of [undefined, day, new Date(Date.now() + 3_600_000).toISOString()]) {
      const to = { device_ids: [await device(server.ours.publicKey)] }
      const answer = await send({
        to,
        content,
        local_time: "09:00",
        timezone: "Europe/Berlin",
        ...(send_at && { send_at })
      })
      expect([answer.status, answer.json.status]).toEqual([202, "scheduled"])
      expect(server.tables.notifications.arrivals.at(-1)!.batches).toBe(null)
      const shown = await server.call("GET", answer.headers.get("location")!, { key: server.ours.secretKey })
      expect(shown.json).toMatchObject({ local_time: "09:00", send_at: send_at ?? null })
    }
  })

  it.each([
    ["an hour that is not", { local_time: "24:00" }, "local_time"],
    ["a time without minutes", { local_time: "9" }, "local_time"],
    ["a day that is over everywhere", { local_time: "09:00", send_at: "2020-01-01" }, "send_at"],
    ["a day that is not", { local_time: "09:00", send_at: "2099-02-30" }, "send_at"],
    ["a day without a time", { send_at: "2099-02-03" }, "send_at"],
    ["a time zone that is not", { local_time: "09:00", timezone: "Mars/Olympus" }, "timezone"],
    ["a time zone without a time", { timezone: "Europe/Berlin" }, "timezone"]
  ])("refuses %s", async (_, fields, field) => {
    const before = server.tables.notifications.arrivals.length
    const answer = await send({ to: { all: true }, content, ...fields })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(server.tables.notifications.arrivals.length).toBe(before)
  })
})
