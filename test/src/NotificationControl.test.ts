import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { pool } from "../../layers/postgres/server/Database.ts"
import { lastingPort } from "../Ports.ts"
import type { Shown, System } from "../System.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/TheSystem") {}

const CONTENT = { title: "Title", body: "Body" }

/** How often each message came to a simulator, by `notification:recipient`. */
const receipts = ({ fleet }: System, id: string): ReadonlyArray<number> =>
  [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush]
    .flatMap((simulator) => [...simulator.received()])
    .filter(([name]) => name.startsWith(`${id}:`))
    .map(([, count]) => count)

const slowly = ({ fleet }: System, ms: number) => {
  for (const simulator of [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush]) {
    simulator.control.set({ do: "delay", ms })
  }
}

const DEVICES = 900
const isUnderWay = ({ counts }: Shown): boolean => counts.sent > 0

// Small batches, few at once and slow: commands find something in every state.
const SYSTEM = Layer.effect(
  TheSystem,
  Effect.tap(makeSystem({ BATCH_SIZE: "10", DISPATCH_CONCURRENCY: "2" }), (system) => system.importDevices(DEVICES))
)

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("a running mailing", (it) => {
  it.effect("is cancelled: what was not sent never comes, and everybody has one final state", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 150)
      const id = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(id, isUnderWay)
      const { body, status } = yield* system.call("POST", `/api/v1/notifications/${id}/cancel`)
      expect([status, body.status]).toEqual([200, "cancelled"])
      const shown = yield* system.until(id, ({ counts }) => counts.pending === 0)
      expect(reconciles(shown)).toBe(true)
      expect(shown.status).toBe("cancelled")
      expect(shown.counts.cancelled).toBeGreaterThan(0)
      expect(shown.counts.sent + shown.counts.cancelled).toBe(shown.counts.accepted)
      const counted = yield* eventually(
        Effect.promise(async () => (await fetch(`${system.url}/metrics`)).text()),
        (text) => text.includes('outcome="cancelled"')
      )
      const cancelled = [...counted.matchAll(/^heliograph_recipients_total\{outcome="cancelled",.*\} (\d+)$/gm)]
      expect(cancelled.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(shown.counts.cancelled)
      const came = receipts(system, id)
      expect(came.length).toBe(shown.counts.sent)
      expect(new Set(came)).toEqual(new Set([1]))
      const again = yield* system.call("POST", `/api/v1/notifications/${id}/resume`)
      expect(again.status).toBe(409)
    })
  )

  it.effect("is paused, lets another mailing pass, and comes to its end after a resume, to everybody once", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 150)
      const id = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(id, isUnderWay)
      const paused = yield* system.call("POST", `/api/v1/notifications/${id}/pause`)
      expect([paused.status, paused.body.status]).toEqual([200, "paused"])
      expect(reconciles(paused.body)).toBe(true)
      slowly(system, 0)
      const other = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(other, ({ status }) => status === "completed")
      const still = yield* system.until(id, () => true)
      expect(still.status).toBe("paused")
      expect(still.counts.pending).toBeGreaterThan(0)
      const resumed = yield* system.call("POST", `/api/v1/notifications/${id}/resume`)
      expect(resumed.status).toBe(200)
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES, pending: 0, cancelled: 0 })
      const came = receipts(system, id)
      expect(came.length).toBe(DEVICES)
      expect(new Set(came)).toEqual(new Set([1]))
    })
  )

  it.effect("is overtaken by a single message of high priority, which is through before the mailing ends", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 150)
      const mailing = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(mailing, isUnderWay)
      const { body } = yield* system.call("GET", "/api/v1/devices?limit=1")
      const [device] = body.data
      const single = yield* system.send({ to: { device_ids: [device.id] }, content: CONTENT, priority: "high" })
      const through = yield* system.until(single, ({ status }) => status === "completed")
      expect(through.counts).toMatchObject({ accepted: 1, sent: 1 })
      expect(receipts(system, single)).toEqual([1])
      const still = yield* system.until(mailing, () => true)
      expect(still.status).toBe("sending")
      expect(still.counts.pending).toBeGreaterThan(0)
      slowly(system, 0)
      const shown = yield* system.until(mailing, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES })
    })
  )

  it.effect("is sent when it is due, and not before", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 0)
      const sendAt = Date.now() + 1_500
      const { body } = yield* system.call("POST", "/api/v1/notifications", {
        to: { all: true },
        content: CONTENT,
        send_at: new Date(sendAt).toISOString()
      })
      expect(body.status).toBe("scheduled")
      const shown = yield* system.until(body.id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES })
      const { started_at } = (yield* system.call("GET", `/api/v1/notifications/${body.id}`)).body
      expect(Date.parse(started_at)).toBeGreaterThanOrEqual(sendAt)
    })
  )

  it.effect("is not sent at its time while it is paused, says what it was changed to, and goes with the resume", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 0)
      const send_at = new Date(Date.now() + 2_000).toISOString()
      const sent = yield* system.call("POST", "/api/v1/notifications", { to: { all: true }, content: CONTENT, send_at })
      const path = `/api/v1/notifications/${sent.body.id}`
      expect((yield* system.call("POST", `${path}/pause`)).body.status).toBe("paused")
      // One that was accepted later for a later time comes and goes meanwhile.
      const { body } = yield* system.call("POST", "/api/v1/notifications", {
        to: { all: true },
        content: CONTENT,
        send_at: new Date(Date.parse(send_at) + 500).toISOString()
      })
      yield* system.until(body.id, ({ status }) => status === "completed")
      const still = yield* system.call("GET", path)
      expect(still.body).toMatchObject({ status: "paused", started_at: null, counts: { accepted: 0 } })
      const { body: first } = yield* system.call("GET", "/api/v1/devices?limit=3")
      const device_ids = first.data.map(({ id }: { id: string }) => id)
      const changed = yield* system.call("PATCH", path, { to: { device_ids }, ttl: 60 })
      expect([changed.status, changed.body.status, changed.body.send_at]).toEqual([200, "paused", send_at])
      expect((yield* system.call("POST", `${path}/resume`)).status).toBe(200)
      const shown = yield* system.until(sent.body.id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ accepted: 3, sent: 3 })
      expect(receipts(system, sent.body.id)).toEqual([1, 1, 1])
      expect((yield* system.call("PATCH", path, { ttl: 5 })).status).toBe(409)
      const { body: log } = yield* system.call("GET", `/api/v1/audit-log?target=${sent.body.id}`)
      const by = { target: sent.body.id, actor: { kind: "key" } }
      expect(log.data).toMatchObject([
        { ...by, action: "notification.resumed" },
        { ...by, action: "notification.changed", details: { fields: ["to", "ttl"] } },
        { ...by, action: "notification.paused" },
        { ...by, action: "notification.created", details: { to: ["all"], send_at } }
      ])
    })
  )
})

