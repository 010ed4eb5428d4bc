import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { vi } from "vitest"
import { LockWait } from "../../../../layers/postgres/server/PooledClient.ts"
import type { Refusal } from "../../../../layers/postgres/server/Coalesce.ts"
import { coalesce } from "../../../../layers/postgres/server/Coalesce.ts"

const REFUSALS: Readonly<Record<string, Refusal>> = { refused: "content", deadlock: "moment", "lock timeout": "held" }

/** A database of one statement at a time that waits to be told to answer. */
const make = Effect.fnUntraced(function* (
  options: {
    readonly rows?: number
    readonly atOnce?: number
    readonly lingerMs?: number
    /** An item's owner is its first letter. */
    readonly hasOwners?: boolean
    readonly hasHearers?: boolean
  } = {}
) {
  const statements: Array<{
    readonly items: ReadonlyArray<string>
    readonly answer: (exit: Exit.Exit<void, string>) => Effect.Effect<boolean>
  }> = []
  const unheard: Array<string> = []
  const waits: Array<string> = []
  const ended: Array<ReadonlyArray<string>> = []
  const watchers: Array<{ readonly count: number; readonly resume: () => void }> = []
  const begun = (count: number) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          if (statements.length >= count) resolve()
          else watchers.push({ count, resume: resolve })
        })
    )
  const call = yield* coalesce({
    run: Effect.fnUntraced(function* (items: ReadonlyArray<string>) {
      const gate = yield* Deferred.make<void, string>()
      waits.push(yield* LockWait)
      statements.push({ items, answer: (exit) => Deferred.done(gate, exit) })
      for (const { count, resume } of watchers) if (statements.length >= count) resume()
      yield* Effect.ensuring(
        Deferred.await(gate),
        Effect.sync(() => ended.push(items))
      )
      return items.map((item) => `${item}!`)
    }),
    weight: (item: string) => item.length,
    refusalOf: (error: string) => REFUSALS[error] ?? null,
    ...(options.hasOwners === true ? { ownerOf: (item: string) => item[0]! } : {}),
    ...(options.hasHearers === false
      ? {}
      : { unheard: (item: string, answer: string) => void unheard.push(`${item}: ${answer}`) }),
    rows: options.rows ?? 100,
    atOnce: options.atOnce ?? 1,
    isUrgent: (item) => item.startsWith("urgent"),
    ...(options.lingerMs === undefined ? {} : { lingerMs: options.lingerMs })
  })
  const items = () => statements.map((statement) => statement.items)
  const settle = Effect.fnUntraced(function* (at: number, exit: Exit.Exit<void, string> = Exit.void) {
    yield* statements[at]!.answer(exit)
    yield* quiet
  })
  const start = Effect.fnUntraced(function* (item: string) {
    const fiber = yield* Effect.forkChild(Effect.exit(call(item)))
    yield* quiet
    return fiber
  })
  const startAll = (items: ReadonlyArray<string>) =>
    Effect.andThen(
      Effect.forEach(items, (item) => Effect.forkChild(Effect.exit(call(item)))),
      quiet
    )
  return { start, startAll, items, settle, begun, unheard, waits, ended }
})

/** Lets every fiber go as far as it can. */
const quiet = Effect.gen(function* () {
  for (let i = 0; i < 20; i++) yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
})

