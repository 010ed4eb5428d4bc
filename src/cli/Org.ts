import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { OrganizationId } from "../../services/domain/Ids.ts"
import type { Account } from "../../services/domain/people/Account.ts"
import { ROLES } from "../../services/domain/people/Role.ts"
import { Name } from "../../services/domain/Text.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { organizationNameIn } from "../../services/engine/people/Fields.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import { OrganizationStore } from "../../services/ports/people/OrganizationStore.ts"
import { settingsIn } from "../app.ts"
import { asCommand } from "./Actor.ts"
import { onDatabase } from "./Database.ts"
import { UnusableInput } from "./Failure.ts"
import { commandLine } from "./FirstStart.ts"
import { id, json, jsonAnyway, named } from "./Flags.ts"
import { printAll } from "./Listing.ts"
import { accountWith, email } from "./User.ts"

/** The account with an address, or words that say how there comes to be one. */
const accountToBe = Effect.fnUntraced(function* (email: Account["email"]) {
  const cli = commandLine(yield* settingsIn(process.env))
  return yield* accountWith(email, ` It is made by signing in, with a code: ${cli} user login-code --email ${email}`)
})

const list = Command.make("list", { json: jsonAnyway }, () =>
  Effect.flatMap(OrganizationStore, (store) =>
    printAll(store.all, ({ applications, createdAt, id, members, name, plan }) => ({
      id,
      name,
      plan,
      members,
      applications,
      created_at: isoTime(createdAt)
    }))
  ).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("List all organizations, one JSON object a line"))

const create = Command.make(
  "create",
  {
    name: named("name", Name).pipe(Flag.withDescription("The organization's name")),
    email: email.pipe(Flag.withDescription("Whose account owns it; it has to have signed in before")),
    json
  },
  ({ email, json, name }) =>
    Effect.gen(function* () {
      const account = yield* accountToBe(email)
      const store = yield* OrganizationStore
      yield* Effect.mapError(
        organizationNameIn(name),
        ({ message }) => new UnusableInput({ message: `--name ${message}.` })
      )
      const { id: org } = yield* asCommand(
        store.create(account.id, { id: uuidv7() as OrganizationId, name, onlyOwners: false })
      ).pipe(
        Effect.catchTag("TooManyOfThem", ({ limit }) =>
          Effect.fail(new UnusableInput({ message: `${email} is in ${limit} organizations, and may be in no more.` }))
        )
      )
      yield* Console.log(json ? JSON.stringify({ org, name, email }) : `${email} owns ${org}.`)
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Make an organization for an account, also where registration is by invitation"))

const enrol = Command.make(
  "enrol",
  {
    org: id("org", OrganizationId).pipe(Flag.withDescription("The organization's id")),
    email: email.pipe(Flag.withDescription("Whose account; it has to have signed in before")),
    role: Flag.Literals("role", ROLES).pipe(Flag.withDescription("What they are there from now on")),
    json
  },
  ({ email, json, org, role }) =>
    Effect.gen(function* () {
      const account = yield* accountToBe(email)
      const store = yield* OrganizationStore
      yield* asCommand(store.enrol(org, account.id, role)).pipe(
        Effect.catchTags({
          NotThere: () => Effect.fail(new UnusableInput({ message: `There is no organization ${org}.` })),
          TransferOwnershipFirst: () =>
            Effect.fail(
              new UnusableInput({ message: `${email} is the last owner. Make somebody else an owner first.` })
            )
        })
      )
      yield* Console.log(json ? JSON.stringify({ org, email, role }) : `${email} is ${role} of ${org}.`)
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Make an account a member of an organization, such as the one of the first start"))

export const org = Command.make("org").pipe(
  Command.withDescription("Organizations"),
  Command.withSubcommands([list, create, enrol])
)
