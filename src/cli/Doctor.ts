import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { diagnose } from "./Diagnosis.ts"
import { json } from "./Flags.ts"

/** Something that the service needs is not as it should be; the lines above say what. */
export class NotWell extends Schema.TaggedError<NotWell>()("NotWell", { message: Schema.String }) {}

export const doctor = Command.make("doctor", { json }, ({ json }) =>
  Effect.gen(function* () {
    const findings = yield* diagnose(process.env)
    if (json) yield* Console.log(JSON.stringify({ findings }))
    else {
      for (const { check, isOk, isWarning, message } of findings) {
        yield* Console.log(`${isWarning ? "WARN" : isOk ? "ok  " : "FAIL"}  ${check.padEnd(24)} ${message}`)
      }
    }
    const failed = findings.filter(({ isOk }) => !isOk).length
    if (failed > 0) return yield* new NotWell({ message: `${failed} of ${findings.length} checks failed.` })
  })
).pipe(Command.withDescription("Check the settings, the database, the queue and the provider credentials"))
