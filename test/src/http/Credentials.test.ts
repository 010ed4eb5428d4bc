import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "./TestServer.ts"
import { startServer } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const put = (kind: string, body: unknown, key = server.ours.secretKey) =>
  server.call("PUT", `/api/v1/credentials/${kind}`, { key, body })
const get = (path: string, key = server.ours.secretKey) => server.call("GET", `/api/v1/credentials${path}`, { key })

const pkcs8 = { type: "pkcs8", format: "pem" } as const
const ecKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pkcs8) as string
const rsaKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8) as string
const apns = { team_id: "ABCDE12345", key_id: "FGHIJ67890", bundle_id: "com.example", private_key: ecKey }
const account = { project_id: "p", client_email: "a@p.example", private_key: rsaKey, private_key_id: "k1", type: "x" }
const smtp = { url: "smtp://user:hunter2@93.184.216.34:2525", from: "News <news@example.com>" }

describe("credentials", () => {
  it("are set, listed, read and removed, and never show a secret", async () => {
    const tenant = server.makeTenant()
    const key = tenant.secretKey
    const answers = [
      await put("apns", apns, key),
      await put("fcm", { service_account: account }, key),
      await put("smtp", smtp, key),
      await put("webpush", { subject: "mailto:a@example.com" }, key)
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const pair = server.tables.credentials.rows.get(`${tenant.appId}:webpush`)!.config.value as {
      readonly private_key: string
    }
    const list = await get("", key)
    expect(list.json.data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(["apns", "fcm", "smtp", "webpush"])
    for (const { text } of [...answers, list, await get("/apns", key), await get("/smtp", key)]) {
      expect(text).not.toContain("PRIVATE KEY")
      expect(text).not.toContain("private_key")
      expect(text).not.toContain("hunter2")
      expect(text).not.toContain(pair.private_key)
    }
    expect((await get("/smtp", key)).json.settings.url).toBe("smtp://user@93.184.216.34:2525")
    expect((await get("/fcm", key)).json.settings.service_account.project_id).toBe("p")
    const remove = () => server.call("DELETE", "/api/v1/credentials/apns", { key })
    expect((await remove()).json).toEqual({ deleted: true })
    expect((await remove()).status).toBe(404)
    expect((await get("/apns", key)).status).toBe(404)
    expect((await get("/fcm")).status).toBe(404)
  })

  it("of web push keep their keys when only the subject changes, and take keys that are given", async () => {
    const tenant = server.makeTenant()
    const vapid = () => server.call("GET", `/api/v1/public/apps/${tenant.appId}/vapid`, { key: tenant.publicKey })
    const missing = await vapid()
    expect(missing.status).toBe(404)
    expect(missing.json.error.message).toContain("PUT /api/v1/credentials/webpush")

    await put("webpush", { subject: "mailto:a@example.com" }, tenant.secretKey)
    const { public_key: generated } = (await vapid()).json
    expect(generated).toMatch(/^[A-Za-z0-9_-]{87}$/)
    await put("webpush", { subject: "mailto:b@example.com" }, tenant.secretKey)
    expect((await vapid()).json.public_key).toBe(generated)

    const pair = server.keys.vapidPair()
    const given = { subject: "https://example.com", public_key: pair.publicKey, private_key: pair.privateKey }
    expect((await put("webpush", given, tenant.secretKey)).status).toBe(200)
    expect((await vapid()).json.public_key).toBe(pair.publicKey)
  })

  it.each([
    ["apns", { ...apns, team_id: "short" }, "team_id"],
    ["apns", { ...apns, private_key: "secret" }, "private_key"],
    ["apns", { ...apns, bundle_id: "com.example\r\napns-topic: other" }, "bundle_id"],
    ["apns", { ...apns, private_key: rsaKey }, "private_key"],
    ["apns", { ...apns, endpoint: "https://127.0.0.1:9000" }, "endpoint"],
    ["apns", { ...apns, sandbox_endpoint: "http://93.184.216.34" }, "sandbox_endpoint"],
    ["fcm", { service_account: { ...account, private_key: ecKey } }, "service_account.private_key"],
    ["fcm", { service_account: { ...account, client_email: "nobody" } }, "service_account.client_email"],
    ["fcm", { service_account: { ...account, token_uri: "https://10.0.0.1/token" } }, "service_account.token_uri"],
    ["fcm", {}, "service_account"],
    ["webpush", { subject: "a@example.com" }, "subject"],
    ["webpush", { subject: "mailto:a@example.com", public_key: "B".repeat(87) }, "private_key"],
    ["smtp", { ...smtp, url: "smtp://192.168.0.1" }, "url"],
    ["smtp", { ...smtp, url: "http://93.184.216.34" }, "url"],
    ["smtp", { ...smtp, url: "smtp://user:100%secret@93.184.216.34" }, "url"],
    ["smtp", { ...smtp, from: "a@b.example\r\nBcc: c@d.example" }, "from"],
    ["smtp", { ...smtp, password: "x" }, "password"]
  ])("of %s are refused: %#", async (kind, body, field) => {
    const tenant = server.makeTenant()
    const answer = await put(kind, body, tenant.secretKey)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(answer.text).not.toContain("PRIVATE KEY-----\n")
    expect(server.tables.credentials.rows.has(`${tenant.appId}:${kind}`)).toBe(false)
  })

  it("of web push are refused when the halves are of two pairs", async () => {
    const [one, other] = [server.keys.vapidPair(), server.keys.vapidPair()]
    const body = { subject: "mailto:a@example.com", public_key: one.publicKey, private_key: other.privateKey }
    const answer = await put("webpush", body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details[0].field).toBe("private_key")
  })

  it("exist for four kinds only", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await server.call(method, "/api/v1/credentials/pigeon", { key: server.ours.secretKey })
      expect(answer.status).toBe(404)
    }
  })
})

describe("GET /api/v1/public/apps/:id/vapid", () => {
  it("answers 401 to a key of another application, whether the application exists or not", async () => {
    await put("webpush", { subject: "mailto:a@example.com" }, server.theirs.secretKey)
    for (const appId of [server.theirs.appId, crypto.randomUUID()]) {
      for (const key of [server.ours.publicKey, server.ours.secretKey]) {
        const answer = await server.call("GET", `/api/v1/public/apps/${appId}/vapid`, { key })
        expect(answer.status).toBe(401)
        expect(answer.json.error.code).toBe("unauthorized")
      }
    }
  })
})
