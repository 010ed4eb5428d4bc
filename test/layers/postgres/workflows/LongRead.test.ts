import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { TestDatabase } from "../../../Database.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, entered, moved, workflowStores } from "./Runs.ts"

/* A dump, or a forgotten console: nothing of what it may see is cleared away. */

const PAUSE: Step = { key: "pause", type: "DELAY", seconds: 3600 }
const MARK: Step = { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] }
const PAGE = 200
const PAGES = 15

const onOwnNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const node = workflowStores.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
    return yield* Effect.provide(effect, Layer.fresh(node))
  })

const stores = workflowStores.pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("runs", (it) => {
  it.effect("are moved while somebody reads for long, at no more than a look at what was moved since", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const workflow = yield* activated(app, [PAUSE, MARK])
      for (let page = 0; page < 3; page++)
        yield* entered(
          workflow,
          Array.from({ length: 1000 }, (_, i) => `p${page}-${i}`)
        )
      yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
      yield* sql`UPDATE executions SET deadline = now() - interval '1 s' WHERE app_id = ${app}`
      const reading = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const read = onOwnNode(
        Effect.flatMap(SqlClient.SqlClient, (own) =>
          own.withTransaction(
            Effect.gen(function* () {
              yield* own`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
              const before = yield* own`SELECT status, count(*) FROM executions WHERE app_id = ${app} GROUP BY 1`
              yield* Deferred.succeed(reading, undefined)
              yield* Deferred.await(done)
              const after = yield* own`SELECT status, count(*) FROM executions WHERE app_id = ${app} GROUP BY 1`
              expect(after).toEqual(before)
            })
          )
        )
      )
      /** Blocks of timers that this session has read. */
      const blocks = Effect.flatMap(SqlClient.SqlClient, (own) =>
        Effect.andThen(
          own`SELECT pg_stat_force_next_flush()`,
          Effect.map(
            own<{ readonly blocks: number }>`
              SELECT (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::float8 AS blocks
              FROM pg_statio_user_tables WHERE relname = 'execution_timers'`,
            ([row]) => row!.blocks
          )
        )
      )
      const work = onOwnNode(
        Effect.gen(function* () {
          yield* Deferred.await(reading)
          const costs: Array<number> = []
          for (let page = 0; page < PAGES; page++) {
            const before = yield* blocks
            expect(yield* moved(app, PAGE)).toHaveLength(PAGE)
            costs.push((yield* blocks) - before)
          }
          yield* Deferred.succeed(done, undefined)
          return costs
        })
      )
      const [, costs] = yield* Effect.all([read, work], { concurrency: "unbounded" })
      const statuses =
        yield* sql`SELECT status, count(*)::integer AS count FROM executions WHERE app_id = ${app} GROUP BY 1`
      expect(statuses).toEqual([{ status: "completed", count: PAGE * PAGES }])
      // Rows that are gone stay in the index for the reader, and are passed by.
      const first = Math.max(...costs.slice(0, 2))
      for (const [page, cost] of costs.entries()) {
        expect(cost, `page ${page}`).toBeLessThan(2 * first + 1.5 * page * PAGE)
      }
    })
  )
})