describe("coalesce", () => {
  it.effect("sends the first call at once, and those that come meanwhile together", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make()
      const a = yield* start("a")
      expect(items()).toEqual([["a"]])
      const [b, c] = [yield* start("b"), yield* start("c")]
      expect(items()).toEqual([["a"]])
      yield* settle(0)
      expect(yield* Fiber.join(a)).toEqual(Exit.succeed("a!"))
      expect(items()).toEqual([["a"], ["b", "c"]])
      yield* settle(1)
      expect([yield* Fiber.join(b), yield* Fiber.join(c)]).toEqual([Exit.succeed("b!"), Exit.succeed("c!")])
    })
  )

  it.effect("keeps a statement within its rows, and sends alone what is heavier", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make({ rows: 4 })
      for (const item of ["a", "bb", "cc", "d", "eeeeeeee", "f"]) yield* start(item)
      for (let i = 0; i < 4; i++) yield* settle(i)
      expect(items()).toEqual([["a"], ["bb", "cc"], ["d"], ["eeeeeeee"], ["f"]])
      yield* settle(4)
    })
  )

  it.effect("starts another beside a slow statement for those who have waited long", () =>
    Effect.gen(function* () {
      const { start, items, settle, begun } = yield* make({ atOnce: 2 })
      yield* start("slow")
      const b = yield* start("b")
      yield* begun(2)
      const c = yield* start("c")
      yield* settle(1)
      yield* begun(3)
      yield* settle(2)
      expect(items()).toEqual([["slow"], ["b"], ["c"]])
      expect([yield* Fiber.join(b), yield* Fiber.join(c)]).toEqual([Exit.succeed("b!"), Exit.succeed("c!")])
      yield* settle(0)
    })
  )

  it.effect("starts another beside a statement at once when a full one waits, and no more than it may", () =>
    Effect.gen(function* () {
      const { startAll, items, settle } = yield* make({ atOnce: 2, rows: 4 })
      // At one moment: on a busy machine the first of them would have waited long while the next one comes.
      yield* startAll(["a", "bb", "cc", "dd", "ee"])
      expect(items()).toEqual([["a"], ["bb", "cc"]])
      yield* settle(0)
      expect(items()).toEqual([["a"], ["bb", "cc"], ["dd", "ee"]])
      yield* settle(1)
      yield* settle(2)
    })
  )

  it.effect("starts another beside a statement as soon as enough wait for it, long before it would be full", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make({ atOnce: 2, rows: 1000 })
      yield* start("a")
      yield* start("b".repeat(16))
      expect(items()).toEqual([["a"], ["b".repeat(16)]])
      yield* settle(0)
      yield* settle(1)
    })
  )

  it.effect("lets calls that linger go together when the first of them has waited long enough", () =>
    Effect.gen(function* () {
      const { start, items, settle, begun } = yield* make({ lingerMs: 300 })
      const [a, b] = [yield* start("a"), yield* start("b")]
      expect(items()).toEqual([])
      yield* begun(1)
      expect(items()).toEqual([["a", "b"]])
      yield* settle(0)
      expect([yield* Fiber.join(a), yield* Fiber.join(b)]).toEqual([Exit.succeed("a!"), Exit.succeed("b!")])
      yield* start("c")
      expect(items()).toHaveLength(1)
      yield* begun(2)
      expect(items()).toEqual([["a", "b"], ["c"]])
      yield* settle(1)
    })
  )

  const AGES_MS = 3_600_000

  it.effect("lets those who linger go at once when enough have come", () =>
    Effect.gen(function* () {
      const { start, startAll, items, settle } = yield* make({ lingerMs: AGES_MS })
      yield* start("a")
      yield* start("b".repeat(15))
      yield* start("c")
      expect(items()).toEqual([["a", "b".repeat(15)]])
      yield* settle(0)
      expect(items()).toHaveLength(1)
      yield* startAll(["d".repeat(8), "e".repeat(7)])
      expect(items().slice(1)).toEqual([["c", "d".repeat(8), "e".repeat(7)]])
      yield* settle(1)
    })
  )

  it.effect("lets those who come while a statement is under way linger from when they came", () =>
    Effect.gen(function* () {
      const { start, items, settle, begun } = yield* make({ lingerMs: 300, atOnce: 2 })
      yield* start("a".repeat(16))
      yield* start("b")
      yield* begun(2)
      expect(items()).toEqual([["a".repeat(16)], ["b"]])
      yield* settle(0)
      yield* settle(1)
    })
  )

  it.effect("lets nobody linger once somebody is there who is urgent", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make({ lingerMs: AGES_MS })
      yield* start("urgent 1")
      expect(items()).toEqual([["urgent 1"]])
      yield* start("a")
      yield* settle(0)
      expect(items()).toHaveLength(1)
      yield* start("urgent 2")
      expect(items().slice(1)).toEqual([["a", "urgent 2"]])
      yield* start("urgent 3")
      yield* start("b")
      yield* settle(1)
      expect(items().slice(2)).toEqual([["urgent 3", "b"]])
      yield* settle(2)
    })
  )

  it.effect("carries out unheard whoever leaves while they linger: without that they would have begun", () =>
    Effect.gen(function* () {
      const { start, items, settle, unheard } = yield* make({ lingerMs: AGES_MS })
      const a = yield* start("a".repeat(15))
      yield* Fiber.interrupt(a)
      const b = yield* start("b")
      expect(items()).toEqual([["a".repeat(15), "b"]])
      yield* settle(0)
      expect(yield* Fiber.join(b)).toEqual(Exit.succeed("b!"))
      expect(unheard).toEqual([`${"a".repeat(15)}: ${"a".repeat(15)}!`])
    })
  )

  it.effect("keeps nobody waiting once its scope is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { start, items } = yield* Scope.provide(make({ lingerMs: AGES_MS }), scope)
      const a = yield* start("a".repeat(15))
      expect(items()).toEqual([])
      yield* Scope.close(scope, Exit.void)
      yield* quiet
      expect(Exit.hasInterrupts(yield* Fiber.join(a))).toBe(true)
      expect(items()).toEqual([])
    })
  )

  it.effect("repeats a refused statement in halves, until the refusal stands alone", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make()
      yield* start("first")
      const fibers = [yield* start("a"), yield* start("b"), yield* start("bad"), yield* start("d")]
      yield* settle(0)
      yield* settle(1, Exit.fail("refused"))
      yield* settle(2)
      yield* settle(3, Exit.fail("refused"))
      yield* settle(4, Exit.fail("refused"))
      yield* settle(5)
      expect(items().slice(1)).toEqual([["a", "b", "bad", "d"], ["a", "b"], ["bad", "d"], ["bad"], ["d"]])
      expect(yield* Effect.forEach(fibers, Fiber.join)).toEqual([
        Exit.succeed("a!"),
        Exit.succeed("b!"),
        Exit.fail("refused"),
        Exit.succeed("d!")
      ])
    })
  )

  it.effect("begins a call again that came at a bad moment, when it is alone, and no more than twice", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make()
      yield* start("first")
      const [a, b] = [yield* start("a"), yield* start("b")]
      yield* settle(0)
      yield* settle(1, Exit.fail("deadlock"))
      expect(items()).toEqual([["first"], ["a", "b"], ["a"], ["b"]])
      yield* settle(2, Exit.fail("deadlock"))
      yield* settle(3, Exit.fail("deadlock"))
      yield* settle(4, Exit.fail("deadlock"))
      yield* settle(5)
      yield* settle(6, Exit.fail("deadlock"))
      expect(items().slice(2)).toEqual([["a"], ["b"], ["a"], ["b"], ["a"]])
      expect([yield* Fiber.join(a), yield* Fiber.join(b)]).toEqual([Exit.fail("deadlock"), Exit.succeed("b!")])
      const c = yield* start("c")
      yield* settle(7)
      expect(yield* Fiber.join(c)).toEqual(Exit.succeed("c!"))
    })
  )

  it.effect("never repeats a statement whose outcome is unknown: it fails for all, and the next goes on", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make()
      yield* start("first")
      const [a, b] = [yield* start("a"), yield* start("b")]
      yield* settle(0)
      yield* settle(1, Exit.fail("connection lost"))
      expect([yield* Fiber.join(a), yield* Fiber.join(b)]).toEqual([
        Exit.fail("connection lost"),
        Exit.fail("connection lost")
      ])
      expect(items()).toEqual([["first"], ["a", "b"]])
      const c = yield* start("c")
      yield* settle(2)
      expect(yield* Fiber.join(c)).toEqual(Exit.succeed("c!"))
    })
  )

  it.effect("takes a defect for one call's as well", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make()
      yield* start("first")
      const [a, b] = [yield* start("a"), yield* start("b")]
      yield* settle(0)
      yield* settle(1, Exit.die("cannot be written"))
      yield* settle(2)
      yield* settle(3, Exit.die("cannot be written"))
      expect(items()).toEqual([["first"], ["a", "b"], ["a"], ["b"]])
      expect([yield* Fiber.join(a), yield* Fiber.join(b)]).toEqual([Exit.succeed("a!"), Exit.die("cannot be written")])
    })
  )

  it.effect("forgets a caller who left before its statement began, and carries out one who left later", () =>
    Effect.gen(function* () {
      const { start, items, settle, unheard } = yield* make()
      const a = yield* start("a")
      const [b, c] = [yield* start("b"), yield* start("c")]
      yield* Fiber.interrupt(a)
      yield* Fiber.interrupt(b)
      yield* settle(0)
      expect(items()).toEqual([["a"], ["c"]])
      yield* settle(1)
      expect(yield* Fiber.join(c)).toEqual(Exit.succeed("c!"))
      expect(unheard).toEqual(["a: a!"])
    })
  )

  it.effect("starts nothing more once its scope is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { start, items } = yield* Scope.provide(make(), scope)
      const a = yield* start("a")
      const b = yield* start("b")
      yield* Scope.close(scope, Exit.void)
      yield* quiet
      expect(items()).toEqual([["a"]])
      expect(Exit.hasInterrupts(yield* Fiber.join(a))).toBe(true)
      expect(Exit.hasInterrupts(yield* Fiber.join(b))).toBe(true)
    })
  )

  it.effect("asks owner by owner when a statement was held up, and puts aside who is held up alone", () =>
    Effect.gen(function* () {
      const { start, items, settle, waits } = yield* make({ hasOwners: true })
      yield* start("b0")
      const fibers = yield* Effect.forEach(["a1", "b1", "a2", "c1"], start)
      yield* settle(0)
      yield* settle(1, Exit.fail("lock timeout"))
      expect(items().slice(1)).toEqual([["a1", "b1", "a2", "c1"], ["a1", "a2"], ["b1"], ["c1"]])
      yield* settle(3)
      yield* settle(4)
      expect([yield* Fiber.join(fibers[1]!), yield* Fiber.join(fibers[3]!)]).toEqual([
        Exit.succeed("b1!"),
        Exit.succeed("c1!")
      ])
      yield* settle(2, Exit.fail("lock timeout"))
      expect(items().slice(5)).toEqual([["a1"], ["a2"]])
      yield* settle(5, Exit.fail("lock timeout"))
      expect(items().slice(7)).toEqual([["a1"]])
      expect(waits).toEqual([...Array<string>(7).fill("never"), "expected"])
      // The owner's further calls go on by themselves, and so do everybody else's.
      const later = [yield* start("a3"), yield* start("a4")]
      const b2 = yield* start("b2")
      expect(items().slice(8)).toEqual([["b2"]])
      yield* settle(8)
      expect(yield* Fiber.join(b2)).toEqual(Exit.succeed("b2!"))
      yield* settle(6)
      expect(yield* Fiber.join(fibers[2]!)).toEqual(Exit.succeed("a2!"))
      expect(items().slice(9)).toEqual([["a3", "a4"]])
      yield* settle(9)
      expect(yield* Effect.forEach(later, Fiber.join)).toEqual([Exit.succeed("a3!"), Exit.succeed("a4!")])
      expect(fibers[0]!.pollUnsafe()).toBeUndefined()
      yield* settle(7)
      expect(yield* Fiber.join(fibers[0]!)).toEqual(Exit.succeed("a1!"))
    })
  )

  it.effect("brings owners together again some seconds after none of their calls was held up", () =>
    Effect.gen(function* () {
      let at = 0
      vi.spyOn(performance, "now").mockImplementation(() => at)
      const { start, startAll, items, settle } = yield* make({ hasOwners: true })
      yield* start("a1")
      yield* settle(0, Exit.fail("lock timeout"))
      at = 3000
      // So long that it was held up again.
      yield* settle(1)
      at = 7900
      yield* startAll(["a2", "b2", "a3", "b3"])
      expect(items().slice(2)).toEqual([["a2"], ["b2"]])
      yield* settle(2)
      yield* settle(3)
      expect(items().slice(4)).toEqual([["a3"], ["b3"]])
      yield* settle(4)
      yield* settle(5)
      at = 8100
      yield* startAll(["b4", "a5", "b5"])
      yield* settle(6)
      expect(items().slice(6)).toEqual([["b4"], ["a5", "b5"]])
      yield* settle(7)
    }).pipe(Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())))
  )

  it.effect("does nothing for those who left while they were put aside, and gives up what waits for nobody", () =>
    Effect.gen(function* () {
      const { start, items, settle, unheard, ended } = yield* make({ hasOwners: true, hasHearers: false })
      const a1 = yield* start("a1")
      yield* settle(0, Exit.fail("lock timeout"))
      expect(items()).toEqual([["a1"], ["a1"]])
      yield* Fiber.interrupt(a1)
      yield* quiet
      expect(ended).toEqual([["a1"], ["a1"]])
      const a2 = yield* start("a2")
      const a3 = yield* start("a3")
      yield* Fiber.interrupt(a3)
      yield* settle(2)
      expect(yield* Fiber.join(a2)).toEqual(Exit.succeed("a2!"))
      expect(items()).toEqual([["a1"], ["a1"], ["a2"]])
      expect(unheard).toEqual([])
    })
  )

  it.effect("answers those with the failure who were put aside and held up for too long there, and goes on", () =>
    Effect.gen(function* () {
      const { start, items, settle } = yield* make({ hasOwners: true })
      const a1 = yield* start("a1")
      yield* settle(0, Exit.fail("lock timeout"))
      yield* settle(1, Exit.fail("lock timeout"))
      expect(yield* Fiber.join(a1)).toEqual(Exit.fail("lock timeout"))
      const [a2, bad] = [yield* start("a2"), yield* start("a bad one")]
      yield* settle(2)
      yield* settle(3, Exit.fail("refused"))
      expect([yield* Fiber.join(a2), yield* Fiber.join(bad)]).toEqual([Exit.succeed("a2!"), Exit.fail("refused")])
      expect(items()).toEqual([["a1"], ["a1"], ["a2"], ["a bad one"]])
    })
  )

  it.effect("keeps nobody waiting who was put aside once its scope is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { start, settle } = yield* Scope.provide(make({ hasOwners: true }), scope)
      const a1 = yield* start("a1")
      yield* settle(0, Exit.fail("lock timeout"))
      const a2 = yield* start("a2")
      yield* Scope.close(scope, Exit.void)
      yield* quiet
      expect(Exit.hasInterrupts(yield* Fiber.join(a1))).toBe(true)
      expect(Exit.hasInterrupts(yield* Fiber.join(a2))).toBe(true)
    })
  )
})
