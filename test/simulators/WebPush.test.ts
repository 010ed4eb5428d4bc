import { randomUUID } from "node:crypto"
import type { ClientHttp2Session } from "node:http2"
import { Agent, request as undici } from "undici"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import webpush from "web-push"
import { start, type RunningWebPush } from "../../simulators/WebPush.ts"
import { ecKeyOf, vapidToken } from "./Vapid.ts"
import { certificates, endedWith, open, request, type Answer } from "./Client.ts"

const vapid = webpush.generateVAPIDKeys()
const agent = new Agent({ connect: { ca: certificates.ca } })

let push: RunningWebPush
let session: ClientHttp2Session

const payload = (extra: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({ service_notification_id: randomUUID(), service_device_id: randomUUID(), title: "Hello", ...extra })

interface Details {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A request as the package web-push makes it. */
const details = (
  index: number,
  body: string = payload(),
  prefix = "s",
  keys = vapid,
  subject = "mailto:ops@example.com"
): Details => {
  const { auth, endpoint, p256dh } = push.subscription(index, prefix)
  const made = webpush.generateRequestDetails({ endpoint, keys: { auth, p256dh } }, body, {
    TTL: 60,
    contentEncoding: "aes128gcm",
    vapidDetails: { subject, publicKey: keys.publicKey, privateKey: keys.privateKey }
  })
  const headers = Object.fromEntries(
    Object.entries(made.headers as Record<string, string | number>)
      .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
      .filter(([name]) => name !== "content-length")
  )
  return { path: new URL(endpoint).pathname, headers, body: made.body as unknown as Buffer }
}

const send = (made: Details, over: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> => {
  const headers = Object.entries({ ":path": made.path, ...made.headers, ...over })
  const given = headers.filter((entry): entry is [string, string] => entry[1] !== undefined)
  return request(session, Object.fromEntries(given), made.body)
}

const refused = async (answer: Promise<Answer>): Promise<string> => {
  const { body, status } = await answer
  return `${status} ${(JSON.parse(body) as { error: string }).error}`
}

beforeAll(async () => {
  push = await start({
    certificates,
    seed: "a seed",
    applicationServerKey: vapid.publicKey,
    gone: "gone"
  })
  session = await open(push.url)
})
beforeEach(() => {
  push.control.set()
  push.reset()
})
afterAll(async () => {
  session.destroy()
  await agent.close()
  await push.close()
})

describe("the push service simulator", () => {
  it("decrypts a message of web-push and counts it by the ids inside", async () => {
    const notification = randomUUID()
    const device = randomUUID()
    const body = payload({ service_notification_id: notification, service_device_id: device })
    const answer = await send(details(7, body), { urgency: "high", topic: "news-1" })
    expect(answer.status).toBe(201)
    expect(answer.headers.location).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/message\/./)
    expect(push.received()).toEqual(new Map([[`${notification}:${device}`, 1]]))
  })

  it("serves HTTP/1.1 too", async () => {
    const made = details(1)
    const answer = await undici(`${push.url}${made.path}`, {
      method: "POST",
      headers: made.headers,
      body: made.body,
      dispatcher: agent
    })
    await answer.body.dump()
    expect(answer.statusCode).toBe(201)
    expect(push.stats().accepted).toBe(1)
  })

  it("gives each of ten thousand subscriptions an endpoint and a secret of its own, the same each time", () => {
    const all = Array.from({ length: 10_000 }, (_, index) => push.subscription(index))
    expect(new Set(all.map(({ endpoint }) => endpoint)).size).toBe(10_000)
    expect(new Set(all.map(({ auth }) => auth)).size).toBe(10_000)
    expect(push.subscription(123)).toEqual(all[123])
    expect(all.every(({ auth, p256dh }) => auth.length === 22 && p256dh.length === 87)).toBe(true)
  })

  it.each([
    ["no TTL", { ttl: undefined }, "400 TTL is missing or not a number of seconds"],
    ["a TTL that is no number", { ttl: "1m" }, "400 TTL is missing or not a number of seconds"],
    ["another encoding", { "content-encoding": "aesgcm" }, "400 Content-Encoding is not aes128gcm"],
    ["a topic of 33 characters", { topic: "t".repeat(33) }, "400 Topic is not 1 to 32 characters of base64url"],
    ["a topic beyond base64url", { topic: "a.b" }, "400 Topic is not 1 to 32 characters of base64url"],
    ["an unknown urgency", { urgency: "urgent" }, "400 Urgency is unknown"],
    ["no authorization", { authorization: undefined }, "401 missing VAPID authorization"],
    ["another scheme", { authorization: "WebPush abc" }, "401 authorization is not of the scheme vapid"],
    ["an unknown subscription", { ":path": "/push/s.1.aaaaaaaaaaaaaaaaaaaaaa" }, "404 no such subscription"],
    ["another path", { ":path": "/pushes" }, "404 no such resource"],
    ["another method", { ":method": "PUT" }, "405 method is not POST"]
  ])("refuses %s", async (_, headers, expected) => {
    expect(await refused(send(details(1), headers))).toBe(expected)
    expect(push.stats().accepted).toBe(0)
  })

  it("refuses the key of another application server", async () => {
    const made = details(1, payload(), "s", webpush.generateVAPIDKeys())
    expect(await refused(send(made))).toBe("403 VAPID k is not the key of the subscription")
  })

  it("refuses a VAPID signature by another key", async () => {
    const foreign = details(1, payload(), "s", webpush.generateVAPIDKeys())
    const authorization = foreign.headers["authorization"]!.replace(/k=.*$/, `k=${vapid.publicKey}`)
    expect(await refused(send(details(1), { authorization }))).toBe("403 VAPID signature is wrong")
  })

  it.each([
    ["of another origin", "https://push.example.com", undefined, "403 VAPID aud is not this origin"],
    ["that lasts for more than a day", undefined, 90_000, "403 VAPID exp is more than 24 hours away"],
    ["that has expired", undefined, -10, "403 VAPID token has expired"]
  ])("refuses a VAPID token %s", async (_, audience, lifetime, expected) => {
    const token = vapidToken(ecKeyOf(vapid), {
      aud: audience ?? push.url,
      exp: Math.floor(Date.now() / 1000) + (lifetime ?? 3600),
      sub: "mailto:ops@example.com"
    })
    expect(await refused(send(details(1), { authorization: `vapid t=${token}, k=${vapid.publicKey}` }))).toBe(expected)
  })

  it("refuses a VAPID token without a contact", async () => {
    const token = vapidToken(ecKeyOf(vapid), { aud: push.url, exp: Math.floor(Date.now() / 1000) + 60, sub: "ops" })
    expect(await refused(send(details(1), { authorization: `vapid t=${token}, k=${vapid.publicKey}` }))).toBe(
      "403 VAPID sub is no mailto: or https: address"
    )
  })

  it("refuses a body encrypted for another subscription", async () => {
    expect(await refused(send(details(1), { ":path": details(2).path }))).toBe("400 body cannot be decrypted")
  })

  it("refuses a body that was tampered with, is no message, or is too large", async () => {
    const made = details(1)
    const tampered = Buffer.from(made.body)
    tampered[tampered.length - 1]! ^= 1
    expect(await refused(send({ ...made, body: tampered }))).toBe("400 body cannot be decrypted")
    expect(await refused(send({ ...made, body: Buffer.from("plain text") }))).toBe(
      "400 body is not a message of RFC 8291"
    )
    expect(await refused(send({ ...made, body: Buffer.alloc(4097, made.body) }))).toBe(
      "413 body is larger than 4096 bytes"
    )
  })

  it("accepts 3,993 bytes of plaintext and refuses one more", async () => {
    const sized = (bytes: number) => payload({ x: "x".repeat(bytes - payload({ x: "" }).length) })
    expect((await send(details(1, sized(3993)))).status).toBe(201)
    expect((await send(details(1, sized(3994)))).status).toBe(413)
  })

  it("takes the same bytes again as a retry, and refuses another text under the same salt and key", async () => {
    const made = details(1)
    expect((await send(made)).status).toBe(201)
    expect((await send(made)).status).toBe(201)
    expect(push.stats().duplicates).toBe(1)
    const other = Buffer.from(made.body)
    other[other.length - 1]! ^= 1
    expect(await refused(send({ ...made, body: other }))).toBe("400 salt and sender key were used before")
    expect(push.stats().reusedSenderKeys).toBe(0)
  })

  it("counts messages whose sender key served an earlier one", async () => {
    const made = details(1)
    const other = Buffer.from(made.body)
    other[0]! ^= 1
    await send(made)
    // Its salt differs, so it does not decrypt, but the key is recognised.
    expect((await send({ ...made, body: other })).status).toBe(400)
    expect(push.stats().reusedSenderKeys).toBe(1)
  })

  it("refuses a plaintext without the service's ids", async () => {
    expect(await refused(send(details(1, payload({ service_device_id: "7" }))))).toBe(
      "400 service_notification_id or service_device_id is missing"
    )
    expect(push.stats().malformed).toBe(1)
  })

  it("answers 410 for subscriptions that are gone", async () => {
    expect(await refused(send(details(1, payload(), "gone")))).toBe("410 subscription is gone")
  })

  it("decrypts each nth message only, when told so", async () => {
    const sampled = await start({ certificates, seed: "a seed", decrypt: 2 })
    const connection = await open(sampled.url)
    for (let index = 0; index < 4; index++) {
      const { auth, endpoint, p256dh } = sampled.subscription(index)
      const made = webpush.generateRequestDetails({ endpoint, keys: { auth, p256dh } }, payload(), {
        TTL: 0,
        contentEncoding: "aes128gcm",
        vapidDetails: { subject: "https://example.com", ...vapid }
      })
      const { Authorization, ...rest } = made.headers as Record<string, string>
      const answer = await request(
        connection,
        {
          ":path": new URL(endpoint).pathname,
          authorization: Authorization!,
          ttl: "0",
          "content-encoding": rest["Content-Encoding"]!
        },
        made.body as unknown as Buffer
      )
      expect(answer.status).toBe(201)
    }
    expect(sampled.stats().decrypted).toBe(2)
    expect(sampled.stats().accepted).toBe(4)
    connection.destroy()
    await sampled.close()
  })

  it("throttles, resets and answers by rule for certain subscriptions", async () => {
    const made = details(5)
    const id = made.path.slice("/push/".length)
    push.control.set({ do: "throttle", retryAfter: 3, match: [id], first: 1 }, { do: "reset", match: [id], first: 1 })
    const throttled = await send(made)
    expect([throttled.status, throttled.headers["retry-after"]]).toEqual([429, "3"])
    expect(await endedWith(send(details(5)))).toBe(7)
    expect((await send(details(6))).status).toBe(201)
  })
})
