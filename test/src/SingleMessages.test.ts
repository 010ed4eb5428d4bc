import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { connect } from "node:net"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/SingleMessages") {}

/** The one worker of a node. */
const workerOf = ({ engine }: System): number | undefined => {
  const found = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .find(
      (match) =>
        match?.[2] === String(engine.process.pid) && !match[3]!.startsWith("Z") && match[4]!.endsWith("main.ts work")
    )
  return found === undefined ? undefined : Number(found?.[1])
}

const untilReady = (system: System) => eventually(system.call("GET", "/readyz"), ({ body }) => body.workers === 1)

const simulatorsOf = ({ fleet }: System) => [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush]

/** How often each of these notifications has reached a provider. */
const arrivals = (system: System, ids: ReadonlyArray<string>): ReadonlyArray<number> => {
  const counts = new Map(ids.map((id) => [id, 0]))
  for (const simulator of simulatorsOf(system)) {
    for (const [key, count] of simulator.received()) {
      const id = key.slice(0, key.indexOf(":"))
      if (counts.has(id)) counts.set(id, counts.get(id)! + count)
    }
  }
  return [...counts.values()]
}

const CONTENT = { title: "Title", body: "Body", data: { order: "42" } }

/** One message to each device, at once. */
const sendEach = (system: System, devices: ReadonlyArray<string>) =>
  Effect.forEach(devices, (device) => system.send({ to: { device_ids: [device] }, content: CONTENT }), {
    concurrency: "unbounded"
  })

const untilCompleted = (system: System, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => system.until(id, ({ status }) => status === "completed"), { concurrency: 8 })

const untilArrived = (system: System, ids: ReadonlyArray<string>, count: number) =>
  eventually(
    Effect.sync(() => arrivals(system, ids).filter((times) => times > 0).length),
    (now) => now >= count
  )

/** People with so many devices each, of all kinds; their user ids. */
const registerPeople = (system: System, count: number, each: number) =>
  Effect.forEach(
    Array.from({ length: count }, () => `person-${randomUUID()}`),
    (user_id, i) =>
      Effect.as(
        Effect.forEach(
          Array.from({ length: each }, (_, n) => ({ ...system.audience.device(PEOPLE_FROM + i * each + n), user_id })),
          (device) =>
            Effect.map(system.call("POST", "/api/v1/public/devices", device), ({ status }) => expect(status).toBe(201)),
          { discard: true }
        ),
        user_id
      ),
    { concurrency: 8 }
  )

const sendToEach = (system: System, users: ReadonlyArray<string>) =>
  Effect.forEach(users, (user) => system.send({ to: { user_ids: [user] }, content: CONTENT }), {
    concurrency: "unbounded"
  })

/** Numbers of devices that no other test registers. */
const PEOPLE_FROM = 1_000_000
const ONCE = { sent: 1, failed: 0, pending: 0 }
const COUNT = 60

