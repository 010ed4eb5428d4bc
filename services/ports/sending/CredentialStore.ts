import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { CredentialConfig, CredentialKind } from "../../domain/sending/Credential.ts"
import type { AppId } from "../../domain/Ids.ts"
import type { StoreError } from "../StoreError.ts"

/** How long an acceptance speaks for a credential version against the refusals of single devices. */
export const ACCEPTED_LATELY_MS = 24 * 3_600_000

/** A provider credential, decrypted: it stays inside the engine and its provider's layer. */
export interface Credential {
  readonly appId: AppId
  /** Grows with every change. A refusal of an older version says nothing of this one. */
  readonly version: number
  readonly config: CredentialConfig
  /** Why its provider refuses it; null while it is good. */
  readonly suspendedReason: string | null
}

/** A credential as it is shown: no secret in it. */
export interface CredentialSummary {
  readonly kind: CredentialKind
  readonly settings: Readonly<Record<string, unknown>>
  readonly suspendedReason: string | null
  readonly updatedAt: number
}

/** How a credential is, for whoever looks after all of them. */
export interface CredentialHealth {
  readonly appId: AppId
  readonly kind: CredentialKind
  readonly suspendedReason: string | null
  /** Whether the master key at hand opens it. */
  readonly isReadable: boolean
}

/** One credential per application and provider; secrets are encrypted at rest and bound to their row. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** Replaces the credential; What was suspended with the old one, or slowed down with it, becomes due. */
    readonly put: (appId: AppId, config: CredentialConfig) => Effect.Effect<CredentialSummary, StoreError>
    readonly find: (appId: AppId, kind: CredentialKind) => Effect.Effect<Option.Option<Credential>, StoreError>
    readonly summaries: (appId: AppId) => Effect.Effect<ReadonlyArray<CredentialSummary>, StoreError>
    /** Those of all applications. */
    readonly health: Effect.Effect<ReadonlyArray<CredentialHealth>, StoreError>
    readonly remove: (appId: AppId, kind: CredentialKind) => Effect.Effect<boolean, StoreError>
    /** Marks this version as refused by its provider; a newer one is left alone. */
    readonly suspend: (
      appId: AppId,
      kind: CredentialKind,
      version: number,
      reason: string
    ) => Effect.Effect<void, StoreError>
    /**
     * The same for refusals that strangers' devices may have brought about: unless somebody noted within a day that this
     * version was accepted. False, and nothing marked, when it was, or is replaced.
     */
    readonly suspendUnlessAccepted: (
      appId: AppId,
      kind: CredentialKind,
      version: number,
      reason: string
    ) => Effect.Effect<boolean, StoreError>
    /** Notes for all nodes that its provider accepted this version just now. */
    readonly accepted: (appId: AppId, kind: CredentialKind, version: number) => Effect.Effect<void, StoreError>
    /** The counterpart of `suspend`, after a probe went through. */
    readonly release: (appId: AppId, kind: CredentialKind, version: number) => Effect.Effect<void, StoreError>
    /**
     * What was suspended or slowed down with this version, and written only after that was replaced, becomes due as well.
     * Nothing happens while the version is the present one.
     */
    readonly hasten: (appId: AppId, kind: CredentialKind, version: number) => Effect.Effect<void, StoreError>
  }
>()("heliograph/ports/CredentialStore") {}
