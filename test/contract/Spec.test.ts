import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { read } from "../../layers/config/Settings.ts"
import { verifyWebhook } from "../../sdk/node/heliograph.js"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"

/*
 * The tables of the specification that every surface shares, a test for each row: 4.1 (devices, keys for browsers; its
 * other rows stand in Spec41.test.ts), 5.1, 5.2, 5.3, 7 and 8. Rows about people's accounts and sessions come with them.
 */

const budget = (requests: number) => ({ requests, windowMs: 60_000 })
const withServer = async <A>(options: Parameters<typeof startServer>[0], use: (server: TestServer) => Promise<A>) => {
  const server = await startServer(options)
  return use(server).finally(() => server.stop())
}

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const token = () => crypto.randomUUID().replaceAll("-", "")
const device = (more: object = {}) => ({ platform: "ios", token: token(), ...more })
const ask = (
  method: string,
  path: string,
  authorization: string,
  body?: unknown,
  headers: Record<string, string> = {}
) => server.call(method, path, { ...(body === undefined ? {} : { body }), headers: { authorization, ...headers } })
const codeOf = ({ json, status }: { readonly json: any; readonly status: number }) => [status, json.error.code]
const hashOf = (userId: string, secret = server.ours.identitySecret) =>
  createHmac("sha256", secret).update(userId).digest("hex")
const asPublic = () => `Public ${server.ours.publicKey}`
const asSecret = () => `ApiKey ${server.ours.secretKey}`
const URL_OK = "https://93.184.216.34/webhook"

describe("4.1 public surface", () => {
  it("POST /public/devices answers 201 with id and created, the same row again", async () => {
    const body = device()
    const first = await ask("POST", "/api/v1/public/devices", asPublic(), body)
    expect([first.status, first.json.created]).toEqual([201, true])
    const again = await ask("POST", "/api/v1/public/devices", asPublic(), body)
    expect([again.status, again.json]).toEqual([201, { id: first.json.id, created: false }])
  })

  it("DELETE /public/devices answers 200", async () => {
    const body = device()
    await ask("POST", "/api/v1/public/devices", asPublic(), body)
    expect((await ask("DELETE", "/api/v1/public/devices", asPublic(), { token: body.token })).status).toBe(200)
  })

  it("GET /public/apps/:id/vapid answers the application's public key", async () => {
    await ask("PUT", "/api/v1/credentials/webpush", asSecret(), { subject: "mailto:push@example.com" })
    const answer = await ask("GET", `/api/v1/public/apps/${server.ours.appId}/vapid`, asPublic())
    expect(answer.status).toBe(200)
    expect(Buffer.from(answer.json.public_key, "base64url")).toHaveLength(65)
  })

  it("has these operations, and no other takes a public key", () => {
    const served = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.some((scheme) => "publicKey" in scheme))
        .map(([method]) => `${method.toUpperCase()} ${path}`)
    )
    expect(served.sort()).toEqual(
      [
        "POST /api/v1/public/devices",
        "DELETE /api/v1/public/devices",
        "POST /api/v1/events",
        "POST /api/v1/track",
        "GET /api/v1/public/inbox",
        "GET /api/v1/public/inbox/unread_count",
        "POST /api/v1/public/inbox/{id}/read",
        "POST /api/v1/public/inbox/read_all",
        "GET /api/v1/public/apps/{id}/vapid",
        // Live updates of the inbox, beyond the table.
        "GET /api/v1/public/inbox/stream"
      ].sort()
    )
  })
})

describe("5.1 secret API key", () => {
  it("header: `Authorization: ApiKey`, and no other scheme word", async () => {
    expect((await ask("GET", "/api/v1/devices", asSecret())).status).toBe(200)
    for (const word of ["Public", "Bearer", "Basic"]) {
      expect(codeOf(await ask("GET", "/api/v1/devices", `${word} ${server.ours.secretKey}`))).toEqual([
        401,
        "unauthorized"
      ])
    }
  })

  it("scope: one application", async () => {
    const { json } = await ask("POST", "/api/v1/webhooks", asSecret(), { name: "n", url: URL_OK })
    const path = `/api/v1/webhooks/${json.id}`
    expect((await ask("GET", path, asSecret())).status).toBe(200)
    expect(codeOf(await ask("GET", path, `ApiKey ${server.theirs.secretKey}`))).toEqual([404, "not_found"])
  })

  it("creation: the plaintext is shown once, and only a hash is kept", async () => {
    const made = (await ask("POST", "/api/v1/api-keys", asSecret(), { kind: "secret", name: "second" })).json
    expect(made.key).toMatch(/^sk_/)
    expect((await ask("GET", "/api/v1/devices", `ApiKey ${made.key}`)).status).toBe(200)
    expect((await ask("GET", "/api/v1/api-keys", asSecret())).text).not.toContain(made.key)
    const kept = await server.sql`SELECT k::text FROM api_keys k WHERE id = ${made.id}`
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(made.key)
  })

  it("revocation: a revoked key is refused", async () => {
    const made = (await ask("POST", "/api/v1/api-keys", asSecret(), { kind: "secret", name: "leaked" })).json
    expect((await ask("DELETE", `/api/v1/api-keys/${made.id}`, asSecret())).status).toBe(200)
    expect(codeOf(await ask("GET", "/api/v1/devices", `ApiKey ${made.key}`))).toEqual([401, "unauthorized"])
  })
})

