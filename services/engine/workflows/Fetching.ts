import { Effect, Option, Result, Schedule, Semaphore } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import { ownOf } from "../../domain/Json.ts"
import type { Fetched } from "../../domain/workflows/Fetched.ts"
import { faultOf } from "../../domain/workflows/Fetched.ts"
import type { FetchStep } from "../../domain/workflows/Steps.ts"
import { now } from "../../ports/Now.ts"
import { makeForks } from "../../ports/operations/Forks.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { AtFetch, Moves, MovedRun, OpenRun } from "../../ports/workflows/ExecutionStore.ts"
import { ExecutionStore, READ_AT_ONCE } from "../../ports/workflows/ExecutionStore.ts"
import type { FetchRequest, Unread } from "../../ports/workflows/FetchClient.ts"
import { FetchClient } from "../../ports/workflows/FetchClient.ts"
import { Templates } from "../messages/Templates.ts"
import { draining } from "../operations/Draining.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import { Programs } from "./Programs.ts"

/** Requests under way at once in a process: of one application at most, and of all, who share these. */
const OF_ONE = 128
const OF_ALL = 256
/** When those beyond come again. */
const PUT_OFF_MS = 1000
/** What a run takes at least, of what may be read at once. */
const SMALL = 4000
/** Before it is left to others. */
const LAST_TRY_MS = 10_000

/** What is kept of a run while its server is asked: not what it carries, of which hundreds would fill a process. */
export interface Begun extends AtFetch {
  readonly suspicion: number
  /** Of what has to be read to go on with it, but for the answer, in characters. */
  readonly size: number
  /** Until when (epoch ms) it is left to this process. */
  readonly until: number
}

/** How soon an answer that could not be written is written once more, and how late. */
const AGAIN = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])

/**
 * Carries out the requests of FETCH steps. When the scope closes, those under way are waited for, and no more are begun;
 * `drainMs`: for how long.
 */
