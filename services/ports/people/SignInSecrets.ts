import { Context } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { AddressProof, CodePurpose } from "../../domain/people/SignInCode.ts"

/** What is counted in sliding spans: codes, wrong ones, and invitations. */
export type AttemptKind =
  | "codes"
  | "wrong"
  | "client"
  | "device"
  | "wrong_device"
  | "invited"
  | "inviter"
  | "inviting_organization"
  | "inviting_client"

/** Codes, and what tells browsers that have signed in before. Everything here is synchronous and free of I/O. */
export class SignInSecrets extends Context.Service<
  SignInSecrets,
  {
    /** Six random digits. */
    readonly newCode: () => string
    /**
     * A code's HMAC under each live key, the one that is kept first. It covers purpose and address: what was sent for one
     * is good for no other.
     */
    readonly codeHashes: (
      purpose: CodePurpose | AddressProof,
      email: AccountAddress,
      code: string
    ) => readonly [Uint8Array, ...ReadonlyArray<Uint8Array>]
    /** What something is counted under: it tells things apart and does not say what they are. */
    readonly attemptKey: (kind: AttemptKind, text: string) => string
    /** A token for a browser that has proved the address. It signs nobody in. */
    readonly newDevice: (email: AccountAddress) => string
    /** The id of a browser that has such a token for this address; null when it has none. */
    readonly deviceOf: (email: AccountAddress, token: string) => string | null
  }
>()("heliograph/ports/SignInSecrets") {}
