import { writeSync } from "node:fs"
import { serialize } from "node:v8"
import { parentPort, workerData } from "node:worker_threads"
import type { RenderProblem } from "../../services/ports/messages/TemplateEngine.ts"
import { computedMs, Limits } from "./Limits.ts"
import type { Answer, FillOrder, Order, ReadOrder, SourceText, TextProblem, ThreadData } from "./Protocol.ts"
import { NOTES, READING } from "./Protocol.ts"
import type { Source } from "./Source.ts"
import { compileSource, RenderFailure, SourceFailure } from "./Source.ts"

/*
 * What the thread of RenderThread.ts runs. Of the applications that wait the next turn is that one's which has had the least
 * time, and the templates of an application take its turns: one that takes long for each recipient of a mailing delays the
 * others by one turn, not by its mailing; and whoever has a thousand texts to be read has no more turns than who has one.
 * By time and not by the number of turns: who has thirty applications that are dear would have thirty turns between two of
 * somebody's with one that is cheap.
 */

/** How long a template's turn is, at least one recipient long. */
const TURN_MS = 10
/** Characters that one answer carries, unless a single recipient has more. */
const ANSWER = 2_000_000
/** The same of all answers that are not complete. Beyond, each says in its turn what it has. */
const UNSAID = 4 * ANSWER

const { notes: shared, notesTo, readingMs, reserved } = workerData as ThreadData
const notes = new Int32Array(shared)
const port = parentPort!

/** For a reader in another process, who looks at them when this one is no more. */
const writeNotes = (): void => {
  if (notesTo !== null) writeSync(notesTo, new Uint8Array(new Int32Array(notes).buffer))
}

const note = (job: number, recipient: number): void => {
  notes[NOTES.source] = 0
  notes[NOTES.recipient] = recipient
  notes[NOTES.job] = job
  // Last: whoever sees a new turn sees what it is about.
  Atomics.add(notes, NOTES.turn, 1)
  writeNotes()
}

const noteSource = (source: number): void => {
  notes[NOTES.source] = source
  writeNotes()
}

/** As bytes, which the process passes on as they are: to read and write them once more costs a tenth of the filling. */
const answer = (message: Answer): void => {
  const bytes = serialize(message)
  port.postMessage(bytes, [bytes.buffer as ArrayBuffer])
}

/** Something to do, in turns. Answers whether it is done. */
interface Task {
  readonly job: number
  readonly app: string
  readonly turn: () => boolean
  /** Nobody waits for it any more. */
  readonly dropped?: () => void
}

/** Reads sources one after the other, as many as fit into the turn. Answers where to go on. */
const compileSome = (
  job: number,
  texts: ReadonlyArray<SourceText>,
  at: number,
  compileOne: (text: SourceText, source: number) => void
): number => {
  const end = performance.now() + TURN_MS
  let source = at
  while (source < texts.length && (source === at || performance.now() < end)) {
    note(job, READING)
    noteSource(source)
    compileOne(texts[source]!, source)
    source++
  }
  return source
}

const reading = ({ app, job, sources }: ReadOrder): Task => {
  const problems: Array<TextProblem> = []
  let isPersonal = false
  let at = 0
  let computed = 0

  const readOne = (text: SourceText, source: number): void => {
    const before = computedMs()
    try {
      if (compileSource(text, reserved).isPersonal) isPersonal = true
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error
      problems.push({ source, line: error.line, column: error.column, message: error.message })
    }
    computed += computedMs() - before
  }

  const turn = (): boolean => {
    at = compileSome(job, sources, at, readOne)
    if (at < sources.length && computed < readingMs) return false
    if (at < sources.length) {
      const message = "cannot be read as Liquid: with the parts before it, it takes too long"
      problems.push({ source: at, line: 1, column: 1, message })
    }
    answer({ _tag: "read", job, problems, isPersonal })
    return true
  }
  return { job, app, turn }
}

interface Known {
  readonly texts: ReadonlyArray<SourceText>
  readonly compiled: Array<Source>
}

/** Templates that this thread has been told of, until it is told to forget them. */
const known = new Map<number, Known>()

/** What an order is filled with, read. */
interface Values {
  readonly shared: object
  readonly scopes: ReadonlyArray<object>
}

/**
 * Characters of JSON that stay read between turns, beside those of the task whose turn it is. Many small pieces take twenty
 * times as much memory read as they have characters, and hundreds of tasks may wait: others are read again in their turn.
 */
const STAY_READ = 1_000_000
const stayRead = new Map<FillOrder, Values>()
let charactersRead = 0

const sizeOf = ({ scopes, shared }: FillOrder): number => scopes.length + shared.length

/** Characters of answers that are not said yet. */
let unsaid = 0

const forgetValues = (order: FillOrder): void => {
  if (stayRead.delete(order)) charactersRead -= sizeOf(order)
}

