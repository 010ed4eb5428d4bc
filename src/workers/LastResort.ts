import { Effect, Layer } from "effect"

/** What a stop may take beyond the drain before it is forced: the rest is left to leases, as after a crash. */
const LAST_RESORT_MS = 5_000

/**
 * A stop that gets stuck, because the database does not answer any more for example, ends all the same. `begin` runs at
 * the signal.
 */
export const lastResort = (drainMs: number, begin: () => void): Layer.Layer<never> =>
  Layer.effectDiscard(
    Effect.acquireRelease(
      Effect.sync(() => {
        const force = () => {
          begin()
          setTimeout(() => {
            process.stderr.write("The stop took too long and is forced; what was under way is taken over by lease.\n")
            process.exit(1)
          }, drainMs + LAST_RESORT_MS).unref()
        }
        process.once("SIGTERM", force)
        process.once("SIGINT", force)
        return force
      }),
      // Only the listeners go with the scope: a timer that runs has to outlive the scope's own end.
      (force) => Effect.sync(() => process.off("SIGTERM", force).off("SIGINT", force))
    )
  )
