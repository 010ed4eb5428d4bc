import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { Account } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { StoreError } from "../StoreError.ts"
import type { ProvedSignIn, SignedIn } from "./AccountStore.ts"
import type { Counted, TooManyCodes } from "./LoginCodeStore.ts"
import type { NewMail } from "./ServiceMailStore.ts"

/** Another account has the address. Only whoever reads its mail gets to know. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", {}) {}

export interface NewAddressChange {
  readonly account: Pick<Account, "id">
  readonly email: AccountAddress
  /** Of the code to the address that the account has, and of the one to the new. */
  readonly oldHash: Uint8Array
  readonly newHash: Uint8Array
  readonly lifetimeMs: number
  readonly counted: ReadonlyArray<Counted>
  readonly mails: ReadonlyArray<NewMail>
}

export interface AddressProofs {
  readonly account: Pick<Account, "id" | "email">
  /** Hashes of what was given as each code, under each live key. */
  readonly oldHashes: ReadonlyArray<Uint8Array>
  readonly newHashes: ReadonlyArray<Uint8Array>
  /** Where wrong codes are counted. */
  readonly wrong: Counted
  /** Goes on where all others end. */
  readonly session: ProvedSignIn["session"]
  /** To the address that was, once it is known which one is to be. */
  readonly notice: (email: AccountAddress) => NewMail
}

/** Addresses that accounts are to have. Asking for one does not look whether another account has it. */
export class AddressChangeStore extends Context.Service<
  AddressChangeStore,
  {
    /** One transaction: counts, voids what was asked for before, and leaves the mails for whoever sends them. */
    readonly begin: (change: NewAddressChange) => Effect.Effect<void, TooManyCodes | StoreError>
    /**
     * One transaction: counts the attempt, changes the address, ends all sessions, voids all codes of both addresses, and
     * begins a session. None: the codes are wrong, which is counted. `AddressTaken` leaves everything as it was.
     */
    readonly finish: (
      proofs: AddressProofs
    ) => Effect.Effect<Option.Option<SignedIn>, AddressTaken | TooManyCodes | StoreError>
  }
>()("heliograph/ports/AddressChangeStore") {}