class Lost extends Context.Service<Lost, System>()("heliograph/test/Lost") {}
const LOST = Layer.effect(
  Lost,
  Effect.tap(makeSystem({ BATCH_SIZE: "50", DISPATCH_CONCURRENCY: "4", LEASE_SECONDS: "3" }), (system) =>
    system.importDevices(DEVICES)
  )
)

layer(LOST, { timeout: 240_000, excludeTestServices: true })("a mailing whose node was killed", (it) => {
  it.effect("ends nobody as plainly cancelled who may have got it, when it is cancelled then", () =>
    Effect.gen(function* () {
      const system = yield* Lost
      slowly(system, 400)
      const id = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(id, isUnderWay)
      yield* system.engine.kill
      // What was on its way comes to the providers, whoever is there to hear of it.
      slowly(system, 0)
      yield* system.startEngine({ ROLES: "api" })
      expect((yield* system.call("POST", `/api/v1/notifications/${id}/cancel`)).status).toBe(200)
      const port = yield* lastingPort
      const other = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` }
      yield* system.startEngine({ ...other, ROLES: "dispatch" })
      const shown = yield* system.until(id, ({ counts }) => counts.accepted > 0 && counts.pending === 0)
      expect(reconciles(shown)).toBe(true)

      const outcomes = new Map<string, string | null>()
      for (let cursor: string | null = ""; cursor !== null;) {
        const query: string = cursor === "" ? "" : `&cursor=${cursor}`
        const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries?limit=100${query}`)
        for (const { device_id, error, status } of body.data)
          outcomes.set(device_id, status === "sent" ? "sent" : error)
        cursor = body.next_cursor
      }
      expect(outcomes.size).toBe(shown.counts.accepted)
      const { apns, apnsSandbox, fcm, webpush } = system.fleet
      const came = [apns, apnsSandbox, fcm, webpush].flatMap((simulator) => [...simulator.received().keys()])
      const got = came.filter((key) => key.startsWith(`${id}:`)).map((key) => outcomes.get(key.slice(id.length + 1)))
      expect(new Set(got)).toEqual(new Set(["sent", "outcome_unknown"]))
      expect([...outcomes.values()].filter((outcome) => outcome === "cancelled").length).toBeGreaterThan(0)
    })
  )
})

class Unanswered extends Context.Service<Unanswered, System>()("heliograph/test/Unanswered") {}
const UNANSWERED = Layer.effect(Unanswered, makeSystem({ RETRY_BASE_SECONDS: "600" }))

layer(UNANSWERED, { timeout: 240_000, excludeTestServices: true })("a message that no provider answered", (it) => {
  it.effect("ends nobody as plainly cancelled when it is cancelled before the next try", () =>
    Effect.gen(function* () {
      const system = yield* Unanswered
      const devices = yield* system.importDevices(3)
      const before = yield* system.send({ to: { device_ids: devices }, content: CONTENT })
      yield* system.until(before, ({ status }) => status === "completed")
      const sql = yield* Effect.provide(pool(system.env["DATABASE_URL"]!, 1), Reactivity.layer)
      for (const { control } of [system.fleet.apns, system.fleet.apnsSandbox, system.fleet.fcm, system.fleet.webpush]) {
        control.set({ do: "close" })
      }
      for (const device_ids of [devices.slice(0, 1), devices]) {
        const id = yield* system.send({ to: { device_ids }, content: CONTENT })
        yield* eventually(
          Effect.orDie(sql<{ readonly waiting: number }>`
            SELECT coalesce(sum(pending), 0)::int AS waiting FROM batches
            WHERE notification_id = ${id} AND attempts = 1 AND lease_until IS NULL`),
          ([row]) => row!.waiting === device_ids.length
        )
        expect((yield* system.call("POST", `/api/v1/notifications/${id}/cancel`)).status).toBe(200)
        const shown = yield* system.until(id, ({ counts }) => counts.pending === 0)
        expect(shown.counts).toMatchObject({ accepted: device_ids.length, cancelled: device_ids.length })
        const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
        const ended = body.data.map(({ attempts, error }: any) => [error, attempts])
        expect(ended).toEqual(device_ids.map(() => ["outcome_unknown", 1]))
      }
    })
  )
})
