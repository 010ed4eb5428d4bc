import { Cause, Console, Effect, Exit, Runtime, Schema } from "effect"

/** What was given on the command line cannot be used. */
export class UnusableInput extends Schema.TaggedError<UnusableInput>()("UnusableInput", {
  message: Schema.String
}) {}

/**
 * What to tell of an error. Empty for a command line that was not understood: its help has been shown with what was
 * wrong. An error that only wraps another (a server that cannot listen) tells of that one.
 */
const messageOf = (error: unknown): string => {
  if ((error as { readonly _tag?: string })._tag === "ShowHelp") return ""
  if (!(error instanceof Error)) return String(error)
  if (error.message !== "") return error.message
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

let isTerminated = false

/** SIGTERM asks for an orderly end: a process that drained has done what it was told, and exits with 0. */
process.once("SIGTERM", () => {
  isTerminated = true
})

export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (isTerminated && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) onExit(0)
  else Runtime.defaultTeardown(exit, onExit)
}
