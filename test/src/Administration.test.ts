import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { execFile } from "node:child_process"
import { userInfo } from "node:os"
import { promisify } from "node:util"
import { pool } from "../../layers/postgres/server/Database.ts"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System & { readonly other: string }>()(
  "heliograph/test/TheSystem"
) {}

/** Registrations of an address in a day: no window ends while a test counts, but at midnight. */
const DEVICES = 24

const SYSTEM = Layer.effect(
  TheSystem,
  Effect.gen(function* () {
    const system = yield* makeSystem({
      TRUSTED_PROXIES: "127.0.0.0/8",
      RATE_LIMIT_DEVICES: `${DEVICES}/86400`,
      LOG_LEVEL: "debug"
    })
    const port = yield* lastingPort
    const other = `http://127.0.0.1:${port}`
    yield* system.startEngine({ PORT: String(port), BASE_URL: other })
    return { ...system, other }
  })
)

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}
const ask = (url: string, authorization: string | null, method = "GET", body?: unknown, headers = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        "content-type": "application/json",
        ...headers
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  })

const run = promisify(execFile)
/** A command as an operator types it. */
const cli = ({ env }: System, ...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const main = new URL("../../src/main.ts", import.meta.url).pathname
    try {
      const { stderr, stdout } = await run(process.execPath, [main, ...args], { env })
      return { code: 0, stdout, stderr }
    } catch (error) {
      const { code, stderr, stdout } = error as { code: number; stderr: string; stdout: string }
      return { code, stdout, stderr }
    }
  })

const register = (system: System, url: string, from: string) =>
  ask(
    `${url}/api/v1/public/devices`,
    `Public ${system.app.publicKey}`,
    "POST",
    { platform: "android", token: crypto.randomUUID() },
    { "x-forwarded-for": from }
  )
const countDevices = (system: System) =>
  Effect.map(system.call("GET", "/api/v1/devices?limit=100"), ({ body }) => body.data.length as number)

