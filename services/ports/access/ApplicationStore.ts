import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { ApiKey, ApiKeyInfo, Application, KeyKind, UpdateApplication } from "../../domain/access/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../../domain/Ids.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** The application has as many keys as it may have. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { limit: Schema.Number }) {}

/** Without its last secret key an application's servers are locked out, from making another one too. */
export class LastSecretKey extends Schema.TaggedError<LastSecretKey>()("LastSecretKey", {}) {}

export interface NewApiKey {
  readonly id: ApiKeyId
  readonly kind: KeyKind
  readonly name: string
  /** SHA-256 of the whole key, 32 bytes. */
  readonly hash: Uint8Array
  /** The key's first characters, to tell keys apart in a list. */
  readonly hint: string
}

export interface NewApplication {
  readonly id: AppId
  readonly organizationId: OrganizationId
  readonly name: string
  readonly identitySecret: string
  readonly keys: ReadonlyArray<NewApiKey>
}

/** Organizations, applications and their API keys. */
export class ApplicationStore extends Context.Service<
  ApplicationStore,
  {
    /** One transaction: the application (in the operators' organization, made if there is none) with its keys and identity secret. */
    readonly create: (application: NewApplication) => Effect.Effect<Application, StoreError>
    /**
     * The same in a database that is new: one that has no organization. None otherwise. Of several nodes that start at once,
     * one makes it.
     */
    readonly createFirst: (application: NewApplication) => Effect.Effect<Option.Option<Application>, StoreError>
    /** Deleted ones aside, as in `all` and `count`. */
    readonly find: (id: AppId) => Effect.Effect<Option.Option<Application>, StoreError>
    /** Of all organizations, oldest first. */
    readonly all: (after: string | null, limit: number) => Effect.Effect<Page<Application>, StoreError>
    /** Changes what is given. Writes the audit log, as all that changes something here. */
    readonly update: (id: AppId, change: UpdateApplication) => Effect.Effect<Option.Option<Application>, StoreError>
    /** The secrets of spec 5.3 that are good now, decrypted, the present one first; none when there is no application. */
    readonly identitySecrets: (id: AppId) => Effect.Effect<ReadonlyArray<string>, StoreError>
    /** Replaces the identity secret. The one before it stays good for `overlapMs`, and those before that no longer. */
    readonly setIdentitySecret: (
      id: AppId,
      secret: string,
      overlapMs: number
    ) => Effect.Effect<Option.Option<Application>, StoreError>
    readonly count: Effect.Effect<number, StoreError>
    /** A key that is not revoked, by the SHA-256 of its text. */
    readonly findKey: (hash: Uint8Array) => Effect.Effect<Option.Option<ApiKey>, StoreError>
    /** Keys that are not revoked, oldest first. */
    readonly keys: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<ApiKeyInfo>, StoreError>
    readonly createKey: (appId: AppId, key: NewApiKey) => Effect.Effect<ApiKeyInfo, TooManyKeys | StoreError>
    /** False when the application has no such key, or no longer. */
    readonly revokeKey: (appId: AppId, id: ApiKeyId) => Effect.Effect<boolean, LastSecretKey | StoreError>
    /** These were used just now. */
    readonly touchKeys: (ids: ReadonlyArray<ApiKeyId>) => Effect.Effect<void, StoreError>
  }
>()("heliograph/ports/ApplicationStore") {}
