import type { ExternalSignInId } from "../../domain/Ids.ts"
import type { ExternalIdentity, ExternalProvider } from "../../domain/people/ExternalIdentity.ts"
import type { NewMail } from "./ServiceMailStore.ts"

/** An external identity that is to sign in to an account from now on. */
export interface Binding {
  readonly id: ExternalSignInId
  readonly identity:
    | ({ readonly _tag: "Proved" } & Pick<ExternalIdentity, "provider" | "subject">)
    /** One that waited for a code, which has come: of these providers, and with the account's address. */
    | {
        readonly _tag: "Pending"
        readonly tokenHash: Uint8Array
        readonly providers: ReadonlyArray<ExternalProvider>
      }
  /** Tells the account's owner. */
  readonly notice: (provider: ExternalProvider) => NewMail
}
