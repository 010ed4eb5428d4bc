import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { HOLDERS } from "../../../../layers/postgres/server/advisoryLocks.ts"
import * as Holder from "../../../../layers/postgres/operations/Holder.ts"
import type { Chore } from "../../../../services/ports/operations/LeaseHolder.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"
import { TestDatabase, testDatabase } from "../../../Database.ts"

const NOTHING = { batches: [], webhookWork: [], leaseMs: 20_000, webhookLeaseMs: 20_000 }
/** A span that no test sees the end of. */
const LONG_MS = 2_000_000_000

/** A process with a session of its own, which has beaten once. */
const makeProcess = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const context = yield* Holder.layer.pipe(
    Layer.provide(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)),
    Layer.fresh,
    Layer.buildWithScope(scope)
  )
  const holder = yield* Effect.provide(LeaseHolder, context)
  const beat = holder.beat(NOTHING)
  yield* beat
  /** Waits at a chore. `has` says whether the turn came. */
  const wait = Effect.fnUntraced(function* (chore: Chore, spanMs: number) {
    const fiber = yield* Effect.forkChild(holder.turn(chore, spanMs), { startImmediately: true })
    return { has: () => fiber.pollUnsafe() !== undefined, leave: Fiber.interrupt(fiber) }
  })
  return { id: holder.id, beat, wait, end: Scope.close(scope, Exit.void) }
})

const often = Schedule.spaced("20 millis")

layer(testDatabase(), { excludeTestServices: true })("a turn at a chore", (it) => {
  it.effect("is one process's in each span of time, for each chore and each length by itself", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeProcess, yield* makeProcess]
      const [first, second] = [yield* one.wait("release", LONG_MS), yield* other.wait("release", LONG_MS)]
      expect([first.has(), second.has()]).toEqual([false, false])
      yield* one.beat
      yield* other.beat
      expect([first.has(), second.has()]).toEqual([true, false])
      // Who had it has it no second time.
      const again = yield* one.wait("release", LONG_MS)
      const another = yield* other.wait("sweep", LONG_MS)
      for (const { beat } of [one, other, one, other]) yield* beat
      expect([again.has(), second.has(), another.has()]).toEqual([false, false, true])
    })
  )

  it.effect("goes to those who wait: who is at the chore still, or waits no more, leaves it to others", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeProcess, yield* makeProcess]
      yield* Effect.flatMap(one.wait("replays", LONG_MS), ({ leave }) => leave)
      yield* one.beat
      const turn = yield* other.wait("replays", LONG_MS)
      yield* other.beat
      expect(turn.has()).toBe(true)
    })
  )

  it.effect("passes to another with the next span, when who had the last one is frozen", () =>
    Effect.gen(function* () {
      const [frozen, other] = [yield* makeProcess, yield* makeProcess]
      const before = yield* frozen.wait("redeliveries", 200)
      yield* frozen.beat
      expect(before.has()).toBe(true)
      const after = yield* other.wait("redeliveries", 200)
      yield* Effect.repeat(other.beat, { until: after.has, schedule: often })
    })
  )

  it.effect("comes again to a process that is alone, span after span", () =>
    Effect.gen(function* () {
      const { beat, wait } = yield* makeProcess
      for (let span = 0; span < 3; span++) {
        const turn = yield* wait("redeliveries", 50)
        yield* Effect.repeat(beat, { until: turn.has, schedule: often })
      }
    })
  )

  it.effect("passes to another at once, when who had it has ended", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeProcess, yield* makeProcess]
      const first = yield* one.wait("sweep_dispatch", LONG_MS)
      yield* one.beat
      expect(first.has()).toBe(true)
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
        WHERE locktype = 'advisory' AND classid = ${HOLDERS} AND objid = ${one.id()}`
      const second = yield* other.wait("sweep_dispatch", LONG_MS)
      yield* Effect.repeat(other.beat, { until: second.has, schedule: often })
    })
  )

  it.effect("is everybody's who waited for a span, while nobody can ask", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeProcess, yield* makeProcess]
      const first = yield* one.wait("sweep_webhooks", LONG_MS)
      yield* one.beat
      expect(first.has()).toBe(true)
      const sql = yield* SqlClient.SqlClient
      const waiting = [yield* other.wait("sweep_webhooks", 1), yield* other.wait("sweep", LONG_MS)]
      yield* sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
        WHERE locktype = 'advisory' AND classid = ${HOLDERS} AND objid = ${other.id()}`
      yield* Effect.sleep("2 millis")
      yield* Effect.flip(other.beat)
      expect(waiting.map(({ has }) => has())).toEqual([true, false])
    })
  )
})
