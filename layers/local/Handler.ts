import { Effect, Exit } from "effect"
import type { Job } from "../../services/domain/operations/Job.ts"
import { aboutJob } from "../../services/domain/operations/Job.ts"
import type { Start } from "./Topics.ts"

/** Runs a subscriber's handler for each job that is started; what fails is logged and told. */
export const starting = <E>(handler: (job: Job) => Effect.Effect<void, E>): Effect.Effect<Start> =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runForkWith(context)
    return (job, end) => {
      // A defect in the handler's own making is a failure of the job too.
      run(
        Effect.suspend(() => handler(job)).pipe(
          Effect.tapCause((cause) =>
            Effect.logWarning("A job failed and will be delivered again", cause).pipe(
              Effect.annotateLogs(aboutJob(job))
            )
          )
        )
      ).addObserver((exit) => end(Exit.isSuccess(exit)))
    }
  })