export const makeFetching = Effect.fnUntraced(function* (drainMs: number) {
  const executions = yield* ExecutionStore
  const programs = yield* Programs
  const templates = yield* Templates
  const client = yield* FetchClient
  const reading = Semaphore.makeUnsafe(READ_AT_ONCE)
  const fork = yield* makeForks
  let isStopping = false
  let all = 0
  const ended = makeSignal()
  yield* Effect.addFinalizer(() => {
    isStopping = true
    const drain = Effect.repeat(
      Effect.suspend(() => (all === 0 ? Effect.void : ended.wait)),
      { until: () => all === 0 }
    )
    return draining("fetches", () => all, drain, drainMs)
  })
  /** How many there are of each application and step. */
  const underWay = new Map<AppId, Map<string, number>>()

  const stepOf = ({ run, settled }: MovedRun): string => `${run.versionId} ${settled.position}`

  /** How many an application may have. One more application has room whatever the others have under way. */
  const mostOf = (appId: AppId): number =>
    Math.min(OF_ONE, Math.ceil(OF_ALL / (underWay.size + (underWay.has(appId) ? 0 : 1))))

  /** Of a process that stops somebody else begins them, at once. */
  const unlessStopping = (moves: Moves): Moves =>
    isStopping
      ? {
          ...moves,
          moved: moves.moved.map((one) =>
            one.fetchUntil === null ? one : { ...one, fetchUntil: null, settled: { ...one.settled, dueAt: now() } }
          )
        }
      : moves

  /**
   * Those who come to a FETCH for which there is no room come again, so many a second; all others go on. A step has as many
   * as it leaves free to others, which may ask a server that is faster.
   */
  const withinRoom = (moves: Moves): Moves => {
    const [first] = moves.moved
    if (first === undefined || moves.moved.every(({ fetchUntil }) => fetchUntil === null)) return moves
    if (isStopping) return unlessStopping(moves)
    const { appId } = first.run
    const most = mostOf(appId)
    const taken = new Map(underWay.get(appId))
    let all = [...taken.values()].reduce((sum, count) => sum + count, 0)
    const beyond = new Map<string, number>()
    const moved = moves.moved.map((one) => {
      if (one.fetchUntil === null) return one
      const step = stepOf(one)
      const mine = taken.get(step) ?? 0
      if (mine < Math.max(1, (most - (all - mine)) / 2)) {
        taken.set(step, mine + 1)
        all++
        return one
      }
      const later = (beyond.get(step) ?? 0) + 1
      beyond.set(step, later)
      const dueAt = now() + PUT_OFF_MS * Math.ceil((2 * later) / OF_ONE)
      return { ...one, fetchUntil: null, settled: { ...one.settled, dueAt } }
    })
    return { ...moves, moved }
  }

  /** One more, or one less. */
  const count = (appId: AppId, step: string, by: 1 | -1): void => {
    all += by
    const steps = underWay.get(appId) ?? new Map<string, number>()
    const left = (steps.get(step) ?? 0) + by
    if (left === 0) steps.delete(step)
    else steps.set(step, left)
    if (steps.size === 0) underWay.delete(appId)
    else underWay.set(appId, steps)
  }

  const requestOf = Effect.fnUntraced(function* (run: OpenRun, step: FetchStep) {
    const version = yield* programs.of(run.versionId)
    if (Option.isNone(version)) return Result.fail("its version is gone")
    const template = ownOf(version.value.templates, step.key)
    const method = step.method ?? (step.body === undefined ? "GET" : "POST")
    const headers = { ...ownOf(version.value.headers, step.key)?.headers, "idempotency-key": `${run.id}:${step.key}` }
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
    if (Result.isFailure(filled!)) {
      const { field, message } = filled!.failure
      return Result.fail(`${field.replace(/^content\.(?:data\.)?/, "")} ${message}`)
    }
    const { data, url } = filled!.success
    return Result.succeed({
      method,
      url: url ?? step.url,
      headers,
      body: step.body === undefined ? null : JSON.stringify(data?.["body"])
    })
  })

  /** Asks a server, or says when it may be asked: whoever waits for a turn is a row that is due then. */
  const fetchInTurn = Effect.fnUntraced(function* (appId: AppId, request: FetchRequest, hasTurn: boolean) {
    const host = URL.canParse(request.url) ? new URL(request.url).host : ""
    const at = now()
    // A turn says nothing any more where the server has named a later time since it was taken.
    const mayGo = hasTurn && !(yield* executions.isHeld(appId, host, at))
    const until = mayGo ? at : yield* executions.takeTurn(appId, host, at)
    if (until > at) return { _tag: "Later", until } satisfies Fetched
    const fetched = yield* client.fetch(request)
    if (fetched._tag === "Fault" && fetched.retryAfterMs !== null) {
      yield* executions.holdTurns(appId, host, now() + fetched.retryAfterMs)
    }
    return fetched
  })

  /** What a server is to be asked, with nothing else of the run. */
  const askingOf = ({ run, settled }: MovedRun) =>
    Effect.map(requestOf(run, settled.fetch!), (request) => {
      if (Result.isFailure(request)) return Effect.succeed(faultOf(request.failure))
      return fetchInTurn(run.appId, request.success, settled.deadline !== null)
    })

  const begunOf = ({ fetchUntil, run, size }: MovedRun): Begun => ({
    appId: run.appId,
    id: run.id,
    fence: run.fence + 1,
    suspicion: run.suspicion,
    size,
    until: fetchUntil!
  })

  type GoOn<E> = (begun: Begun, read: () => Fetched) => Effect.Effect<void, E>

  /**
   * What was asked and answered once is not asked again because a connection to the database was lost: it is written for as
   * long as the run is left to this process. It is read one after another where it is much.
   */
  const finish = <E>(begun: Begun, fetched: Fetched | Unread, goOn: GoOn<E>) => {
    const isUnread = fetched._tag === "Unread"
    const size = Math.min(READ_AT_ONCE, SMALL + begun.size + (isUnread ? fetched.size : 0))
    return Effect.suspend(() => goOn(begun, isUnread ? fetched.read : () => fetched)).pipe(
      reading.withPermits(size),
      Effect.retry({ schedule: AGAIN, while: () => now() < begun.until - LAST_TRY_MS })
    )
  }

  const carryOut = <E>(
    begun: Begun,
    step: string,
    asking: Effect.Effect<Fetched | Unread, StoreError>,
    goOn: GoOn<E>
  ) => {
    count(begun.appId, step, 1)
    fork(
      Effect.flatMap(asking, (fetched) => finish(begun, fetched, goOn)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A FETCH was interrupted; it is done again", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            count(begun.appId, step, -1)
            ended.signal()
          })
        )
      )
    )
  }

  /** Begins the requests that runs have come to; each goes on with what came of its own, which it reads when it may. */
  const begin = Effect.fnUntraced(function* <E>(moved: ReadonlyArray<MovedRun>, goOn: GoOn<E>) {
    for (const one of moved) {
      if (one.fetchUntil === null) continue
      yield* askingOf(one).pipe(
        Effect.map((asking) => carryOut(begunOf(one), stepOf(one), asking, goOn)),
        Effect.catchCause((cause) => Effect.logWarning("A FETCH was not begun; it is done again", cause))
      )
    }
  })

  return { begin, withinRoom, unlessStopping }
})
