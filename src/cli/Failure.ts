import { Cause, Console, Effect, Exit, Runtime, Schema } from "effect"
import { unwritable } from "../app.ts"

/** What was given on the command line cannot be used. */
export class UnusableInput extends Schema.TaggedError<UnusableInput>()("UnusableInput", {
  message: Schema.String
}) {}

/** What is behind an error of a library that says no more than that something failed. */
const behind = (error: Error): string => {
  const { reason } = error as { readonly reason?: { readonly cause?: unknown } }
  const cause = reason?.cause ?? error.cause
  return cause instanceof Error && cause.message !== "" && !error.message.includes(cause.message)
    ? `${error.message}: ${cause.message}`
    : error.message
}

/**
 * What to tell of an error. Empty for a command line that was not understood: its help has been shown with what was
 * wrong. An error that only wraps another (a server that cannot listen) tells of that one.
 */
const messageOf = (error: unknown): string => {
  if ((error as { readonly _tag?: string })._tag === "ShowHelp") return ""
  if (!(error instanceof Error)) return String(error)
  const why = unwritable(error)
  if (why !== null) return `The database takes no writes: ${why}. \`doctor\` says which database that is.`
  if (error.message !== "") return behind(error)
  return error.cause === undefined ? String(error) : messageOf(error.cause)
}

/**
 * How a command ends that could not do its work: a failure says in plain words what is wrong, a defect (which nobody
 * could foresee) shows where. The exit code tells of either.
 */
export const reportFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const lines = cause.reasons.map((reason) => {
      if (reason._tag === "Fail") return messageOf(reason.error)
      return reason._tag === "Die" ? Cause.pretty(Cause.die(reason.defect)) : ""
    })
    const text = lines.filter((line) => line !== "").join("\n")
    return text === "" ? Effect.void : Console.error(text)
  })

/** What a write fails with where whoever reads the output ended first (`| head`, Ctrl-C of `| tee`). */
const READER_GONE: ReadonlyArray<string | undefined> = ["EPIPE", "ECONNRESET"]

/** Why output is lost that somebody may still be waiting for. */
let lost: Error | undefined
const noteLost = (error: NodeJS.ErrnoException) => {
  if (!READER_GONE.includes(error.code)) lost ??= error
}

// No error of a log is a reason for a service to end in the middle of its work, and none to show a stack trace.
process.stderr.on("error", () => {})
process.stdout.on("error", noteLost)

let isOrderly = false

/** For commands that run until they are told to stop: SIGTERM is their ordinary end, and they exit with 0. */
export const untilStopped = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    isOrderly = true
    return work
  })

let isTerminated = false
const terminated = () => {
  isTerminated = true
}
process.once("SIGTERM", terminated)

/** What shells call the end by a signal: 128 and its number. */
const SIGTERM_CODE = 143

const codeOf = (exit: Exit.Exit<unknown, unknown>): Promise<number> => {
  // What fails because its surroundings are stopped as well is no failure of its own.
  if (isTerminated && Exit.isFailure(exit) && !isOrderly) return Promise.resolve(SIGTERM_CODE)
  if (isTerminated && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return Promise.resolve(0)
  return new Promise((resolve) => Runtime.defaultTeardown(exit, resolve))
}

/** How long a service waits for somebody to read the last lines of its log. */
const LAST_LINES_MS = 1000

const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    // Whoever reads what a command prints may be slow; a service that has come to its end waits for nobody.
    if (isOrderly) setTimeout(resolve, LAST_LINES_MS)
    // A reader that is gone has read all that it will.
    stream.on("error", () => resolve())
    // What was written just before may have failed, and its event comes later.
    const end = (error: Error | null | undefined) => {
      if (error && stream === process.stdout) noteLost(error)
      resolve()
    }
    if (stream.writable) stream.write("", end)
    else end(stream.errored)
  })

/**
 * Ends the process as soon as its command has ended and its output is written: no timer, socket or thread that somebody
 * forgot keeps it. A signal that comes now ends it at once.
 */
export const teardown: Runtime.Teardown = (exit) => {
  process.off("SIGTERM", terminated)
  void codeOf(exit).then(async (code) => {
    await written(process.stdout)
    // A key that nobody has got is no success. A service prints no more than its log.
    const isLost = lost !== undefined && code === 0 && !isOrderly
    if (isLost) {
      process.stderr.write(
        `The output could not be written and is not whole: ${lost?.message}. What the command did is done.\n`
      )
    }
    await written(process.stderr)
    process.exit(isLost ? 1 : code)
  })
}
