import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { uuidTime } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { PUSH_CONTENT_BYTES } from "../../../../services/engine/sending/Accept.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const send = (body: unknown, key = server.ours.secretKey) => server.call("POST", "/api/v1/notifications", { key, body })
const content = { title: "Hello", body: "World" }
/** The batches that a notification was accepted with; null: it is left to the planner. */
const batchesOf = async (id: string) => {
  const [{ plan_done: isPlanned }] = await server.sql`SELECT plan_done FROM notifications WHERE id = ${id}`
  const batches = await server.sql`SELECT provider, recipients FROM all_batches WHERE notification_id = ${id}`
  return isPlanned || batches.length > 0 ? batches : null
}
const sendAtOf = async (id: string): Promise<Date | null> =>
  (await server.sql`SELECT send_at FROM notifications WHERE id = ${id}`)[0].send_at
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
      expect(server.queue.published).toContainEqual({ type: "PlanV1", id: answer.json.id, priority: "high" })
    )
    const followed = await server.call("GET", answer.headers.get("location")!, { key: server.ours.secretKey })
    expect(followed.json).toMatchObject({ id: answer.json.id, status: "queued", priority: "high", started_at: null })
    expect(followed.json.counts.accepted).toBe(0)
  })

  const reserved = ["from", "message_type", "google.sent_time", "gcm.notification.body", "gcm.n.e", "aps", "service_x"]
  it.each(reserved)(
    "refuses data and overrides whose %s a provider, or the service, keeps for itself",
    async (name) => {
      const to = { all: true }
      const title = "Hello"
      const fieldsOf = async (body: object) => {
        const { json, status } = await send({ to, ...body })
        return [status, json.error?.details.map(({ field }: { field: string }) => field)]
      }
      expect(await fieldsOf({ content: { title, data: { ok: 1, [name]: "x" } } })).toEqual([
        400,
        [`content.data.${name}`]
      ])
      if (name === "aps") return
      const over = (overrides: object) => fieldsOf({ content: { title }, overrides })
      expect(await over({ fcm: { data: { [name]: "x" } } })).toEqual([400, [`overrides.fcm.data.${name}`]])
      expect(await over({ fcm: { android: { data: { [name]: "x" } } } })).toEqual([
        400,
        [`overrides.fcm.android.data.${name}`]
      ])
      if (!name.startsWith("service_")) return
      expect(await over({ apns: { [name]: "x" } })).toEqual([400, [`overrides.apns.${name}`]])
      expect(await over({ web: { [name]: "x" } })).toEqual([400, [`overrides.web.${name}`]])
    }
  )

  it("takes names that only look like reserved ones, and removes by null", async () => {
    const data = {
      From: 1,
      from_user: 2,
      message: 3,
      googled: 4,
      gcm: 5,
      collapse_key: 6,
      notification: 7,
      service: 8,
      o: { from: 9 }
    }
    expect((await send({ to: { all: true }, content: { title: "Hello", data } })).status).toBe(202)
    const overrides = {
      apns: { aps: { badge: 1 }, from: "x" },
      fcm: { data: { url: null, from: null } },
      web: { from: "x" }
    }
    expect((await send({ to: { all: true }, content, overrides })).status).toBe(202)
  })

  it("plans a few named recipients at once and wakes their lane, without a planner", async () => {
    const { appId, publicKey, secretKey } = await server.makeTenant()
    const [a, b] = [await device(publicKey), await device(publicKey)]
    const answer = await send({ to: { device_ids: [b, a, b] }, content, priority: "high" }, secretKey)
    expect(answer.json).toEqual({ id: answer.json.id, status: "queued" })
    expect(await batchesOf(answer.json.id)).toEqual([{ provider: "apns", recipients: [a, b].sort() }])
    const wake = { type: "SendV1", id: `${appId}:apns`, priority: "high" }
    await vi.waitFor(() => expect(server.queue.published).toContainEqual(wake))
    expect(server.queue.published.map(({ id }) => id)).not.toContain(answer.json.id)
  })

  it("leaves larger audiences, and those whose devices are all gone, to the planner", async () => {
    const { publicKey, secretKey } = await server.makeTenant()
    const ids: Array<string> = []
    for (let i = 0; i < 101; i++) ids.push(await device(publicKey))
    const { json: many } = await send({ to: { device_ids: ids }, content }, secretKey)
    expect(await batchesOf(many.id)).toBeNull()
    await server.sql`UPDATE devices SET active = false, invalid_reason = 'Unregistered' WHERE id = ${ids[0]}`
    const { json: gone } = await send({ to: { device_ids: ids.slice(0, 1) }, content }, secretKey)
    expect(await batchesOf(gone.id)).toBeNull()
    await vi.waitFor(() => {
      for (const { id } of [many, gone]) {
        expect(server.queue.published).toContainEqual({ type: "PlanV1", id, priority: "bulk" })
      }
    })
    const { json: both } = await send({ to: { device_ids: ids.slice(0, 2) }, content }, secretKey)
    expect(await batchesOf(both.id)).toMatchObject([{ recipients: [ids[1]] }])
  })

  it("accepts while the queue is down: what is committed will be found", async () => {
    server.queue.isDown = true
    const answer = await send({ to: { all: true }, content })
    server.queue.isDown = false
    expect(answer.status).toBe(202)
  })

  it("skips ids that are no devices or channels of the application, counts and names them, and reaches the others", async () => {
    const { publicKey, secretKey } = await server.makeTenant()
    const ours = await device(publicKey)
    const theirs = await device(server.theirs.publicKey)
    const gone = uuidv7().toUpperCase()
    const answer = await send({ to: { device_ids: [theirs, ours.toUpperCase(), gone, gone] }, content }, secretKey)
    expect(answer.status).toBe(202)
    const skipped = { count: 2, ids: [theirs, gone] }
    expect(answer.json).toEqual({ id: answer.json.id, status: "queued", skipped })
    expect(await batchesOf(answer.json.id)).toEqual([{ provider: "apns", recipients: [ours] }])

    const many = Array.from({ length: 150 }, () => uuidv7())
    const wide = await send({ to: { device_ids: [...many, ours] }, content }, secretKey)
    expect(wide.json.skipped).toEqual({ count: 150, ids: many.slice(0, 100) })

    const address = { kind: "email", address: "ann@example.com" }
    const channel = (await server.call("POST", "/api/v1/channels", { key: secretKey, body: address })).json.id
    const mail = await send({ to: { channel_ids: [uuidv7(), channel] }, content }, secretKey)
    expect([mail.status, mail.json.skipped.count]).toEqual([202, 1])
    const all = await send({ to: { channel_ids: [channel] }, content }, secretKey)
    expect(Object.keys(all.json)).toEqual(["id", "status"])
  })

  it("answers a repetition with the skipped ids of the first answer", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    const body = { to: { device_ids: [await device(publicKey), uuidv7()] }, content }
    const options = { key, body, headers: { "idempotency-key": "skipped" } }
    const first = await server.call("POST", "/api/v1/notifications", options)
    const again = await server.call("POST", "/api/v1/notifications", options)
    expect(first.json.skipped.count).toBe(1)
    expect([again.json, again.headers.get("idempotent-replayed")]).toEqual([first.json, "true"])
  })

  it("previews the same ids as skipped", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    const [ours, gone] = [await device(publicKey), uuidv7()]
    const preview = (device_ids: ReadonlyArray<string>) =>
      server.call("POST", "/api/v1/notifications/preview", { key, body: { to: { device_ids }, content } })
    expect((await preview([ours, gone])).json.skipped).toEqual({ count: 1, ids: [gone] })
    expect((await preview([ours])).json.skipped).toBe(null)
    expect((await preview([gone])).json.error.details).toEqual([
      { field: "to.device_ids[0]", message: "is no device of this application" }
    ])
  })

  it("refuses a request all of whose ids are unknown, names them by their place, and stores nothing", async () => {
    const theirs = await device(server.theirs.publicKey)
    const stored = await server.count("notifications")
    for (const ids of [[theirs], [theirs, uuidv7()]]) {
      const answer = await send({ to: { device_ids: ids }, content })
      expect(answer.status).toBe(400)
      expect(answer.json.error.details).toEqual(
        ids.map((_, i) => ({ field: `to.device_ids[${i}]`, message: "is no device of this application" }))
      )
    }
    const channels = await send({ to: { channel_ids: Array.from({ length: 50 }, () => uuidv7()) }, content })
    expect(channels.json.error.details.length).toBe(20)
    expect(channels.json.error.message).toContain("and 49 more")
    expect(await server.count("notifications")).toBe(stored)
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
    const before = await server.count("notifications")
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe("validation_error")
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(await server.count("notifications")).toBe(before)
  })
})

