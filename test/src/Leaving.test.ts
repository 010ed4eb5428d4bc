import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { Agent, request } from "node:http"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { lastingPort } from "../Ports.ts"
import { closed } from "../Sockets.ts"
import type { System } from "../System.ts"
import type { Answer as Answered } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"
import { follow } from "./http/EventReader.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/Leaving") {}

/** Far more than what is under way takes, also on a busy machine. */
const DRAIN_SECONDS = 90
/** Each node has a database of its own; most of the time all of them wait for the provider. */
const BESIDE = { timeout: 240_000, excludeTestServices: true, concurrent: true } as const
const TIMEOUT = 240_000
const SYSTEM = (processes: string) =>
  Layer.effect(TheSystem, makeSystem({ PROCESSES: processes, DRAIN_TIMEOUT: String(DRAIN_SECONDS) }))

const CONTENT = { title: "Title", body: "Body" }

interface Answer {
  readonly status: number
  readonly connection: string | undefined
}

/** A client that always has a request under way, on one connection as long as that is kept, until nobody listens. */
const keepBusy = (url: string, secretKey: string, body: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers: Array<Answer> = []
  const cut: Array<string> = []
  const ask = () =>
    new Promise<"answered" | "refused">((resolve) => {
      const sent = request(`${url}/api/v1/notifications`, {
        agent,
        method: "POST",
        headers: { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" }
      })
      sent.on("response", (response) => {
        answers.push({ status: response.statusCode!, connection: response.headers.connection })
        response.resume().on("end", () => resolve("answered"))
      })
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // The system takes connections in before the server does, and ends them when that is gone.
        const isNeverTaken = error.code === "ECONNREFUSED" || (error.code === "ECONNRESET" && !sent.reusedSocket)
        if (!isNeverTaken) cut.push(error.code ?? error.message)
        resolve("refused")
      })
      sent.end(body)
    })
  const whole = (async () => {
    while ((await ask()) === "answered");
    agent.destroy()
  })()
  return { answers, cut, whole }
}

/** A request of which one half of the body is on its way. */
const halfSent = (url: string, secretKey: string, body: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const half = body.length >> 1
  socket.write(
    `POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: ApiKey ${secretKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, half)}`
  )
  const isClosed = closed(socket)
  return {
    send: () => void socket.write(body.slice(half)),
    answer: async () => {
      await isClosed
      return text
    }
  }
}

const idle = async (url: string) => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  await once(socket, "connect")
  return { closed: closed(socket) }
}

/** All kinds of clients, a provider that takes five seconds, and a signal. */
const leave = (system: System, url: string, main: ChildProcess) =>
  Effect.gen(function* () {
    const [device] = yield* system.importDevices(1, 1)
    for (const simulator of [system.fleet.apns, system.fleet.apnsSandbox, system.fleet.fcm, system.fleet.webpush])
      simulator.control.set({ do: "delay", ms: 5000 })
    const body = JSON.stringify({ to: { device_ids: [device] }, content: CONTENT, priority: "high" })
    const key = system.app.secretKey
    const busy = [keepBusy(url, key, body), keepBusy(url, key, body)]
    const half = halfSent(url, key, body)
    const quiet = yield* Effect.promise(() => idle(url))
    const reader = yield* Effect.promise(() =>
      follow(`${url}/api/v1/public/inbox/stream?user_id=ann`, {
        authorization: `Public ${system.app.publicKey}`,
        "x-identity-hash": createHmac("sha256", system.app.identitySecret).update("ann").digest("hex")
      })
    )
    yield* Effect.promise(() => reader.until(() => reader.unread() === 0))
    yield* eventually(
      Effect.sync(() => busy.every(({ answers }) => answers.length > 5)),
      (isBusy) => isBusy
    )
    const before = busy.map(({ answers }) => answers.length)
    const startedAt = performance.now()
    const ended = once(main, "exit")
    main.kill("SIGTERM")
    // Whoever is told to go had been heard after the signal.
    yield* eventually(
      Effect.sync(() => busy.every(({ answers }) => answers.some(({ connection }) => connection === "close"))),
      (areTold) => areTold
    )
    half.send()
    const [code] = (yield* Effect.promise(() => ended)) as [number | null]
    const seconds = (performance.now() - startedAt) / 1000
    yield* Effect.promise(() => Promise.all([...busy.map(({ whole }) => whole), quiet.closed, reader.ended]))
    expect(code).toBe(0)
    // With a client that stays it took all of the time, and the provider's on top.
    expect(seconds).toBeLessThan(DRAIN_SECONDS)
    for (const [i, { answers, cut }] of busy.entries()) {
      expect(cut).toEqual([])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
      expect(answers.slice(0, before[i]! - 1).every(({ connection }) => connection !== "close")).toBe(true)
      expect(answers.at(-1)!.connection).toBe("close")
    }
    const answer = yield* Effect.promise(half.answer)
    expect(answer).toMatch(/^HTTP\/1\.1 202 /)
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n")
    expect(reader.comments.at(-1)).toContain("end")
    return busy.reduce((sum, { answers }) => sum + answers.length, 1)
  })

