import { Effect, Option, Result } from "effect"
import { now } from "../../ports/Now.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { AppId } from "../../domain/Ids.ts"
import { judge } from "../../domain/workflows/Conditions.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { Facts } from "../../domain/workflows/Conditions.ts"
import type { Fetched } from "../../domain/workflows/Interpreter.ts"
import type { FetchStep } from "../../domain/workflows/Steps.ts"
import type {
  CancelEvents,
  CancelledPage,
  Carry,
  Entry,
  MovedRun,
  OpenRun,
  Written
} from "../../ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../ports/workflows/ExecutionStore.ts"
import type { FetchRequest } from "../../ports/workflows/FetchClient.ts"
import { FetchClient } from "../../ports/workflows/FetchClient.ts"
import type { Taken } from "../../ports/workflows/TriggerStore.ts"
import { TriggerStore } from "../../ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../ports/workflows/WorkflowStore.ts"
import { Templates } from "../messages/Templates.ts"
import type { Signal } from "../operations/Signal.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { carrying } from "./Carrying.ts"
import { Programs } from "./Programs.ts"
import { cancelEvents } from "./RunEvents.ts"
import { tell, tellCancelled } from "./Telling.ts"
import { beginningOf, CANCELS, nextOf } from "./Workflows.ts"

/** Runs that one transaction moves, at most, and contacts that one looks through. */
const MOVES = 2000
const PAGE = 1000
/** Events that one takes. */
const EVENTS = 500
/** Transactions under way at once in a process: while one computes, the other is written. */
const LOOPS = 2
/** Between two looks of a loop that found work that others have. */
const SHORTEST_MS = 5
/** Requests of FETCH steps under way at once in a process, and when those beyond come again. */
const FETCHES = 64
const PUT_OFF_MS = 1000