describe("5.2 public API key", () => {
  it("header: restricted to the public surface under any scheme word", async () => {
    for (const word of ["Public", "ApiKey", "Bearer"]) {
      const key = `${word} ${server.ours.publicKey}`
      expect((await ask("POST", "/api/v1/public/devices", key, device())).status).toBe(201)
      expect(codeOf(await ask("GET", "/api/v1/devices", key))).toEqual([403, "forbidden"])
    }
  })

  it("elsewhere: any other endpoint answers 403 forbidden, whatever is sent", async () => {
    for (const [path, methods] of Object.entries(server.document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        if (security.length === 0 || security.some((scheme) => "publicKey" in scheme)) continue
        const there = path.replace(/\{[^}]+\}/g, crypto.randomUUID())
        const answer = await ask(method.toUpperCase(), there, asPublic(), method === "get" ? undefined : { odd: 1 })
        expect([path, ...codeOf(answer)]).toEqual([path, 403, "forbidden"])
      }
    }
  })

  it("CORS: public endpoints answer for any origin", async () => {
    const origin = { origin: "https://shop.example" }
    const answer = await ask("POST", "/api/v1/public/devices", asPublic(), device(), origin)
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    const preflight = await server.call("OPTIONS", "/api/v1/public/devices", {
      headers: { ...origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" }
    })
    expect(preflight.status).toBeLessThan(300)
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("x-identity-hash")
  })
})

describe("5.3 identity verification", () => {
  const claim = (headers: Record<string, string>, key = asPublic()) =>
    ask("POST", "/api/v1/public/devices", key, device({ user_id: "user-1" }), headers)

  it("1: a claimed user_id needs the hexadecimal HMAC-SHA256 of it", async () => {
    expect((await claim({ "x-identity-hash": hashOf("user-1") })).status).toBe(201)
  })

  it("3: a new application has it on", async () => {
    expect((await ask("GET", "/api/v1/application", asSecret())).json.identity_verification).toBe(true)
  })

  it("3: the secret can be issued anew, is shown once, and takes the place of the one before", () =>
    withServer({}, async (other) => {
      const { secretKey: key } = other.ours
      const { json } = await other.call("POST", "/api/v1/application/identity-secret", { key, body: {} })
      const said = Object.values(json as Record<string, unknown>).find(
        (value) => typeof value === "string" && value.length > 30
      )
      const register = (secret: string) =>
        other.call("POST", "/api/v1/public/devices", {
          key: other.ours.publicKey,
          body: device({ user_id: "u" }),
          headers: { "x-identity-hash": hashOf("u", secret) }
        })
      expect((await register(String(said))).status).toBe(201)
      expect(codeOf(await register(other.ours.identitySecret))).toEqual([401, "identity_unverified"])
      expect((await other.call("GET", "/api/v1/application", { key })).text).not.toContain(String(said))
    }))

  it.each([
    ["none", {}],
    ["another user's", { "x-identity-hash": createHmac("sha256", "x").update("user-2").digest("hex") }],
    ["one that is too short", { "x-identity-hash": "ab" }]
  ])("4: without a valid hash (%s) the answer is 401 identity_unverified", async (_, headers) => {
    expect(codeOf(await claim(headers))).toEqual([401, "identity_unverified"])
  })

  it("5: an anonymous device needs no hash", async () => {
    expect((await ask("POST", "/api/v1/public/devices", asPublic(), device())).status).toBe(201)
  })

  it("6: it can be switched off, with a warning", () =>
    withServer({}, async (other) => {
      const { publicKey, secretKey: key } = other.ours
      const off = await other.call("PATCH", "/api/v1/application", { key, body: { identity_verification: false } })
      expect(off.json.warnings).not.toEqual([])
      const body = device({ user_id: "user-1" })
      expect((await other.call("POST", "/api/v1/public/devices", { key: publicKey, body })).status).toBe(201)
    }))
})

