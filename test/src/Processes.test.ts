import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Child } from "../../src/demo/DemoProcesses.ts"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/TheSystem") {}

/** Nodes run beside each other. What is tried on one of them comes one after the other. */
const BESIDE = { timeout: 240_000, excludeTestServices: true, concurrent: true } as const
const IN_TURN = { concurrent: false, timeout: 240_000 }

const CONTENT = { title: "Title", body: "Body", data: { order: "42" } }
const WORKERS = 2
const BATCH = 100

/** Processes that run, without those that have ended and that nobody has asked about. */
const running = (): ReadonlyArray<{ readonly pid: number; readonly parent: number; readonly command: string }> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null && !match[3]!.startsWith("Z"))
    .map((match) => ({ pid: Number(match![1]), parent: Number(match![2]), command: match![4]! }))

const workersOf = (main: Child): ReadonlyArray<number> =>
  running()
    .filter(({ command, parent }) => parent === main.process.pid && command.endsWith("main.ts work"))
    .map(({ pid }) => pid)

const untilGone = (pids: ReadonlyArray<number>) =>
  eventually(
    Effect.sync(() => running().filter(({ pid }) => pids.includes(pid))),
    (left) => left.length === 0
  )

const untilReady = (system: System) => eventually(system.call("GET", "/readyz"), ({ body }) => body.workers === WORKERS)

/** What the provider simulators have received of a notification, by recipient. */
const pushesOf = ({ fleet }: System, id: string): ReadonlyArray<number> =>
  [fleet.apns, fleet.apnsSandbox, fleet.fcm, fleet.webpush].flatMap((simulator) =>
    [...simulator.received()].filter(([key]) => key.startsWith(id)).map(([, count]) => count)
  )

const slowly = ({ fleet }: System) => {
  for (const simulator of [fleet.apns, fleet.apnsSandbox, fleet.fcm]) simulator.control.set({ do: "delay", ms: 40 })
}
const quickly = ({ fleet }: System) => {
  for (const simulator of [fleet.apns, fleet.apnsSandbox, fleet.fcm]) simulator.control.set()
}

const untilUnderWay = (system: System, id: string, count: number) =>
  eventually(
    Effect.sync(() => pushesOf(system, id).length),
    (sent) => sent > count
  )

const SYSTEM = Layer.effect(
  TheSystem,
  makeSystem({
    PROCESSES: String(WORKERS + 1),
    // What a worker had that is killed is taken over when its session ends. On a busy machine a short lease would end
    // before it is prolonged, and something go twice.
    LEASE_SECONDS: "60",
    // The same for what is posted: a late answer is none, and the event goes again.
    WEBHOOK_TIMEOUT_SECONDS: "60",
    BATCH_SIZE: String(BATCH),
    PLAN_PAGE: "500",
    DISPATCH_CONCURRENCY: "4"
  })
)

