import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrations } from "../app.ts"

export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const applied = yield* migrations(process.env)
    yield* Console.log(
      applied.length === 0
        ? "The database is up to date."
        : applied.map((migration) => `Applied ${migration}`).join("\n")
    )
  })
).pipe(Command.withDescription("Bring the database's schema up to date; safe to run from several nodes at once"))