layer(SYSTEM, { excludeTestServices: true, timeout: 240_000 })("on two nodes", (it) => {
  it.effect("one budget is shared to the last request, by the client's address as the trusted proxy says it", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const before = yield* countDevices(system)
      const answers = yield* Effect.forEach(
        Array.from({ length: 2 * DEVICES }, (_, i) => (i % 2 === 0 ? system.url : system.other)),
        (url) => register(system, url, "203.0.113.99, 198.51.100.7"),
        { concurrency: 8 }
      )
      const allowed = answers.filter(({ status }) => status === 201).length
      const refused = answers.filter(({ status }) => status === 429)
      // One at a time is taken ahead, so that each node may have one left.
      expect(allowed).toBeLessThanOrEqual(DEVICES)
      expect(allowed).toBeGreaterThanOrEqual(DEVICES - 2)
      expect(allowed + refused.length).toBe(2 * DEVICES)
      expect((yield* countDevices(system)) - before).toBe(allowed)
      const { body, headers } = refused[0]!
      expect(body.error.code).toBe("rate_limited")
      expect(headers.get("x-ratelimit-limit")).toBe(String(DEVICES))
      expect(Number(headers.get("x-ratelimit-reset")) % 86_400).toBe(0)
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      // Whatever the client writes before what the proxy writes changes nothing; another client has its own.
      expect((yield* register(system, system.other, "192.0.2.55, 198.51.100.7")).status).toBe(429)
      expect((yield* register(system, system.other, "198.51.100.7, 192.0.2.55")).status).toBe(201)
    })
  )

  it.effect("nothing is let through while nobody can count, and everything again afterwards", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const sql = yield* pool(system.env["DATABASE_URL"]!, 1)
      const before = yield* countDevices(system)
      yield* sql`ALTER TABLE rate_limits RENAME TO rate_limits_away`
      const answers = [
        yield* register(system, system.url, "192.0.2.1"),
        yield* ask(`${system.url}/nothing`, null),
        yield* ask(`${system.url}/api/v1/openapi.json`, null),
        yield* ask(`${system.url}/healthz`, null)
      ]
      yield* sql`ALTER TABLE rate_limits_away RENAME TO rate_limits`
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 200])
      for (const { body, headers } of answers.slice(0, 3)) {
        expect([body.error.code, headers.get("retry-after")]).toEqual(["rate_limiter_unavailable", "2"])
      }
      expect(yield* countDevices(system)).toBe(before)
      expect((yield* register(system, system.url, "192.0.2.1")).status).toBe(201)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.effect("a key that is revoked on one is refused by the other, which had just accepted it", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const { body } = yield* system.call("POST", "/api/v1/api-keys", { kind: "secret", name: "Short-lived" })
      const asKey = ask(`${system.other}/api/v1/devices`, `ApiKey ${body.key}`)
      expect((yield* asKey).status).toBe(200)
      expect((yield* system.call("DELETE", `/api/v1/api-keys/${body.id}`)).status).toBe(200)
      yield* eventually(asKey, ({ status }) => status === 401)
    })
  )

  it.effect(
    "keys and options can be managed from the command line, which the audit log names",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const { appId } = system.app
        const made = yield* cli(system, "key", "create", "--app", appId, "--kind", "secret", "--name", "From the shell")
        const { id, key } = JSON.parse(made.stdout)
        yield* eventually(ask(`${system.other}/api/v1/devices`, `ApiKey ${key}`), ({ status }) => status === 200)
        const listed = yield* cli(system, "key", "list", "--app", appId)
        const lines = listed.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        expect(lines.find((line) => line.id === id)).toMatchObject({ kind: "secret", name: "From the shell" })
        expect(listed.stdout).not.toContain(key)

        const off = yield* cli(system, "app", "options", "--app", appId, "--identity-verification", "off")
        expect(JSON.parse(off.stdout)).toMatchObject({ identity_verification: false })
        expect(off.stderr).toContain("public information")
        yield* cli(system, "app", "options", "--app", appId, "--identity-verification", "on")
        const issued = yield* cli(system, "app", "identity-secret", "--app", appId, "--overlap-seconds", "60")
        expect(JSON.parse(issued.stdout).identity_secret.length).toBeGreaterThanOrEqual(32)

        expect((yield* cli(system, "key", "revoke", "--app", appId, "--id", id)).code).toBe(0)
        const secretKeys = lines.filter((line) => line.kind === "secret" && line.id !== id)
        const refused = yield* cli(system, "key", "revoke", "--app", appId, "--id", secretKeys[0].id)
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("last secret key")])
        const unknown = yield* cli(system, "key", "list", "--app", crypto.randomUUID())
        expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no application")])

        const { body } = yield* system.call("GET", "/api/v1/audit-log?limit=100")
        const ofShell = body.data.filter(({ actor }: any) => actor.kind === "cli" && actor.id === userInfo().username)
        expect(ofShell.map(({ action }: any) => action).toSorted()).toEqual([
          "api_key.created",
          "api_key.revoked",
          "application.changed",
          "application.changed",
          "identity_secret.issued"
        ])
      }),
    // Seven commands, each with a process of its own.
    240_000
  )

  it.effect("what a secret key changes is in the audit log under its id, and its secrets in no log", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const { body: mine } = yield* system.call("POST", "/api/v1/api-keys", { kind: "secret", name: "Auditor" })
      const call = (method: string, path: string, body?: unknown) =>
        ask(`${system.url}${path}`, `ApiKey ${mine.key}`, method, body)
      const secret = "a-webhook-secret-nobody-may-see"
      const { body: webhook } = yield* call("POST", "/api/v1/webhooks", {
        name: "Audited",
        url: "http://127.0.0.1:9/webhook?token=hidden-in-the-address",
        secret
      })
      yield* call("PATCH", `/api/v1/webhooks/${webhook.id}`, { secret: `${secret}-either` })
      yield* call("PUT", "/api/v1/credentials/webpush", { subject: "mailto:audit@example.com" })
      yield* call("PATCH", "/api/v1/application", { name: "Audited" })
      const { body: log } = yield* system.call("GET", "/api/v1/audit-log?limit=100")
      const own = log.data.filter(({ actor }: any) => actor.kind === "key" && actor.id === mine.id)
      expect(own.map(({ action }: any) => action).toSorted()).toEqual([
        "application.changed",
        "credential.set",
        "webhook.changed",
        "webhook.created"
      ])
      const text = JSON.stringify(log) + system.engine.tail()
      for (const hidden of [
        secret,
        "hidden-in-the-address",
        mine.key,
        system.app.secretKey,
        system.app.identitySecret
      ]) {
        expect(text).not.toContain(hidden)
      }
    })
  )
})
