import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { ApiKey, Application, KeyKind } from "../domain/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../domain/Ids.ts"
import type { StoreError } from "./StoreError.ts"

export interface NewApiKey {
  readonly id: ApiKeyId
  readonly kind: KeyKind
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
    /** One transaction: the application (in the first organization, made if there is none) with its keys and identity secret. */
    readonly create: (application: NewApplication) => Effect.Effect<Application, StoreError>
    /** The same, only if there is no application yet; none otherwise. Of several nodes that start at once, one makes it. */
    readonly createFirst: (application: NewApplication) => Effect.Effect<Option.Option<Application>, StoreError>
    readonly find: (id: AppId) => Effect.Effect<Option.Option<Application>, StoreError>
    /** The secret of spec 5.3, decrypted. */
    readonly identitySecret: (id: AppId) => Effect.Effect<Option.Option<string>, StoreError>
    readonly count: Effect.Effect<number, StoreError>
    /** A key that is not revoked, by the SHA-256 of its text. */
    readonly findKey: (hash: Uint8Array) => Effect.Effect<Option.Option<ApiKey>, StoreError>
  }
>()("heliograph/ports/ApplicationStore") {}