const valuesOf = (order: FillOrder): Values => {
  const known = stayRead.get(order)
  if (known !== undefined) return known
  for (const other of stayRead.keys()) {
    if (charactersRead + sizeOf(order) <= STAY_READ) break
    forgetValues(other)
  }
  const values = { shared: JSON.parse(order.shared), scopes: JSON.parse(order.scopes) } as Values
  stayRead.set(order, values)
  charactersRead += sizeOf(order)
  return values
}

const filling = (order: FillOrder): Task => {
  const { app, isStrict, job, kindOf, kinds, skip, template } = order
  const values: Array<string | RenderProblem> = []
  let characters = 0
  let next = 0

  /** A recipient's texts, or why there are none. */
  const fillOne = (index: number, sources: ReadonlyArray<Source>, { scopes, shared }: Values): void => {
    const limits = new Limits()
    const scope = { ...shared, ...scopes[index] }
    const before = values.length
    for (const source of kinds[kindOf[index]!]!) {
      noteSource(source)
      try {
        const text = sources[source]!.render(scope, isStrict, limits)
        characters += text.length
        unsaid += text.length
        values.push(text)
      } catch (error) {
        if (!(error instanceof RenderFailure)) throw error
        values.length = before
        values.push({ field: error.field, code: error.code, message: error.message })
        return
      }
    }
  }

  const hasMore = (): boolean => next < kindOf.length && characters < ANSWER

  const turn = (): boolean => {
    const one = known.get(template)!
    if (one.compiled.length < one.texts.length) {
      // They were read before, and nothing was wrong with them.
      compileSome(job, one.texts, one.compiled.length, (text) => one.compiled.push(compileSource(text, null)))
      return false
    }
    note(job, next)
    const given = valuesOf(order)
    const end = performance.now() + TURN_MS
    do {
      const index = next++
      if (index === skip) continue
      note(job, index)
      fillOne(index, one.compiled, given)
    } while (hasMore() && performance.now() < end)
    if (hasMore() && unsaid < UNSAID) return false
    forget()
    answer({ _tag: "fill", job, values, count: next })
    return true
  }
  const forget = () => {
    unsaid -= characters
    forgetValues(order)
  }
  return { job, app, turn, dropped: forget }
}

/** Tasks that wait: of applications as they came, the templates of each in the order in which they have a turn. */
const waiting = new Map<string, Map<number | string, Array<Task>>>()
/**
 * Milliseconds that each application has had, and where those began that had none: with what the one had whose turn it was.
 * Who was away brings nothing along, and owes what is still ahead of everybody else.
 */
const had = new Map<string, number>()
let reached = 0
/** Applications that are away and remembered, at most; those that owe nothing are forgotten first. */
const REMEMBERED = 1000
let isTurning = false

const leastServed = (): string | undefined => {
  let [least, app]: [number, string | undefined] = [Infinity, undefined]
  for (const one of waiting.keys()) {
    const time = had.get(one)!
    if (time < least) [least, app] = [time, one]
  }
  return app
}

const forgetAway = (): void => {
  if (had.size <= waiting.size + REMEMBERED) return
  for (const [app, time] of had) if (time <= reached && !waiting.has(app)) had.delete(app)
}

const next = (): void => {
  const app = leastServed()
  if (app === undefined) {
    had.clear()
    reached = 0
    isTurning = false
    return
  }
  const lines = waiting.get(app)!
  const [[key, line]] = lines as unknown as [[number | string, Array<Task>]]
  waiting.delete(app)
  lines.delete(key)
  reached = had.get(app)!
  const began = performance.now()
  if (line[0]!.turn()) line.shift()
  had.set(app, reached + performance.now() - began)
  if (line.length > 0) lines.set(key, line)
  if (lines.size > 0) waiting.set(app, lines)
  else forgetAway()
  note(0, READING)
  setImmediate(next)
}

const add = (key: number | string, task: Task): void => {
  let lines = waiting.get(task.app)
  if (lines === undefined) {
    lines = new Map()
    waiting.set(task.app, lines)
    had.set(task.app, Math.max(reached, had.get(task.app) ?? 0))
  }
  const line = lines.get(key)
  if (line === undefined) lines.set(key, [task])
  else line.push(task)
  if (isTurning) return
  isTurning = true
  setImmediate(next)
}

const drop = (job: number): void => {
  for (const [app, lines] of waiting) {
    for (const [key, line] of lines) {
      const at = line.findIndex((task) => task.job === job)
      if (at < 0) continue
      line.splice(at, 1)[0]!.dropped?.()
      if (line.length === 0) lines.delete(key)
      if (lines.size === 0) waiting.delete(app)
      return
    }
  }
}

port.on("message", (order: Order) => {
  switch (order._tag) {
    case "drop":
      return drop(order.job)
    case "read":
      return add(`read ${order.job}`, reading(order))
    case "fill":
      for (const template of order.forget) known.delete(template)
      if (order.sources !== null) known.set(order.template, { texts: order.sources, compiled: [] })
      return add(order.template, filling(order))
  }
})
