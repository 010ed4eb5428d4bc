import { createHmac, randomUUID } from "node:crypto"
import { request } from "undici"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { start, type Receiver, type RunningWebhooks } from "../../simulators/Webhooks.ts"

const SECRET = "a shared secret"

let webhooks: RunningWebhooks
let signed: Receiver
let open: Receiver

type Fields = Readonly<Record<string, unknown>>

const event = (over: Fields = {}): Fields => ({
  id: randomUUID(),
  event: "NOTIFICATION_SENT",
  appId: randomUUID(),
  timestamp: new Date().toISOString(),
  payload: { notificationId: randomUUID(), deviceId: randomUUID(), messageId: "m-1" },
  ...over
})

const sign = (body: string, secret = SECRET, at = Math.floor(Date.now() / 1000)): string =>
  `t=${at}, v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`

const post = async (url: string, body: string, headers: Readonly<Record<string, string>> = {}, method = "POST") => {
  const answer = await request(url, {
    method: method as "POST",
    body,
    headers: { "content-type": "application/json", ...headers }
  })
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() }
}
const send = (fields: Fields = event(), over: Readonly<Record<string, string>> = {}) => {
  const body = JSON.stringify(fields)
  return post(signed.url, body, { "x-service-signature": sign(body), ...over })
}

beforeAll(async () => {
  webhooks = await start({ receivers: [{ name: "signed", secret: SECRET }, { name: "open" }] })
  signed = webhooks.receiver("signed")
  open = webhooks.receiver("open")
})
beforeEach(() => {
  webhooks.control.set()
  signed.control.set()
  webhooks.reset()
})
afterAll(() => webhooks.close())

