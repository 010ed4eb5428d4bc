import { Console, Effect, Layer } from "effect"
import type { Environment } from "../app.ts"
import { commands, isBegun, settingsIn } from "../app.ts"
import { UnusableInput } from "./Failure.ts"

/*
 * The database that a command works on. Without DATABASE_URL it is the one in DATA_DIR, and a command that is run in
 * another folder than the service, or without its DATA_DIR, looks where there is none.
 */

/** For commands that read or change what is there: where there is nothing, they make nothing. */
export const onDatabase = (env: Environment) =>
  Layer.unwrap(
    Effect.flatMap(settingsIn(env), (settings) =>
      isBegun(settings)
        ? Effect.succeed(commands(env))
        : Effect.fail(
            new UnusableInput({
              message: `There is no database in ${settings.dataDir}. Give the service's own settings, DATA_DIR or DATABASE_URL; the first \`npm start\` makes a database.`
            })
          )
    )
  )

/** For commands that a service may begin with: they make the database, and say so. */
export const onNewDatabase = (env: Environment) =>
  Layer.unwrap(
    Effect.map(settingsIn(env), (settings) =>
      isBegun(settings)
        ? commands(env)
        : Layer.tap(commands(env), () => Console.error(`Made a new database in ${settings.dataDir}.`))
    )
  )
