import { Context, Effect, Layer, Option } from "effect"
import type { Account, AccountData, Person } from "../../domain/people/Account.ts"
import { codeIn, WRONG_CODES } from "../../domain/people/SignInCode.ts"
import { AccountStore } from "../../ports/people/AccountStore.ts"
import type { TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import type { OrganizationHasPayments, TransferOwnershipFirst } from "../../ports/people/OrganizationStore.ts"
import { NotThere } from "../../ports/people/OrganizationStore.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { asPerson } from "./asPerson.ts"
import type { InvalidField } from "./Fields.ts"
import { nameIn } from "./Fields.ts"
import { WrongCode } from "./codes.ts"

/** What people do with their own accounts. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly rename: (person: Person, name: string) => Effect.Effect<Account, InvalidField | NotThere | StoreError>
    /** Everything that is kept about the person, without secrets (spec 2.5). */
    readonly exportData: (person: Person) => Effect.Effect<AccountData, NotThere | StoreError>
    /** Deletes the account as spec 5.6 says. The code is one of `SignIn.requestDeletionCode`. */
    readonly deleteAccount: (
      person: Person,
      code: string
    ) => Effect.Effect<void, WrongCode | TooManyCodes | TransferOwnershipFirst | OrganizationHasPayments | StoreError>
  }
>()("heliograph/engine/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, AccountStore | SignInSecrets> = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const secrets = yield* SignInSecrets

      const found = <A>(account: Option.Option<A>) =>
        Option.isSome(account) ? Effect.succeed(account.value) : Effect.fail(new NotThere({ what: "account" }))

      const rename: Accounts["Service"]["rename"] = (person, text) =>
        Effect.flatMap(nameIn(text), (name) =>
          Effect.flatMap(asPerson(person)(store.rename(person.account.id, name)), found)
        )

      const exportData: Accounts["Service"]["exportData"] = ({ account }) =>
        Effect.flatMap(store.data(account.id), found)

      const deleteAccount: Accounts["Service"]["deleteAccount"] = Effect.fnUntraced(function* (person, text) {
        const { account } = person
        const code = codeIn(text)
        if (code === null) return yield* new WrongCode()
        const isDeleted = yield* asPerson(person)(
          store.remove(account, secrets.codeHashes("delete_account", account.email, code), {
            key: secrets.attemptKey("wrong", `deletion of ${account.id}`),
            allowances: WRONG_CODES
          })
        )
        if (!isDeleted) return yield* new WrongCode()
      })

      return Accounts.of({ rename, exportData, deleteAccount })
    })
  )
}
