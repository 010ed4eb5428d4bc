import { Context, Effect, Layer, Schema } from "effect"
import type { Person } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { CodePurpose } from "../../domain/people/SignInCode.ts"
import {
  CODE_LIFETIME_MS,
  codeIn,
  CODES_PER_ADDRESS,
  CODES_PER_CLIENT,
  WRONG_CODES
} from "../../domain/people/SignInCode.ts"
import type { Keys } from "../../ports/access/Keys.ts"
import type { AccountDisabled, AccountStore, RegistrationClosed } from "../../ports/people/AccountStore.ts"
import type { TooManyCodes } from "../../ports/people/LoginCodeStore.ts"
import { LoginCodeStore } from "../../ports/people/LoginCodeStore.ts"
import { PeopleSettings } from "../../ports/people/PeopleSettings.ts"
import type { IdentityProviders } from "../../ports/people/IdentityProviders.ts"
import type { SessionTokens } from "../../ports/people/SessionTokens.ts"
import { SignInSecrets } from "../../ports/people/SignInSecrets.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { makeBindings } from "./bindings.ts"
import type { InvalidField } from "./Fields.ts"
import { addressIn } from "./Fields.ts"
import type { NewSession } from "./newSessions.ts"
import { newSessions } from "./newSessions.ts"
import { ServiceMails } from "./ServiceMails.ts"

/** Wrong, used, too old, tried too often, or never sent. Whoever asks learns no more. */
export class WrongCode extends Schema.TaggedError<WrongCode>()("WrongCode", {}) {}

/** Where a request comes from. */
export interface Client {
  /** What is counted as one client of the network: src/http/pipeline/ClientAddress.ts. */
  readonly address: string
  /** The token of a browser that has signed in before, if it sent one. */
  readonly device: string | null
}

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
    /** Begins a session. For an address without an account it makes one, where registration lets it. */
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
  static readonly layer: Layer.Layer<
    SignIn,
    never,
    | AccountStore
    | IdentityProviders
    | Keys
    | LoginCodeStore
    | PeopleSettings
    | ServiceMails
    | SessionTokens
    | SignInSecrets
  > = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const codes = yield* LoginCodeStore
      const mails = yield* ServiceMails
      const secrets = yield* SignInSecrets
      const sessions = yield* newSessions
      const bindings = yield* makeBindings
      const { registration } = yield* PeopleSettings

      const issue = Effect.fnUntraced(function* (email: AccountAddress, purpose: CodePurpose, client: Client | null) {
        const code = secrets.newCode()
        const device = client?.device == null ? null : secrets.deviceOf(email, client.device)
        const address = { key: secrets.attemptKey("codes", `${purpose} ${email}`), allowances: CODES_PER_ADDRESS }
        const counted =
          client === null
            ? []
            : [
                device === null
                  ? address
                  : { ...address, key: secrets.attemptKey("device", `${purpose} ${email} ${device}`) },
                { key: secrets.attemptKey("client", client.address), allowances: CODES_PER_CLIENT }
              ]
        yield* codes.issue({
          email,
          purpose,
          hash: secrets.codeHashes(purpose, email, code)[0],
          lifetimeMs: CODE_LIFETIME_MS,
          ofOperator: client === null,
          counted,
          mail: client === null ? null : mails.draft(email, { type: "code", purpose, code }, CODE_LIFETIME_MS)
        })
        if (client !== null) yield* mails.wake
        return code
      })

      const requestCode: SignIn["Service"]["requestCode"] = (email, client) =>
        Effect.flatMap(addressIn(email), (address) => Effect.asVoid(issue(address, "sign_in", client)))

      const requestDeletionCode: SignIn["Service"]["requestDeletionCode"] = ({ account }, client) =>
        Effect.asVoid(issue(account.email, "delete_account", client))

      const codeForOperator: SignIn["Service"]["codeForOperator"] = (email, purpose) =>
        Effect.flatMap(addressIn(email), (address) =>
          // Nothing of an operator's is counted.
          Effect.catchTag(issue(address, purpose, null), "TooManyCodes", Effect.die)
        )

      const verifyCode: SignIn["Service"]["verifyCode"] = Effect.fnUntraced(function* (
        text,
        code,
        { device: token, pending = null, userAgent }
      ) {
        const email = yield* addressIn(text)
        const digits = codeIn(code)
        if (digits === null) return yield* new WrongCode()
        const device = token === null ? null : secrets.deviceOf(email, token)
        const verdict = yield* codes.verify({
          email,
          purpose: "sign_in",
          hashes: secrets.codeHashes("sign_in", email, digits),
          wrong: {
            key:
              device === null
                ? secrets.attemptKey("wrong", email)
                : secrets.attemptKey("wrong_device", `${email} ${device}`),
            allowances: WRONG_CODES
          }
        })
        if (verdict._tag === "Wrong") return yield* new WrongCode()
        return yield* sessions.begin({
          email,
          mayRegister: registration === "open" || verdict.ofOperator,
          userAgent,
          device: token,
          binding: pending === null ? null : bindings.ofPending(email, pending),
          showsFirst: true
        })
      })

      return SignIn.of({ requestCode, requestDeletionCode, codeForOperator, verifyCode })
    })
  )
}