/** All notifications that there are. */
const accepted = (system: System) =>
  Effect.gen(function* () {
    let count = 0
    let cursor: string | null = ""
    while (cursor !== null) {
      // A database that is held up for seconds is 503, and clients ask again.
      const { body, status }: Answered = yield* eventually(
        system.call("GET", `/api/v1/notifications?limit=100${cursor}`),
        (answer) => answer.status !== 503
      )
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
      count += body.data.length
      cursor = body.next_cursor === null ? null : `&cursor=${body.next_cursor}`
    }
    return count
  })

for (const [processes, node] of [
  ["1", "a node of one process"],
  ["2", "a node of several processes"]
] as const) {
  layer(SYSTEM(processes), BESIDE)(node, (it) => {
    it.effect(
      "leaves nobody without an answer on SIGTERM, and ends with code 0",
      () =>
        Effect.gen(function* () {
          const system = yield* TheSystem
          const answered = yield* leave(system, system.url, system.engine.process)
          yield* system.startEngine()
          // Whatever was accepted has been answered.
          expect(yield* accepted(system)).toBe(answered)
        }),
      TIMEOUT
    )
  })
}

for (const [processes, node] of [
  ["1", "a node of one process"],
  ["2", "a node of several processes"]
] as const) {
  layer(Layer.effect(TheSystem, makeSystem({ PROCESSES: processes, DRAIN_TIMEOUT: "12", LEASE_SECONDS: "5" })), BESIDE)(
    `${node} with more mails in hand than it can send before its deadline`,
    (it) => {
      it.effect(
        "leaves those to the next whose answers would come too late, and no mail goes twice",
        () =>
          Effect.gen(function* () {
            const system = yield* TheSystem
            const { smtp } = system.fleet
            smtp.control.set({ do: "delay", ms: 1000 })
            const emails = Array.from({ length: 150 }, (_, i) => `reader${i}@example.com`)
            const id = yield* system.send({ to: { emails }, content: { subject: "News", html: "<p>News</p>" } })
            yield* eventually(
              Effect.sync(() => smtp.received().size),
              (size) => size > 0
            )
            const ended = once(system.engine.process, "exit")
            system.engine.process.kill("SIGTERM")
            expect(yield* Effect.promise(() => ended)).toEqual([0, null])
            expect(smtp.received().size).toBeLessThan(emails.length)
            smtp.control.set()
            yield* system.startEngine()
            const shown = yield* system.until(id, ({ status }) => status === "completed")
            expect(shown.counts).toMatchObject({ accepted: emails.length, sent: emails.length, failed: 0 })
            expect([...smtp.received().values()]).toEqual(emails.map(() => 1))
          }),
        TIMEOUT
      )
    }
  )
}

layer(Layer.effect(TheSystem, makeSystem({ DRAIN_TIMEOUT: "3" })), BESIDE)(
  "a client that never finishes its request",
  (it) => {
    it.effect(
      "is cut at the deadline, with an answer, and the code is 0 all the same",
      () =>
        Effect.gen(function* () {
          const { app, engine, url } = yield* TheSystem
          const stuck = halfSent(url, app.secretKey, JSON.stringify({ to: { all: true }, content: CONTENT }))
          // What came first has been read when what came later is answered.
          yield* Effect.promise(() => fetch(`${url}/healthz`))
          const ended = once(engine.process, "exit")
          engine.process.kill("SIGTERM")
          const [code] = (yield* Effect.promise(() => ended)) as [number | null]
          expect(code).toBe(0)
          expect(yield* Effect.promise(stuck.answer)).toMatch(/^HTTP\/1\.1 503 /)
        }),
      TIMEOUT
    )
  }
)

layer(SYSTEM("1"), BESIDE)("npm start", (it) => {
  it.effect(
    "hands the signal on, and ends as the node does",
    () =>
      Effect.gen(function* () {
        const system = yield* TheSystem
        const port = yield* lastingPort
        const url = `http://127.0.0.1:${port}`
        const npm = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn("npm", ["start", "--silent"], {
              cwd: fileURLToPath(new URL("../../", import.meta.url)),
              env: { ...system.env, PORT: String(port), BASE_URL: url, HOME: process.env["HOME"] },
              stdio: "ignore",
              detached: true
            })
          ),
          (child) =>
            Effect.sync(() => {
              if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL")
            })
        )
        yield* eventually(
          Effect.promise(() =>
            fetch(`${url}/readyz`).then(
              ({ status }) => status,
              () => 0
            )
          ),
          (status) => status === 200
        )
        expect(yield* leave(system, url, npm)).toBe(yield* accepted(system))
      }),
    TIMEOUT
  )
})
