import { Effect, Layer } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { layer } from "../../../layers/apns/ApnsProvider.ts"
import * as Http2 from "../../../layers/http2/WrapperHttp2Client.ts"
import { deliveryIdOf } from "../../../services/domain/sending/DeliveryIds.ts"
import type { Http2Batch, Http2PoolOptions } from "../../../services/ports/outbound/Http2Client.ts"
import { bodyOf, Http2Client } from "../../../services/ports/outbound/Http2Client.ts"
import type { Outcome } from "../../../services/ports/sending/Provider.ts"
import { ApnsProvider } from "../../../services/ports/sending/Provider.ts"
import type { Running } from "../../../simulators/Simulator.ts"
import * as Apns from "../../../simulators/Apns.ts"
import { certificates, credential, message, startSender, target, type Sender } from "../Sending.ts"

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = { type: "spki", format: "pem" } as const
const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
const TEAM = "TEAMTEAM01"
const KEY = "KEYKEYKEY1"
const BUNDLE = "org.example.app"

let sender: Sender
let production: Running
let sandbox: Running

const start = (environment: "production" | "sandbox") =>
  Apns.start({
    certificates,
    environment,
    teamId: TEAM,
    keyId: KEY,
    publicKey: pair.publicKey.export(pem).toString(),
    bundleId: BUNDLE,
    tokens: { unregistered: "dead", bad: "bad0", sandbox: "5a5a" }
  })

beforeAll(async () => {
  sender = await startSender(ApnsProvider, layer)
  production = await start("production")
  sandbox = await start("sandbox")
})
afterAll(async () => {
  await sender.close()
  await production.close()
  await sandbox.close()
})
afterEach(() => {
  for (const simulator of [production, sandbox]) {
    simulator.control.set()
    simulator.reset()
  }
})

const apns = (changes: object = {}) =>
  credential({
    kind: "apns",
    value: {
      team_id: TEAM,
      key_id: KEY,
      private_key: privateKey,
      bundle_id: BUNDLE,
      endpoint: production.url,
      sandbox_endpoint: sandbox.url,
      ...changes
    }
  })

const token = (prefix: string, n = 0) => `${prefix}${n.toString(16).padStart(64 - prefix.length, "0")}`
const devices = (count: number, prefix = "a") => Array.from({ length: count }, (_, n) => target(token(prefix, n)))

