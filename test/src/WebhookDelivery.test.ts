import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

interface Received {
  readonly body: string
  readonly signature: string | undefined
}

interface Receiver {
  readonly url: string
  readonly received: Array<Received>
  status: number
}

/** A customer's server that keeps what it gets and answers as it is told. */
const makeReceiver: Effect.Effect<Receiver, never, Scope.Scope> = Effect.gen(function* () {
  const received: Array<Received> = []
  const state = { status: 204 }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
        request.on("end", () => {
          received.push({ body, signature: request.headers["x-service-signature"] as string | undefined })
          response.writeHead(state.status).end()
        })
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.close()
        server.closeAllConnections()
        await once(server, "close")
      })
  )
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`, received })
})

const signs = ({ body, signature }: Received, secret: string): ReadonlyArray<boolean> => {
  const [, t, rest] = /^t=(\d+)((?:, v1=[0-9a-f]{64})+)$/.exec(signature!)!
  const wanted = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  return rest!
    .split(", v1=")
    .slice(1)
    .map((hex) => hex === wanted)
}

const CONTENT = { title: "Hello" }

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/TheSystem") {}
// Six attempts, as by default. A webhook is given up after one delivery: probing a dead one fifty times takes its time.
const SYSTEM = Layer.effect(
  TheSystem,
  makeSystem({
    WEBHOOK_RETRY_DELAYS: "0.1,0.1,0.1,0.1,0.1",
    WEBHOOK_DISABLE_AFTER: "1",
    LEASE_SECONDS: "3",
    WEBHOOK_TIMEOUT_SECONDS: "2",
    PROCESSES: "1"
  })
)

const makeWebhook = Effect.fnUntraced(function* ({ call }: System, body: object) {
  const made = yield* call("POST", "/api/v1/webhooks", { name: "webhook", ...body })
  expect(made.status).toBe(201)
  return `/api/v1/webhooks/${made.body.id}`
})

const deliveriesOf = ({ call }: System, path: string) =>
  Effect.map(call("GET", `${path}/deliveries`), ({ body }) => body.data as ReadonlyArray<any>)

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("webhook deliveries", (it) => {
  it.effect("are tried six times with the same body and a signature of each attempt, then a dead letter", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const receiver = yield* makeReceiver
      receiver.status = 503
      const path = yield* makeWebhook(system, { url: receiver.url, secret: "shared", events: ["NOTIFICATION_SENT"] })
      const device_ids = yield* system.importDevices(1)
      const id = yield* system.send({ to: { device_ids }, content: CONTENT })
      const [delivery] = yield* eventually(deliveriesOf(system, path), ([first]) => first?.status === "exhausted")
      expect(delivery).toMatchObject({
        attempts: 6,
        response_status: 503,
        reason: "answered 503",
        next_attempt_at: null
      })
      const times = delivery!.attempted_at.map((at: string) => Date.parse(at))
      expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
      expect(receiver.received).toHaveLength(6)
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
      expect(receiver.received.flatMap((one) => signs(one, "shared"))).toEqual(Array(6).fill(true))
      const event = JSON.parse(receiver.received[0]!.body)
      expect(event).toMatchObject({ id: delivery!.event_id, payload: { notificationId: id } })

      const webhookId = path.slice(-36)
      const letters = yield* system.call("GET", `/api/v1/dead-letters?webhook_id=${webhookId}`)
      expect(letters.body.data).toMatchObject([{ attempts: 6, event_id: event.id, can_replay: false }])
      const letter = `/api/v1/dead-letters/${letters.body.data[0].id}`
      expect((yield* system.call("GET", letter)).body.event).toEqual(event)
      expect((yield* system.call("POST", `${letter}/replay`)).status).toBe(409)
      yield* system.call("DELETE", path)
    })
  )

  it.effect(
    "carry one signature, a second one for as long as a rotation asks for it, and none after both secrets are removed",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const receiver = yield* makeReceiver
        const path = yield* makeWebhook(system, { url: receiver.url, secret: "old", events: ["NOTIFICATION_SENT"] })
        const device_ids = yield* system.importDevices(1)
        const next = Effect.gen(function* () {
          const count = receiver.received.length
          yield* system.send({ to: { device_ids }, content: CONTENT })
          yield* eventually(
            Effect.sync(() => receiver.received.length),
            (length) => length > count
          )
          return receiver.received.at(-1)!
        })
        expect(signs(yield* next, "old")).toEqual([true])
        yield* system.call("PATCH", path, { secret: "new" })
        expect(signs(yield* next, "new")).toEqual([true])
        yield* system.call("PATCH", path, { secret: "newest", secret_overlap_seconds: 600 })
        const both = yield* next
        expect([signs(both, "newest"), signs(both, "new")]).toEqual([
          [true, false],
          [false, true]
        ])
        yield* system.call("PATCH", path, { secret: "last" })
        expect(signs(yield* next, "last")).toEqual([true])
        yield* system.call("PATCH", path, { secret: null })
        expect((yield* next).signature).toBeUndefined()
        yield* system.call("DELETE", path)
      })
  )

  it.effect(
    "go again to a receiver that is back, with the same ids and fresh signatures, when what it missed is asked for",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const receiver = yield* makeReceiver
        receiver.status = 500
        const path = yield* makeWebhook(system, { url: receiver.url, secret: "shared", events: ["NOTIFICATION_SENT"] })
        const device_ids = yield* system.importDevices(3)
        yield* system.send({ to: { device_ids }, content: CONTENT })
        const missed = yield* eventually(deliveriesOf(system, path), (all) =>
          all.some(({ status }) => status === "exhausted")
        )
        yield* eventually(system.call("GET", path), ({ body }) => body.is_active === false)
        const redeliver = (body: unknown) => system.call("POST", `${path}/redeliver`, body)
        const refused = yield* redeliver({ status: "exhausted" })
        expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
        expect(refused.body.error.message).toMatch(/enable it first/)

        receiver.status = 204
        yield* system.call("PATCH", path, { is_active: true })
        yield* eventually(deliveriesOf(system, path), (all) =>
          all.every(({ status }) => status === "delivered" || status === "exhausted")
        )
        const lost = (yield* deliveriesOf(system, path)).filter(({ status }) => status === "exhausted")
        expect(lost.length).toBeGreaterThan(0)
        const before = receiver.received.length
        const begun = yield* redeliver({ from: missed[0].event_at, status: "exhausted" })
        expect(begun).toMatchObject({ status: 202, body: { status: "completed", redelivered: lost.length } })
        const shown = yield* system.call("GET", `/api/v1/webhooks/redeliveries/${begun.body.id}`)
        expect(shown).toMatchObject({ status: 200, body: begun.body })
        yield* eventually(deliveriesOf(system, path), (all) => all.every(({ status }) => status === "delivered"))
        const again = receiver.received.slice(before)
        expect(again.map(({ body }) => JSON.parse(body).id).toSorted()).toEqual(
          lost.map(({ event_id }) => event_id).toSorted()
        )
        expect(again.flatMap((one) => signs(one, "shared"))).toEqual(lost.map(() => true))

        // One that was taken already; it goes once more when it is asked for by its id.
        const one = yield* redeliver({ delivery_id: lost[0].event_id })
        expect(one).toMatchObject({ status: 202, body: { redelivered: 1, wanted: { delivery_id: lost[0].event_id } } })
        yield* eventually(
          Effect.sync(() => receiver.received.length),
          (count) => count === before + lost.length + 1
        )
        for (const body of [
          {},
          { from: "yesterday" },
          { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
          { status: "pending" },
          { delivery_id: "x" },
          { delivery_id: lost[0].event_id, status: "exhausted" }
        ]) {
          const answer = yield* redeliver(body)
          expect([answer.status, answer.body.error.code]).toEqual([400, "validation_error"])
          expect(answer.body.error.details).toHaveLength(1)
        }
        const nobody = lost[0].event_id.replace(/^......../, "00000000")
        expect((yield* redeliver({ delivery_id: nobody })).status).toBe(404)
        const unknown = yield* system.call("POST", `/api/v1/webhooks/${nobody}/redeliver`, { status: "exhausted" })
        expect(unknown.status).toBe(404)
        yield* system.call("DELETE", path)
      })
  )

  it.effect("wait for a webhook that was disabled after failing in a row, and go on when it is enabled", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const receiver = yield* makeReceiver
      receiver.status = 500
      const path = yield* makeWebhook(system, { url: receiver.url, events: ["NOTIFICATION_SENT"] })
      const device_ids = yield* system.importDevices(60)
      yield* system.send({ to: { device_ids: device_ids.slice(0, 1) }, content: CONTENT })
      const disabled = yield* eventually(system.call("GET", path), ({ body }) => body.is_active === false)
      expect(disabled.body.disabled_reason).toMatch(/^1 delivery failed since .+Z; the last one: answered 500$/)
      // What happens while it is disabled is not for it (spec 6); what was pending before is kept.
      const id = yield* system.send({ to: { device_ids }, content: CONTENT })
      yield* system.until(id, ({ status }) => status === "completed")
      const whileOff = yield* deliveriesOf(system, path)
      expect(whileOff.map(({ status }) => status)).toEqual(["exhausted"])

      receiver.status = 204
      expect((yield* system.call("PATCH", path, { is_active: true })).body.disabled_reason).toBe(null)
      const posts = receiver.received.length
      yield* system.send({ to: { device_ids }, content: CONTENT })
      yield* eventually(
        Effect.sync(() => receiver.received.length - posts),
        (count) => count >= 60
      )
      // Switched off by the customer with work under way.
      receiver.status = 500
      yield* system.send({ to: { device_ids: device_ids.slice(0, 2) }, content: CONTENT })
      yield* eventually(deliveriesOf(system, path), ([first]) => first?.status === "retrying")
      yield* system.call("PATCH", path, { is_active: false })
      const held = yield* eventually(deliveriesOf(system, path), ([first]) => first?.is_paused === true)
      expect(held[0]).toMatchObject({ status: "retrying", next_attempt_at: null })
      receiver.status = 204
      yield* system.call("PATCH", path, { is_active: true })
      const after = yield* eventually(deliveriesOf(system, path), (all) =>
        all.slice(0, 2).every(({ status }) => status === "delivered")
      )
      expect(after.slice(0, 2).map(({ is_paused }) => is_paused)).toEqual([false, false])
      yield* system.call("DELETE", path)
    })
  )
})

class Apart extends Context.Service<Apart, System>()("heliograph/test/Apart") {}
const APART = Layer.effect(
  Apart,
  makeSystem({ ROLES: "api,dispatch", LEASE_SECONDS: "3", WEBHOOK_TIMEOUT_SECONDS: "2", PROCESSES: "1" })
)

layer(APART, { timeout: 240_000, excludeTestServices: true })("a webhook node that is killed", (it) => {
  it.effect("loses no event, and repeats at most what it had not yet written down", () =>
    Effect.gen(function* () {
      const system = yield* Apart
      const port = yield* lastingPort
      const node = { ROLES: "webhooks", PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` }
      const { receivers } = system.fleet.webhooks
      system.fleet.webhooks.control.set({ do: "delay", ms: 5 })
      for (const { secret, url } of receivers) {
        yield* makeWebhook(system, { url, secret, events: ["NOTIFICATION_SENT"] })
      }
      const device_ids = yield* system.importDevices(3_000)
      const id = yield* system.send({ to: { device_ids }, content: CONTENT })
      yield* system.until(id, ({ status }) => status === "completed")
      const first = yield* system.startEngine(node)
      yield* eventually(
        Effect.sync(() => receivers.map((receiver) => receiver.received().size)),
        (sizes) => sizes.every((size) => size > 300)
      )
      yield* first.kill
      const before = receivers.map((receiver) => receiver.received().size)
      expect(Math.min(...before)).toBeLessThan(3_000)
      yield* system.startEngine(node)
      yield* eventually(
        Effect.sync(() => receivers.map((receiver) => receiver.received().size)),
        (sizes) => sizes.every((size) => size === 3_000)
      )
      for (const receiver of receivers) {
        const counts = [...receiver.received().values()]
        expect(counts.every((count) => count <= 2)).toBe(true)
        // A webhook has one work item at a time on a node, of one batch's events. Results are written every hundred
        // posts, or 25 ms; how many more come in meanwhile is up to the database.
        expect(counts.filter((count) => count === 2).length).toBeLessThanOrEqual(500)
        expect(receiver.stats().refused).toEqual({})
      }
    })
  )
})