layer(Layer.effect(TheSystem, makeSystem({ PROCESSES: "2", LEASE_SECONDS: "60" })), {
  timeout: 240_000,
  excludeTestServices: true
})("single messages of a node with a worker", (it) => {
  it.effect(
    "arrive once each, from the first one on, which tries the credentials",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        yield* untilReady(system)
        const devices = yield* system.importDevices(COUNT)
        for (let round = 0; round < 2; round++) {
          const ids = yield* sendEach(system, devices)
          for (const { counts } of yield* untilCompleted(system, ids)) expect(counts).toMatchObject(ONCE)
          expect(arrivals(system, ids)).toEqual(ids.map(() => 1))
        }
      }),
    { timeout: 240_000 }
  )

  it.effect("do not follow a device to whom it has become meanwhile, with a content of each one's own neither", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const template = yield* system.call("POST", "/api/v1/templates", {
        name: "For one",
        content: { title: "{{ device.user_id }}" }
      })
      for (const [round, what] of [{ content: CONTENT }, { template_id: template.body.id as string }].entries()) {
        const [ann] = yield* registerPeople(system, 1, 3 + round)
        const devices = yield* system.call("GET", `/api/v1/devices?user_id=${ann}`)
        const all = devices.body.data as ReadonlyArray<{ readonly id: string }>
        for (const simulator of simulatorsOf(system)) simulator.control.set({ do: "refuse", status: 503 })
        const id = yield* system.send({ to: { user_ids: [ann] }, ...what })
        yield* eventually(system.call("GET", `/api/v1/notifications/${id}/retries`), ({ body }) => {
          const waiting = body.data as ReadonlyArray<{ readonly recipients: number }>
          return waiting.reduce((sum, { recipients }) => sum + recipients, 0) === all.length
        })
        const [hers, bobs, nobodys] = all.map((device) => device.id)
        yield* system.call("PATCH", `/api/v1/devices/${bobs}`, { user_id: "bob" })
        yield* system.call("PATCH", `/api/v1/devices/${nobodys}`, { user_id: null })
        for (const simulator of simulatorsOf(system)) simulator.control.set()
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ sent: all.length - 2, skipped: 2, failed: 0 })
        const { body } = yield* system.call("GET", `/api/v1/notifications/${id}/deliveries`)
        const states = new Map(
          (body.data as ReadonlyArray<Record<string, string>>).map((one) => [one["device_id"], one])
        )
        expect([bobs, nobodys].map((one) => states.get(one)!["error"])).toEqual(["recipient_gone", "recipient_gone"])
        expect(states.get(hers)!["status"]).toBe("sent")
      }
    })
  )

  it.effect(
    "are sent by the next worker when the one that had them is killed, twice at most",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const devices = yield* system.importDevices(COUNT)
        for (const simulator of simulatorsOf(system)) simulator.control.set({ do: "delay", ms: 2000 })
        const ids = yield* sendEach(system, devices)
        yield* untilArrived(system, ids, 1)
        const killed = workerOf(system)!
        process.kill(killed, "SIGKILL")
        for (const simulator of simulatorsOf(system)) simulator.control.set()
        for (const { counts } of yield* untilCompleted(system, ids)) expect(counts).toMatchObject(ONCE)
        expect(arrivals(system, ids).filter((times) => times < 1 || times > 2)).toEqual([])
        yield* untilReady(system)
        expect(workerOf(system)).not.toBe(killed)
      }),
    { timeout: 240_000 }
  )

  it.effect(
    "to people with several devices arrive at each of them, once, or twice when the worker that had them is killed",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        yield* untilReady(system)
        const people = yield* registerPeople(system, COUNT / 3, 3)
        const ids = yield* sendToEach(system, people)
        const all = { accepted: 3, sent: 3, failed: 0, pending: 0 }
        for (const { counts } of yield* untilCompleted(system, ids)) expect(counts).toMatchObject(all)
        expect(arrivals(system, ids)).toEqual(ids.map(() => 3))
        for (const simulator of simulatorsOf(system)) simulator.control.set({ do: "delay", ms: 2000 })
        const late = yield* sendToEach(system, people)
        yield* untilArrived(system, late, 1)
        process.kill(workerOf(system)!, "SIGKILL")
        for (const simulator of simulatorsOf(system)) simulator.control.set()
        for (const { counts } of yield* untilCompleted(system, late)) expect(counts).toMatchObject(all)
        expect(arrivals(system, late).filter((times) => times < 3 || times > 6)).toEqual([])
        yield* untilReady(system)
      }),
    { timeout: 240_000 }
  )

  it.effect(
    "are waited for when the node stops, and none goes twice",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const devices = yield* system.importDevices(COUNT)
        yield* untilCompleted(system, yield* sendEach(system, devices))
        for (const simulator of simulatorsOf(system)) simulator.control.set({ do: "delay", ms: 3000 })
        const ids = yield* sendEach(system, devices)
        yield* untilArrived(system, ids, 1)
        const main = system.engine.process
        const ended = once(main, "exit")
        main.kill("SIGTERM")
        yield* Effect.promise(() => ended)
        for (const simulator of simulatorsOf(system)) simulator.control.set()
        yield* system.startEngine()
        for (const { counts } of yield* untilCompleted(system, ids)) expect(counts).toMatchObject(ONCE)
        expect(arrivals(system, ids)).toEqual(ids.map(() => 1))
      }),
    { timeout: 240_000 }
  )
})

