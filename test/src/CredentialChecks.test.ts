import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { describe } from "vitest"
import { start as startSmtp } from "../../simulators/Smtp.ts"
import { lastingPort } from "../Ports.ts"
import { eventually, makeSystem } from "../System.ts"
import { silentServer } from "./cli/Command.ts"

const NOBODY = { apns: "0".repeat(64), fcm: `${"0".repeat(22)}:${"0".repeat(140)}` }
const otherKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) as string

describe.concurrent("a check of a credential", () => {
  it.live("asks each provider, and no recipient gets anything", () =>
    Effect.gen(function* () {
      const { call, fleet } = yield* makeSystem()
      const check = (kind: string) => Effect.map(call("POST", `/api/v1/credentials/${kind}/check`), ({ body }) => body)
      // As Apple and Google answer for a token that is nobody's.
      for (const sandbox of [fleet.apns, fleet.apnsSandbox])
        sandbox.control.set({ do: "refuse", match: [NOBODY.apns], status: 400, reason: "BadDeviceToken" })
      fleet.fcm.control.set({ do: "refuse", match: [NOBODY.fcm], status: 404, reason: "UNREGISTERED" })
      const good = { status: "accepted", reason: null }
      expect(yield* check("apns")).toMatchObject({ kind: "apns", ...good })
      expect(yield* check("fcm")).toMatchObject({ kind: "fcm", ...good })
      expect(yield* check("smtp")).toMatchObject({ kind: "smtp", ...good })
      expect(yield* check("webpush")).toMatchObject({ kind: "webpush", status: "unasked" })
      expect(yield* call("PUT", "/api/v1/credentials/webpush", { subject: "mailto:ops@localhost" })).toMatchObject({
        status: 200
      })
      const nowhere = yield* check("webpush")
      expect(nowhere).toMatchObject({ status: "refused" })
      expect(nowhere.reason).toContain("localhost")
      expect((yield* call("GET", "/api/v1/credentials/webpush")).body.suspended_reason).toBe(null)
      expect(fleet.smtp.recipients().size).toBe(0)
      for (const one of [fleet.apns, fleet.fcm, fleet.smtp]) expect(one.stats().accepted).toBe(0)
      expect((yield* call("DELETE", "/api/v1/credentials/fcm")).status).toBe(200)
      expect((yield* call("POST", "/api/v1/credentials/fcm/check")).status).toBe(404)
    }).pipe(Effect.scoped)
  )

  it.live("suspends one that is refused, and releases it with what waited when it is accepted", () =>
    Effect.gen(function* () {
      const { call, fleet, importDevices, send, until } = yield* makeSystem()
      const shown = Effect.map(call("GET", "/api/v1/credentials/apns"), ({ body }) => body.suspended_reason)
      const refusal = { do: "refuse", status: 403, reason: "InvalidProviderToken" } as const
      for (const one of [fleet.apns, fleet.apnsSandbox]) one.control.set(refusal)
      const refused = (yield* call("POST", "/api/v1/credentials/apns/check")).body
      expect(refused).toMatchObject({ status: "refused" })
      expect(refused.reason).toContain("InvalidProviderToken")
      expect(yield* shown).toBe(refused.reason)

      const [id] = yield* importDevices(1)
      const waiting = yield* send({ to: { device_ids: [id] }, content: { title: "Hello" } })
      for (const one of [fleet.apns, fleet.apnsSandbox]) one.control.set()
      expect((yield* call("POST", "/api/v1/credentials/apns/check")).body).toMatchObject({ status: "accepted" })
      expect(yield* shown).toBe(null)
      expect((yield* until(waiting, ({ status }) => status === "completed")).counts.sent).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("keeps nobody waiting for the checks of others: who has four under way is told to ask again", () =>
    Effect.gen(function* () {
      const { call } = yield* makeSystem()
      const { port } = yield* silentServer
      const silent = { url: `smtp://127.0.0.1:${port}`, from: "shop@example.com" }
      expect((yield* call("PUT", "/api/v1/credentials/smtp", silent)).status).toBe(200)
      const check = Effect.map(
        call("POST", "/api/v1/credentials/smtp/check"),
        ({ body }) => body as { readonly status: string; readonly reason: string }
      )
      const answered: Array<string> = []
      const asked = Array.from({ length: 6 }, () =>
        Effect.forkScoped(Effect.map(check, ({ reason, status }) => void answered.push(`${status}: ${reason}`)))
      )
      yield* Effect.all(asked)
      yield* eventually(
        Effect.sync(() => answered),
        (all) => all.length === 2
      )
      expect(answered).toEqual(
        Array(2).fill("unreachable: several checks are under way: ask again when they have ended")
      )
    }).pipe(Effect.scoped)
  )

  it.live("says of a key that is another's, of a password that is wrong and of nobody who answers what each is", () =>
    Effect.gen(function* () {
      const { call, fleet } = yield* makeSystem()
      const check = Effect.fnUntraced(function* (kind: string, credential: unknown) {
        expect((yield* call("PUT", `/api/v1/credentials/${kind}`, credential)).status).toBe(200)
        const { body } = yield* call("POST", `/api/v1/credentials/${kind}/check`)
        return body as { readonly status: string; readonly reason: string }
      })
      const { apns, smtp } = fleet.description.credentials
      expect(yield* check("apns", { ...apns, private_key: otherKey() })).toMatchObject({ status: "refused" })

      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startSmtp({ auth: { user: "us", pass: "right" } })),
        (running) => Effect.promise(() => running.close())
      )
      const url = (password: string) => server.url.replace(":right@", `:${password}@`)
      const wrong = yield* check("smtp", { ...smtp, url: url("wrong") })
      expect(wrong.status).toBe("refused")
      expect(wrong.reason).toContain("535")
      expect(yield* check("smtp", { ...smtp, url: url("right") })).toMatchObject({ status: "accepted" })
      const port = yield* lastingPort
      const silent = yield* check("smtp", { ...smtp, url: `smtp://127.0.0.1:${port}` })
      expect(silent.status).toBe("unreachable")
      expect((yield* call("GET", "/api/v1/credentials/smtp")).body.suspended_reason).toBe(null)
    }).pipe(Effect.scoped)
  )
})
