import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { IDENTITY_OVERLAP_SECONDS } from "../../services/domain/access/Application.ts"
import { Name } from "../../services/domain/Text.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { AppId } from "../../services/domain/Ids.ts"
import { reissueIdentitySecret } from "../../services/engine/access/ApiKeys.ts"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { UNVERIFIED } from "../http/endpoints/Application.ts"
import { asCommand } from "./Actor.ts"
import { onDatabase, onNewDatabase } from "./Database.ts"
import { UnusableInput } from "./Failure.ts"
import { id, json, jsonAnyway, named, wholeNumber } from "./Flags.ts"
import { printAll } from "./Listing.ts"

const create = Command.make(
  "create",
  {
    name: named("name", Name).pipe(Flag.withDescription("The application's name")),
    json
  },
  ({ json, name }) =>
    Effect.gen(function* () {
      const { appId, identitySecret, publicKey, secretKey } = yield* asCommand(createApplication(name))
      const shown = { app_id: appId, secret_key: secretKey, public_key: publicKey, identity_secret: identitySecret }
      if (json) return yield* Console.log(JSON.stringify(shown))
      for (const [field, value] of Object.entries(shown)) yield* Console.log(`${field.padEnd(16)} ${value}`)
      yield* Console.log("The secrets are shown this once; only their hashes are kept.")
    }).pipe(Effect.provide(onNewDatabase(process.env)))
).pipe(Command.withDescription("Create an application and print its keys, once"))

const list = Command.make("list", { json: jsonAnyway }, () =>
  Effect.flatMap(ApplicationStore, (store) =>
    printAll(store.all, ({ createdAt, id, identityVerification, name, organizationId }) => ({
      app_id: id,
      name,
      org: organizationId,
      identity_verification: identityVerification,
      created_at: isoTime(createdAt)
    }))
  ).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("List all applications, one JSON object a line"))

const appId = id("app", AppId).pipe(Flag.withDescription("The application's id"))
const noApplication = (app: AppId) => new UnusableInput({ message: `There is no application ${app}.` })

const options = Command.make(
  "options",
  {
    app: appId,
    name: named("name", Name).pipe(Flag.withDescription("A new name"), Flag.optional),
    identityVerification: Flag.Literals("identity-verification", ["on", "off"]).pipe(
      Flag.withDescription("Whether public requests that claim a user_id need X-Identity-Hash"),
      Flag.optional
    ),
    json: jsonAnyway
  },
  ({ app, identityVerification, name }) =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const change = {
        ...(Option.isSome(name) ? { name: name.value } : {}),
        ...(Option.isSome(identityVerification) ? { identity_verification: identityVerification.value === "on" } : {})
      }
      const known = yield* store.find(app)
      const found =
        Option.isNone(known) || Object.keys(change).length === 0 ? known : yield* asCommand(store.update(app, change))
      if (Option.isNone(found)) return yield* noApplication(app)
      const { identityVerification: isOn } = found.value
      yield* Console.log(JSON.stringify({ app_id: app, name: found.value.name, identity_verification: isOn }))
      if (!isOn) yield* Console.error(`Warning: ${UNVERIFIED}`)
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Show an application's options, or change those that are given"))

const identitySecret = Command.make(
  "identity-secret",
  {
    app: appId,
    overlap: wholeNumber("overlap-seconds", { minimum: 0, maximum: IDENTITY_OVERLAP_SECONDS }).pipe(
      Flag.withDescription("How long hashes made with the secret before this one stay good"),
      Flag.withDefault(0)
    ),
    json: jsonAnyway
  },
  ({ app, overlap }) =>
    Effect.gen(function* () {
      if (Option.isNone(yield* (yield* ApplicationStore).find(app))) return yield* noApplication(app)
      const issued = yield* asCommand(reissueIdentitySecret(app, overlap * 1000))
      if (Option.isNone(issued)) return yield* noApplication(app)
      yield* Console.log(JSON.stringify({ app_id: app, identity_secret: issued.value.secret }))
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Issue a new identity secret and print it, once"))

const remove = Command.make(
  "delete",
  {
    app: appId,
    name: named("name", Name).pipe(
      Flag.withDescription("The application's name as it is: no slip of an id deletes another")
    ),
    json
  },
  ({ app, json, name }) =>
    Effect.gen(function* () {
      const found = yield* (yield* ApplicationStore).find(app)
      if (Option.isNone(found)) return yield* noApplication(app)
      if (found.value.name !== name) {
        return yield* new UnusableInput({
          message: `The application ${app} is called ${JSON.stringify(found.value.name)}: --name has to say so. Nothing was deleted.`
        })
      }
      yield* asCommand((yield* OrganizationStore).removeApplication(null, app)).pipe(
        Effect.catchTags({ NotThere: () => noApplication(app), NotAllowed: Effect.die })
      )
      yield* Console.log(
        json
          ? JSON.stringify({ app_id: app, deleted: true })
          : `Deleted ${app}. Within a second no node accepts its keys; what it holds is removed by nodes with the role api.`
      )
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Delete an application with all that it holds; nothing brings it back"))

export const app = Command.make("app").pipe(
  Command.withDescription("Applications"),
  Command.withSubcommands([create, list, options, identitySecret, remove])
)
