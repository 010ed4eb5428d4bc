import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Shown, System } from "../System.ts"
import { closes, makeSystem } from "../System.ts"

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

layer(SYSTEM, { timeout: 120_000, excludeTestServices: true })("a running mailing", (it) => {
  it.effect("is cancelled: what was not sent never comes, and everybody has one final state", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      slowly(system, 150)
      const id = yield* system.send({ to: { all: true }, content: CONTENT })
      yield* system.until(id, isUnderWay)
      const { body, status } = yield* system.call("POST", `/api/v1/notifications/${id}/cancel`)
      expect([status, body.status]).toEqual([200, "cancelled"])
      const shown = yield* system.until(id, ({ counts }) => counts.pending === 0)
      expect(closes(shown)).toBe(true)
      expect(shown.status).toBe("cancelled")
      expect(shown.counts.cancelled).toBeGreaterThan(0)
      expect(shown.counts.sent + shown.counts.cancelled).toBe(shown.counts.accepted)
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
      expect(closes(paused.body)).toBe(true)
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
})
