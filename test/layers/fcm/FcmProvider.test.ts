import { generateKeyPairSync } from "node:crypto"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { layer } from "../../../layers/fcm/FcmProvider.ts"
import { FcmProvider } from "../../../services/ports/Provider.ts"
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

const token = (n: number, prefix = "live") => `${prefix}Instance${n}:${"x".repeat(120)}${n}`
const devices = (count: number, prefix?: string) => Array.from({ length: count }, (_, n) => target(token(n, prefix)))
const tags = (outcomes: ReadonlyArray<{ readonly _tag: string }>) => [...new Set(outcomes.map(({ _tag }) => _tag))]

describe("FcmProvider", () => {
  it("delivers concurrent batches once to each device with one access token", async () => {
    const issued = fcm.stats().tokensIssued
    const owner = account()
    const batches = Array.from({ length: 4 }, () => ({ message: message(), credential: owner, targets: devices(100) }))
    const outcomes = await Promise.all(batches.map((batch) => sender.send(batch)))
    expect(tags(outcomes.flat())).toEqual(["Ok"])
    expect(outcomes[0]![0]).toMatchObject({ messageId: expect.stringMatching(/^projects\/demo-project\/messages\//) })
    expect(fcm.stats()).toMatchObject({ accepted: 400, duplicates: 0, refused: {} })
    expect(fcm.stats().tokensIssued).toBe(issued + 1)
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

  it("holds the credential, and drops nobody, when every token is another project's", async () => {
    const outcomes = await sender.send({ message: message(), credential: account(), targets: devices(20, "other") })
    expect(tags(outcomes)).toEqual(["Hold"])
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
    expect(outcome).toMatchObject({ _tag: "Hold", reason: expect.stringContaining("access token") })
  })

  it("holds the credential when Google refuses the account, its key is unreadable, or its project is foreign", async () => {
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8).toString()
    const cases = [
      [{ private_key: stranger }, /invalid_grant: Invalid JWT Signature/],
      [{ client_email: "nobody@example.org" }, /account not found/],
      [{ private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }, /private key/],
      [{ project_id: "another" }, /denies the service account/],
      [{ token_uri: "https://10.0.0.1/token" }, /token_uri .* may not be called/]
    ] as const
    for (const [changes, reason] of cases) {
      const [outcome] = await sender.send({ message: message(), credential: account(changes), targets: devices(1) })
      expect(outcome).toMatchObject({ _tag: "Hold", reason: expect.stringMatching(reason) })
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
    expect(lost).toEqual({ _tag: "Retry", reason: "connection_closed", afterMs: 10_000 })
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
