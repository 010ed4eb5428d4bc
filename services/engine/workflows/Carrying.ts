import { Effect, Option } from "effect"
import { now } from "../../ports/Now.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { SegmentId, WorkflowVersionId } from "../../domain/Ids.ts"
import type { Facts, Needs } from "../../domain/workflows/Conditions.ts"
import { needsOf } from "../../domain/workflows/Conditions.ts"
import type { HistoryEntry } from "../../domain/workflows/Execution.ts"
import type { Fetched } from "../../domain/workflows/Fetched.ts"
import type { Answer, Question, Settled } from "../../domain/workflows/Run.ts"
import { faultOf } from "../../domain/workflows/Fetched.ts"
import { move } from "../../domain/workflows/Interpreter.ts"
import type { MovedRun, Moves, OpenRun, StepSum, Tools } from "../../ports/workflows/ExecutionStore.ts"
import type { EngineSettings } from "../../ports/EngineSettings.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { FETCH_LEASE_MS } from "../../ports/workflows/ExecutionStore.ts"
import { ASIDE, WORKER_ENDED } from "../../domain/sending/Suspicion.ts"
import { runEvents } from "./RunEvents.ts"
import { messagesOf } from "./RunMessages.ts"
import type { Prepared, Programs } from "./Programs.ts"

/**
 * How long (ms) runs that move together are computed, at most: those who have not come as far as they get by then are due
 * again. Meanwhile they hold a transaction, which does not outlast a longer silence.
 */
const LONGEST_MS = 1000
/** After how much of it (ms) the process looks at what else it has to do. */
const BREATH_MS = 10

/** How long (ms) was computed. */
export interface Spent {
  spentMs: number
}

/**
 * Characters that a run's answers may have in all, with what its trigger brought: whoever moves it reads them, and writes them
 * again with each that comes.
 */
const MOST_CARRIED = 1_000_000

const TOO_MUCH = faultOf("the answers of the run are more than 1 MB in all")

const sizeOf = (fetched: Fetched | undefined): number => (fetched?._tag === "Answer" ? (fetched.size ?? 0) : 0)

const NOBODY: Facts = {
  tags: [],
  attributes: {},
  locale: null,
  timezone: null,
  platforms: [],
  seenAt: null,
  engagedAt: {}
}

const NONE: ReadonlyMap<SegmentId, SegmentFilter> = new Map()

/** Whether a person has to be looked up beyond their contact. */
const isInNeed = ({ devices, engagement }: Needs): boolean => devices || engagement

/** A run that a move has not touched, as it ends from outside; `detail` says to people why. */
const endedAs = (
  run: OpenRun,
  status: "failed" | "cancelled",
  at: number,
  { detail, ...why }: Pick<Settled, "error" | "reason"> & { readonly detail: string }
): Settled => ({
  status,
  position: run.position,
  isBegun: run.isBegun,
  deadline: null,
  tries: run.tries,
  dueAt: null,
  wakes: null,
  fetch: null,
  steps: run.steps,
  person: run.person ?? NOBODY,
  sendings: [],
  history: [{ at, stepOrder: run.position + 1, outcome: status, detail }],
  endedAt: run.position + 1,
  ...why
})

/** What ends runs as failed that cannot be carried on, whatever they are at. */
export const failing = (runs: ReadonlyArray<OpenRun>, error: string): Moves => {
  const at = now()
  const moved = runs.map((run): MovedRun => {
    const settled = endedAs(run, "failed", at, { error, reason: null, detail: error })
    return { run, settled, sends: {}, fetchUntil: null, size: 0 }
  })
  const counts = sumsOf(moved, new Set())
  return { moved, messages: [], events: runEvents(moved, at), counts, steps: [] }
}

