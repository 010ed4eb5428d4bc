import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { AccountId, OrganizationId, SessionId } from "../../domain/Ids.ts"
import type { Account, AccountData } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { Organization } from "../../domain/people/Organization.ts"
import type { NewApplication } from "../access/ApplicationStore.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { Binding } from "./Binding.ts"
import type { CodeAttempt, Counted, TooManyCodes } from "./LoginCodeStore.ts"
import type { OrganizationHasPayments, TransferOwnershipFirst } from "./OrganizationStore.ts"

/** The address has no account, and none is made for it: registration is by invitation. */
export class RegistrationClosed extends Schema.TaggedError<RegistrationClosed>()("RegistrationClosed", {}) {}

/** An operator has disabled the account. */
export class AccountDisabled extends Schema.TaggedError<AccountDisabled>()("AccountDisabled", {}) {}

/** A sign-in whose address is proved. What is made where there is no account yet comes along. */
export interface ProvedSignIn {
  readonly email: AccountAddress
  /** Whether an account may be made although nobody has invited the address. A code of an operator's lets it too. */
  readonly mayRegister: boolean
  readonly session: { readonly id: SessionId; readonly userAgent: string; readonly lifetimeMs: number }
  readonly account: AccountId
  readonly organization: { readonly id: OrganizationId; readonly name: string }
  readonly application: NewApplication
  /** An external sign-in that is bound with it. */
  readonly binding: Binding | null
}

export interface SignedIn {
  readonly account: Account
  readonly epoch: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Made just now; none for an account that was there, or was invited and has no need of its own. */
  readonly organization: Option.Option<Organization>
}

/** Accounts of people. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** One transaction: the session, and for an address without an account that, an organization and its first application. */
    readonly signIn: (
      signIn: ProvedSignIn
    ) => Effect.Effect<SignedIn, RegistrationClosed | AccountDisabled | StoreError>
    /**
     * The same with the code that proves the address, which is used up in the same transaction. None: it was wrong, which is
     * counted. A refusal leaves everything as it was, a right code included.
     */
    readonly signInByCode: (
      signIn: ProvedSignIn,
      code: CodeAttempt
    ) => Effect.Effect<Option.Option<SignedIn>, TooManyCodes | RegistrationClosed | AccountDisabled | StoreError>
    readonly find: (id: AccountId) => Effect.Effect<Option.Option<Account>, StoreError>
    readonly findByEmail: (email: AccountAddress) => Effect.Effect<Option.Option<Account>, StoreError>
    /** Oldest first. */
    readonly list: (after: string | null, limit: number) => Effect.Effect<Page<Account>, StoreError>
    readonly rename: (id: AccountId, name: string) => Effect.Effect<Option.Option<Account>, StoreError>
    /** Ends its sessions too. False when there is no such account. */
    readonly disable: (id: AccountId) => Effect.Effect<boolean, StoreError>
    readonly enable: (id: AccountId) => Effect.Effect<boolean, StoreError>
    readonly data: (id: AccountId) => Effect.Effect<Option.Option<AccountData>, StoreError>
    /**
     * One transaction: uses the code up, looks at the account's organizations under their locks (spec 5.6), and deletes.
     * False: the code was wrong, which is counted. A refusal leaves everything as it was, the code included.
     */
    readonly remove: (
      account: Pick<Account, "id" | "email">,
      hashes: ReadonlyArray<Uint8Array>,
      /** Where wrong codes are counted. */
      wrong: Counted
    ) => Effect.Effect<boolean, TooManyCodes | TransferOwnershipFirst | OrganizationHasPayments | StoreError>
  }
>()("heliograph/ports/AccountStore") {}
