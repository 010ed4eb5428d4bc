import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { Account } from "../../services/domain/people/Account.ts"
import { accountAddress, NO_ADDRESS } from "../../services/domain/people/AccountAddress.ts"
import { CODE_LIFETIME_MS } from "../../services/domain/people/SignInCode.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { AccountStore } from "../../services/ports/people/AccountStore.ts"
import { asCommand } from "./Actor.ts"
import { onDatabase } from "./Database.ts"
import { UnusableInput } from "./Failure.ts"
import { fitting, json, jsonAnyway } from "./Flags.ts"
import { printAll } from "./Listing.ts"

const Address = Schema.String.check(Schema.makeFilter((text: string) => accountAddress(text) !== null))

/** An address that an account can have, in the form in which it is kept. */
export const email = fitting("email", Address, NO_ADDRESS.replace(/^must be /, "")).pipe(
  Flag.map((text) => accountAddress(text)!),
  Flag.withMetavar("address")
)

/** The account with an address, or words that say that there is none, and `advice`. */
export const accountWith = Effect.fnUntraced(function* (address: Account["email"], advice = "") {
  const store = yield* AccountStore
  const found = yield* store.findByEmail(address)
  if (Option.isSome(found)) return found.value
  return yield* new UnusableInput({ message: `There is no account with the address ${address}.${advice}` })
})

const PURPOSES = { "sign-in": "sign_in", "delete-account": "delete_account" } as const

const loginCode = Command.make(
  "login-code",
  {
    email: email.pipe(
      Flag.withDescription("Whom the code is for; a first sign-in makes the account, with an organization of its own")
    ),
    purpose: Flag.Literals("purpose", ["sign-in", "delete-account"]).pipe(
      Flag.withDescription("What the code is good for; sign-in by default"),
      Flag.withDefault("sign-in")
    ),
    json
  },
  ({ email, json, purpose }) =>
    Effect.gen(function* () {
      const { codeForOperator } = yield* SignIn
      const account = Option.getOrNull(yield* (yield* AccountStore).findByEmail(email))
      if (purpose === "delete-account" && account === null) yield* accountWith(email)
      const code = yield* asCommand(codeForOperator(email, PURPOSES[purpose]))
      if (account !== null && account.disabledAt !== null) {
        yield* Console.error(
          `The account of ${email} is disabled: the code is good for nothing before \`user enable\`.`
        )
      }
      if (json) return yield* Console.log(JSON.stringify({ code }))
      if (account === null) yield* Console.error(`There is no account with this address yet: the code makes it.`)
      yield* Console.log(code)
      yield* Console.error(
        `For ${email}, good for ${CODE_LIFETIME_MS / 60_000} minutes and once. Whoever has it has the account. While it is good, no other code is mailed.`
      )
    }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(
  Command.withDescription(
    "Make a code that signs somebody in, without mail; it is good for a new account whatever REGISTRATION says"
  )
)

const list = Command.make("list", { json: jsonAnyway }, () =>
  Effect.flatMap(AccountStore, (store) =>
    printAll(store.list, ({ createdAt, disabledAt, email, id, lastSignedInAt, name }) => ({
      id,
      email,
      name,
      created_at: isoTime(createdAt),
      last_signed_in_at: lastSignedInAt === null ? null : isoTime(lastSignedInAt),
      disabled_at: disabledAt === null ? null : isoTime(disabledAt)
    }))
  ).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("List all accounts, one JSON object a line"))

const whose = { email: email.pipe(Flag.withDescription("Whose account")), json }

const disable = Command.make("disable", whose, ({ email, json }) =>
  Effect.gen(function* () {
    const { id } = yield* accountWith(email)
    yield* asCommand((yield* AccountStore).disable(id))
    yield* Console.log(
      json
        ? JSON.stringify({ email, disabled: true })
        : `Disabled ${email}. All sessions have ended, and no code signs in. \`user enable\` undoes it.`
    )
  }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("End all sessions of an account, and let it sign in no more"))

const enable = Command.make("enable", whose, ({ email, json }) =>
  Effect.gen(function* () {
    const { id } = yield* accountWith(email)
    yield* asCommand((yield* AccountStore).enable(id))
    yield* Console.log(json ? JSON.stringify({ email, disabled: false }) : `Enabled ${email}. A new sign-in is needed.`)
  }).pipe(Effect.provide(onDatabase(process.env)))
).pipe(Command.withDescription("Let a disabled account sign in again"))

export const user = Command.make("user").pipe(
  Command.withDescription("People's accounts"),
  Command.withSubcommands([loginCode, list, disable, enable])
)