/** Moves each run as far as it gets, and says all that comes of it; what runs ask, they ask together, round after round. */
export const carrying = (
  programs: Programs["Service"],
  settings: EngineSettings["Service"],
  /** Whether whoever asks carries out the FETCH that a run comes to; else it is left to others. */
  isFetching: boolean,
  fetched: ReadonlyMap<string, Fetched> = new Map(),
  /** What was computed already in this transaction; left out: each time that runs are carried has all of it. */
  spent: Spent | null = null
) =>
  Effect.fnUntraced(function* (runs: ReadonlyArray<OpenRun>, tools: Tools) {
    const at = now()
    const versions = new Map<WorkflowVersionId, Prepared | null>()
    for (const { versionId } of runs) {
      if (!versions.has(versionId)) versions.set(versionId, Option.getOrNull(yield* programs.of(versionId)))
    }
    const settled = new Map<OpenRun, Settled>()
    const work = spent ?? { spentMs: 0 }
    const isOver = () => work.spentMs >= LONGEST_MS
    const going: Array<{ readonly run: OpenRun; readonly moving: ReturnType<typeof move> }> = []
    const [first] = runs
    const segmentIds = [...new Set(runs.flatMap(({ segmentId }) => segmentId ?? []))]
    const segments = segmentIds.length === 0 ? NONE : yield* tools.segments(first!.appId, segmentIds)
    const isAskedFor = new Map([...segments].map(([id, filter]) => [id, isInNeed(needsOf([filter]))]))
    const inNeed = runs.filter(({ segmentId, versionId }) => {
      if (segmentId !== null && isAskedFor.get(segmentId) === true) return true
      const needs = versions.get(versionId)?.program.needs
      return needs !== undefined && isInNeed(needs)
    })
    const more = inNeed.length === 0 ? new Map() : yield* tools.reach(inNeed)
    for (const run of runs) {
      const version = versions.get(run.versionId)
      if (run.suspicion >= ASIDE) {
        const detail = "the processes that moved it have ended, again and again"
        settled.set(run, endedAs(run, "failed", at, { error: WORKER_ENDED, reason: null, detail }))
      } else if (run.isDisabled) {
        const why = { error: "application_disabled", reason: null, detail: "the application was deleted" }
        settled.set(run, endedAs(run, "failed", at, why))
      } else if (run.isClosed !== null || version == null) {
        const reason = run.isClosed ?? "deleted"
        settled.set(run, endedAs(run, "cancelled", at, { error: null, reason, detail: `the workflow was ${reason}` }))
      } else if (run.person === null) {
        const why = { error: "contact_deleted", reason: null, detail: "the contact was deleted" }
        settled.set(run, endedAs(run, "failed", at, why))
      } else {
        const heard = fetched.get(run.id)
        const answer = (run.size ?? 0) + sizeOf(heard) > MOST_CARRIED && heard?._tag === "Answer" ? TOO_MUCH : heard
        const asked = more.get(run.contactId)
        going.push({
          run,
          moving: move(version.program, run, {
            person: asked === undefined ? run.person : { ...run.person, ...asked },
            defaultTimezone: settings.defaultTimezone,
            now: at,
            isOver,
            ...(run.segmentId === null ? {} : { segment: segments.get(run.segmentId) ?? null }),
            ...(answer === undefined ? {} : { fetched: answer })
          })
        })
      }
    }
    const outside = new Set(settled.values())
    yield* drive(going, settled, tools, work)

    const { messages, sends } = messagesOf(runs, settled, versions, settings)
    const moved = runs.map((run): MovedRun => {
      const sent = sends.get(run) ?? {}
      const one = settled.get(run)!
      const isAtFetch = isFetching && one.fetch !== null && one.status === "running"
      return {
        run,
        settled: withMessages(one, sent),
        sends: sent,
        fetchUntil: isAtFetch ? at + FETCH_LEASE_MS : null,
        size: (run.size ?? 0) + sizeOf(fetched.get(run.id))
      }
    })
    return {
      moved,
      messages,
      events: runEvents(moved, at),
      counts: sumsOf(moved, outside),
      steps: stepsOf(moved, versions)
    }
  })

