import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Holder, noteRuns } from "../../../../layers/postgres/operations/Holder.ts"
import * as HolderStores from "../../../../layers/postgres/operations/HolderStore.ts"
import type { AppId, ExecutionId } from "../../../../services/domain/Ids.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { ALONE } from "../../../../services/domain/sending/Suspicion.ts"
import type { Ending, HolderId } from "../../../../services/ports/operations/HolderStore.ts"
import { HolderStore } from "../../../../services/ports/operations/HolderStore.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { now } from "../../../../services/ports/Now.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, carry, entered, moved, onOwnNode, timerBlocks, workflowStores } from "./Runs.ts"

/* Runs over which processes have ended: which of them are suspected, how the one at fault is found, and what becomes of it. */

const PAUSE: Step = { key: "pause", type: "DELAY", seconds: 3600 }

const ASK: Step = { key: "ask", type: "FETCH", url: "https://example.com/" }

/** A process that holds what it claims until `died` says how it ended. */
let process = 0 as HolderId
/** Whether the database has taken writes for a while, and nobody has set its clock. */
let isSteady = true

const holding = Layer.effect(
  Holder,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    id: () => process,
    takesOverUntil: () => (isSteady ? "infinity" : "-infinity"),
    // By a connection of its own, as a process has one for it: the transaction is lost with the process.
    noteRuns: (claim: Parameters<typeof noteRuns>[2]) => {
      const noting = noteRuns(sql, process, claim)
      return Effect.promise(() => Effect.runPromise(Effect.orDie(noting)))
    }
  }))
)

const stores = Layer.mergeAll(workflowStores.pipe(Layer.provide(holding)), HolderStores.layer).pipe(
  Layer.provideMerge(hotStores)
)

/** Makes some runs due. */
const due = Effect.fnUntraced(function* (app: AppId, count: number) {
  const workflow = yield* activated(app, [PAUSE])
  const runs = yield* entered(
    workflow,
    Array.from({ length: count }, (_, i) => `u${i}`)
  )
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
  yield* sql`UPDATE executions SET deadline = now() - interval '1 s' WHERE app_id = ${app}`
  return runs.map(({ run }) => run.id)
})

/** Another process. */
const begins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  process = (process + 1) as HolderId
  yield* sql`INSERT INTO holders (id, name) VALUES (${process}, 'test')`
  return process
})

/** The process ends over what it does; others find its session gone. */
const ends = Effect.fnUntraced(function* (
  how: Ending,
  over: Effect.Effect<unknown, unknown, ExecutionStore | SqlClient.SqlClient | WorkflowStore>
) {
  yield* begins
  yield* Effect.exit(over)
  const store = yield* HolderStore
  yield* store.ended(process, how)
  yield* store.release
})

/** Moves what is due until it comes to a run at which a process ends. */
const dyingAt = (app: AppId, guilty: ExecutionId) =>
  Effect.gen(function* () {
    const store = yield* ExecutionStore
    const carried = yield* carry()
    const dying: typeof carried = (runs, tools) =>
      runs.some(({ id }) => id === guilty) ? Effect.die(new Error("out of memory")) : carried(runs, tools)
    const page = yield* store.move(app, 100, dying)
    for (let some = page.moves.moved.length; some > 0;) {
      some = (yield* store.moveSuspect(dying)).moves.moved.length
    }
    while (yield* store.hasSuspects) yield* store.moveSuspect(dying)
  })

const statuses = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly status: string; readonly error: string | null; readonly count: number }>`
    SELECT status, error, count(*)::integer AS count FROM executions WHERE app_id = ${app} GROUP BY 1, 2 ORDER BY 1`
  return rows
})

