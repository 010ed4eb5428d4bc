import { Room } from "../../services/domain/operations/Room.ts"
import type { RenderProblem } from "../../services/ports/messages/TemplateEngine.ts"
import type { Answer, EndCause, FillOrder, ReadAnswer, RenderEnd, SourceText } from "./Protocol.ts"
import { READING } from "./Protocol.ts"
import { LIQUID_WORKER, RenderProcess } from "./RenderProcess.ts"

/*
 * Who has templates read and filled, and what becomes of it when the thread ends, with its process or alone.
 *
 * States   cold     no process: nobody has asked for anything for `IDLE_MS`
 *          running  a process, and its thread, with what it was given
 *          closed   the scope ended
 *
 * A thread that ends says what it had under way. That alone fails; whatever else it had been given is given to the next
 * one. Memory may have run out because of others, so there the same work is tried once more. A template that ended a
 * thread twice is set aside: a mailing to a million must not end a million threads. And the application that it is of
 * waits for a while before it has its next turn, so that the thread is there for the others most of the time.
 *
 * A process that ends without a word takes with it what is known of that. Then everything is given to one that is watched
 * closely, by which the second time is explained.
 */

type State =
  | { readonly _tag: "cold" }
  | { readonly _tag: "running"; readonly thread: RenderProcess; readonly told: Set<Template> }
  | { readonly _tag: "closed" }

/** A thread without work for so long ends. */
const IDLE_MS = 60_000
/** An application that ended a thread is given nothing for so long, and for twice as long each time that it does so again. */
const REST_MS = 500
const LONGEST_REST_MS = 3000
/** After so long without another end it is as if there had been none. */
const FORGIVEN_MS = 30_000
/** Ends of a thread that set a template aside. */
const STRIKES = 2
/** Characters of sources that a thread knows at once. */
const TOLD = 2_000_000
/** Characters of what it is given to fill them with, or to read, and has not answered yet; the rest waits here. */
const GIVEN = 8_000_000

/** A template that the thread is told of when it is to fill it. */
export class Template {
  readonly app: string
  readonly sources: ReadonlyArray<SourceText>
  readonly characters: number
  /** Why nobody gets it any more. */
  setAside: RenderProblem | null = null
  strikes = 0
  /** Works that are under way. */
  pending = 0
  id = 0
  constructor(app: string, sources: ReadonlyArray<SourceText>) {
    this.app = app
    this.sources = sources
    this.characters = sources.reduce((sum, { text }) => sum + text.length, 0)
  }
}

export type Filled =
  | {
      readonly _tag: "filled"
      readonly values: ReadonlyArray<string | RenderProblem>
      readonly count: number
      /** A recipient without values, and why. */
      readonly skipped: { readonly recipient: number; readonly problem: RenderProblem } | null
    }
  | { readonly _tag: "setAside"; readonly problem: RenderProblem }

type Read = Pick<ReadAnswer, "problems" | "isPersonal">

interface ReadWork {
  readonly _tag: "read"
  readonly app: string
  readonly sources: ReadonlyArray<SourceText>
  readonly done: (read: Read) => void
}

interface FillWork {
  readonly _tag: "fill"
  readonly template: Template
  readonly request: Pick<FillOrder, "isStrict" | "shared" | "scopes" | "kinds" | "kindOf">
  readonly done: (filled: Filled) => void
  skipped: { readonly recipient: number; readonly problem: RenderProblem } | null
}

export type Work = (ReadWork | FillWork) & {
  /** Nothing can be had: there is no thread. */
  readonly broken: (error: unknown) => void
  /** Memory ran out while this was under way, and that may have been because of others. */
  isSuspect?: boolean
  /** Gives back its room; null: it waits for some. */
  leave?: (() => void) | null
}

const tooMuch = (cause: EndCause): string =>
  cause === "memory" ? "needs too much memory" : cause === "time" ? "takes too long" : "breaks the template engine"

const appOf = (work: Work): string => (work._tag === "read" ? work.app : work.template.app)

const sizeOf = (work: Work): number =>
  work._tag === "read"
    ? work.sources.reduce((sum, { text }) => sum + text.length, 0)
    : work.request.shared.length + work.request.scopes.length

