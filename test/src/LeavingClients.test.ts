import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../layers/postgres/server/Database.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

class TheSystem extends Context.Service<TheSystem, System>()("heliograph/test/LeavingClients") {}

/** What nobody sends at once is sent by others after so long. */
const LATE_SECONDS = "40"
const EARLY_MS = 20_000

/** Succeeds when an accept waits for the lock. */
const untilItWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`
    SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%WITH arrived AS%'`
  yield* eventually(
    // A transaction sees the same activity until its end, unless it says so.
    Effect.orDie(Effect.andThen(sql`SELECT pg_stat_clear_snapshot()`, waiting)),
    (rows) => rows.length > 0
  )
})

/** Work while nothing can be accepted. */
const held = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.andThen(sql`LOCK TABLE notifications IN SHARE ROW EXCLUSIVE MODE`, work))
  }).pipe(Effect.orDie)

const onDatabase = <A, E, R>(work: Effect.Effect<A, E, R | SqlClient.SqlClient>) =>
  Effect.flatMap(TheSystem, ({ env }) => Effect.provide(work, PgClient.layerFrom(pool(env["DATABASE_URL"]!, 2))))

/** Begins a request, and breaks the connection off when its statement waits for the database. */
const begin = Effect.fnUntraced(function* (path: string, body: unknown) {
  const { app, call, url } = yield* TheSystem
  yield* held(
    Effect.gen(function* () {
      const leaving = new AbortController()
      const sent = fetch(url + path, {
        method: "POST",
        signal: leaving.signal,
        headers: { authorization: `ApiKey ${app.secretKey}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      }).then(
        ({ status }) => `answered ${status}`,
        () => "left"
      )
      yield* untilItWaits
      leaving.abort()
      expect(yield* Effect.promise(() => sent)).toBe("left")
      // The end of the connection has come when this is answered.
      yield* call("GET", "/healthz")
    })
  )
})

/** The newest notification, when it is over: how long that took, ms, and its counts. */
const outcome = Effect.gen(function* () {
  const { call, until } = yield* TheSystem
  const { body } = yield* eventually(call("GET", "/api/v1/notifications?limit=1"), ({ body }) => body.data.length === 1)
  const { counts, created_at, completed_at } = yield* until(body.data[0].id, ({ status }) => status === "completed")
  return { ms: Date.parse(completed_at!) - Date.parse(created_at), counts }
})

layer(
  Layer.effect(
    TheSystem,
    makeSystem({ LEASE_SECONDS: LATE_SECONDS, FORGOTTEN_SECONDS: LATE_SECONDS, SWEEP_SECONDS: LATE_SECONDS })
  ),
  { timeout: 240_000, excludeTestServices: true }
)("a client that leaves while its message is accepted", (it) => {
  const content = { title: "Title", body: "Body" }

  it.effect("has it sent at once, whomever it is to", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const devices = yield* system.importDevices(3)
      const users = Array.from({ length: 17 }, (_, i) => `leaver-${i}`)
      for (const [i, user_id] of users.entries()) {
        const { status } = yield* system.call("POST", "/api/v1/public/devices", {
          ...system.audience.device(1000 + i),
          user_id
        })
        expect(status).toBe(201)
      }
      // The first one tries the credentials.
      yield* system.until(
        yield* system.send({ to: { device_ids: devices }, content }),
        ({ status }) => status === "completed"
      )
      for (const [to, accepted] of [
        [{ device_ids: devices.slice(0, 1) }, 1],
        [{ device_ids: devices }, 3],
        [{ user_ids: users.slice(0, 1) }, 1],
        [{ user_ids: users }, 17]
      ] as const) {
        yield* begin("/api/v1/notifications", { to, content })
        const { counts, ms } = yield* outcome
        expect(counts, JSON.stringify(to)).toMatchObject({ accepted, sent: accepted })
        expect(ms, JSON.stringify(to)).toBeLessThan(EARLY_MS)
      }
    }).pipe(onDatabase)
  )

  it.effect("has it sent at once when it was answered that the database takes too long", () =>
    Effect.gen(function* () {
      const system = yield* TheSystem
      const [device] = yield* system.importDevices(1)
      const request = { to: { device_ids: [device] }, content }
      const { status } = yield* held(system.call("POST", "/api/v1/notifications", request))
      expect(status).toBe(503)
      const { counts, ms } = yield* outcome
      expect(counts).toMatchObject({ accepted: 1, sent: 1 })
      expect(ms).toBeLessThan(EARLY_MS)
    }).pipe(onDatabase)
  )
})
