import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { IDENTITY_OVERLAP_SECONDS } from "../../services/domain/Application.ts"
import { Name } from "../../services/domain/Text.ts"
import { AppId } from "../../services/domain/Ids.ts"
import { reissueIdentitySecret } from "../../services/engine/ApiKeys.ts"
import { createApplication } from "../../services/engine/Applications.ts"
import { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import { commands } from "../app.ts"
import { UNVERIFIED } from "../http/Application.ts"
import { asCommand } from "./Actor.ts"
import { UnusableInput } from "./Failure.ts"

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("The application's name"), Flag.withSchema(Name)),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false))
  },
  ({ json, name }) =>
    Effect.gen(function* () {
      const { appId, identitySecret, publicKey, secretKey } = yield* asCommand(createApplication(name))
      const shown = { app_id: appId, secret_key: secretKey, public_key: publicKey, identity_secret: identitySecret }
      if (json) return yield* Console.log(JSON.stringify(shown))
      for (const [field, value] of Object.entries(shown)) yield* Console.log(`${field.padEnd(16)} ${value}`)
      yield* Console.log("The secrets are shown this once; only their hashes are kept.")
    }).pipe(Effect.provide(commands(process.env)))
).pipe(Command.withDescription("Create an application and print its keys, once"))

const id = Flag.String("app").pipe(Flag.withDescription("The application's id"), Flag.withSchema(AppId))
const noApplication = (app: AppId) => new UnusableInput({ message: `There is no application ${app}.` })

const options = Command.make(
  "options",
  {
    app: id,
    name: Flag.String("name").pipe(Flag.withDescription("A new name"), Flag.withSchema(Name), Flag.optional),
    identityVerification: Flag.Literals("identity-verification", ["on", "off"]).pipe(
      Flag.withDescription("Whether public requests that claim a user_id need X-Identity-Hash"),
      Flag.optional
    )
  },
  ({ app, identityVerification, name }) =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const change = {
        ...(Option.isSome(name) ? { name: name.value } : {}),
        ...(Option.isSome(identityVerification) ? { identity_verification: identityVerification.value === "on" } : {})
      }
      const found =
        Object.keys(change).length === 0 ? yield* store.find(app) : yield* asCommand(store.update(app, change))
      if (Option.isNone(found)) return yield* noApplication(app)
      const { identityVerification: isOn } = found.value
      yield* Console.log(JSON.stringify({ app_id: app, name: found.value.name, identity_verification: isOn }))
      if (!isOn) yield* Console.error(`Warning: ${UNVERIFIED}`)
    }).pipe(Effect.provide(commands(process.env)))
).pipe(Command.withDescription("Show an application's options, or change those that are given"))

const identitySecret = Command.make(
  "identity-secret",
  {
    app: id,
    overlap: Flag.Int("overlap-seconds").pipe(
      Flag.withDescription("How long hashes made with the secret before this one stay good"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: IDENTITY_OVERLAP_SECONDS }))),
      Flag.withDefault(0)
    )
  },
  ({ app, overlap }) =>
    Effect.gen(function* () {
      const issued = yield* asCommand(reissueIdentitySecret(app, overlap * 1000))
      if (Option.isNone(issued)) return yield* noApplication(app)
      yield* Console.log(JSON.stringify({ app_id: app, identity_secret: issued.value.secret }))
    }).pipe(Effect.provide(commands(process.env)))
).pipe(Command.withDescription("Issue a new identity secret and print it, once"))

export const app = Command.make("app").pipe(
  Command.withDescription("Applications"),
  Command.withSubcommands([create, options, identitySecret])
)
