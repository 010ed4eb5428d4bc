import { expect, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceStore } from "../../../services/ports/DeviceStore.ts"
import { android, hotStores, newApp, tokens } from "./Stores.ts"

layer(hotStores)("the planner's statistics", (it) => {
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
})
