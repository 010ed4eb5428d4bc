import type { ExecutionStatus, HistoryEntry, StepOutcome } from "./Execution.ts"
import type { Facts, Finding, MessageState } from "./Conditions.ts"
import { judge, valueAt } from "./Conditions.ts"
import { changed } from "./ContactChange.ts"
import { delayUntil } from "./Delay.ts"
import type { Fetched } from "./Fetched.ts"
import { FETCH_RETRIES_MS } from "./Fetched.ts"
import { canonicalJson } from "../Json.ts"
import type { SegmentFilter } from "../audience/Segment.ts"
import { isTimeZone } from "../Time.ts"
import type { Place, Program } from "./Program.ts"
import type { Answer, Circumstances, Collected, Heard, Joined, Question, Run, Sending, Settled } from "./Run.ts"
import { ACTUAL, lengthOf, shown } from "./ShownValues.ts"
import type { BranchStep, DelayStep, DigestStep, FetchStep, SendStep, UpdateContactStep, WaitForStep } from "./Steps.ts"

/*
 * What a run does until it waits or ends. It knows nothing of clocks, rows and servers: what only they can say it asks, so
 * that whoever runs many at once can ask for all of them together, and a dry run can make the answers up.
 */

/** Longest that a SEND waits for what became of its message. */
const OUTCOME_MS = 86_400_000
/** After which a run that waits for an event looks once more whether there was one. */
const SECOND_LOOK_MS = 5_000

type Moving = Generator<Question, Settled, Answer>

/** Characters of findings that one move writes down with their values; of those beyond, the last is, without its value. */
const FINDINGS = 16_000

/** The error of a run that cannot be carried on, as it would be tried for ever. */
export const cannot = (defect: unknown): string =>
  `internal: ${(defect instanceof Error ? defect.message : String(defect)).slice(0, 200)}`

/** A run's move. */
class Move {
  readonly #program: Program
  readonly #run: Run
  readonly #now: number
  readonly #zone: string
  readonly #sendings: Array<Sending> = []
  readonly #history: Array<HistoryEntry> = []
  readonly #fetched: Fetched | undefined
  readonly #segment: SegmentFilter | null | undefined
  readonly #isOver: (() => boolean) | undefined
  #person: Facts
  #steps: Readonly<Record<string, unknown>>
  #position: number
  #isBegun: boolean
  #deadline: number | null
  #room = FINDINGS
  /** SEND steps of this very move: nothing can have become of them. */
  readonly #justSent = new Set<string>()

  constructor(program: Program, run: Run, { defaultTimezone, fetched, isOver, now, person, segment }: Circumstances) {
    this.#isOver = isOver
    this.#segment = segment
    this.#program = program
    this.#run = run
    this.#now = now
    this.#person = person
    this.#fetched = fetched
    this.#steps = run.steps
    this.#position = run.position
    this.#isBegun = run.isBegun
    this.#deadline = run.deadline
    const { timezone } = person
    this.#zone = timezone !== null && isTimeZone(timezone) ? timezone : defaultTimezone
  }