/** Moves runs of all applications, in turns, for as long as the scope is open. Answers how it is told to look at once. */
export const make = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const workflows = yield* WorkflowStore
  const programs = yield* Programs
  const templates = yield* Templates
  const client = yield* FetchClient
  const settings = yield* EngineSettings
  const triggers = yield* TriggerStore
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const metrics = yield* Metrics
  const carryAll = carrying(programs, settings, true)
  let fetching = 0

  /** Those that come to a FETCH while too many are under way come again, so many a second: nobody else waits for them. */
  const carry: Carry = (runs, tools) =>
    Effect.map(carryAll(runs, tools), (moves) => {
      let room = FETCHES - fetching
      const moved = moves.moved.map((one) => {
        if (one.fetchUntil === null || room-- > 0) return one
        const dueAt = now() + PUT_OFF_MS * Math.ceil(-room / FETCHES)
        return { ...one, fetchUntil: null, settled: { ...one.settled, dueAt } }
      })
      return { ...moves, moved }
    })

  const requestOf = Effect.fnUntraced(function* (run: OpenRun, step: FetchStep) {
    const version = yield* programs.of(run.versionId)
    const template = Option.isSome(version) ? version.value.templates[step.key] : undefined
    const method = step.method ?? (step.body === undefined ? "GET" : "POST")
    const headers = { ...step.headers, "idempotency-key": `${run.id}:${step.key}` }
    if (template === undefined) {
      return Result.succeed({
        method,
        url: step.url,
        headers,
        body: step.body === undefined ? null : JSON.stringify(step.body)
      })
    }
    const compiled = yield* templates.version(run.appId, template.version)
    if (Option.isNone(compiled)) return Result.fail("its template cannot be read")
    const own = {
      data: run.data,
      steps: run.steps,
      contact: { external_id: run.userId, tags: run.person?.tags, attributes: run.person?.attributes }
    }
    const { fill } = compiled.value
    const [filled] = yield* fill({}, [{ language: "", own }])
    if (Result.isFailure(filled!)) return Result.fail(`${filled!.failure.field} ${filled!.failure.message}`)
    const { data, url } = filled!.success
    return Result.succeed({
      method,
      url: url ?? step.url,
      headers,
      body: data === undefined ? null : JSON.stringify(data["body"])
    })
  })

  /** Asks a server, or says when it may be asked: whoever waits for a turn is a row that is due then. */
  const fetchInTurn = Effect.fnUntraced(function* (appId: AppId, request: FetchRequest, hasTurn: boolean) {
    const host = URL.canParse(request.url) ? new URL(request.url).host : ""
    const at = now()
    const until = hasTurn ? at : yield* executions.takeTurn(appId, host, at)
    if (until > at) return { _tag: "Later", until } satisfies Fetched
    const fetched = yield* client.fetch(request)
    if (fetched._tag === "Fault" && fetched.retryAfterMs !== null) {
      yield* executions.holdTurns(appId, host, now() + fetched.retryAfterMs)
    }
    return fetched
  })

  const fetchOne = Effect.fnUntraced(function* ({ run, settled }: MovedRun) {
    const request = yield* requestOf(run, settled.fetch!)
    const fetched: Fetched = Result.isSuccess(request)
      ? yield* fetchInTurn(run.appId, request.success, settled.deadline !== null)
      : { _tag: "Fault", detail: request.failure, mayRetry: false, retryAfterMs: null }
    const resumed = carrying(programs, settings, true, new Map([[run.id, fetched]]))
    yield* after(yield* executions.resume([{ ...run, fence: run.fence + 1 }], resumed))
  })

  /** Tells others of what was written, and begins the requests that runs are at. */
  const after = Effect.fnUntraced(function* (
    written: Pick<Written, "moves" | "webhooks">
  ): Effect.fn.Return<void, StoreError> {
    tell(wakeUp, metrics, written)
    for (const one of written.moves.moved) {
      if (one.fetchUntil === null) continue
      fetching++
      yield* fetchOne(one).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A FETCH was interrupted; it is done again", cause)),
        Effect.ensuring(Effect.sync(() => fetching--)),
        Effect.forkDetach
      )
    }
  })

  const isIn = (filter: SegmentFilter, person: Facts): boolean =>
    judge(filter, { person, data: {}, messages: () => new Set(), now: now() }).fits
  const fits = ({ filter }: Entry, person: Facts): boolean => filter === null || isIn(filter, person)

  const begin = Effect.fnUntraced(function* (entry: Entry) {
    const found = yield* workflows.find(entry.appId, entry.workflowId)
    if (Option.isNone(found) || found.value.status !== "active") return null
    return beginningOf(found.value, entry.data)
  })

  /** Pages of audiences, of one application after the other. */
  const enterAll = Effect.fnUntraced(function* () {
    let served: AppId | null = null
    for (let pages = 0; ; pages++) {
      const written: Option.Option<Written & { readonly appId: AppId }> = yield* executions.enterPage(
        served,
        PAGE,
        begin,
        fits,
        carry
      )
      if (Option.isNone(written)) return pages > 0
      served = written.value.appId
      yield* after(written.value)
    }
  })

  /** What makes people enter by itself: events, changes of contacts, segments. */
  const takeAll = Effect.fnUntraced(function* (
    take: (served: AppId | null) => Effect.Effect<Option.Option<Taken>, StoreError>
  ) {
    let served: AppId | null = null
    // Of which others have what there is: after two of them it is time to look elsewhere.
    for (let empty = 0; empty < 2;) {
      const taken: Option.Option<Taken> = yield* take(served)
      if (Option.isNone(taken)) return
      empty = taken.value.count === 0 ? empty + 1 : 0
      served = taken.value.appId
      for (const written of taken.value.written) yield* after(written)
    }
  })

  /** What is due, of one application after the other. Answers when the next is. */
  const moveAll = Effect.fnUntraced(function* () {
    while (true) {
      const at = now()
      const all = yield* executions.due
      const due = all.filter((one) => one.at <= at)
      if (due.length === 0) return Math.min(...all.map((one) => one.at))
      let moved = 0
      for (const { appId } of due) {
        const written = yield* executions.move(appId, MOVES, carry)
        moved += written.moves.moved.length
        yield* after(written)
      }
      // Others have what is due.
      if (moved === 0) return Infinity
    }
  })

  const endClosed = Effect.fnUntraced(function* () {
    while (true) {
      const closing = yield* executions.closing(CANCELS)
      if (Option.isNone(closing)) return
      const { appId, ids, reason } = closing.value
      const { cancelled, webhooks } = yield* executions.cancel(appId, ids, reason, (runs) =>
        cancelEvents(appId, runs, reason, now())
      )
      tellCancelled(wakeUp, metrics, { cancelled, webhooks })
      if (cancelled.length === 0) return
    }
  })

  /** What is left of requests to cancel many, of one application after the other. */
  const cancelAll = Effect.fnUntraced(function* () {
    const eventsOf =
      (appId: AppId): CancelEvents =>
      (runs) =>
        cancelEvents(appId, runs, "operator", now())
    for (let served: AppId | null = null; ;) {
      const next: Option.Option<CancelledPage & { readonly appId: AppId }> = yield* executions.cancelNext(
        served,
        CANCELS,
        eventsOf
      )
      if (Option.isNone(next)) return
      served = next.value.appId
      tellCancelled(wakeUp, metrics, next.value)
    }
  })

  const round = Effect.gen(function* () {
    yield* cancelAll()
    yield* triggers.takeScheduled(now(), (trigger, at) => nextOf({ trigger }, at))
    yield* takeAll((served) => triggers.takeEvents(served, EVENTS, carry))
    yield* takeAll((served) => triggers.takeChanges(served, PAGE, isIn, carry))
    yield* enterAll()
    const next = yield* moveAll()
    return next
  })

  const signals = Array.from({ length: LOOPS }, makeSignal)
  const resting = (signal: Signal, next: number) =>
    Effect.raceFirst(signal.wait, Effect.sleep(Math.max(SHORTEST_MS, Math.min(settings.sweepMs, next - now()))))

  const looping = (signal: Signal) =>
    Effect.forever(
      round.pipe(
        Effect.catch((error) =>
          Effect.as(Effect.logWarning("Workflows were interrupted; they go on soon", error), Infinity)
        ),
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("Workflows broke; they go on soon", defect), Infinity)
        ),
        Effect.flatMap((next) => resting(signal, next))
      )
    )
  const tidying = Effect.forever(
    Effect.andThen(
      Effect.sleep(settings.sweepMs),
      Effect.all([
        executions.wakeEnded(MOVES),
        endClosed(),
        triggers.keepAllWatched,
        takeAll(() => triggers.look(PAGE, isIn, carry))
      ]).pipe(
        Effect.asVoid,
        Effect.catch((error) => Effect.logWarning("Workflows could not be tidied; it is tried again", error)),
        Effect.catchDefect((defect) => Effect.logError("Tidying workflows broke; it is tried again", defect))
      )
    )
  )
  for (const signal of signals) yield* Effect.forkScoped(looping(signal))
  yield* Effect.forkScoped(tidying)
  return Effect.sync(() => {
    for (const { signal } of signals) signal()
  })
})