describe("the webhook receivers", () => {
  it("accept a signed event and count it by its id, each receiver for itself", async () => {
    const first = event()
    expect((await send(first)).status).toBe(200)
    expect((await send(first)).status).toBe(200)
    expect((await post(open.url, JSON.stringify(first))).status).toBe(200)
    expect(signed.received()).toEqual(new Map([[first["id"], 2]]))
    expect(open.received()).toEqual(new Map([[first["id"], 1]]))
    expect(signed.stats()).toMatchObject({ accepted: 2, duplicates: 1 })
    // The same event at two receivers is no duplicate.
    expect(webhooks.stats()).toMatchObject({ requests: 3, accepted: 3, duplicates: 1 })
  })

  it.each([
    ["signed by another secret", (body: string) => sign(body, "other")],
    ["signed over another body", (body: string) => sign(`${body} `)],
    ["signed six minutes ago", (body: string) => sign(body, SECRET, Math.floor(Date.now() / 1000) - 360)],
    ["signed in six minutes", (body: string) => sign(body, SECRET, Math.floor(Date.now() / 1000) + 360)],
    ["signed in milliseconds", (body: string) => sign(body, SECRET, Date.now())],
    ["whose signature lacks its time", (body: string) => sign(body).replace(/^t=\d+, /, "")],
    ["whose signature is cut short", (body: string) => sign(body).slice(0, -2)]
  ])("refuse a body %s", async (_, signature) => {
    const body = JSON.stringify(event())
    const answer = await post(signed.url, body, { "x-service-signature": signature(body) })
    expect(answer.status).toBe(401)
    expect(signed.stats().accepted).toBe(0)
  })

  it("refuse an unsigned body where there is a secret, and a signed one where there is none", async () => {
    const body = JSON.stringify(event())
    expect((await post(signed.url, body)).body).toBe("signature is missing")
    expect((await post(open.url, body, { "x-service-signature": sign(body) })).body).toBe(
      "signed though there is no secret"
    )
    expect(webhooks.stats().refused).toEqual({ "signature is missing": 1, "signed though there is no secret": 1 })
  })

  it.each([
    ["NOTIFICATION_SENT", { notificationId: "n", channelId: "c", messageId: "m" }],
    ["NOTIFICATION_FAILED", { notificationId: "n", deviceId: "d", error: "unregistered" }],
    ["NOTIFICATION_DELIVERED", { notificationId: "n", deliveryLogId: "l", deliveredAt: "2026-01-01T00:00:00.000Z" }],
    ["NOTIFICATION_OPENED", { notificationId: "n", deliveryLogId: "l", openedAt: "2026-01-01T00:00:00.000Z" }],
    [
      "NOTIFICATION_CLICKED",
      { notificationId: "n", deliveryLogId: "l", clickedAt: "2026-01-01T00:00:00.000Z", destination: "https://a.test" }
    ],
    ["WORKFLOW_COMPLETED", { executionId: "e", workflowId: "w", status: "done" }],
    ["WORKFLOW_FILTERED", { executionId: "e", workflowId: "w", status: "filtered", stepOrder: 2 }],
    ["WORKFLOW_FAILED", { executionId: "e", workflowId: "w", error: "quota" }],
    ["WORKFLOW_CANCELLED", { executionId: "e", workflowId: "w", reason: "archived" }]
  ])("know the payload of %s, and refuse it with a field too few or too many", async (name, payload) => {
    expect((await send(event({ event: name, payload }))).status).toBe(200)
    const fewer = Object.fromEntries(Object.entries(payload).slice(1))
    expect((await send(event({ event: name, payload: fewer }))).status).toBe(400)
    expect((await send(event({ event: name, payload: { ...payload, extra: 1 } }))).body).toBe(
      "payload has an unknown field"
    )
  })

  it.each([
    ["an id that is no UUID", { id: "1" }, "id is not UUID-like"],
    ["an unknown event", { event: "NOTIFICATION_LOST" }, "event is unknown"],
    ["no appId", { appId: undefined }, "appId is missing"],
    [
      "a timestamp without milliseconds",
      { timestamp: "2026-01-01T00:00:00Z" },
      "timestamp is not ISO 8601 in UTC with milliseconds"
    ],
    [
      "a timestamp of tomorrow",
      { timestamp: new Date(Date.now() + 86_400_000).toISOString() },
      "timestamp is in the future"
    ],
    ["no payload", { payload: undefined }, "payload is not an object"],
    ["a field of no meaning", { extra: 1 }, "unknown field extra"],
    [
      "two recipients",
      { payload: { notificationId: "n", deviceId: "d", channelId: "c", messageId: "m" } },
      "payload needs deviceId or channelId"
    ],
    ["no recipient", { payload: { notificationId: "n", messageId: "m" } }, "payload needs deviceId or channelId"],
    [
      "a number where text belongs",
      { payload: { notificationId: 1, deviceId: "d", messageId: "m" } },
      "payload.notificationId is wrong"
    ]
  ])("refuse an event with %s", async (_, over, expected) => {
    const answer = await send(event(over))
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  it("refuse other methods, other content types, other paths, and what is no JSON", async () => {
    const body = JSON.stringify(event())
    const headers = { "x-service-signature": sign(body) }
    expect((await post(signed.url, body, headers, "PUT")).status).toBe(405)
    expect((await post(signed.url, body, { ...headers, "content-type": "text/plain" })).status).toBe(415)
    expect((await post(`${webhooks.url}/elsewhere`, body, headers)).status).toBe(404)
    expect((await post(signed.url, "{", { "x-service-signature": sign("{") })).body).toBe("body is not a JSON object")
  })
})

describe("the rules of the webhook receivers", () => {
  it("fail, throttle and redirect one receiver and leave the other alone", async () => {
    signed.control.set(
      { do: "refuse", status: 500, first: 1 },
      { do: "throttle", retryAfter: 9, first: 1 },
      { do: "refuse", status: 302, first: 1 }
    )
    expect((await send()).status).toBe(500)
    expect((await send()).headers["retry-after"]).toBe("9")
    expect((await send()).headers["location"]).toBe("/elsewhere")
    expect((await send()).status).toBe(200)
    expect((await post(open.url, JSON.stringify(event()))).status).toBe(200)
    expect(signed.stats()).toMatchObject({ accepted: 1, enacted: { refuse: 2, throttle: 1 } })
  })

  it("hold for all receivers when set on the whole", async () => {
    webhooks.control.set({ do: "refuse", status: 503, first: 2 })
    expect((await send()).status).toBe(503)
    expect((await post(open.url, JSON.stringify(event()))).status).toBe(503)
    expect((await send()).status).toBe(200)
  })

  it("cut the connection after counting", async () => {
    signed.control.set({ do: "close" })
    await expect(send()).rejects.toThrow(/closed|reset|other side/i)
    expect(signed.stats().accepted).toBe(1)
  })

  it("hang until the sender gives up", async () => {
    signed.control.set({ do: "hang", first: 1 })
    const body = JSON.stringify(event())
    const abort = new AbortController()
    const hanging = request(signed.url, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", "x-service-signature": sign(body) },
      signal: abort.signal
    }).then(
      () => "answered",
      () => "given up"
    )
    // Only one of the two can meet the rule; the other is answered, which shows that both have arrived or will hang.
    while (signed.stats().requests === 0) await new Promise((resolve) => setImmediate(resolve))
    expect((await send()).status).toBe(200)
    abort.abort()
    expect(await hanging).toBe("given up")
    expect(signed.stats()).toMatchObject({ requests: 2, accepted: 1, enacted: { hang: 1 } })
  })
})