layer(SYSTEM, BESIDE)("a node of several processes", (it) => {
  it.effect(
    "says when its workers are ready",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        yield* untilReady(system)
        expect(workersOf(system.engine).length).toBe(WORKERS)
      }),
    IN_TURN
  )

  it.effect(
    "spreads a mailing over its workers, and accounts for everybody and every event once",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const { name, secret, url } = system.fleet.description.receivers[0]!
        const { body: webhook } = yield* system.call("POST", "/api/v1/webhooks", {
          name,
          url,
          secret,
          events: ["NOTIFICATION_SENT"]
        })
        yield* system.importDevices(4000)
        const id = yield* system.send({ to: { all: true }, content: CONTENT })
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 4000, sent: 4000, failed: 0, pending: 0 })
        const received = pushesOf(system, id)
        expect(received.length).toBe(4000)
        expect(received.filter((count) => count !== 1)).toEqual([])
        yield* eventually(
          Effect.sync(() => system.fleet.webhooks.stats()),
          ({ accepted }) => accepted >= 4000
        )
        expect(system.fleet.webhooks.stats()).toMatchObject({ duplicates: 0, refused: {} })
        yield* system.call("DELETE", `/api/v1/webhooks/${webhook.id}`)
      }),
    IN_TURN
  )

  it.effect(
    "has all workers in one lane at once",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const { fcm } = system.fleet
        fcm.control.set({ do: "delay", ms: 10_000, first: 2 * BATCH })
        const id = yield* system.send({ to: { platforms: ["android"] }, content: CONTENT })
        // The setting below leaves a lane one batch at a time in each worker.
        yield* untilUnderWay(system, id, BATCH)
        const early = yield* system.until(id, () => true)
        expect(early.counts.sent).toBe(0)
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ failed: 0, pending: 0 })
        expect(shown.counts.sent).toBe(pushesOf(system, id).length)
      }),
    IN_TURN
  )

  it.effect(
    "replaces a worker that is killed in the middle of a mailing, and loses nothing",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        slowly(system)
        const id = yield* system.send({ to: { all: true }, content: CONTENT })
        yield* untilUnderWay(system, id, 300)
        const [killed, other] = workersOf(system.engine)
        const sentBefore = pushesOf(system, id).length
        expect(sentBefore).toBeLessThan(4000)
        process.kill(killed!, "SIGKILL")
        yield* untilGone([killed!])
        quickly(system)
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 4000, sent: 4000, failed: 0, pending: 0 })
        const received = pushesOf(system, id)
        expect(received.length).toBe(4000)
        // Twice at most, and only what was under way in the one that was killed.
        expect(received.every((count) => count <= 2)).toBe(true)
        yield* untilReady(system)
        const now = workersOf(system.engine)
        expect(now).toContain(other)
        expect(now).not.toContain(killed)
        expect(now.length).toBe(WORKERS)
      }),
    IN_TURN
  )

  it.effect(
    "is not ready while no worker is, and is again when they are replaced",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        for (const pid of workersOf(system.engine)) process.kill(pid, "SIGKILL")
        const { body } = yield* eventually(system.call("GET", "/readyz"), ({ status }) => status === 503)
        expect(body.error.details).toEqual([{ field: "workers", message: "no worker process is ready" }])
        yield* untilReady(system)
      }),
    IN_TURN
  )

  it.effect(
    "serves its status and nothing else where it has no role of the API",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const port = yield* lastingPort
        const url = `http://127.0.0.1:${port}`
        const node = yield* system.startEngine({ ROLES: "webhooks", PORT: String(port), BASE_URL: url })
        const statusOf = (path: string) => Effect.promise(() => fetch(url + path).then(({ status }) => status))
        expect(yield* statusOf("/healthz")).toBe(200)
        expect(yield* statusOf("/readyz")).toBe(200)
        expect(yield* statusOf("/api/v1/notifications")).toBe(404)
        expect(yield* statusOf("/docs")).toBe(404)
        expect(workersOf(node).length).toBe(WORKERS)
      }),
    IN_TURN
  )

  it.effect(
    "drains on SIGTERM: what was sent is written, nothing goes twice, every process ends",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        slowly(system)
        const id = yield* system.send({ to: { all: true }, content: CONTENT })
        yield* untilUnderWay(system, id, 300)
        const pids = workersOf(system.engine)
        expect(pids.length).toBe(WORKERS)
        const main = system.engine.process
        const ended = once(main, "exit")
        main.kill("SIGTERM")
        yield* Effect.promise(() => ended)
        expect(running().filter(({ pid }) => pids.includes(pid))).toEqual([])
        expect(pushesOf(system, id).length).toBeLessThan(4000)
        quickly(system)
        yield* system.startEngine()
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 4000, sent: 4000, failed: 0, pending: 0 })
        const received = pushesOf(system, id)
        expect(received.length).toBe(4000)
        expect(received.filter((count) => count !== 1)).toEqual([])
      }),
    IN_TURN
  )
})

/** Little is in the hands of a worker at once: one that has lost its main process has five seconds to write it down. */
const SMALL = Layer.effect(
  TheSystem,
  makeSystem({
    PROCESSES: String(WORKERS + 1),
    LEASE_SECONDS: "60",
    BATCH_SIZE: "20",
    PLAN_PAGE: "500",
    DISPATCH_CONCURRENCY: "1"
  })
)

