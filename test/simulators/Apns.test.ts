import { randomUUID } from "node:crypto"
import { connect, type ClientHttp2Session } from "node:http2"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { start } from "../../simulators/Apns.ts"
import type { Running } from "../../simulators/Simulator.ts"
import { certificates, ecKeys, endedWith, jwt, now, open, pem, request, type Answer } from "./Client.ts"

const TEAM = "TEAM000001"
const KEY = "KEY0000001"
const BUNDLE = "com.example.app"
const keys = ecKeys()
const token = "ab".repeat(32)
const provider = jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() }, { kid: KEY })

const options = {
  certificates,
  environment: "production",
  teamId: TEAM,
  keyId: KEY,
  publicKey: pem(keys.publicKey),
  bundleId: BUNDLE,
  tokens: { unregistered: "dead", bad: "0bad", sandbox: "5a5a" }
} as const

const payload = (extra: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({
    aps: { alert: { title: "Hello" } },
    service_notification_id: randomUUID(),
    service_device_id: randomUUID(),
    ...extra
  })

let apns: Running
let session: ClientHttp2Session

const send = (
  over: Readonly<Record<string, string | undefined>> = {},
  body: string = payload(),
  to: ClientHttp2Session = session
): Promise<Answer> => {
  const headers: Record<string, string | undefined> = {
    ":path": `/3/device/${token}`,
    authorization: `bearer ${provider}`,
    "apns-topic": BUNDLE,
    "apns-push-type": "alert",
    ...over
  }
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return request(to, Object.fromEntries(given), body)
}

const refused = async (answer: Promise<Answer>): Promise<string> => {
  const { body, headers, status } = await answer
  expect(headers["apns-id"]).toBeTypeOf("string")
  return `${status} ${(JSON.parse(body) as { reason: string }).reason}`
}

beforeAll(async () => {
  apns = await start(options)
  session = await open(apns.url)
})
beforeEach(() => {
  apns.control.set()
  apns.reset()
})
afterAll(async () => {
  session.destroy()
  await apns.close()
})

describe("the APNs simulator", () => {
  it("accepts a right push, echoes its apns-id and counts it by its ids", async () => {
    const notification = randomUUID()
    const device = randomUUID()
    const id = randomUUID()
    const body = payload({ service_notification_id: notification, service_device_id: device })
    const answer = await send({ "apns-id": id, "apns-priority": "5", "apns-expiration": "0" }, body)
    expect(answer.status).toBe(200)
    expect(answer.headers["apns-id"]).toBe(id)
    await send({}, body)
    expect(apns.received()).toEqual(new Map([[`${notification}:${device}`, 2]]))
    expect(apns.stats()).toMatchObject({ requests: 2, accepted: 2, duplicates: 1, refused: {} })
  })

  it("allows one stream on a new connection and more after the first authenticated answer", async () => {
    const fresh = await open(apns.url)
    expect(fresh.remoteSettings.maxConcurrentStreams).toBe(1)
    await send({ authorization: "bearer wrong" }, payload(), fresh)
    expect(fresh.remoteSettings.maxConcurrentStreams).toBe(1)
    const raised = new Promise<number | undefined>((resolve) => {
      fresh.once("remoteSettings", (settings) => resolve(settings.maxConcurrentStreams))
    })
    expect((await send({}, payload(), fresh)).status).toBe(200)
    expect(await raised).toBe(1000)
    fresh.destroy()
  })

  it.each([
    ["no token", { authorization: undefined }, "403 MissingProviderToken"],
    ["a token that is no JWT", { authorization: "bearer abc" }, "403 InvalidProviderToken"],
    ["no topic", { "apns-topic": undefined }, "400 MissingTopic"],
    ["a malformed topic", { "apns-topic": "com example" }, "400 BadTopic"],
    ["the topic of another app", { "apns-topic": "com.example.other" }, "400 TopicDisallowed"],
    ["no push type", { "apns-push-type": undefined }, "400 InvalidPushType"],
    ["an unknown push type", { "apns-push-type": "loud" }, "400 InvalidPushType"],
    ["a priority of 7", { "apns-priority": "7" }, "400 BadPriority"],
    ["a background push at priority 10", { "apns-push-type": "background", "apns-priority": "10" }, "400 BadPriority"],
    ["a background push without priority", { "apns-push-type": "background" }, "400 BadPriority"],
    ["an expiration that is no number", { "apns-expiration": "soon" }, "400 BadExpirationDate"],
    ["an expiration in milliseconds", { "apns-expiration": String(Date.now()) }, "400 BadExpirationDate"],
    ["a collapse id of 65 bytes", { "apns-collapse-id": "c".repeat(65) }, "400 BadCollapseId"],
    ["an apns-id that is no UUID", { "apns-id": "1234" }, "400 BadMessageId"],
    ["no device token", { ":path": "/3/device/" }, "400 MissingDeviceToken"],
    ["a token that is not hexadecimal", { ":path": `/3/device/${"xy".repeat(32)}` }, "400 BadDeviceToken"],
    ["a token that is too short", { ":path": "/3/device/abcd" }, "400 BadDeviceToken"],
    ["a bad token", { ":path": `/3/device/${"0bad".repeat(16)}` }, "400 BadDeviceToken"],
    ["a token of the sandbox", { ":path": `/3/device/${"5a5a".repeat(16)}` }, "400 BadDeviceToken"],
    ["another path", { ":path": "/3/devices" }, "404 BadPath"],
    ["another method", { ":method": "PUT" }, "405 MethodNotAllowed"]
  ])("refuses %s", async (_, headers, expected) => {
    expect(await refused(send(headers))).toBe(expected)
    expect(apns.stats().accepted).toBe(0)
    expect(Object.values(apns.stats().refused)).toEqual([1])
  })

  it.each([
    ["an empty payload", "", "400 PayloadEmpty"],
    ["a payload that is no JSON", "{", "400 BadPayload"],
    ["a payload without aps", payload({ aps: undefined }), "400 BadPayload"],
    ["a payload without service_device_id", payload({ service_device_id: undefined }), "400 MissingServiceIds"],
    ["a payload of 4097 bytes", payload({ x: "x".repeat(4097 - payload({ x: "" }).length) }), "413 PayloadTooLarge"]
  ])("refuses %s", async (_, body, expected) => {
    expect(await refused(send({}, body))).toBe(expected)
    expect(apns.stats().malformed).toBe(expected.endsWith("Ids") ? 1 : 0)
  })

  it("accepts a payload of 4096 bytes and a collapse id of 64", async () => {
    const body = payload({ x: "x".repeat(4096 - payload({ x: "" }).length) })
    expect((await send({ "apns-collapse-id": "c".repeat(64) }, body)).status).toBe(200)
  })

  it("says since when an unregistered token is dead", async () => {
    const before = Date.now()
    const answer = await send({ ":path": `/3/device/${"dead".repeat(16)}` })
    expect(answer.status).toBe(410)
    const body = JSON.parse(answer.body) as { reason: string; timestamp: number }
    expect(body.reason).toBe("Unregistered")
    expect(body.timestamp).toBeGreaterThanOrEqual(before)
  })

  it.each([
    ["another key", () => jwt(ecKeys().privateKey, "ES256", { iss: TEAM, iat: now() }, { kid: KEY })],
    ["another key id", () => jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() }, { kid: "OTHER" })],
    ["another team", () => jwt(keys.privateKey, "ES256", { iss: "OTHER", iat: now() }, { kid: KEY })],
    ["another algorithm", () => jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() }, { kid: KEY, alg: "RS256" })],
    ["an issue time in the future", () => jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() + 600 }, { kid: KEY })],
    ["an issue time in milliseconds", () => jwt(keys.privateKey, "ES256", { iss: TEAM, iat: Date.now() }, { kid: KEY })]
  ])("refuses a provider token of %s", async (_, make) => {
    expect(await refused(send({ authorization: `bearer ${make()}` }))).toBe("403 InvalidProviderToken")
  })

  it("refuses a provider token older than an hour as expired", async () => {
    const old = jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() - 3700 }, { kid: KEY })
    expect(await refused(send({ authorization: `bearer ${old}` }))).toBe("403 ExpiredProviderToken")
  })

  it("refuses a sender that changes its token too often, and goes on taking the tokens it knows", async () => {
    const strict = await start({ ...options, tokenUpdates: 2 })
    const connection = await open(strict.url)
    const fresh = (age: number) => jwt(keys.privateKey, "ES256", { iss: TEAM, iat: now() - age }, { kid: KEY })
    const [first, second, third] = [fresh(1), fresh(2), fresh(3)]
    expect((await send({ authorization: `bearer ${first}` }, payload(), connection)).status).toBe(200)
    expect((await send({ authorization: `bearer ${second}` }, payload(), connection)).status).toBe(200)
    expect(await refused(send({ authorization: `bearer ${third}` }, payload(), connection))).toBe(
      "429 TooManyProviderTokenUpdates"
    )
    expect((await send({ authorization: `bearer ${first}` }, payload(), connection)).status).toBe(200)
    connection.destroy()
    await strict.close()
  })

  it("knows in the sandbox only the sandbox's tokens", async () => {
    const sandbox = await start({ ...options, environment: "sandbox" })
    const connection = await open(sandbox.url)
    expect(await refused(send({}, payload(), connection))).toBe("400 BadDeviceToken")
    const own = await send({ ":path": `/3/device/${"5a5a".repeat(16)}` }, payload(), connection)
    expect(own.status).toBe(200)
    connection.destroy()
    await sandbox.close()
  })

  it("is not trusted by a client that does not know its authority", async () => {
    const stranger = connect(apns.url)
    const code = await new Promise<string | undefined>((resolve) => {
      stranger.on("error", (error: NodeJS.ErrnoException) => resolve(error.code))
    })
    expect(code).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/)
  })
})

