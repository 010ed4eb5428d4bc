import { Effect } from "effect"
import type { ExternalSignInId } from "../../domain/Ids.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { ExternalIdentity, ExternalProvider } from "../../domain/people/ExternalIdentity.ts"
import { Keys } from "../../ports/access/Keys.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { Binding } from "../../ports/people/Binding.ts"
import { IdentityProviders } from "../../ports/people/IdentityProviders.ts"
import type { NewMail } from "../../ports/people/ServiceMailStore.ts"
import { NOTICE_MS } from "./MailTexts.ts"
import { ServiceMails } from "./ServiceMails.ts"

export type BindingNeeds = IdentityProviders | Keys | ServiceMails

export interface Bindings {
  readonly ofIdentity: (email: AccountAddress, identity: Pick<ExternalIdentity, "provider" | "subject">) => Binding
  /** Of an identity that waits for a code: its browser has the token. What a provider said that is no longer offered is void. */
  readonly ofPending: (email: AccountAddress, token: string) => Binding
  /** Tells an account's owner of one sign-in more, or less. */
  readonly notice: (email: AccountAddress, change: "bound" | "unbound") => (provider: ExternalProvider) => NewMail
}

/** External sign-ins of accounts, as the stores bind them. */
export const makeBindings: Effect.Effect<Bindings, never, BindingNeeds> = Effect.gen(function* () {
  const { offered } = yield* IdentityProviders
  const keys = yield* Keys
  const mails = yield* ServiceMails
  const notice: Bindings["notice"] = (email, change) => (provider) =>
    mails.draft(email, { type: "external_sign_in", change, provider }, NOTICE_MS)
  const bindingOf = (email: AccountAddress, identity: Binding["identity"]): Binding => ({
    id: uuidv7() as ExternalSignInId,
    identity,
    notice: notice(email, "bound")
  })
  return {
    ofIdentity: (email, { provider, subject }) => bindingOf(email, { _tag: "Proved", provider, subject }),
    ofPending: (email, token) => bindingOf(email, { _tag: "Pending", tokenHash: keys.hash(token), providers: offered }),
    notice
  }
})
