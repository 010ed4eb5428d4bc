import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { registerExample } from "../../../../src/http/endpoints/Devices.ts"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const token = () => crypto.randomUUID().replaceAll("-", "")
const register = (body: unknown, key = server.ours.publicKey, headers: Record<string, string> = {}) =>
  server.call("POST", "/api/v1/public/devices", { key, body, headers })
const deviceOf = async (id: string, { secretKey } = server.ours) =>
  (await server.call("GET", `/api/v1/devices/${id}`, { key: secretKey })).json
const isKept = async ({ appId }: Tenant, token: string) =>
  (await server.sql`SELECT 1 FROM devices WHERE app_id = ${appId} AND token = ${token}`).length === 1

const point = Buffer.from(registerExample.web_push_p256dh, "base64url")
const pointWith = (change: (bytes: Buffer) => void) => {
  const bytes = Buffer.from(point)
  change(bytes)
  return bytes.toString("base64url")
}
const OFF_CURVE = pointWith((bytes) => void (bytes[64]! ^= 1))
const COMPRESSED = Buffer.concat([Buffer.of(2 + (point[64]! & 1)), point.subarray(1, 33)]).toString("base64url")
/** An x that is no number below p. */
const BEYOND = pointWith((bytes) => bytes.fill(0xff, 1, 33))

