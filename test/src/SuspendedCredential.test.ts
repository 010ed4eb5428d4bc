import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { describe } from "vitest"
import { diagnose } from "../../src/cli/Diagnosis.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

const WEB_PUSH = "/api/v1/credentials/webpush"

/** Browsers of the fleet's push service, under two of its names: two services, as the engine sees it. */
const importBrowsers = (system: System, count: number) =>
  Effect.promise(async () => {
    const { audience, fleet, url, app } = system
    const own = new URL(fleet.description.audience.webPushOrigin)
    const names = [own.host, `${own.hostname === "localhost" ? "127.0.0.1" : "localhost"}:${own.port}`]
    const lines = [...audience.lines(count * 5, 0)].filter((line) => line.includes('"platform":"web"'))
    const response = await fetch(`${url}/api/v1/devices/import`, {
      method: "POST",
      headers: { authorization: `ApiKey ${app.secretKey}`, "content-type": "application/x-ndjson" },
      body: lines.map((line, i) => line.replace(own.host, names[i % 2]!)).join("")
    })
    const ids = (await response.text())
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id)
    expect(ids).toHaveLength(count)
    return ids
  })

const held = (system: System) =>
  Effect.map(
    system.call("GET", "/api/v1/credentials"),
    ({ body }) => body.data.find(({ kind }: { kind: string }) => kind === "webpush").suspended_reason as string | null
  )

const metrics = (url: string) => Effect.promise(async () => (await fetch(`${url}/metrics`)).text())

const diagnosis = (system: System) =>
  Effect.map(diagnose(system.env as Record<string, string>), (findings) =>
    findings.find(({ check }) => check === "credentials")!
  )

const CONTENT = { title: "Hello" }

describe.concurrent("a Web Push credential that all services refuse", () => {
  it.live(
    "is suspended when it was never accepted, where operators see it, and sends all that waited when it is replaced",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem()
        const good = system.fleet.description.credentials.webpush
        const { d, x, y } = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
        const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
        const wrong = { ...good, public_key: point.toString("base64url"), private_key: d }
        expect((yield* system.call("PUT", WEB_PUSH, wrong)).status).toBe(200)
        const ids = yield* importBrowsers(system, 12)
        const id = yield* system.send({ to: { device_ids: ids }, content: CONTENT })
        expect(yield* eventually(held(system), (reason) => reason !== null)).toBe("Web Push 403")
        const waiting = yield* system.until(id, () => true)
        expect(waiting).toMatchObject({ status: "sending", counts: { accepted: 12, pending: 12, failed: 0 } })
        yield* eventually(metrics(system.url), (text) =>
          text.includes('heliograph_suspended_credentials{provider="webpush"} 1')
        )
        expect(yield* diagnosis(system)).toMatchObject({
          isOk: false,
          message: `webpush of ${system.app.appId} is refused: Web Push 403`
        })

        // What comes now waits behind those, and says what for.
        const later = yield* system.send({ to: { device_ids: ids.slice(0, 3) }, content: CONTENT })
        const retries = yield* system.call("GET", `/api/v1/notifications/${later}/retries`)
        expect(retries.body.data).toEqual([
          { provider: "webpush", error: "Web Push 403", attempts: 0, recipients: 3, next_at: null }
        ])
        const seen = yield* eventually(metrics(system.url), (text) =>
          /^heliograph_suspended_batches\{provider="webpush"\} [2-9]$/m.test(text)
        )
        expect(seen).toMatch(/^heliograph_waiting\{kind="webpush"\} 0$/m)

        expect((yield* system.call("PUT", WEB_PUSH, good)).status).toBe(200)
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 12, sent: 12, failed: 0 })
        expect(yield* held(system)).toBe(null)
        expect(yield* diagnosis(system)).toMatchObject({ isOk: true })
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "is not suspended when another process saw it accepted, and sends at once what waited when it is replaced",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem()
        const good = system.fleet.description.credentials.webpush
        const ids = yield* importBrowsers(system, 12)
        const first = yield* system.send({ to: { device_ids: ids.slice(0, 2) }, content: CONTENT })
        const sent = yield* system.until(first, ({ status }) => status === "completed")
        expect(sent.counts).toMatchObject({ sent: 2, failed: 0 })
        yield* system.engine.kill
        yield* system.startEngine()

        system.fleet.webpush.control.set({ do: "refuse", status: 403, reason: "not for this key" })
        const id = yield* system.send({ to: { device_ids: ids }, content: CONTENT })
        yield* eventually(metrics(system.url), (text) =>
          text.includes('heliograph_recipients_total{outcome="retry",provider="webpush"} 12')
        )
        expect(yield* held(system)).toBe(null)
        system.fleet.webpush.control.set()
        // They wait for a quarter of an hour, but not for a credential that has come meanwhile.
        expect((yield* system.call("PUT", WEB_PUSH, good)).status).toBe(200)
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 12, sent: 12, failed: 0 })
      }).pipe(Effect.scoped),
    240_000
  )
})
