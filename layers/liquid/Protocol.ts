import type { RenderProblem } from "../../services/ports/messages/TemplateEngine.ts"

/*
 * What the service and its thread of templates say to each other; the process in which the thread stands passes it on.
 * The thread knows texts in Liquid and nothing else: no contents, no languages, no JSON whose texts are sources. It loads
 * the Liquid library alone, and is small.
 */

/** A text in Liquid: which part it stands in (`content.title`), and whether what it puts out is escaped as HTML. */
export interface SourceText {
  readonly field: string
  readonly text: string
  readonly isHtml: boolean
}

/** Reads sources, and says what is wrong with them. Nothing is kept. */
export interface ReadOrder {
  readonly _tag: "read"
  readonly job: number
  /** For whom: applications have turns, however much each of them has to do. */
  readonly app: string
  readonly sources: ReadonlyArray<SourceText>
}

/** Fills some of a template's sources for each of many recipients. */
export interface FillOrder {
  readonly _tag: "fill"
  readonly job: number
  readonly app: string
  readonly template: number
  /** Only while the thread does not know the template yet. */
  readonly sources: ReadonlyArray<SourceText> | null
  /** Templates that the thread need not know any longer. */
  readonly forget: ReadonlyArray<number>
  /** A variable that nobody gave is an error. */
  readonly isStrict: boolean
  /** JSON of the variables that all recipients share. */
  readonly shared: string
  /** JSON of what is each recipient's own, in a list. */
  readonly scopes: string
  /** For each kind of recipient, the sources that it gets, by their place in the template. */
  readonly kinds: ReadonlyArray<ReadonlyArray<number>>
  /** The kind of each recipient. */
  readonly kindOf: ReadonlyArray<number>
  /** A recipient to pass over: it ended the thread before. -1: none. */
  readonly skip: number
}

export type Order = ReadOrder | FillOrder | { readonly _tag: "drop"; readonly job: number }

/** What is wrong with a source, by its place among those that were read. */
export interface TextProblem {
  readonly source: number
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface ReadAnswer {
  readonly _tag: "read"
  readonly job: number
  readonly problems: ReadonlyArray<TextProblem>
  /** Whether a source asks for something of the recipient. */
  readonly isPersonal: boolean
}

export interface FillAnswer {
  readonly _tag: "fill"
  readonly job: number
  /** For each recipient the texts of its kind, one after the other; a problem stands for all of a recipient's texts. */
  readonly values: ReadonlyArray<string | RenderProblem>
  /** Recipients that were filled: the first ones, as many as the answer has room for. */
  readonly count: number
}

export type Answer = ReadAnswer | FillAnswer

/** What the thread tells through shared memory of what it has under way, for whoever has to end it. */
export const NOTES = { job: 0, recipient: 1, source: 2, turn: 3 } as const
export const NOTES_BYTES = 16
/** In place of a recipient: the sources are being read. */
export const READING = -1

/** What a thread is given when it starts. */
export interface ThreadData {
  readonly notes: SharedArrayBuffer
  /** A file descriptor to which the notes are written as well, whenever they change; null: nobody reads them. */
  readonly notesTo: number | null
  /** Names of variables that are the recipient's own. */
  readonly reserved: ReadonlyArray<string>
  /** Milliseconds of computing that reading all sources of one template may take. */
  readonly readingMs: number
}

/** What the thread had under way. */
export interface Underway {
  readonly job: number
  readonly recipient: number
  readonly source: number
}

/** Why it ended: it was ended because it took too long, it had no memory left, or it broke. */
export type EndCause = "time" | "memory" | "fault"

/** How a thread ended. */
export interface ThreadEnd {
  readonly cause: EndCause
  /** Null: nothing. */
  readonly underway: Underway | null
  /** Whether it has ever answered. */
  readonly hasWorked: boolean
  readonly error: unknown
}

/** How a thread ended, with or without its process. */
export interface RenderEnd extends ThreadEnd {
  /** The process is gone, and what it had under way is not known. One that is watched closely would have said so. */
  readonly isLost: boolean
}

/** What the process of a thread is given when it starts, as JSON. */
export interface ProcessData extends Pick<ThreadData, "notesTo" | "reserved"> {
  /** What the thread runs. */
  readonly file: string
  readonly deadlineMs: number
}

export type ToProcess = Order | { readonly _tag: "idle" } | { readonly _tag: "ask" }

export type FromProcess =
  /** An answer of the thread, serialized. */
  | Uint8Array
  /** The answer to "ask". */
  | { readonly _tag: "here" }
  /** The last that is said. */
  | { readonly _tag: "ended"; readonly end: Omit<ThreadEnd, "error">; readonly message: string | null }