  *go(): Moving {
    const { places } = this.#program
    while (this.#position < places.length) {
      if (this.#isOver?.() === true) return { ...this.#settled("running"), dueAt: this.#now, tries: this.#triesHere }
      const place = places[this.#position]!
      let settled: Settled | null
      try {
        settled = yield* this.#step(place)
      } catch (defect) {
        // Nobody else's: those who are moved together with it go on.
        return this.#fail(place, cannot(defect))
      }
      if (settled !== null) return settled
    }
    return this.#end("completed")
  }

  /** Tries that were made of the step that the run is at now. */
  get #triesHere(): number {
    return this.#position === this.#run.position ? this.#run.tries : 0
  }

  /** Null when the run is at its next step. */
  *#step(place: Place): Generator<Question, Settled | null, Answer> {
    const { step } = place
    switch (step.type) {
      case "SEND":
        return yield* this.#send(place, step)
      case "DELAY":
        return this.#delay(place, step)
      case "FILTER": {
        const { findings, fits } = yield* this.#judge(step.conditions)
        if (fits) return this.#pass(place, "passed", { findings })
        return this.#stop(place, { findings })
      }
      case "BRANCH":
        return yield* this.#branch(place, step)
      case "DIGEST":
        return yield* this.#digest(place, step)
      case "THROTTLE": {
        const isLetThrough = (yield { _tag: "Pass", step, by: this.#keyOf(step.by) }) as boolean
        if (isLetThrough) return this.#pass(place, "passed")
        return this.#stop(place, { detail: `more than ${step.at_most} in ${step.per_seconds} s` })
      }
      case "FETCH":
        return this.#fetch(place, step)
      case "UPDATE_CONTACT":
        return yield* this.#update(place, step)
      case "WAIT_FOR":
        return yield* this.#waitFor(place, step)
    }
  }

  *#send(place: Place, step: SendStep): Generator<Question, Settled | null, Answer> {
    if (!this.#isBegun) {
      if (this.#segment !== undefined) {
        const subject = { person: this.#person, data: {}, messages: () => new Set<MessageState>(), now: this.#now }
        const { findings = [], fits } = this.#segment === null ? { fits: false } : judge(this.#segment, subject)
        if (!fits) return this.#stop(place, { findings, detail: "is not in the segment any more" })
      }
      this.#sendings.push({ place, step })
      this.#justSent.add(step.key)
      if (step.wait_for_outcome !== true) return this.#pass(place, "passed")
      return this.#wait(place, this.#now + OUTCOME_MS, { wakes: { send: step.key } })
    }
    const states = (yield { _tag: "Outcome", key: step.key }) as ReadonlySet<MessageState> | null
    if (states === null) {
      if (this.#now < this.#deadline!) return this.#goOnWaiting({ send: step.key })
      return this.#pass(place, "timed_out")
    }
    if (states.has("failed") && !states.has("sent")) return this.#fail(place, "The message failed")
    return this.#pass(place, states.has("sent") ? "passed" : "skipped")
  }

  #delay(place: Place, step: DelayStep): Settled | null {
    if (this.#isBegun) {
      // Woken before its time, by a clock that went back.
      return this.#now < this.#deadline! ? this.#goOnWaiting(null) : this.#pass(place, "passed")
    }
    const zone = this.#person.timezone === null && step.timezone !== undefined ? step.timezone : this.#zone
    const until = delayUntil(step, zone, this.#now)
    return until <= this.#now ? this.#pass(place, "passed") : this.#wait(place, until)
  }

  *#branch(place: Place, step: BranchStep): Generator<Question, null, Answer> {
    const all = []
    for (const [i, { conditions }] of step.branches.entries()) {
      const { findings, fits } = yield* this.#judge(conditions)
      all.push(...findings)
      if (fits) return this.#turn(place, i + 1, place.branches[i]!, all)
    }
    return this.#turn(place, 0, place.otherwise, all)
  }

  #turn(place: Place, branch: number, to: number, findings: HistoryEntry["findings"]): null {
    this.#note(place, "passed", { branch, ...(findings === undefined ? {} : { findings }) })
    this.#moveTo(to)
    return null
  }

  *#digest(place: Place, step: DigestStep): Generator<Question, Settled | null, Answer> {
    const by = this.#keyOf(step.by)
    if (!this.#isBegun) {
      const closes = this.#now + step.seconds * 1000
      const { closesAt, opener } = (yield { _tag: "Join", step, by, closesAt: closes }) as Joined
      if (opener === null) return this.#wait(place, closesAt)
      this.#note(place, "merged", { mergedInto: opener })
      return this.#end("completed")
    }
    const collected = (yield { _tag: "Collect", step, by }) as Collected
    if ("closesAt" in collected) {
      this.#deadline = collected.closesAt
      return this.#goOnWaiting(null)
    }
    const { count, items } = collected
    this.#bring(step.key, { count, items })
    return this.#pass(place, "passed", { count })
  }

