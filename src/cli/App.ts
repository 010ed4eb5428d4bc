import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { createApplication } from "../../services/engine/Applications.ts"
import { commands } from "../app.ts"

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(
      Flag.withDescription("The application's name"),
      Flag.withSchema(Schema.NonEmptyString.check(Schema.isMaxLength(120)))
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))
  },
  ({ json, name }) =>
    Effect.gen(function* () {
      const { appId, identitySecret, publicKey, secretKey } = yield* createApplication(name)
      const shown = { app_id: appId, secret_key: secretKey, public_key: publicKey, identity_secret: identitySecret }
      if (json) return yield* Console.log(JSON.stringify(shown))
      for (const [field, value] of Object.entries(shown)) yield* Console.log(`${field.padEnd(16)} ${value}`)
      yield* Console.log("The secrets are shown this once; only their hashes are kept.")
    }).pipe(Effect.provide(commands(process.env)))
).pipe(Command.withDescription("Create an application and print its keys, once"))

export const app = Command.make("app").pipe(Command.withDescription("Applications"), Command.withSubcommands([create]))