layer(SMALL, BESIDE)("a node whose main process is lost", (it) => {
  it.effect(
    "leaves no worker behind, and the next one finishes what it had begun",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        yield* system.importDevices(2000)
        yield* untilReady(system)
        slowly(system)
        const id = yield* system.send({ to: { all: true }, content: CONTENT })
        yield* untilUnderWay(system, id, 100)
        const pids = workersOf(system.engine)
        expect(pids.length).toBe(WORKERS)
        yield* system.engine.kill
        yield* untilGone(pids)
        quickly(system)
        yield* system.startEngine()
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(reconciles(shown)).toBe(true)
        expect(shown.counts).toMatchObject({ accepted: 2000, sent: 2000, failed: 0 })
        const received = pushesOf(system, id)
        expect(received.length).toBe(2000)
        // Its orphans wrote down what they had sent.
        expect(received.filter((count) => count !== 1)).toEqual([])
      }),
    IN_TURN
  )

  it.effect(
    "ends in good order when a terminal interrupts the whole group",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const engine = yield* system.startEngine()
        yield* untilReady(system)
        slowly(system)
        const id = yield* system.send({ to: { all: true }, content: CONTENT })
        yield* untilUnderWay(system, id, 100)
        const pids = workersOf(engine)
        expect(pids.length).toBe(WORKERS)
        const ended = once(engine.process, "exit")
        process.kill(-engine.process.pid!, "SIGINT")
        yield* Effect.promise(() => ended)
        expect(running().filter(({ pid }) => pids.includes(pid))).toEqual([])
        expect(engine.tail()).not.toContain("started again")
        quickly(system)
        yield* system.startEngine()
        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(shown.counts).toMatchObject({ accepted: 2000, sent: 2000, failed: 0 })
        expect(pushesOf(system, id).filter((count) => count !== 1)).toEqual([])
      }),
    IN_TURN
  )
})

const PAIR = Layer.effect(TheSystem, makeSystem({ PROCESSES: "2", SWEEP_SECONDS: "1" }))

layer(PAIR, BESIDE)("a node with one worker", (it) => {
  it.effect(
    "posts webhooks from its main process as well",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const { name, secret, url } = system.fleet.description.receivers[0]!
        const events = ["NOTIFICATION_OPENED"]
        yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events })
        const device_ids = yield* system.importDevices(5)
        const notification_id = yield* system.send({ to: { device_ids }, content: CONTENT })
        yield* system.until(notification_id, ({ status }) => status === "completed")
        const [worker] = workersOf(system.engine)
        process.kill(worker!, "SIGSTOP")
        const asClient = { authorization: `Public ${system.app.publicKey}` }
        yield* Effect.forEach(device_ids, (device_id) =>
          system.call("POST", "/api/v1/events", { type: "opened", notification_id, device_id }, asClient)
        )
        yield* eventually(
          Effect.sync(() => system.fleet.webhooks.stats()),
          ({ accepted }) => accepted === device_ids.length
        ).pipe(Effect.ensuring(Effect.sync(() => process.kill(worker!, "SIGCONT"))))
        expect(system.fleet.webhooks.stats()).toMatchObject({ duplicates: 0, refused: {} })
      }),
    IN_TURN
  )
})

const SERIAL = Layer.effect(TheSystem, makeSystem({ PROCESSES: "2", SWEEP_SECONDS: "1", WEBHOOK_CONCURRENCY: "1" }))

/** Answers after a moment, and knows how many wait at most. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen = { open: 0, most: 0, all: 0 }
    const server = createServer((_, response) => {
      seen.all++
      seen.most = Math.max(seen.most, ++seen.open)
      setTimeout(() => {
        seen.open--
        response.writeHead(204).end()
      }, 50)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return { seen, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

layer(SERIAL, BESIDE)("a node that posts one at a time", (it) => {
  it.effect(
    "does so with all of its processes together",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const { seen, url } = yield* receiver
        yield* system.call("POST", "/api/v1/webhooks", { name: "one", url, events: ["NOTIFICATION_OPENED"] })
        const device_ids = yield* system.importDevices(20)
        const notification_id = yield* system.send({ to: { device_ids }, content: CONTENT })
        yield* system.until(notification_id, ({ status }) => status === "completed")
        const asClient = { authorization: `Public ${system.app.publicKey}` }
        yield* Effect.forEach(device_ids, (device_id) =>
          system.call("POST", "/api/v1/events", { type: "opened", notification_id, device_id }, asClient)
        )
        yield* eventually(
          Effect.sync(() => seen.all),
          (all) => all >= device_ids.length
        )
        expect(seen).toMatchObject({ all: device_ids.length, most: 1 })
      }),
    IN_TURN
  )
})
