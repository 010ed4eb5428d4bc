import type { Effect } from "effect"
import { Context, Schema } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { Allowance, CodePurpose } from "../../domain/people/SignInCode.ts"
import type { StoreError } from "../StoreError.ts"
import type { NewMail } from "./ServiceMailStore.ts"

/** Too many codes were asked for, or tried, in too short a time. */
export class TooManyCodes extends Schema.TaggedError<TooManyCodes>()("TooManyCodes", {
  /** When one more is allowed, epoch milliseconds of the database's clock, and how long that is from its now. */
  at: Schema.Number,
  afterMs: Schema.Number
}) {}

/** What is counted together, and how much of it is allowed. */
export interface Counted {
  readonly key: string
  readonly allowances: ReadonlyArray<Allowance>
}

export interface NewCode {
  readonly email: AccountAddress
  readonly purpose: CodePurpose
  readonly hash: Uint8Array
  readonly lifetimeMs: number
  /** Asked for at the command line: not counted, and good for an account also where registration is by invitation. */
  readonly ofOperator: boolean
  readonly counted: ReadonlyArray<Counted>
  readonly mail: NewMail | null
}

/** A code that somebody gives. */
export interface CodeAttempt {
  readonly email: AccountAddress
  readonly purpose: CodePurpose
  /** The code's hash under each live key. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** Where wrong codes are counted. */
  readonly wrong: Counted
}

/**
 * Codes that were sent, one for each address and purpose. It does not know which addresses have accounts. A code is used up
 * by whoever does what it is for, in the transaction of that (`AccountStore`, `ExternalSignInStore`).
 */
export class LoginCodeStore extends Context.Service<
  LoginCodeStore,
  {
    /** One transaction: counts, voids the code before, keeps this one, and leaves the mail for whoever sends it. */
    readonly issue: (code: NewCode) => Effect.Effect<void, TooManyCodes | StoreError>
  }
>()("heliograph/ports/LoginCodeStore") {}
