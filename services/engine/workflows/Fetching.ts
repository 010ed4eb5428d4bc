import { Effect, Option, Result } from "effect"
import type { AppId } from "../../domain/Ids.ts"
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
const OF_ONE = 64
const OF_ALL = 256
/** When those beyond come again. */
const PUT_OFF_MS = 1000

/** Carries out the requests of FETCH steps. */
export const makeFetching = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const programs = yield* Programs
  const templates = yield* Templates
  const client = yield* FetchClient
  const underWay = new Map<AppId, number>()

  /** How many more an application may begin now. One more application has room whatever the others have under way. */
  const roomOf = (appId: AppId): number => {
    const mine = underWay.get(appId) ?? 0
    const apps = underWay.size + (mine === 0 ? 1 : 0)
    return Math.min(OF_ONE, Math.ceil(OF_ALL / apps)) - mine
  }

  /** Those who come to a FETCH for which there is no room come again, so many a second; all others go on. */
  const withinRoom = (moves: Moves): Moves => {
    const [first] = moves.moved
    if (first === undefined || moves.moved.every(({ fetchUntil }) => fetchUntil === null)) return moves
    let room = roomOf(first.run.appId)
    const moved = moves.moved.map((one) => {
      if (one.fetchUntil === null || room-- > 0) return one
      const dueAt = now() + PUT_OFF_MS * Math.ceil(-room / OF_ONE)
      return { ...one, fetchUntil: null, settled: { ...one.settled, dueAt } }
    })
    return { ...moves, moved }
  }

  const requestOf = Effect.fnUntraced(function* (run: OpenRun, step: FetchStep) {
    const version = yield* programs.of(run.versionId)
    if (Option.isNone(version)) return Result.fail("its version is gone")
    const template = version.value.templates[step.key]
    const method = step.method ?? (step.body === undefined ? "GET" : "POST")
    const headers = { ...version.value.headers[step.key]?.headers, "idempotency-key": `${run.id}:${step.key}` }
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
    const until = hasTurn ? at : yield* executions.takeTurn(appId, host, at)
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
      const { appId } = one.run
      underWay.set(appId, (underWay.get(appId) ?? 0) + 1)
      yield* Effect.flatMap(fetch(one), (fetched) => goOn(one, fetched)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A FETCH was interrupted; it is done again", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            const left = underWay.get(appId)! - 1
            if (left === 0) underWay.delete(appId)
            else underWay.set(appId, left)
          })
        ),
        Effect.forkDetach
      )
    }
  })

  return { begin, withinRoom }
})
