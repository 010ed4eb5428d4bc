import { Effect, Option, Result, Semaphore } from "effect"
import { now } from "../../ports/Now.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { AppId, WorkflowId } from "../../domain/Ids.ts"
import { ALONE } from "../../domain/sending/Suspicion.ts"
import { judge } from "../../domain/workflows/Conditions.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { Facts } from "../../domain/workflows/Conditions.ts"
import type { Fetched } from "../../domain/workflows/Fetched.ts"
import type { Carry, Entry, TurnOf } from "../../ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../ports/workflows/ExecutionStore.ts"
import type { Told } from "../../ports/workflows/Told.ts"
import { toldOf } from "../../ports/workflows/Told.ts"
import type { Taken } from "../../ports/workflows/TriggerStore.ts"
import { TriggerStore } from "../../ports/workflows/TriggerStore.ts"
import type { Signal } from "../operations/Signal.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { carrying } from "./Carrying.ts"
import { byId, byPerson, inParts } from "./Faults.ts"
import type { Begun } from "./Fetching.ts"
import { makeFetching } from "./Fetching.ts"
import { Programs } from "./Programs.ts"
import { cancelEvents } from "./RunEvents.ts"
import { tell, tellCancelled } from "./Telling.ts"
import type { Page } from "./KindsInTurn.ts"
import { inTurns } from "./KindsInTurn.ts"
import { CANCELS, nextOf } from "./Workflows.ts"

/** Runs that one transaction moves, at most, and contacts that one looks through. */
const MOVES = 2000
const PAGE = 1000
/** Events that one takes. */
const EVENTS = 500
/** Transactions under way at once in a process: while one computes, the other is written. */
const LOOPS = 2
/** How often it is asked for runs that are to be moved alone: it takes the end of a process that there are any. */
const SUSPECTS_MS = 2000
/** Between two looks of a loop that found work that others have. */
const SHORTEST_MS = 5
/**
 * When it is looked whether messages have ended that runs have just begun to wait for: most are sent within some
 * milliseconds, by whatever process. Later the sweeper finds them. A look takes a tenth of the time at most, however many
 * wait.
 */
const ENDS_MS: ReadonlyArray<number> = [50, 100, 200, 400, 800]
const LOOKING_SHARE = 10
/** By how much more is tried of an application whose pages had to be made smaller, with each that could be done. */
const GROWTH = 8

/** More than there ever are transactions under way. */
const HANDS = 10_000

/**
 * Moves runs of all applications, in turns, for as long as the scope is open. Answers how it is told to look at once.
 * `drainMs`: how long FETCHes under way are waited for when the scope closes.
 */
