import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { Client } from "pg"
import { lastingPort } from "../Ports.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

/** A node that only serves the API is killed with a sign-in code in hand: real processes over one database. */

interface Place {
  readonly system: System
  readonly database: Client
}
class ThePlace extends Context.Service<ThePlace, Place>()("heliograph/test/CodeTakeover") {}

/** A mail server that says nothing to whoever connects. */
const silent = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.on("error", () => {}).resume())
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

const PLACE = Layer.effect(
  ThePlace,
  Effect.gen(function* () {
    const { port } = (yield* silent).address() as AddressInfo
    const system = yield* makeSystem({ SMTP_URL: `smtp://127.0.0.1:${port}` })
    const database = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ connectionString: system.env["DATABASE_URL"]! })
        await client.connect()
        return client
      }),
      (client) => Effect.promise(() => client.end())
    )
    return { system, database }
  })
)

/** The lease of a code, which others wait for where nobody sees that its process has died. */
const LEASE_MS = 30_000

layer(PLACE, { timeout: 240_000, excludeTestServices: true })("a sign-in code", (it) => {
  it.effect("is sent by another node soon after the one that had it in hand was killed", () =>
    Effect.gen(function* () {
      const { database, system } = yield* ThePlace
      const nodes = Effect.promise(async () =>
        (await database.query<{ id: number }>("SELECT id FROM holders")).rows.map(({ id }) => id)
      )
      const others = yield* nodes
      const port = yield* lastingPort
      const url = `http://127.0.0.1:${port}`
      const killed = yield* system.startEngine({ PORT: String(port), BASE_URL: url, ROLES: "api" })
      const inHand = (email: string) =>
        Effect.promise(async () => {
          const { rows } = await database.query<{ holder: number; attempts: number }>(
            "SELECT lease_holder AS holder, attempts FROM service_mails WHERE email = $1 AND lease_holder IS NOT NULL",
            [email]
          )
          return rows[0] ?? null
        })
      const isKilled = (row: { readonly holder: number } | null) => row !== null && !others.includes(row.holder)
      const request = Effect.fnUntraced(function* (email: string) {
        yield* Effect.promise(() =>
          fetch(`${url}/api/graphql`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ query: `mutation { requestLoginCode(email: "${email}") }` })
          })
        )
        return yield* eventually(inHand(email), (row) => row !== null)
      })
      // Now and then the other node comes first.
      let people = 0
      const mine = yield* Effect.repeat(
        Effect.suspend(() => {
          const email = `someone-${++people}@example.com`
          return Effect.map(request(email), (row) => ({ email, row }))
        }),
        { until: ({ row }) => isKilled(row), times: 10 }
      )
      expect([isKilled(mine.row), mine.row!.attempts]).toEqual([true, 1])
      yield* killed.kill
      const killedAt = performance.now()
      const taken = yield* eventually(inHand(mine.email), (row) => row !== null && !isKilled(row))
      expect(taken!.attempts).toBe(2)
      expect(performance.now() - killedAt).toBeLessThan(LEASE_MS / 2)
    })
  )
})