describe("7 errors", () => {
  it("forbidden, 403: a public key on a non-public endpoint", async () => {
    expect(codeOf(await ask("GET", "/api/v1/webhooks", asPublic()))).toEqual([403, "forbidden"])
  })

  it.each(["", "ApiKey", "ApiKey sk_unknown", "Public pk_unknown", "nonsense"])(
    "unauthorized, 401: credentials %j",
    async (authorization) => {
      expect(codeOf(await ask("GET", "/api/v1/webhooks", authorization))).toEqual([401, "unauthorized"])
    }
  )

  it("unauthorized, 401: a public key of another application", async () => {
    const path = `/api/v1/public/apps/${server.ours.appId}/vapid`
    expect(codeOf(await ask("GET", path, `Public ${server.theirs.publicKey}`))).toEqual([401, "unauthorized"])
  })

  it("identity_unverified, 401", async () => {
    const body = device({ user_id: "u" })
    expect(codeOf(await ask("POST", "/api/v1/public/devices", asPublic(), body))).toEqual([401, "identity_unverified"])
  })

  it("validation_error, 400, with the field", async () => {
    const answer = await ask("POST", "/api/v1/public/devices", asPublic(), { platform: "tv" })
    expect(codeOf(answer)).toEqual([400, "validation_error"])
    expect(answer.json.error.details.map(({ field }: { field: string }) => field).sort()).toEqual(["platform", "token"])
  })

  it("400: an unknown event name when a webhook is created", async () => {
    const body = { name: "n", url: URL_OK, events: ["NOTIFICATION_LOST"] }
    expect((await ask("POST", "/api/v1/webhooks", asSecret(), body)).status).toBe(400)
  })

  it("rate_limited, 429: until the reset moment", () =>
    withServer({ rateLimits: { secret: budget(1) } }, async (other) => {
      const list = () => other.call("GET", "/api/v1/devices", { key: other.ours.secretKey })
      await list()
      const refused = await list()
      expect(codeOf(refused)).toEqual([429, "rate_limited"])
      const reset = Number(refused.headers.get("x-ratelimit-reset")) * 1000
      expect(reset + 1000).toBeGreaterThan(Date.now())
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    }))

  it("rate_limiter_unavailable, 503: rejected, not let through, with Retry-After in seconds", () =>
    withServer({}, async (other) => {
      other.limiterOutage.isDown = true
      const body = device()
      const refused = await other.call("POST", "/api/v1/public/devices", { key: other.ours.publicKey, body })
      expect(codeOf(refused)).toEqual([503, "rate_limiter_unavailable"])
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
      expect(await other.count("devices")).toBe(0)
    }))
})

describe("8 limits", () => {
  it("the three rate-limit headers are on every response, errors included", async () => {
    const answers = [
      await ask("GET", "/api/v1/devices", asSecret()),
      await ask("GET", "/api/v1/devices", ""),
      await ask("GET", "/api/v1/devices", asPublic()),
      await ask("GET", `/api/v1/devices/${crypto.randomUUID()}`, asSecret()),
      await ask("POST", "/api/v1/public/devices", asPublic(), {}),
      await server.call("GET", "/nothing")
    ]
    for (const { headers } of answers) {
      for (const name of ["limit", "remaining", "reset"]) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 403, 404, 400, 404])
  })

  it("registration of devices has a bucket of its own, narrower than the public key's", () => {
    const { devices, public: others } = read({}).rateLimits
    expect(devices.requests / devices.windowMs).toBeLessThan(others.requests / others.windowMs)
  })

  it("an application has at most 20 webhooks", () =>
    withServer({}, async (other) => {
      const create = () =>
        other.call("POST", "/api/v1/webhooks", { key: other.ours.secretKey, body: { name: "n", url: URL_OK } })
      for (let i = 0; i < 20; i++) expect((await create()).status).toBe(201)
      expect(codeOf(await create())).toEqual([409, "conflict"])
    }))

  it.each([
    ["name", 120],
    ["secret", 256]
  ])("a webhook's %s has at most %i characters", async (field, most) => {
    const create = (length: number) =>
      ask("POST", "/api/v1/webhooks", asSecret(), { name: "n", url: URL_OK, [field]: "x".repeat(length) })
    expect((await create(most)).status).toBe(201)
    expect((await create(most + 1)).status).toBe(400)
  })

  it("a webhook's receiver has 10 seconds", () => {
    expect(read({}).engine.webhookTimeoutMs).toBe(10_000)
  })

  it("a webhook has 6 attempts, from 30 seconds doubled, about 15 minutes in total", () => {
    const { webhookRetryDelaysMs: delays } = read({}).engine
    expect(delays).toEqual([30_000, 60_000, 120_000, 240_000, 480_000])
    expect(delays.reduce((sum, ms) => sum + ms, 0) / 60_000).toBe(15.5)
  })

  it("a webhook is disabled after 50 failed deliveries in a row", () => {
    expect(read({}).engine.webhookDisableAfter).toBe(50)
  })

  it("a signature is good for 5 minutes", () => {
    const header = `t=1000, v1=${createHmac("sha256", "s").update("1000.{}").digest("hex")}`
    expect([700, 1300].map((now) => verifyWebhook("{}", header, "s", { now }))).toEqual([true, true])
    expect([699, 1301].map((now) => verifyWebhook("{}", header, "s", { now }))).toEqual([false, false])
  })
})
