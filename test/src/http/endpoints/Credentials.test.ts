import { Effect, Option } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CredentialKind } from "../../../../services/domain/sending/Credential.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const put = (kind: string, body: unknown, key = server.ours.secretKey) =>
  server.call("PUT", `/api/v1/credentials/${kind}`, { key, body })
/** As it is kept, secrets included. */
const kept = async ({ appId }: Tenant, kind: CredentialKind) =>
  Option.map(
    await server.run(Effect.flatMap(CredentialStore, (store) => store.find(appId, kind))),
    ({ config }) => config.value
  )
const get = (path: string, key = server.ours.secretKey) => server.call("GET", `/api/v1/credentials${path}`, { key })

const pkcs8 = { type: "pkcs8", format: "pem" } as const
const ecKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pkcs8) as string
const rsaKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8) as string
const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export(pkcs8) as string
const pkcs1 = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" })
const shortRsa = generateKeyPairSync("rsa", { modulusLength: 512 }).privateKey.export(pkcs8) as string
/** DER of one value, and an RSA key of numbers that need not fit each other: signing takes as long as they are large. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const rsaOf = (...sizes: ReadonlyArray<number>): string => {
  const numbers = sizes.map((bytes) => {
    const number = bytes === 3 ? Buffer.from([1, 0, 1]) : Buffer.alloc(bytes, 0x55)
    number[number.length - 1]! |= 1
    return der(2, number)
  })
  const algorithm = Buffer.from("300d06092a864886f70d0101010500", "hex")
  const key = der(0x30, der(2, Buffer.from([0])), ...numbers)
  const text = der(0x30, der(2, Buffer.from([0])), algorithm, der(4, key)).toString("base64")
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`
}
/** The frame of a key without the key. */
const scrambled = (pem: string) => pem.replace(/\n[A-Za-z0-9+/=\n]+\n/, `\n${"QUJD".repeat(40)}\n`)
const ON_CURVE = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
const OFF_CURVE = ON_CURVE.replace("BCV", "BCW")
const apns = { team_id: "ABCDE12345", key_id: "FGHIJ67890", bundle_id: "com.example", private_key: ecKey }
const account = { project_id: "p", client_email: "a@p.example", private_key: rsaKey, private_key_id: "k1", type: "x" }
const smtp = { url: "smtp://user:hunter2@93.184.216.34:2525", from: "News <news@example.com>" }

const KEY = "service_account.private_key"

describe("credentials", () => {
  it("are set, listed, read and removed, and never show a secret", async () => {
    const tenant = await server.makeTenant()
    const key = tenant.secretKey
    const answers = [
      await put("apns", apns, key),
      await put("fcm", { service_account: account }, key),
      await put("smtp", smtp, key),
      await put("webpush", { subject: "mailto:a@example.com" }, key)
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const pair = Option.getOrThrow(await kept(tenant, "webpush")) as { readonly private_key: string }
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

  it.each([
    ["smtp://127.0.0.1:1025", "OUTBOUND_ALLOW_CIDRS=127.0.0.1/32"],
    ["smtp://localhost:1025", "OUTBOUND_ALLOW_CIDRS=127.0.0.1/32"],
    ["smtp://[fd00::5]:25", "OUTBOUND_ALLOW_CIDRS=fd00::5/128"]
  ])("of a mail server at %s name the setting that opens its network", async (url, setting) => {
    const { json, status } = await put("smtp", { ...smtp, url })
    expect(status).toBe(400)
    expect(json.error.details).toEqual([
      {
        field: "url",
        message: `cannot be called: the address is not allowed: it must be public, unless the operator of this service opens its network with ${setting}`
      }
    ])
  })

  it("of FCM are taken as the file that Google hands out, in the documented field or by itself", async () => {
    const tenant = await server.makeTenant()
    const file = { ...account, type: "service_account" }
    for (const endpoint of [{}, { endpoint: "https://93.184.216.34" }]) {
      expect((await put("fcm", { ...file, ...endpoint }, tenant.secretKey)).status).toBe(200)
      expect(await kept(tenant, "fcm")).toEqual(Option.some({ service_account: file, ...endpoint }))
      expect((await put("fcm", { service_account: file, ...endpoint }, tenant.secretKey)).status).toBe(200)
      expect(await kept(tenant, "fcm")).toEqual(Option.some({ service_account: file, ...endpoint }))
    }
    const broken = await put("fcm", { ...file, client_email: "nobody" }, tenant.secretKey)
    expect(broken.json.error.details).toMatchObject([{ field: "service_account.client_email" }])
  })

  it("of web push keep their keys when only the subject changes, and take keys that are given", async () => {
    const tenant = await server.makeTenant()
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
    ["apns", { ...apns, private_key: otherCurve }, "private_key"],
    ["apns", { ...apns, private_key: scrambled(ecKey) }, "private_key"],
    ["fcm", { service_account: { ...account, private_key: scrambled(rsaKey) } }, "service_account.private_key"],
    ["fcm", { service_account: { ...account, private_key: pkcs1 } }, "service_account.private_key"],
    ["fcm", { service_account: { ...account, private_key: shortRsa } }, "service_account.private_key"],
    // Modulus, public exponent, private exponent, both factors, and what Chinese remainders need of them.
    ["fcm", { service_account: { ...account, private_key: rsaOf(2048, 3, 2048, ...Array(5).fill(1024)) } }, KEY],
    ["fcm", { service_account: { ...account, private_key: rsaOf(520, 3, 520, ...Array(5).fill(260)) } }, KEY],
    ["fcm", { service_account: { ...account, private_key: rsaOf(256, 255, 256, ...Array(5).fill(128)) } }, KEY],
    ["fcm", { service_account: { ...account, private_key: rsaOf(256, 3, 256, ...Array(5).fill(900)) } }, KEY],
    ["fcm", { service_account: { ...account, private_key: rsaOf(256, 3, 900, ...Array(5).fill(128)) } }, KEY],
    ["webpush", { subject: "mailto:" }, "subject"],
    ["webpush", { subject: "mailto:nobody" }, "subject"],
    ["webpush", { subject: "mailto:a@example.com?subject=x" }, "subject"],
    ["webpush", { subject: "https:" }, "subject"],
    ["webpush", { subject: " https://example.com" }, "subject"],
    ["webpush", { subject: "mailto:a@example.com", public_key: OFF_CURVE, private_key: "A".repeat(43) }, "public_key"],
    ["webpush", { subject: "mailto:a@example.com", public_key: ON_CURVE, private_key: "A".repeat(43) }, "private_key"],
    ["webpush", { subject: "a@example.com" }, "subject"],
    ["webpush", { subject: "mailto:a@example.com", public_key: ON_CURVE }, "private_key"],
    ["smtp", { ...smtp, url: "smtp://192.168.0.1" }, "url"],
    ["smtp", { ...smtp, url: "http://93.184.216.34" }, "url"],
    ["smtp", { ...smtp, url: "smtp://user:100%secret@93.184.216.34" }, "url"],
    ["smtp", { ...smtp, from: "a@b.example\r\nBcc: c@d.example" }, "from"],
    ["smtp", { ...smtp, password: "x" }, "password"]
  ])("of %s are refused: %#", async (kind, body, field) => {
    const tenant = await server.makeTenant()
    const answer = await put(kind, body, tenant.secretKey)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.map((detail: { field: string }) => detail.field)).toContain(field)
    expect(answer.text).not.toContain("PRIVATE KEY-----\n")
    expect((await get(`/${kind}`, tenant.secretKey)).status).toBe(404)
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
