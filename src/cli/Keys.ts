import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { KeyKind } from "../../services/domain/access/Application.ts"
import { Name } from "../../services/domain/Text.ts"
import { ApiKeyId, AppId } from "../../services/domain/Ids.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { issueKey } from "../../services/engine/access/ApiKeys.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import { asCommand } from "./Actor.ts"
import { onDatabase } from "./Database.ts"
import { UnusableInput } from "./Failure.ts"
import { id, json, jsonAnyway, named } from "./Flags.ts"
import { printAll } from "./Listing.ts"

const app = id("app", AppId).pipe(Flag.withDescription("The application's id"))

const known = Effect.fnUntraced(function* (id: AppId) {
  const store = yield* ApplicationStore
  if (Option.isNone(yield* store.find(id)))
    return yield* new UnusableInput({ message: `There is no application ${id}.` })
  return store
})

const create = Command.make(
  "create",
  {
    app,
    kind: Flag.Literals("kind", KeyKind.literals).pipe(
      Flag.withDescription("secret: for servers; public: for apps and pages")
    ),
    name: named("name", Name).pipe(Flag.withDescription("What the key is for")),
    json: jsonAnyway
  },
  ({ app, kind, name }) =>
    Effect.gen(function* () {
      yield* known(app)
      const { info, key } = yield* asCommand(issueKey(app, { kind, name })).pipe(
        Effect.catchTag("TooManyKeys", ({ limit }) =>
          Effect.fail(new UnusableInput({ message: `The application has ${limit} keys already. Revoke one first.` }))
        )
      )
      yield* Console.log(JSON.stringify({ id: info.id, kind, name, key }))
      yield* Console.error("The key is shown this once; only its hash is kept.")
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Create an API key and print it, once"))

const list = Command.make("list", { app, json: jsonAnyway }, ({ app }) =>
  Effect.flatMap(known(app), (store) =>
    printAll(
      (after, limit) => store.keys(app, after, limit),
      ({ createdAt, hint, id, kind, lastUsedAt, name }) => ({
        id,
        kind,
        name,
        prefix: hint,
        created_at: isoTime(createdAt),
        last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt)
      })
    )
  ).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("List an application's API keys, one JSON object a line"))

const revoke = Command.make(
  "revoke",
  { app, id: id("id", ApiKeyId).pipe(Flag.withDescription("The key's id")), json },
  ({ app, id, json }) =>
    Effect.gen(function* () {
      const store = yield* known(app)
      const isRevoked = yield* asCommand(store.revokeKey(app, id)).pipe(
        Effect.catchTag("LastSecretKey", () =>
          Effect.fail(
            new UnusableInput({
              message: "This is the application's last secret key. Create its successor first, then revoke it."
            })
          )
        )
      )
      if (!isRevoked) return yield* new UnusableInput({ message: `The application has no key ${id}.` })
      yield* Console.log(
        json ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}. Within a second no node accepts it any more.`
      )
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Revoke an API key"))

export const keys = Command.make("key").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, revoke])
)