  #fetch(place: Place, step: FetchStep): Settled | null {
    const fetched = this.#fetched
    if (fetched === undefined || this.#position !== this.#run.position) {
      // Of one that is tried again, how often it was tried.
      return { ...this.#settled("running"), dueAt: this.#now, fetch: step, tries: this.#triesHere }
    }
    if (fetched._tag === "Later") {
      // The deadline says that it has its turn.
      const { until } = fetched
      this.#note(place, "waiting", { until, detail: "waits for its turn at the server" })
      return { ...this.#settled("waiting"), dueAt: until, deadline: until, fetch: step, tries: this.#run.tries }
    }
    if (fetched._tag === "Answer") {
      this.#bring(step.key, { status: fetched.status, body: fetched.body })
      return this.#pass(place, "passed", { detail: `answered ${fetched.status}` })
    }
    const { detail, mayRetry, retryAfterMs } = fetched
    const pause = FETCH_RETRIES_MS[this.#run.tries]
    if (!mayRetry || pause === undefined) return this.#fail(place, `fetch: ${detail}`)
    const until = this.#now + Math.max(pause, retryAfterMs ?? 0)
    this.#note(place, "waiting", { until, detail })
    return { ...this.#settled("waiting"), dueAt: until, deadline: null, fetch: step, tries: this.#run.tries + 1 }
  }

  *#update(place: Place, step: UpdateContactStep): Generator<Question, Settled | null, Answer> {
    const tooMuch = (yield { _tag: "Change", step }) as string | null
    if (tooMuch !== null) return this.#fail(place, `contact: ${tooMuch}`)
    this.#person = changed(this.#person, step)
    return this.#pass(place, "passed")
  }

  *#waitFor(place: Place, step: WaitForStep): Generator<Question, Settled | null, Answer> {
    const value = step.match === undefined ? undefined : this.#valueAt(step.match.run)
    const heard = (yield { _tag: "Event", step, value, since: this.#heardLast() }) as Heard | null
    if (heard !== null) {
      this.#bring(step.key, { data: heard.data, heard_at: heard.at, timed_out: false })
      return this.#pass(place, "passed")
    }
    if (!this.#isBegun) {
      const until = this.#now + step.seconds * 1000
      const settled = this.#wait(place, until, { wakes: { event: step.event } })
      // One that came before it was known that this run waits, and was looked at before that, is found the second time.
      return { ...settled, dueAt: Math.min(until, this.#now + SECOND_LOOK_MS) }
    }
    if (this.#now < this.#deadline!) return this.#goOnWaiting({ event: step.event })
    this.#bring(step.key, { data: null, timed_out: true })
    return this.#pass(place, "timed_out")
  }

  *#judge(conditions: Parameters<typeof judge>[0]): Generator<Question, ReturnType<typeof judge>, Answer> {
    const keys = [conditions, ...(conditions.any ?? [])]
      .flatMap(({ steps }) => (steps ?? []).map(({ key }) => key))
      .filter((key) => Object.hasOwn(this.#run.sends, key) && !this.#justSent.has(key))
    const known =
      keys.length === 0
        ? new Map<string, ReadonlySet<MessageState>>()
        : ((yield { _tag: "Messages", keys: [...new Set(keys)] }) as ReadonlyMap<string, ReadonlySet<MessageState>>)
    return judge(conditions, {
      person: this.#person,
      data: { ...this.#run.data, steps: this.#steps },
      messages: (key) => known.get(key) ?? new Set(),
      now: this.#now
    })
  }

  /**
   * From when on events count (ISO 8601): since the last event that the run has waited for, or since it entered. That one's
   * time is as exact as whoever told it, so that it does not come once more. It is not always the latest: the clock may have
   * been set back since the run entered, or since it heard the one before.
   */
  #heardLast(): string {
    const heard = Object.values(this.#steps).flatMap((value) => {
      const at = (value as { readonly heard_at?: unknown } | null)?.heard_at
      return typeof at === "string" ? [at] : []
    })
    return heard.at(-1) ?? new Date(this.#run.enteredAt).toISOString()
  }

  #valueAt(path: string): unknown {
    return valueAt({ data: this.#run.data, steps: this.#steps }, path)
  }

  /** What tells digests and passes of one person apart, as text. */
  #keyOf(by: string | undefined): string {
    const value = by === undefined ? undefined : this.#valueAt(by)
    return value === undefined ? "" : canonicalJson(value)
  }

  #bring(key: string, value: unknown): void {
    this.#steps = { ...this.#steps, [key]: value }
  }

  #note(place: Place, outcome: StepOutcome, { findings, ...more }: Partial<HistoryEntry> = {}): void {
    const found = findings === undefined ? {} : { findings: this.#briefly(findings) }
    this.#history.push({ at: this.#now, stepOrder: place.stepOrder, outcome, ...found, ...more })
  }

  /** Findings as they are kept: who asks a thousand times about a large value has a history that can be read. */
  #briefly(findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> {
    const brief = findings.map((one) => ("actual" in one ? { ...one, actual: shown(one.actual) } : one))
    const length = brief.reduce((sum, { about, actual }) => sum + about.length + lengthOf(actual, ACTUAL) + 40, 0)
    if (length <= this.#room) {
      this.#room -= length
      return brief
    }
    return findings.slice(-1).map(({ about, fits }) => ({ about, fits }))
  }

  #moveTo(position: number): void {
    this.#position = position
    this.#isBegun = false
    this.#deadline = null
  }

  #pass(place: Place, outcome: StepOutcome, more: Partial<HistoryEntry> = {}): null {
    this.#note(place, outcome, more)
    this.#moveTo(place.next)
    return null
  }

  #wait(place: Place, until: number, { wakes = null }: { wakes?: Settled["wakes"] } = {}): Settled {
    this.#note(place, "waiting", { until })
    this.#isBegun = true
    this.#deadline = until
    return { ...this.#settled("waiting"), dueAt: until, wakes }
  }

  #goOnWaiting(wakes: Settled["wakes"]): Settled {
    return { ...this.#settled("waiting"), dueAt: this.#deadline, wakes }
  }

  #stop(place: Place, more: Partial<HistoryEntry>): Settled {
    this.#note(place, "stopped", more)
    return { ...this.#end("filtered"), endedAt: place.stepOrder }
  }

  #fail(place: Place, error: string): Settled {
    this.#note(place, "failed", { detail: error })
    return { ...this.#end("failed"), endedAt: place.stepOrder, error }
  }

  #end(status: ExecutionStatus): Settled {
    this.#isBegun = false
    this.#deadline = null
    return this.#settled(status)
  }

  #settled(status: ExecutionStatus): Settled {
    return {
      status,
      position: this.#position,
      isBegun: this.#isBegun,
      deadline: this.#deadline,
      tries: 0,
      dueAt: null,
      wakes: null,
      fetch: null,
      steps: this.#steps,
      person: this.#person,
      sendings: this.#sendings,
      history: this.#history,
      endedAt: null,
      error: null,
      reason: null
    }
  }
}

/** Moves a run on as far as it gets: asks, and is told, until it waits or ends. */
export const move = (program: Program, run: Run, circumstances: Circumstances): Moving =>
  new Move(program, run, circumstances).go()