describe("ApnsProvider", () => {
  it("delivers a batch once to each device, under an apns-id that follows from notification and device", async () => {
    const targets = devices(300)
    const sent = message()
    const outcomes = await sender.send({ message: sent, credential: apns(), targets })
    expect(outcomes).toEqual(
      targets.map(({ id }) => ({ _tag: "Ok", messageId: deliveryIdOf(sent.notificationId, id) }))
    )
    expect(production.stats()).toMatchObject({ accepted: 300, duplicates: 0, malformed: 0, refused: {} })
    expect(new Set(production.received().keys())).toEqual(
      new Set(targets.map(({ id }) => `${sent.notificationId}:${id}`))
    )
  })

  it("sends background pushes, collapse ids, expirations and bulk priority in a form that APNs takes", async () => {
    for (const sent of [
      message({ content: { data: { sync: true } } }),
      message({ collapseKey: "k".repeat(64), priority: "bulk" }),
      message({ nowOrNever: true, expiresAt: Date.now() })
    ]) {
      expect(await sender.send({ message: sent, credential: apns(), targets: devices(1) })).toMatchObject([
        { _tag: "Ok" }
      ])
    }
    expect(production.stats().refused).toEqual({})
  })

  it("finds out that a token belongs to the other environment and says which", async () => {
    const targets = [
      target(token("5a5a")),
      target(token("a"), { environment: "sandbox" }),
      target(token("a", 1)),
      target(token("bad0"))
    ]
    const outcomes = await sender.send({ message: message(), credential: apns(), targets })
    expect(outcomes).toMatchObject([
      { _tag: "Ok", environment: "sandbox" },
      { _tag: "Ok", environment: "production" },
      { _tag: "Ok" },
      { _tag: "Drop", reason: "bad_device_token", seenBefore: null }
    ])
    expect(outcomes[2]).not.toHaveProperty("environment")
  })

  it("drops a bad token at once when there is only one environment to ask", async () => {
    const only = credential({
      kind: "apns",
      value: { team_id: TEAM, key_id: KEY, private_key: privateKey, bundle_id: BUNDLE, endpoint: production.url }
    })
    const outcomes = await sender.send({ message: message(), credential: only, targets: [target(token("bad0"))] })
    expect(outcomes).toEqual([{ _tag: "Drop", reason: "bad_device_token", seenBefore: null }])
    expect(production.stats().requests).toBe(1)
  })

  it("drops a token when the other environment refuses the credential that the first one took", async () => {
    sandbox.control.set({ do: "refuse", status: 403, reason: "BadEnvironmentKeyInToken" })
    const outcomes = await sender.send({ message: message(), credential: apns(), targets: [target(token("5a5a"))] })
    expect(outcomes).toEqual([{ _tag: "Drop", reason: "bad_device_token", seenBefore: null }])
  })

  it("leaves open whether the key or the device is of the wrong environment", async () => {
    sandbox.control.set({ do: "refuse", status: 403, reason: "BadEnvironmentKeyInToken" })
    const targets = devices(3, "5a5a").map((one) => ({ ...one, environment: "sandbox" as const }))
    const outcomes = await sender.ask({ message: message(), credential: apns(), targets })
    const reason = "APNs 403 BadEnvironmentKeyInToken"
    expect(outcomes).toMatchObject(targets.map(() => ({ _tag: "Refused", reason })))
    expect(outcomes.map((outcome) => outcome._tag === "Refused" && outcome.otherwise())).toEqual(
      targets.map(() => ({
        _tag: "Slow",
        scope: "recipient",
        reason: "bad_environment_key_in_token",
        afterMs: 900_000
      }))
    )
  })

  it("drops an unregistered token as of the moment that APNs names", async () => {
    const before = Date.now()
    const [outcome] = await sender.send({ message: message(), credential: apns(), targets: [target(token("dead"))] })
    expect(outcome).toMatchObject({ _tag: "Drop", reason: "unregistered" })
    expect((outcome as { seenBefore: number }).seenBefore).toBeGreaterThanOrEqual(before)
  })

  it("renews an expired provider token once and delivers", async () => {
    // A key of its own: the token in use by other tests must not be what is renewed here.
    production.control.set({ do: "refuse", status: 403, reason: "ExpiredProviderToken", first: 1 })
    const outcomes = await sender.send({ message: message(), credential: apns(), targets: devices(3) })
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Ok", "Ok", "Ok"])
    // What had not begun with the old token was not refused first.
    expect(production.stats()).toMatchObject({ accepted: 3, requests: 4 })
  })

  it("holds the credential when APNs calls a fresh token expired too", async () => {
    production.control.set({ do: "refuse", status: 403, reason: "ExpiredProviderToken" })
    const [outcome] = await sender.send({ message: message(), credential: apns(), targets: devices(1) })
    expect(outcome).toMatchObject({ _tag: "Suspend" })
  })

  it("holds the credential when APNs refuses the signature, the topic, or when the key cannot be read", async () => {
    const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const wrong = { private_key: stranger.export({ type: "pkcs8", format: "pem" }).toString() }
    for (const changes of [
      wrong,
      { bundle_id: "org.example.other" },
      { private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----" }
    ]) {
      const [outcome] = await sender.send({ message: message(), credential: apns(changes), targets: devices(1) })
      expect(outcome).toMatchObject({ _tag: "Suspend", reason: expect.stringMatching(/APNs/) })
    }
  })

  it("drops the tokens of another app among others that are accepted, and has them wait where all are refused", async () => {
    const reason = "DeviceTokenNotForTopic"
    const others = Array.from({ length: 20 }, (_, i) => target(token("e", i)))
    const mine = [target(token("f"))]
    production.control.set({ do: "refuse", status: 400, reason, match: others.map(({ address }) => address) })
    const used = apns()
    const waits = { _tag: "Slow", scope: "recipient", reason: "device_token_not_for_topic", afterMs: 900_000 }
    expect(await sender.send({ message: message(), credential: used, targets: others })).toEqual(
      others.map(() => waits)
    )
    const mixed = await sender.send({ message: message(), credential: used, targets: [...others, ...mine] })
    const dropped = { _tag: "Drop", reason: "device_token_not_for_topic", seenBefore: null }
    expect(mixed.slice(0, 20)).toEqual(others.map(() => dropped))
    expect(mixed[20]).toMatchObject({ _tag: "Ok" })
    // In whatever order the answers came.
    await sender.send({ message: message(), credential: used, targets: mine })
    // A few by themselves are their own fault; who knows better says so when all of a batch were refused.
    const few = await sender.ask({ message: message(), credential: used, targets: others.slice(0, 2) })
    expect(few).toMatchObject([1, 2].map(() => ({ _tag: "Refused", reason: `APNs 400 ${reason}` })))
    expect(few.map((outcome) => outcome._tag === "Refused" && outcome.isEnough!())).toEqual([false, false])
  })

  it("begins nothing more of a batch whose credential is refused, when it is told so", async () => {
    production.control.set({ do: "refuse", status: 403, reason: "InvalidProviderToken" })
    const outcomes: Array<Outcome> = []
    const mayBegin = () => !outcomes.some((outcome) => outcome?._tag === "Suspend")
    const batch = { message: message(), credential: apns(), targets: devices(300), mayBegin }
    await Effect.runPromise(sender.provider.send(batch, (index, outcome) => (outcomes[index] = outcome)))
    expect(production.stats().requests).toBe(1)
    expect(outcomes.filter(({ _tag }) => _tag === "Suspend")).toHaveLength(1)
    expect(outcomes.filter(({ _tag }) => _tag === "Withheld")).toHaveLength(299)
  })

  it("tells of each request that it goes to a connection, before its answer, and of none that does not", async () => {
    production.control.set({ do: "refuse", status: 403, reason: "InvalidProviderToken" })
    const heard: Array<string> = []
    const batch = {
      message: message(),
      credential: apns(),
      targets: devices(300),
      mayBegin: () => !heard.some((one) => one.startsWith("Suspend")),
      onBegun: (index: number) => void heard.push(`begun ${index}`)
    }
    await Effect.runPromise(sender.provider.send(batch, (index, { _tag }) => heard.push(`${_tag} ${index}`)))
    expect(heard.slice(0, 2)).toEqual(["begun 0", "Suspend 0"])
    expect(new Set(heard.slice(2).map((one) => one.split(" ")[0]))).toEqual(new Set(["Withheld"]))
  })

  it("slows the team down, on new connections, after too many provider token updates", async () => {
    production.control.set({ do: "refuse", status: 429, reason: "TooManyProviderTokenUpdates", first: 1 })
    const owner = apns()
    const [outcome] = await sender.send({ message: message(), credential: owner, targets: devices(1) })
    expect(outcome).toEqual({
      _tag: "Slow",
      scope: "team",
      reason: "too_many_provider_token_updates",
      afterMs: 20 * 60_000
    })
    const connections = production.stats().connections
    await sender.send({ message: message(), credential: owner, targets: devices(1) })
    expect(production.stats().connections).toBe(connections + 1)
  })

  it("sends again what a GOAWAY left unprocessed, and leaves to the engine what may have been delivered", async () => {
    production.control.set({ do: "goaway", first: 1, match: [token("a", 20)] })
    const gone = await sender.send({ message: message(), credential: apns(), targets: devices(50) })
    expect(gone.map(({ _tag }) => _tag)).toEqual(gone.map(() => "Ok"))
    expect(production.stats().duplicates).toBe(0)
    production.control.set({ do: "close", first: 1 })
    const [lost] = await sender.send({ message: message(), credential: apns(), targets: devices(1) })
    expect(lost).toMatchObject({ _tag: "Retry", reason: "connection_closed" })
  })

  it("retries an outage at a later time and waits as long as it is told to", async () => {
    production.control.set({ do: "refuse", status: 503, reason: "ServiceUnavailable", retryAfter: 7 })
    const [outcome] = await sender.send({ message: message(), credential: apns(), targets: devices(1) })
    expect(outcome).toEqual({ _tag: "Retry", reason: "service_unavailable", afterMs: 7000 })
  })

  it("fails what is expired or too large without a request", async () => {
    const late = message({ expiresAt: Date.now() - 1 })
    expect(await sender.send({ message: late, credential: apns(), targets: devices(2) })).toEqual([
      { _tag: "Fail", reason: "expired" },
      { _tag: "Fail", reason: "expired" }
    ])
    const large = message({ content: { body: "x".repeat(4096) } })
    expect(await sender.send({ message: large, credential: apns(), targets: devices(1) })).toEqual([
      { _tag: "Fail", reason: "payload_too_large" }
    ])
    expect(production.stats().requests).toBe(0)
  })

  it("retries when nothing listens, and holds an endpoint that may not be called", async () => {
    const dead = apns({ endpoint: "https://127.0.0.1:1", sandbox_endpoint: "https://127.0.0.1:1" })
    expect(await sender.send({ message: message(), credential: dead, targets: devices(2) })).toMatchObject([
      { _tag: "Retry", reason: "connection_connect" },
      { _tag: "Retry", reason: "connection_connect" }
    ])
    const inside = apns({ endpoint: "https://10.0.0.1" })
    expect(await sender.send({ message: message(), credential: inside, targets: devices(1) })).toMatchObject([
      { _tag: "Suspend", reason: expect.stringContaining("may not be called") }
    ])
  })

  it("abandons what is under way when it is interrupted, and serves the next batch", async () => {
    const owner = apns()
    const targets = devices(3)
    await sender.send({ message: message(), credential: owner, targets: devices(1) })
    production.control.set({ do: "hang", match: [targets[0]!.address, targets[1]!.address] })
    const outcomes = await sender.sendUntilFirst({ message: message(), credential: owner, targets })
    expect(Object.keys(outcomes)).toEqual(["2"])
    production.control.set()
    expect(await sender.send({ message: message(), credential: owner, targets })).toMatchObject([
      { _tag: "Ok" },
      { _tag: "Ok" },
      { _tag: "Ok" }
    ])
  })
})

describe("ApnsProvider, given messages of their own", () => {
  /** What goes out, as the pools are asked to send it. */
  const written: Array<unknown> = []
  const noting = Layer.effect(
    Http2Client,
    Effect.map(Http2Client, (real) => ({
      pool: (options: Http2PoolOptions) =>
        Effect.map(real.pool(options), (pool) => ({
          ...pool,
          send: (batch: Http2Batch) => {
            for (let i = 0; i < batch.count; i++) {
              const headers = [...batch.common, ...batch.credential, ...batch.headers(i)]
              expect(new Set(headers.map(([name]) => name)).size).toBe(headers.length)
              written.push({
                to: options.origin.port,
                path: (batch.base ?? "") + batch.path(i),
                headers: Object.fromEntries(headers.toSorted(([a], [b]) => (a < b ? -1 : 1))),
                body: JSON.parse(String(bodyOf(batch.around, batch.body(i))))
              })
            }
            return pool.send(batch)
          }
        }))
    }))
  ).pipe(Layer.provide(Http2.layer))
  let each: Sender
  beforeAll(async () => {
    each = await startSender(ApnsProvider, layer, {}, noting)
  })
  afterAll(() => each.close())
  afterEach(() => void written.splice(0))

  const DIFFERENT = [
    message(),
    message({ content: { title: "Other", data: { a: [1] }, url: "https://example.com/" }, priority: "bulk" }),
    message({ content: { data: { sync: true } }, collapseKey: "k", expiresAt: Date.now() + 7_200_000 }),
    message({ nowOrNever: true, overrides: { apns: { "thread-id": "t" } } }),
    message({ collapseKey: "other" })
  ]

  it("writes each as it would be written alone, in one call", async () => {
    const targets = DIFFERENT.map((_, i) =>
      target(token(i === 3 ? "5a5a" : "a", i), i === 3 ? { environment: "sandbox" } : {})
    )
    const shared = apns()
    const outcomes = await each.send({ message: DIFFERENT[0]!, each: DIFFERENT, credential: shared, targets })
    expect(outcomes).toEqual(
      targets.map(({ id }, i) => ({ _tag: "Ok", messageId: deliveryIdOf(DIFFERENT[i]!.notificationId, id) }))
    )
    const together = written.splice(0)
    for (const [i, one] of DIFFERENT.entries()) {
      await each.send({ message: one, credential: shared, targets: [targets[i]!] })
    }
    expect(together).toHaveLength(targets.length)
    expect(new Set(together.map((one) => JSON.stringify(one)))).toEqual(
      new Set(written.map((one) => JSON.stringify(one)))
    )
    expect(production.stats().refused).toEqual({})
  })

  it("fails the one that is expired and the one that is too large, and sends the others as their own", async () => {
    const late = message({ expiresAt: Date.now() - 1, collapseKey: "late" })
    const large = message({ content: { body: "x".repeat(4096) } })
    const all = [late, DIFFERENT[0]!, large, DIFFERENT[2]!]
    const targets = all.map((_, i) => target(token("b", i)))
    const outcomes = await each.send({ message: late, each: all, credential: apns(), targets })
    expect(outcomes).toMatchObject([
      { _tag: "Fail", reason: "expired" },
      { _tag: "Ok" },
      { _tag: "Fail", reason: "payload_too_large" },
      { _tag: "Ok" }
    ])
    expect([...production.received().keys()]).toEqual([
      `${all[1]!.notificationId}:${targets[1]!.id}`,
      `${all[3]!.notificationId}:${targets[3]!.id}`
    ])
    written.splice(0)
    const none = await each.send({
      message: late,
      each: [late, large],
      credential: apns(),
      targets: targets.slice(0, 2)
    })
    expect(none).toMatchObject([{ _tag: "Fail" }, { _tag: "Fail" }])
    expect(written).toEqual([])
  })

  it("moves and drops each by its own token, with its own message in the other environment too", async () => {
    const targets = [target(token("5a5a")), target(token("a")), target(token("bad0")), target(token("dead"))]
    const all = DIFFERENT.slice(0, 4)
    const outcomes = await each.send({ message: all[0]!, each: all, credential: apns(), targets })
    expect(outcomes).toMatchObject([
      { _tag: "Ok", environment: "sandbox", messageId: deliveryIdOf(all[0]!.notificationId, targets[0]!.id) },
      { _tag: "Ok" },
      { _tag: "Drop", reason: "bad_device_token" },
      { _tag: "Drop" }
    ])
    expect([...sandbox.received().keys()]).toEqual([`${all[0]!.notificationId}:${targets[0]!.id}`])
  })

  it("renews an expired provider token once for all of them, and delivers each as it is", async () => {
    production.control.set({ do: "refuse", status: 403, reason: "ExpiredProviderToken", first: 1 })
    const targets = DIFFERENT.map((_, i) => target(token("c", i)))
    const begun: Array<number> = []
    const outcomes = await each.send({
      message: DIFFERENT[0]!,
      each: DIFFERENT,
      credential: apns(),
      targets,
      onBegun: (index) => void begun.push(index)
    })
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(DIFFERENT.map(() => "Ok"))
    expect(new Set(begun)).toEqual(new Set(DIFFERENT.keys()))
    expect(new Set(production.received().keys())).toEqual(
      new Set(targets.map(({ id }, i) => `${DIFFERENT[i]!.notificationId}:${id}`))
    )
    expect([...production.received().values()]).toEqual(DIFFERENT.map(() => 1))
  })

  it("begins none of them once it is told not to", async () => {
    const targets = DIFFERENT.map((_, i) => target(token("d", i)))
    const outcomes = await each.send({
      message: DIFFERENT[0]!,
      each: DIFFERENT,
      credential: apns(),
      targets,
      mayBegin: () => false
    })
    expect(outcomes).toEqual(DIFFERENT.map(() => ({ _tag: "Withheld" })))
    expect(production.stats().requests).toBe(0)
  })
})
