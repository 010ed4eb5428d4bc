import { Schema } from "effect"
import { ApiKeyId, AppId, OrganizationId } from "../Ids.ts"
import { Name } from "../Text.ts"

/** An application owns keys, devices, contacts, channels, templates, webhooks and workflows. */
export const Application = Schema.Struct({
  id: AppId,
  organizationId: OrganizationId,
  name: Schema.String,
  /** Whether a claimed user_id needs a valid X-Identity-Hash (spec 5.3). New applications have it on. */
  identityVerification: Schema.Boolean,
  /** Until when the identity secret before the present one is good too; null when it is not. */
  formerIdentityUntil: Schema.NullOr(Schema.Number),
  createdAt: Schema.Number
})
export type Application = typeof Application.Type

/** `secret`: full access to one application. `public`: only the public surface of spec 4.1. */
export const KeyKind = Schema.Literals(["secret", "public"])
export type KeyKind = typeof KeyKind.Type

export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  appId: AppId,
  kind: KeyKind
})
export type ApiKey = typeof ApiKey.Type

/** A key as its owner sees it in a list: not what it is, but which. */
export const ApiKeyInfo = Schema.Struct({
  id: ApiKeyId,
  appId: AppId,
  kind: KeyKind,
  name: Schema.String,
  /** The key's first characters. */
  hint: Schema.String,
  createdAt: Schema.Number,
  /** To the minute. */
  lastUsedAt: Schema.NullOr(Schema.Number)
})
export type ApiKeyInfo = typeof ApiKeyInfo.Type

/** Keys of an application that are good at the same time, at most. */
export const KEYS_PER_APPLICATION = 100

/** How long a replaced identity secret may stay good, at most: a week, in seconds. */
export const IDENTITY_OVERLAP_SECONDS = 604_800

/** POST /api-keys. */
export const CreateApiKey = Schema.Struct({ kind: KeyKind, name: Name })
export type CreateApiKey = typeof CreateApiKey.Type

/** PATCH /application. */
export const UpdateApplication = Schema.Struct({
  name: Schema.optionalKey(Name),
  identity_verification: Schema.optionalKey(Schema.Boolean)
})
export type UpdateApplication = typeof UpdateApplication.Type

/** What `app create` prints, once: the plaintext of the keys is not kept. */
export interface ApplicationSecrets {
  readonly appId: AppId
  readonly secretKey: string
  readonly publicKey: string
  readonly identitySecret: string
}
