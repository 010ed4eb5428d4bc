import { Effect, Option, Result } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import { ownOf } from "../../domain/Json.ts"
import type { Fetched } from "../../domain/workflows/Interpreter.ts"
import type { FetchStep } from "../../domain/workflows/Steps.ts"
import { now } from "../../ports/Now.ts"
import type { Moves, MovedRun, OpenRun } from "../../ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../ports/workflows/ExecutionStore.ts"
import type { FetchRequest } from "../../ports/workflows/FetchClient.ts"
import { FetchClient } from "../../ports/workflows/FetchClient.ts"
import { Templates } from "../messages/Templates.ts"
import { Programs } from "./Programs.ts"

/** Requests under way at once in a process: of one application at most, and of all, who share these. */
const OF_ONE = 128
const OF_ALL = 256
/** When those beyond come again. */
const PUT_OFF_MS = 1000

/** Carries out the requests of FETCH steps. */
export const makeFetching = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const programs = yield* Programs
  const templates = yield* Templates
  const client = yield* FetchClient
  /** How many there are of each application and step. */
  const underWay = new Map<AppId, Map<string, number>>()

  const stepOf = ({ run, settled }: MovedRun): string => `${run.versionId} ${settled.position}`

  /** How many an application may have. One more application has room whatever the others have under way. */
  const mostOf = (appId: AppId): number =>
    Math.min(OF_ONE, Math.ceil(OF_ALL / (underWay.size + (underWay.has(appId) ? 0 : 1))))

  /**
   * Those who come to a FETCH for which there is no room come again, so many a second; all others go on. A step has as many
   * as it leaves free to others, which may ask a server that is faster.
   */
  const withinRoom = (moves: Moves): Moves => {
    const [first] = moves.moved
    if (first === undefined || moves.moved.every(({ fetchUntil }) => fetchUntil === null)) return moves
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
  const count = (one: MovedRun, by: 1 | -1): void => {
    const { appId } = one.run
    const steps = underWay.get(appId) ?? new Map<string, number>()
    const step = stepOf(one)
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

  const fetch = Effect.fnUntraced(function* ({ run, settled }: MovedRun) {
    const request = yield* requestOf(run, settled.fetch!)
    if (Result.isSuccess(request)) return yield* fetchInTurn(run.appId, request.success, settled.deadline !== null)
    return { _tag: "Fault", detail: request.failure, mayRetry: false, retryAfterMs: null } satisfies Fetched
  })

  /** Begins the requests that runs have come to; each goes on with what came of its own. */
  const begin = Effect.fnUntraced(function* <E>(
    moved: ReadonlyArray<MovedRun>,
    goOn: (one: MovedRun, fetched: Fetched) => Effect.Effect<void, E>
  ) {
    for (const one of moved) {
      if (one.fetchUntil === null) continue
      count(one, 1)
      yield* Effect.flatMap(fetch(one), (fetched) => goOn(one, fetched)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A FETCH was interrupted; it is done again", cause)),
        Effect.ensuring(Effect.sync(() => count(one, -1))),
        Effect.forkDetach
      )
    }
  })

  return { begin, withinRoom }
})
