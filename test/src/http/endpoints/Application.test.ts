import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { KEYS_PER_APPLICATION } from "../../../../services/domain/access/Application.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const call = (tenant: Tenant, method: string, path: string, body?: unknown, headers = {}) =>
  server.call(method, path, { key: tenant.secretKey, headers, ...(body === undefined ? {} : { body }) })
const registerAs = (tenant: Tenant, secret: string | null) =>
  server.call("POST", "/api/v1/public/devices", {
    key: tenant.publicKey,
    body: { platform: "android", token: crypto.randomUUID(), user_id: "alice" },
    headers: secret === null ? {} : { "x-identity-hash": createHmac("sha256", secret).update("alice").digest("hex") }
  })

describe("API keys", () => {
  it("are made, shown whole once, listed by their first characters, and good at once", async () => {
    const tenant = await server.makeTenant()
    const made = await call(tenant, "POST", "/api/v1/api-keys", { kind: "secret", name: "Billing" })
    expect(made.status).toBe(201)
    const { id, key } = made.json
    expect(key).toMatch(/^sk_[0-9A-Za-z]{32}$/)
    expect(made.json).toMatchObject({ kind: "secret", name: "Billing", prefix: key.slice(0, 8), last_used_at: null })
    expect((await server.call("GET", "/api/v1/devices", { key })).status).toBe(200)
    const list = await call(tenant, "GET", "/api/v1/api-keys?limit=2")
    const rest = await call(tenant, "GET", `/api/v1/api-keys?limit=2&cursor=${list.json.next_cursor}`)
    const listed = [...list.json.data, ...rest.json.data]
    expect(listed.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(["public", "secret", "secret"])
    expect(listed.find((one: { id: string }) => one.id === id)).toMatchObject({ name: "Billing" })
    expect(JSON.stringify(listed)).not.toContain(key)
  })

  it("are no longer shown when the answer is repeated, and made once", async () => {
    const tenant = await server.makeTenant()
    const ask = () =>
      call(tenant, "POST", "/api/v1/api-keys", { kind: "public", name: "App" }, { "idempotency-key": "make-it" })
    const [first, again] = [await ask(), await ask()]
    expect(first.json.key).toMatch(/^pk_/)
    expect([again.status, again.headers.get("idempotent-replayed"), again.json.key]).toEqual([201, "true", null])
    expect(again.json).toEqual({ ...first.json, key: null })
    const kept = await server.sql`SELECT * FROM idempotency_keys WHERE app_id = ${tenant.appId} AND key = 'make-it'`
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(first.json.key)
    expect((await call(tenant, "GET", "/api/v1/api-keys")).json.data.length).toBe(3)
  })

  it("are revoked, but never the last secret one", async () => {
    const tenant = await server.makeTenant()
    const [own] = (await call(tenant, "GET", "/api/v1/api-keys")).json.data.filter(
      ({ kind }: { kind: string }) => kind === "secret"
    )
    const refused = await call(tenant, "DELETE", `/api/v1/api-keys/${own.id}`)
    expect([refused.status, refused.json.error.code]).toEqual([409, "conflict"])
    const { json: successor } = await call(tenant, "POST", "/api/v1/api-keys", { kind: "secret", name: "Successor" })
    expect((await call(tenant, "DELETE", `/api/v1/api-keys/${own.id}`)).json).toEqual({ revoked: true })
    const again = await server.call("DELETE", `/api/v1/api-keys/${own.id}`, { key: successor.key })
    expect(again.status).toBe(404)
  })

  it("of another application do not exist", async () => {
    const [mine, theirs] = [await server.makeTenant(), await server.makeTenant()]
    const { json } = await call(theirs, "POST", "/api/v1/api-keys", { kind: "secret", name: "Theirs" })
    expect((await call(mine, "DELETE", `/api/v1/api-keys/${json.id}`)).status).toBe(404)
    expect((await server.call("GET", "/api/v1/devices", { key: json.key })).status).toBe(200)
  })

  it("are limited in number", async () => {
    const tenant = await server.makeTenant()
    const make = () => call(tenant, "POST", "/api/v1/api-keys", { kind: "public", name: "One of many" })
    for (let count = 2; count < KEYS_PER_APPLICATION; count++) expect((await make()).status).toBe(201)
    const refused = await make()
    expect([refused.status, refused.json.error.code]).toEqual([409, "conflict"])
  })

  it.each([
    {},
    { kind: "secret" },
    { kind: "root", name: "x" },
    { kind: "secret", name: "" },
    { kind: "secret", name: "a\r\nb" },
    { kind: "secret", name: "x".repeat(121) },
    { kind: "secret", name: "x", key: "sk_of_my_own" }
  ])("are not made of %j", async (body) => {
    const answer = await call(server.ours, "POST", "/api/v1/api-keys", body)
    expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"])
  })
})

describe("the application", () => {
  it("shows its options, and warns while identity verification is off", async () => {
    const tenant = await server.makeTenant()
    const before = await call(tenant, "GET", "/api/v1/application")
    expect(before.json).toMatchObject({ id: tenant.appId, identity_verification: true, warnings: [] })
    const off = await call(tenant, "PATCH", "/api/v1/application", { identity_verification: false })
    expect(off.json.identity_verification).toBe(false)
    expect(off.json.warnings).toEqual([expect.stringContaining("public information")])
    expect((await registerAs(tenant, null)).status).toBe(201)
    expect((await call(tenant, "GET", "/api/v1/application")).json).toEqual(off.json)
    const on = await call(tenant, "PATCH", "/api/v1/application", { identity_verification: true, name: "Shop" })
    expect(on.json).toMatchObject({ name: "Shop", identity_verification: true, warnings: [] })
  })

  it.each([{ identity_verification: "no" }, { name: "" }, { id: uuidv7() }, []])("refuses %j", async (body) => {
    const before = await call(server.ours, "GET", "/api/v1/application")
    expect((await call(server.ours, "PATCH", "/api/v1/application", body)).status).toBe(400)
    expect((await call(server.ours, "GET", "/api/v1/application")).json).toEqual(before.json)
  })

  it("issues a new identity secret, before which the one before it is void", async () => {
    const tenant = await server.makeTenant()
    const issued = await call(tenant, "POST", "/api/v1/application/identity-secret", {})
    expect(issued.status).toBe(201)
    expect(issued.json.former_identity_secret_until).toBe(null)
    expect(issued.json.identity_secret.length).toBeGreaterThanOrEqual(32)
    expect((await registerAs(tenant, tenant.identitySecret)).json.error.code).toBe("identity_unverified")
    expect((await registerAs(tenant, issued.json.identity_secret)).status).toBe(201)
  })

  it("lets the identity secret before it overlap where that is asked for", async () => {
    const tenant = await server.makeTenant()
    const issued = await call(tenant, "POST", "/api/v1/application/identity-secret", { overlap_seconds: 600 })
    expect(Date.parse(issued.json.former_identity_secret_until)).toBeGreaterThan(Date.now())
    for (const secret of [tenant.identitySecret, issued.json.identity_secret]) {
      expect((await registerAs(tenant, secret)).status).toBe(201)
    }
    expect((await registerAs(tenant, "neither")).status).toBe(401)
  })

  it("does not show the identity secret again when the answer is repeated", async () => {
    const tenant = await server.makeTenant()
    const ask = () => call(tenant, "POST", "/api/v1/application/identity-secret", {}, { "idempotency-key": "once" })
    const [first, again] = [await ask(), await ask()]
    expect(again.json).toEqual({ ...first.json, identity_secret: null })
    expect((await registerAs(tenant, first.json.identity_secret)).status).toBe(201)
  })

  it.each([{ overlap_seconds: -1 }, { overlap_seconds: 604_801 }, { overlap_seconds: 1.5 }, { secret: "mine" }])(
    "issues no identity secret for %j",
    async (body) => {
      const tenant = await server.makeTenant()
      expect((await call(tenant, "POST", "/api/v1/application/identity-secret", body)).status).toBe(400)
      expect((await registerAs(tenant, tenant.identitySecret)).status).toBe(201)
    }
  )
})

describe("logs", () => {
  it("have nothing of a key or a secret, whatever goes wrong", async () => {
    const tenant = await server.makeTenant()
    const { json: made } = await call(tenant, "POST", "/api/v1/api-keys", { kind: "secret", name: "Hidden" })
    const { json: issued } = await call(tenant, "POST", "/api/v1/application/identity-secret", {})
    const secrets = [made.key, issued.identity_secret, tenant.secretKey, tenant.publicKey]
    server.outage.isDown = true
    for (const key of [made.key, tenant.publicKey]) {
      for (const [method, path] of [
        ["POST", "/api/v1/api-keys"],
        ["GET", `/api/v1/public/inbox?user_id=alice&key=${key}`],
        ["GET", `/api/v1/devices?cursor=${key}`],
        ["GET", "/broken"]
      ] as const) {
        const isWritten = method === "POST"
        const answer = await server.call(method, path, {
          key,
          ...(isWritten ? { body: { kind: "secret", name: key } } : {})
        })
        for (const secret of secrets) expect(answer.text).not.toContain(secret)
      }
    }
    server.outage.isDown = false
    for (const line of server.logs) for (const secret of secrets) expect(line).not.toContain(secret)
    expect(server.logs.length).toBeGreaterThan(0)
  })
})

describe("the audit log", () => {
  it("is shown page by page, to its own application", async () => {
    const tenant = await server.makeTenant()
    const webhook = { name: "n", url: "https://93.184.216.34/webhook" }
    const { id } = (await call(tenant, "POST", "/api/v1/webhooks", webhook)).json
    for (const secret of ["one", "two"]) await call(tenant, "PATCH", `/api/v1/webhooks/${id}`, { secret })
    const keys = (await call(tenant, "GET", "/api/v1/api-keys")).json.data
    const first = await call(tenant, "GET", "/api/v1/audit-log?limit=3")
    const second = await call(tenant, "GET", `/api/v1/audit-log?limit=3&cursor=${first.json.next_cursor}`)
    expect([first.json.data.length, second.json.next_cursor]).toEqual([3, null])
    const shown = [...first.json.data, ...second.json.data]
    expect(shown.map(({ action, target }) => [action, target])).toEqual([
      ["webhook.changed", id],
      ["webhook.changed", id],
      ["webhook.created", id],
      ["application.created", tenant.appId]
    ])
    const [entry] = await server.sql`SELECT id, at FROM audit_log WHERE target = ${id} ORDER BY id DESC LIMIT 1`
    expect(shown[0]).toEqual({
      id: entry.id,
      at: entry.at.toISOString(),
      actor: { kind: "key", id: keys.find(({ kind }: { kind: string }) => kind === "secret").id, email: null },
      action: "webhook.changed",
      target: id,
      details: { fields: ["secret"] }
    })
    const other = await server.makeTenant()
    expect((await call(other, "GET", "/api/v1/audit-log")).json.data).toMatchObject([
      { action: "application.created", target: other.appId }
    ])
  })

  it("is filtered by actor, action, object and time", async () => {
    const tenant = await server.makeTenant()
    const webhook = { name: "n", url: "https://93.184.216.34/webhook" }
    const { id } = (await call(tenant, "POST", "/api/v1/webhooks", webhook)).json
    await call(tenant, "PATCH", `/api/v1/webhooks/${id}`, { name: "other" })
    const actions = async (query: string) =>
      (await call(tenant, "GET", `/api/v1/audit-log?${query}`)).json.data.map(
        ({ action }: { action: string }) => action
      )
    const [changed, created] = (await call(tenant, "GET", "/api/v1/audit-log")).json.data
    expect(await actions(`actor_id=${changed.actor.id}`)).toEqual(["webhook.changed", "webhook.created"])
    expect(await actions(`actor_id=${id}`)).toEqual([])
    expect(await actions("action=webhook.created")).toEqual(["webhook.created"])
    expect(await actions(`target=${tenant.appId}`)).toEqual(["application.created"])
    expect(await actions(`target=${id}&action=webhook.changed`)).toEqual(["webhook.changed"])
    expect(await actions(`from=${created.at}&target=${id}`)).toContain("webhook.created")
    expect(await actions(`to=${created.at}&target=${id}`)).toEqual([])
    for (const wrong of ["action=nothing", "from=yesterday", `actor_id=${"x".repeat(201)}`]) {
      expect((await call(tenant, "GET", `/api/v1/audit-log?${wrong}`)).status).toBe(400)
    }
  })
})