const drive = Effect.fnUntraced(function* (
  going: ReadonlyArray<{ readonly run: OpenRun; readonly moving: ReturnType<typeof move> }>,
  settled: Map<OpenRun, Settled>,
  tools: Tools,
  work: Spent
): Effect.fn.Return<void, StoreError> {
  let answers: ReadonlyArray<Answer> | null = null
  for (let moving = going; ;) {
    const asked = []
    let breath = 0
    for (const [i, one] of moving.entries()) {
      const began = performance.now()
      const said: IteratorResult<Question, Settled> =
        answers === null ? one.moving.next() : one.moving.next(answers[i]!)
      const took = performance.now() - began
      work.spentMs += took
      if (said.done === true) settled.set(one.run, said.value)
      else asked.push({ run: one.run, moving: one.moving, question: said.value })
      breath += took
      if (breath < BREATH_MS) continue
      breath = 0
      yield* Effect.yieldNow
    }
    if (asked.length === 0) return
    answers = yield* tools.ask(asked)
    moving = asked
  }
})

/** The history with the messages that were sent: the first entry of a SEND tells of its message. */
const withMessages = (settled: Settled, sends: MovedRun["sends"]): Settled => {
  if (settled.sendings.length === 0) return settled
  const history = [...settled.history]
  for (const { place, step } of settled.sendings) {
    const at = history.findIndex(({ stepOrder }) => stepOrder === place.stepOrder)
    history[at] = { ...history[at]!, notificationId: sends[step.key]! }
  }
  return { ...settled, history }
}

const PASSED: ReadonlySet<HistoryEntry["outcome"]> = new Set(["passed", "skipped", "merged", "timed_out"])

/** What the moves add to the counts of their steps; `outside`: of runs that were ended from outside. */
const sumsOf = (moved: ReadonlyArray<MovedRun>, outside: ReadonlySet<Settled>): ReadonlyArray<StepSum> => {
  const sums = new Map<string, { -readonly [K in keyof StepSum]: StepSum[K] }>()
  const of = (versionId: WorkflowVersionId, stepOrder: number) => {
    const key = `${versionId} ${stepOrder}`
    let sum = sums.get(key)
    if (sum === undefined) sums.set(key, (sum = { versionId, stepOrder, entered: 0, passed: 0, stopped: 0, failed: 0 }))
    return sum
  }
  for (const { run, settled } of moved) {
    const wasIn = run.isBegun || run.tries > 0 || run.deadline !== null
    if (outside.has(settled)) {
      if (wasIn) of(run.versionId, run.position + 1)[settled.status === "failed" ? "failed" : "stopped"]++
      continue
    }
    let last = wasIn ? run.position + 1 : -1
    for (const { outcome, stepOrder } of settled.history) {
      const sum = of(run.versionId, stepOrder)
      if (stepOrder !== last) sum.entered++
      last = stepOrder
      if (PASSED.has(outcome)) sum.passed++
      else if (outcome === "stopped") sum.stopped++
      else if (outcome === "failed") sum.failed++
    }
  }
  return [...sums.values()]
}

/** Steps that are over, by type and outcome: for metrics. */
const stepsOf = (
  moved: ReadonlyArray<MovedRun>,
  versions: ReadonlyMap<WorkflowVersionId, Prepared | null>
): Moves["steps"] => {
  const sums = new Map<string, { -readonly [K in keyof Moves["steps"][number]]: Moves["steps"][number][K] }>()
  for (const { run, settled } of moved) {
    const version = versions.get(run.versionId)
    if (version == null) continue
    for (const { outcome, stepOrder } of settled.history) {
      if (outcome === "waiting") continue
      const { type } = version.program.places[stepOrder - 1]!.step
      const key = `${type} ${outcome}`
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { type, outcome, count: 1 })
      else sum.count++
    }
  }
  return [...sums.values()]
}
