import { generateKeyPairSync } from "node:crypto"
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import * as FcmLayer from "../../layers/fcm/FcmProvider.ts"
import * as WebPushLayer from "../../layers/webpush/WebPushProvider.ts"
import { FcmProvider, WebPushProvider } from "../../services/ports/sending/Provider.ts"
import * as Fcm from "../../simulators/Fcm.ts"
import * as WebPush from "../../simulators/WebPush.ts"
import { certificates, credential, message, startSender, target } from "./Sending.ts"

/** More than there are connections of a pool, so that some wait for others' answers. */
const DEVICES = 20
/** ms. Both providers count in seconds. */
const ANSWERS_AFTER = 1100

/** A provider that takes one request at a time on a connection; what it was sent, in order. */
const narrow = async (status: number, headers: Record<string, string>, body: string) => {
  const taken: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
  const server = createSecureServer({ ...certificates, settings: { maxConcurrentStreams: 1 } })
  server.on("stream", (stream: ServerHttp2Stream, headersIn) => {
    let text = ""
    stream.setEncoding("latin1")
    stream.on("data", (chunk: string) => (text += chunk))
    stream.on("end", () => {
      taken.push({ headers: headersIn, body: text })
      setTimeout(() => {
        stream.respond({ ":status": status, ...headers })
        stream.end(body)
      }, ANSWERS_AFTER)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, taken }
}

/** Nothing of a message's life is left when it has waited for as long. */
const expectShorter = (seconds: ReadonlyArray<number>) => {
  expect(seconds).toHaveLength(DEVICES)
  expect(seconds[0]).toBeLessThanOrEqual(60)
  expect(seconds.at(-1)).toBeLessThan(seconds[0]!)
}

it("What waits for a stream of FCM is given less time to live, in a batch of one message and of many.", async () => {
  const sender = await startSender(FcmProvider, FcmLayer.layer)
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const account = { project_id: "p", client_email: "s@p.iam.gserviceaccount.com" }
  const fcm = await Fcm.start({
    certificates,
    projectId: account.project_id,
    clientEmail: account.client_email,
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString()
  })
  onTestFinished(async () => {
    await sender.close()
    await fcm.close()
  })
  const private_key = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  const targets = Array.from({ length: DEVICES }, (_, n) => target(`token${n}:${"x".repeat(120)}`))
  const one = message({ expiresAt: Date.now() + 60_000 })
  for (const each of [undefined, targets.map(() => one)]) {
    const { taken, url } = await narrow(200, {}, JSON.stringify({ name: "projects/p/messages/1" }))
    const outcomes = await sender.send({
      message: one,
      ...(each !== undefined && { each }),
      credential: credential({
        kind: "fcm",
        value: { service_account: { ...account, private_key, token_uri: fcm.tokenUri }, endpoint: url }
      }),
      targets
    })
    expect(new Set(outcomes.map(({ _tag }) => _tag))).toEqual(new Set(["Ok"]))
    expectShorter(
      taken.map(({ body }) => {
        const said = JSON.parse(body) as { message: { android: { ttl: string } } }
        return Number(said.message.android.ttl.slice(0, -1))
      })
    )
  }
})

it("What waits for a stream of a push service is given less time to live.", async () => {
  const sender = await startSender(WebPushProvider, WebPushLayer.layer)
  const service = await WebPush.start({ certificates, seed: "seed" })
  onTestFinished(async () => {
    await sender.close()
    await service.close()
  })
  const { d, x, y } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
  const { taken, url } = await narrow(201, { location: "https://localhost/message/1" }, "")
  const outcomes = await sender.send({
    message: message({ expiresAt: Date.now() + 60_000 }),
    credential: credential({
      kind: "webpush",
      value: { subject: "mailto:push@example.org", public_key: point.toString("base64url"), private_key: d! }
    }),
    targets: Array.from({ length: DEVICES }, (_, n) => {
      const { auth, p256dh } = service.subscription(n)
      return target(`${url}/${n}`, { auth, p256dh })
    })
  })
  expect(new Set(outcomes.map(({ _tag }) => _tag))).toEqual(new Set(["Ok"]))
  expectShorter(taken.map(({ headers }) => Number(headers["ttl"])))
})
