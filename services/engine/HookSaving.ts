import { Effect, Schedule } from "effect"
import type { HookResults, HookStore } from "../ports/HookStore.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { UNWRITABLE } from "./Saving.ts"

/*
 * Writes what came of posts, whatever the database says. One that is away is asked again until it is back: what was
 * posted must not be posted again for it. One that refuses the results for what they say would refuse them for ever, and
 * the hook's actor would never go on: they are written without what others said, which is all that can be at fault.
 */

const untilWritten = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("2 seconds")])

type Finish = HookStore["Service"]["finish"]

/**
 * False when the work is another's by now; or when nothing at all can be written, so that it becomes another's when its
 * lease is over.
 */
export const writeHookResults = (finish: Finish, results: HookResults): Effect.Effect<boolean> =>
  Effect.catch(write(finish, results), (refusal) =>
    write(finish, bare(results)).pipe(
      Effect.tap((isOurs) =>
        isOurs
          ? Effect.logError("Webhook results were refused by the database, and are written without their log", refusal)
          : Effect.void
      ),
      Effect.catch((error) =>
        Effect.as(
          Effect.logError("The database refuses all webhook results of a piece of work; it is left", error),
          false
        )
      ),
      Effect.annotateLogs({ hook_id: results.hookId, work_id: results.workId })
    )
  )

/** Fails only when it is refused. */
const write = (finish: Finish, results: HookResults): Effect.Effect<boolean, StoreError> =>
  Effect.retry(finish(results), { schedule: untilWritten, while: ({ refused }) => refused !== true })

/** What became of each delivery, and nothing of what receivers and connections said. */
const bare = (results: HookResults): HookResults => ({
  ...results,
  tried: [],
  exhausted: results.exhausted.map(({ position }) => ({ position, error: UNWRITABLE })),
  streak: { ...results.streak, reason: results.streak.reason === null ? null : UNWRITABLE }
})
