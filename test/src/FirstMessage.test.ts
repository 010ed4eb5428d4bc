import { describe, expect, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { commands } from "../../src/app.ts"
import { start } from "../../src/demo/DemoProcesses.ts"
import { freshDatabase } from "../Database.ts"
import { makeNatsServer } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import { eventually } from "../System.ts"

/** Nothing is found by sweeping within this test: only what is told of, and heard, is done. */
const NO_SWEEPS = { SWEEP_SECONDS: "3600", FORGOTTEN_SECONDS: "3600" }

// Looked into by the tests below.
// oxlint-disable-next-line typescript/no-explicit-any
type Answer = { readonly status: number; readonly body: any }

/** A node that begins to start, over a database with an application. Nobody waits for it to be ready. */
const startNode = Effect.fnUntraced(function* (
  over: NodeJS.ProcessEnv
): Effect.fn.Return<(method: string, path: string, body?: unknown) => Effect.Effect<Answer>, never, Scope.Scope> {
  const database = yield* freshDatabase()
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-first-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* lastingPort
  const url = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env["PATH"],
    DATABASE_URL: database.url,
    MASTER_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: dataDir,
    PORT: String(port),
    BASE_URL: url,
    LOG_LEVEL: "warn",
    ...NO_SWEEPS,
    ...over
  }
  const { secretKey } = yield* createApplication("First").pipe(Effect.provide(commands(env)), Effect.orDie)
  const headers = { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" }
  yield* start(["serve"], env)
  return (method, path, body) =>
    Effect.promise(async () => {
      const options = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const response = await fetch(url + path, options).catch(() => null)
      return response === null ? { status: 0, body: null } : { status: response.status, body: await response.json() }
    })
})

type Call = Effect.Success<ReturnType<typeof startNode>>

const CONTENT = { title: "Hello", body: "from the start" }
/** Asks again while the node has not begun to serve. */
const posted = (call: Call, path: string, body: unknown) =>
  Effect.map(
    eventually(call("POST", path, body), ({ status }) => status !== 0 && status !== 503),
    (answer) => answer.body.id as string
  )

/**
 * One that is planned with the accept, and one that a worker plans. Without a credential for mail, both fail at once.
 */
const sendBoth = Effect.fnUntraced(function* (call: Call) {
  const mailing = { to: { emails: ["a@example.com", "b@example.com"] }, content: CONTENT }
  const planned = yield* posted(call, "/api/v1/notifications", mailing)
  const channel = yield* posted(call, "/api/v1/channels", { kind: "email", address: "c@example.com" })
  const single = { to: { channel_ids: [channel] }, content: CONTENT }
  return [planned, yield* posted(call, "/api/v1/notifications", single)]
})

const isDone = Effect.fnUntraced(function* (call: Call, id: string) {
  const { body } = yield* eventually(
    call("GET", `/api/v1/notifications/${id}`),
    (answer) => answer.body?.status === "completed"
  )
  expect(body.counts).toMatchObject({ failed: body.counts.accepted, pending: 0 })
  expect(body.counts.accepted).toBeGreaterThan(0)
})

const QUEUES = ["no NATS", "NATS", "NATS that is down"] as const

const natsOf = Effect.fnUntraced(function* (queue: (typeof QUEUES)[number]) {
  if (queue === "no NATS") return {}
  const nats = yield* makeNatsServer
  if (queue === "NATS that is down") yield* nats.kill
  return { NATS_URL: nats.url }
})

describe.concurrent.each(QUEUES)("the first messages after a start with %s", (queue) => {
  it.live.each(["1", "2"])(
    "go out without a sweep when they are accepted before anybody works (PROCESSES=%s)",
    (processes) =>
      Effect.gen(function* () {
        const call = yield* startNode({ PROCESSES: processes, ...(yield* natsOf(queue)) })
        for (const id of yield* sendBoth(call)) yield* isDone(call, id)
      }),
    240_000
  )
})

describe.concurrent.each(["no NATS", "NATS"] as const)("the first messages of a ready node with %s", (queue) => {
  it.live(
    "go out without a sweep",
    () =>
      Effect.gen(function* () {
        const call = yield* startNode({ PROCESSES: "2", ...(yield* natsOf(queue)) })
        yield* eventually(call("GET", "/readyz"), ({ status }) => status === 200)
        for (const id of yield* sendBoth(call)) yield* isDone(call, id)
      }),
    240_000
  )
})
