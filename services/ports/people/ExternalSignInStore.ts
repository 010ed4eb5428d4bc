import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { AccountId, ExternalSignInId, SessionId } from "../../domain/Ids.ts"
import type { ExternalSignIn } from "../../domain/people/Account.ts"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import type { ExternalIdentity, ExternalProvider } from "../../domain/people/ExternalIdentity.ts"
import type { StoreError } from "../StoreError.ts"
import type { AccountDisabled, ProvedSignIn, SignedIn } from "./AccountStore.ts"
import type { Binding } from "./Binding.ts"
import type { CodeAttempt, TooManyCodes } from "./LoginCodeStore.ts"
import type { NotThere } from "./OrganizationStore.ts"
import type { NewMail } from "./ServiceMailStore.ts"

/** The identity signs in to another account. */
export class BoundToAnother extends Schema.TaggedError<BoundToAnother>()("BoundToAnother", {}) {}

export type RedirectMode = "sign_in" | "link"

/** A redirect of a browser to a provider, until it comes back. */
export interface Redirect {
  /** What PKCE and OpenID Connect need then, sealed. */
  readonly sealed: Uint8Array
  readonly mode: RedirectMode
  /** The session that links. */
  readonly sessionId: SessionId | null
  /** A path of our own. */
  readonly returnTo: string
}

export interface NewRedirect extends Redirect {
  readonly provider: ExternalProvider
  /** SHA-256 of the state and what the browser has. */
  readonly stateHash: Uint8Array
  readonly lifetimeMs: number
}

/** An identity whose address a code has still to prove. */
export interface PendingIdentity {
  readonly provider: ExternalProvider
  readonly email: AccountAddress
}

export interface NewPendingIdentity extends PendingIdentity {
  /** SHA-256 of the token that the browser has. */
  readonly tokenHash: Uint8Array
  readonly subject: string
  readonly lifetimeMs: number
}

/** External sign-ins of accounts, and what is under way to one. */
export class ExternalSignInStore extends Context.Service<
  ExternalSignInStore,
  {
    readonly begin: (redirect: NewRedirect) => Effect.Effect<void, StoreError>
    /** Takes it out, so that nobody comes back twice; none that is too old, or went to another provider. */
    readonly take: (
      provider: ExternalProvider,
      stateHash: Uint8Array
    ) => Effect.Effect<Option.Option<Redirect>, StoreError>
    /** Begins a session of the account that the identity is bound to. None: it is bound to no account. */
    readonly signIn: (
      identity: Pick<ExternalIdentity, "provider" | "subject">,
      session: ProvedSignIn["session"]
    ) => Effect.Effect<Option.Option<SignedIn>, AccountDisabled | StoreError>
    readonly hold: (pending: NewPendingIdentity) => Effect.Effect<void, StoreError>
    readonly findPending: (tokenHash: Uint8Array) => Effect.Effect<Option.Option<PendingIdentity>, StoreError>
    /** To an account that is there. Bound to it before, it stays so. */
    readonly bind: (
      account: AccountId,
      binding: Binding
    ) => Effect.Effect<ExternalSignIn, NotThere | BoundToAnother | StoreError>
    /** The same with the code that proves the address, as of `AccountStore.signInByCode`. */
    readonly bindByCode: (
      account: AccountId,
      binding: Binding,
      code: CodeAttempt
    ) => Effect.Effect<Option.Option<ExternalSignIn>, TooManyCodes | NotThere | BoundToAnother | StoreError>
    /** Oldest first. */
    readonly list: (account: AccountId) => Effect.Effect<ReadonlyArray<ExternalSignIn>, StoreError>
    /** False when the account has no such sign-in, or no longer. */
    readonly unbind: (
      account: AccountId,
      id: ExternalSignInId,
      notice: (provider: ExternalProvider) => NewMail
    ) => Effect.Effect<boolean, StoreError>
  }
>()("heliograph/ports/ExternalSignInStore") {}
