import { Schema } from "effect"
import type { AccountAddress } from "./AccountAddress.ts"

/** Services with which people have accounts, and by which they sign in here. */
export const EXTERNAL_PROVIDERS = ["google", "github"] as const
export const ExternalProvider = Schema.Literals(EXTERNAL_PROVIDERS)
export type ExternalProvider = typeof ExternalProvider.Type

/** Who somebody is with a provider. It is always the subject that is recognized: addresses and names change hands. */
export interface ExternalIdentity {
  readonly provider: ExternalProvider
  /** The provider's own id of the account. */
  readonly subject: string
  /** One that the provider has verified; null when it names none, or none that an account here can have. */
  readonly email: AccountAddress | null
  /** Whether the provider's word for the address is enough. Else a code proves it. */
  readonly isConfirmed: boolean
}

/** How long a redirect to a provider may take. */
export const REDIRECT_MS = 600_000

/** How long an identity waits for the code that proves its address: as long as that, and some time to ask for it. */
export const PENDING_MS = 900_000