layer(stores, { timeout: 240_000, excludeTestServices: true })("a run", (it) => {
  it.effect("over which processes end again and again fails, and those beside it go on", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const ids = yield* due(app, 20)
      const store = yield* ExecutionStore
      const sql = yield* SqlClient.SqlClient
      yield* ends("crashed", dyingAt(app, ids[7]!))
      // All of them may be why: none is moved among others.
      expect(yield* moved(app)).toEqual([])
      expect(yield* store.hasSuspects).toBe(true)
      // One after the other; the process ends over one, and the others have got on.
      const alone = dyingAt(app, ids[7]!)
      yield* ends("crashed", alone)
      const [left] =
        yield* sql`SELECT execution_id, suspicion FROM execution_timers WHERE app_id = ${app} ORDER BY suspicion DESC`
      expect(left).toEqual({ execution_id: ids[7], suspicion: 2 * ALONE })
      const carried = yield* carry()
      while (yield* store.hasSuspects) yield* store.moveSuspect(carried)
      // What it brought may be why: it is not read any more.
      yield* sql`UPDATE executions SET data = 'no JSON', steps = 'nor this' WHERE app_id = ${app} AND id = ${ids[7]!}`
      yield* moved(app)
      expect(yield* statuses(app)).toEqual([
        { status: "completed", error: null, count: 19 },
        { status: "failed", error: "worker_ended", count: 1 }
      ])
    })
  )

  it.effect("is suspected of next to nothing when somebody kills a process, and of nothing once it has moved", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const ids = yield* due(app, 20)
      const sql = yield* SqlClient.SqlClient
      const most = sql<{ readonly most: number }>`
        SELECT max(suspicion)::integer AS most FROM execution_timers WHERE app_id = ${app}`
      for (let kill = 1; kill <= 3; kill++) {
        yield* ends("killed", dyingAt(app, ids[0]!))
        expect(yield* most).toEqual([{ most: kill }])
      }
      const page = yield* moved(app)
      expect(page).toHaveLength(20)
      expect(yield* statuses(app)).toEqual([{ status: "completed", error: null, count: 20 }])
      // What it had in hand is done: that the process ends later says nothing of anybody.
      const others = yield* due(app, 5)
      yield* ends("crashed", Effect.void)
      expect(yield* moved(app)).toHaveLength(others.length)
    })
  )

  it.effect(
    "is to be moved alone before it is blamed, however many processes have ended over it and others at once",
    () =>
      Effect.gen(function* () {
        const app = yield* newApp
        yield* due(app, 20)
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const processes: Array<HolderId> = []
        for (let crash = 0; crash < 3; crash++) {
          processes.push(yield* begins)
          yield* Effect.exit(store.move(app, 100, () => Effect.die("out of memory")))
        }
        const holders = yield* HolderStore
        for (const id of processes) yield* holders.ended(id, "crashed")
        yield* holders.release
        const [row] = yield* sql`SELECT max(suspicion)::integer AS most FROM execution_timers WHERE app_id = ${app}`
        expect(row).toEqual({ most: ALONE })
      })
  )

  it.effect("is looked for among those that are suspected, however many are due beside it", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE execution_timers SET suspicion = 0`
      // Its vacuum would read beside the test what is counted.
      yield* sql`ALTER TABLE execution_timers SET (autovacuum_enabled = off)`
      yield* sql`INSERT INTO execution_timers (app_id, execution_id, due_at)
        SELECT ${app}::uuid, gen_random_uuid(), now() - interval '1 s' FROM generate_series(1, 20000)`
      yield* sql`ANALYZE execution_timers`
      const blocks = yield* onOwnNode(
        Effect.gen(function* () {
          const store = yield* ExecutionStore
          expect(yield* store.hasSuspects).toBe(false)
          const before = yield* timerBlocks
          expect(yield* store.hasSuspects).toBe(false)
          expect((yield* store.moveSuspect(yield* carry())).moves.moved).toEqual([])
          return (yield* timerBlocks) - before
        })
      )
      yield* sql`DELETE FROM execution_timers WHERE app_id = ${app}`
      expect(blocks).toBeLessThan(20)
    })
  )

  it.effect("at a FETCH of a process that lives stays with it when the database's clock is set forward", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const sql = yield* SqlClient.SqlClient
      const store = yield* ExecutionStore
      yield* begins
      yield* entered(yield* activated(app, [ASK]), ["a"])
      yield* begins
      yield* entered(yield* activated(app, [ASK]), ["b"])
      yield* entered(yield* activated(app, [PAUSE]), ["c"])
      yield* Effect.addFinalizer(() => Effect.sync(() => (isSteady = true)))
      isSteady = false
      const others = Effect.map(
        moved(app),
        (all) => new Map(all.map(({ fetchUntil, run }) => [run.userId, fetchUntil !== null]))
      )
      const setForward = sql`UPDATE execution_timers SET due_at = due_at - interval '2 hours' WHERE app_id = ${app}`
      yield* setForward
      expect([...(yield* others).keys()]).toEqual(["c"])
      expect(yield* others).toEqual(new Map())
      // Nobody looks for them again and again.
      expect((yield* store.due).filter(({ appId, at }) => appId === app && at <= now())).toEqual([])
      // One whose process has died is not left to it.
      const holders = yield* HolderStore
      yield* holders.ended(process, "killed")
      yield* holders.release
      yield* begins
      expect(yield* others).toEqual(new Map([["b", true]]))
      // Nor is one whose process lives and stands still.
      yield* setForward
      isSteady = true
      expect(yield* others).toEqual(
        new Map([
          ["a", true],
          ["b", true],
          ["c", false]
        ])
      )
    })
  )

  it.effect("at a FETCH that a process has begun is moved by another as soon as that one has ended", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const sql = yield* SqlClient.SqlClient
      const fetching = Effect.fnUntraced(function* (app: AppId) {
        yield* begins
        yield* entered(yield* activated(app, [PAUSE, ASK]), ["a", "b"])
        yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
        yield* sql`UPDATE executions SET deadline = now() - interval '1 s' WHERE app_id = ${app}`
        return yield* moved(app)
      })
      for (const { fetchUntil } of yield* fetching(other)) expect(fetchUntil).not.toBeNull()
      yield* ends("killed", fetching(app))
      expect(yield* moved(other)).toEqual([])
      const again = yield* moved(app)
      expect(again.map(({ fetchUntil, run }) => [fetchUntil !== null, run.fence, run.suspicion])).toEqual([
        [true, 1, 0],
        [true, 1, 0]
      ])
      // Who has got on is nobody's any more.
      const store = yield* ExecutionStore
      const answered = yield* carry(
        new Map(again.map(({ run }) => [run.id, { _tag: "Answer", status: 200, body: null }]))
      )
      const begun = again.map(({ run }) => ({ ...run, fence: run.fence + 1 }))
      expect((yield* store.resume(begun, answered)).moves.moved).toHaveLength(2)
      expect(yield* sql`SELECT 1 AS one FROM execution_timers WHERE app_id = ${app} AND holder IS NOT NULL`).toEqual([])
    })
  )
})