describe("reading notifications", () => {
  it("shows the account, newest first, each application its own", async () => {
    const tenant = await server.makeTenant()
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
    await server.sql`
      INSERT INTO batches (id, notification_id, app_id, provider, priority, recipients, sent, failed, skipped)
      VALUES (${uuidv7()}, ${ids[4]}, ${tenant.appId}, 'fcm', 'bulk', ARRAY[${uuidv7()}::uuid], 6, 2, 1)`
    await server.sql`
      INSERT INTO engagement_counts (notification_id, delivered, opened, clicked, machine_opened)
      VALUES (${ids[4]}, 3, 2, 1, 1)`
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

  it("shows the whole request as it was sent, and null for what was left out", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    const ids = await Promise.all([device(publicKey), device(publicKey)])
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const whole = {
      to: { device_ids: ids },
      content: { ...content, url: "https://example.com/", data: { a: [1, { b: null }] } },
      ttl: 60,
      priority: "high",
      send_at,
      local_time: "09:00",
      timezone: "Europe/Berlin",
      collapse_key: "k",
      overrides: { apns: { sound: "x" } },
      track: { opens: false }
    }
    const { id } = (await send(whole, key)).json
    const shown = await server.call("GET", `/api/v1/notifications/${id}`, { key })
    expect(shown.json).toEqual({
      id,
      status: "scheduled",
      title: "Hello",
      template_id: null,
      workflow_id: null,
      workflow_step: null,
      counts: shown.json.counts,
      channels: null,
      variables: null,
      skipped: null,
      created_at: shown.json.created_at,
      updated_at: null,
      started_at: null,
      completed_at: null,
      ...whole
    })
    const bare = (await send({ to: { all: true }, channels: ["inbox"], content }, key)).json
    expect((await server.call("GET", `/api/v1/notifications/${bare.id}`, { key })).json).toMatchObject({
      to: { all: true },
      channels: ["inbox"],
      content,
      ttl: null,
      priority: "bulk",
      send_at: null,
      overrides: null,
      track: null
    })
  })

  it("shows every id of two thousand, and those that were skipped", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    const ids = [await device(publicKey), ...Array.from({ length: 1999 }, () => uuidv7())]
    const { id } = (await send({ to: { device_ids: ids }, content }, key)).json
    const shown = await server.call("GET", `/api/v1/notifications/${id}`, { key })
    expect(shown.json.to.device_ids).toEqual(ids)
    expect(shown.json.skipped).toEqual({ count: 1999, ids: ids.slice(1, 101) })
  })

  it("shows a template by its id and variables, filled or not, and a segment without its conditions", async () => {
    const { secretKey: key } = await server.makeTenant()
    const make = (path: string, body: unknown) => server.call("POST", `/api/v1/${path}`, { key, body })
    const same = (await make("templates", { name: "same", content: { title: "Order {{ order }}" } })).json.id
    const each = (await make("templates", { name: "each", content: { title: "{{ contact.attributes.name }}" } })).json
      .id
    const segment_id = (await make("segments", { name: "vip", filter: { tags_any: ["vip"] } })).json.id
    for (const [template_id, title] of [
      [same, "Order 7"],
      [each, null]
    ]) {
      const body = { to: { segment_id }, template_id, variables: { order: "7" } }
      const { id } = (await send(body, key)).json
      const shown = (await server.call("GET", `/api/v1/notifications/${id}`, { key })).json
      expect(shown).toMatchObject({ ...body, title, content: null })
      expect(shown.to).toEqual({ segment_id })
    }
  })

  it("lists them without what grows with the request", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    await send({ to: { device_ids: [await device(publicKey), uuidv7()] }, content }, key)
    const [item] = (await server.call("GET", "/api/v1/notifications", { key })).json.data
    const times = "created_at updated_at started_at completed_at"
    const shown = `id status priority title template_id workflow_id workflow_step counts send_at local_time ${times}`
    expect(Object.keys(item).sort()).toEqual(shown.split(" ").sort())
  })

  it("lists those of a state, and of a span of time that has both its ends", async () => {
    const { secretKey: key } = await server.makeTenant()
    const ids: Array<string> = []
    for (let i = 0; i < 6; i++) {
      const send_at = new Date(Date.now() + 3_600_000).toISOString()
      ids.push((await send({ to: { all: true }, content, ...(i % 2 === 0 ? { send_at } : {}) }, key)).json.id)
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(uuidTime(ids.at(-1)!)))
    }
    const list = async (query: Record<string, string>) => {
      const answer = await server.call("GET", `/api/v1/notifications?${new URLSearchParams(query).toString()}`, { key })
      return { ...answer.json, ids: answer.json.data?.map(({ id }: { id: string }) => ids.indexOf(id)) }
    }
    const at = (i: number) => new Date(uuidTime(ids[i]!)).toISOString()
    expect((await list({ status: "scheduled" })).ids).toEqual([4, 2, 0])
    expect((await list({ status: "paused" })).ids).toEqual([])
    expect((await list({ created_from: at(1), created_to: at(4) })).ids).toEqual([4, 3, 2, 1])
    expect((await list({ created_from: at(4).replace("Z", "+00:00") })).ids).toEqual([5, 4])
    const query = { status: "queued", created_to: at(3), limit: "1" }
    const first = await list(query)
    expect(first.ids).toEqual([3])
    expect((await list({ ...query, cursor: first.next_cursor })).ids).toEqual([1])
    for (const [wrong, field] of [
      [{ status: "sent" }, "status"],
      [{ created_from: "yesterday" }, "created_from"],
      [{ created_to: "2026-02-30T00:00:00Z" }, "created_to"],
      [{ created_from: at(2), created_to: at(1) }, "created_to"],
      [{ state: "queued" }, "state"]
    ] as const) {
      const { error } = await list(wrong as Record<string, string>)
      expect([error.code, error.details[0].field]).toEqual(["validation_error", field])
    }
  })

  it("lists what became of each recipient, by device or channel", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    const at = new Date()
    const [a, b] = [uuidv7(), uuidv7()].sort() as [string, string]
    await server.sql`
      INSERT INTO deliveries (notification_id, recipient_id, at, provider, status, attempts, message_id, error)
      VALUES (${id}, ${a}, ${at}, 'a', 's', 1, 'm1', NULL), (${id}, ${b}, ${at}, 'm', 'f', 3, NULL, 'mailbox_unknown')`
    const path = `/api/v1/notifications/${id}/deliveries`
    const first = await server.call("GET", `${path}?limit=1`, { key: server.ours.secretKey })
    expect(first.json.data).toMatchObject([{ device_id: a, channel_id: null, status: "sent", message_id: "m1" }])
    const cursor = first.json.next_cursor
    const second = await server.call("GET", `${path}?limit=1&cursor=${cursor}`, { key: server.ours.secretKey })
    expect(second.json.data).toMatchObject([{ device_id: null, channel_id: b, error: "mailbox_unknown", attempts: 3 }])
    expect(second.json.data[0].completed_at).toBe(at.toISOString())
    expect(second.json.next_cursor).toBeNull()
  })
})

