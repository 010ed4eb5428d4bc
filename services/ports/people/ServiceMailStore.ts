import type { Effect } from "effect"
import { Context } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { StoreError } from "../StoreError.ts"

/** How far apart the mails of one sender fall due. */
export const TURN_MS = 2_000

/** A mail that is written with the change that it tells of. */
export interface NewMail {
  readonly id: string
  readonly email: AccountAddress
  /** What it says, sealed: `services/engine/people/ServiceMails.ts`. */
  readonly sealed: Uint8Array
  readonly isCode: boolean
  /** Whoever has it sent, where one may send many: each of theirs that waits already puts it off by `TURN_MS`. */
  readonly sender: string | null
  /** After so long it is not worth sending any more. */
  readonly lifetimeMs: number
}

export interface WaitingMail {
  readonly id: string
  readonly email: AccountAddress
  readonly sealed: Uint8Array
  /** This one included. */
  readonly attempts: number
  /** What is known of the address by now. Whoever asked for a code is told none of it. */
  readonly hasAccount: boolean
  readonly isDisabled: boolean
  readonly isInvited: boolean
}

/** The service's own mail that is still to be sent. */
export class ServiceMailStore extends Context.Service<
  ServiceMailStore,
  {
    /**
     * Takes mails that are due, codes or all others, for as long as the lease and the process live: who dies with them leaves
     * them to the next (`HolderStore.release`).
     * Drops those past their time.
     */
    readonly claim: (
      what: "codes" | "others",
      limit: number,
      leaseMs: number
    ) => Effect.Effect<ReadonlyArray<WaitingMail>, StoreError>
    /** Sent, or not to be sent at all. */
    readonly remove: (id: string) => Effect.Effect<void, StoreError>
    readonly postpone: (id: string, afterMs: number) => Effect.Effect<void, StoreError>
  }
>()("heliograph/ports/ServiceMailStore") {}