export const make = Effect.fnUntraced(function* (drainMs: number) {
  const executions = yield* ExecutionStore
  const programs = yield* Programs
  const settings = yield* EngineSettings
  const triggers = yield* TriggerStore
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const metrics = yield* Metrics
  const fetching = yield* makeFetching(drainMs)
  const hands = Semaphore.makeUnsafe(HANDS)
  const together = hands.withPermits(1)
  /** Begins nothing else meanwhile. */
  const alone = hands.withPermits(HANDS)
  const carriedBy = (carryAll: ReturnType<typeof carrying>): Carry => {
    return (runs, tools) => Effect.map(carryAll(runs, tools), fetching.withinRoom)
  }
  const carry = carriedBy(carrying(programs, settings, true))

  /** Writes what came of a FETCH, unless others have begun it since. */
  const goOn = Effect.fnUntraced(function* (begun: Begun, read: () => Fetched): Effect.fn.Return<void, StoreError> {
    const resumed = carrying(programs, settings, true, new Map([[begun.id, read()]]))
    const carry: Carry = (runs, tools) => Effect.map(resumed(runs, tools), fetching.unlessStopping)
    const resume = inParts(1, byId, carry, (_, guarded) => executions.resume([begun], guarded))
    const { value } = yield* begun.suspicion < ALONE ? together(resume) : alone(resume)
    if (value !== null) yield* after(toldOf(value))
  })

  const awaiting = makeSignal()
  /** Tells others of what was written, and begins the requests that runs are at. */
  const after = (told: Told): Effect.Effect<void> =>
    Effect.suspend(() => {
      tell(wakeUp, metrics, told)
      if (told.isAwaiting) awaiting.signal()
      return fetching.begin(told.fetching, goOn)
    })

  const isIn = (filter: SegmentFilter, person: Facts): boolean =>
    judge(filter, { person, data: {}, messages: () => new Set(), now: now() }).fits
  const fits = ({ filter }: Entry, person: Facts): boolean => filter === null || isIn(filter, person)

  /** The next page of people who enter, of the application after the one served last. */
  const entering = (
    most: number,
    page: (
      served: AppId | null,
      limit: number,
      carry: Carry,
      turnOf: TurnOf
    ) => Effect.Effect<Option.Option<Taken>, StoreError>
  ) =>
    Effect.fnUntraced(function* (served: AppId | null) {
      const turn: { of: AppId | null } = { of: null }
      const turnOf: TurnOf = (appId) => (turn.of = appId)
      // However many workflows a page leads to, it is computed for no longer than one: the runs of the others are begun,
      // and go on when they are moved.
      const within = carriedBy(carrying(programs, settings, true, new Map(), { spentMs: 0 }))
      const { value } = yield* inParts(most, byPerson, within, (limit, guarded) => page(served, limit, guarded, turnOf))
      // One that cannot be done must not keep the others from their turns.
      if (value === null) return { served: turn.of, count: 0 }
      if (Option.isNone(value)) return null
      for (const told of value.value.written) yield* after(told)
      return { served: value.value.appId, count: value.value.count }
    })

  const scheduled = () =>
    Effect.map(
      triggers.takeScheduled(now(), (trigger, at) => nextOf({ trigger }, at)),
      (count) => ({ served: null, count })
    )
  const audiences = entering(PAGE, (served, limit, guarded, turnOf) =>
    Effect.map(
      executions.enterPage(served, limit, fits, guarded, turnOf),
      Option.map((written) => ({ appId: written.appId, count: 1, written: [toldOf(written)] }))
    )
  )
  const events = entering(EVENTS, triggers.takeEvents)
  const changes = entering(PAGE, (served, limit, guarded, turnOf) =>
    triggers.takeChanges(served, limit, isIn, guarded, turnOf)
  )
  const looks = entering(PAGE, (served, limit, guarded, turnOf) => triggers.look(served, limit, isIn, guarded, turnOf))

  /** Of applications whose pages had to be made smaller: how much is tried of them next. */
  const limits = new Map<AppId, number>()

  /** A page of each application that has any due. Answers through `next` when more is. */
  const moving = (next: (at: number) => void) =>
    Effect.fnUntraced(function* () {
      const at = now()
      const all = yield* executions.due
      let count = 0
      let failed = false
      for (const { appId } of all.filter((one) => one.at <= at)) {
        const tried = yield* Effect.result(
          inParts(limits.get(appId) ?? MOVES, byId, carry, (limit, guarded) => executions.move(appId, limit, guarded))
        )
        if (Result.isFailure(tried)) {
          // Two after each other: that is the database, and no other application has to wait for it to say so.
          if (failed) return yield* Effect.fail(tried.failure)
          failed = true
          yield* Effect.logWarning("Runs of an application could not be moved; others go on", tried.failure).pipe(
            Effect.annotateLogs({ app_id: appId })
          )
          continue
        }
        failed = false
        const page = tried.success
        if (page.limit * GROWTH < MOVES) limits.set(appId, page.limit * GROWTH)
        else limits.delete(appId)
        if (page.value === null) continue
        count += page.value.moves.moved.length
        yield* after(toldOf(page.value))
      }
      // What is due and was not moved here others have.
      next(Math.min(...all.filter((one) => one.at > at).map((one) => one.at)))
      return { served: null, count }
    })

  let closedLast: WorkflowId | null = null
  /** The next page of runs of workflows that are gone or archived, of one such workflow after the other. */
  const closed = Effect.fnUntraced(function* () {
    const closing = yield* executions.closing(closedLast, CANCELS)
    if (Option.isNone(closing)) return null
    const { appId, ids, reason, workflowId } = closing.value
    closedLast = workflowId
    const { cancelled, webhooks } = yield* executions.cancel(appId, ids, reason, (runs) =>
      cancelEvents(appId, runs, reason, now())
    )
    tellCancelled(wakeUp, metrics, { cancelled, webhooks })
    return { served: null, count: cancelled.length }
  })

  /** The next page of what is left of requests to cancel many. */
  const cancels = Effect.fnUntraced(function* (served: AppId | null) {
    const next = yield* executions.cancelNext(
      served,
      CANCELS,
      (appId) => (runs) => cancelEvents(appId, runs, "operator", now())
    )
    if (Option.isNone(next)) return null
    tellCancelled(wakeUp, metrics, next.value)
    return { served: next.value.appId, count: 1 }
  })

  let looked = -Infinity
  /** One of those over which a process has ended. */
  const suspects = Effect.fnUntraced(function* () {
    if (performance.now() - looked < SUSPECTS_MS) return null
    if (!(yield* executions.hasSuspects)) {
      looked = performance.now()
      return null
    }
    const { value } = yield* alone(inParts(1, byId, carry, (_, guarded) => executions.moveSuspect(guarded)))
    if (value === null) return { served: null, count: 0 }
    yield* after(toldOf(value))
    return { served: null, count: value.moves.moved.length }
  })

  const signals = Array.from({ length: LOOPS }, makeSignal)
  const wakeAll = () => {
    for (const { signal } of signals) signal()
  }
  const ended = () =>
    Effect.map(executions.wakeEnded(MOVES), (count) => {
      if (count > 0) wakeAll()
      return { served: null, count }
    })
  const endsSoon = Effect.forever(
    Effect.gen(function* () {
      yield* awaiting.wait
      let tookMs = 0
      for (const ms of ENDS_MS) {
        yield* Effect.sleep(Math.max(ms, tookMs * LOOKING_SHARE))
        const began = performance.now()
        yield* inTurns([ended])
        tookMs = performance.now() - began
      }
    }).pipe(
      Effect.catch((error) => Effect.logWarning("It could not be looked for messages that have ended", error)),
      Effect.catchDefect((defect) => Effect.logError("Looking for messages that have ended broke", defect))
    )
  )

  /** Loops that have nothing to do. */
  let resting = 0

  const looping = (signal: Signal) => {
    let next = Infinity
    const rest = Effect.suspend(() => {
      resting++
      const ms = Math.max(SHORTEST_MS, next - now())
      // What is due later is found by who looks out.
      return ms > settings.sweepMs ? signal.wait : Effect.raceFirst(signal.wait, Effect.sleep(ms))
    }).pipe(Effect.ensuring(Effect.sync(() => resting--)))
    const others = [cancels, scheduled, events, changes, audiences, moving((at) => (next = at))]
    const work = inTurns([
      suspects,
      ...others.map(
        (page): Page<StoreError> =>
          (served) =>
            together(page(served))
      )
    ])
    const goesOn = Effect.sync(() => (next = now() + settings.sweepMs))
    return Effect.forever(
      work.pipe(
        Effect.catch((error) =>
          Effect.andThen(goesOn, Effect.logWarning("Workflows were interrupted; they go on soon", error))
        ),
        Effect.catchDefect((defect) =>
          Effect.andThen(goesOn, Effect.logError("Workflows broke; they go on soon", defect))
        ),
        Effect.andThen(rest)
      )
    )
  }

  // Runs that wait for what has ended, or are to be cancelled, have nothing to do with segments.
  const watched = Effect.catch(triggers.keepAllWatched, (error) =>
    Effect.logWarning("Segments that workflows wait for could not be watched; it is tried again", error)
  )
  const untidy = makeSignal()
  const tidying = Effect.forever(
    Effect.andThen(
      untidy.wait,
      Effect.andThen(watched, inTurns([ended, closed, looks])).pipe(
        Effect.catch((error) => Effect.logWarning("Workflows could not be tidied; it is tried again", error)),
        Effect.catchDefect((defect) => Effect.logError("Tidying workflows broke; it is tried again", defect))
      )
    )
  )

  /** Wakes whoever has something to do. While there is nothing, one statement says so, of all kinds of work. */
  const lookOut = Effect.gen(function* () {
    const { dueAt, hasWork, isUntidy } = yield* executions.look
    if (isUntidy) untidy.signal()
    const ms = dueAt - now()
    if (hasWork || ms <= 0) wakeAll()
    if (ms <= 0 || ms >= settings.sweepMs) return settings.sweepMs
    yield* Effect.sleep(ms)
    wakeAll()
    return settings.sweepMs - ms
  })
  const lookingOut = Effect.forever(
    // Who is at work looks at everything anyway.
    Effect.suspend(() => (resting === 0 ? Effect.succeed(settings.sweepMs) : lookOut)).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("Workflows could not be looked for; it is tried again", error), settings.sweepMs)
      ),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("Looking for workflows broke; it is tried again", defect), settings.sweepMs)
      ),
      Effect.flatMap((ms) => Effect.sleep(ms))
    )
  )
  for (const signal of signals) yield* Effect.forkScoped(looping(signal))
  yield* Effect.forkScoped(tidying)
  yield* Effect.forkScoped(endsSoon)
  yield* Effect.forkScoped(lookingOut)
  return Effect.sync(wakeAll)
})
