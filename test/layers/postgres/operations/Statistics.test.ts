import { expect, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { growing } from "../../../../layers/postgres/operations/Statistics.ts"
import type { NotificationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { android, hotStores, newApp, tokens } from "../Stores.ts"

layer(hotStores, { excludeTestServices: true })("the planner's statistics", (it) => {
  it.effect("are of a table as it is after an import, not as it was when it was empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const devices = yield* DeviceStore
      const app = yield* newApp
      const known = Effect.map(
        sql<{ readonly rows: number }>`SELECT reltuples::integer AS rows FROM pg_class WHERE relname = 'devices'`,
        ([row]) => row!.rows
      )
      const all = tokens("grown", 12_000).map((token) => android(token))
      for (let n = 0; n < all.length; n += 1_000) yield* devices.register(app, all.slice(n, n + 1_000))
      // The database looks at the table beside the import.
      const seen = yield* known.pipe(
        Effect.repeat({ until: (rows) => rows >= 9_000, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("20 seconds")
      )
      expect(seen).toBeGreaterThanOrEqual(9_000)
    })
  )

  it.effect("are made by a connection of their own, and not in the transaction that writes the rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const grew = yield* growing(["channels"], 1)
      const held = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* grew(1)
          // Whatever was begun has had its turn, and would stand before this on the connection.
          yield* Effect.yieldNow
          yield* sql`SELECT 1`
          return yield* sql`SELECT mode FROM pg_locks
            WHERE pid = pg_backend_pid() AND relation = 'channels'::regclass AND mode = 'ShareUpdateExclusiveLock'`
        })
      )
      expect(held).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.effect("are of the notifications as they are after some hundred single ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const appId = yield* newApp
      const known = Effect.map(
        sql<{ readonly rows: number }>`SELECT reltuples::integer AS rows FROM pg_class WHERE relname = 'notifications'`,
        ([row]) => row!.rows
      )
      yield* Effect.forEach(
        Array.from({ length: 1_200 }, () => uuidv7() as NotificationId),
        (id) =>
          notifications.accept({
            id,
            appId,
            request: { to: { all: true }, content: {} },
            ttlMs: 60_000,
            batches: null
          }),
        { concurrency: "unbounded", discard: true }
      )
      const seen = yield* known.pipe(
        Effect.repeat({ until: (rows) => rows >= 500, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("20 seconds")
      )
      expect(seen).toBeGreaterThanOrEqual(500)
    })
  )

  it.effect("are left to the database's own daemon beyond a size at which plans no longer change", () =>
    Effect.gen(function* () {
      const grew = yield* growing(["channels"], 10, 40)
      const looks = Array.from({ length: 100 }, () => grew(10)).flatMap((look, n) =>
        look === Effect.void ? [] : (n + 1) * 10
      )
      expect(looks).toEqual([10, 20, 40])
    })
  )
})
