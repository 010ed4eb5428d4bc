import { generateKeyPairSync } from "node:crypto"
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { tokenOf } from "../../../layers/fcm/AccessToken.ts"
import { layer } from "../../../layers/fcm/FcmProvider.ts"
import { FcmProvider } from "../../../services/ports/sending/Provider.ts"
import { ENDLESS, pour, POURED } from "../../Sockets.ts"
import * as Fcm from "../../../simulators/Fcm.ts"
import { certificates, credential, message, startSender, target, type Sender } from "../Sending.ts"

const pair = generateKeyPairSync("rsa", { modulusLength: 2048 })
const pkcs8 = { type: "pkcs8", format: "pem" } as const
const privateKey = pair.privateKey.export(pkcs8).toString()
const PROJECT = "demo-project"
const EMAIL = "sender@demo-project.iam.gserviceaccount.com"

let sender: Sender
let fcm: Fcm.RunningFcm

beforeAll(async () => {
  sender = await startSender(FcmProvider, layer)
  fcm = await Fcm.start({
    certificates,
    projectId: PROJECT,
    clientEmail: EMAIL,
    publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString(),
    tokens: { unregistered: "gone", invalid: "wrong", mismatch: "other" }
  })
})
afterAll(async () => {
  await sender.close()
  await fcm.close()
})
afterEach(() => {
  fcm.control.set()
  fcm.reset()
  for (const server of tokenServers.splice(0)) server.close()
})

const account = (changes: object = {}) =>
  credential({
    kind: "fcm",
    value: {
      service_account: {
        project_id: PROJECT,
        client_email: EMAIL,
        private_key: privateKey,
        token_uri: fcm.tokenUri,
        ...changes
      },
      endpoint: fcm.url
    }
  })

