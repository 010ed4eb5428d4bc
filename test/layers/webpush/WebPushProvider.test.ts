import { generateKeyPairSync } from "node:crypto"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { layer } from "../../../layers/webpush/WebPushProvider.ts"
import { WebPushProvider } from "../../../services/ports/Provider.ts"
import * as WebPush from "../../../simulators/WebPush.ts"
import { certificates, credential, message, startSender, target, type Sender } from "../Sending.ts"

const vapid = () => {
  const { d, x, y } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
  return { public_key: point.toString("base64url"), private_key: d! }
}
const keys = vapid()

let sender: Sender
let service: WebPush.RunningWebPush

beforeAll(async () => {
  sender = await startSender(WebPushProvider, layer)
  service = await WebPush.start({ certificates, seed: "seed", applicationServerKey: keys.public_key, gone: "gone" })
})
afterAll(async () => {
  await sender.close()
  await service.close()
})
afterEach(() => {
  service.control.set()
  service.reset()
})

const owner = (pair: { public_key: string; private_key: string } = keys) =>
  credential({ kind: "webpush", value: { subject: "mailto:push@example.org", ...pair } })

const browser = (n: number, prefix?: string, from = service) => {
  const { endpoint, p256dh, auth } = from.subscription(n, prefix)
  return target(endpoint, { p256dh, auth })
}
const browsers = (count: number, prefix?: string) => Array.from({ length: count }, (_, n) => browser(n, prefix))
const tags = (outcomes: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(outcomes.map(({ _tag }) => _tag))]

