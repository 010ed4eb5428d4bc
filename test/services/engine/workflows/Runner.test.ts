import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import type { AppId, ContactId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../../../services/domain/Ids.ts"
import { ALONE, ASIDE } from "../../../../services/domain/sending/Suspicion.ts"
import { programOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import { make as makeSignal } from "../../../../services/engine/operations/Signal.ts"
import { Programs } from "../../../../services/engine/workflows/Programs.ts"
import * as Runner from "../../../../services/engine/workflows/Runner.ts"
import { EngineSettings } from "../../../../services/ports/EngineSettings.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { now } from "../../../../services/ports/Now.ts"
import { JobQueue } from "../../../../services/ports/operations/JobQueue.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import type { Carry, MovedRun, OpenRun, Tools, TurnOf } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { FetchClient } from "../../../../services/ports/workflows/FetchClient.ts"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"

/* What moves runs, over stores that are doubles: which work waits for which, and what becomes of work that cannot be done. */

const A = "00000000-0000-7000-8000-00000000000a" as AppId
const B = "00000000-0000-7000-8000-00000000000b" as AppId

const NOBODY = { tags: [], attributes: {}, locale: null, timezone: null, platforms: [], seenAt: null, engagedAt: {} }
const TOOLS: Tools = {
  // Contacts may be changed.
  ask: (asked) => Effect.succeed(asked.map(() => null)),
  segments: () => Effect.succeed(new Map()),
  reach: () => Effect.succeed(new Map())
}

const runOf = (appId: AppId, more: Partial<OpenRun> = {}): OpenRun => ({
  id: uuidv7() as ExecutionId,
  appId,
  workflowId: "w" as WorkflowId,
  versionId: "v" as WorkflowVersionId,
  contactId: uuidv7() as ContactId,
  userId: "u",
  position: 0,
  isBegun: false,
  deadline: null,
  tries: 0,
  data: {},
  steps: {},
  sends: {},
  enteredAt: 0,
  depth: 0,
  trace: null,
  fence: 0,
  suspicion: 0,
  person: NOBODY,
  isClosed: null,
  isDisabled: false,
  segmentId: null,
  ...more
})

const END: Step = { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"] }
const ANSWER = { _tag: "Answer", status: 200, body: null } as const
const NONE = Effect.succeed(Option.none())
const NOTHING = { moves: { moved: [], messages: [], events: [], counts: [], steps: [] }, webhooks: [] }

const refused = Effect.fail(new StoreError({ operation: "move", cause: new Error("22P05"), refused: true }))

interface Given {
  readonly steps?: ReadonlyArray<Step>
  readonly due?: ReadonlyArray<OpenRun>
  /** What the database makes of a page of moved runs. */
  readonly write?: (moved: ReadonlyArray<MovedRun>) => Effect.Effect<void, StoreError>
  readonly executions?: Partial<ExecutionStore["Service"]>
  readonly triggers?: Partial<TriggerStore["Service"]>
  readonly fetch?: FetchClient["Service"]["fetch"]
}

/** A runner with runs that are due, and what became of them. */
const running = Effect.fnUntraced(function* (given: Given) {
  const { fetch = () => Effect.never, steps = [END], write = () => Effect.void } = given
  const timers = new Map((given.due ?? []).map((run) => [run.id, { run, at: 0 }]))
  const became = new Map<ExecutionId, MovedRun>()
  const changed = makeSignal()
  const carryOut = Effect.fnUntraced(function* (runs: ReadonlyArray<OpenRun>, carry: Carry) {
    if (runs.length === 0) return NOTHING
    const moves = yield* carry(runs, TOOLS)
    yield* write(moves.moved)
    for (const one of moves.moved) {
      became.set(one.run.id, one)
      timers.delete(one.run.id)
      const at = one.fetchUntil ?? one.settled.dueAt
      if (at !== null) timers.set(one.run.id, { run: { ...one.run, fence: one.run.fence + 1 }, at })
    }
    changed.signal()
    return { moves, webhooks: [] }
  })
  const executions: Partial<ExecutionStore["Service"]> = {
    look: Effect.succeed({ hasWork: true, isUntidy: true, dueAt: Infinity }),
    due: Effect.sync(() => {
      const apps = Map.groupBy(timers.values(), ({ run }) => run.appId)
      return [...apps].map(([appId, its]) => ({ appId, at: Math.min(...its.map(({ at }) => at)) }))
    }),
    move: (appId, limit, carry) =>
      Effect.suspend(() => {
        const due = [...timers.values()].filter(({ at, run }) => run.appId === appId && at <= now())
        return carryOut(
          due.slice(0, limit).map(({ run }) => run),
          carry
        )
      }),
    resume: (begun, carry) =>
      carryOut(
        begun.flatMap(({ fence, id }) => {
          const run = timers.get(id)?.run
          return run === undefined || run.fence !== fence ? [] : [run]
        }),
        carry
      ),
    takeTurn: (_app, _host, at) => Effect.succeed(at),
    isHeld: () => Effect.succeed(false),
    enterPage: () => NONE,
    cancelNext: () => NONE,
    closing: () => NONE,
    wakeEnded: () => Effect.succeed(0),
    hasSuspects: Effect.succeed(false),
    ...given.executions
  }
  const triggers: Partial<TriggerStore["Service"]> = {
    takeEvents: () => NONE,
    takeChanges: () => NONE,
    look: () => NONE,
    takeScheduled: () => Effect.succeed(0),
    keepAllWatched: Effect.void,
    ...given.triggers
  }
  const version = { program: programOf(steps), templates: {}, headers: {} }
  const services = Layer.mergeAll(
    Layer.succeed(ExecutionStore, executions as ExecutionStore["Service"]),
    Layer.succeed(TriggerStore, triggers as TriggerStore["Service"]),
    Layer.succeed(WorkflowStore, {} as WorkflowStore["Service"]),
    Layer.succeed(Programs, { of: () => Effect.succeed(Option.some(version)) } as unknown as Programs["Service"]),
    Layer.succeed(Templates, {} as Templates["Service"]),
    Layer.succeed(FetchClient, { fetch }),
    Layer.succeed(EngineSettings, { sweepMs: 20, defaultTimezone: "UTC" } as EngineSettings["Service"]),
    Layer.succeed(JobQueue, { publish: () => Effect.void } as unknown as JobQueue["Service"])
  )
  yield* Effect.provide(Runner.make(1000), services)
  return {
    became,
    add: (run: OpenRun) => timers.set(run.id, { run, at: 0 }),
    until: (isThere: () => boolean) =>
      Effect.gen(function* () {
        while (!isThere()) yield* changed.wait
      })
  }
})

describe("what is due", () => {
  const some = Effect.as(Effect.yieldNow, Option.some({ ...NOTHING, appId: A, count: 1, written: [], cancelled: [] }))

  it.live.each([
    ["an audience", { enterPage: () => some }, {}],
    ["a request to cancel many", { cancelNext: () => some }, {}],
    ["a stream of events", {}, { takeEvents: () => some }],
    ["a stream of changes of contacts", {}, { takeChanges: () => some }],
    ["a stream of schedules", {}, { takeScheduled: () => Effect.as(Effect.yieldNow, 1) }]
  ] as const)("goes on beside %s that has no end", ([, executions, triggers]) =>
    Effect.gen(function* () {
      const run = runOf(B)
      const { became, until } = yield* running({ due: [run], executions, triggers })
      yield* until(() => became.has(run.id))
      expect(became.get(run.id)!.settled.status).toBe("completed")
    }).pipe(Effect.scoped)
  )

  it.live("is woken by the end of a message beside a workflow whose runs are cancelled without end", () =>
    Effect.gen(function* () {
      const looks = makeSignal()
      const closing = { workflowId: "w" as WorkflowId, appId: A, reason: "deleted", ids: [runOf(A).id] } as const
      yield* running({
        executions: {
          closing: () => Effect.as(Effect.yieldNow, Option.some(closing)),
          cancel: () => Effect.succeed({ cancelled: closing.ids, webhooks: [] }),
          wakeEnded: () =>
            Effect.sync(() => {
              looks.signal()
              return 0
            })
        }
      })
      for (let look = 0; look < 3; look++) yield* looks.wait
    }).pipe(Effect.scoped)
  )
})

describe("a run that waits for what becomes of its message", () => {
  it.live("goes on soon after the end, and not with the next sweep", () =>
    Effect.gen(function* () {
      const settled = { status: "waiting", dueAt: 1, wakes: { send: "hello" } } as MovedRun["settled"]
      const begun = { ...NOTHING.moves, moved: [{ run: runOf(A), settled, fetchUntil: null } as MovedRun] }
      const moved = makeSignal()
      const counts = { looks: 0, moves: 0 }
      let dueAt = 0
      yield* running({
        executions: {
          // All that a sweep finds.
          look: Effect.succeed({ hasWork: false, isUntidy: false, dueAt: Infinity }),
          due: Effect.sync(() => (dueAt < Infinity ? [{ appId: A, at: dueAt }] : [])),
          move: () =>
            Effect.sync(() => {
              const isFirst = ++counts.moves === 1
              dueAt = isFirst ? now() + 60_000 : Infinity
              moved.signal()
              return isFirst ? { moves: begun, webhooks: [] } : NOTHING
            }),
          wakeEnded: () =>
            Effect.sync(() => {
              if (++counts.looks !== 3) return 0
              dueAt = 0
              return 1
            })
        }
      })
      while (counts.moves < 2) yield* moved.wait
      expect(counts.looks).toBeGreaterThan(2)
    }).pipe(Effect.scoped)
  )
})

describe("a runner that has nothing to do", () => {
  it.live("asks one thing again and again, and for each kind of work only when that says there is any", () =>
    Effect.gen(function* () {
      const found = { hasWork: false, isUntidy: false, dueAt: Infinity }
      const changed = makeSignal()
      const counts = { looks: 0, takes: 0, tidied: 0 }
      const untilLooks = Effect.fnUntraced(function* (more: number) {
        for (const all = counts.looks + more; counts.looks < all;) yield* changed.wait
      })
      yield* running({
        executions: {
          look: Effect.sync(() => {
            counts.looks++
            changed.signal()
            return { ...found }
          }),
          wakeEnded: () =>
            Effect.sync(() => {
              counts.tidied++
              return 0
            })
        },
        triggers: {
          takeEvents: () =>
            Effect.sync(() => {
              counts.takes++
              return Option.none()
            })
        }
      })
      yield* untilLooks(2)
      // As they begin, both loops ask for everything.
      expect(counts).toMatchObject({ takes: 2, tidied: 0 })
      yield* untilLooks(3)
      expect(counts).toMatchObject({ takes: 2, tidied: 0 })
      found.hasWork = true
      yield* untilLooks(3)
      expect(counts.takes).toBeGreaterThan(2)
      expect(counts.tidied).toBe(0)
      found.isUntidy = true
      yield* untilLooks(3)
      expect(counts.tidied).toBeGreaterThan(0)
    }).pipe(Effect.scoped)
  )

  it.live("is there when a run is due of which it was not told", () =>
    Effect.gen(function* () {
      const dueAt = now() + 10
      const run = runOf(A)
      const { add, became, until } = yield* running({
        executions: { look: Effect.sync(() => ({ hasWork: false, isUntidy: false, dueAt })) }
      })
      yield* Effect.yieldNow
      add(run)
      yield* until(() => became.has(run.id))
      expect(now()).toBeGreaterThanOrEqual(dueAt)
    }).pipe(Effect.scoped)
  )
})

describe("a run that cannot be carried on", () => {
  it.live("ends, and says why, when the database refuses its page; its neighbours go on, and so do others", () =>
    Effect.gen(function* () {
      const bad = new Set<ExecutionId>()
      const runs = Array.from({ length: 300 }, (_, i) => {
        const run = runOf(A)
        if (i === 7 || i === 200) bad.add(run.id)
        return run
      })
      const other = runOf(B)
      const { became, until } = yield* running({
        due: [...runs, other],
        write: (moved) =>
          moved.some(({ run, settled }) => bad.has(run.id) && settled.status !== "failed") ? refused : Effect.void
      })
      yield* until(() => became.size === runs.length + 1)
      const failed = [...became.values()].filter(({ settled }) => settled.status !== "completed")
      expect(new Set(failed.map(({ run }) => run.id))).toEqual(bad)
      for (const { settled } of failed) {
        const error = "internal: the database refuses what it would write"
        expect(settled).toMatchObject({ status: "failed", error, history: [{ outcome: "failed", detail: error }] })
      }
    }).pipe(Effect.scoped)
  )

  it.live("ends alone when a step of it breaks, and has done what came before", () =>
    Effect.gen(function* () {
      const steps: ReadonlyArray<Step> = [
        END,
        { key: "one", type: "FILTER", conditions: { data: [{ name: "odd", op: "equals", value: "x" }] } }
      ]
      const broken = runOf(A, {
        data: {
          get odd() {
            throw new RangeError("Maximum call stack size exceeded")
          }
        }
      })
      const good = runOf(A, { data: { odd: "x" } })
      const { became, until } = yield* running({ steps, due: [broken, good] })
      yield* until(() => became.size === 2)
      expect(became.get(good.id)!.settled.status).toBe("completed")
      expect(became.get(broken.id)!.settled).toMatchObject({
        status: "failed",
        error: "internal: Maximum call stack size exceeded",
        endedAt: 2,
        person: { tags: ["marked"] },
        history: [
          { stepOrder: 1, outcome: "passed" },
          { stepOrder: 2, outcome: "failed" }
        ]
      })
    }).pipe(Effect.scoped)
  )

  it.live("goes on beside an application whose runs cannot be moved now, and are tried again", () =>
    Effect.gen(function* () {
      const other = runOf(B)
      const tried = makeSignal()
      const { became, until } = yield* running({
        due: [runOf(A), other],
        write: ([one]) => {
          if (one!.run.appId === B) return Effect.void
          tried.signal()
          return Effect.fail(new StoreError({ operation: "move", cause: new Error("waited too long for a lock") }))
        }
      })
      yield* until(() => became.has(other.id))
      for (let tries = 0; tries < 3; tries++) yield* tried.wait
      expect(became.size).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("is begun of other applications beside one of which nothing can be read", () =>
    Effect.gen(function* () {
      const others = makeSignal()
      const takes = (served: AppId | null, turnOf?: TurnOf) => {
        const appId = served === A ? B : A
        turnOf?.(appId)
        if (appId === A) return refused
        others.signal()
        return Effect.succeed(Option.some({ appId, count: 0, written: [] }))
      }
      yield* running({
        triggers: {
          takeChanges: (served, _, __, ___, turnOf) => takes(served, turnOf),
          takeEvents: (served, _, __, turnOf) => takes(served, turnOf)
        }
      })
      for (let rounds = 0; rounds < 3; rounds++) yield* others.wait
    }).pipe(Effect.scoped)
  )

  it.live("is tidied although the database refuses what segments are to be watched", () =>
    Effect.gen(function* () {
      const woken = makeSignal()
      const wakeEnded = () =>
        Effect.sync(() => {
          woken.signal()
          return 0
        })
      yield* running({ triggers: { keepAllWatched: refused }, executions: { wakeEnded } })
      for (let rounds = 0; rounds < 3; rounds++) yield* woken.wait
    }).pipe(Effect.scoped)
  )

  it.live("is tried again when the database was away", () =>
    Effect.gen(function* () {
      let tries = 0
      const run = runOf(A)
      const { became, until } = yield* running({
        due: [run],
        write: () =>
          ++tries < 3 ? Effect.fail(new StoreError({ operation: "move", cause: new Error("away") })) : Effect.void
      })
      yield* until(() => became.has(run.id))
      expect(became.get(run.id)!.settled.status).toBe("completed")
    }).pipe(Effect.scoped)
  )
})

describe("a run over which a process has ended", () => {
  it.live("is moved while nothing else is", () =>
    Effect.gen(function* () {
      const suspect = runOf(A, { suspicion: ALONE })
      const others = Array.from({ length: 50 }, () => runOf(B))
      const seen: Array<string> = []
      let isSuspected = true
      const { became, until } = yield* running({
        due: others,
        executions: {
          hasSuspects: Effect.sync(() => isSuspected),
          moveSuspect: (carry) =>
            Effect.gen(function* () {
              // Both loops have asked whether there is one.
              if (!isSuspected) return NOTHING
              seen.push("begins")
              const moves = yield* carry([suspect], TOOLS)
              // Whoever could begin would.
              for (let tick = 0; tick < 100; tick++) yield* Effect.yieldNow
              seen.push("ends")
              isSuspected = false
              return { moves, webhooks: [] }
            })
        },
        write: () => Effect.sync(() => seen.push("others"))
      })
      yield* until(() => became.size === others.length)
      expect(seen.slice(0, 3)).toEqual(["begins", "ends", "others"])
    }).pipe(Effect.scoped)
  )

  it.live("again and again fails for that", () =>
    Effect.gen(function* () {
      const run = runOf(A, { suspicion: ASIDE })
      const { became, until } = yield* running({ due: [run] })
      yield* until(() => became.has(run.id))
      expect(became.get(run.id)!.settled).toMatchObject({
        status: "failed",
        error: "worker_ended",
        history: [{ outcome: "failed", detail: "the processes that moved it have ended, again and again" }]
      })
    }).pipe(Effect.scoped)
  )
})

describe("requests of FETCH steps", () => {
  const ask = { key: "ask", type: "FETCH", url: "https://example.com/" } as const satisfies Step

  it.live("of an application leave room to those of others, however many it has and however slow its server is", () =>
    Effect.gen(function* () {
      const runs = Array.from({ length: 3000 }, () => runOf(A))
      const other = runOf(B)
      let isSlow = true
      const { add, became, until } = yield* running({
        steps: [ask],
        due: runs,
        fetch: () => Effect.suspend(() => (isSlow ? Effect.never : Effect.succeed(ANSWER)))
      })
      yield* until(() => became.size === runs.length)
      const putOff = [...became.values()].filter(({ fetchUntil }) => fetchUntil === null)
      // Two pages may be under way at once.
      expect(runs.length - putOff.length).toBeLessThanOrEqual(2 * 64)
      for (const { settled } of putOff) expect(settled).toMatchObject({ status: "running", position: 0, history: [] })
      // They come back over seconds, and not all at once.
      expect(new Set(putOff.map(({ settled }) => Math.round(settled.dueAt! / 1000))).size).toBeGreaterThan(10)
      yield* Effect.yieldNow
      isSlow = false
      add(other)
      yield* until(() => became.get(other.id)?.settled.status === "completed")
    }).pipe(Effect.scoped)
  )

  it.live("of a step leave room to those of others of the application, however slow its server is", () =>
    Effect.gen(function* () {
      const slow = Array.from({ length: 500 }, () => runOf(A))
      const other = runOf(A, { position: 1 })
      const { add, became, until } = yield* running({
        steps: [ask, { key: "fast", type: "FETCH", url: "https://fast.example.com/" }],
        due: slow,
        fetch: ({ url }) => (url === ask.url ? Effect.never : Effect.succeed(ANSWER))
      })
      yield* until(() => became.size === slow.length)
      yield* Effect.yieldNow
      add(other)
      yield* until(() => became.has(other.id))
      expect(became.get(other.id)!.fetchUntil).not.toBeNull()
      yield* until(() => became.get(other.id)!.settled.status === "completed")
    }).pipe(Effect.scoped)
  )

  it.live("are not made by turns from before the server has named a later time", () =>
    Effect.gen(function* () {
      const run = runOf(A, { deadline: 0 })
      const later = now() + 60_000
      const { became, until } = yield* running({
        steps: [ask],
        due: [run],
        executions: { isHeld: () => Effect.succeed(true), takeTurn: () => Effect.succeed(later) },
        fetch: () => Effect.succeed(ANSWER)
      })
      yield* until(() => became.get(run.id)?.fetchUntil === null)
      expect(became.get(run.id)!.settled).toMatchObject({ status: "waiting", dueAt: later })
    }).pipe(Effect.scoped)
  )

  it.live("fail the one run that their answer breaks", () =>
    Effect.gen(function* () {
      const runs = [runOf(A), runOf(A)]
      const { became, until } = yield* running({
        steps: [ask],
        due: runs,
        fetch: () => Effect.succeed(ANSWER),
        write: (moved) =>
          moved.some(({ run, settled }) => run.id === runs[0]!.id && settled.status === "completed")
            ? Effect.die(new RangeError("Maximum call stack size exceeded"))
            : Effect.void
      })
      yield* until(() => runs.every(({ id }) => became.get(id)?.settled.dueAt === null))
      expect(runs.map(({ id }) => became.get(id)!.settled.status)).toEqual(["failed", "completed"])
    }).pipe(Effect.scoped)
  )

  it.live("are written as often as it takes, and not made once more, where the database could not be reached", () =>
    Effect.gen(function* () {
      const run = runOf(A)
      let asked = 0
      let failures = 0
      const { became, until } = yield* running({
        steps: [ask],
        due: [run],
        write: ([one]) =>
          one!.settled.status === "completed" && ++failures < 4
            ? Effect.fail(new StoreError({ operation: "resume", cause: new Error("08006") }))
            : Effect.void,
        fetch: () => Effect.sync(() => (asked++, ANSWER))
      })
      yield* until(() => became.get(run.id)?.settled.status === "completed")
      expect([asked, failures]).toEqual([1, 4])
    }).pipe(Effect.scoped)
  )

  it.live("have their answers read one after another where they are large, and none fills what a run may carry", () =>
    Effect.gen(function* () {
      const runs = Array.from({ length: 6 }, () => runOf(A, { size: 900_000 }))
      let [read, written, most] = [0, 0, 0]
      const { became, until } = yield* running({
        steps: [ask],
        due: runs,
        write: (moved) =>
          Effect.suspend(() => {
            if (moved.every(({ settled }) => settled.status === "running")) return Effect.void
            most = Math.max(most, read - written)
            written += moved.length
            return Effect.sleep(20)
          }),
        fetch: () => Effect.succeed({ _tag: "Unread", size: 99_000, read: () => (read++, { ...ANSWER, size: 99_000 }) })
      })
      yield* until(() => runs.every(({ id }) => became.get(id)?.settled.status === "completed"))
      expect([read, most]).toEqual([6, 1])
    }).pipe(Effect.scoped)
  )

  it.live("fail a run that would carry more than a megabyte", () =>
    Effect.gen(function* () {
      const run = runOf(A, { size: 950_000 })
      const { became, until } = yield* running({
        steps: [ask],
        due: [run],
        fetch: () => Effect.succeed({ _tag: "Unread", size: 60_000, read: () => ({ ...ANSWER, size: 60_000 }) })
      })
      yield* until(() => became.get(run.id)?.settled.status === "failed")
      expect(became.get(run.id)!.settled).toMatchObject({
        error: expect.stringContaining("the answers of the run are more than 1 MB in all") as unknown
      })
    }).pipe(Effect.scoped)
  )

  it.live("are waited for by a process that stops, which begins no more of them", () =>
    Effect.gen(function* () {
      const run = runOf(A)
      const [isAsked, mayAnswer] = [makeSignal(), makeSignal()]
      const scope = yield* Scope.make()
      const { became, until } = yield* Scope.provide(
        running({
          steps: [ask, { ...ask, key: "more" }],
          due: [run],
          fetch: () => {
            isAsked.signal()
            return Effect.as(mayAnswer.wait, ANSWER)
          }
        }),
        scope
      )
      yield* isAsked.wait
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      for (let i = 0; i < 10; i++) yield* Effect.yieldNow
      expect(stopping.pollUnsafe()).toBeUndefined()
      mayAnswer.signal()
      yield* Fiber.join(stopping)
      yield* until(() => became.get(run.id)?.settled.position === 1)
      const left = became.get(run.id)!
      expect(left.fetchUntil).toBeNull()
      expect(left.settled.dueAt).toBeLessThanOrEqual(now())
    })
  )
})