/** What comes of a message with the token of a server that says this before the chunk with the token. */
const outcomesBy = async (said: string, token = JSON.stringify({ access_token: "token", expires_in: 3600 })) => {
  const { key, cert } = certificates
  const server = createServer({ key, cert, ALPNProtocols: ["http/1.1"] }, (socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end(`${said}${Buffer.byteLength(token).toString(16)}\r\n${token}\r\n0\r\n\r\n`))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const outcomes = await sender.send({
    message: message(),
    credential: account({ token_uri: `https://127.0.0.1:${port}/token` }),
    targets: devices(1)
  })
  server.close()
  return outcomes
}

const tokenServers: Array<HttpsServer> = []
/** A token endpoint that answers as it likes. Answers its address. */
const tokenServer = async (
  answer: () => { readonly status: number; readonly location?: string; readonly body: object }
): Promise<string> => {
  const server = createHttpsServer({ key: certificates.key, cert: certificates.cert }, (_request, response) => {
    const { body, location, status } = answer()
    response.writeHead(status, { connection: "close", ...(location !== undefined && { location }) })
    response.end(JSON.stringify(body))
  })
  tokenServers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

const token = (n: number, prefix = "live") => `${prefix}Instance${n}:${"x".repeat(120)}${n}`
const devices = (count: number, prefix?: string) => Array.from({ length: count }, (_, n) => target(token(n, prefix)))
const tags = (outcomes: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(outcomes.map(({ _tag }) => _tag))]

describe("FcmProvider", () => {
  it("delivers concurrent batches once to each device with one access token", async () => {
    const issued = fcm.stats().tokensIssued
    const owner = account()
    const begun = Array.from({ length: 4 }, () => new Set<number>())
    const batches = begun.map((indexes) => ({
      message: message(),
      credential: owner,
      targets: devices(100),
      onBegun: (index: number) => void indexes.add(index)
    }))
    const outcomes = await Promise.all(batches.map((batch) => sender.send(batch)))
    expect(tags(outcomes.flat())).toEqual(["Ok"])
    expect(begun.map(({ size }) => size)).toEqual([100, 100, 100, 100])
    expect(outcomes[0]![0]).toMatchObject({ messageId: expect.stringMatching(/^projects\/demo-project\/messages\//) })
    expect(fcm.stats()).toMatchObject({ accepted: 400, duplicates: 0, refused: {} })
    expect(fcm.stats().tokensIssued).toBe(issued + 1)
  })

  it("sends messages of their own in one call, and those not that are too old or too large", async () => {
    const each = [
      message({ content: { title: "One" }, priority: "high" }),
      message({ expiresAt: Date.now() - 1 }),
      message({ content: { body: "x".repeat(5000) } }),
      message({ content: { data: { two: 2 } }, collapseKey: "two" })
    ]
    const targets = devices(4)
    expect(await sender.send({ message: each[0]!, each, credential: account(), targets })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Fail", reason: "expired" },
      { _tag: "Fail", reason: "payload_too_large" },
      { _tag: "Ok" }
    ])
    expect(new Set(fcm.received().keys())).toEqual(
      new Set([0, 3].map((i) => `${each[i]!.notificationId}:${targets[i]!.id}`))
    )
  })

  it("drops the tokens of messages of their own that it refuses, whatever becomes of the others", async () => {
    const targets = [...Array.from({ length: 12 }, (_, n) => target(`wrong-${n}`)), ...devices(1)]
    const each = targets.map(() => message())
    const outcomes = await sender.send({ message: each[0]!, each, credential: account(), targets })
    expect(outcomes.map((outcome) => outcome._tag)).toEqual([...Array.from({ length: 12 }, () => "Drop"), "Ok"])
  })

  it("sends content, overrides and data of every type in a form that FCM takes", async () => {
    const sent = message({
      priority: "bulk",
      collapseKey: "news",
      content: {
        title: "A",
        body: "B",
        url: "https://example.org/a",
        image: "https://example.org/a.png",
        data: { count: 3, nested: { a: [1] }, flag: true }
      },
      overrides: { fcm: { android: { notification: { channel_id: "news" } }, token: "elsewhere", topic: "all" } }
    })
    expect(tags(await sender.send({ message: sent, credential: account(), targets: devices(3) }))).toEqual(["Ok"])
    expect(fcm.stats()).toMatchObject({ accepted: 3, refused: {} })
  })

  it("drops tokens that FCM calls unregistered, invalid or another project's, among others that it accepts", async () => {
    const targets = [...devices(2), ...devices(1, "gone"), ...devices(1, "wrong"), ...devices(1, "other")]
    expect(await sender.send({ message: message(), credential: account(), targets })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Ok" },
      { _tag: "Drop", reason: "unregistered", seenBefore: null },
      { _tag: "Drop", reason: "invalid_token", seenBefore: null },
      { _tag: "Drop", reason: "sender_id_mismatch", seenBefore: null }
    ])
  })

  it("has those wait, drops nobody and holds nothing, when every token is another project's", async () => {
    const used = account()
    const outcomes = await sender.send({ message: message(), credential: used, targets: devices(20, "other") })
    const waits = { _tag: "Slow", scope: "recipient", reason: "sender_id_mismatch", afterMs: 900_000 }
    expect(outcomes).toEqual(Array.from({ length: 20 }, () => waits))
    // A stranger registered hundreds of another project's before anybody else came.
    const mixed = [...devices(300, "other"), ...devices(20)]
    const after = await sender.send({ message: message(), credential: used, targets: mixed })
    expect(tags(after.slice(0, 300))).toEqual(["Drop"])
    expect(tags(after.slice(300))).toEqual(["Ok"])
  })

  it("leaves open whether the account or the tokens are another project's, and blames it when many are in a row", async () => {
    const used = account()
    const enough = async (count: number) => {
      const outcomes = await sender.ask({ message: message(), credential: used, targets: devices(count, "other") })
      const reason = "FCM 403 SENDER_ID_MISMATCH"
      expect(outcomes).toMatchObject(Array.from({ length: count }, () => ({ _tag: "Refused", reason })))
      return outcomes.map((outcome) => outcome._tag === "Refused" && outcome.isEnough!())
    }
    expect(new Set(await enough(9))).toEqual(new Set([false]))
    expect(await enough(1)).toEqual([true])
    expect(tags(await sender.send({ message: message(), credential: used, targets: devices(1) }))).toEqual(["Ok"])
    expect(await enough(1)).toEqual([false])
  })

  it("leaves open whether the project's keys or the tokens are why FCM cannot sign in behind it", async () => {
    fcm.control.set({ do: "refuse", status: 401, reason: "THIRD_PARTY_AUTH_ERROR" })
    const targets = devices(3)
    expect(await sender.ask({ message: message(), credential: account(), targets })).toMatchObject(
      targets.map(() => ({ _tag: "Refused", reason: "FCM 401 THIRD_PARTY_AUTH_ERROR" }))
    )
  })

  it("blames the payload, and drops nobody, when FCM calls every token of a batch invalid", async () => {
    const outcomes = await sender.send({ message: message(), credential: account(), targets: devices(20, "wrong") })
    expect(tags(outcomes)).toEqual(["Fail"])
  })

  it("renews an access token that FCM no longer accepts, once for all", async () => {
    const owner = account()
    await sender.send({ message: message(), credential: owner, targets: devices(1) })
    const issued = fcm.stats().tokensIssued
    fcm.revokeTokens()
    const batches = Array.from({ length: 3 }, () => ({ message: message(), credential: owner, targets: devices(20) }))
    const outcomes = await Promise.all(batches.map((batch) => sender.send(batch)))
    expect(tags(outcomes.flat())).toEqual(["Ok"])
    expect(fcm.stats().tokensIssued).toBe(issued + 1)
    expect(fcm.stats().duplicates).toBe(0)
  })

  it("holds the credential when a fresh access token is not accepted either", async () => {
    fcm.control.set({ do: "refuse", status: 401, reason: "UNAUTHENTICATED" })
    const [outcome] = await sender.send({ message: message(), credential: account(), targets: devices(1) })
    expect(outcome).toMatchObject({ _tag: "Suspend", reason: expect.stringContaining("access token") })
  })

  it("holds the credential when Google refuses the account, its key is unreadable, or its project is foreign", async () => {
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8).toString()
    const cases = [
      [{ private_key: stranger }, /invalid_grant: Invalid JWT Signature/],
      [{ client_email: "nobody@example.org" }, /account not found/],
      [{ private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }, /private key/],
      [{ project_id: "another" }, /denies the service account/],
      [
        { token_uri: "https://10.0.0.1/token" },
        /token_uri .* may not be called: .* with OUTBOUND_ALLOW_CIDRS=10\.0\.0\.1\/32/
      ]
    ] as const
    for (const [changes, reason] of cases) {
      const [outcome] = await sender.send({ message: message(), credential: account(changes), targets: devices(1) })
      expect(outcome).toMatchObject({ _tag: "Suspend", reason: expect.stringMatching(reason) })
    }
  })

  it("retries when the token endpoint does not answer", async () => {
    const outcomes = await sender.send({
      message: message(),
      credential: account({ token_uri: "https://127.0.0.1:1/token" }),
      targets: devices(2)
    })
    expect(outcomes).toEqual(outcomes.map(() => ({ _tag: "Retry", reason: "oauth_unreachable", afterMs: null })))
  })

  it.each([
    [
      "in 3,000 chunks of one byte",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + "1\r\n \r\n".repeat(3000)
    ],
    [
      "after forty interim ones",
      "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(40) + "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    ]
  ])("takes no token from an answer that comes %s", async (_, said) => {
    expect(await outcomesBy(said)).toEqual([{ _tag: "Retry", reason: "oauth_unreachable", afterMs: null }])
  })

  it.each(ENDLESS)("cuts off a token endpoint whose answer has %s without an end", async (_, begin) => {
    const poured = Promise.withResolvers<number>()
    const { key, cert } = certificates
    const server = createServer({ key, cert, ALPNProtocols: ["http/1.1"] }, (socket) => {
      socket.once("data", () => {
        socket.write(begin("200"))
        poured.resolve(pour(socket))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const outcomes = await sender.send({
      message: message(),
      credential: account({ token_uri: `https://127.0.0.1:${port}/token` }),
      targets: devices(1)
    })
    server.close()
    expect(outcomes).toEqual([{ _tag: "Retry", reason: "oauth_unreachable", afterMs: null }])
    expect(await poured.promise).toBeLessThan(POURED)
  })

  it("takes a token from an answer that comes after interim ones, 100 Continue among them", async () => {
    const interims = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
    const outcomes = await outcomesBy(`${interims}HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n`)
    // It came, and was used: FCM says that it knows no such token.
    expect(outcomes).toMatchObject([{ _tag: "Suspend", reason: expect.stringContaining("access token") }])
  })

  it.each([
    ["with a line break", "a\r\nx-more: b"],
    ["with letters that no header can hold", "tökén"],
    ["of 5,000 characters", "x".repeat(5000)]
  ])(
    "suspends the credential, and breaks nothing, when its token endpoint gives a token %s",
    async (_, access_token) => {
      const said = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n"
      expect(await outcomesBy(said, JSON.stringify({ access_token }))).toEqual([
        { _tag: "Suspend", reason: "the token_uri of the service account gives what is no access token" }
      ])
    }
  )

  it.each([
    ["1e-9", 60],
    ["1", 60],
    ["3600", 3300],
    ["1e12", 86_400],
    ["1e308", 86_400],
    ['"soon"', 3300]
  ])("keeps a token that is to last %s seconds for %d", (expires_in, kept) => {
    expect(tokenOf(200, `{"access_token":"a","expires_in":${expires_in}}`, undefined, 0)).toEqual({
      text: "a",
      lifetimeMs: kept * 1000
    })
  })

  it("follows no redirect of a token endpoint, and shows its words as one short line", async () => {
    const away = await tokenServer(() => ({ status: 307, location: fcm.tokenUri, body: {} }))
    const [moved] = await sender.send({
      message: message(),
      credential: account({ token_uri: away }),
      targets: devices(1)
    })
    expect(moved).toEqual({ _tag: "Retry", reason: "oauth_status_307", afterMs: null })
    const body = { error: "invalid_grant", error_description: `a\u001b[31m\r\n${"b".repeat(9000)}` }
    const rude = await tokenServer(() => ({ status: 400, body }))
    const [held] = await sender.send({
      message: message(),
      credential: account({ token_uri: rude }),
      targets: devices(1)
    })
    expect(held!._tag).toBe("Suspend")
    expect((held as { readonly reason: string }).reason).toMatch(
      /^Google refuses the service account \([\x20-\x7e]{1,200}\)$/
    )
  })

  it("slows the project down when its quota is used up, for as long as it is told to", async () => {
    fcm.control.set({ do: "throttle", retryAfter: 33 })
    const [outcome] = await sender.send({ message: message(), credential: account(), targets: devices(1) })
    expect(outcome).toEqual({ _tag: "Slow", scope: "project", reason: "quota_exceeded", afterMs: 33_000 })
  })

  it("waits at least ten seconds before it tries again after an outage or a lost connection", async () => {
    fcm.control.set({ do: "refuse", status: 503, first: 1 })
    const [outage] = await sender.send({ message: message(), credential: account(), targets: devices(1) })
    expect(outage).toEqual({ _tag: "Retry", reason: "unavailable", afterMs: 10_000 })
    fcm.control.set({ do: "close", first: 1 })
    const [lost] = await sender.send({ message: message(), credential: account(), targets: devices(1) })
    expect(lost).toEqual({ _tag: "Retry", reason: "connection_closed", afterMs: 10_000, isUnknown: true })
  })

  it("fails what is expired or too large without a request", async () => {
    const late = message({ expiresAt: Date.now() - 1 })
    const large = message({ content: { data: { text: "x".repeat(4096) } } })
    expect(await sender.send({ message: late, credential: account(), targets: devices(1) })).toEqual([
      { _tag: "Fail", reason: "expired" }
    ])
    expect(await sender.send({ message: large, credential: account(), targets: devices(1) })).toEqual([
      { _tag: "Fail", reason: "payload_too_large" }
    ])
    expect(fcm.stats().requests).toBe(0)
  })

  it("abandons what is under way when it is interrupted, and serves the next batch", async () => {
    const owner = account()
    const targets = devices(3)
    fcm.control.set({ do: "hang", match: [targets[0]!.id, targets[1]!.id] })
    const outcomes = await sender.sendUntilFirst({ message: message(), credential: owner, targets })
    expect(Object.keys(outcomes)).toEqual(["2"])
    expect(tags(await sender.send({ message: message(), credential: owner, targets: devices(3) }))).toEqual(["Ok"])
  })
})
