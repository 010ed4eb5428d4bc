import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { System } from "../System.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/TheSystem") {}

const DEVICES = 300
const SYSTEM = Layer.effect(
  TheSystem,
  Effect.tap(makeSystem({ BATCH_SIZE: "20" }), (system) => system.importDevices(DEVICES))
)

const simulators = ({ fleet }: System) => [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush]

/** Providers that refuse every message for a reason that is no fault of its recipient. */
const refuse = (system: System) => {
  for (const simulator of simulators(system)) {
    simulator.control.set({ do: "refuse", status: 405, reason: "MethodNotAllowed" })
  }
}
const take = (system: System) => {
  for (const simulator of simulators(system)) simulator.control.set({ do: "delay", ms: 0 })
}

layer(SYSTEM, { timeout: 240_000, excludeTestServices: true })("what finally failed", (it) => {
  it.effect("is replayed by filter, to everybody once, and again one by one, while totals reconcile", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      refuse(system)
      const id = yield* system.send({ to: { all: true }, content: { title: "Title", body: "Body" } })
      const before = yield* system.until(id, ({ status }) => status === "completed")
      expect(before.counts).toMatchObject({ accepted: DEVICES, failed: DEVICES, sent: 0 })
      const { body } = yield* system.call("GET", `/api/v1/dead-letters?notification_id=${id}&limit=2`)
      expect(body.data[0]).toMatchObject({ kind: "notification", can_replay: true, notification_id: id })

      take(system)
      const single = body.data[0].id as string
      const answers = yield* Effect.all(
        Array.from({ length: 3 }, () => system.call("POST", `/api/v1/dead-letters/${single}/replay`)),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409])
      const begun = yield* system.call("POST", "/api/v1/dead-letters/replay", { notification_id: id })
      expect(begun.status).toBe(202)
      const progress = yield* eventually(
        system.call("GET", begun.headers.get("location")!),
        ({ body }) => body.status === "completed"
      )
      expect(progress.body).toMatchObject({ replayed: DEVICES - 1, skipped: 0 })
      const after = yield* system.until(id, (shown) => {
        if (!reconciles(shown)) throw new Error(`Totals do not reconcile: ${JSON.stringify(shown)}`)
        return shown.status === "completed"
      })
      expect(after.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES, failed: 0, pending: 0 })
      const came = simulators(system)
        .flatMap((simulator) => [...simulator.received()])
        .filter(([name]) => name.startsWith(`${id}:`))
      expect(came.map(([, count]) => count)).toEqual(Array.from({ length: DEVICES }, () => 1))
      const whole = yield* system.call("GET", `/api/v1/dead-letters/${single}`)
      expect(whole.body).toMatchObject({ cannot_replay_because: "replayed", content: { title: "Title" } })
    })
  )
})