describe("POST /api/v1/notifications/:id/cancel, pause and resume", () => {
  const control = (id: string, command: string, key = server.ours.secretKey) =>
    server.call("POST", `/api/v1/notifications/${id}/${command}`, { key })

  it("answers with the notification as it is now, and wakes those who go on", async () => {
    const to = { device_ids: [await device(server.ours.publicKey)] }
    const { id } = (await send({ to, content })).json
    const wake = { type: "SendV1", id: `${server.ours.appId}:apns`, priority: "bulk" }
    await vi.waitFor(() => expect(server.queue.published).toContainEqual(wake))
    expect((await control(id, "pause")).json).toMatchObject({ id, status: "paused", counts: { accepted: 1 } })
    server.queue.published.length = 0
    expect((await control(id, "resume")).json).toMatchObject({ id, status: "sending" })
    await vi.waitFor(() => expect(server.queue.published).toContainEqual(wake))
    const { id: unplanned } = (await send({ to: { all: true }, content })).json
    const plan = { type: "PlanV1", id: unplanned, priority: "bulk" }
    await vi.waitFor(() => expect(server.queue.published).toContainEqual(plan))
    expect((await control(unplanned, "pause")).json).toMatchObject({ status: "paused", counts: { accepted: 0 } })
    server.queue.published.length = 0
    expect((await control(unplanned, "resume")).json).toMatchObject({ status: "queued" })
    await vi.waitFor(() => expect(server.queue.published).toContainEqual(plan))
    expect((await control(id, "cancel")).json).toMatchObject({ id, status: "cancelled" })
    expect((await control(id, "cancel")).status).toBe(200)
  })

  it("answers 409 with the reason where there is nothing left to do it to", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    await control(id, "cancel")
    const answer = await control(id, "resume")
    expect([answer.status, answer.json.error.code]).toEqual([409, "conflict"])
    expect(answer.json.error.message).toBe("The notification is cancelled: there is nothing left to resume.")
  })

  it("does not know the notifications of others", async () => {
    const { id } = (await send({ to: { all: true }, content })).json
    for (const command of ["cancel", "pause", "resume"]) {
      expect((await control(id, command, server.theirs.secretKey)).status).toBe(404)
      expect((await control(uuidv7(), command)).status).toBe(404)
    }
    const { json } = await server.call("GET", `/api/v1/notifications/${id}`, { key: server.ours.secretKey })
    expect(json.status).toBe("queued")
  })
})

