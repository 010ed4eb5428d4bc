import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { Answer, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
const start = async (options: Parameters<typeof startServer>[0]) => {
  server = await startServer(options)
}
afterEach(() => server.stop())

const budget = (requests: number) => ({ requests, windowMs: 60_000 })
const budgetOf = ({ headers }: Answer) =>
  ["limit", "remaining", "reset"].map((name) => Number(headers.get(`x-ratelimit-${name}`)))
const register = (tenant = server.ours, headers: Record<string, string> = {}) =>
  server.call("POST", "/api/v1/public/devices", {
    key: tenant.publicKey,
    body: { platform: "android", token: crypto.randomUUID() },
    headers
  })

/** Every endpoint of the document, with an id where one is wanted. */
const endpoints = () =>
  Object.entries(server.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{[^}]+\}/g, crypto.randomUUID()),
      operation
    }))
  )
const SUPERVISORS = ["/healthz", "/readyz", "/metrics"]

describe("budgets", () => {
  it("count an application's secret keys together, and apart from other applications", async () => {
    await start({ rateLimits: { secret: budget(2) } })
    const ask = (key: string) => server.call("GET", "/api/v1/devices", { key })
    const answers = [
      await ask(server.ours.secretKey),
      await ask(server.ours.secretKey),
      await ask(server.ours.secretKey),
      await ask(server.theirs.secretKey)
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200])
    expect(answers.map((answer) => budgetOf(answer).slice(0, 2))).toEqual([
      [2, 1],
      [2, 0],
      [2, 0],
      [2, 1]
    ])
    const refused = answers[2]!
    expect(refused.json.error.code).toBe("rate_limited")
    const waits = Number(refused.headers.get("retry-after"))
    expect(waits).toBeGreaterThan(0)
    expect(waits).toBeLessThanOrEqual(60)
  })

  it("count public keys apart from secret ones, and registrations apart from both", async () => {
    await start({ rateLimits: { secret: budget(5), public: budget(2), devices: budget(1) } })
    const remove = () =>
      server.call("DELETE", "/api/v1/public/devices", {
        key: server.ours.publicKey,
        body: { token: "abababababababab" }
      })
    const answers = [
      await register(),
      await register(),
      await remove(),
      await remove(),
      await remove(),
      await server.call("GET", "/api/v1/devices", { key: server.ours.secretKey })
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 429, 200, 200, 429, 200])
    expect(answers.map((answer) => budgetOf(answer)[0])).toEqual([1, 1, 2, 2, 2, 5])
    expect(await server.count("devices")).toBe(1)
  })

  it("count a public key by address behind a trusted proxy, and all addresses together up to the application's own", async () => {
    await start({ trustedProxies: "127.0.0.0/8", rateLimits: { devices: budget(1), public_total: budget(3) } })
    const from = (address: string) => register(server.ours, { "x-forwarded-for": address })
    const answers = [
      await from("198.51.100.1"),
      await from("198.51.100.1"),
      await from("198.51.100.2"),
      await from("2001:db8::1"),
      await from("2001:db8::2"),
      await from("198.51.100.3"),
      await register(server.theirs, { "x-forwarded-for": "198.51.100.3" })
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 429, 201, 201, 429, 429, 201])
    // Who is refused for the sake of the application is told of its budget.
    expect(answers.map((answer) => budgetOf(answer)[0])).toEqual([1, 1, 1, 1, 1, 3, 1])
  })

  it("do not follow a header that the client has made up", async () => {
    await start({ rateLimits: { devices: budget(2), anonymous: budget(2) } })
    const spoofed = (n: number) => ({ "x-forwarded-for": `198.51.100.${n}`, "x-real-ip": `198.51.100.${n}` })
    const registered = [1, 2, 3, 4].map((n) => () => register(server.ours, spoofed(n)))
    const unknown = [1, 2, 3].map((n) => () => server.call("GET", "/nothing", { headers: spoofed(n) }))
    const statuses: Array<number> = []
    for (const ask of [...registered, ...unknown]) statuses.push((await ask()).status)
    expect(statuses).toEqual([201, 201, 429, 429, 404, 404, 429])
  })

  it("are warned about once, when a proxy writes who its clients are and is not trusted", async () => {
    await start({})
    const headers = { "x-forwarded-for": "198.51.100.1" }
    for (const path of ["/nothing", "/docs", "/nothing"]) await server.call("GET", path, { headers })
    expect(server.logs.filter((line) => line.includes("TRUSTED_PROXIES")).length).toBe(1)
  })

  it("count by address who shows no good key: missing, malformed, unknown, on paths and methods that are not there too", async () => {
    await start({ rateLimits: { anonymous: budget(6) } })
    const unknownKey = server.keys.generate("secret")
    const answers = [
      await server.call("GET", "/api/v1/devices"),
      await server.call("GET", "/api/v1/devices", { key: "sk_wrong" }),
      await server.call("GET", "/api/v1/devices", { key: unknownKey }),
      await server.call("GET", "/nothing", { key: server.ours.secretKey }),
      await server.call("PUT", "/api/v1/devices", { key: server.ours.secretKey }),
      await server.call("GET", "/docs"),
      await server.call("GET", "/docs"),
      await server.call("GET", "/api/v1/devices"),
      await server.call("GET", "/nothing"),
      await server.call("PUT", "/api/v1/devices"),
      await server.call("GET", "/api/v1/devices", { key: server.ours.secretKey })
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 404, 405, 200, 429, 429, 429, 429, 200])
    expect(answers.slice(0, 7).map((answer) => budgetOf(answer)[1])).toEqual([5, 4, 3, 2, 1, 0, 0])
  })

  it("count a public key where a secret one is needed as the public key that it is", async () => {
    await start({ rateLimits: { public: budget(1) } })
    const ask = () => server.call("GET", "/api/v1/devices", { key: server.ours.publicKey })
    expect([(await ask()).status, (await ask()).status]).toEqual([403, 429])
  })

  it("count preflights by address, apart from what they ask for, and open them and 429 to scripts", async () => {
    await start({ rateLimits: { preflight: budget(1), devices: budget(1) } })
    const ask = () => server.call("OPTIONS", "/api/v1/public/devices", { headers: { origin: "https://shop.example" } })
    const answers = [await ask(), await ask(), await register(), await register()]
    expect(answers.map(({ status }) => status)).toEqual([204, 429, 201, 429])
    for (const { headers } of answers) {
      expect(headers.get("access-control-allow-origin")).toBe("*")
      const exposed = headers.get("access-control-expose-headers")!
      for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"]) {
        expect(exposed).toContain(name)
      }
    }
  })

  it("count a request before anything else of it is looked at, and once", async () => {
    await start({ rateLimits: { secret: budget(4) } })
    const key = server.ours.secretKey
    const answers = [
      await server.call("GET", "/api/v1/devices/no-id", { key }),
      await server.call("POST", "/api/v1/notifications", { key, body: {} }),
      await server.call("POST", "/api/v1/notifications", { key, raw: "x".repeat(200_000) }),
      await server.call("GET", "/api/v1/devices?limit=1000", { key }),
      await server.call("POST", "/api/v1/notifications", { key, body: {} })
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 413, 400, 429])
    expect(answers.map((answer) => budgetOf(answer)[1])).toEqual([3, 2, 1, 0, 0])
  })

  it("are said on every answer of every endpoint, and refuse on every one but the supervisors'", async () => {
    await start({ rateLimits: { secret: budget(1), public: budget(1), devices: budget(1), anonymous: budget(1) } })
    await server.call("GET", "/api/v1/devices", { key: server.ours.secretKey })
    await server.call("GET", "/docs")
    for (const { method, path } of endpoints()) {
      const isOpen = SUPERVISORS.includes(path)
      for (const key of [server.ours.secretKey, undefined]) {
        const answer = await server.call(method, path, key === undefined ? {} : { key })
        const isAnonymous = path === "/docs" || path === "/api/v1/openapi.json"
        expect([method, path, answer.status]).toEqual([method, path, isOpen ? 200 : 429])
        expect(budgetOf(answer)[1]).toBe(isOpen && !isAnonymous ? budgetOf(answer)[0] : 0)
      }
    }
  })
})

