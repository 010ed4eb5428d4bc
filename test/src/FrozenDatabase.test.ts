import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { PostgresServer } from "../PostgresServer.ts"
import { makePostgresServer } from "../PostgresServer.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

class Ground extends Context.Service<Ground, { readonly system: System; readonly postgres: PostgresServer }>()(
  "heliograph/test/FrozenDatabase"
) {}

const GROUND = Layer.effect(
  Ground,
  Effect.gen(function* () {
    const postgres = yield* makePostgresServer()
    return { postgres, system: yield* makeSystem({ DATABASE_URL: postgres.url, INBOX_STREAMS_PER_APP: "10" }) }
  })
)

/** Bounds that a busy machine keeps; nobody was ever answered before. */
const LONG_MS = 30_000

const ask = (system: System, path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) =>
  Effect.promise(async () => {
    const startedAt = performance.now()
    const response = await fetch(system.url + path, {
      redirect: "manual",
      signal: AbortSignal.timeout(LONG_MS),
      ...init,
      headers: { authorization: `ApiKey ${system.app.secretKey}`, "content-type": "application/json", ...init.headers }
    })
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      text,
      ms: performance.now() - startedAt
    }
  })

const push = (key?: string) => ({
  method: "POST",
  body: JSON.stringify({ to: { user_ids: ["ann"] }, content: { title: "A", body: "B" } }),
  ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
})

const residentBytes = (system: System) =>
  Effect.map(ask(system, "/metrics"), ({ text }) =>
    Number(/^heliograph_process_resident_bytes\{process="main"\} (\S+)$/m.exec(text)![1])
  )

const notificationsOf = (system: System) =>
  Effect.map(ask(system, "/api/v1/notifications?limit=100"), ({ text }) =>
    (JSON.parse(text).data as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
  )

layer(GROUND, { timeout: 240_000, excludeTestServices: true })("a PostgreSQL that is frozen", (it) => {
  it.effect("has every request answered 503 in time, also with keys that nobody remembers, and /healthz 200", () =>
    Effect.gen(function* () {
      const { postgres, system } = yield* Ground
      yield* system.importDevices(10)
      yield* postgres.freeze
      // Longer than keys are remembered.
      yield* Effect.sleep("1 second")
      const asPublic = { authorization: `Public ${system.app.publicKey}` }
      const answers = yield* Effect.all(
        [
          ask(system, "/api/v1/notifications", push()),
          ask(system, "/api/v1/notifications", push("once")),
          ask(system, "/api/v1/devices"),
          ask(system, "/api/v1/devices/export"),
          ask(system, "/api/v1/devices/import", {
            method: "POST",
            body: '{"platform":"android","token":"a-token-of-twenty-characters"}',
            headers: { "content-type": "application/x-ndjson" }
          }),
          ask(system, "/api/v1/public/inbox/stream?user_id=ann", { headers: asPublic }),
          ask(system, "/api/v1/public/devices", {
            method: "POST",
            body: JSON.stringify({ platform: "android", token: "another-token-of-twenty" }),
            headers: asPublic
          }),
          ask(system, "/docs"),
          ask(system, "/nothing"),
          ask(system, "/readyz")
        ],
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
      for (const { retryAfter } of answers) expect(retryAfter).toMatch(/^[1-9]\d*$/)
      expect((yield* ask(system, "/healthz")).status).toBe(200)
      expect((yield* ask(system, "/metrics")).text).toContain("heliograph_database_up 0")
      yield* postgres.thaw
      yield* eventually(ask(system, "/api/v1/devices"), ({ status }) => status === 200)
    })
  )

  it.effect("costs no memory, however many ask, and everything works again at once", () =>
    Effect.gen(function* () {
      const { postgres, system } = yield* Ground
      const thousand = () =>
        Effect.all(
          Array.from({ length: 1000 }, (_, i) =>
            ask(system, "/api/v1/notifications", push(i % 2 === 0 ? randomUUID() : undefined))
          ),
          { concurrency: 100 }
        )
      yield* postgres.freeze
      yield* thousand()
      const before = yield* residentBytes(system)
      for (let i = 0; i < 5; i++) {
        const answers = yield* thousand()
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
      }
      const after = yield* residentBytes(system)
      expect((after - before) / 1e6).toBeLessThan(60)
      yield* postgres.thaw
      yield* eventually(ask(system, "/api/v1/notifications", push()), ({ status }) => status === 202)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => ask(system, "/api/v1/devices")),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    })
  )

  it.effect("makes one notification of all the tries with one idempotency key", () =>
    Effect.gen(function* () {
      const { postgres, system } = yield* Ground
      const before = yield* notificationsOf(system)
      const keys = Array.from({ length: 20 }, () => randomUUID())
      const tryAll = Effect.forEach(keys, (key) => ask(system, "/api/v1/notifications", push(key)), {
        concurrency: "unbounded"
      })
      // Some are on their way to the database when it stops, some have not begun.
      const first = yield* Effect.forkChild(tryAll, { startImmediately: true })
      yield* postgres.freeze
      yield* Fiber.join(first)
      yield* tryAll
      yield* postgres.thaw
      const last = yield* Effect.forEach(keys, (key) =>
        eventually(ask(system, "/api/v1/notifications", push(key)), ({ status }) => status === 202)
      )
      const ids = last.map(({ text }) => JSON.parse(text).id as string)
      const made = (yield* notificationsOf(system)).filter((id) => !before.includes(id))
      expect(made.toSorted()).toEqual(ids.toSorted())
    })
  )
})
