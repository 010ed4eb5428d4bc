import type { LogLevel } from "effect"
import { Cause, Effect, Layer, Logger, Redactable, References } from "effect"
import type { Writable } from "node:stream"
import { Settings } from "../config/Settings.ts"
import { mask } from "./mask.ts"
import { saying } from "./saying.ts"

/** Where lines go, each with its line break. A terminal gets them for eyes, anything else one JSON object each. */
export interface LogSink {
  readonly isTerminal: boolean
  readonly write: (line: string) => void
}

interface Entry {
  readonly time: Date
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** What went wrong, in one line. */
  readonly reason: string | null
  /** The same with the stacks, where there are any to show. */
  readonly error: string | null
}

const LEVELS = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const satisfies Record<
  string,
  LogLevel.LogLevel
>

/** A value as JSON holds it. What cannot be written (a circle, a bigint) must not cost the line, or more. */
const plain = (value: unknown): unknown => {
  const shown = Redactable.redact(value)
  if (typeof shown === "bigint") return shown.toString()
  if (shown instanceof Error) return shown.message
  if (typeof shown !== "object" || shown === null) return shown
  try {
    return JSON.parse(JSON.stringify(shown, (_, inner: unknown) => nested(inner)))
  } catch {
    return String(shown)
  }
}

const nested = (value: unknown): unknown => {
  const shown = Redactable.redact(value)
  return typeof shown === "bigint" ? shown.toString() : shown instanceof Error ? shown.message : shown
}

const text = (value: unknown): string => {
  const shown = plain(value)
  return typeof shown === "string" ? shown : (JSON.stringify(shown) ?? String(shown))
}

const entryOf = (options: Logger.Options<unknown>): Entry => {
  const said: ReadonlyArray<unknown> = Array.isArray(options.message) ? options.message : [options.message]
  // An error may stand among the words, or come as the cause of a fiber's end.
  const errors = said.filter((value) => value instanceof Error)
  const causes = options.cause.reasons.map((reason) =>
    reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : new Error("interrupted")
  )
  const reason = [...errors, ...causes].map(saying).join("; ")
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options.fiber.getRef(References.CurrentLogAnnotations))) {
    fields[name] = plain(value)
  }
  for (const [label, started] of options.fiber.getRef(References.CurrentLogSpans)) {
    fields[`${label}_ms`] = options.date.getTime() - started
  }
  return {
    time: options.date,
    level: options.logLevel.toLowerCase(),
    message: said
      .filter((value) => !(value instanceof Error))
      .map(text)
      .join(" "),
    fields,
    reason: reason === "" ? null : reason,
    error: causes.length === 0 ? (reason === "" ? null : reason) : `${reason}\n${Cause.pretty(options.cause)}`
  }
}

/** Annotations stand behind the fixed names, which they cannot displace. */
const json = ({ error, fields, level, message, time }: Entry): string => {
  const fixed = { time: time.toISOString(), level, message, ...(error === null ? {} : { error }) }
  return mask(JSON.stringify(Object.assign({}, fixed, fields, fixed)))
}

const COLOURS: Readonly<Record<string, number>> = { fatal: 31, error: 31, warn: 33, info: 36, debug: 90, trace: 90 }

/** Control characters of customers' texts stay out of the operator's terminal. */
const visible = (line: string): string => line.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")

const pretty = ({ fields, level, message, reason, time }: Entry): string => {
  const colour = (code: number, part: string) => `\x1b[${code}m${part}\x1b[0m`
  const details = Object.entries(fields).map(([name, value]) => `${name}=${text(value)}`)
  // The stack is for the JSON logs, or LOG_LEVEL=debug.
  const rest = visible(mask([...details, ...(reason === null ? [] : [`(${reason})`])].join(" ")))
  return [
    colour(90, time.toISOString().slice(11, 23)),
    colour(COLOURS[level] ?? 0, level.padEnd(5)),
    visible(mask(message)),
    ...(rest === "" ? [] : [colour(90, rest)])
  ].join(" ")
}

/** Writes to a sink of one's own, from the level of the settings on. */
export const layerTo = (sink: LogSink): Layer.Layer<never, never, Settings> =>
  Layer.unwrap(
    Effect.map(Settings, (settings) => {
      const verbose = settings.logLevel === "debug"
      const logger = Logger.make<unknown, void>((options) => {
        const entry = entryOf(options)
        if (!sink.isTerminal) return sink.write(`${json(entry)}\n`)
        sink.write(`${pretty(entry)}\n`)
        if (verbose && entry.error !== null) sink.write(`${mask(entry.error)}\n`)
      })
      return Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, LEVELS[settings.logLevel]))
    })
  )

/** Bytes of lines that wait for a reader who stands still, at most: what comes then is lost. */
const MOST_UNREAD = 8 * 1024 * 1024

/** Writes to a stream as far as somebody reads. What becomes of one that breaks is for who opened it to say. */
export const sinkOf = (stream: Writable & { readonly isTTY?: boolean }): LogSink => ({
  isTerminal: stream.isTTY === true,
  write: (line) => {
    if (stream.writableLength < MOST_UNREAD) stream.write(line)
  }
})

/** Logs to stderr: standard output belongs to what commands print. */
export const layer: Layer.Layer<never, never, Settings> = layerTo(sinkOf(process.stderr))
