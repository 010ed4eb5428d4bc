import { Context, Effect, Layer } from "effect"
import type { Person } from "../../domain/people/Account.ts"
import type { CodePurpose } from "../../domain/people/SignInCode.ts"
import type { AccountDisabled, RegistrationClosed } from "../../ports/people/AccountStore.ts"
import type { TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { PeopleSettings } from "../../ports/people/PeopleSettings.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { BindingNeeds } from "./bindings.ts"
import { makeBindings } from "./bindings.ts"
import type { Client, CodeNeeds, WrongCode } from "./codes.ts"
import { makeCodes } from "./codes.ts"
import type { InvalidField } from "./Fields.ts"
import { addressIn } from "./Fields.ts"
import type { NewSession, NewSessionNeeds } from "./newSessions.ts"
import { newSessions } from "./newSessions.ts"

/** Signing in by a code that is sent to an e-mail address. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** Sends a code. The answer, and how long it takes, are the same whether the address has an account or not. */
    readonly requestCode: (
      email: string,
      client: Client
    ) => Effect.Effect<void, InvalidField | TooManyCodes | StoreError>
    /** Sends a code for `Accounts.deleteAccount` to the account's own address. */
    readonly requestDeletionCode: (person: Person, client: Client) => Effect.Effect<void, TooManyCodes | StoreError>
    /** A code for an operator to hand on: no mail, no limits, and good for a new account whatever `REGISTRATION` says. */
    readonly codeForOperator: (email: string, purpose: CodePurpose) => Effect.Effect<string, InvalidField | StoreError>
    /**
     * Begins a session, and uses the code up with it. For an address without an account it makes one, where registration
     * lets it.
     */
    readonly verifyCode: (
      email: string,
      code: string,
      client: Pick<Client, "device"> & {
        readonly userAgent: string
        /** The token of an external identity that waits for this code (`ExternalSignIns`): it is bound to the account. */
        readonly pending?: string | null
      }
    ) => Effect.Effect<
      NewSession,
      InvalidField | WrongCode | TooManyCodes | RegistrationClosed | AccountDisabled | StoreError
    >
  }
>()("heliograph/engine/SignIn") {
  static readonly layer: Layer.Layer<SignIn, never, BindingNeeds | CodeNeeds | NewSessionNeeds | PeopleSettings> =
    Layer.effect(
      SignIn,
      Effect.gen(function* () {
        const codes = yield* makeCodes
        const sessions = yield* newSessions
        const bindings = yield* makeBindings
        const { registration } = yield* PeopleSettings

        const requestCode: SignIn["Service"]["requestCode"] = (email, client) =>
          Effect.flatMap(addressIn(email), (address) => Effect.asVoid(codes.issue(address, "sign_in", client)))

        const requestDeletionCode: SignIn["Service"]["requestDeletionCode"] = ({ account }, client) =>
          Effect.asVoid(codes.issue(account.email, "delete_account", client))

        const codeForOperator: SignIn["Service"]["codeForOperator"] = (email, purpose) =>
          Effect.flatMap(addressIn(email), (address) =>
            // Nothing of an operator's is counted.
            Effect.catchTag(codes.issue(address, purpose, null), "TooManyCodes", Effect.die)
          )

        const verifyCode: SignIn["Service"]["verifyCode"] = Effect.fnUntraced(function* (
          text,
          code,
          { device: token, pending = null, userAgent }
        ) {
          const email = yield* addressIn(text)
          const attempt = yield* codes.attempt(email, "sign_in", code, token)
          return yield* sessions.beginByCode(
            {
              email,
              mayRegister: registration === "open",
              userAgent,
              device: token,
              binding: pending === null ? null : bindings.ofPending(email, pending),
              showsFirst: true
            },
            attempt
          )
        })

        return SignIn.of({ requestCode, requestDeletionCode, codeForOperator, verifyCode })
      })
    )
}