describe("a server that stops", () => {
  it("says what is left also to requests that it cuts short", async () => {
    await start({ drainMs: 1 })
    const asked = Promise.withResolvers<void>()
    server.limiterOutage.before = () =>
      Effect.andThen(
        Effect.sync(() => asked.resolve()),
        Effect.never
      )
    const answer = register()
    await asked.promise
    const stopped = server.stop()
    expect((await answer).status).toBe(503)
    await stopped
  })
})

describe("a store that is away", () => {
  it("has every request refused before its handler runs, but those of supervisors", async () => {
    await start({})
    server.limiterOutage.isDown = true
    for (const { method, path, operation } of endpoints()) {
      const isOpen = SUPERVISORS.includes(path)
      const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
      const answer = await server.call(method, path, {
        key: server.ours.secretKey,
        ...(type === "application/json" ? { body: media!.example } : {})
      })
      expect([method, path, answer.status]).toEqual([method, path, isOpen ? 200 : 503])
      if (isOpen) continue
      expect(answer.json.error.code).toBe("rate_limiter_unavailable")
      expect(answer.headers.get("retry-after")).toBe("2")
    }
    for (const table of ["devices", "webhooks", "contacts", "idempotency_keys"]) {
      expect([table, await server.count(table)]).toEqual([table, 0])
    }
    const others = [
      await server.call("GET", "/nothing"),
      await server.call("GET", "/api/v1/devices"),
      await server.call("OPTIONS", "/api/v1/public/devices"),
      await server.call("GET", "/api/v1/devices", { key: server.ours.publicKey })
    ]
    for (const { json, status } of others) expect([status, json.error.code]).toEqual([503, "rate_limiter_unavailable"])
    server.limiterOutage.isDown = false
    expect((await register()).status).toBe(201)
  })

  it("refuses whoever's key cannot even be looked up with the same words, and with nothing left of the budget that is theirs", async () => {
    await start({ rateLimits: { secret: budget(50), public: budget(40), devices: budget(30), anonymous: budget(20) } })
    server.outage.isDown = true
    server.limiterOutage.isDown = true
    // Nobody has asked with these yet, so that nothing of them is remembered.
    const { publicKey, secretKey } = server.ours
    const body = { platform: "android", token: crypto.randomUUID() }
    const answers = [
      [50, await server.call("GET", "/api/v1/devices", { key: secretKey })],
      [50, await server.call("POST", "/api/graphql", { key: secretKey, body: { query: "{__typename}" } })],
      [30, await server.call("POST", "/api/v1/public/devices", { key: publicKey, body })],
      [40, await server.call("GET", "/api/v1/public/inbox?user_id=ann", { key: publicKey })],
      [20, await server.call("GET", "/api/v1/devices")]
    ] as const
    for (const [limit, answer] of answers) {
      expect([answer.status, answer.json.error.code]).toEqual([503, "rate_limiter_unavailable"])
      expect(answer.headers.get("retry-after")).toBe("2")
      expect(budgetOf(answer).slice(0, 2)).toEqual([limit, 0])
    }
  })
})