/** What there is of a work for a single recipient who was skipped. */
const nobodyBut = (skipped: FillWork["skipped"]): Filled => ({ _tag: "filled", values: [], count: 1, skipped })

export interface Loss {
  readonly app: string
  readonly cause: EndCause
  readonly field: string
}

export class Renderer {
  readonly #file: URL
  readonly #reserved: ReadonlyArray<string>
  readonly #onLoss: (loss: Loss) => void
  readonly #deadlineMs: number
  readonly #pending = new Map<number, Work>()
  readonly #given = new Room(GIVEN)
  /** Applications that ended a thread: when the last time was, and how long they rest from then on. */
  readonly #resting = new Map<string, { readonly at: number; readonly ms: number }>()
  #state: State = { _tag: "cold" }
  /** The last process was lost: the next is watched closely. */
  #isCareful = false
  #jobs = 0
  #templates = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    reserved: ReadonlyArray<string>,
    deadlineMs: number,
    onLoss: (loss: Loss) => void,
    file: URL = LIQUID_WORKER
  ) {
    this.#deadlineMs = deadlineMs
    this.#file = file
    this.#reserved = reserved
    this.#onLoss = onLoss
  }

  /** Answers how to take the work back. */
  add(work: Work): () => void {
    const job = ++this.#jobs
    this.#pending.set(job, work)
    if (work._tag === "fill") work.template.pending++
    work.leave = null
    const leave = this.#given.enter(appOf(work), sizeOf(work), (leave) => {
      if (!this.#pending.has(job)) return
      work.leave = leave
      this.#giveInTime(job, work)
    })
    return () => {
      if (!this.#take(job)) return
      leave()
      if (this.#state._tag === "running") this.#state.thread.post({ _tag: "drop", job })
      this.#rest()
    }
  }

  /** Whether there is a process. */
  get isWarm(): boolean {
    return this.#state._tag === "running"
  }

  async close(): Promise<void> {
    const state = this.#state
    this.#state = { _tag: "closed" }
    clearTimeout(this.#idle)
    this.#pending.clear()
    if (state._tag === "running") await state.thread.stop()
  }

  #running() {
    if (this.#state._tag !== "cold") return this.#state
    const thread: RenderProcess = new RenderProcess(
      this.#file,
      this.#reserved,
      this.#deadlineMs,
      this.#isCareful,
      (answer) => this.#answered(answer),
      (end) => this.#ended(end)
    )
    return (this.#state = { _tag: "running", thread, told: new Set() })
  }

  /** Now, or when its application has rested. */
  #giveInTime(job: number, work: Work): void {
    const app = appOf(work)
    const rest = this.#resting.get(app)
    const left = rest === undefined ? 0 : rest.at + rest.ms - performance.now()
    if (left <= 0) return this.#give(job, work)
    setTimeout(() => {
      if (this.#pending.has(job)) this.#giveInTime(job, work)
    }, left)
  }

  #give(job: number, work: Work): void {
    const state = this.#running()
    if (state._tag !== "running") return this.#take(job)?.broken(new Error("closed"))
    clearTimeout(this.#idle)
    const { thread, told } = state
    thread.busy()
    if (work._tag === "read") return thread.post({ _tag: "read", job, app: work.app, sources: work.sources })
    const { request, skipped, template } = work
    template.id ||= ++this.#templates
    const isNew = !told.has(template)
    const forget = isNew ? this.#forget(told, template) : []
    // Used last, forgotten last.
    told.delete(template)
    told.add(template)
    thread.post({
      _tag: "fill",
      job,
      app: template.app,
      template: template.id,
      sources: isNew ? template.sources : null,
      forget,
      skip: skipped?.recipient ?? -1,
      ...request
    })
  }

  /** Makes room for a template. One that is being filled stays. */
  #forget(told: Set<Template>, { characters }: Template): ReadonlyArray<number> {
    let room = TOLD - characters
    for (const one of told) room -= one.characters
    const forget: Array<number> = []
    for (const one of told) {
      if (room >= 0) break
      if (one.pending > 0) continue
      told.delete(one)
      room += one.characters
      forget.push(one.id)
    }
    return forget
  }

  /** What a thread was given. */
  #underway(): Array<[number, Work]> {
    return [...this.#pending].filter(([, { leave }]) => leave !== null)
  }

  #take(job: number): Work | undefined {
    const work = this.#pending.get(job)
    this.#pending.delete(job)
    if (work?._tag === "fill") work.template.pending--
    work?.leave?.()
    return work
  }

  #answered(answer: Answer): void {
    const work = this.#take(answer.job)
    if (work?._tag === "read" && answer._tag === "read") work.done(answer)
    if (work?._tag === "fill" && answer._tag === "fill") {
      work.done({ _tag: "filled", values: answer.values, count: answer.count, skipped: work.skipped })
    }
    this.#rest()
  }

  /** Without work the thread is kept for a while, and then no longer. */
  #rest(): void {
    if (this.#pending.size > 0 || this.#state._tag !== "running") return
    const { thread } = this.#state
    thread.idle()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      this.#state = { _tag: "cold" }
      this.#isCareful = false
      void thread.stop()
    }, IDLE_MS).unref()
  }

  #ended({ cause, error, hasWorked, isLost, underway }: RenderEnd): void {
    if (this.#state._tag === "closed") return
    this.#state = { _tag: "cold" }
    if (isLost) {
      this.#isCareful = true
      const given = this.#underway()
      for (const [job, work] of given) {
        // It was alone: nobody else took the memory.
        if (given.length === 1) work.isSuspect = true
        this.#giveInTime(job, work)
      }
      return
    }
    const blamed = underway === null ? undefined : this.#pending.get(underway.job)
    // A thread that broke before it did anything would only do so again.
    if (underway === null && !hasWorked) {
      const all = [...this.#pending.values()]
      this.#pending.clear()
      for (const work of all) {
        if (work._tag === "fill") work.template.pending--
        work.leave?.()
        work.broken(error)
      }
      return
    }
    if (underway !== null && blamed !== undefined) {
      if (cause === "memory" && blamed.isSuspect !== true) blamed.isSuspect = true
      else this.#blame(underway, blamed, cause)
    }
    // In the order in which they came, the one to blame last.
    const again = this.#underway().toSorted(([, a], [, b]) => Number(a === blamed) - Number(b === blamed))
    for (const [job, work] of again) this.#giveInTime(job, work)
  }

  #blame({ job, recipient, source }: { job: number; recipient: number; source: number }, work: Work, cause: EndCause) {
    const isReading = recipient === READING
    const { field } = work._tag === "read" ? work.sources[source]! : work.template.sources[source]!
    const app = appOf(work)
    this.#onLoss({ app, cause, field })
    const at = performance.now()
    for (const [other, rest] of this.#resting) if (at - rest.at >= FORGIVEN_MS) this.#resting.delete(other)
    const ms = Math.min((this.#resting.get(app)?.ms ?? REST_MS / 2) * 2, LONGEST_REST_MS)
    this.#resting.set(app, { at, ms })
    if (work._tag === "read") {
      this.#take(job)
      const message = `cannot be read as Liquid: it ${tooMuch(cause)}`
      return work.done({ problems: [{ source, line: 1, column: 1, message }], isPersonal: false })
    }
    const { template } = work
    const message = `${tooMuch(cause)}${isReading ? " to read" : ""}, and was ended`
    template.strikes += isReading ? STRIKES : 1
    work.skipped = { recipient, problem: { field, code: "template_failed", message } }
    if (template.strikes < STRIKES) {
      // Nobody else's is waited for, and all is known.
      if (work.request.kindOf.length === 1) {
        this.#take(job)
        work.done(nobodyBut(work.skipped))
      }
      return
    }
    const problem: RenderProblem = {
      field,
      code: "template_failed",
      message: `${message}; the template is set aside, because it did so ${isReading ? "when it was read" : "twice"}`
    }
    template.setAside = problem
    for (const [job, other] of this.#pending) {
      if (other._tag !== "fill" || other.template !== template) continue
      this.#take(job)
      other.done({ _tag: "setAside", problem })
    }
  }
}
