import { Cause, Console, Effect } from "effect"

/** Empty for a command line that was not understood: its help has been shown with what was wrong. */
const messageOf = (error: unknown): string => {
  if ((error as { readonly _tag?: string })._tag === "ShowHelp") return ""
  return error instanceof Error && error.message !== "" ? error.message : String(error)
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