describe("PATCH /api/v1/notifications/:id", () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
  const change = (id: string, body: unknown, key = server.ours.secretKey) =>
    server.call("PATCH", `/api/v1/notifications/${id}`, { key, body })
  const control = (id: string, command: string) =>
    server.call("POST", `/api/v1/notifications/${id}/${command}`, { key: server.ours.secretKey })
  /** What is told of its changes. */
  const revisionsOf = (id: string) =>
    server.sql`SELECT details FROM audit_log WHERE action = 'notification.changed' AND target = ${id}`
  const rowOf = async (id: string) => (await server.sql`SELECT * FROM notifications WHERE id = ${id}`)[0]

  it("puts parts in the place of those before, takes away what is null, and keeps the rest", async () => {
    const send_at = inAnHour()
    const { id } = (await send({ to: { all: true }, content, send_at, ttl: 60, collapse_key: "k" })).json
    const later = new Date(Date.now() + 7_200_000).toISOString()
    const body = { content: { title: "New" }, send_at: later, ttl: null, priority: "high", to: { tags_any: ["vip"] } }
    const answer = await change(id, body)
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ ...body, id, status: "scheduled", collapse_key: "k", ttl: null })
    expect(answer.json.updated_at).toMatch(/Z$/)
    const { json } = await server.call("GET", `/api/v1/notifications/${id}`, { key: server.ours.secretKey })
    expect(json).toEqual(answer.json)
    const revisions = [{ details: { fields: Object.keys(body) } }]
    expect(await sendAtOf(id)).toEqual(new Date(later))
    expect(await revisionsOf(id)).toEqual(revisions)
    const nothing = await change(id, {})
    expect([nothing.status, nothing.json]).toEqual([200, answer.json])
    expect(await revisionsOf(id)).toEqual(revisions)
  })

  it("sends at once where no time is left, and wakes the planner", async () => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    expect((await change(id, { send_at: null })).json).toMatchObject({ status: "queued", send_at: null })
    await vi.waitFor(() => expect(server.queue.published).toContainEqual({ type: "PlanV1", id, priority: "bulk" }))
    const second = (await send({ to: { all: true }, content, send_at: inAnHour() })).json.id
    expect((await change(second, { send_at: new Date(Date.now() - 1000).toISOString() })).json.status).toBe("queued")
  })

  it("takes template and segment as they are now, and changes from a content to a template and back", async () => {
    const { secretKey: key } = await server.makeTenant()
    const make = (path: string, body: unknown) => server.call("POST", `/api/v1/${path}`, { key, body })
    const template_id = (await make("templates", { name: "t", content: { title: "Hi {{ name }}" } })).json.id
    const segment_id = (await make("segments", { name: "s", filter: { tags_any: ["a"] } })).json.id
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() }, key)).json
    const toTemplate = { to: { segment_id }, content: null, template_id, variables: { name: "Ann" } }
    expect((await change(id, toTemplate, key)).json).toMatchObject({ ...toTemplate, title: "Hi Ann" })
    const kept = async () => (await rowOf(id)).request
    expect(await kept()).toMatchObject({
      to: { segment_id, filter: { tags_any: ["a"] } },
      content: { title: "Hi Ann" }
    })
    await server.call("PATCH", `/api/v1/templates/${template_id}`, {
      key,
      body: { content: { title: "Bye {{ name }}" } }
    })
    await server.call("PATCH", `/api/v1/segments/${segment_id}`, { key, body: { filter: { tags_any: ["b"] } } })
    expect((await change(id, { ttl: 60 }, key)).json).toMatchObject({ title: "Bye Ann", ttl: 60, template_id })
    expect((await kept()).to.filter).toEqual({ tags_any: ["b"] })
    const back = await change(id, { content, template_id: null, variables: null }, key)
    expect(back.json).toMatchObject({ content, template_id: null, variables: null })
  })

  it("skips unknown ids as sending does", async () => {
    const { publicKey, secretKey: key } = await server.makeTenant()
    const [ours, gone] = [await device(publicKey), uuidv7()]
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() }, key)).json
    const answer = await change(id, { to: { device_ids: [ours, gone] } }, key)
    expect(answer.json).toMatchObject({ to: { device_ids: [ours, gone] }, skipped: { count: 1, ids: [gone] } })
    const none = await change(id, { to: { device_ids: [gone] } }, key)
    expect(none.json.error.details[0].field).toBe("to.device_ids[0]")
    expect((await change(id, { to: { all: true } }, key)).json.skipped).toBe(null)
  })

  it.each([
    ["an unknown field", { titel: "x" }, "titel"],
    ["a field of another type", { content: { title: 5 } }, "content.title"],
    ["no audience", { to: null }, "to"],
    ["two kinds of recipients", { to: { all: true, user_ids: ["u"] } }, "to"],
    ["neither content nor template", { content: null }, "content"],
    ["a template beside the content", { template_id: uuidv7() }, "template_id"],
    ["a template that is not there", { template_id: uuidv7(), content: null }, "template_id"],
    ["variables for no template", { variables: { a: 1 } }, "variables"],
    ["a time that is over", { send_at: "2020-01-01T00:00:00Z" }, "send_at"],
    ["a day without a time of day", { send_at: "2099-01-01" }, "send_at"],
    ["a zone without a time of day", { timezone: "Europe/Berlin" }, "timezone"],
    ["content too large for a push", { content: { body: "x".repeat(PUSH_CONTENT_BYTES) } }, "content"]
  ])("refuses %s, and changes nothing", async (_, body, field) => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    const before = await rowOf(id)
    const answer = await change(id, body)
    expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"])
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(await rowOf(id)).toEqual(before)
    expect(await revisionsOf(id)).toEqual([])
  })

  it("takes one that was paused before its time, also when that went by, and leaves it paused", async () => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    await control(id, "pause")
    expect((await change(id, { ttl: 60 })).json).toMatchObject({ status: "paused", ttl: 60 })
    const send_at = "2026-01-01T00:00:00.000Z"
    const { request } = await rowOf(id)
    await server.sql`
      UPDATE notifications SET send_at = ${new Date(send_at)}, request = ${JSON.stringify({ ...request, send_at })}::text::json
      WHERE id = ${id}`
    const late = await change(id, { content: { title: "Late" } })
    expect(late.json).toMatchObject({ status: "paused", title: "Late", send_at })
    // It is due from the change on.
    const { send_at: due, updated_at: changed } = await rowOf(id)
    expect(due).toEqual(changed)
    expect((await change(id, { send_at })).status).toBe(400)
  })

  it("answers 409 where it is no longer scheduled, and 404 for the notifications of others", async () => {
    const queued = (await send({ to: { all: true }, content })).json.id
    const cancelled = (await send({ to: { all: true }, content, send_at: inAnHour() })).json.id
    await control(cancelled, "cancel")
    for (const [id, status] of [
      [queued, "queued"],
      [cancelled, "cancelled"]
    ]) {
      const answer = await change(id, { ttl: 60 })
      expect([answer.status, answer.json.error.code]).toEqual([409, "conflict"])
      expect(answer.json.error.message).toBe(
        `The notification is ${status}: only one that has not begun can be changed.`
      )
    }
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    expect((await change(id, { ttl: 60 }, server.theirs.secretKey)).status).toBe(404)
    expect((await change(uuidv7(), { ttl: 60 })).status).toBe(404)
  })

  it("loses none of two changes at the same time", async () => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    const answers = await Promise.all([change(id, { ttl: 60 }), change(id, { collapse_key: "k" })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { json } = await server.call("GET", `/api/v1/notifications/${id}`, { key: server.ours.secretKey })
    expect(json).toMatchObject({ ttl: 60, collapse_key: "k" })
  })

  it("changes one that others come before, the planner or another process, however often they do", async () => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    let others = 0
    server.outage.before = (operation) =>
      Effect.suspend(() => {
        if (operation !== "NotificationStore.revise" || others >= 10) return Effect.void
        others++
        return Effect.promise(() => server.sql`UPDATE notifications SET plan_fence = plan_fence + 1 WHERE id = ${id}`)
      })
    const answer = await change(id, { ttl: 60 })
    server.outage.before = () => Effect.void
    expect([answer.status, answer.json.ttl, others]).toEqual([200, 60, 10])
  })

  it("pauses and resumes a scheduled one, and cancels it in each state", async () => {
    const { id } = (await send({ to: { all: true }, content, send_at: inAnHour() })).json
    const said = async (command: string) => (await control(id, command)).json.status
    expect([await said("pause"), await said("pause"), await said("resume"), await said("resume")]).toEqual([
      "paused",
      "paused",
      "scheduled",
      "scheduled"
    ])
    expect([await said("pause"), await said("cancel")]).toEqual(["paused", "cancelled"])
    expect((await control(id, "resume")).status).toBe(409)
  })
})