describe("POST /api/v1/public/devices", () => {
  it("registers a device and refreshes the same row when its token comes again", async () => {
    const body = { token: token(), platform: "ios", tags: ["a"] }
    const first = await register(body)
    expect(first.status).toBe(201)
    expect(first.json).toEqual({ id: first.json.id, created: true })
    const second = await register(body)
    expect(second.status).toBe(201)
    expect(second.json).toEqual({ id: first.json.id, created: false })
  })

  it("keeps every field of the request", async () => {
    const hash = server.keys.hmac(server.ours.identitySecret, registerExample.user_id)
    const { json } = await register(
      { ...registerExample, environment: "sandbox", metadata: { a: { b: [1, null, "ü"] } } },
      server.ours.publicKey,
      { "X-Identity-Hash": hash }
    )
    expect(await deviceOf(json.id)).toMatchObject({
      user_id: "user-42",
      tags: ["news", "beta"],
      timezone: "Europe/Berlin",
      environment: "sandbox",
      metadata: { a: { b: [1, null, "ü"] } }
    })
  })

  it("accepts an anonymous device without a hash, user_id null included", async () => {
    expect((await register({ token: token(), platform: "ios" })).status).toBe(201)
    expect((await register({ token: token(), platform: "ios", user_id: null })).status).toBe(201)
  })

  it("refuses a claimed user_id without its hash, with a wrong one, and with a malformed one", async () => {
    const body = { token: token(), platform: "ios", user_id: "Zoë" }
    const good = server.keys.hmac(server.ours.identitySecret, "Zoë")
    const ofAnother = server.keys.hmac(server.theirs.identitySecret, "Zoë")
    // The same name in another Unicode normal form is other bytes.
    const decomposed = server.keys.hmac(server.ours.identitySecret, "Zoë".normalize("NFD"))
    for (const hash of [undefined, "", "zz", good.slice(1), `${good}00`, ofAnother, decomposed]) {
      const answer = await register(body, server.ours.publicKey, hash === undefined ? {} : { "X-Identity-Hash": hash })
      expect(answer.status).toBe(401)
      expect(answer.json.error.code).toBe("identity_unverified")
    }
    expect(await isKept(server.ours, body.token)).toBe(false)
    expect((await register(body, server.ours.publicKey, { "X-Identity-Hash": good })).status).toBe(201)
    expect((await register(body, server.ours.publicKey, { "X-Identity-Hash": good.toUpperCase() })).status).toBe(201)
  })

  it("asks no hash of a server with its secret key, nor of anybody when the application has it off", async () => {
    const body = { token: token(), platform: "ios", user_id: "u" }
    expect((await register(body, server.ours.secretKey)).status).toBe(201)
    const relaxed = await server.makeTenant()
    await server.call("PATCH", "/api/v1/application", {
      key: relaxed.secretKey,
      body: { identity_verification: false }
    })
    expect((await register(body, relaxed.publicKey)).status).toBe(201)
  })

  it.each([
    ["no token", { platform: "ios" }, "token", "is required"],
    ["a token of another type", { token: 7, platform: "ios" }, "token", "must be a string"],
    ["an empty token", { token: "", platform: "android" }, "token", "must not be empty"],
    ["an oversized token", { token: "a".repeat(5000), platform: "android" }, "token", "at most 4096"],
    ["no platform", { token: "ab" }, "platform", "is required"],
    ["an unknown platform", { token: "ab", platform: "windows" }, "platform", 'must be "ios" or "android" or "web"'],
    ["a token that is not of APNs", { token: "xyz", platform: "ios" }, "token", "hexadecimal"],
    ["a web token that is no URL", { ...registerExample, token: "abc" }, "token", "https URL"],
    ["a loopback endpoint", { ...registerExample, token: "https://127.0.0.1/send/1" }, "token", "must be public"],
    ["a private endpoint", { ...registerExample, token: "https://0xa.1.2.3:8443/send/1" }, "token", "must be public"],
    ["an endpoint of this IPv6 host", { ...registerExample, token: "https://[::1]/send/1" }, "token", "must be public"],
    ["an endpoint with a user", { ...registerExample, token: "https://u:p@example.com/" }, "token", "a password"],
    ["an endpoint at port 0", { ...registerExample, token: "https://example.com:0/" }, "token", "port"],
    ["no p256dh for web", { ...registerExample, web_push_p256dh: undefined }, "web_push_p256dh", "is required"],
    ["no auth for web", { ...registerExample, web_push_auth: undefined }, "web_push_auth", "is required"],
    ["a token of half a byte too many", { token: "a".repeat(65), platform: "ios" }, "token", "hexadecimal"],
    ["an endpoint without TLS", { ...registerExample, token: "http://example.com/send/1" }, "token", "https URL"],
    ["an endpoint that cannot exist", { ...registerExample, token: "https://push.invalid/1" }, "token", "not exist"],
    ["a label that is too long", { ...registerExample, token: `https://${"a".repeat(64)}.com/` }, "token", "not exist"],
    ["an empty label", { ...registerExample, token: "https://push..example.com/" }, "token", "not exist"],
    ["a p256dh off the curve", { ...registerExample, web_push_p256dh: OFF_CURVE }, "web_push_p256dh", "P-256"],
    ["a compressed p256dh", { ...registerExample, web_push_p256dh: COMPRESSED }, "web_push_p256dh", "65 bytes"],
    ["a p256dh beyond the field", { ...registerExample, web_push_p256dh: BEYOND }, "web_push_p256dh", "P-256"],
    ["a p256dh of other letters", { ...registerExample, web_push_p256dh: "!".repeat(87) }, "web_push_p256dh", "P-256"],
    ["a p256dh of zeros", { ...registerExample, web_push_p256dh: `BA${"A".repeat(85)}` }, "web_push_p256dh", "P-256"],
    ["a padded auth", { ...registerExample, web_push_auth: "BTBZMqHH6r4Tts7J/aSIgg==" }, "web_push_auth", "16 bytes"],
    ["a tag that is no string", { token: "ab".repeat(9), platform: "ios", tags: ["a", 4] }, "tags[1]", "a string"],
    ["a hundred and one tags", { token: "ab".repeat(9), platform: "ios", tags: Array(101).fill("a") }, "tags", "100"],
    ["no such timezone", { token: "ab".repeat(9), platform: "ios", timezone: "Mars/Olympus" }, "timezone", "IANA"],
    ["metadata that is a list", { token: "ab".repeat(9), platform: "ios", metadata: [] }, "metadata", "an object"],
    [
      "large metadata",
      { token: "ab".repeat(9), platform: "ios", metadata: { a: "x".repeat(4096) } },
      "metadata",
      "4096"
    ],
    [
      "an unknown environment",
      { token: "ab".repeat(9), platform: "ios", environment: "dev" },
      "environment",
      "sandbox"
    ],
    [
      "a field that is misspelt",
      { token: "ab".repeat(9), platform: "ios", usr_id: "u" },
      "usr_id",
      "is not a known field"
    ],
    ["a list instead of an object", [], "body", "must be an object"],
    ["a bare string", "device", "body", "must be an object"]
  ])("refuses %s and stores nothing", async (_, body, field, message) => {
    const before = await server.count("devices")
    const answer = await register(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe("validation_error")
    expect(answer.json.error.details).toContainEqual({ field, message: expect.stringContaining(message) })
    expect(await server.count("devices")).toBe(before)
  })

  it("takes the same iOS token in capitals for the same device, and removes it by either", async () => {
    const hex = token().toUpperCase()
    const first = await register({ token: hex, platform: "ios" })
    const again = await register({ token: hex.toLowerCase(), platform: "ios" })
    expect([first.json.created, again.json]).toEqual([true, { id: first.json.id, created: false }])
    const path = `/api/v1/devices/${first.json.id}`
    expect((await server.call("GET", path, { key: server.ours.secretKey })).json.token).toBe(hex.toLowerCase())
    const removed = await server.call("DELETE", "/api/v1/public/devices", {
      key: server.ours.publicKey,
      body: { token: hex }
    })
    expect(removed.json).toEqual({ deleted: true })
  })

  it("says everything about its device: what a registration leaves out is forgotten, whose device it was first", async () => {
    const body = { token: token(), platform: "ios" }
    const full = {
      ...body,
      user_id: "ann",
      tags: ["a"],
      timezone: "Asia/Tokyo",
      environment: "sandbox",
      metadata: { a: 1 }
    }
    const { id } = (await register(full, server.ours.secretKey)).json
    const read = async () => (await server.call("GET", `/api/v1/devices/${id}`, { key: server.ours.secretKey })).json
    expect(await read()).toMatchObject(full)
    expect((await register(body)).json).toEqual({ id, created: false })
    expect(await read()).toMatchObject({
      ...body,
      user_id: null,
      tags: [],
      timezone: null,
      environment: "production",
      metadata: {}
    })
  })

  it("takes an endpoint in a network that the operator has opened", async () => {
    expect((await register({ ...registerExample, user_id: null, token: "https://198.18.7.1/send/1" })).status).toBe(201)
  })

  it("tells all that is wrong at once", async () => {
    const { json } = await register({ platform: "tv", tags: "x", extra: 1 })
    expect(json.error.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      "extra",
      "platform",
      "tags",
      "token"
    ])
  })
})