const FEW = 6

layer(Layer.effect(TheSystem, makeSystem({ ACCEPT_LINGER_MS: "1000" })), {
  timeout: 240_000,
  excludeTestServices: true
})("single messages of a node where they linger for company", (it) => {
  it.effect("are accepted by one statement, and arrive once each", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const devices = yield* system.importDevices(FEW)
      const ids = yield* sendEach(system, devices)
      const completed = yield* untilCompleted(system, ids)
      for (const { counts } of completed) expect(counts).toMatchObject(ONCE)
      // That of the statement's transaction.
      expect(new Set(completed.map(({ started_at }) => started_at)).size).toBe(1)
      expect(arrivals(system, ids)).toEqual(ids.map(() => 1))
    })
  )

  it.effect("are accepted at once where their priority is high, one after the other", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const devices = yield* system.importDevices(2 * FEW)
      const begun = performance.now()
      const ids = yield* Effect.forEach(devices, (device) =>
        system.send({ to: { device_ids: [device] }, content: CONTENT, priority: "high" })
      )
      // A second each, if they lingered.
      expect(performance.now() - begun).toBeLessThan(1000 * FEW)
      const completed = yield* untilCompleted(system, ids)
      expect(new Set(completed.map(({ started_at }) => started_at)).size).toBe(2 * FEW)
    })
  )

  it.effect("are accepted and arrive although their clients leave while they linger", () =>
    Effect.gen(function* () {
      const { app, call, importDevices, until, url } = yield* TheSystem
      const [device] = yield* importDevices(1)
      const newest = Effect.map(
        call("GET", "/api/v1/notifications?limit=1"),
        ({ body }) => body.data[0]?.id as string | undefined
      )
      const before = yield* newest
      const { hostname, port } = new URL(url)
      const body = JSON.stringify({ to: { device_ids: [device] }, content: CONTENT })
      const head = [
        `POST /api/v1/notifications HTTP/1.1`,
        `host: ${hostname}`,
        `authorization: ApiKey ${app.secretKey}`,
        "content-type: application/json",
        `content-length: ${Buffer.byteLength(body)}`
      ].join("\r\n")
      const socket = connect(Number(port), hostname)
      let answer = ""
      socket.on("data", (bytes) => (answer += bytes.toString()))
      yield* Effect.promise(() => once(socket, "connect"))
      yield* Effect.promise(
        () => new Promise<void>((done) => void socket.write(`${head}\r\n\r\n${body}`, () => done()))
      )
      // Answered after what was written before has been read, whichever connection the node looks at first.
      yield* call("GET", "/healthz")
      yield* call("GET", "/healthz")
      // Nobody is promised anything before they are known, for which the node may have to ask the database.
      expect(yield* newest).toBe(before)
      socket.destroy()
      expect(answer).toBe("")
      const id = yield* eventually(newest, (id) => id !== before)
      const { counts } = yield* until(id!, ({ status }) => status === "completed")
      expect(counts).toMatchObject(ONCE)
    })
  )

  it.effect("are accepted still when the node stops while they linger", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const devices = yield* system.importDevices(FEW)
      const sent = yield* Effect.forkChild(sendEach(system, devices))
      // Answered after they have come, and long before they have lingered.
      yield* system.call("GET", "/healthz")
      const main = system.engine.process
      const ended = once(main, "exit")
      main.kill("SIGTERM")
      const ids = yield* Fiber.join(sent)
      yield* Effect.promise(() => ended)
      yield* system.startEngine()
      for (const { counts } of yield* untilCompleted(system, ids)) expect(counts).toMatchObject(ONCE)
    })
  )
})
