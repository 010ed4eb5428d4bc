import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import { WriteGate } from "../../../../services/engine/operations/WriteGate.ts"
import type { InHand } from "../../../../services/ports/operations/LeaseHolder.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"

const away = new StoreError({ operation: "finish", cause: "away" })
const refused = new StoreError({ operation: "finish", cause: "no such text", refused: true })
const A = { id: "a", fence: 1 }
const B = { id: "b", fence: 2 }

const setup = Effect.gen(function* () {
  const beats: Array<InHand> = []
  const session: { since: number | null } = { since: 0 }
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const holder = Layer.mock(LeaseHolder, {
    beat: (inHand) => Effect.sync(() => void beats.push(inHand)),
    id: () => null,
    presentSince: () => session.since
  })
  const context = yield* WriteGate.layer.pipe(
    Layer.provide(holder),
    Layer.provide(settingsOf({})),
    Layer.orDie,
    Layer.buildWithScope(scope)
  )
  return { beats, session, gate: yield* Effect.provide(WriteGate, context) }
})

/** Waits for what comes with time alone. */
const until = (is: () => boolean) => Effect.repeat(Effect.sleep("10 millis"), { until: is })

it.live("closes with the first write that fails, for every work item, and opens when it has succeeded", () =>
  Effect.gen(function* () {
    const { gate } = yield* setup
    const [failed, mend] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const write = gate.writing("batches", [A], (attempt) =>
      attempt(Effect.fail(away)).pipe(
        Effect.catch(() => Effect.andThen(Deferred.succeed(failed, undefined), Deferred.await(mend))),
        Effect.andThen(attempt(Effect.void))
      )
    )
    expect(gate.mayBegin("b", 1)).toBe(true)
    const writing = yield* Effect.forkChild(write)
    yield* Deferred.await(failed)
    expect([gate.mayBegin("a", 1), gate.mayBegin("b", 1)]).toEqual([false, false])
    const waiting = yield* Effect.forkChild(gate.open())
    yield* Deferred.succeed(mend, undefined)
    yield* Fiber.join(writing)
    yield* Fiber.join(waiting)
    expect([gate.mayBegin("a", 1), gate.mayBegin("b", 1)]).toEqual([true, true])
  }).pipe(Effect.scoped)
)

it.live("closes when a write is overdue, says what it holds, and lets others begin once another write succeeds", () =>
  Effect.gen(function* () {
    const { beats, gate } = yield* setup
    const answer = yield* Deferred.make<void>()
    const writing = yield* Effect.forkChild(gate.writing("batches", [A], (attempt) => attempt(Deferred.await(answer))))
    yield* Effect.yieldNow
    // Under way, and not late yet.
    expect(gate.mayBegin("b", 1)).toBe(true)
    yield* until(() => !gate.mayBegin("b", 1))
    yield* until(() => beats.some(({ batches }) => batches.some(({ id }) => id === "a")))
    yield* gate.writing("webhookWork", [B], (attempt) => attempt(Effect.void))
    // The database takes writes: this one waits for something of its own.
    expect([gate.mayBegin("a", 1), gate.mayBegin("b", 1)]).toEqual([false, true])
    yield* gate.open("b")
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(writing)
    yield* gate.open("a")
    expect(gate.mayBegin("a", 1)).toBe(true)
  }).pipe(Effect.scoped)
)

it.live("takes a refusal of results for what they say as an answer", () =>
  Effect.gen(function* () {
    const { gate } = yield* setup
    const seen = yield* gate.writing("batches", [A], (attempt) =>
      Effect.map(Effect.exit(attempt(Effect.fail(refused))), () => gate.mayBegin("b", 1))
    )
    expect(seen).toBe(true)
  }).pipe(Effect.scoped)
)

it.live("is closed without a session, and knows nothing of what was held before the session it has", () =>
  Effect.gen(function* () {
    const { gate, session } = yield* setup
    session.since = null
    expect([gate.mayBegin("a", 1), gate.isUnbroken(1)]).toEqual([false, false])
    const waiting = yield* Effect.forkChild(gate.open())
    session.since = 5
    yield* Fiber.join(waiting)
    expect([gate.mayBegin("a", 4), gate.isUnbroken(4)]).toEqual([false, false])
    expect([gate.mayBegin("a", 6), gate.isUnbroken(6)]).toEqual([true, true])
  }).pipe(Effect.scoped)
)

it.live("lets nothing begin any more once it is shut, whatever is written", () =>
  Effect.gen(function* () {
    const { gate } = yield* setup
    expect(gate.mayBegin("a", 1)).toBe(true)
    gate.shut()
    yield* gate.writing("batches", [A], (attempt) => attempt(Effect.void))
    gate.only(null)
    expect([gate.mayBegin("a", 1), gate.mayBegin("b", 1)]).toEqual([false, false])
    // What was under way is written as its own all the same.
    expect(gate.isUnbroken(1)).toBe(true)
  }).pipe(Effect.scoped)
)
