import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { goBy } from "../../../../services/ports/Now.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, entered, moved, onOwnNode, timerBlocks, workflowStores } from "./Runs.ts"

/* A dump, or a forgotten console: nothing of what it may see is cleared away. */

const PAUSE: Step = { key: "pause", type: "DELAY", seconds: 3600 }
const MARK: Step = { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] }
const PAGE = 200
const PAGES = 15

/** Time passes when the test says so, and goes on as ever after it. */
const atOneTime = Effect.gen(function* () {
  let at = Date.now()
  yield* Effect.acquireRelease(
    Effect.sync(() => goBy(() => at)),
    (goBack) => Effect.sync(goBack)
  )
  return { now: () => at, pass: (ms: number) => void (at += ms) }
})

const stores = workflowStores.pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("runs", (it) => {
  it.effect("are moved while somebody reads for long, without a look at what was moved since", () =>
    Effect.gen(function* () {
      // However long it takes: no time passes.
      const at = yield* atOneTime
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const workflow = yield* activated(app, [PAUSE, MARK])
      for (let page = 0; page < 3; page++)
        yield* entered(
          workflow,
          Array.from({ length: 1000 }, (_, i) => `p${page}-${i}`)
        )
      yield* sql`UPDATE execution_timers SET due_at = ${new Date(at.now() - 1000)} WHERE app_id = ${app}`
      yield* sql`UPDATE executions SET deadline = now() - interval '1 h' WHERE app_id = ${app}`
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
      const work = onOwnNode(
        Effect.gen(function* () {
          yield* Deferred.await(reading)
          const costs: Array<number> = []
          for (let page = 0; page < PAGES; page++) {
            const before = yield* timerBlocks
            expect((yield* (yield* ExecutionStore).due).map(({ appId }) => appId)).toContain(app)
            expect(yield* moved(app, PAGE)).toHaveLength(PAGE)
            costs.push((yield* timerBlocks) - before)
          }
          yield* Deferred.succeed(done, undefined)
          return costs
        })
      )
      const [, costs] = yield* Effect.all([read, work], { concurrency: "unbounded" })
      const statuses =
        yield* sql`SELECT status, count(*)::integer AS count FROM executions WHERE app_id = ${app} GROUP BY 1`
      expect(statuses).toEqual([{ status: "completed", count: PAGE * PAGES }])
      // Rows that are gone stay in the index for the reader. From the first on, there would be 200 more with each page:
      // seven times as many in the middle. One page may well plan anew, or have PostgreSQL's own vacuum beside it.
      const [first, ...later] = costs
      expect(later.toSorted((a, b) => a - b)[later.length >> 1], `blocks: ${costs.join()}`).toBeLessThan(first! + PAGE)
    })
  )

  it.effect("are not lost that come to stand before what was moved already", () =>
    Effect.gen(function* () {
      const at = yield* atOneTime
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const workflow = yield* activated(app, [PAUSE])
      const runs = yield* entered(
        workflow,
        Array.from({ length: 50 }, (_, i) => `u${i}`)
      )
      const ids = runs.map(({ run }) => run.id).sort()
      const dueBefore = (seconds: number, some: ReadonlyArray<string>) => sql`
        UPDATE execution_timers SET due_at = ${new Date(at.now() - seconds * 1000)} WHERE app_id = ${app}
          AND execution_id = ANY(${some}::uuid[])`
      yield* sql`UPDATE executions SET deadline = now() - interval '1 h' WHERE app_id = ${app}`
      const movedIds = (limit: number) => Effect.map(moved(app, limit), (all) => all.map(({ run }) => run.id).sort())
      yield* dueBefore(10, ids.slice(0, 40))
      expect(yield* movedIds(10)).toEqual(ids.slice(0, 10))
      // Such as of a clock that is behind: it waits for its turn, and no longer than a second.
      yield* dueBefore(20, [ids[40]!])
      expect(yield* movedIds(10)).toEqual(ids.slice(10, 20))
      at.pass(1000)
      expect(yield* movedIds(10)).toEqual([...ids.slice(20, 29), ids[40]!].sort())
      // A clock that goes back says nothing of how long ago that was.
      yield* dueBefore(20, [ids[41]!])
      at.pass(-2000)
      expect(yield* movedIds(5)).toEqual([...ids.slice(29, 33), ids[41]!].sort())
      at.pass(2000)
      // Those of a page that could not be written come again at once.
      yield* movedIds(2)
      const failing = yield* Effect.exit((yield* ExecutionStore).move(app, 2, () => Effect.die("broken")))
      expect(failing._tag).toBe("Failure")
      expect(yield* movedIds(2)).toEqual(ids.slice(35, 37))
      // And where there is nothing else, nobody waits.
      yield* dueBefore(20, [ids[42]!])
      expect(yield* movedIds(3)).toEqual(ids.slice(37, 40))
      expect((yield* (yield* ExecutionStore).due).filter(({ appId }) => appId === app)).toEqual([
        { appId: app, at: at.now() - 20_000 }
      ])
      expect(yield* movedIds(3)).toEqual([ids[42]])
    })
  )
})