describe("the rules of the APNs simulator", () => {
  it("refuses and throttles as told, for the first requests only, and counts nothing as accepted", async () => {
    apns.control.set(
      { do: "refuse", status: 410, reason: "ExpiredToken", first: 1 },
      { do: "throttle", retryAfter: 7, first: 1 }
    )
    expect(await refused(send())).toBe("410 ExpiredToken")
    const throttled = await send()
    expect(throttled.status).toBe(429)
    expect(throttled.headers["retry-after"]).toBe("7")
    expect((await send()).status).toBe(200)
    expect(apns.stats()).toMatchObject({ accepted: 1, enacted: { refuse: 1, throttle: 1 } })
  })

  it("says since when a token is dead as it was told, so that a newer registration can be told apart", async () => {
    apns.control.set({ do: "refuse", status: 410, timestamp: 1_700_000_000_000 })
    const answer = await send()
    expect(JSON.parse(answer.body)).toEqual({ reason: "Unregistered", timestamp: 1_700_000_000_000 })
  })

  it("takes a message all the same when told so, and then fails or resets it", async () => {
    apns.control.set({ do: "refuse", status: 500, accept: true, first: 1 }, { do: "reset", accept: true, first: 1 })
    expect((await send()).status).toBe(500)
    expect(await endedWith(send())).toBe(7)
    expect(apns.stats().accepted).toBe(2)
  })

  it("keeps to the tokens it was given, by prefix too, and to each nth of them", async () => {
    apns.control.set({ do: "refuse", status: 500, match: ["abab*"], every: 2 })
    expect((await send()).status).toBe(200)
    expect((await send({ ":path": `/3/device/${"cd".repeat(32)}` })).status).toBe(200)
    expect((await send()).status).toBe(500)
  })

  it("resets a stream as refused and leaves the connection usable", async () => {
    apns.control.set({ do: "reset", first: 1 })
    expect(await endedWith(send())).toBe(7)
    expect((await send()).status).toBe(200)
    expect(apns.stats().accepted).toBe(1)
  })

  it("cuts the connection after accepting", async () => {
    const fresh = await open(apns.url)
    apns.control.set({ do: "close" })
    const closed = new Promise((resolve) => {
      fresh.once("close", resolve)
    })
    await endedWith(send({}, payload(), fresh))
    await closed
    expect(apns.stats().accepted).toBe(1)
  })

  it("announces its end with GOAWAY, processes what came before and nothing after", async () => {
    const fresh = await open(apns.url)
    expect((await send({}, payload(), fresh)).status).toBe(200)
    apns.control.set({ do: "goaway", first: 1 })
    const goaway = new Promise<{ code: number; last: number; reason: string }>((resolve) => {
      fresh.once("goaway", (code, last, data) => resolve({ code, last, reason: String(data) }))
    })
    const attempt = endedWith(send({}, payload(), fresh))
    expect(await goaway).toEqual({ code: 0, last: 1, reason: '{"reason":"Shutdown"}' })
    await attempt
    expect(apns.stats().accepted).toBe(1)
  })

  it("accepts and answers late", async () => {
    apns.control.set({ do: "delay", ms: 5 })
    expect((await send()).status).toBe(200)
    expect(apns.stats()).toMatchObject({ accepted: 1, enacted: { delay: 1 } })
  })

  it("hangs until the client gives up", async () => {
    apns.control.set({ do: "hang", first: 1 })
    const stream = session.request({
      ":method": "POST",
      ":path": `/3/device/${token}`,
      authorization: `bearer ${provider}`,
      "apns-topic": BUNDLE,
      "apns-push-type": "alert"
    })
    stream.on("error", () => {})
    stream.end(payload())
    // Streams of one connection are handled in order: when the second is answered, the first was passed over.
    expect((await send()).status).toBe(200)
    expect(stream.closed).toBe(false)
    stream.close()
    expect(apns.stats()).toMatchObject({ requests: 2, accepted: 1 })
  })

  it("does not let a rule hide a sender's mistake", async () => {
    apns.control.set({ do: "refuse", status: 503 })
    expect(await refused(send({ "apns-topic": undefined }))).toBe("400 MissingTopic")
  })
})