describe("WebPushProvider", () => {
  it("delivers a batch once to each browser, each message encrypted with a key pair of its own", async () => {
    const outcomes = await sender.send({ message: message(), credential: owner(), targets: browsers(150) })
    expect(tags(outcomes)).toEqual(["Ok"])
    expect(outcomes[0]).toMatchObject({ messageId: expect.stringContaining(`${service.url}/message/`) })
    expect(service.stats()).toMatchObject({ accepted: 150, duplicates: 0, refused: {} })
    expect(service.stats().decrypted).toBe(150)
    expect(service.stats().reusedSenderKeys).toBe(0)
  })

  it("delivers what threads of its own encrypted", async () => {
    const threaded = await startSender(WebPushProvider, layer, { WEBPUSH_THREADS: "2" })
    const targets = [...browsers(200), { ...browser(200), p256dh: "B".repeat(87) }]
    const outcomes = await threaded.send({ message: message(), credential: owner(), targets })
    expect(outcomes.slice(0, 200).map(({ _tag }) => _tag)).toEqual(Array.from({ length: 200 }, () => "Ok"))
    expect(outcomes[200]).toMatchObject({ _tag: "Drop", reason: "invalid_keys" })
    expect(service.stats()).toMatchObject({ decrypted: 200, duplicates: 0, reusedSenderKeys: 0, refused: {} })
    await threaded.close()
  })

  it("writes TTL, urgency and a topic that fits, whatever the collapse key", async () => {
    for (const sent of [
      message({ collapseKey: "short" }),
      message({ collapseKey: "news/of+the:day!".repeat(4) }),
      message({ nowOrNever: true, expiresAt: Date.now(), priority: "bulk" })
    ]) {
      expect(tags(await sender.send({ message: sent, credential: owner(), targets: browsers(1) }))).toEqual(["Ok"])
    }
    expect(service.stats().refused).toEqual({})
  })

  it("sends exactly as much as fits one record, and fails one byte more without a request", async () => {
    const empty = JSON.stringify({ body: "", service_notification_id: "", service_device_id: "" }).length + 72
    const body = "x".repeat(3993 - empty)
    expect(
      tags(await sender.send({ message: message({ content: { body } }), credential: owner(), targets: browsers(1) }))
    ).toEqual(["Ok"])
    const requests = service.stats().requests
    const larger = message({ content: { body: `${body}x` } })
    expect(await sender.send({ message: larger, credential: owner(), targets: browsers(1) })).toEqual([
      { _tag: "Fail", reason: "payload_too_large" }
    ])
    expect(service.stats().requests).toBe(requests)
  })

  it("drops what is gone unless the browser has subscribed again since it was sent", async () => {
    const before = Date.now()
    const [outcome] = await sender.send({ message: message(), credential: owner(), targets: browsers(1, "gone") })
    expect(outcome).toMatchObject({ _tag: "Drop", reason: "gone" })
    expect((outcome as { seenBefore: number }).seenBefore).toBeGreaterThanOrEqual(before)
  })

  it("drops a subscription whose keys cannot be used", async () => {
    const targets = [{ ...browser(0), p256dh: "AAAA" }, { ...browser(1), auth: null }, browser(2)]
    expect(await sender.send({ message: message(), credential: owner(), targets })).toMatchObject([
      { _tag: "Drop", reason: "invalid_keys" },
      { _tag: "Drop", reason: "invalid_keys" },
      { _tag: "Ok" }
    ])
  })

  it("holds the credential when a whole service refuses it and none has taken it", async () => {
    const outcomes = await sender.send({ message: message(), credential: owner(vapid()), targets: browsers(10) })
    expect(tags(outcomes)).toEqual(["Hold"])
    expect(outcomes[0]).toMatchObject({ reason: expect.stringContaining(service.url) })
  })

  it("fails a single subscription that refuses, and leaves it alone for a while", async () => {
    const used = owner()
    const suspect = browser(1)
    service.control.set({ do: "refuse", status: 403, reason: "mismatch", match: [suspect.id] })
    const targets = [browser(0), suspect, browser(2)]
    expect(await sender.send({ message: message(), credential: used, targets })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Fail", reason: "subscription_refused" },
      { _tag: "Ok" }
    ])
    const requests = service.stats().requests
    const again = await sender.send({ message: message(), credential: used, targets: [suspect] })
    expect(again).toEqual([{ _tag: "Fail", reason: "subscription_refused" }])
    expect(service.stats().requests).toBe(requests)
    const renewed = { ...suspect, seenAt: Date.now() + 1000 }
    service.control.set()
    expect(tags(await sender.send({ message: message(), credential: used, targets: [renewed] }))).toEqual(["Ok"])
  })

  it("leaves a throttling service alone for as long as it asks, and other services at work", async () => {
    const used = owner()
    const other = await WebPush.start({ certificates, seed: "other" })
    service.control.set({ do: "throttle", retryAfter: 30 })
    const targets = [...browsers(4), browser(0, undefined, other)]
    const outcomes = await sender.send({ message: message(), credential: used, targets })
    expect(outcomes.slice(0, 4)).toEqual(
      outcomes.slice(0, 4).map(() => ({ _tag: "Slow", scope: "recipient", reason: "throttled", afterMs: 30_000 }))
    )
    expect(outcomes[4]).toMatchObject({ _tag: "Ok" })
    const requests = service.stats().requests
    const [later] = await sender.send({ message: message(), credential: used, targets: [browser(9)] })
    expect(later).toMatchObject({ _tag: "Slow", scope: "recipient" })
    expect(service.stats().requests).toBe(requests)
    await other.close()
  })

  it("never drops a subscription for an outage or a lost connection", async () => {
    service.control.set({ do: "refuse", status: 500, first: 1 })
    expect(await sender.send({ message: message(), credential: owner(), targets: browsers(1) })).toEqual([
      { _tag: "Retry", reason: "status_500", afterMs: null }
    ])
    service.control.set({ do: "close", first: 1 })
    expect(await sender.send({ message: message(), credential: owner(), targets: browsers(1) })).toMatchObject([
      { _tag: "Retry", reason: "connection_closed" }
    ])
  })

  it("refuses endpoints that are not public or not https, and follows no redirect", async () => {
    const { p256dh, auth } = service.subscription(0)
    service.control.set({ do: "refuse", status: 307 })
    const targets = [
      target("https://10.0.0.1/push/1", { p256dh, auth }),
      target("http://127.0.0.1/push/1", { p256dh, auth }),
      target("https://user@127.0.0.1/push/1", { p256dh, auth }),
      browser(0)
    ]
    expect(await sender.send({ message: message(), credential: owner(), targets })).toEqual([
      { _tag: "Fail", reason: "endpoint_refused" },
      { _tag: "Fail", reason: "endpoint_refused" },
      { _tag: "Fail", reason: "endpoint_refused" },
      { _tag: "Fail", reason: "redirect_refused" }
    ])
  })

  it("holds the credential when its VAPID keys are unusable", async () => {
    const broken = owner({ public_key: "B".repeat(87), private_key: "A".repeat(43) })
    expect(await sender.send({ message: message(), credential: broken, targets: browsers(1) })).toMatchObject([
      { _tag: "Hold", reason: expect.stringContaining("VAPID") }
    ])
  })

  it("abandons what is under way when it is interrupted, and serves the next batch", async () => {
    const used = owner()
    const targets = browsers(3)
    service.control.set({ do: "hang", match: [targets[0]!.id, targets[1]!.id] })
    const outcomes = await sender.sendUntilFirst({ message: message(), credential: used, targets })
    expect(Object.keys(outcomes)).toEqual(["2"])
    expect(tags(await sender.send({ message: message(), credential: used, targets: browsers(3) }))).toEqual(["Ok"])
  })

  describe("with a service that speaks only HTTP/1.1", () => {
    let server: Server
    let origin: string
    let alpn: Array<string | false | null>
    let bodies = 0

    beforeAll(async () => {
      alpn = []
      server = createServer({ cert: certificates.cert, key: certificates.key, ALPNProtocols: ["http/1.1"] })
      server.on("request", (request, response) => {
        alpn.push((request.socket as { alpnProtocol?: string | false | null }).alpnProtocol ?? null)
        request.on("data", () => {})
        request.on("end", () => {
          bodies++
          const valid = request.headers["content-encoding"] === "aes128gcm" && request.headers["ttl"] !== undefined
          response.writeHead(valid ? (request.url === "/gone" ? 410 : 201) : 400, { location: "/message/1" }).end()
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    afterAll(() => {
      server.closeAllConnections()
      server.close()
    })

    it("falls back to it, and asks it first from then on", async () => {
      const { p256dh, auth } = service.subscription(0)
      const targets = ["/a", "/b", "/gone"].map((path) => target(origin + path, { p256dh, auth }))
      const used = owner()
      for (let round = 1; round <= 2; round++) {
        expect(await sender.send({ message: message(), credential: used, targets })).toMatchObject([
          { _tag: "Ok", messageId: "/message/1" },
          { _tag: "Ok" },
          { _tag: "Drop", reason: "gone" }
        ])
        expect(bodies).toBe(3 * round)
      }
      expect(new Set(alpn)).toEqual(new Set(["http/1.1"]))
    })
  })
})
