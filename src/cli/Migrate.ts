import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrations } from "../app.ts"
import { json } from "./Flags.ts"

export const migrate = Command.make("migrate", { json }, ({ json }) =>
  Effect.gen(function* () {
    const applied = yield* migrations(process.env)
    if (json) return yield* Console.log(JSON.stringify({ applied }))
    yield* Console.log(
      applied.length === 0
        ? "The database is up to date."
        : applied.map((migration) => `Applied ${migration}`).join("\n")
    )
  })
).pipe(Command.withDescription("Bring the database's schema up to date; safe to run from several nodes at once"))
