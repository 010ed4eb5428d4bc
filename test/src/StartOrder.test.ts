import { expect, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { commands } from "../../src/app.ts"
import type { Child } from "../../src/demo/DemoProcesses.ts"
import { start } from "../../src/demo/DemoProcesses.ts"
import { freshDatabase } from "../Database.ts"
import { makeNatsServer } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import { makePostgresServer } from "../PostgresServer.ts"
import { eventually } from "../System.ts"
import { query } from "./cli/Command.ts"

interface Node {
  readonly child: Child
  readonly env: NodeJS.ProcessEnv
  readonly ask: (
    path: string,
    options?: RequestInit
    // Looked into by the tests below.
    // oxlint-disable-next-line typescript/no-explicit-any
  ) => Effect.Effect<{ readonly status: number; readonly headers: Headers; readonly body: any }>
}

/** An engine process; nobody waits for it to be ready. */
const startNode = Effect.fnUntraced(function* (over: NodeJS.ProcessEnv): Effect.fn.Return<Node, never, Scope.Scope> {
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-order-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* lastingPort
  const url = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env["PATH"],
    MASTER_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: dataDir,
    PORT: String(port),
    BASE_URL: url,
    LOG_LEVEL: "warn",
    PROCESSES: "1",
    SWEEP_SECONDS: "1",
    FORGOTTEN_SECONDS: "1",
    ...over
  }
  const child = yield* start(["serve"], env)
  const ask: Node["ask"] = (path, options) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, options).catch(() => null)
      if (response === null) return { status: 0, headers: new Headers(), body: null }
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text.startsWith("{") ? JSON.parse(text) : text
      }
    })
  return { child, env, ask }
})

const missingOf = ({ body }: { readonly body: any }): ReadonlyArray<string> =>
  (body?.error?.details ?? []).map(({ field }: { readonly field: string }) => field)

const untilMissing = (node: Node, fields: ReadonlyArray<string>) =>
  eventually(node.ask("/readyz"), (answer) => answer.status === 503 && String(missingOf(answer)) === String(fields))
const untilReady = (node: Node) => eventually(node.ask("/readyz"), ({ status }) => status === 200)

/** Accepts a notification, to whose e-mail address no credential leads, and waits for its account. */
const sendsThrough = Effect.fnUntraced(function* (node: Node) {
  const { secretKey } = yield* createApplication("Order").pipe(Effect.provide(commands(node.env)), Effect.orDie)
  const headers = { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" }
  const body = JSON.stringify({ to: { emails: ["a@example.com"] }, content: { title: "Hello" } })
  const sent = yield* node.ask("/api/v1/notifications", { method: "POST", headers, body })
  expect(sent.status).toBe(202)
  const shown = yield* eventually(
    node.ask(`/api/v1/notifications/${sent.body.id}`, { headers }),
    ({ body }) => body.status === "completed"
  )
  expect(shown.body.counts).toMatchObject({ accepted: 1, failed: 1, pending: 0 })
})

/** In another database of the same server, whose sessions nobody has set. */
const asAdministrator = (url: string, statement: string) => {
  const elsewhere = new URL(url)
  elsewhere.pathname = "/postgres"
  return query(elsewhere.href, statement)
}

describe.concurrent.each(["api", "api,dispatch,webhooks"])("a node with the roles %s", (roles) => {
  it.live(
    "started before its database and its queue, waits for both and says so, and goes on when they come",
    () =>
      Effect.gen(function* () {
        const postgres = yield* makePostgresServer({}, false)
        const nats = yield* makeNatsServer
        yield* nats.kill
        const node = yield* startNode({ DATABASE_URL: postgres.url, NATS_URL: nats.url, ROLES: roles })

        yield* untilMissing(node, ["database", "queue"])
        const excluded = yield* node.ask("/readyz?exclude=queue")
        expect([excluded.status, missingOf(excluded)]).toEqual([503, ["database"]])
        expect(yield* node.ask("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } })
        const refused = yield* node.ask("/api/v1/notifications", { method: "POST", body: "{}" })
        expect(refused).toMatchObject({ status: 503, body: { error: { code: "unavailable" } } })
        expect(refused.headers.get("retry-after")).toBe("2")
        expect(refused.headers.get("x-request-id")).toBe(refused.body.error.request_id)

        yield* postgres.start
        yield* untilMissing(node, ["queue"])
        // It serves by now, or does in a moment: who leaves the queue aside is not kept out by it.
        yield* eventually(
          node.ask("/readyz?exclude=queue"),
          ({ body, status }) => status === 200 && body.queue === "away"
        )
        yield* nats.start
        yield* untilReady(node)

        yield* Effect.all([postgres.kill, nats.kill])
        yield* untilMissing(node, ["database", "queue"])
        expect((yield* node.ask("/healthz")).status).toBe(200)
        yield* nats.start
        yield* untilMissing(node, ["database"])
        yield* postgres.start
        yield* untilReady(node)
        if (roles === "api,dispatch,webhooks") yield* sendsThrough(node)
      }),
    240_000
  )
})

describe.concurrent("a node that waits for its database", () => {
  it.live("ends when it is told to, with code 0", () =>
    Effect.gen(function* () {
      const node = yield* startNode({ DATABASE_URL: `postgres://nobody@127.0.0.1:${yield* lastingPort}/none` })
      yield* untilMissing(node, ["database"])
      const ended = once(node.child.process, "exit")
      node.child.process.kill("SIGTERM")
      expect((yield* Effect.promise(() => ended))[0]).toBe(0)
    })
  )

  it.live(
    "waits for one that takes no writes as well, though its sessions began like that, and says why",
    () =>
      Effect.gen(function* () {
        const { name, url } = yield* freshDatabase()
        const set = (value: "on" | "off") =>
          asAdministrator(url, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
        yield* set("on")
        const node = yield* startNode({ DATABASE_URL: url })
        yield* untilMissing(node, ["database"])
        const why = /PostgreSQL at \S+, database \S+: it takes no writes: transaction_read_only is on/
        yield* eventually(
          Effect.sync(() => node.child.tail()),
          (printed) => why.test(printed)
        )
        yield* set("off")
        yield* untilReady(node)
      }).pipe(Effect.scoped),
    240_000
  )

  it.live("answers many requests at the moment when it becomes ready, each once", () =>
    Effect.gen(function* () {
      const postgres = yield* makePostgresServer({}, false)
      const node = yield* startNode({ DATABASE_URL: postgres.url })
      yield* untilMissing(node, ["database"])
      const seen = new Set<number>()
      const asking = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 20 }),
          () =>
            Effect.repeat(node.ask("/readyz"), {
              until: ({ status }) => {
                seen.add(status)
                return status === 200
              }
            }),
          { concurrency: "unbounded" }
        )
      )
      yield* postgres.start
      yield* untilReady(node)
      yield* Fiber.join(asking)
      expect([...seen].sort()).toEqual([200, 503])
    })
  )
})
