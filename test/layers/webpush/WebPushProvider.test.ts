import { generateKeyPairSync } from "node:crypto"
import { createSecureServer, type ServerHttp2Stream } from "node:http2"
import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { layer } from "../../../layers/webpush/WebPushProvider.ts"
import { WebPushProvider } from "../../../services/ports/sending/Provider.ts"
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
    const begun: Array<number> = []
    const outcomes = await sender.send({
      message: message(),
      credential: owner(),
      targets: browsers(150),
      onBegun: (index) => void begun.push(index)
    })
    expect(tags(outcomes)).toEqual(["Ok"])
    expect(begun.toSorted((a, b) => a - b)).toEqual([...Array(150).keys()])
    expect(outcomes[0]).toMatchObject({ messageId: expect.stringContaining(`${service.url}/message/`) })
    expect(service.stats()).toMatchObject({ accepted: 150, duplicates: 0, refused: {} })
    expect(service.stats().decrypted).toBe(150)
    expect(service.stats().reusedSenderKeys).toBe(0)
  })

  it("begins nothing that it may not, by either protocol, and encrypts nothing of it", async () => {
    const nothing = await sender.send({
      message: message(),
      credential: owner(),
      targets: browsers(100),
      mayBegin: () => false
    })
    expect(nothing.map(({ _tag }) => _tag)).toEqual(Array.from({ length: 100 }, () => "Withheld"))
    expect(service.stats()).toMatchObject({ accepted: 0 })

    let requests = 0
    let begun = 0
    const old = createServer({ cert: certificates.cert, key: certificates.key }, (_request, response) => {
      requests++
      response.writeHead(201).end()
    })
    await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve))
    const url = `https://localhost:${(old.address() as AddressInfo).port}`
    const targets = browsers(40).map((one, i) => ({ ...one, address: `${url}/${i}` }))
    const some = await sender.send({
      message: message(),
      credential: owner(),
      targets,
      mayBegin: () => requests < 20,
      onBegun: () => void begun++
    })
    const sent = some.filter(({ _tag }) => _tag === "Ok").length
    expect([sent, begun]).toEqual([requests, requests])
    expect(sent).toBeLessThan(40)
    expect(some.filter(({ _tag }) => _tag === "Withheld").length).toBe(40 - sent)
    old.closeAllConnections()
    old.close()
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

  it("has those wait whom a whole service refuses, and holds nothing", async () => {
    const outcomes = await sender.send({ message: message(), credential: owner(vapid()), targets: browsers(10) })
    const waits = { _tag: "Slow", scope: "recipient", reason: "service_refuses_sender", afterMs: 900_000 }
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => waits))
  })

  it("says of each whom a service refuses what an operator may read, and leaves open what it means", async () => {
    const targets = browsers(10)
    const outcomes = await sender.ask({ message: message(), credential: owner(vapid()), targets })
    expect(outcomes.map((outcome) => outcome._tag === "Refused" && outcome.reason)).toEqual(
      Array.from({ length: 10 }, () => "Web Push 403")
    )
    // Nobody asked what becomes of them if the credential is not to blame: they are not left alone for it.
    expect(tags(await sender.send({ message: message(), credential: owner(), targets }))).toEqual(["Ok"])
    expect(sender.provider.serviceOf!(targets[0]!)).toBe(service.url)
  })

  it("delivers to all others of a service that refuses those who registered first, whoever made their subscriptions", async () => {
    const strangers = browsers(300)
    service.control.set({ do: "refuse", status: 403, reason: "mismatch", match: strangers.map(({ id }) => id) })
    const used = owner()
    const outcomes = await sender.send({
      message: message(),
      credential: used,
      targets: [...strangers, ...browsers(100)]
    })
    expect(tags(outcomes.slice(0, 300))).toEqual(["Fail"])
    expect(tags(outcomes.slice(300))).toEqual(["Ok"])
    // A batch of strangers alone, and then one of others.
    const more = browsers(20)
    service.control.set({ do: "refuse", status: 403, reason: "mismatch", match: more.map(({ id }) => id) })
    expect(tags(await sender.send({ message: message(), credential: used, targets: more }))).toEqual(["Slow"])
    expect(tags(await sender.send({ message: message(), credential: used, targets: browsers(20) }))).toEqual(["Ok"])
  })

  it.each([
    ["at once", 401, ["first", "last"]],
    ["after the others", 403, ["last", "first"]],
    ["among the others", 400, ["between"]]
  ] as const)(
    "goes on with a service, whose first message it is, beside strangers' services that refuse %s",
    async (_, status, places) => {
      // What they say stands nowhere: neither in outcomes, nor in what an operator reads.
      const words = "UnauthorizedRegistration <script>secret</script>"
      for (const place of places) {
        const used = owner()
        const refusals: Array<() => void> = []
        let isOpen = place === "first"
        const open = () => {
          isOpen = true
          for (const refuse of refusals.splice(0)) refuse()
        }
        const origins = await Promise.all(
          [false, false, true].map(async (isOld) => {
            const refuse = (answer: () => void) => (isOpen ? answer() : void refusals.push(answer))
            const options = { cert: certificates.cert, key: certificates.key }
            const server = isOld
              ? createServer(options, (_request, response) => refuse(() => response.writeHead(status).end(words)))
              : createSecureServer(options).on("stream", (stream: ServerHttp2Stream) =>
                  refuse(() => {
                    stream.respond({ ":status": status })
                    stream.end(words)
                  })
                )
            await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
            return { server, url: `https://localhost:${(server.address() as AddressInfo).port}` }
          })
        )
        const hostile = origins.flatMap(({ url }, n) =>
          browsers(6).map((one, i) => ({ ...one, address: `${url}/${n}${i}` }))
        )
        const healthy = browsers(10)
        const targets = place === "last" ? [...healthy, ...hostile] : [...hostile, ...healthy]
        const before = service.stats().accepted
        const sending = sender.send({ message: message(), credential: used, targets })
        if (place === "last") await expect.poll(() => service.stats().accepted, { timeout: 30_000 }).toBe(before + 10)
        if (place === "between") await expect.poll(() => refusals.length, { timeout: 30_000 }).toBe(18)
        open()
        const outcomes = await sending
        const isHostile = (index: number) => (place === "last" ? index >= 10 : index < 18)
        expect(tags(outcomes.filter((_, index) => isHostile(index)))).toEqual(["Slow"])
        expect(tags(outcomes.filter((_, index) => !isHostile(index)))).toEqual(["Ok"])
        expect(JSON.stringify(outcomes)).not.toContain("secret")
        for (const outcome of outcomes) expect(outcome).not.toMatchObject({ scope: "origin" })
        for (const { server } of origins) server.close()
      }
    }
  )

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

  it("asks a subscription that refused anew once the credential has changed", async () => {
    const suspect = browser(1)
    service.control.set({ do: "refuse", status: 403, reason: "mismatch", match: [suspect.id] })
    const before = await sender.send({ message: message(), credential: owner(), targets: [suspect] })
    expect(before).toEqual([{ _tag: "Fail", reason: "subscription_refused" }])
    service.control.set()
    const after = await sender.send({ message: message(), credential: owner(), targets: [suspect] })
    expect(tags(after)).toEqual(["Ok"])
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

  it("holds nobody up for long for a stranger's subscriptions whose own limits are reached", async () => {
    const used = owner()
    const send = (targets: ReadonlyArray<ReturnType<typeof browser>>) =>
      sender.send({ message: message(), credential: used, targets })
    const strangers = browsers(3, "stranger")
    service.control.set({ do: "throttle", retryAfter: 3600, match: strangers.map(({ id }) => id) })
    expect(tags(await send(strangers))).toEqual(["Slow"])
    const requests = service.stats().requests
    const held = await send([browser(5)])
    expect(service.stats().requests).toBe(requests)
    expect(held).toMatchObject([{ _tag: "Slow", reason: "throttled" }])
    expect(held.every((one) => one._tag === "Slow" && one.afterMs !== null && one.afterMs <= 30_000)).toBe(true)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 })
    try {
      expect(tags(await send(browsers(200)))).toEqual(["Ok"])
    } finally {
      vi.useRealTimers()
    }
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
      { _tag: "Suspend", reason: expect.stringContaining("VAPID") }
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