describe("send_at", () => {
  it("schedules, and leaves the queue alone until then", async () => {
    const send_at = new Date(Date.now() + 3_600_000).toISOString()
    const answer = await send({ to: { device_ids: [await device(server.ours.publicKey)] }, content, send_at })
    expect(answer.json).toEqual({ id: answer.json.id, status: "scheduled" })
    expect([await sendAtOf(answer.json.id), await batchesOf(answer.json.id)]).toEqual([new Date(send_at), null])
    const shown = await server.call("GET", answer.headers.get("location")!, { key: server.ours.secretKey })
    expect(shown.json).toMatchObject({ status: "scheduled", send_at })
    expect(server.queue.published.some(({ id }) => id === answer.json.id)).toBe(false)
  })

  it("takes a moment of the last minute for now", async () => {
    const { publicKey, secretKey } = await server.makeTenant()
    const to = { device_ids: [await device(publicKey)] }
    for (const ago of [1000, 58_000]) {
      const send_at = new Date(Date.now() - ago).toISOString()
      const answer = await send({ to, content, send_at }, secretKey)
      expect([answer.status, answer.json.status]).toEqual([202, "queued"])
      expect(await sendAtOf(answer.json.id)).toBe(null)
      expect(await batchesOf(answer.json.id)).toMatchObject([{ provider: "apns" }])
    }
    const justNow = new Date(Date.now() - 1000).toISOString()
    const local = await send({ to, content, local_time: "09:00", send_at: justNow }, secretKey)
    expect([local.status, local.json.status]).toEqual([202, "scheduled"])
    const late = { to, content, send_at: new Date(Date.now() - 62_000).toISOString() }
    const preview = () => server.call("POST", "/api/v1/notifications/preview", { key: secretKey, body: late })
    for (const { json } of [await send(late, secretKey), await preview()]) {
      expect(json.error.details).toEqual([
        { field: "send_at", message: "must lie in the future, or at most a minute ago, which means now" }
      ])
    }
  })

  it.each([
    ["the past", "2020-01-01T00:00:00Z", "future"],
    ["more than a year ahead", new Date(Date.now() + 400 * 86_400_000).toISOString(), "within 366 days"],
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
      expect(await batchesOf(answer.json.id)).toBe(null)
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
    const before = await server.count("notifications")
    const answer = await send({ to: { all: true }, content, ...fields })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(await server.count("notifications")).toBe(before)
  })
})