describe("DELETE /api/v1/public/devices", () => {
  it("removes the device with this token, and succeeds again", async () => {
    const body = { token: token(), platform: "ios" }
    await register(body)
    const remove = () =>
      server.call("DELETE", "/api/v1/public/devices", { key: server.ours.publicKey, body: { token: body.token } })
    expect((await remove()).json).toEqual({ deleted: true })
    const again = await remove()
    expect(again.status).toBe(200)
    expect(again.json).toEqual({ deleted: false })
  })

  it("leaves the device of another application with the same token", async () => {
    const body = { token: token(), platform: "ios" }
    await register(body, server.theirs.publicKey)
    await server.call("DELETE", "/api/v1/public/devices", { key: server.ours.publicKey, body: { token: body.token } })
    expect(await isKept(server.theirs, body.token)).toBe(true)
  })
})

describe("devices on the secret surface", () => {
  it("lists pages that together are every device once, and filters them", async () => {
    const tenant = await server.makeTenant()
    for (let i = 0; i < 7; i++) {
      await register(
        { token: token(), platform: i % 2 === 0 ? "ios" : "android", ...(i < 3 ? { user_id: "u1" } : {}) },
        tenant.secretKey
      )
    }
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? "limit=3" : `limit=3&cursor=${cursor}`
      const { json } = await server.call("GET", `/api/v1/devices?${query}`, { key: tenant.secretKey })
      expect(json.data.length).toBeLessThanOrEqual(3)
      seen.push(...json.data.map((device: { id: string }) => device.id))
      cursor = json.next_cursor
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(7)
    expect(seen.length).toBe(7)
    const ios = await server.call("GET", "/api/v1/devices?platform=ios", { key: tenant.secretKey })
    expect(ios.json.data.length).toBe(4)
    const ofUser = await server.call("GET", "/api/v1/devices?user_id=u1&platform=android", { key: tenant.secretKey })
    expect(ofUser.json.data).toMatchObject([{ user_id: "u1", platform: "android", status: "active" }])
  })

  it("filters by every condition, lists of tags among them, and names what is none", async () => {
    const tenant = await server.makeTenant()
    const key = tenant.secretKey
    await register({ token: token(), platform: "ios", tags: ["a", "b"], environment: "sandbox" }, key)
    await register({ token: token(), platform: "ios", tags: ["b"] }, key)
    await register({ token: token(), platform: "android" }, key)
    const count = async (query: string) =>
      (await server.call("GET", `/api/v1/devices?${query}`, { key })).json.data.length as number
    expect(await count("tags_any=a")).toBe(1)
    expect(await count("tags_any=a&tags_any=b")).toBe(2)
    expect(await count("tags_all=a&tags_all=b")).toBe(1)
    expect(await count("environment=sandbox")).toBe(1)
    expect(await count("status=invalid")).toBe(0)
    expect(await count("created_from=2020-01-01T00:00:00Z&last_seen_from=2020-01-01T00:00:00%2B02:00")).toBe(3)
    expect(await count("last_seen_before=2020-01-01T00:00:00Z")).toBe(0)
    for (const [query, field] of [
      ["created_from=yesterday", "created_from"],
      ["last_seen_before=2020-02-31T00:00:00Z", "last_seen_before"],
      ["environment=staging", "environment"],
      ["tags_any=", "tags_any[0]"],
      ["tag=a", "tag"],
      ["user_id=a%00b", "user_id"]
    ]) {
      const refused = await server.call("GET", `/api/v1/devices?${query}`, { key })
      expect(refused.status).toBe(400)
      expect(refused.json.error.details[0].field).toBe(field)
    }
  })

  it("changes a device field by field, and refuses what is the device itself", async () => {
    const { json } = await register(
      { token: token(), platform: "ios", user_id: "u", tags: ["a"] },
      server.ours.secretKey
    )
    const path = `/api/v1/devices/${json.id}`
    const change = (body: unknown, key = server.ours.secretKey) => server.call("PATCH", path, { key, body })
    const changed = await change({ user_id: null, tags: ["b"], metadata: { a: 1 } })
    expect(changed.json).toMatchObject({ id: json.id, platform: "ios", user_id: null, tags: ["b"], metadata: { a: 1 } })
    for (const body of [{ token: "ab".repeat(32) }, { platform: "web" }, { tags: "b" }, { environment: null }]) {
      expect((await change(body)).status).toBe(400)
    }
    expect((await change({ tags: [] }, server.theirs.secretKey)).status).toBe(404)
    expect((await server.call("GET", path, { key: server.ours.secretKey })).json).toEqual(changed.json)
  })

  it("reads and removes a device by its id, in any case of letters", async () => {
    const { json } = await register({ token: token(), platform: "ios" })
    const path = `/api/v1/devices/${json.id.toUpperCase()}`
    const read = await server.call("GET", path, { key: server.ours.secretKey })
    expect(read.json).toMatchObject({ id: json.id, platform: "ios", environment: "production", invalid_reason: null })
    expect((await server.call("DELETE", path, { key: server.ours.secretKey })).json).toEqual({ deleted: true })
    expect((await server.call("GET", path, { key: server.ours.secretKey })).status).toBe(404)
    expect((await server.call("DELETE", path, { key: server.ours.secretKey })).status).toBe(404)
  })

  it("answers for another application's device as for one that does not exist", async () => {
    const { json } = await register({ token: token(), platform: "ios" }, server.theirs.publicKey)
    for (const method of ["GET", "DELETE"]) {
      const answer = await server.call(method, `/api/v1/devices/${json.id}`, { key: server.ours.secretKey })
      const unknown = await server.call(method, `/api/v1/devices/${crypto.randomUUID()}`, {
        key: server.ours.secretKey
      })
      expect(answer.status).toBe(404)
      expect(answer.json.error.message).toBe(unknown.json.error.message)
    }
    expect(await deviceOf(json.id, server.theirs)).toMatchObject({ id: json.id })
  })
})
