import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Option, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { writeHookResults } from "../../../services/engine/HookSaving.ts"
import { UNWRITABLE } from "../../../services/engine/Saving.ts"
import type { HookAttempt, HookResults } from "../../../services/ports/HookStore.ts"
import { HookStore } from "../../../services/ports/HookStore.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import { claimedWork, exhaust, hookStores, LEASE, results } from "../../layers/postgres/HookWork.ts"

/** PostgreSQL has no place for such a character. */
const BAD = "not\u0000storable"

const attempt = (position: number, outcome: number | string): HookAttempt => ({
  position,
  at: 0,
  latencyMs: 1,
  outcome
})

/** Runs an effect, and answers what it logged as errors, with their annotations. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const errors: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ fiber, logLevel }) => {
    if (logLevel === "Error") errors.push({ ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  return Effect.map(Effect.provide(effect, Logger.layer([logger])), (value) => ({ value, errors }))
}

layer(hookStores)("writeHookResults", (it) => {
  it.effect("writes what became of each delivery when the log cannot be written, and says so", () =>
    Effect.gen(function* () {
      const { hook, store, work } = yield* claimedWork(3)
      const sql = yield* SqlClient.SqlClient
      const refused = results(hook.id, work, {
        delivered: [0],
        retry: { positions: [1], delayMs: 0 },
        remaining: [2],
        tried: [attempt(0, 204), attempt(1, BAD)]
      })
      expect(yield* Effect.flip(store.finish(refused))).toMatchObject({ refused: true })
      const { errors, value } = yield* logged(writeHookResults(store.finish, refused))
      expect(value).toBe(true)
      expect(errors).toEqual([{ hook_id: hook.id, work_id: work.id }])
      const rows = yield* sql`
        SELECT positions, delivered, done FROM hook_work WHERE hook_id = ${hook.id} ORDER BY attempts`
      expect(rows).toEqual([
        { positions: [2], delivered: 1, done: false },
        { positions: [1], delivered: 0, done: false }
      ])
      expect(yield* sql`SELECT 1 FROM hook_attempts WHERE work_id = ${work.id}`).toEqual([])
    })
  )

  it.effect("writes nothing of a log that does not fit into its form, and all else", () =>
    Effect.gen(function* () {
      const { hook, store, work } = yield* claimedWork(2)
      const unfit = results(hook.id, work, { delivered: [0, 1], tried: [attempt(0, 100_000), attempt(1, 204)] })
      expect(yield* Effect.flip(store.finish(unfit))).toMatchObject({ refused: true })
      expect((yield* logged(writeHookResults(store.finish, unfit))).value).toBe(true)
      expect(yield* store.nextDue(hook.id, LEASE)).toEqual(Option.none())
    })
  )

  it.effect("buries exhausted deliveries, and disables their hook, with a reason that can be written", () =>
    Effect.gen(function* () {
      const { appId, hook, store, work } = yield* claimedWork(2)
      const sql = yield* SqlClient.SqlClient
      const refused = results(hook.id, work, { ...exhaust([0, 1], BAD), disableAfter: 2 })
      expect((yield* logged(writeHookResults(store.finish, refused))).value).toBe(true)
      expect(yield* sql`SELECT error FROM dead_letters WHERE hook_id = ${hook.id}`).toEqual([
        { error: UNWRITABLE },
        { error: UNWRITABLE }
      ])
      const { disabledReason, isActive } = Option.getOrThrow(yield* store.find(appId, hook.id))
      expect(isActive).toBe(false)
      expect(disabledReason).toContain(UNWRITABLE)
    })
  )

  it.effect("writes nothing when the work is another's by now", () =>
    Effect.gen(function* () {
      const { hook, store, work } = yield* claimedWork(1)
      const sql = yield* SqlClient.SqlClient
      const first = results(hook.id, { ...work, fence: work.fence - 1 }, { delivered: [0], tried: [attempt(0, BAD)] })
      // The statement is refused before it is known whose the work is; what can be written finds it gone.
      expect(yield* Effect.flip(store.finish(first))).toMatchObject({ refused: true })
      const { errors, value } = yield* logged(writeHookResults(store.finish, first))
      expect([value, errors]).toEqual([false, []])
      expect(yield* sql`SELECT delivered FROM hook_work WHERE id = ${work.id}`).toEqual([{ delivered: 0 }])
    })
  )

  it.effect("leaves work of whose results nothing can be written to its lease", () =>
    Effect.gen(function* () {
      const { hook, store, work } = yield* claimedWork(2)
      // No interval is as long as that.
      const retry = results(hook.id, work, { delivered: [0], retry: { positions: [1], delayMs: 1e300 } })
      const { errors, value } = yield* logged(writeHookResults(store.finish, retry))
      expect([value, errors]).toEqual([false, [{ hook_id: hook.id, work_id: work.id }]])
      const wait = Option.getOrThrow(yield* store.nextDue(hook.id, LEASE))
      expect(wait).toBeGreaterThan(0)
    })
  )

  it.effect("asks a database that was away again, with all of the results", () =>
    Effect.gen(function* () {
      const { hook, work } = yield* claimedWork(1)
      const store = yield* HookStore
      const sql = yield* SqlClient.SqlClient
      let tries = 0
      const isAway = yield* Deferred.make<void>()
      const finish = (given: HookResults) =>
        Effect.suspend(() =>
          ++tries === 1
            ? Effect.andThen(
                Deferred.succeed(isAway, undefined),
                Effect.fail(new StoreError({ operation: "HookStore.finish", cause: "away" }))
              )
            : store.finish(given)
        )
      const all = results(hook.id, work, { delivered: [0], tried: [attempt(0, 204)] })
      const writing = yield* Effect.forkChild(writeHookResults(finish, all))
      yield* Deferred.await(isAway)
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(writing)).toBe(true)
      expect(yield* sql`SELECT 1 AS row FROM hook_attempts WHERE work_id = ${work.id}`).toEqual([{ row: 1 }])
    })
  )
})
