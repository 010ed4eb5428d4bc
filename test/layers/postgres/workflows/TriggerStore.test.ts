import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import { hotStores, newApp } from "../Stores.ts"
import { workflowStores } from "./Runs.ts"

const stores = workflowStores.pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("events", (it) => {
  it.effect("that are raised at the same time share statements, and are kept each as its own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* TriggerStore
      const apps = [yield* newApp, yield* newApp]
      const raised = Array.from({ length: 200 }, (_, number) => ({ appId: apps[number % 2]!, number }))
      const ids = yield* Effect.forEach(
        raised,
        ({ appId, number }) => store.raise(appId, { event: `e${number}`, userId: `u${number}`, data: { number } }),
        { concurrency: "unbounded" }
      )
      const rows = yield* sql<{ readonly transaction: string }>`
        SELECT app_id AS "appId", id, event, user_id AS "userId", data, xmin::text AS transaction
        FROM custom_events WHERE app_id = ANY(${apps}::uuid[]) ORDER BY substr(event, 2)::integer`
      expect(rows.map(({ transaction: _transaction, ...row }) => row)).toEqual(
        raised.map(({ appId, number }) => ({
          appId,
          id: ids[number],
          event: `e${number}`,
          userId: `u${number}`,
          data: JSON.stringify({ number })
        }))
      )
      expect(new Set(rows.map(({ transaction }) => transaction)).size).toBeLessThan(10)
    })
  )

  it.effect("that the database refuses take no other down that came beside it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* TriggerStore
      const app = yield* newApp
      const users = Array.from({ length: 20 }, (_, number) => (number === 7 ? "\0" : `u${number}`))
      const exits = yield* Effect.forEach(
        users,
        (userId) => Effect.exit(store.raise(app, { event: "e", userId, data: {} })),
        { concurrency: "unbounded" }
      )
      expect(exits.map(Exit.isSuccess)).toEqual(users.map((userId) => userId !== "\0"))
      const [row] = yield* sql`SELECT count(*)::integer AS kept FROM custom_events WHERE app_id = ${app}`
      expect(row).toEqual({ kept: 19 })
    })
  )
})
